"""`python -m factmill` is `factmill`."""

from factmill.cli import main

main()

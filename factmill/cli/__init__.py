"""The command line: verbs in the order of the data.

Commands hold no logic: they call a step and print what it returns. Heavy libraries are imported inside the commands
that need them, so that `factmill --help` answers at once.
"""

import sys

from factmill.cli.app import app
from factmill.errors import FactmillError

__all__ = ["app", "main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line: status 1 and one line for an expected error, 2 for wrong usage, 130 for Ctrl-C."""
    try:
        app()
    except FactmillError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            print("Interrupted. What was there before is unchanged; run it again to go on.", file=sys.stderr)
        raise

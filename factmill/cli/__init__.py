"""The command line: verbs in the order of the data.

Commands hold no logic: they call a step and print what it returns. Heavy libraries are imported inside the commands
that need them, so that `factmill --help` answers at once.
"""

import sys

import click

from factmill.cli.app import app
from factmill.errors import FactmillError

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line: status 1 and one line for an expected error, 130 for Ctrl-C."""
    try:
        status = app(standalone_mode=False)
    except FactmillError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        print("Interrupted. What was there before is unchanged; run the same command to start again.", file=sys.stderr)
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)

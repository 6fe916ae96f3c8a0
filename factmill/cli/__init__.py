"""The command line: verbs in the order of the data.

Commands hold no logic: they call a step and print what it returns. Heavy libraries are imported inside the commands
that need them, so that `factmill --help` answers at once.
"""

import sys

_INTERRUPTED = 130
_INTERRUPTED_TEXT = "Interrupted. What was finished is kept, and nothing half-done is visible. Run it again."


def main() -> None:
    """Run the command line: status 1 and one line for an expected error, 2 for wrong usage, 130 for Ctrl-C."""
    try:
        from factmill.cli.app import app
        from factmill.errors import FactmillError

        # What cannot be shown is replaced: a terminal without Unicode is no reason to stop.
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        try:
            app()
        except FactmillError as error:
            print(f"Error: {error}", file=sys.stderr)
            sys.exit(1)
        except OSError as error:
            print(f"Error: {error.strerror or error}: {error.filename or 'no file named'}.", file=sys.stderr)
            sys.exit(1)
    except KeyboardInterrupt:
        print(_INTERRUPTED_TEXT, file=sys.stderr)
        sys.exit(_INTERRUPTED)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            print(_INTERRUPTED_TEXT, file=sys.stderr)
        raise

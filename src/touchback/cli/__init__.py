"""`touchback …`: list, show, simulate, check, generate, bench, validate, play."""

import sys

__all__ = ["main"]

INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended


def main() -> None:
    """Runs the command. Ctrl-C ends it without a traceback, even while it is still being loaded."""
    try:
        from touchback.cli.command_table import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

"""Where the command line writes: results to stdout, messages to stderr."""

import sys

from rich.console import Console
from rich.status import Status

# Piped output keeps its lines whole: tables are read by other programs too.
out = Console(width=None if sys.stdout.isatty() else 100, highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)


def working(what: str) -> Status:
    """A spinner on a terminal while something takes its time."""
    return err.status(what)

"""Where the command line writes: results to stdout, messages to stderr."""

import sys
from contextlib import AbstractContextManager

from rich.console import Console

# Piped output keeps its lines whole: tables are read by other programs too.
out = Console(width=None if sys.stdout.isatty() else 100, highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)


def working(what: str) -> AbstractContextManager[object]:
    """A spinner on a terminal while something takes its time."""
    return err.status(what)

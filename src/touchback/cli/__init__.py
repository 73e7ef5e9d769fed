"""`touchback …`: list, show, simulate, check, generate, bench, validate, play."""

from touchback.cli.app import main

__all__ = ["main"]

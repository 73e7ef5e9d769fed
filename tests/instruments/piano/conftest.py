"""Actions that are compiled once for all tests of the piano."""

from piano_actions import pressed, slowly

__all__ = ["pressed", "slowly"]

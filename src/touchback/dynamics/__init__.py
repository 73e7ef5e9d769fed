"""Mechanics, written once, over any scalar."""

from touchback.dynamics.instant import Coordinates, Instant

__all__ = ["Coordinates", "Instant"]

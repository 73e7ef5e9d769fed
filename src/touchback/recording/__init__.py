"""Runs: what was computed or measured, with everything needed to understand and repeat it."""

from touchback.recording.books import EnergyBooks
from touchback.recording.compare import Comparison, Difference, compare
from touchback.recording.events import EventRecord
from touchback.recording.files import open_run, save_run
from touchback.recording.names import unknown_name
from touchback.recording.run import Run

__all__ = [
    "Comparison",
    "Difference",
    "EnergyBooks",
    "EventRecord",
    "Run",
    "compare",
    "open_run",
    "save_run",
    "unknown_name",
]

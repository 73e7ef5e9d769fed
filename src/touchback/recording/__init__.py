"""Runs: what was computed or measured, with everything needed to understand and repeat it."""

from touchback.names import unknown_name
from touchback.recording.compare import Comparison, Difference, compare
from touchback.recording.run import Run
from touchback.recording.run_files import open_run, save_run
from touchback.recording.run_records import EnergyBalance, EventRecord

__all__ = [
    "Comparison",
    "Difference",
    "EnergyBalance",
    "EventRecord",
    "Run",
    "compare",
    "open_run",
    "save_run",
    "unknown_name",
]

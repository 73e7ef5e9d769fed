"""Runs: what was computed or measured, with everything needed to understand and repeat it."""

from touchback.names import unknown_name
from touchback.recording.compare import Comparison, Difference, compare
from touchback.recording.live_recording import (
    Part as Part,
    Recorder as Recorder,
    Recording as Recording,
    latest as latest,
    open_recording as open_recording,
    place_at as place_at,
)
from touchback.recording.live_recording_metadata import (
    HEAD_UNITS as HEAD_UNITS,
    CarriedData as CarriedData,
    FaultData as FaultData,
    LiveAbout as LiveAbout,
    PlaceData as PlaceData,
    StartData as StartData,
    columns_of as columns_of,
    memory_of as memory_of,
    text_of as text_of,
)
from touchback.recording.measured.measured_run import reader_of as reader_of
from touchback.recording.measured.measured_series import (
    NS as NS,
    FileChannel as FileChannel,
    Series as Series,
)
from touchback.recording.parquet_run_file import write_table as write_table
from touchback.recording.run import Run
from touchback.recording.run_formats import (
    FORMATS as FORMATS,
    open_run,
    run_of_recording as run_of_recording,
    save_mdf as save_mdf,
    save_run,
)
from touchback.recording.run_records import (
    EnergyBalance,
    EventRecord,
    TransitionRecord as TransitionRecord,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "recording_export",
    "repair_recording",
    "ros2.ros2_messages",
    "ros2.ros2_types",
)

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

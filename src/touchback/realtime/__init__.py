"""Live runs against a clock: ports, deadlines, watchdog, live parameters, recordings."""

from touchback.realtime.fork import Fork, fork
from touchback.realtime.live import Live, live
from touchback.realtime.live_replay import Replay, replay
from touchback.realtime.live_report import Report
from touchback.realtime.model_swap import Swapped
from touchback.realtime.port_guards import EnergyObserver, GuardedOutput, WatchedInput
from touchback.realtime.shared_memory import SharedPorts, attach
from touchback.realtime.taps import Tap
from touchback.realtime.tick_recorder import ActiveRecording
from touchback.realtime.udp import Receiver, Sender
from touchback.recording.live_file import Recording, open_recording

__all__ = [
    "ActiveRecording",
    "EnergyObserver",
    "Fork",
    "GuardedOutput",
    "Live",
    "Receiver",
    "Recording",
    "Replay",
    "Report",
    "Sender",
    "SharedPorts",
    "Swapped",
    "Tap",
    "WatchedInput",
    "attach",
    "fork",
    "live",
    "open_recording",
    "replay",
]

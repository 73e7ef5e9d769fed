"""Live runs against a clock: ports, deadlines, watchdog, live parameters, recordings."""

from touchback.realtime.energy import EnergyObserver
from touchback.realtime.fork import Fork, fork
from touchback.realtime.live import Live, live
from touchback.realtime.ports import GuardedOutput, WatchedInput
from touchback.realtime.region import Region, attach
from touchback.realtime.replay import Replay, replay
from touchback.realtime.report import Report
from touchback.realtime.swap import Swapped
from touchback.realtime.take import Take
from touchback.realtime.taps import Tap
from touchback.realtime.udp import Receiver, Sender
from touchback.recording.live_file import Recording, open_recording

__all__ = [
    "EnergyObserver",
    "Fork",
    "GuardedOutput",
    "Live",
    "Receiver",
    "Recording",
    "Region",
    "Replay",
    "Report",
    "Sender",
    "Swapped",
    "Take",
    "Tap",
    "WatchedInput",
    "attach",
    "fork",
    "live",
    "open_recording",
    "replay",
]

"""Live runs against a clock: ports, deadlines, watchdog, live parameters, recordings."""

from touchback.realtime.device_io import (
    Device as Device,
    DevicePort as DevicePort,
    DeviceService as DeviceService,
    PortService as PortService,
    ServingDevice as ServingDevice,
)
from touchback.realtime.fault_log import words as words
from touchback.realtime.latency_attribution import duration as duration, lower_edges as lower_edges
from touchback.realtime.live import Live, choices as choices, live
from touchback.realtime.live_replay import Replay, replay, system_in as system_in
from touchback.realtime.live_report import Report, flag_names as flag_names
from touchback.realtime.live_spec import own_thread as own_thread, read_rate as read_rate
from touchback.realtime.model_swap import SwapReport, refuse_open_loops as refuse_open_loops
from touchback.realtime.port_guards import EnergyObserver, GuardedOutput, WatchedInput
from touchback.realtime.recording_fork import Fork, fork
from touchback.realtime.shared_memory import SharedPorts, attach
from touchback.realtime.shutdown import signals_as_ctrl_c as signals_as_ctrl_c
from touchback.realtime.structure_mapping import (
    Structure as Structure,
    follow as follow,
    joints_of as joints_of,
)
from touchback.realtime.tick_recorder import ActiveRecording
from touchback.realtime.tick_taps import Tap
from touchback.realtime.udp_signals import Receiver, Sender
from touchback.recording import Recording, open_recording

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "control",
    "control.command_server",
    "control.control_messages",
    "control.permissions",
    "latency_benchmark",
    "recording_fork",
)

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
    "SwapReport",
    "Tap",
    "WatchedInput",
    "attach",
    "fork",
    "live",
    "open_recording",
    "replay",
]

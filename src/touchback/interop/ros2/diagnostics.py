"""How a run is, as tools of ROS 2 read it: at once where that changes, and once a second."""

from __future__ import annotations

import time

from touchback.interop.ros2.transport import Publish
from touchback.native.live.layout import LATCHED, OF_THE_STATE, STALE
from touchback.realtime import Live
from touchback.realtime.report import flag_names
from touchback.recording.ros2.messages import header_of
from touchback.recording.ros2.types import DIAGNOSTICS, encode, make

_OK, _WARN, _ERROR = range(3)
_EVERY = 1.0  # s


class Diagnostics:
    """Of a node's run. A model that is held tells why, and how it goes on."""

    def __init__(self, node: str, live: Live, publish: Publish) -> None:
        self._node, self._live, self._publish = node, live, publish
        self._last, self._told = -1, 0.0

    def see(self, flags: int, seconds: float) -> None:
        """Those of the last tick, and the model's time."""
        flags &= LATCHED | STALE
        now = time.monotonic()
        if flags == self._last and now < self._told + _EVERY:
            return
        self._last, self._told = flags, now
        level = _ERROR if flags & LATCHED else _WARN if flags else _OK
        latest = make("diagnostic_msgs/msg/KeyValue", "latest fault", self._live.latest_fault)
        status = make(
            "diagnostic_msgs/msg/DiagnosticStatus", level, f"{self._node}: run",
            self._words(flags), self._live.system.name, [latest],
        )  # fmt: skip
        self._publish(encode(DIAGNOSTICS, make(DIAGNOSTICS, header_of(seconds), [status])))

    def _words(self, flags: int) -> str:
        said = ", ".join(flag_names(flags)) or self._live.state
        if flags & OF_THE_STATE:
            said += (
                f": the model is held at its last good state; call /{self._node}/reset, which puts "
                "it back to its start and lets it go on"
            )
        return said

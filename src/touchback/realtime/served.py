"""Ports of a live run that a device serves by itself, beside the ticks and without Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from touchback.native.live.mailbox import Mailbox
from touchback.realtime.ports import WatchedInput
from touchback.realtime.region import HEAD, PUBLISHED

if TYPE_CHECKING:
    from touchback.realtime.signals import Signals


class ServedPort:
    """An input, whose mailbox the device writes, or an output, at a place of what is published."""

    def __init__(self, run: Signals, name: str, is_input: bool) -> None:
        self.run, self.name, self.is_input = run, name, is_input
        watched = run.plan.inputs.get(name, WatchedInput()) if is_input else WatchedInput()
        self.low, self.high = watched.low, watched.high

    def mailbox(self) -> Mailbox:
        """The input's own, or the one in which the run publishes."""
        region = self.run._region
        region.refresh()
        return region.mailboxes[self.name if self.is_input else PUBLISHED]

    def place(self) -> int | None:
        """Of an output in what is published; None when the structure doesn't have it."""
        names = list(self.run.system.output_names)
        return len(HEAD) + names.index(self.name) if self.name in names else None

    def word(self) -> tuple[int, int]:
        """The address and the present value of the word for which places hold."""
        region = self.run._region
        return region.word_address, region.refresh()

    def period(self) -> int:
        """Nanoseconds between two publications, about."""
        speed = self.run.plan.speed
        rate = self.run.plan.rate * (speed if speed and math.isfinite(speed) else 1.0)
        return round(1e9 / rate)

    def note(self, text: str) -> None:
        """A fault of the run in words."""
        self.run.note(text)


class Serving(Protocol):
    """What serves a port until the run ends."""

    def close(self) -> None:
        """Ends it; the last word of the run is on its way."""

    def abandon(self) -> None:
        """Lets go of it in a child process."""

    def follow(self) -> None:
        """The run has another structure."""


@runtime_checkable
class ServingDevice(Protocol):
    """A device that serves ports of a live run from a thread of its own."""

    def serve(self, port: ServedPort) -> Serving: ...

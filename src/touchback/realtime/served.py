"""Ports of a live run that a device serves by itself, beside the ticks and without Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
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
        """The input's own, though the structure may not have it at present, or the one in which
        the run publishes."""
        return self.run._region.mailbox(self.name if self.is_input else PUBLISHED)

    def place(self) -> int | None:
        """Of an output in what is published; None when the structure doesn't have it."""
        names = list(self.run.system.output_names)
        return len(HEAD) + names.index(self.name) if self.name in names else None

    def word(self) -> tuple[int, int]:
        """The address and the present value of the word for which places hold."""
        region = self.run._region
        return region.word_address, region.refresh()

    def take_with(self, leader: ServedPort | None) -> None:
        """Lets ticks take this input's messages together with those of another, its leader, or not
        at all; alone without one."""
        names, ports = list(self.run.system.input_names), self.run._loop.ports
        if self.name in names and (leader is None or leader.name in names):
            group = 0 if leader is None else 1 + names.index(leader.name)
            ports[names.index(self.name)].group = group

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


@dataclass(frozen=True)
class Served:
    """A served port, as what a run ends, by what its device does for it."""

    end: Callable[[], None]
    forget: Callable[[], None]
    rebind: Callable[[], None]

    def close(self) -> None:
        """Serves it no more."""
        self.end()

    def abandon(self) -> None:
        """A child process has no thread that serves."""
        self.forget()

    def follow(self) -> None:
        """The run has another structure."""
        self.rebind()


@runtime_checkable
class ServingDevice(Protocol):
    """A device that serves ports of a live run from a thread of its own."""

    def serve(self, port: ServedPort) -> Serving: ...

"""Faults by name: each is injected into a live run, and says whether it was handled.

Handled means: what the run promises was seen at its ports within a second: the fault by its name
and safe outputs, or a refusal, or the change; and then the run goes on without a fault.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import mechanism
from check import SAFE

import touchback as tb
from touchback.realtime import Receiver, Sender

PATIENCE = 5.0  # s: a busy machine may hold the supervisor up; the ticks don't wait for it


class Devices:
    """The process that starts devices."""

    def __enter__(self) -> Self:
        self._host = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("device.py"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LD_PRELOAD": ""},
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        self._host.communicate()  # nothing more to start; its devices follow it

    def start(self, share: str, port: int) -> int:
        """Another device; the number of its process."""
        assert self._host.stdin is not None and self._host.stdout is not None
        print(share, port, file=self._host.stdin, flush=True)
        return int(self._host.stdout.readline())


@dataclass
class Rig:
    """A live run, its device, and what is needed to disturb them."""

    live: tb.Live
    receiver: Receiver
    share: str
    devices: Devices
    chance: random.Random
    models: dict[str, tb.System]
    device: int = field(init=False)  # its process

    def __enter__(self) -> Self:
        self.start_device()
        return self

    def __exit__(self, *_: object) -> None:
        self.signal_device(signal.SIGKILL)

    def start_device(self) -> None:
        self.device = self.devices.start(self.share, self.receiver.address[1])

    def signal_device(self, number: int) -> None:
        os.kill(self.device, number)

    def until(self, done: Callable[[], bool]) -> bool:
        """Whether it comes true in time."""
        end = time.monotonic() + PATIENCE
        while not done():
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def shows(self, fault: str) -> bool:
        """Whether a fault shows, with the felt force at its safe value."""
        return self.until(lambda: fault in self.live.faults and self.felt == SAFE)

    @property
    def felt(self) -> float:
        return self.live.read("felt force")

    def recovers(self) -> bool:
        """Whether the run is well again; faults that last need the command, more than once when
        what caused them is still on its way."""

        def well() -> bool:
            if not self.live.faults:
                return True
            self.live.resume()
            time.sleep(0.01)
            return False

        return self.until(well)


def stale_input(rig: Rig) -> bool:
    """The device falls silent, and speaks again."""
    rig.signal_device(signal.SIGSTOP)
    seen = rig.shows("stale input")
    rig.signal_device(signal.SIGCONT)
    return seen and rig.recovers()


def device_loss(rig: Rig) -> bool:
    """The device dies, and another takes its place."""
    rig.signal_device(signal.SIGKILL)
    seen = rig.shows("stale input")
    rig.start_device()
    return seen and rig.recovers()


def spike(rig: Rig) -> bool:
    """A torque far beyond its range, which the port refuses."""
    before = rig.receiver.counts["refused"]
    sender = Sender(*rig.receiver.address)
    sender.send("motor torque", rig.chance.choice([1e12, -1e12, float("inf"), float("nan")]))
    seen = rig.until(lambda: rig.receiver.counts["refused"] > before)
    sender.close()
    return seen and rig.recovers()


def output_limit(rig: Rig) -> bool:
    """A display gain that takes the felt force beyond its limit."""
    rig.live.set_gain("felt force", 1e6)
    seen = rig.shows("beyond limit")
    rig.live.set_gain("felt force", 1.0)
    return seen and rig.recovers()


def bad_number(rig: Rig) -> bool:
    """A torque within its range whose root is NaN; sent until it is met between the device's."""

    def sent() -> bool:
        rig.live["motor torque"] = -0.5
        return "not finite" in rig.live.faults

    return rig.until(sent) and rig.shows("not finite") and rig.recovers()


def active_wall(rig: Rig) -> bool:
    """A wall that pushes more than it took, until its energy is spent."""
    rig.live["wall damping"] = -40.0
    seen = rig.shows("not passive")
    rig.live["wall damping"] = 1.0
    return seen and rig.recovers()


def emergency_stop(rig: Rig) -> bool:
    """A stop from Python, shared memory or UDP."""
    if rig.chance.random() < 0.5:
        rig.live.emergency_stop()
    else:
        sender = Sender(*rig.receiver.address)
        sender.send("emergency stop", 1.0)
        sender.close()
    return rig.shows("stopped") and rig.recovers()


def parameter_storm(rig: Rig) -> bool:
    """Fifty changes as fast as they go, some of them impossible."""
    refused = 0
    for _ in range(50):
        radius = rig.chance.uniform(0.04, 0.16)
        try:
            rig.live["crank radius"] = radius
        except tb.InputError:
            refused += 1
            continue
        if not 0.05 <= radius <= 0.15:
            return False
    rig.live["crank radius"] = 0.1
    return rig.recovers()


def step_size(rig: Rig) -> bool:
    """Other substeps, and the other controller."""
    rig.live.set_substeps(rig.chance.randint(1, 3))
    rig.live.choose("drive", rig.chance.choice(["drive", "brake"]))
    return rig.recovers()


def mode_change(rig: Rig) -> bool:
    """The tail is latched where the model has one that moves, or let go."""
    rows = getattr(rig.live.system, "active", ())
    if "latch" not in rig.live.system.model.constraints:
        return structural_swap(rig)
    latched = "latch" in rows
    word = "deactivate" if latched else "activate"
    change = rig.live.switch(**{word: ["latch"]})
    return change.state == "taken" and rig.recovers()


def structural_swap(rig: Rig) -> bool:
    """Another kind of tail, or none."""
    name = rig.chance.choice(list(rig.models))
    change = rig.live.swap(mechanism.model(name) if rig.chance.random() < 0.3 else rig.models[name])
    return change.state == "taken" and rig.recovers()


def impossible_swap(rig: Rig) -> bool:
    """A structure that doesn't have the guarded output, which is refused."""
    bad = mechanism.model("gone")
    del bad.sensors["felt force"]
    ticks = rig.live.ticks
    try:
        rig.live.swap(bad)
    except tb.TouchbackError:
        return rig.until(lambda: rig.live.ticks > ticks) and rig.recovers()
    return False


FAULTS: dict[str, Callable[[Rig], bool]] = {
    each.__name__.replace("_", " "): each
    for each in (
        stale_input, device_loss, spike, output_limit, bad_number, active_wall, emergency_stop,
        parameter_storm, step_size, mode_change, structural_swap, impossible_swap,
    )
}  # fmt: skip

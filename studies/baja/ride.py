"""The ride of Wang's experiment: front wheels set in motion by icons, and a torque at the 10th
second."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback import gallery
from touchback.errors import TouchbackError
from touchback.gallery.mini_baja import FRONT
from touchback.realtime.control import CommandServer
from touchback.realtime.live_report import Report
from touchback.recording import Run
from touchback.workbench.manipulate import Manipulators

RATE = 1000.0
SPEED, RAMP = 18.0, 3.0  # rad/s of the front wheels, and the seconds of their motion's ramp
_SETTLING = 0.6  # s, until wheels that rolled a little before they were held stand still
WHERE, TORQUE = "rear left wheel", -40.0  # N m about the world's y


@dataclass(frozen=True)
class Ride:
    """Recorded rows, and when things began [s]: a tick's input acts from the tick before on."""

    run: Run
    report: Report
    tick: int
    moved: dict[str, float]

    @property
    def began(self) -> float:
        """When the first front wheel began to move [s]."""
        return min(self.moved.values())

    def at(self, time: float) -> dict[str, float]:
        """All numbers of a tick by their names."""
        row = round(time * RATE) - 1
        return {name: float(values[row]) for name, values in self.run.signals.items()}

    @property
    def added(self) -> float:
        """When the torque began to act."""
        return (self.tick - 1) / RATE

    def driving_torque(self, wheel: str) -> np.ndarray:
        """What the motion of a front wheel takes [N m]."""
        return np.asarray(self.run[_motion(wheel) + " effort"])


def _motion(wheel: str) -> str:
    return f"{wheel} motion"


def ride(seconds: float = 20.0, event: float = 10.0, clock: bool = False) -> Ride:
    """Through the desk of a live run, as a page would: motions on both front wheels first, and
    after `event` seconds a torque icon on a rear wheel."""
    system = gallery.make("mini-baja").compile()
    speed = 1.0 if clock else None
    with tb.live(system, rate=RATE, method="rk4", speed=speed, record=True) as live:
        desk = CommandServer(live)
        Manipulators(desk)

        def put(**icon: object) -> None:
            answer = desk.handle(json.dumps({"do": "icon", **icon}), "study")
            if not answer.ok:
                raise TouchbackError(answer.error)

        for wheel in FRONT:
            put(name=_motion(wheel), kind="motion", on=f"{wheel} spin", value=0.0)
            live.run(1.0 / RATE)
        live.run(_SETTLING)
        for wheel in FRONT:
            live[f"{_motion(wheel)} ramp"] = RAMP
        live.run(1.0 / RATE)
        for wheel in FRONT:
            put(name=_motion(wheel), kind="motion", on=f"{wheel} spin", value=SPEED)
        live.run(event - live.ticks / RATE)
        put(name="added torque", kind="torque", on=WHERE, value=[0.0, TORQUE, 0.0])
        live.run(seconds - live.ticks / RATE)
    run = live.recorded()
    moved = {wheel: (_first(run, f"{_motion(wheel)} command") - 1) / RATE for wheel in FRONT}
    return Ride(run, live.report(), _first(run, "added torque y"), moved)


def _first(run: Run, name: str) -> int:
    """The tick that first had a number of an input other than zero; rows before it was there have
    none."""
    row = np.flatnonzero(np.nan_to_num(run[name]))[0]
    return round(float(run.time[row]) * RATE)

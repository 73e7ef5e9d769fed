"""Walls on the simulated key itself: how stiff each may be before a finger's strokes get energy.

The battery's handle weighs 0.3 kg and is held; the bare key weighs 22 g and is struck, so that it
flies to the wall and back to the finger."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

import touchback as tb
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_model import touchback_key
from touchback.instruments.keyboard.keyboard_player import KEYBOARD_METHOD, STEPS
from touchback.realtime.live import choices
from touchback.system import System

_PRESSES = (0.25,), (7e-3, 9e-3, 14e-3, 25e-3), (0.06, 0.2)  # s to press, m, s to leave
_BLOWS = (0.035, 0.05, 0.12), (9e-3, 14e-3, 25e-3, 40e-3), (0.1,)
STROKES = {
    kind: [Stroke(0.01, 60, press, depth, 0.1, leave) for press, depth, leave in product(*sizes)]
    for kind, sizes in (("presses", _PRESSES), ("blows", _BLOWS))
}
LADDER = tuple(500.0 * 1.2**i for i in range(28))  # N/m, up to 69 kN/m
_NOTHING = 1e-3  # of what passes: what the trapezoidal rule errs by
#: A wall and what it is told.
TOLD = (
    ("wall", "observer"),  # the standard one
    ("half-sample", "differences"),
    ("half-sample", "observer"),
    ("half-sample", "counting"),
    ("deadbeat", "observer"),
    ("deadbeat-throughout", "observer"),
    ("deadbeat-throughout", "counting"),
    ("balanced", "observer"),
    ("balanced", "counting"),
)


@dataclass(frozen=True)
class Borne:
    """The stiffness [N/m] up to which a wall, told so, gave nothing at a rate [Hz]."""

    rate: float
    wall: str
    sense: str
    by: dict[str, float]
    """Of each kind of stroke."""


def borne(rate: float) -> Iterator[Borne]:
    """Every wall at a rate."""
    key = touchback_key("walls", rate=rate).compile()
    for wall, sense in TOLD:
        yield Borne(
            rate, wall, sense,
            {kind: _stiffest(key, rate, wall, sense, strokes) for kind, strokes in STROKES.items()},
        )  # fmt: skip


def _stiffest(key: System, rate: float, wall: str, sense: str, strokes: list[Stroke]) -> float:
    reached = 0.0
    for stiffness in LADDER:
        if any(given(key, rate, wall, sense, stiffness, each) > _NOTHING for each in strokes):
            break
        reached = stiffness
    return reached


def given(
    key: System, rate: float, wall: str, sense: str, stiffness: float, stroke: Stroke
) -> float:
    """The most that the key has ever given back beyond what it got, over the most that it got."""
    walls, senses = (choices(key)[name] for name in ("wall", "wall sense"))
    run = tb.simulate(
        key, duration=stroke.press + stroke.stay + stroke.leave + 0.1, rate=rate, step=1.0 / STEPS,
        method=KEYBOARD_METHOD, output_step=1.0 / STEPS, inputs=stroke.inputs, progress=False,
        parameters={
            "wall stiffness": stiffness, "wall choice": walls.index(wall),
            "wall sense choice": senses.index(sense),
        },
    )  # fmt: skip
    force, depth = run["finger force"], run["key"] * FRONT
    work = np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(depth))
    return float(-work.min() / work.max())

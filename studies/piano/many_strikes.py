"""Actions that many gestures strike at once: how fast their hammers meet the string."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from touchback.batch.batch_run import BatchRun
from touchback.errors import InputError
from touchback.instruments.piano import PressedTouch, grand_piano_action
from touchback.instruments.piano.stroke_analysis import METER, SETTLE, add_strike_meter
from touchback.simulate import simulate
from touchback.system import System

STEP = 50e-6  # s; strikes are looked for at each
DURATION = 0.3  # s, in which the softest of these touches reaches the string
SPEED, SPREAD = 0.4, 0.6  # of the finger: median [m/s], and deviation of its logarithm
SLOWEST, FASTEST = 0.1, 3.0  # m/s
LAG_SPREAD, GIVE_SPREAD = 0.2, 0.3  # of the logarithms
BINS = np.round(np.arange(0.0, 5.01, 0.05), 2)  # m/s, of a histogram
OPTIONS: dict[str, Any] = {"step": STEP, "rate": 1.0 / STEP, "progress": False, "method": "rk4"}

Floats = np.ndarray
Gestures = dict[str, Floats]


def gestures(count: int, seed: int = 1) -> Gestures:
    """Parameters of touches that press the key: speeds from pianissimo to fortissimo, each taken up
    with a lag and a give of its own."""
    draw, usual = np.random.default_rng(seed), PressedTouch()
    speed = SPEED * np.exp(SPREAD * draw.normal(size=count))
    return {
        "touch speed": np.clip(speed, SLOWEST, FASTEST),
        "lag": usual.lag * np.exp(LAG_SPREAD * draw.normal(size=count)),
        "give": usual.give * np.exp(GIVE_SPREAD * draw.normal(size=count)),
    }


@dataclass(frozen=True)
class Strikes:
    """Speeds at the string [m/s], 0 where the hammer didn't reach it, what computed them, and how
    long that took [s]."""

    speeds: Floats
    run: BatchRun
    seconds: float


class Laboratory:
    """An action with a meter at the string, and where it rests."""

    def __init__(self) -> None:
        model = grand_piano_action("motion", PressedTouch(), reported=("string",))
        add_strike_meter(model)
        self.system: System = model.compile()
        settled = simulate(self.system, duration=SETTLE, start=-SETTLE, **OPTIONS)
        self.rest = np.array([settled[name][-1] for name in self.system.state_names])
        if self.rest[self.system.state_names.index(METER)] != 0.0:
            raise InputError("The resting hammer touches the string.")

    def strike(self, given: Gestures, on: str = "gpu", duration: float = DURATION) -> Strikes:
        """One action for each gesture, all at once."""
        batch = self.system.batch(len(given["touch speed"]))
        began = perf_counter()
        run = batch.run(
            self.rest[None], duration, parameters=given, output_step=duration, record=(), on=on,
            **OPTIONS,
        )  # fmt: skip
        return Strikes(run.last(METER), run, perf_counter() - began)

    def single(self, given: Gestures, i: int, duration: float = DURATION) -> float:
        """The speed of one of them, by a run of its own [m/s]."""
        parameters = {name: float(each[i]) for name, each in given.items()}
        run = simulate(
            self.system, self.rest, duration, parameters=parameters, output_step=duration, **OPTIONS
        )
        return float(run[METER][-1])

"""The two models of the action side by side: felts everywhere, and rigid contacts in modes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from studies.piano.gestures import DURATION, Laboratory, gesture
from studies.piano.gestures_with_modes import (
    METHOD,
    STEP,
    LaboratoryWithModes,
)
from studies.piano.stages import gillespie, stages
from touchback.instruments.piano.action_specification import Cloth, Specification
from touchback.instruments.piano.finger_motions import ConstantSpeedTouch, PressedTouch
from touchback.instruments.piano.piano_action import Touch
from touchback.instruments.piano.piano_action_modes import (
    piano_action_with_modes,
    regulate_for_modes,
)
from touchback.instruments.piano.stroke_analysis import (
    ForceCurve,
    MeasuredStroke,
    force_curve,
    play,
    stroke_of,
)
from touchback.model import Model
from touchback.recording import Run
from touchback.simulate import simulate

Make = Callable[[str, Touch | None, Specification | None], Model]
TICK = 250e-6  # 4 kHz
SHORT = 0.01  # of a gesture [s], to tell the cost of a run's beginning from that of its ticks
FRICTIONLESS = {"knuckle friction": 0.0, "capstan friction": 0.0}


# ---- Gillespie's stroke --------------------------------------------------------------------------


def gillespie_in_modes() -> Run:
    """The model with modes under his ramp, as `stages.gillespie` has it."""
    return gillespie(model=piano_action_with_modes)[0]


@dataclass(frozen=True)
class Moment:
    """Something that happens in a stroke, why, and when [s]: in Gillespie's simulation, in the
    model with modes and in the full-contact model."""

    name: str
    cause: str
    gillespie: str
    modes: float
    full: float


def moments(run: Run) -> list[Moment]:
    """His stroke in both models, in the full-contact model's order; `run` is that of
    `gillespie_in_modes`."""
    ours = {found.name: found.time for found in stages(run)}
    ours["acceleration"] = float(run.time[(run.time > 0.0) & (run["key depth"] > 1e-5)][0])
    ours["let-off"] = next(
        each.time for each in run.transitions if each.time > 0 and "toe meets" in each.cause
    )
    return [
        Moment(each.name, each.cause, each.gillespie, ours.get(each.name, float("nan")), each.time)
        for each in gillespie()[1]
    ]


# ---- strokes and curves --------------------------------------------------------------------------


def strokes(make: Make, speeds: np.ndarray) -> list[MeasuredStroke | None]:
    """Strokes of touches with some speeds [m/s]; None where the hammer doesn't reach the string."""
    system = make("motion", PressedTouch(), None).compile()
    return [
        stroke_of(play(system, 0.1 + 0.012 / speed, {"touch speed": float(speed)}))
        for speed in speeds
    ]


def curve(
    make: Make,
    parameters: Mapping[str, float] | None = None,
    specification: Specification | None = None,
) -> ForceCurve:
    """The force over the depth at 10 mm/s."""
    return force_curve(make("motion", ConstantSpeedTouch(), specification).compile(), parameters)


def nearly_rigid(factor: float) -> Specification:
    """The full-contact model's specification with felts so many times harder where the modes
    model is rigid: as the factor grows, what felt does goes away."""
    spec = regulate_for_modes(Specification())

    def harder(cloth: Cloth) -> Cloth:
        return replace(cloth, force=factor * cloth.force)

    f = spec.felts
    felts = replace(
        f, capstan=harder(f.capstan), jack=harder(f.jack), button=harder(f.button),
        jack_stop=harder(f.jack_stop),
    )  # fmt: skip
    return replace(spec, felts=felts)


# ---- cost ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """What a tick of 250 µs costs [s], the least over gestures that both models played in turn, and
    how many changes of mode a gesture had."""

    modes: float
    full: float
    changes: float

    @property
    def ratio(self) -> float:
        """Modes over full contact."""
        return self.modes / self.full


def cost(seeds: range = range(12), step: float = STEP) -> Cost:
    """The cost of both models in the same gestures, in turn; the full-contact model takes four
    semi-implicit steps to a tick."""
    ours, theirs = LaboratoryWithModes(), Laboratory()
    spent: dict[str, list[float]] = {"modes": [], "full": []}
    changes = 0
    for seed in seeds:
        for name, laboratory, method, length in (
            ("modes", ours, METHOD, step), ("full", theirs, "euler", TICK / 4),
        ):  # fmt: skip
            start, _ = _timed(laboratory, seed, method, length, SHORT)
            whole, run = _timed(laboratory, seed, method, length, DURATION)
            spent[name].append((whole - start) * TICK / (DURATION - SHORT))
            changes += len(run.transitions)
    return Cost(min(spent["modes"]), min(spent["full"]), changes / len(seeds))


def _timed(
    laboratory: Laboratory, seed: int, method: str, step: float, duration: float
) -> tuple[float, Run]:
    """Seconds of processor time that the beginning of a gesture takes, and its run."""
    inputs, parameters = gesture(seed)
    begin = time.thread_time()
    run = simulate(
        laboratory.system, laboratory.rest, duration, method=method, step=step, output_step=0.01,
        inputs=inputs, parameters=parameters, progress=False,
    )  # fmt: skip
    return time.thread_time() - begin, run

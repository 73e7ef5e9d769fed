"""The two models of the action side by side: felts everywhere, and rigid contacts in phases."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from touchback.gallery.piano.driving import Touch
from touchback.gallery.piano.episodes import episodic_piano_action, regulated
from touchback.gallery.piano.experiments.episodes_gestures import METHOD, STEP, EpisodesLaboratory
from touchback.gallery.piano.experiments.force_curve import ForceCurve, force_curve
from touchback.gallery.piano.experiments.gestures import DURATION, Laboratory, gesture
from touchback.gallery.piano.experiments.phases import (
    BEGIN,
    COUPLER,
    END,
    FAR,
    gillespie,
    phases,
)
from touchback.gallery.piano.experiments.strokes import SETTLE, Stroke, play, stroke_of
from touchback.gallery.piano.parameters import Cloth, Specification
from touchback.gallery.piano.touch import Pressed, Straight
from touchback.model import Model
from touchback.recording import Run
from touchback.simulate import simulate

Make = Callable[[str, Touch | None, Specification | None], Model]
TICK = 250e-6  # 4 kHz
SHORT = 0.01  # of a gesture [s], to tell the cost of a run's beginning from that of its ticks
FRICTIONLESS = {"knuckle friction": 0.0, "capstan friction": 0.0}


# ---- Gillespie's stroke --------------------------------------------------------------------------


def gillespie_in_phases() -> Run:
    """The episodes model under his ramp, as `experiments.phases.gillespie` has it."""
    corner, speed = 1e-6, FAR / (END - BEGIN)
    times = [-SETTLE, BEGIN, BEGIN + corner, END, END + corner, END + 1.0]
    inputs = {
        "finger depth": (times, [0.0, 0.0, speed * corner, FAR, FAR, FAR]),
        "finger speed": (times, [0.0, 0.0, speed, speed, 0.0, 0.0]),
    }
    return simulate(
        episodic_piano_action("finger").compile(), duration=SETTLE + 0.6, start=-SETTLE,
        rtol=1e-6, atol=1e-9, output_step=1e-4, inputs=inputs, parameters=COUPLER, progress=False,
    )  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """Something that happens in a stroke, why, and when [s]: in Gillespie's simulation, in the
    episodes model and in the full-contact model."""

    name: str
    cause: str
    gillespie: str
    episodes: float
    full: float


def moments(run: Run) -> list[Moment]:
    """His stroke in both models, in the full-contact model's order; `run` is that of
    `gillespie_in_phases`."""
    ours = {found.name: found.time for found in phases(run)}
    ours["acceleration"] = float(run.time[(run.time > 0.0) & (run["key depth"] > 1e-5)][0])
    ours["let-off"] = next(
        each.time for each in run.transitions if each.time > 0 and "toe meets" in each.cause
    )
    return [
        Moment(each.name, each.cause, each.gillespie, ours.get(each.name, float("nan")), each.time)
        for each in gillespie()[1]
    ]


# ---- strokes and curves --------------------------------------------------------------------------


def strokes(make: Make, speeds: np.ndarray) -> list[Stroke | None]:
    """Strokes of touches with some speeds [m/s]; None where the hammer doesn't reach the string."""
    system = make("motion", Pressed(), None).compile()
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
    return force_curve(make("motion", Straight(), specification).compile(), parameters)


def nearly_rigid(factor: float) -> Specification:
    """The full-contact model's specification with felts so many times harder where the episodes
    model is rigid: as the factor grows, what felt does goes away."""
    spec = regulated(Specification())

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
    how many changes of phase a gesture had."""

    episodes: float
    full: float
    changes: float

    @property
    def ratio(self) -> float:
        """Episodes over full contact."""
        return self.episodes / self.full


def cost(seeds: range = range(12), step: float = STEP) -> Cost:
    """The cost of both models in the same gestures, in turn; the full-contact model takes four
    semi-implicit steps to a tick."""
    ours, theirs = EpisodesLaboratory(), Laboratory()
    spent: dict[str, list[float]] = {"episodes": [], "full": []}
    changes = 0
    for seed in seeds:
        for name, laboratory, method, length in (
            ("episodes", ours, METHOD, step), ("full", theirs, "euler", TICK / 4),
        ):  # fmt: skip
            start, _ = _timed(laboratory, seed, method, length, SHORT)
            whole, run = _timed(laboratory, seed, method, length, DURATION)
            spent[name].append((whole - start) * TICK / (DURATION - SHORT))
            changes += len(run.transitions)
    return Cost(min(spent["episodes"]), min(spent["full"]), changes / len(seeds))


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

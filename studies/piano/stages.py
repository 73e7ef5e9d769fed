"""The stages of a stroke, in order and with their causes, beside Gillespie's (1996, §3.6.3).

Nothing scripts them: each is read off what touches. The key is driven as his: through a spring and
damper (k₁, b₁ of his table 3.4) by a manipulandum whose ramp lasts from 0.10 to 0.18 s. His ramp of
0.028 rad was about 6 mm at the key front; it is scaled here, so that the key goes down to its bed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from touchback.instruments.piano.action_specification import Specification, find_placements
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import SETTLE, TOUCHES, crossing
from touchback.model import Model
from touchback.recording import Run
from touchback.simulate import simulate

GRAVITY = 9.81
COUPLER = {"finger stiffness": 200.0, "finger damping": 0.82}  # k₁ [N/m], b₁ [N s/m]
BEGIN, END = 0.10, 0.18  # of the ramp [s]
FAR = 17.5e-3  # where it ends [m]: 1.6 N with the key at its bed, of which the action takes 1.4 N


@dataclass(frozen=True)
class Stage:
    """Something that happened: when [s], why, and when in Gillespie's simulation [s]."""

    name: str
    time: float
    cause: str
    gillespie: str = ""


def stages(run: Run) -> list[Stage]:
    """What happened in a run, in the order of time; what did not happen is not in the list."""
    t = run.time
    strike = crossing(t, run["string gap"])
    end = strike if strike is not None else float(t[-1])
    push = np.where((t > 0) & (t < end), np.maximum(run["jack force"], run["lever force"]), 0.0)
    release = _last(t, push) if strike is not None else np.nan
    after = t > end
    found = [
        Stage("acceleration", _first(t, run["key depth"] > 1e-5), "the key lifts the whippen",
              "0.10"),
        Stage("let-off", crossing(t, run["button gap"]) or np.nan,
              "the jack's toe meets the button", "0.1334 (text) or 0.1445 (indicator)"),
        Stage("slipped", crossing(t, run["jack overlap"]) or np.nan,
              "the jack's edge passes the middle of the knuckle", "0.181"),
        Stage("flight", release, "neither jack nor lever pushes the hammer", "0.181"),
        Stage("strike", strike if strike is not None else np.nan, "the crown meets the string",
              "about 0.20"),
        Stage("caught by the lever", _first(t, after & (run["lever force"] > TOUCHES)),
              "the knuckle falls on the repetition lever", "after 0.20"),
        Stage("caught by the check", _first(t, after & (run["check force"] > TOUCHES)),
              "the tail meets the backcheck", "not in his model"),
    ]  # fmt: skip
    return sorted((stage for stage in found if np.isfinite(stage.time)), key=lambda p: p.time)


def _first(t: np.ndarray, condition: np.ndarray) -> float:
    return float(t[int(np.argmax(condition))]) if condition.any() else float("nan")


def _last(t: np.ndarray, force: np.ndarray) -> float:
    """When a force last falls to nothing, between samples."""
    i = int(np.flatnonzero(force > TOUCHES)[-1])
    share = (force[i] - TOUCHES) / (force[i] - force[i + 1])
    return float(t[i] + share * (t[i + 1] - t[i]))


def gillespie(
    parameters: Mapping[str, float] | None = None,
    far: float = FAR,
    model: Callable[..., Model] = grand_piano_action,
) -> tuple[Run, list[Stage]]:
    """The run under his ramp, which ends `far` below rest [m], and its stages."""
    run = simulate(
        model("finger").compile(), duration=SETTLE + 0.6, start=-SETTLE,
        rtol=1e-6, atol=1e-9, output_step=1e-4, inputs=ramp(far), progress=False,
        parameters={**COUPLER, **(parameters or {})},
    )  # fmt: skip
    return run, stages(run)


def ramp(far: float = FAR) -> dict[str, tuple[list[float], list[float]]]:
    """The manipulandum's motion: from rest to a depth [m] between 0.10 and 0.18 s."""
    corner, speed = 1e-6, far / (END - BEGIN)
    times = [-SETTLE, BEGIN, BEGIN + corner, END, END + corner, END + 1.0]
    return {
        "finger depth": (times, [0.0, 0.0, speed * corner, far, far, far]),
        "finger speed": (times, [0.0, 0.0, speed, speed, 0.0, 0.0]),
    }


def ballistic(run: Run, specification: Specification | None = None) -> tuple[float, float]:
    """Speed of the crown [m/s] and time [s] of the strike as they follow from the state at release
    alone: a hammer with its weight and the friction of its centre, and nothing else."""
    spec = specification or Specification()
    masses, at = spec.masses, find_placements(spec.dimensions, spec.regulation)
    parts = (
        (masses.head, np.array(masses.head_centre), masses.head_moment),
        (masses.shank, np.array(masses.shank_centre), masses.shank_moment),
    )
    inertia = sum(m * float(c @ c) + moment for m, c, moment in parts)
    first = {stage.name: stage.time for stage in stages(run)}
    t = first["flight"]
    angle, rate = (float(np.interp(t, run.time, run[name])) for name in ("hammer", "hammer rate"))
    friction = spec.centres.hammer[0]
    crown = np.array([spec.dimensions.shank, spec.dimensions.crown - spec.dimensions.crown_radius])
    step = 1e-6
    while angle < -at.rest_angle:
        lean = at.rest_angle + angle
        arm = sum(m * (c[0] * np.cos(lean) - c[1] * np.sin(lean)) for m, c, _ in parts)
        rate -= step * (GRAVITY * arm + friction * np.sign(rate)) / inertia
        angle += step * rate
        t += step
        if rate <= 0.0:
            return 0.0, float("nan")
    return rate * float(crown[0]), t

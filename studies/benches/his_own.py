"""Gillespie's own nine-coordinate model under his ramp, in both readings of the coupler, and what
other assignments of the lengths would give."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from studies.benches.couplers import Events
from touchback.instruments.piano.gillespie_action import (
    ASSIGNED,
    BEGIN,
    LENGTHS,
    PHASES,
    STRIKES,
    GillespieSpecification,
    gillespie_specification,
    stroke,
)
from touchback.recording import Run

CAUSES = {
    "let-off": ("toe meets dolly",),
    "slipped": ("jack slips", "hammer leaves jack"),
    "strike": (STRIKES,),
}
#: Lengths that could as well be meant, one or two at a time.
OTHERS: tuple[dict[str, str], ...] = (
    {"capstan": "L6", "hammer": "L3"}, {"hammer": "L20", "jack_pin": "L6"}, {"jack_pin": "L21"},
    {"jack": "L9"}, {"jack": "L22"}, {"jack": "L24"}, {"knuckle": "L19"}, {"knuckle": "L23"},
    {"toe": "L1"}, {"toe": "L5"}, {"toe": "L8"}, {"toe": "L15"}, {"toe": "L16"}, {"toe": "L17"},
    {"button": "L25"}, {"button": "L26"}, {"slipped": "L10"}, {"slipped": "L23"},
    {"slipped": "L25"}, {"slipped": "L26"}, {"capstan_height": "L8"}, {"key_mass": "L5"},
    {"lever_bed": "L5"},
)  # fmt: skip


@lru_cache
def own_run(torsional: bool = True) -> Run:
    """His ramp on his model."""
    return stroke(gillespie_specification(torsional))


def own_events(run: Run, specification: GillespieSpecification) -> Events:
    """Let-off, slip and strike of a run of his model; NaN for never."""
    found = []
    for causes in CAUSES.values():
        times = [each.time for each in run.transitions if each.cause in causes]
        found.append(times[0] if times else np.nan)
    after = run.time > BEGIN
    deep = float(run["q1"][after].max() - specification.start["q1"]) * specification.front
    return Events(
        (found[0], found[1], found[2]), deep, float(run["coupler force"][after].max())
    )  # fmt: skip


def phases_passed(run: Run) -> str:
    """The first phases of a run, by their letters."""
    return " → ".join([PHASES[0][0], *(each.target[0] for each in run.transitions[:4]
                                      if each.target != each.source)])  # fmt: skip


def other(lengths: dict[str, str]) -> tuple[Events, float]:
    """What comes of lengths taken otherwise, and how far the hammer got before the string [rad]."""
    given = {role: LENGTHS[name] for role, name in lengths.items()}
    spec = replace(gillespie_specification(), **given)  # type: ignore[arg-type]
    run = stroke(spec, duration=0.25)
    return own_events(run, spec), float(run["q2"].max())


def said(lengths: dict[str, str]) -> str:
    """In words, such as "jack toe L8"."""
    what = {each.role: each.what for each in ASSIGNED}
    return "; ".join(f"{what[role]}: {name}" for role, name in lengths.items())

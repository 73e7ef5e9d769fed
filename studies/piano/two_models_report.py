"""What the two models of the action do, as tables in Markdown, for their page and the command."""

from collections.abc import Callable

import numpy as np

from studies.piano.report import table
from studies.piano.two_models import (
    FRICTIONLESS,
    TICK,
    cost,
    curve,
    gillespie_in_modes,
    moments,
    nearly_rigid,
    strokes,
)
from studies.piano.wider_presses import report as presses
from touchback.instruments.piano.finger_motions import PressedTouch
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import piano_action_with_modes
from touchback.instruments.piano.stroke_analysis import ForceCurve, MeasuredStroke, play, stroke_of

SPEEDS = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 3.0])  # of touches [m/s]
HARDER = (10.0, 30.0)  # times as hard as usual felts
MS = 1e3


def stroke() -> str:
    """Gillespie's stroke in both models."""
    rows = [
        (each.name, each.cause, each.gillespie, f"{each.modes:.4f}", f"{each.full:.4f}")
        for each in moments(gillespie_in_modes())
    ]
    headings = ("what", "because", "Gillespie [s]", "modes [s]", "full contact [s]")
    return table(headings, rows)


def transitions() -> str:
    """Every change of mode in his stroke up to a tenth of a second after the strike, with what it
    cost."""
    rows = [
        (f"{each.time:.5f}", each.source, each.target, each.cause.split(";")[0],
         f"{1e6 * each.energy:.1f}")
        for each in gillespie_in_modes().transitions
        if 0.0 < each.time < 0.30
    ]  # fmt: skip
    return table(("time [s]", "from", "to", "because", "energy [µJ]"), rows)


def speeds() -> str:
    """Strikes over the speed of the touch: both models, and the one with hard felts."""
    found = {"modes": strokes(piano_action_with_modes, SPEEDS)}
    found["full contact"] = strokes(grand_piano_action, SPEEDS)
    for factor in HARDER:
        system = grand_piano_action("motion", PressedTouch(), nearly_rigid(factor)).compile()
        found[f"full contact, {factor:g} times as hard"] = [
            stroke_of(play(system, 0.1 + 0.012 / v, {"touch speed": float(v)})) for v in SPEEDS
        ]
    rows = [(name, *map(_struck, made)) for name, made in found.items()]
    headings = ("hammer [m/s] (strike [ms])", *(f"{speed:g} m/s" for speed in SPEEDS))
    return table(headings, rows)


def _struck(made: MeasuredStroke | None) -> str:
    return "none" if made is None else f"{made.speed:.2f} ({MS * made.strike:.1f})"


def curves() -> str:
    """The force at the key front at 10 mm/s: both models, with hard felts, without friction."""
    found = {"modes": curve(piano_action_with_modes), "full contact": curve(grand_piano_action)}
    for factor in HARDER:
        name = f"full contact, {factor:g} times as hard"
        found[name] = curve(grand_piano_action, None, nearly_rigid(factor))
    found["modes, smooth"] = curve(piano_action_with_modes, FRICTIONLESS)
    found["full contact, smooth"] = curve(grand_piano_action, FRICTIONLESS)
    headings = (
        "model", "2–4 mm [N]", "5–7 mm [N]", "8–9 mm [N]", "let-off peak [N]", "at [mm]",
        "hammer turns back at [mm]",
    )  # fmt: skip
    return table(headings, [(name, *_figures(each)) for name, each in found.items()])


def _figures(found: ForceCurve) -> list[str]:
    depth, peak = found.let_off or (np.nan, np.nan)
    means = [found.force(low, high) for low, high in ((2e-3, 4e-3), (5e-3, 7e-3), (8e-3, 9e-3))]
    return [
        *(f"{mean:.2f}" for mean in means), f"{peak:.2f}", f"{1e3 * depth:.2f}",
        f"{1e3 * found.stages['D']:.2f}",
    ]  # fmt: skip


def costs() -> str:
    """The cost of a tick, both models in turn."""
    rows = []
    for steps in (2, 1):
        found = cost(step=TICK / steps)
        rows.append(
            (f"rk4, {steps} to a tick", f"{1e6 * found.modes:.1f}", f"{1e6 * found.full:.1f}",
             f"{found.ratio:.1f}", f"{found.changes:.0f}")
        )  # fmt: skip
    headings = (
        "steps of modes", "modes [µs]", "full contact [µs]", "ratio", "changes a gesture",
    )  # fmt: skip
    return table(headings, rows)


REPORTS: dict[str, Callable[[], str]] = {
    "stroke": stroke,
    "transitions": transitions,
    "speeds": speeds,
    "curves": curves,
    "cost": costs,
    "presses": presses,
}

"""What every experiment found, as tables in Markdown, for the documentation and the command."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from studies.piano.fixed_step import compare
from studies.piano.held_force import CARRIED, FRICTION, WEIGHTS, held_force
from studies.piano.regulation import measure
from studies.piano.repetition import repeat, repeating_action
from studies.piano.stages import ballistic, gillespie
from studies.piano.timing import timing
from studies.piano.weighed import (
    CAUSES,
    CENTRES,
    KAWAI,
    KNUCKLE,
    LEAD,
    NEW,
    STEINWAY,
    Fit,
    fit,
)
from touchback.instruments.piano.finger_motions import PressedTouch, StruckTouch
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import (
    PEDALLED,
    force_curve,
    play,
    slow_press,
    stroke_of,
)
from touchback.system import System


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def regulation() -> str:
    """Figures of the regulated action beside usual ones."""
    found = measure()
    whole = (found.blow - found.let_off) / found.let_off_depth
    mm, g, mass = 1e3, 1e3, f"{found.effective_mass:.3f} kg"
    return table(
        ("quantity", "ours", "usual"),
        [
            ("blow distance", f"{mm * found.blow:.1f} mm", "42–49 mm"),
            ("let-off below the string", f"{mm * found.let_off:.1f} mm", "1–2 mm"),
            ("key depth at let-off, of 9.5 mm", f"{mm * found.let_off_depth:.1f} mm", "8.5–9.2 mm"),
            ("drop below let-off", f"{mm * (found.held - found.let_off):.1f} mm", "1–2 mm"),
            ("check below the string, at 2 m/s", f"{mm * found.check:.1f} mm", "12–16 mm"),
            ("hammer/key ratio, stroke without let-off", f"{found.ratio:.2f}", "about 5"),
            ("hammer/key ratio, whole stroke", f"{whole:.2f}", "about 5"),
            ("effective mass at the key front", mass, "0.208 and 0.215 kg"),
            ("down weight, dampers lifted", f"{g * found.down_weight:.0f} g", "46–55 g"),
            ("up weight, dampers lifted", f"{g * found.up_weight:.0f} g", "at least 20 g"),
        ],
    )


def stages() -> str:
    """Gillespie's stroke: what happened, why, and when."""
    run, found = gillespie()
    speed, time = ballistic(run)
    strike = next(stage.time for stage in found if stage.name == "strike")
    simulated = float(np.interp(strike, run.time, run["hammer rate"])) * 0.131
    rows = [(p.name, p.cause, f"{p.time:.4f}", p.gillespie) for p in found]
    return (
        table(("stage", "because", "ours [s]", "Gillespie [s]"), rows)
        + f"\n\nFrom the state at release alone, weight and centre friction predict the strike at "
        f"{time:.5f} s with {speed:.4f} m/s; the run has it at {strike:.5f} s with "
        f"{simulated:.4f} m/s."
    )


def times() -> str:
    """Timing beside the spans of three grands."""
    rows = timing()
    speeds = sorted({row.speed for row in rows})
    lines = []
    for touch in ("pressed", "struck"):
        for quantity in ("travel", "key bottom", "free flight"):
            cells = [r for r in rows if (r.touch, r.quantity) == (touch, quantity)]
            lines.append((f"{quantity}, {touch}", *(_cell(r) for r in cells)))
    inside = sum(row.inside for row in rows)
    headings = ("time [ms]", *(f"{speed:g} m/s" for speed in speeds))
    return table(headings, lines) + f"\n\n{inside} of {len(rows)} figures lie within the spans."


def _cell(row: Any) -> str:
    ours = f"{row.ours:.1f}" if row.inside else f"**{row.ours:.1f}**"
    return f"{ours} ({row.lowest:.1f} … {row.highest:.1f})"


def curves() -> str:
    """The force at the key front for variations of button and hammer."""
    system = slow_press()
    usual = system.parameters["hammer mass"]
    variations: list[tuple[str, dict[str, float]]] = [
        ("as regulated", {}),
        ("button 0.5 mm higher", {"let-off button height": 0.5e-3}),
        ("button 0.5 mm lower", {"let-off button height": -0.5e-3}),
        ("hammer 2 g lighter", {"hammer mass": usual - 2e-3}),
        ("hammer 3 g heavier", {"hammer mass": usual + 3e-3}),
        ("hammer 6 g heavier", {"hammer mass": usual + 6e-3}),
        ("damper lifted", PEDALLED),
    ]
    rows = []
    for name, parameters in variations:
        curve = force_curve(system, parameters)
        spans = [(2e-3, 4e-3), (5e-3, 7e-3), (8e-3, 9e-3), (8.5e-3, 9e-3)]
        rows.append((name, *(f"{curve.force(*span):.2f}" for span in spans)))
    headings = ("mean force [N]", "2–4 mm (A)", "5–7 mm (B)", "8–9 mm (C)", "8.5–9 mm")
    return table(headings, rows)


def capstan() -> str:
    """The force at the capstan: held after a stroke, what it is made of, and its peak before."""
    found = {
        f"{name}, {speed:g} m/s": held_force(speed)
        for name, speed in (("soft", 0.5), ("mezzo forte", 1.5), ("forte", 4.0))
    }
    shares = (WEIGHTS, *CARRIED.values(), FRICTION)
    rows = [(name, *(_newtons(each.shares[name]) for each in found.values())) for name in shares]
    rows.append(("**held**", *(f"**{each.held:.2f}**" for each in found.values())))
    rows.append(("peak in the stroke", *(f"{each.peak:.1f}" for each in found.values())))
    rows.append(("hammer below string [mm]", *(f"{1e3 * x.below:.1f}" for x in found.values())))
    return table(("force at the capstan [N]", *found), rows)


def _newtons(share: float) -> str:
    return f"{share:.2f}" if abs(share) > 5e-3 else "0"


def repetition() -> str:
    """Strikes in a second over rate and release."""
    system = repeating_action()
    releases = (1e-3, 2e-3, 4e-3, 6e-3)
    rows = []
    for rate in (8.0, 12.0, 15.0, 18.0):
        found = [repeat(system, rate, release) for release in releases]
        rows.append((f"{rate:g} /s", *(f"{len(f.strikes)} of {rate + 1:g}" for f in found)))
    return table(("rate", *(f"up to {1e3 * r:g} mm below rest" for r in releases)), rows)


def range_of_speeds() -> str:
    """From the slowest touch that strikes to fortissimo."""
    rows = []
    for name, touch in (("pressed", PressedTouch()), ("struck", StruckTouch())):
        system = grand_piano_action("motion", touch).compile()
        slow = _slowest(system)
        softest, loudest = _speed(system, 1.02 * slow), _speed(system, 3.0)
        rows.append((name, f"{1e3 * slow:.0f}", f"{softest:.2f}", f"{loudest:.1f}"))
    headings = (
        "touch", "slowest that strikes [mm/s]", "hammer just above it [m/s]",
        "hammer at 3 m/s of touch [m/s]",
    )  # fmt: skip
    return table(headings, rows)


def _speed(system: System, touch: float) -> float:
    stroke = stroke_of(play(system, 0.1 + 0.012 / touch, {"touch speed": touch}))
    return 0.0 if stroke is None else stroke.speed


def _slowest(system: System) -> float:
    """The touch speed below which the hammer doesn't reach the string [m/s], within a percent."""
    silent, heard = 0.01, 0.3
    while heard / silent > 1.01:
        middle = (silent * heard) ** 0.5
        silent, heard = (silent, middle) if _speed(system, middle) else (middle, heard)
    return heard


def energy() -> str:
    """The books of some strokes."""
    rows = []
    for name, touch, speed in (
        ("pressed, soft", PressedTouch(), 0.13), ("pressed, forte", PressedTouch(), 3.0),
        ("struck, mezzo forte", StruckTouch(), 0.3),
    ):  # fmt: skip
        system = grand_piano_action("motion", touch).compile()
        given = {"touch speed": speed}
        balance = play(
            system, 0.4, given, rtol=1e-8, atol=1e-11, energy_balance=True
        ).energy_balance
        most = max(balance.dissipated, key=lambda line: balance.dissipated[line])
        sums = [1e3 * balance.total(part) for part in ("work", "stored", "dissipated")]
        cells = [f"{value:.3f}" for value in sums]
        rows.append((name, *cells, f"{1e3 * balance.residual:.1e}", most))
    return table(
        ("stroke", "work in [mJ]", "stored", "dissipated", "residual", "most of it in"), rows
    )


def cost() -> str:
    """Fixed steps: cost of a tick of 250 µs, and errors against a fine adaptive run."""
    methods = (("euler", 125e-6), ("euler", 62.5e-6), ("euler", 31.25e-6), ("rk4", 62.5e-6))
    rows = [
        (found.method, f"{1e6 * found.step:g}", f"{1e6 * found.cost:.2f}",
         f"{1e3 * found.strike:.2f}", f"{100 * found.speed:.1f}")
        for found in compare(methods)
    ]  # fmt: skip
    headings = (
        "method", "step [µs]", "cost of 250 µs [µs]", "strike off by [ms]", "speed off by [%]",
    )  # fmt: skip
    return table(headings, rows)


def weighed() -> str:
    """What weights of real keys tell of leads, centres and knuckles."""
    system = slow_press()
    rows = [_weighed("Steinway B", fit(system, STEINWAY, NEW), ("new",))]
    for cause, unknowns in CAUSES.items():
        found = fit(system, KAWAI, unknowns)
        rows.append(_weighed(f"Kawai KG-2, {cause}", found, ("before", "after")))
    return table(
        ("key, and what was worse before", "leads [g]", "centres", "knuckle", "left of balance [g]",
         "left of friction [g]", "chance of as much"), rows,
    )  # fmt: skip


def _weighed(name: str, found: Fit, states: Sequence[str]) -> tuple[str, ...]:
    def cell(parameter: str, factor: float = 1.0, digits: int = 2) -> str:
        told = dict.fromkeys(filter(None, (found.found(parameter, state) for state in states)))
        shown = (
            f"{factor * value:.{digits}f}"
            + (", its bound" if held else f" ± {factor * error:.{digits}f}")
            for value, error, held in told
        )
        return ", then ".join(shown) or "as drawn"

    left = [
        ", ".join(f"{1e3 * each:+.1f}" for each in way)
        for way in zip(*found.left.values(), strict=True)
    ]
    chance = f"{100 * found.chance:.2g} %" if found.freedoms else "nothing can be left"
    if not found.freedoms:
        left = ["", ""]
    return name, cell(LEAD, 1e3, 1), cell(CENTRES), cell(KNUCKLE), *left, chance


REPORTS: dict[str, Callable[[], str]] = {
    "regulation": regulation,
    "stages": stages,
    "timing": times,
    "curves": curves,
    "capstan": capstan,
    "repetition": repetition,
    "speeds": range_of_speeds,
    "energy": energy,
    "cost": cost,
    "weights": weighed,
}

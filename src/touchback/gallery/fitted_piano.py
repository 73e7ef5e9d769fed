"""A grand piano action, fitted to the force of one key that is slowly pressed and released.

The curve is simulated, not measured on a piano: published are figures without numbers, ranges and
single weights. A press moves a load cell down and up at 10 mm/s, as Docquier et al. (2021, figs 23
to 25) did, on an action whose balance, friction, let-off, damper and dip aren't those of the
drawing; the scale of its travel has steps and the load cell noise. What a person has measured is
fitted by the same call, `fit(system, tb.open("key.csv"))`."""

from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import Parameter
from touchback.unit_spellings import unit_of

SPEED, SAMPLE = 0.010, 0.005  # m/s, s: of the press, and between its samples
LOAD_CELL, SCALE = 0.01, 1e-6  # N, m: standard deviation of its noise, and steps of the travel
ABOVE, BELOW = 0.2e-3, 10.1e-3  # m: where the press turns, above the resting key and in the bed
REST, HOLD = 0.15, 0.2  # s: before it moves, so that felts settle, and in the bed
MEASURED = {"key travel": "m", "key force": "N"}
# How the key on the simulated bench is built, and what `fit()` finds of its log.
BUILT = {"key lead mass": 0.0345, "centre friction": 1.3, "let-off button height": 0.25e-3,
         "jack spring": 0.0085, "damper mass": 0.036, "key dip": 9.7e-3}  # fmt: skip
FOUND = {"key lead mass": 0.03435, "centre friction": 1.306, "let-off button height": 0.2507e-3,
         "jack spring": 0.00848, "damper mass": 0.0357, "key dip": 9.7002e-3}  # fmt: skip
STEP = 1.25e-4  # s: the frictions of light parts ask for it
RETURN = 4e-3  # m: deeper than that the way up isn't fitted (`counted`)
_DEEP, _SHALLOW = 0.015, 3e-3  # m: what presses of keys reach
_RESTING = 0.5e-3  # m: a key that is deeper doesn't rest


def make() -> tb.Model:
    """An action under a press, as it was found; input: "key travel" [m]."""
    m = tb.instruments.piano.grand_piano_action("press", reported=())
    m.name = "fitted-piano"
    for name, value in FOUND.items():
        m.parameters[name] = replace(m.parameters[name], default=value)
    return m


def press(bottom: float = BELOW) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and travel [m] of a press that goes down, holds and comes up, at its turns."""
    stroke = (bottom + ABOVE) / SPEED
    times = np.cumsum([0.0, REST, stroke, HOLD, stroke, REST])
    return times, np.array([-ABOVE, -ABOVE, bottom, bottom, -ABOVE, -ABOVE])


def log(seed: int = 0, bottom: float = BELOW, built: Mapping[str, float] = BUILT) -> tb.Run:
    """The curve of a key that was built otherwise, as load cell and scale wrote it."""
    times, travel = press(bottom)
    system = tb.instruments.piano.grand_piano_action("press", reported=()).compile()
    run = tb.simulate(
        system, duration=times[-1], parameters=built, inputs={"key travel": (times, travel)},
        output_step=SAMPLE, rtol=1e-8, atol=1e-10, progress=False,
    )  # fmt: skip
    chance = np.random.default_rng(seed)
    signals = {
        "key travel": SCALE * np.round(run["key travel"] / SCALE),
        "key force": run["key force"] + chance.normal(0.0, LOAD_CELL, len(run)),
    }
    return tb.Run(run.time, signals, MEASURED, {"model": "piano key, simulated", "seed": seed})


def fit(
    system: tb.System, curve: tb.Run, at: Mapping[str, float] | None = None
) -> tb.estimate.Identification:
    """Balance, friction, let-off, damper and dip of the key whose curve was measured: "key travel"
    of the press, downwards from where it meets the resting key, and "key force", with which it
    pushes down. Other parameters are as drawn, or given by `at`: "press stiffness" is that of your
    load cell and its pad, "hammer mass" what your scales say."""
    usual, known = drawn(), at or {}
    guess = {name: usual[name].default for name in BUILT if name not in known}
    return tb.identify(
        system, counted(in_si(curve)), parameters=guess, signals=["key force"], at=at, step=STEP
    )


def drawn() -> dict[str, Parameter]:
    """The parameters of the action as it is drawn, before anything is fitted."""
    return tb.instruments.piano.grand_piano_action("press", reported=()).parameters


def counted(curve: tb.Run) -> tb.Run:
    """Without forces of the way up deeper than `RETURN`: the jack snaps back under the knuckle,
    at an instant that moves with everything, so that a search from afar gets stuck."""
    travel, force = curve["key travel"], curve["key force"].copy()
    bottom = len(travel) - int(np.argmax(travel[::-1] >= travel.max() - _RESTING))
    after = np.arange(len(travel)) >= bottom
    force[after & (travel > RETURN)] = np.nan
    return tb.Run(curve.time, {"key travel": travel, "key force": force}, MEASURED, curve.metadata)


def in_si(curve: tb.Run) -> tb.Run:
    """A measured curve in metres and newtons; refused if it can't be that of a key."""
    signals = {name: _converted(curve, name, unit) for name, unit in MEASURED.items()}
    travel, force = signals.values()
    if not np.isfinite(travel).all():
        when = curve.time[np.argmin(np.isfinite(travel))]
        raise tb.InputError(
            f"'key travel' has no number at {when:g} s; only forces may be missing."
        )
    deepest, first = float(travel.max()), float(travel[0])
    if not _SHALLOW < deepest < _DEEP:
        raise tb.InputError(
            f"'key travel' reaches {deepest:g} m; a key's is some 0.01 m, from where the press "
            "meets it at rest, and downwards is positive. Look at its unit and sign."
        )
    if not first < _RESTING:
        raise tb.InputError(
            f"'key travel' begins at {first:g} m; begin with the key at rest, at 0 or above it."
        )
    pushed = float(np.nanmean(force[travel > 0.5 * deepest]))
    if not 0.05 < pushed < 50.0:
        raise tb.InputError(
            f"'key force' is {pushed:g} N on average in the lower half of the travel; a key asks "
            "for some 0.2 to 10 N, and pushing down is positive. Look at its unit and sign."
        )
    return tb.Run(curve.time, signals, MEASURED, curve.metadata)


def _converted(curve: tb.Run, name: str, si: str) -> np.ndarray:
    if name not in curve:
        raise tb.InputError(
            f"The curve has no '{name}'; it has {', '.join(curve) or 'nothing'}. Columns 'time "
            "[s]', 'key travel [mm]' and 'key force [N]' are expected."
        )
    given = curve.units.get(name, "")
    unit = unit_of(given)
    if unit is None or unit.si != si:
        raise tb.InputError(
            f"'{name}' is in '{given}', which isn't a unit of {si}; write it into the header, as "
            f"'{name} [{'mm' if si == 'm' else 'N'}]' (1 gram of weight is 0.00980665 N)."
        )
    return np.asarray(curve[name]) * unit.factor


ENTRY = Entry(
    "fitted-piano",
    "a piano action under a press, whose balance, friction and let-off were found from its forces",
    make,
    Experiment(
        float(press()[0][-1]), inputs={"key travel": press()},
        signals=("key force", "key travel", "key depth"), substeps=16,
    ),
    sentences=(
        "A press with a load cell pushes a key of a grand piano slowly down and lets it come up.",
        "Six numbers of the action were fitted to the forces that such a press read, so that this "
        "one reads the same.",
        'Turn "let-off button height" or "centre friction" and see what of the force changes.',
    ),
)  # fmt: skip

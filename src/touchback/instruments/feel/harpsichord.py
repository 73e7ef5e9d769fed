"""The harpsichord's key: force over depth with its pluck, and three strokes that pluck twice."""

import numpy as np

from touchback import JointEffort, Run, Signal, maximum, minimum, simulate
from touchback.instruments import harpsichord
from touchback.instruments.feel.instrument import Instrument, KeyCurve, Played, Settings
from touchback.instruments.sound import Note

STIFFNESS, DAMPING = 2e4, 20.0  # of what presses [N/m], [N s/m]: 0.05 mm of give at 1 N
PRESSED = 0.05e-3  # below the stop [m]
NOTE, FADING = 60, 1.0
LEGEND = {
    "A": "the key lifts the jack",
    "B": "the plectrum meets the string and bends",
    "C": "plucked: nothing but the jack again",
}
CAUSES = {"B": "meets", "C": "plucks"}


def feel(settings: Settings, speed: float) -> KeyCurve:
    """Down and up at a constant speed [m/s], by something much stiffer than a finger."""
    m = harpsichord.harpsichord_key()
    bottom = harpsichord.DIP + PRESSED
    stroke = bottom / speed
    aim = maximum(minimum(speed * m.time, speed * (2 * stroke - m.time)), 0.0)
    here = harpsichord.FRONT * m.coordinate("key")
    push = STIFFNESS * (aim - here) - DAMPING * harpsichord.FRONT * m.rate("key")
    m.force("press", JointEffort("key", push * harpsichord.FRONT))
    m.sensor("press", Signal(push, "N"))
    system = m.compile()
    run = simulate(
        system, duration=2 * stroke, parameters=dict(settings), output_step=1e-3, progress=False
    )
    going = run.time <= stroke
    sides = {
        name: (run["depth"][part], run["press"][part])
        for name, part in (("down", going), ("up", ~going))
    }
    marks = {"A": 0.0, **_marks(run)}
    return KeyCurve(
        "harpsichord", sides, marks, {name: LEGEND[name] for name in marks},
        {"pluck": _pluck(sides["down"], marks)},
    )  # fmt: skip


def _marks(run: Run) -> dict[str, float]:
    first = {found.cause: found.time for found in reversed(run.transitions)}
    return {
        name: float(np.interp(first[cause], run.time, run["depth"]))
        for name, cause in CAUSES.items()
        if cause in first
    }


def _pluck(down: tuple[np.ndarray, np.ndarray], marks: dict[str, float]) -> str:
    if "C" not in marks:
        return "none: the key bed is reached first"
    depth, force = down
    bent = (depth >= marks["B"]) & (depth <= marks["C"])  # not the jack's mass where it starts
    peak = float(force[bent].max())
    return f"{peak:.2f} N at {1e3 * marks['C']:.1f} mm"


def play(settings: Settings) -> Played:
    """The strokes of the gallery: the second one begins too early to pluck."""
    system, strokes = harpsichord.harpsichord_key().compile(), harpsichord.stroke_forces()
    run = simulate(
        system, duration=harpsichord.STROKE_TIMES[-1], inputs={"key force": strokes},
        parameters=dict(settings),
        progress=False,
    )  # fmt: skip
    force = {**system.parameters, **settings}["plectrum strength"]
    home = [found.time for found in run.transitions if found.cause == "passes"]
    notes = []
    for found in run.transitions:
        if found.cause == "plucks":
            end = min((time for time in home if time > found.time), default=np.inf)
            notes.append(Note(found.time, NOTE, force=force, end=end))
    about = f"{len(notes)} plucks of 3 strokes, the second of them begun too early"
    return Played(notes, harpsichord.STROKE_TIMES[-1] + FADING, about)


HARPSICHORD = Instrument(feel, play, lambda: harpsichord.harpsichord_key().all_parameters())

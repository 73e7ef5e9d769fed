"""The grand piano's key: force over depth with its stages, and a virtuoso passage."""

import numpy as np

from touchback import Run, System, copies, simulate
from touchback.instruments.feel.instrument import Instrument, KeyCurve, Played, Settings
from touchback.instruments.piano.finger_motions import Straight, finger_motion, virtuoso_passage
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import (
    SETTLE,
    ForceCurve,
    force_curve,
    slow_press,
    strike_times,
)
from touchback.instruments.sound import Note
from touchback.model.signals import Parameter

STEP, OUTPUT, SAMPLES = 62.5e-6, 2.5e-4, 1e-3  # of the run and of the fingers [s]
BEFORE = 2e-4  # a hammer's speed is taken so long before the string is met [s]
DURATION, FADING = 4.0, 1.0  # of the passage and of what sounds on [s]
SLOW = 0.02  # faster presses show the action's mass more than its weight [m/s]
NO_LET_OFF = "none: the key bed is reached first"
NOT_OUT = "none: the jack doesn't leave the knuckle, down to the key bed"
LEGEND = {
    "A": "the key lifts whippen and hammer",
    "B": "and the damper",
    "C": "let-off: the jack is turned out from under the knuckle",
    "D": "aftertouch, then the key bed",
}
HELD = {"C": "let-off button or drop screw are met, but nothing is let off", "D": "the key bed"}


def feel(settings: Settings, speed: float) -> KeyCurve:
    """The force curve of an action with other screws than the usual ones, and what is read off
    it."""
    curve = force_curve(slow_press(speed=speed), settings)
    legend = LEGEND if curve.let_off else LEGEND | HELD
    return KeyCurve(
        "grand piano action", {"down": curve.down, "up": (curve.up[0][::-1], curve.up[1][::-1])},
        curve.stages, {name: legend[name] for name in curve.stages}, _figures(curve, speed),
    )  # fmt: skip


def _figures(curve: ForceCurve, speed: float) -> dict[str, str]:
    weights, peak = curve.weights, curve.let_off
    reason = "not told: damper, let-off or key bed begin within the first millimetre"
    if speed > SLOW:
        weights, reason = None, f"not told: press at {1e3 * SLOW:.0f} mm/s at most to feel no mass"
    low, high = (1e3 * depth for depth in curve.weighed)
    ways = [f"{1e3 * each:.0f} g, from {low:.1f} to {high:.1f} mm" for each in weights or ()]
    told = ways or [reason] * 2
    missing = NOT_OUT if "C" in curve.stages else NO_LET_OFF
    return {
        "down weight": told[0],
        "up weight": told[1],
        "let-off": f"{peak[1]:.2f} N at {1e3 * peak[0]:.1f} mm" if peak else missing,
    }


def play(settings: Settings) -> Played:
    """Each key of the passage is an action of its own, under a finger."""
    passage = virtuoso_passage(DURATION)
    m = grand_piano_action("finger")
    m.report("string gap", "hammer velocity", "damper seat gap")
    row = copies(m.compile(), [str(note) for note in passage])
    times = np.arange(0.0, DURATION + 0.5 * SAMPLES, SAMPLES)
    inputs = {}
    for note, strokes in passage.items():
        depth, speed = finger_motion(strokes, times)
        inputs[f"{note}/finger depth"] = (times, depth)
        inputs[f"{note}/finger speed"] = (times, speed)
    run = _run(row, settings, inputs)
    notes = [sound for note in passage for sound in _notes(run, note)]
    strokes_made = sum(map(len, passage.values()))
    speeds = [note.speed for note in notes if note.speed is not None]
    between = f", {min(speeds):.1f} to {max(speeds):.1f} m/s" if speeds else ""
    about = f"{len(notes)} strikes of {strokes_made} strokes on {len(passage)} keys{between}"
    return Played(notes, DURATION + FADING, about)


def _run(row: System, settings: Settings, inputs: dict[str, tuple[np.ndarray, np.ndarray]]) -> Run:
    return simulate(
        row, duration=SETTLE + DURATION, start=-SETTLE, method="euler", step=STEP,
        output_step=OUTPUT, inputs=inputs, progress=False,
        parameters={f"{key}/{name}": x for key in row.names for name, x in settings.items()},
    )  # fmt: skip


def _notes(run: Run, note: int) -> list[Note]:
    """What sounds: from each strike until the damper is back on the string."""
    part = {name: run[f"{note}/{name}"] for name in ("hammer velocity.z", "damper seat gap")}
    found = []
    for time in strike_times(run, f"{note}/string gap"):
        speed = float(np.interp(time - BEFORE, run.time, part["hammer velocity.z"]))
        damped = run.time[(run.time > time) & (part["damper seat gap"] <= 0.0)]
        end = float(damped[0]) if len(damped) else np.inf
        if time > 0.0 and speed > 0.0:
            found.append(Note(time, note, speed=round(speed, 2), end=end))
    return found


def parameters() -> dict[str, Parameter]:
    """The action's own: those of what presses it are left out."""
    pressed, played = grand_piano_action("motion", Straight()), grand_piano_action("finger")
    common = pressed.all_parameters().keys() & played.all_parameters().keys()
    return {name: each for name, each in played.all_parameters().items() if name in common}


PIANO = Instrument(feel, play, parameters)

"""What a finger feels of a key and what a listener hears of it: force over depth, and how a passage
sounds, of a grand piano and a harpsichord; and force over depth of the voices of motorised keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback import (
    JointEffort,
    Model,
    Run,
    Signal,
    System,
    copies,
    maximum,
    minimum,
    select,
    simulate,
)
from touchback.instruments import harpsichord
from touchback.instruments.keyboard.key_device import FRONT, KeyDevice, sense_key
from touchback.instruments.keyboard.key_mechanisms import (
    voice_called,
    voice_stages,
)
from touchback.instruments.piano.finger_motions import (
    ConstantSpeedTouch,
    finger_motion,
    virtuoso_passage,
)
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import (
    SETTLE,
    ForceCurve,
    force_curve,
    slow_press,
    strike_times,
)
from touchback.instruments.sound import Note, render
from touchback.model import Parameter

Side = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class KeyCurve:
    """Depth [m] and force [N] at the key front, pressed and released slowly; where something begins
    on the way down [m]; a line for each (by name), and other figures as texts. `sides` has "down"
    and "up"."""

    title: str
    sides: dict[str, Side]
    marks: dict[str, float]
    legend: dict[str, str]
    figures: dict[str, str] = field(default_factory=dict)

    def rows(self) -> np.ndarray:
        """Depth, force, and 1 on the way down, 0 on the way up: in the order of time."""
        (down, pressed), (up, released) = self.sides["down"], self.sides["up"]
        going = np.repeat([1.0, 0.0], [len(down), len(up)])
        depths, forces = np.concatenate([down, up]), np.concatenate([pressed, released])
        return np.stack([depths, forces, going], axis=1)


@dataclass(frozen=True)
class PlayedPassage:
    """A passage: the notes that sounded, how long it lasts [s], and a line about it."""

    notes: list[Note]
    duration: float
    about: str

    def samples(self) -> np.ndarray:
        """The sound, 44 100 samples a second."""
        return render(self.notes, self.duration)


Settings = Mapping[str, float]


@dataclass(frozen=True)
class Instrument:
    """How a key is felt, slowly at a speed [m/s], and how a passage is played, both with live
    parameters by name; and which there are."""

    feel: Callable[[Settings, float], KeyCurve]
    play: Callable[[Settings], PlayedPassage]
    parameters: Callable[[], Mapping[str, Parameter]]


STEP, OUTPUT, SAMPLES = 62.5e-6, 2.5e-4, 1e-3  # of the run and of the fingers [s]
BEFORE = 2e-4  # a hammer's speed is taken so long before the string is met [s]
DURATION, FADING = 4.0, 1.0  # of the passage and of what sounds on [s]
SLOW = 0.02  # faster presses show the action's mass more than its weight [m/s]
NO_LET_OFF = "none: the key bed is reached first"
NOT_OUT = "none: the jack doesn't leave the knuckle, down to the key bed"
PIANO_LEGEND = {
    "A": "the key lifts whippen and hammer",
    "B": "and the damper",
    "C": "let-off: the jack is turned out from under the knuckle",
    "D": "aftertouch, then the key bed",
}
HELD = {"C": "let-off button or drop screw are met, but nothing is let off", "D": "the key bed"}


def feel_piano(settings: Settings, speed: float) -> KeyCurve:
    """The force curve of an action with other screws than the usual ones, and what is read off
    it."""
    curve = force_curve(slow_press(speed=speed), settings)
    legend = PIANO_LEGEND if curve.let_off else PIANO_LEGEND | HELD
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


def play_piano(settings: Settings) -> PlayedPassage:
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
    return PlayedPassage(notes, DURATION + FADING, about)


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


def piano_parameters() -> dict[str, Parameter]:
    """The action's own: those of what presses it are left out."""
    pressed, played = (
        grand_piano_action("motion", ConstantSpeedTouch()),
        grand_piano_action("finger"),
    )
    common = pressed.all_parameters().keys() & played.all_parameters().keys()
    return {name: each for name, each in played.all_parameters().items() if name in common}


PIANO = Instrument(feel_piano, play_piano, piano_parameters)
STIFFNESS, DAMPING = 2e4, 20.0  # of what presses [N/m], [N s/m]: 0.05 mm of give at 1 N
PRESSED = 0.05e-3  # below the stop [m]
NOTE, PLUCK_FADING = 60, 1.0
HARPSICHORD_LEGEND = {
    "A": "the key lifts the jack",
    "B": "the plectrum meets the string and bends",
    "C": "plucked: nothing but the jack again",
}
CAUSES = {"B": "meets", "C": "plucks"}


def feel_harpsichord(settings: Settings, speed: float) -> KeyCurve:
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
        "harpsichord", sides, marks, {name: HARPSICHORD_LEGEND[name] for name in marks},
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


def play_harpsichord(settings: Settings) -> PlayedPassage:
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
    return PlayedPassage(notes, harpsichord.STROKE_TIMES[-1] + PLUCK_FADING, about)


HARPSICHORD = Instrument(
    feel_harpsichord, play_harpsichord, lambda: harpsichord.harpsichord_key().all_parameters()
)
#: What can be felt and heard, by name.
INSTRUMENTS = {"piano": PIANO, "harpsichord": HARPSICHORD}

# ---- voices of motorised keys --------------------------------------------------------------------

VOICE_STEP = 62.5e-6  # s
DEEPER = 0.6e-3  # m below its last stage that a voice is pressed


def feel_voice(
    voice: str, settings: Settings | None = None, speed: float = SLOW, rate: float = 1000.0
) -> KeyCurve:
    """The force [N] that a voice has the motor push with as the key front goes down and up at a
    constant speed [m/s], computed so many times a second of what the key's encoder and its timer
    tell: without the key's own mass."""
    given = dict(settings or {})
    stages = voice_stages(voice, given)
    half = (stages[-1][0] + DEEPER) / speed
    m = Model(f"{voice}, slowly pressed")
    depth = maximum(minimum(speed * m.time, speed * (2.0 * half - m.time)), 0.0)
    going = select(m.time < half, speed, -speed)
    sensed = sense_key(m, KeyDevice(), rate, depth / FRONT, going / FRONT)
    answer = voice_called(voice)(m, sensed)
    m.sensor("depth", Signal(depth, "m"))
    m.sensor("force", Signal(answer.force, "N"))
    run = simulate(
        m.compile(), duration=2.0 * half, method="euler", step=VOICE_STEP, rate=rate,
        output_step=1.0 / rate, parameters=given, progress=False,
    )  # fmt: skip
    down = run.time <= half
    sides = {
        name: (run["depth"][part], run["force"][part])
        for name, part in (("down", down), ("up", ~down))
    }
    letters = dict(zip("ABCD", stages, strict=False))
    return KeyCurve(
        voice, sides, {name: depth for name, (depth, _) in letters.items()},
        {name: text for name, (_, text) in letters.items()},
    )  # fmt: skip


__all__ = ["INSTRUMENTS", "Instrument", "KeyCurve", "PlayedPassage", "feel_voice"]

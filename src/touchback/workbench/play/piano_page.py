"""The live keyboard behind the piano page: its instruments, screws, visitors' fingers, what can be
asked of it, and what it reports. The page shows an action's shapes, the rows of its last strokes,
and force over depth, computed beside the live run."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import touchback as tb
from touchback import Live, System, live
from touchback.errors import InputError, TouchbackError
from touchback.instruments import (
    DEFAULT_REGULATION,
    KEYBOARD_METHOD,
    LONGEST_STAY,
    NOTE_NAMES,
    PEDALS,
    PIANO_LEGEND,
    SCREW_SENTENCES,
    SETTLING_TIME,
    SHORTEST_STAY,
    UNA_CORDA_THRESHOLD,
    WALL_VOICES,
    Fingers,
    Foot,
    ForceCurve,
    Gesture,
    HeardNote,
    KeyCurve,
    KeyTouches,
    Listener,
    NoteCallbacks,
    PartOutline,
    Regulation,
    Specification,
    Stroke,
    action_outlines,
    feel_voice,
    find_placements,
    force_curve,
    graded_touches,
    make_keyboard,
    measured_action,
    note_name,
    passage as passage_on,
    screw_parameter,
    screws_of,
    script_fingers,
    slow_press,
    voices_with,
)
from touchback.instruments.keyboard.key_device import FRONT, SOFTEST
from touchback.instruments.piano.action_drawing import (
    BEFORE as DRAWN_BEFORE,
    BEHIND,
    BODIES,
    BOTTOM,
    COLOURS,
    FALLING,
    LEFT,
    RIGHT,
    TOP,
)
from touchback.names import suggestion
from touchback.realtime import choices
from touchback.realtime.control import CommandServer, Exposed
from touchback.realtime.control.command_server import OFTEN
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.play import play_messages as asked

#: The angles that a pose consists of, in this order.
ANGLES = ("key", "whippen", "jack", "lever", "hammer", "damper")


def action_drawing(specification: Specification | None = None) -> dict[str, object]:
    """Polygons and circles [m] of each body in the pose of rest, hinges, and in which order and
    sense each turns."""
    spec = specification or Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    parts = action_outlines(spec, at)
    hinges = {name: [float(x) for x in getattr(at, name)] for name in ANGLES}
    return {
        "bounds": [LEFT, RIGHT, BOTTOM, TOP],
        "bodies": list(BODIES), "behind": BEHIND, "before": DRAWN_BEFORE, "falling": list(FALLING),
        "angles": list(ANGLES), "hinges": hinges, "damper head": spec.dimensions.damper_head,
        "colours": COLOURS,
        "shapes": {name: [_drawing_plain(shape) for shape in own] for name, own in parts.items()},
    }  # fmt: skip


def _drawing_plain(shape: PartOutline) -> dict[str, object]:
    points = [[round(float(x), 6) for x in point] for point in shape.points]
    return {"points": points, "material": shape.material, "radius": shape.radius}


KEPT = 20.0  # s, of the columns that are shown only: 17 MB for an octave


BEFORE, AFTER = 0.25, 0.35  # s around a strike that a replay shows


#: Columns of one key: s, m, N, rad; the state of the harpsichord's plectrum (0 below the string, 1
#: bent by it, 2 above it) and the height [m] of the ball, where a key has them, else 0.
SHOWN = ("time", "depth", "force", *ANGLES, "plectrum", "ball")


class StrokeRows:
    """Takes blocks of rows as a tap gives them, and gives those of one key."""

    def __init__(self, notes: tuple[int, ...]) -> None:
        self._notes = notes
        self._blocks: deque[np.ndarray] = deque()  # (ticks, keys, SHOWN)
        self._columns: tuple[str, ...] = ()
        self._places = np.zeros(0, dtype=int)
        self._lock = threading.Lock()

    def take(self, rows: np.ndarray, columns: tuple[str, ...]) -> np.ndarray:
        """A block of ticks; gives what is kept of it, (ticks, keys, SHOWN)."""
        if columns != self._columns:
            self._columns = columns
            self._places = np.array([_places(note, columns) for note in self._notes])
        shown = np.where(self._places < 0, 0.0, rows[:, self._places])
        shown[:, :, SHOWN.index("depth")] *= FRONT
        with self._lock:
            self._blocks.append(shown)
            while self._blocks[0][-1, 0, 0] < shown[-1, 0, 0] - KEPT:
                self._blocks.popleft()
        return shown

    def between(self, note: int, begin: float, end: float) -> np.ndarray:
        """All rows of a key between two times [s], in the order `SHOWN`."""
        with self._lock:
            blocks = [each for each in self._blocks if begin <= each[-1, 0, 0]]
        if not blocks:
            return np.empty((0, len(SHOWN)))
        rows = np.concatenate(blocks)[:, self._notes.index(note)]
        return rows[(rows[:, 0] >= begin) & (rows[:, 0] <= end)]


def _places(note: int, columns: tuple[str, ...]) -> list[int]:
    """Where the columns `SHOWN` of a key are, -1 for those that it doesn't have."""
    own = ("key", "finger force", *(f"action/{angle}" for angle in ANGLES), "plectrum", "ball")
    names = ("time", *(f"{note_name(note)}/{x}" for x in own))
    return [columns.index(name) if name in columns else -1 for name in names]


POINTS = 240  # of each side of a curve that is drawn


SPEED = 0.02  # m/s: as slow as weights can be told, so that a curve is there in a quarter second


CALM = 0.2  # s that a key must be in focus before a first curve of it is computed


@dataclass(frozen=True)
class _Question:
    """What a key is, its screws as they are, and as it was made."""

    note: int
    instrument: str
    screws: Mapping[str, float]
    made: Mapping[str, float]


class Curves:
    """Presses the action, or another voice, slowly whenever somebody asks; of several questions
    only the latest is answered. `answer` gets the curve as plain data, in a thread of its own."""

    def __init__(self, answer: Callable[[dict[str, object]], None]) -> None:
        self._answer = answer
        self._asked: _Question | None = None
        self._changed, self._ended = threading.Condition(), False
        self._system: System | None = None
        # of keys and instruments, with the screws as made
        self._usual: dict[tuple[int, str], dict[str, object]] = {}
        self.last: dict[str, object] | None = None
        self._thread = threading.Thread(target=self._serve, name="touchback-curve", daemon=True)
        self._thread.start()

    def ask(
        self, note: int, instrument: str, screws: Mapping[str, float], made: Mapping[str, float]
    ) -> None:
        """The curve of the key of a MIDI note as an instrument with these screws, soon, beside that
        as `made`."""
        with self._changed:
            self._asked = _Question(note, instrument, dict(screws), dict(made))
            self._changed.notify()

    def stop(self) -> None:
        """Answers no more."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._wanted)
                asked, self._asked = self._asked, None
                while asked is not None and (asked.note, asked.instrument) not in self._usual:
                    if not self._changed.wait_for(self._wanted, CALM):
                        break  # fingers stay here; on their way over keys they would be too many
                    asked, self._asked = self._asked, None
                if self._ended or asked is None:
                    return
            self.last = self._answered(asked)
            self._answer(self.last)

    def _wanted(self) -> bool:
        return self._ended or self._asked is not None

    def _answered(self, asked: _Question) -> dict[str, object]:
        key = asked.note, asked.instrument
        if key not in self._usual:
            self._usual[key] = self._curve(asked.instrument, asked.made)
        usual = self._usual[key]
        same = asked.screws == asked.made
        curve = usual if same else self._curve(asked.instrument, asked.screws)
        named = {
            "note": asked.note, "key": note_name(asked.note), "instrument": asked.instrument,
        }  # fmt: skip
        return {**curve, **named, "usual": usual, "screws": dict(asked.screws)}

    def _curve(self, instrument: str, screws: Mapping[str, float]) -> dict[str, object]:
        try:
            if instrument != "piano":
                return _plain(feel_voice(instrument, screws, SPEED))
            self._system = self._system or slow_press(speed=SPEED)
            return _plain(force_curve(self._system, screws))
        except TouchbackError as error:
            return {"error": str(error)}


def _plain(curve: ForceCurve | KeyCurve) -> dict[str, object]:
    """Depth [m] and force [N] of both sides, stages [m] and what they are; of the piano weights
    [kg] and the let-off besides."""
    if isinstance(curve, ForceCurve):
        ways, legend = {"down": curve.down, "up": curve.up}, PIANO_LEGEND
        stages = curve.stages
        own: dict[str, object] = {"let-off": curve.let_off, "weights": curve.weights}
    else:
        ways, legend, stages, own = curve.sides, curve.legend, curve.marks, {}
    sides = {}
    for name, (depth, force) in ways.items():
        some = np.linspace(0, len(depth) - 1, min(POINTS, len(depth))).astype(int)
        sides[name] = [np.round(depth[some], 7).tolist(), np.round(force[some], 4).tolist()]
    named = {name: legend[name] for name in stages}
    return {**sides, **own, "stages": stages, "legend": named}


#: What the keys can be, and the kind of string that sounds.
INSTRUMENTS = {
    "piano": "struck", "harpsichord": "plucked", "organ": "blown", "ball": "struck",
    "wall": "struck", "measured": "struck", "synthesizer": "struck",
}  # fmt: skip


ALL_WALLS = "walls"  # the voice that has every wall


#: What they can be instead: every wall takes as long as many pianos, so they are there when asked.
WALLS = {"piano": "struck"} | {name: "struck" for name in WALL_VOICES if name != ALL_WALLS}


def instruments_beside(instrument: str) -> dict[str, str]:
    """All instruments of a page that begins with one, and their strings."""
    for each in (INSTRUMENTS, WALLS):
        if instrument in each:
            return each
    known = [*INSTRUMENTS, *WALLS]
    raise InputError(f"There is no instrument '{instrument}'; {suggestion(instrument, known)}")


def voices_of(instruments: Mapping[str, str]) -> list[str]:
    """The voices that a key needs for all of them."""
    return list(dict.fromkeys(ALL_WALLS if name in WALL_VOICES else name for name in instruments))


def settings(instrument: str, instruments: Mapping[str, str], key: System) -> dict[str, float]:
    """The parameters of a key for an instrument of these: its voice and, of a wall, which one
    and what it is told, as the voice of that name is."""
    if instrument not in instruments:
        raise InputError(
            f"There is no instrument '{instrument}'; {suggestion(instrument, instruments)}"
        )
    voices = voices_of(instruments)
    if instrument in voices:
        return {"voice": float(voices.index(instrument))}
    law = instrument.removeprefix("wall-")
    laws, senses = (choices(key)[name] for name in ("wall", "wall sense"))
    return {
        "voice": float(voices.index(ALL_WALLS)),
        "wall choice": float(laws.index("wall" if law == "standard" else law)),
        "wall sense choice": float(senses.index("counting" if law == "balanced" else "observer")),
    }


class Hands:
    """Sets fingers out on the keys of a run with so many ticks a second."""

    def __init__(self, live: Live, rate: float) -> None:
        self._live, self._rate = live, rate
        self._held: dict[int, Stroke] = {}
        self.touches: KeyTouches | None = None  # how the piano answers to efforts, when it is known

    def learn(self) -> None:
        """How hard fingers must play for what MIDI asks: found by pressing keys offline."""
        self.touches = graded_touches("piano", rate=self._rate)

    def stroke(self, note: int, effort: float | None, velocity: int | None) -> float:
        """A finger sets out on a key, as hard as told or as a velocity asks; gives its effort."""
        own = 0.5 if effort is None else effort
        if velocity is not None:
            known = self.touches
            own = (
                known.effort_for(tb.devices.midi.speed_of(velocity), note)
                if known
                else velocity / 127.0
            )
        # Two ticks from now: all five inputs are there before it begins.
        start = self._live.read("time") + 2.0 / self._rate
        self._held[note] = Stroke.of(start, note, own, stay=LONGEST_STAY)
        self.do(self._held[note])
        return own

    def lift(self, note: int) -> None:
        """The finger leaves a key, if it is there."""
        stroke = self._held.pop(note, None)
        if stroke is not None:
            stay = max(self._live.read("time") - stroke.time - stroke.press, SHORTEST_STAY)
            self.do(replace(stroke, stay=stay))

    def do(self, stroke: Stroke) -> None:
        """Gives the run a stroke's inputs."""
        name, inputs = note_name(stroke.note), dict(stroke.inputs)
        start = inputs.pop("finger start")
        for key, value in inputs.items():
            self._live[f"{name}/{key}"] = value
        self._live[f"{name}/finger start"] = start  # last: it sets the finger out


class Regulating:
    """Turns screws on keys of some notes and remembers what was turned, as a `Regulation`."""

    def __init__(self, system: System, notes: tuple[int, ...], regulation: Regulation) -> None:
        self.screws = screws_of(system.replica.model.all_parameters())
        regulation.check(self.screws, "Regulation")
        self.notes, self.regulation = notes, regulation
        self._graded = {
            note: {name: system.parameters[_parameter(note, name)] for name in self.screws}
            for note in notes
        }

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the keyboard that a run with this regulation begins with."""
        return {
            _parameter(note, name): value
            for note in self.notes
            for name, value in self.regulation.screws_of(note).items()
        }

    def graded(self, note: int) -> Mapping[str, float]:
        """The screws of a key as it was made."""
        return self._graded[note]

    def values(self, note: int) -> dict[str, float]:
        """The screws of a key as they are."""
        return {**self._graded[note], **self.regulation.screws_of(note)}

    def facts(self, note: int) -> list[dict[str, object]]:
        """The screws of a key, for a page."""
        values, usual = self.values(note), self._graded[note]
        return [
            {
                "name": name, "unit": each.unit, "usual": usual[name], "min": each.min,
                "max": each.max, "value": values[name], "of": voices_with(name),
                "about": SCREW_SENTENCES.get(name, ""),
            }
            for name, each in self.screws.items()
        ]  # fmt: skip

    def turn(self, live: Live, name: str, value: float | None, note: int | None) -> None:
        """Turns a screw of all keys, or of that of a note, at one tick; None: as it was made."""
        if name not in self.screws:
            raise InputError(f"There is no screw '{name}'; {suggestion(name, self.screws)}")
        new = self.regulation.with_screw(name, value, note)
        new.check(self.screws, "Regulation")
        before, self.regulation = self.regulation, new
        try:
            live.change({_parameter(own, name): self.values(own)[name] for own in self.notes})
        except BaseException:
            self.regulation = before
            raise


def _parameter(note: int, screw: str) -> str:
    return f"{note_name(note)}/{screw_parameter(screw)}"


OCTAVE = tuple(range(60, 73))  # middle C to the C above


DEEPEST = 0.05  # m that a pointer may wish: far below the bed, as a finger that plays loudly


Tell = Callable[[str, Facts], None]


Passage = Callable[[float], Sequence[Gesture]]  # what is played from a time [s] of the model on


def nobody(kind: str, facts: Facts) -> None:
    """Who is told when no page is there."""


class PianoPage:
    """Keys of some notes, live, with a command server. `tell` is called, from threads of the
    board's own, with what pages must know: strikes, damped notes, the instrument, screws, curves;
    `shown` with rows of the key in focus and the depths of all, sixty times a second. `script`
    gives what the scripted finger plays, else it is the passage on white keys. It is a context
    manager."""

    def __init__(
        self,
        notes: tuple[int, ...] = OCTAVE,
        rate: float = 1000.0,
        instrument: str = "piano",
        script: Passage | None = None,
        speed: float | None = 1.0,
        regulation: Regulation = DEFAULT_REGULATION,
    ) -> None:
        self.instruments = instruments_beside(instrument)
        self.keys = make_keyboard(notes, *voices_of(self.instruments), rate=rate, by_hand=True)
        self.regulating = Regulating(self.keys.system, self.keys.notes, regulation)
        self.notes, self.instrument, self.focus = self.keys.notes, instrument, self.keys.notes[0]
        self.heard: list[HeardNote] = []  # the last thousand of
        self.struck = 0  # notes in all
        self.ear: Callable[[HeardNote], None] = lambda heard: None
        self.tell: Tell = nobody
        self.shown: Callable[[np.ndarray, np.ndarray, int], None] = lambda row, keys, note: None
        self.live: Live = live(
            self.keys.system, rate=rate, substeps=self.keys.substeps, method=KEYBOARD_METHOD,
            speed=speed,
            parameters={
                **self._settings(instrument),
                **self.regulating.parameters,
            },
        )  # fmt: skip
        self.hands = Hands(self.live, rate)
        self.commands = CommandServer(
            self.live, Exposed(inputs=False, parameters=False, hands=False, structure=False)
        )
        self.rows = StrokeRows(self.notes)
        self.curves = Curves(lambda facts: self.tell("curve", facts))
        self._passage, self._playing = script or self._on_white_keys, 0.0
        self._fingers: Fingers = _idle
        ear = NoteCallbacks(self._begins, damped=self._damps)
        self._ear = Listener(self.live, self.notes, ear, self._look)
        self._add_messages()

    def _add_messages(self) -> None:
        self.commands.add(asked.Board, self._board)
        self.commands.add(asked.Press, self.press, OFTEN)
        self.commands.add(asked.Stroke, self._stroke, OFTEN)
        self.commands.add(asked.Lift, self._lift, OFTEN)
        self.commands.add(asked.Pedal, self._pedal, OFTEN)
        self.commands.add(asked.Instrument, self._switch)
        self.commands.add(asked.Screw, self._turn)
        self.commands.add(asked.Regulation, self._regulation)
        self.commands.add(asked.Focus, self._look_at)
        self.commands.add(asked.Last, self._last)
        self.commands.add(asked.Passage, self._play_passage)

    # ---- its life -------------------------------------------------------------------------------

    def __enter__(self) -> PianoPage:
        self.live.start()
        self._tap = self.live.tap(self._rows)
        self._ear.start()
        self._ask_curve()
        threading.Thread(target=self.hands.learn, name="touchback-touches", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ear.stop()
        self.curves.stop()
        self.live.stop()

    @property
    def playing(self) -> bool:
        """Whether the scripted finger has still to play."""
        return self.live.read("time") < self._playing

    def start_passage(self) -> float:
        """Lets the scripted finger play, from now on; gives when it will be done [s]."""
        strokes = self._passage(max(self.live.read("time") + 0.05, SETTLING_TIME))
        self._fingers = script_fingers(strokes)
        fingers = [each for each in strokes if isinstance(each, Stroke)]
        self._playing = max(s.time + s.press + s.stay + s.leave for s in fingers)
        self.tell("passage", {"playing": True})
        return self._playing

    def _on_white_keys(self, start: float) -> list[Stroke]:
        white = [note for note in self.notes if "#" not in NOTE_NAMES[note % 12]]
        return passage_on(white or self.notes, start)

    # ---- what is asked --------------------------------------------------------------------------

    def _board(self, message: asked.Board, client: str) -> Facts:
        return {
            "notes": [{"note": note, "name": note_name(note)} for note in self.notes],
            "instruments": list(self.instruments), "instrument": self.instrument,
            "strings": self.instruments, "focus": self.focus, "softest": SOFTEST,
            "deepest": DEEPEST,
            "rate": self.keys.rate, "playing": self.playing,
            "screws": self.regulating.facts(self.focus), "columns": list(SHOWN),
            "action": action_drawing(), "curve": self.curves.last,
            "pedals": {name: self.live[name] for name in PEDALS},
            "table": _measured_table() if "measured" in self.instruments else None,
        }  # fmt: skip

    def press(self, message: asked.Press, client: str) -> Facts:
        name = self._key(message.note)
        self._show(message.note)
        self.live[f"{name}/finger wish"] = min(message.depth, DEEPEST)
        return {"tick": self.live.ticks}

    def _stroke(self, message: asked.Stroke, client: str) -> Facts:
        self._key(message.note)
        self._show(message.note)
        effort = self.hands.stroke(message.note, message.effort, message.velocity)
        return {"tick": self.live.ticks, "effort": effort}

    def _lift(self, message: asked.Lift, client: str) -> Facts:
        self._key(message.note)
        self.hands.lift(message.note)
        return {"tick": self.live.ticks}

    def _pedal(self, message: asked.Pedal, client: str) -> Facts:
        self._step(message.pedal, message.place)
        return {"tick": self.live.ticks}

    def _step(self, pedal: str, place: float) -> None:
        self.live[pedal] = place
        self.tell("pedal", {"pedal": pedal, "place": place})

    def _switch(self, message: asked.Instrument, client: str) -> Facts:
        self.choose(message.name)
        self.tell("instrument", {"name": message.name})
        return {"instrument": message.name, "tick": self.live.ticks}

    def choose(self, instrument: str) -> None:
        """Another instrument on all keys, from the next tick on; nobody is told."""
        self.live.change(self._settings(instrument))
        self.instrument = instrument
        self._ask_curve()

    def _settings(self, instrument: str) -> dict[str, float]:
        own = settings(instrument, self.instruments, self.keys.system.replica)
        return {f"{note_name(note)}/{x}": each for note in self.notes for x, each in own.items()}

    def _turn(self, message: asked.Screw, client: str) -> Facts:
        if message.note is not None:
            self._key(message.note)
        self.regulating.turn(self.live, message.name, message.value, message.note)
        values = self.regulating.values(self.focus)
        told = {"name": message.name, "value": values[message.name]}
        self.tell("screw", told)
        self._ask_curve()
        return {**told, "tick": self.live.ticks}

    def _regulation(self, message: asked.Regulation, client: str) -> Facts:
        note = self.focus if message.note is None else message.note
        self._key(note)
        regulating = self.regulating
        return {"text": regulating.regulation.text(), "screws": regulating.facts(note)}

    def _look_at(self, message: asked.Focus, client: str) -> Facts:
        self._key(message.note)
        self._show(message.note)
        return {"focus": message.note}

    def _last(self, message: asked.Last, client: str) -> Facts:
        note = self.focus
        strike = next((each for each in reversed(self.heard) if each.note == note), None)
        if strike is None:
            raise InputError(f"{note_name(note)} hasn't struck yet; play it, then look back.")
        found = self.rows.between(note, strike.time - BEFORE, strike.time + AFTER)
        if not len(found):
            raise InputError(
                f"The last stroke of {note_name(note)} is too long ago; play it again."
            )
        return {
            "note": note, "strike": strike.time, "speed": strike.loudness, "columns": list(SHOWN),
            "rows": np.round(found, 7).tolist(),
        }  # fmt: skip

    def _play_passage(self, message: asked.Passage, client: str) -> Facts:
        if message.play:
            return {"until": self.start_passage()}
        self._fingers, self._playing = _idle, 0.0
        self.tell("passage", {"playing": False})
        return {}

    def _key(self, note: int) -> str:
        if note not in self.notes:
            raise InputError(
                f"The keyboard has no {note_name(note)} (note {note}); its keys are "
                f"{note_name(self.notes[0])} to {note_name(self.notes[-1])}."
            )
        return note_name(note)

    def _show(self, note: int) -> None:
        """Puts a key in focus: each has a curve of its own."""
        if note != self.focus:
            self.focus = note
            self._ask_curve()

    def _ask_curve(self) -> None:
        note, regulating = self.focus, self.regulating
        now, made = (
            {
                name: value
                for name, value in each(note).items()
                if self.instrument in voices_with(name)
            }
            for each in (regulating.values, regulating.graded)
        )
        self.curves.ask(note, self.instrument, now, made)

    # ---- what it tells --------------------------------------------------------------------------

    def _begins(self, heard: HeardNote) -> None:
        self.struck += 1
        self.heard.append(heard)
        del self.heard[:-1000]
        self.ear(heard)
        self.tell(
            "strike",
            {
                "note": heard.note, "loudness": heard.loudness, "time": heard.time,
                "string": self._string(heard), "published": heard.published,
                "noticed": heard.noticed, "tick": 1.0 / self.keys.rate,
            },
        )  # fmt: skip

    def _string(self, heard: HeardNote) -> str:
        shifted = self.instrument == "piano" and heard.una_corda >= UNA_CORDA_THRESHOLD
        return "una corda" if shifted else self.instruments[self.instrument]

    def _damps(self, note: int, time: float, share: float) -> None:
        self.tell("damped", {"note": note, "share": share})

    def _look(self, now: float) -> None:
        for gesture in self._fingers(now):
            if isinstance(gesture, Foot):
                self._step(gesture.pedal, gesture.place)
                continue
            self._show(gesture.note)
            self.hands.do(gesture)
        if 0.0 < self._playing <= now:
            self._fingers, self._playing = _idle, 0.0
            self.tell("passage", {"playing": False})

    def _rows(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        shown, note = self.rows.take(rows, columns), self.focus
        self.shown(shown[:, self.notes.index(note)], shown[-1, :, 1:3], note)


def _idle(now: float) -> Sequence[Gesture]:
    return []


def _measured_table() -> Facts:
    """The forces [N] of the measured action over depth [m] and speed [m/s], row by row of depth."""
    table = measured_action()
    return {
        "positions": list(table.positions), "velocities": list(table.velocities),
        "forces": list(table.forces),
    }  # fmt: skip

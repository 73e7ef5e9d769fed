"""The live keyboard behind the piano page: what can be asked of it, and what it tells."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from touchback.devices.midi import speed_of
from touchback.errors import InputError
from touchback.gallery.keyboard.keys import NAMES, note_name
from touchback.gallery.keyboard.listener import Ear, Listener
from touchback.gallery.keyboard.player import (
    METHOD,
    SETTLING,
    Fingers,
    make_keyboard,
    scripted,
    touches,
)
from touchback.gallery.keyboard.strikes import SOFTEST
from touchback.gallery.keyboard.strokes import SHORTEST_STAY, Heard, Touches, passage
from touchback.gallery.keyboard.strokes import Stroke as Gesture
from touchback.model.names import suggestion
from touchback.realtime import Live, live
from touchback.realtime.control import Desk, Exposed
from touchback.realtime.control.desk import OFTEN
from touchback.realtime.control.messages import Facts
from touchback.workbench.play import messages as asked
from touchback.workbench.play.action_drawing import action_drawing
from touchback.workbench.play.curves import Curves
from touchback.workbench.play.instruments import INSTRUMENTS, screws, voice_number
from touchback.workbench.play.stroke_rows import AFTER, BEFORE, SHOWN, StrokeRows

OCTAVE = tuple(range(60, 73))  # middle C to the C above
_FOR_EVER = 1e6  # s
DEEPEST = 0.05  # m that a pointer may wish: far below the bed, as a finger that plays loudly

Tell = Callable[[str, Facts], None]
Passage = Callable[[float], list[Gesture]]  # strokes that begin at a time [s] of the model


def nobody(kind: str, facts: Facts) -> None:
    """Who is told when no page is there."""


class PianoBoard:
    """Keys of some notes, live, with a desk. `tell` is called, from threads of the board's own,
    with what pages must know: strikes, damped notes, the instrument, screws, curves; `shown` with
    rows of the key in focus and the depths of all, sixty times a second. `script` gives what the
    scripted finger plays, else it is the passage on white keys. It is a context manager."""

    def __init__(
        self,
        notes: tuple[int, ...] = OCTAVE,
        rate: float = 1000.0,
        instrument: str = "piano",
        script: Passage | None = None,
        speed: float | None = 1.0,
    ) -> None:
        self.keys = make_keyboard(notes, *INSTRUMENTS, rate=rate, by_hand=True)
        self.notes, self.instrument, self.focus = self.keys.notes, instrument, self.keys.notes[0]
        self.heard: list[Heard] = []  # the last thousand of
        self.struck = 0  # notes in all
        self.ear: Callable[[Heard], None] = lambda heard: None
        self.tell: Tell = nobody
        self.shown: Callable[[np.ndarray, np.ndarray, int], None] = lambda row, keys, note: None
        self.touches: Touches | None = None  # how the piano answers to efforts, when it is known
        voice = float(voice_number(instrument))
        self.live: Live = live(
            self.keys.system, rate=rate, substeps=self.keys.substeps, method=METHOD, speed=speed,
            parameters={f"{note_name(note)}/voice": voice for note in self.notes},
        )  # fmt: skip
        self.desk = Desk(
            self.live, Exposed(inputs=False, parameters=False, hands=False, structure=False)
        )
        self.rows = StrokeRows(self.notes)
        self.curves = Curves(lambda facts: self.tell("curve", facts))
        self._passage, self._playing = script or self._on_white_keys, 0.0
        self._fingers: Fingers = _idle
        self._held: dict[int, Gesture] = {}
        self._ear = Listener(self.live, self.notes, Ear(self._begins, self._ends), self._look)
        self._screws = screws(self.keys.system.one.model.all_parameters())
        self._add_messages()

    def _add_messages(self) -> None:
        self.desk.add(asked.Board, self._board)
        self.desk.add(asked.Press, self.press, OFTEN)
        self.desk.add(asked.Stroke, self._stroke, OFTEN)
        self.desk.add(asked.Lift, self._lift, OFTEN)
        self.desk.add(asked.Instrument, self._switch)
        self.desk.add(asked.Screw, self._turn)
        self.desk.add(asked.Focus, self._look_at)
        self.desk.add(asked.Last, self._last)
        self.desk.add(asked.Passage, self._play_passage)

    # ---- its life -------------------------------------------------------------------------------

    def __enter__(self) -> PianoBoard:
        self.live.start()
        self._tap = self.live.tap(self._rows)
        self._ear.start()
        self.curves.ask({})
        threading.Thread(target=self._learn, name="touchback-touches", daemon=True).start()
        return self

    def _learn(self) -> None:
        """How hard fingers must play for what MIDI asks: found by pressing a key offline."""
        self.touches = touches("piano", rate=self.keys.rate)

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
        strokes = self._passage(max(self.live.read("time") + 0.05, SETTLING))
        self._fingers = scripted(strokes)
        self._playing = max(s.time + s.press + s.stay + s.leave for s in strokes)
        self.tell("passage", {"playing": True})
        return self._playing

    def _on_white_keys(self, start: float) -> list[Gesture]:
        white = [note for note in self.notes if "#" not in NAMES[note % 12]]
        return passage(white or self.notes, start)

    # ---- what is asked --------------------------------------------------------------------------

    def _board(self, message: asked.Board, client: str) -> Facts:
        return {
            "notes": [{"note": note, "name": note_name(note)} for note in self.notes],
            "instruments": list(INSTRUMENTS), "instrument": self.instrument,
            "strings": INSTRUMENTS, "focus": self.focus, "softest": SOFTEST, "deepest": DEEPEST,
            "rate": self.keys.rate, "playing": self.playing,
            "screws": [
                {"name": name, **facts, "value": self._value(name)}
                for name, facts in self._screws.items()
            ],
            "columns": list(SHOWN), "action": action_drawing(), "curve": self.curves.last,
            "usual": self.curves.usual,
        }  # fmt: skip

    def press(self, message: asked.Press, client: str) -> Facts:
        name = self._key(message.note)
        self.focus = message.note
        self.live[f"{name}/finger wish"] = min(message.depth, DEEPEST)
        return {"tick": self.live.ticks}

    def _stroke(self, message: asked.Stroke, client: str) -> Facts:
        self._key(message.note)
        self.focus = message.note
        effort = 0.5 if message.effort is None else message.effort
        if message.velocity is not None:
            effort = self._effort(message.velocity)
        # Two ticks from now: all five inputs are there before it begins.
        start = self.live.read("time") + 2.0 / self.keys.rate
        gesture = Gesture.of(start, message.note, effort, stay=_FOR_EVER)
        self._held[message.note] = gesture
        self._do(gesture)
        return {"tick": self.live.ticks, "effort": effort}

    def _effort(self, velocity: int) -> float:
        if self.touches is None:
            return velocity / 127.0
        return self.touches.effort_for(speed_of(velocity))

    def _lift(self, message: asked.Lift, client: str) -> Facts:
        self._key(message.note)
        gesture = self._held.pop(message.note, None)
        if gesture is not None:
            stay = max(self.live.read("time") - gesture.time - gesture.press, SHORTEST_STAY)
            self._do(replace(gesture, stay=stay))
        return {"tick": self.live.ticks}

    def _do(self, gesture: Gesture) -> None:
        name = note_name(gesture.note)
        inputs = dict(gesture.inputs)
        start = inputs.pop("finger start")
        for key, value in inputs.items():
            self.live[f"{name}/{key}"] = value
        self.live[f"{name}/finger start"] = start  # last: it sets the finger out

    def _switch(self, message: asked.Instrument, client: str) -> Facts:
        self.choose(message.name)
        self.tell("instrument", {"name": message.name})
        return {"instrument": message.name, "tick": self.live.ticks}

    def choose(self, instrument: str) -> None:
        """Another instrument on all keys, from the next tick on; nobody is told."""
        voice = float(voice_number(instrument))
        self.live.change({f"{note_name(note)}/voice": voice for note in self.notes})
        self.instrument = instrument

    def _turn(self, message: asked.Screw, client: str) -> Facts:
        if message.name not in self._screws:
            raise InputError(
                f"There is no screw '{message.name}'; {suggestion(message.name, self._screws)}"
            )
        self.live.change(
            {f"{note_name(note)}/action/{message.name}": message.value for note in self.notes}
        )
        self.tell("screw", {"name": message.name, "value": message.value})
        self.curves.ask({name: self._value(name) for name in self._screws})
        return {"name": message.name, "value": message.value, "tick": self.live.ticks}

    def _value(self, screw: str) -> float:
        return self.live[f"{note_name(self.notes[0])}/action/{screw}"]

    def _look_at(self, message: asked.Focus, client: str) -> Facts:
        self._key(message.note)
        self.focus = message.note
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

    # ---- what it tells --------------------------------------------------------------------------

    def _begins(self, heard: Heard) -> None:
        self.struck += 1
        self.heard.append(heard)
        del self.heard[:-1000]
        self.ear(heard)
        self.tell(
            "strike",
            {
                "note": heard.note, "loudness": heard.loudness, "time": heard.time,
                "string": INSTRUMENTS[self.instrument], "published": heard.published,
                "noticed": heard.noticed, "tick": 1.0 / self.keys.rate,
            },
        )  # fmt: skip

    def _ends(self, note: int, time: float) -> None:
        self.tell("damped", {"note": note})

    def _look(self, now: float) -> None:
        for gesture in self._fingers(now):
            self.focus = gesture.note
            self._do(gesture)
        if 0.0 < self._playing <= now:
            self._fingers, self._playing = _idle, 0.0
            self.tell("passage", {"playing": False})

    def _rows(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        shown, note = self.rows.take(rows, columns), self.focus
        self.shown(shown[:, self.notes.index(note)], shown[-1, :, 1:3], note)


def _idle(now: float) -> list[Gesture]:
    return []

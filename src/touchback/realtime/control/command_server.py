"""The command server of a live run: the one way in for pages, scripts and other programs.

A message is read by its type, held to what the run exposed and to how often its client may ask, and
done; what came of it is the answer. Whatever the command server does is recorded and replayed by
the run. What a live run exposes is told as plain data.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from typing import TypeVar, cast

import msgspec

from touchback.errors import NO_JSON, InputError, TouchbackError
from touchback.model import active_constraints, choice_name
from touchback.names import unknown_name
from touchback.realtime.control.control_messages import (
    LONGEST,
    Addressed,
    Answer,
    Choose,
    Describe,
    Facts,
    Go,
    Id,
    Message,
    Pause,
    Read,
    Reset,
    Resume,
    Set,
    Speed,
    Step,
    Stop,
    Switch,
)
from touchback.realtime.control.permissions import Exposed, Rate, Rates, of_a_hand
from touchback.realtime.fault_log import words
from touchback.realtime.live import Live, choices
from touchback.realtime.port_guards import WatchedInput

Settable = Callable[[str, str], bool]
"""Whether a name of a kind may be set."""


def introspect(live: Live, exposed: Exposed, settable: Settable) -> dict[str, object]:
    """Names, units, ranges and values of what may be set; controls with their alternatives;
    constraints that may be switched; and signals to read, which everybody may."""
    system, now = live.system, live.snapshot()
    return {
        "model": system.name,
        "rate": live.spec.rate,
        "speed": live.spec.speed,
        "state": live.state,
        "tick": int(now["tick"]),
        "time": now["time"],
        "faults": list(live.faults),
        "inputs": _inputs(live, settable),
        "parameters": _parameters(live, settable),
        "controls": _controls(live, exposed),
        "constraints": _constraints(live, exposed),
        "outputs": _named(system.output_names, system.output_units),
        "states": _named(system.state_names, system.state_units),
        "energies": list(live.spec.energy),
        "structures": len(live.structures),
        "hands": _allowed(exposed.hands),
        "structure": _allowed(exposed.structure),
        "transport": _allowed(exposed.transport),
    }


def values_of(live: Live, exposed: Exposed) -> dict[str, float]:
    """The present values of exposed inputs and parameters."""
    kinds = {
        "inputs": live.system.input_names,
        "parameters": tuple(live.system.layout.parameters),
    }
    return {
        name: live[name]
        for kind, names in kinds.items()
        for name in names
        if exposed.allows(kind, name)
    }


def _allowed(given: object) -> object:
    return given if isinstance(given, bool) else list(given) if isinstance(given, tuple) else []


def _named(names: Sequence[str], units: Sequence[str]) -> list[dict[str, str]]:
    return [{"name": name, "unit": unit} for name, unit in zip(names, units, strict=True)]


def _end(value: float | None) -> float | None:
    """An end of a range, which JSON knows only when it is finite."""
    return value if value is not None and isfinite(value) else None


def _inputs(live: Live, settable: Settable) -> list[dict[str, object]]:
    system = live.system
    found: list[dict[str, object]] = []
    for name, known in zip(system.input_names, system.layout.input_ranges, strict=True):
        if settable("inputs", name):
            watched = live.spec.inputs.get(name, WatchedInput())
            found.append(
                {
                    "name": name,
                    "unit": known.unit,
                    "min": _end(watched.low if known.min is None else max(watched.low, known.min)),
                    "max": _end(
                        watched.high if known.max is None else min(watched.high, known.max)
                    ),
                    "default": known.default,
                    "value": live[name],
                }
            )
    return found


def _parameters(live: Live, settable: Settable) -> list[dict[str, object]]:
    layout = live.system.layout
    chosen = {choice_name(control) for control in choices(live.system)}
    return [
        {
            "name": name,
            "unit": known.unit,
            "min": _end(known.min),
            "max": _end(known.max),
            "default": known.default,
            "value": live[name],
        }
        for name, known in zip(layout.parameters, layout.ranges, strict=True)
        if settable("parameters", name) and name not in chosen
    ]


def _controls(live: Live, exposed: Exposed) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for name, known in choices(live.system).items():
        if exposed.allows("parameters", name):
            number = round(live[choice_name(name)]) if len(known) > 1 else 0
            found.append({"name": name, "alternatives": known, "chosen": known[number]})
    return found


def _constraints(live: Live, exposed: Exposed) -> list[dict[str, object]]:
    if live.system.names:
        return []
    model = live.system.model
    active = active_constraints(model)
    return [
        {"name": name, "active": name in active}
        for name in model.constraint_rows()
        if exposed.allows("structure", name)
    ]


_Kind = TypeVar("_Kind", bound=Message)
Handler = Callable[[_Kind, str], Facts]
"""What does a message of a client, and tells facts; refusals are raised, in our words."""

OFTEN = Rate(1000.0, 500)  # what a slider or a script changes as it goes
USUAL = Rate(50.0, 100)
SELDOM = Rate(5.0, 10)  # what is derived and compiled
_AWAITED = 10  # single ticks that an answer waits for


@dataclass(frozen=True)
class _Known:
    handler: Callable[[Message, str], Facts]
    rate: Rate | None
    any_time: bool


_LONGEST_WORD = 40  # letters of a message's word that an answer repeats
Governs = Callable[[str], tuple[str, Sequence[str]] | None]
"""Of an input's or a parameter's name: what else than itself must be exposed to set it (a kind, and
names of it); None where it stands for itself."""


class CommandServer:
    """What others may ask of a live run; from any thread."""

    _governs: tuple[Governs, ...] = ()

    def __init__(self, live: Live, exposed: Exposed | None = None) -> None:
        self.live, self.exposed = live, Exposed() if exposed is None else exposed
        self.rates = Rates()
        self._known: dict[type[Message], _Known] = {}
        self.add(Set, self._set, OFTEN)
        self.add(Choose, self._choose)
        self.add(Switch, self._switch, SELDOM)
        self.add(Pause, self._pause)
        self.add(Go, self._go)
        self.add(Step, self._step)
        self.add(Speed, self._speed)
        self.add(Reset, self.reset)
        self.add(Resume, self._resume)
        self.add(Stop, self._stop, None)  # nobody may be kept from it
        self.add(Describe, self._describe, any_time=True)
        self.add(Read, self._read_signals, OFTEN, any_time=True)

    def add(
        self,
        kind: type[_Kind],
        handler: Handler[_Kind],
        rate: Rate | None = USUAL,
        any_time: bool = False,
    ) -> None:
        """Another type of message and what does it, at most at a rate (None: as often as asked);
        `any_time`: also when the run has ended."""
        if not issubclass(kind, Message):
            raise InputError(f"A type of message is a subclass of Message, got {kind!r}.")
        tags = {_tag(each) for each in self._known if each is not kind}
        if _tag(kind) in tags:
            raise InputError(f"There is a message '{_tag(kind)}' already; choose another name.")
        done = cast(Callable[[Message, str], Facts], handler)
        self._known = {**self._known, kind: _Known(done, rate, any_time)}
        union = reduce(operator.or_, self._known)
        self._decoder = cast(msgspec.json.Decoder[Message], msgspec.json.Decoder(union))

    def govern(self, governs: Governs) -> None:
        """Inputs and parameters that are the numbers of something else (a hand, an icon): who may
        not move that may not `set` them either."""
        self._governs = (*self._governs, governs)

    def settable(self, kind: str, name: str) -> bool:
        """Whether an input or a parameter is exposed: by itself, or by what governs it."""
        return not self._kept(kind, name)

    def _kept(self, kind: str, name: str) -> tuple[str, str] | None:
        """What isn't exposed of what setting a name takes."""
        found = (governs(name) for governs in (self._of_hands, *self._governs))
        kind, names = next((each for each in found if each is not None), (kind, (name,)))
        return next(((kind, each) for each in names if not self.exposed.allows(kind, each)), None)

    def _of_hands(self, name: str) -> tuple[str, Sequence[str]] | None:
        """A hand's numbers are for those who may pull every body: it may hold any."""
        system = self.live.system
        return ("hands", tuple(system.model.bodies)) if of_a_hand(system, name) else None

    def handle(self, message: bytes | str | Message, client: str = "") -> Answer:
        """What comes of a message of a client, who is told apart by any name; never raises for what
        a message says."""
        try:
            asked = message if isinstance(message, Message) else self._read(message)
        except InputError as error:
            return Answer(_addressed(message), False, error=str(error))
        try:
            return Answer(asked.id, True, self._do(asked, client))
        except TouchbackError as error:
            return Answer(asked.id, False, error=str(error))
        except Exception as error:  # a handler's own fault must not end whoever serves clients
            return Answer(asked.id, False, error=f"'{_tag(type(asked))}' failed: {words(error)}.")

    def check(self, kind: str, name: str) -> None:
        """Refuses a name of a kind ("inputs", "parameters", "hands", "structure", "transport") that
        isn't exposed; for handlers."""
        self.exposed.check(kind, name)

    def _read(self, text: bytes | str) -> Message:
        size = len(text)
        if size > LONGEST:
            raise InputError(f"A message has at most {LONGEST} bytes, got {size}.")
        try:
            return self._decoder.decode(text)
        except NO_JSON as error:
            word = _word(text)
            if word and word not in map(_tag, self._known):
                raise self._unknown(word) from None
            raise InputError(f"The message can't be read: {_few(error)}.") from None

    def _unknown(self, word: str) -> InputError:
        """The error for a message that this server doesn't answer."""
        known = ", ".join(sorted(map(_tag, self._known)))
        return InputError(f"There is no message '{word}'; known: {known}.")

    def _do(self, asked: Message, client: str) -> Facts:
        known = self._known.get(type(asked))
        if known is None:
            raise self._unknown(_tag(type(asked)))
        if known.rate is not None:
            wait = self.rates.take(client, _tag(type(asked)), known.rate)
            if wait > 0.0:
                raise InputError(
                    f"Too many messages '{_tag(type(asked))}': {known.rate.per_second:g} a second "
                    f"are taken; wait {wait:.2g} s."
                )
        if not known.any_time and self.live.state not in ("running", "paused"):
            raise InputError(f"The live run is {self.live.state}; nothing can be asked of it.")
        return known.handler(asked, client)

    # ---- what every run knows -------------------------------------------------------------------

    def _set(self, asked: Set, client: str) -> Facts:
        system = self.live.system
        kinds = {"inputs": system.input_names, "parameters": system.layout.parameters}
        kind = next((kind for kind, names in kinds.items() if asked.name in names), None)
        if kind is None:
            settable = [
                name for kind, names in kinds.items() for name in names if self.settable(kind, name)
            ]
            raise unknown_name("input or parameter", asked.name, settable)
        if kept := self._kept(kind, asked.name):
            self.check(*kept)
        if asked.ramp is None:
            self.live[asked.name] = asked.value
        else:
            self.live.ramp(asked.name, asked.value, asked.ramp)
        return {"name": asked.name, "value": asked.value, "tick": self.live.ticks}

    def _choose(self, asked: Choose, client: str) -> Facts:
        self.check("parameters", asked.control)
        self.live.choose(asked.control, asked.alternative)
        return {"control": asked.control, "chosen": asked.alternative, "tick": self.live.ticks}

    def _switch(self, asked: Switch, client: str) -> Facts:
        for name in (*asked.activate, *asked.deactivate):
            self.check("structure", name)
        return self.live.switch(asked.activate, asked.deactivate).as_dict()

    def _pause(self, asked: Pause, client: str) -> Facts:
        self.check("transport", "pause")
        self.live.pause()
        return self._where()

    def _go(self, asked: Go, client: str) -> Facts:
        self.check("transport", "go")
        self.live.go()
        return self._where()

    def _step(self, asked: Step, client: str) -> Facts:
        self.check("transport", "step")
        self.live.step(asked.ticks, wait=asked.ticks <= _AWAITED)
        return self._where()

    def _speed(self, asked: Speed, client: str) -> Facts:
        self.check("transport", "speed")
        self.live.set_speed(asked.value)
        return {**self._where(), "speed": asked.value}

    def reset(self, asked: Reset, client: str) -> Facts:
        """Back to the start; for handlers that do more with it."""
        self.check("transport", "reset")
        self.live.reset()
        return self._where()

    def _where(self) -> Facts:
        now = self.live.snapshot()
        return {"state": self.live.state, "tick": int(now["tick"]), "time": now["time"]}

    def _resume(self, asked: Resume, client: str) -> Facts:
        self.check("transport", "resume")
        self.live.resume()
        return self._where()

    def _stop(self, asked: Stop, client: str) -> Facts:
        self.live.emergency_stop()
        return self._where()

    def _describe(self, asked: Describe, client: str) -> Facts:
        return introspect(self.live, self.exposed, self.settable)

    def _read_signals(self, asked: Read, client: str) -> Facts:
        now = self.live.snapshot()
        for name in asked.names:
            if name not in now:
                raise unknown_name("signal", name, now)
        wanted = asked.names or tuple(now)
        return {"tick": int(now["tick"]), "values": {name: now[name] for name in wanted}}


def _tag(kind: type[Message]) -> str:
    """The word of a type of message."""
    return str(kind.__struct_config__.tag)


class _Asked(msgspec.Struct):
    do: str = ""


def _word(text: bytes | str) -> str:
    """What a message that can't be read asks for; empty where not even that can be read."""
    try:
        return msgspec.json.decode(text, type=_Asked).do[:_LONGEST_WORD]
    except NO_JSON:
        return ""


def _few(error: Exception) -> str:
    """An error's text, without its end if it repeats a long message."""
    text = str(error).rstrip(".")
    return text if len(text) <= 300 else text[:299] + "…"


def _addressed(message: bytes | str | Message) -> Id:
    """The id of a message that can't be read, as far as it can."""
    if isinstance(message, Message):
        return message.id
    if len(message) > LONGEST:
        return None
    try:
        return msgspec.json.decode(message, type=Addressed).id
    except NO_JSON:
        return None

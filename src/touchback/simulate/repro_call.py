"""The call that repeats a run, as a line of Python after `import touchback as tb`.

It names `system`, and `run` where samples of inputs are kept in the run's metadata. What can't be
written, such as functions of Python's, it takes from a mapping `given`: the run's metadata say
under the same word what has to stand there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real

import msgspec

from touchback.model import Frame, Model
from touchback.model.frame import BodyHandle
from touchback.model.value import Data
from touchback.native import Formulation
from touchback.simulate.constraint_switching import Switch
from touchback.simulate.event_monitor import Event
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import METHODS, Solver
from touchback.symbolic.expression import Expr
from touchback.symbolic.text import to_text

Described = Event | Switch | Formulation
_FROM_THE_FACE = {"touchback.simulate": "tb", "touchback.native": "tb"}


def settings(spec: RunSpec, solver: Solver, events: Sequence[Event | Switch]) -> dict[str, object]:
    """What was asked of a run, as plain data, and the call that repeats it."""
    options, start = solver.options(), spec.x0.tolist()
    contacts = options.pop("contacts", None)
    plain = {
        "duration": spec.span.duration,
        "method": solver.word,
        **options,
        "start": spec.span.start or None,
    }
    writer = _Writer(spec.system.one.model)
    written = {name: writer.text(name, given) for name, given in plain.items() if given is not None}
    if type(METHODS.get(solver.word)) is not type(solver):  # no name stands for it
        written = {name: text for name, text in written.items() if name not in options}
        written["method"] = writer.text("method", solver)
    written |= writer.argument("constraints", spec.constraints)
    if spec.inputs.texts:
        written["inputs"] = _inputs(writer, spec.inputs.texts)
    parameters = spec.system.changed_parameters(spec.parameters)
    written |= writer.argument("parameters", parameters)
    written |= writer.argument("events", tuple(events))
    written |= writer.argument("contacts", contacts)
    written |= writer.argument("energy_balance", spec.energy_balance)
    call = ", ".join(f"{name}={text}" for name, text in written.items())
    return {
        "model": spec.system.name,
        **plain,
        "inputs": spec.inputs.texts,
        "parameters": parameters,
        "initial_state": start,
        "repro_call": f"tb.simulate(system, {start!r}, {call})",
        **({"given": writer.given} if writer.given else {}),
    }


def _inputs(writer: _Writer, told: Mapping[str, object]) -> str:
    """The argument that gives these inputs again; samples stay in the metadata of the run."""
    texts = {}
    for name, each in told.items():
        match each:
            case list():
                texts[name] = f"run.metadata['inputs'][{name!r}]"
            case str():
                texts[name] = writer.taken(f"input {name}", each)
            case _:
                texts[name] = repr(each)
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in texts.items()) + "}"


class _Writer:
    """Writes Python source; `given` tells of what it can't write, by the word under which the
    source takes it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.given: dict[str, str] = {}

    def argument(self, name: str, given: object) -> dict[str, str]:
        """The text of an argument, where there is anything to give."""
        return {name: self.text(name, given)} if given else {}

    def taken(self, word: str, told: str) -> str:
        """What has to be given again."""
        self.given[word] = told
        return f"given[{word!r}]"

    def text(self, word: str, given: object) -> str:
        """What was given; `word` stands for it where it can't be written."""
        match given:
            case None | bool() | str():
                return repr(given)
            case Integral():
                return repr(int(given))
            case Real():
                return repr(float(given))
            case Expr():
                return self._expression(word, given)
            case BodyHandle():
                return self.text(word, Frame(given.name))
            case Mapping():
                items = [f"{key!r}: {self.text(f'{word} {key}', x)}" for key, x in given.items()]
                return "{" + ", ".join(items) + "}"
            case tuple() | list():
                items = [self.text(f"{word} {i}", x) for i, x in enumerate(given)]
                return f"({', '.join(items)}{',' * (len(items) == 1)})"
            case Event():
                return self._made(f"event {given.name}", given)
            case Data() | Switch() | Formulation():
                return self._made(word, given)
        kind = "a function" if callable(given) else f"an object of type {type(given).__name__}"
        return self.taken(word, kind)

    def _made(self, word: str, given: Data | Described) -> str:
        """The call of a class that rooms of ours export; what is as usual is left away."""
        kind, room = type(given), ".".join(type(given).__module__.split(".")[:2])
        if getattr(sys.modules.get(room), kind.__name__, None) is not kind:
            return self.taken(word, f"an object of type {kind.__name__}")
        found = []
        for name, usual in _usual(given).items():
            value = getattr(given, name)
            if value is not usual and (text := self.text(f"{word} {name}", value)) != repr(usual):
                found.append(f"{name}={text}")
        home = _FROM_THE_FACE.get(room, room.replace("touchback", "tb", 1))
        return f"{home}.{kind.__name__}({', '.join(found)})"

    def _expression(self, word: str, given: Expr) -> str:
        """By its text, unless that is too long for one line or looks things up in tables that have
        no name."""
        names = {id(table): name for name, table in self._model.tables.items()}
        try:
            shared, (text,) = to_text(given.tape, [given.id], table=lambda x: names[id(x)])
        except KeyError:
            shared, text = {"": ""}, ""
        if shared:
            return self.taken(word, "an expression of the model")
        return f"system.model.expression({text!r})"


def _usual(given: Data | Described) -> dict[str, object]:
    """Fields with what they are when they aren't given."""
    each_of = msgspec.structs.fields(given) if isinstance(given, Data) else fields(given)
    return {each.name: each.default for each in each_of}

"""A model as Python source that a person would have written: parameters first, bodies and what
expressions use as variables, only what differs from defaults. Running it gives the same model in
`m`; nothing of ours ever runs such a file.

Each named thing is one statement. Statements come section by section, but whatever a statement uses
stands before it, and the things of a section keep their order: so equations come out alike, bit by
bit. Where things refer to each other in a circle (which a model file allows), a signal is named on
the model's tape before it is described.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

from msgspec.structs import FieldInfo, fields

from touchback.errors import ModelError
from touchback.model.body import Body
from touchback.model.closures import ClosureKind
from touchback.model.field_traversal import expressions_of, frames_of, usual_value
from touchback.model.frame import GROUND, Frame
from touchback.model.io.source_layout import (
    Names,
    Source,
    SourceList,
    call,
    component_literal,
    flat,
    layout_lines,
    number_literal,
    text_literal,
    texts_list,
    tuple_of,
)
from touchback.model.joints.base import Axis, JointKind
from touchback.model.joints.joint import OPTIONS, Joint, limit_names
from touchback.model.modes import Transition
from touchback.model.parameters_and_signals import MODE, BaseMotion, Parameter
from touchback.model.value_or_expression import Data, Value
from touchback.symbolic import FUNCTIONS, LOOKUP1, LOOKUP2, Expr, Notation, Table, Want, to_text

if TYPE_CHECKING:
    from touchback.model.model import Model, Part

WIDTH = 100  # columns of a line
_LONG = 72  # characters of an expression before it becomes a variable
_ROOMS = tuple(f"touchback.{room}" for room in ("contact", "vehicle", "instruments", "haptics"))
_USUAL_GRAVITY = (0.0, 0.0, -9.81)

Key = tuple[str, str]  # section and name of a thing


def python_text(model: Model) -> str:
    """Python source that describes a model again, as `m`. Raises ModelError with the name of a
    thing that has no source: of a class that can't be imported, or with a value of no such kind."""
    model = model.described or model
    library = _Library()
    body = _ModelSource(model, library, library.names).lines("m")
    imports = ["import touchback as tb", *sorted(library.imports)]
    made = [line for lines in library.functions for line in [*lines, "", ""]]
    return "\n".join([*imports, "", *([""] if made else []), *made, *body]) + "\n"


# ---- the models of parts, and classes ------------------------------------------------------------


@dataclass
class _Library:
    """Models of parts, each a function and a variable of the file; and what is imported."""

    functions: list[list[str]] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    classes: dict[type, str] = field(default_factory=dict)  # that are imported, by their names
    everywhere: set[str] = field(default_factory=set)
    variables: dict[int, str] = field(default_factory=dict)
    models: list[Model] = field(default_factory=list)  # kept, so that each identity is one model

    def __post_init__(self) -> None:
        self.names = self.scope()

    def scope(self) -> Names:
        """Names of a new scope."""
        return Names(self.everywhere, self.classes.values())

    def variable(self, model: Model) -> str:
        """The variable that holds a part's model, made on first use."""
        if id(model) not in self.variables:
            inner = _ModelSource(model, self, self.scope()).lines("m", "    ")
            made = self.names.new(f"make {model.name}", "model")
            known = self.variables[id(model)] = self.names.new(model.name, "model")
            self.models.append(model)
            head = [f"def {made}() -> tb.Model:", *inner, "    return m", "", ""]
            self.functions.append([*head, f"{known} = {made}()"])
        return self.variables[id(model)]

    def class_name(self, label: str, kind: type) -> str:
        """How a file names a class: as tb.…, or imported from its module."""
        module, name = kind.__module__, kind.__qualname__
        room = ".".join(module.split(".")[:2])
        for public in ("touchback", room) if room in (*_ROOMS, "touchback.model") else ():
            package = sys.modules[public]
            if name in package.__all__ and getattr(package, name) is kind:
                return f"tb{public.removeprefix('touchback')}.{name}"
        if module == "__main__" or getattr(sys.modules.get(module), name, None) is not kind:
            raise ModelError(
                f"{label}: Python source can't name its {name} of {module}; define the class at "
                "the top of a module that can be imported."
            )
        if kind not in self.classes:
            own = name
            while own in self.everywhere:
                own += "_"
            self.classes[kind] = own
            self.imports.add(f"from {module} import {name}{'' if own == name else f' as {own}'}")
            self.names.taken.add(own)
        return self.classes[kind]


# ---- one model -----------------------------------------------------------------------------------


@dataclass
class _Statement:
    """What describes one thing: the section in which it has its place, what writes it, the
    expressions in it, what they and its frames `refer` to, and what it `needs` anyway."""

    section: str
    name: str
    write: Callable[[], list[str]]
    uses: list[Expr] = field(default_factory=list)
    refers: set[Key] = field(default_factory=set)
    needs: set[Key] = field(default_factory=set)


ORDER = (
    "parameters", "inputs", "states", "tables", "settings", "bodies", "joints", "closures",
    "couplings", "constraints", "drives", "parts", "shapes", "rates", "forces", "contacts",
    "sensors", "modes", "transitions", "controls", "report",
)  # fmt: skip
"""Sections as they stand in a file."""
KINDS_OF_NAMES = {
    "parameters": "parameter", "inputs": "input", "states": "state", "sensors": "sensor",
    "bodies": "body", "tables": "table",
}  # fmt: skip


class _ModelSource:
    """The statements of one model, in an order that can run."""

    def __init__(self, model: Model, library: _Library, names: Names) -> None:
        self.model, self.library, self.names = model, library, names
        self.tables = dict(model.tables)
        owned = model.owned_states()
        self.states = {name: item for name, item in model.states.items() if name not in owned}
        self.providers = dict(self.signals())
        self.by_limits = self.parameters_of_limits()
        self.forward: set[Key] = set()  # what is named before it is described
        self.order = self.scheduled()
        self.used = {name for each in self.order for x in each.uses for name in self.symbols(x)}
        self.variables = self.variable_names()

    def scheduled(self) -> list[_Statement]:
        """The statements in their order."""
        while True:
            try:
                return _Schedule(self.described(), self.by_limits).order
            except _CircleError as circle:
                if self.by_limits:
                    self.by_limits = {}  # as parameters of their own they can stand anywhere
                    continue
                known = {
                    *self.providers.values(),
                    *(("bodies", name) for name in self.model.bodies),
                }
                broken = [key for key in circle.references if key in known - self.forward]
                if not broken:
                    named = ", ".join(f"{section} '{name}'" for section, name in circle.references)
                    raise ModelError(
                        f"Model '{self.model.name}': {named} need each other, which no order of "
                        "statements can say; save it as .yaml."
                    ) from None
                self.forward.add(broken[-1])

    # ---- what there is

    def signals(self) -> Iterator[tuple[str, Key]]:
        """Each signal's name, and the thing that brings it."""
        model = self.model
        for section in ("parameters", "inputs"):
            yield from ((name, (section, name)) for name in getattr(model, section))
        yield from ((name, ("states", name)) for name in self.states)
        for name, force in model.forces.items():
            yield from ((f"{name}.{state}", ("forces", name)) for state in force.states())
        for name, sensor in model.sensors.items():
            for suffix in sensor.components():
                yield (f"{name}.{suffix}" if suffix else name), ("sensors", name)
        for name, joint in model.joints.items():
            yield from ((f"q:{full}", ("joints", name)) for full in joint.position_names(name))
            yield from ((f"v:{full}", ("joints", name)) for full in joint.velocity_names(name))
        if model.modes:
            yield MODE, ("modes", next(iter(model.modes)))
        for name in model.signal_names():
            prefix, slash, _ = name.rpartition(":")[2].partition("/")
            if slash and prefix in model.parts:
                yield name, ("parts", prefix)

    def parameters_of_limits(self) -> dict[str, str]:
        """Parameters that a joint makes of the numbers of its limits → the joint."""
        found: dict[str, str] = {}
        for name, joint in self.model.joints.items():
            if not joint.limits or joint.stop is False:
                continue
            made: dict[str, str] = {}
            pairs = zip(joint.limits, joint.position_names(name), joint.kind.position_units())
            for pair, coordinate, unit in pairs:
                for end, full in zip(pair, limit_names(coordinate), strict=True):
                    known = self.model.parameters.get(full)
                    symbol = Expr(self.model.tape, self.model.tape.symbol(full))
                    if end == symbol and known == Parameter(getattr(known, "default", 0.0), unit):
                        made[full] = name
            found |= made if len(made) == 2 * len(joint.limits) else {}
        in_order = [name for name in self.model.parameters if name in found]
        return found if in_order == list(found) else {}

    def symbols(self, expression: Expr) -> set[str]:
        """Names of the signals in an expression."""
        tape = expression.tape
        live = tape.live([expression.id])
        return {str(tape.names[node]) for node in tape.names if node < len(live) and live[node]}

    def variable_names(self) -> dict[Key, str]:
        """The variables of what expressions and frames use."""
        model = self.model
        bodies = {frame.body for data in self.all_data() for frame in frames_of(data)}
        wanted: dict[str, Iterable[str]] = {
            "parameters": [n for n in model.parameters if n in self.used - self.by_limits.keys()],
            "inputs": [name for name in model.inputs if name in self.used],
            "states": [name for name in self.states if name in self.used],
            "tables": self.tables,
            "bodies": [name for name in model.bodies if name in bodies],
            "sensors": [name for name in model.sensors if name in self.used],
        }
        return {
            (section, name): self.names.new(name, KINDS_OF_NAMES[section])
            for section, those in wanted.items()
            for name in those
        }

    def all_data(self) -> Iterator[object]:
        model = self.model
        for section in ("joints", "closures", "forces", "contacts", "sensors", "shapes", "parts"):
            for item in getattr(model, section).values():
                yield item.at if section == "parts" else item

    # ---- the statements

    def described(self) -> list[_Statement]:
        """A statement for each thing, section by section."""
        model = self.model
        found: list[_Statement] = []

        def add(
            section: str,
            items: Mapping[str, Any],
            write: Callable[[str, Any], list[str]],
            needs: Callable[[Any], Iterable[Key]] = lambda item: (),
            data: Callable[[Any], object] = lambda item: item,
        ) -> None:
            for name, item in items.items():
                uses = expressions_of(data(item))
                refers = {*self.references(uses, data(item))} - self.forward
                writes = partial(write, name, item)
                found.append(_Statement(section, name, writes, uses, refers, set(needs(item))))

        add("parameters", model.parameters, self.parameter)
        add("inputs", model.inputs, self.input)
        add("states", self.states, self.state, data=lambda item: ())
        add("bodies", model.bodies, self.body)
        add("joints", model.joints, self.joint, data=self.joint_data)
        add("closures", model.closures, self.closure)
        add("couplings", model.couplings, self.coupling, lambda item: self.joint_keys(
            joint for joint, _, _ in item.terms()))  # fmt: skip
        add("constraints", model.constraints, self.constraint, lambda item: self.joint_keys(
            [item.through[0]] if item.through else []))  # fmt: skip
        add("drives", model.drives, self.drive, lambda item: self.joint_keys([item.joint]))
        add("parts", model.parts, self.part, data=lambda part: (part.at, part.bind),
            needs=lambda part: {("parameters", name) for name in part.share})  # fmt: skip
        add("shapes", model.shapes, self.shape)
        add("rates", self.states, self.rate, lambda item: [],
            lambda item: (item.rate, item.update))  # fmt: skip
        add("forces", model.forces, self.force)
        add("contacts", model.contacts, self.contact)
        add("sensors", model.sensors, self.sensor)
        add("modes", model.modes, self.mode)
        add("transitions", model.transitions, self.transition)
        add("controls", model.controls, self.control, self.control_needs)
        settings = {"gravity": model.gravity, "base": (model.base.position, model.base.turn)}
        add("settings", settings, self.setting)
        if model.reported is not None:
            everything = [(s, n) for s in ("sensors", "parts") for n in getattr(model, s)]
            add("report", {"report": model.reported}, self.report, lambda _: everything,
                lambda _: ())  # fmt: skip
        for table in self.tables:  # those without a name have one by now
            found.append(_Statement("tables", table, partial(self.table, table)))
        for each in found:
            if each.section == "rates":
                each.needs.add(("states", each.name))
        return found

    def joint_data(self, joint: Joint) -> object:
        """A joint's data without limits that are numbers."""
        ends = [] if self.limits_are_numbers(joint) else joint.limits
        others = [getattr(joint, w) for w in OPTIONS if w != "limits" and w != "friction_speed"]
        return (joint.kind, joint.parent, joint.child, joint.friction_speed, *others, ends)

    def limits_are_numbers(self, joint: Joint) -> bool:
        ends = [end for pair in joint.limits for end in pair]
        names = [next(iter(self.symbols(x)), "") for x in ends if isinstance(x, Expr)]
        return bool(names) and len(names) == len(ends) and all(n in self.by_limits for n in names)

    def references(self, uses: Iterable[Expr], data: object) -> Iterator[Key]:
        """What is named in these expressions, and in the frames of a thing's data."""
        for expression in uses:
            for name in self.symbols(expression):
                if name in self.providers:
                    yield self.providers[name]
                elif name != "time":
                    raise ModelError(f"Model '{self.model.name}': there is no signal '{name}'.")
            yield from self.tables_in(expression)
        for frame in frames_of(data):
            if frame.body in self.model.bodies:
                yield "bodies", frame.body

    def tables_in(self, expression: Expr) -> Iterator[Key]:
        tape = expression.tape
        if not tape.lookups:
            return
        live = tape.live([expression.id])
        for node, alive in enumerate(live):
            if alive and tape.op[node] in (LOOKUP1, LOOKUP2):
                yield "tables", self.table_name(tape.lookups[tape.c[node]].table)

    def joint_keys(self, joints: Iterable[str]) -> set[Key]:
        """The joints, or the parts that they are in."""
        found: set[Key] = set()
        for joint in joints:
            part, slash, _ = joint.partition("/")
            own = joint if joint in self.model.joints else joint.rpartition(".")[0]
            found.add(("parts", part) if slash else ("joints", own))
        return found

    def control_needs(self, control: Any) -> Iterator[Key]:
        for target in control.drives:
            part, slash, _ = target.partition("/")
            yield ("parts", part) if slash else ("inputs", target)

    def table_name(self, table: Table) -> str:
        """The name of a table; one that the model doesn't know by name gets one."""
        for name, known in self.tables.items():
            if known == table:
                return name
        count = 1
        while f"table {count}" in self.tables:
            count += 1
        self.tables[f"table {count}"] = table
        return f"table {count}"

    # ---- lines

    def lines(self, variable: str, indent: str = "") -> list[str]:
        """The statements, with a variable for what expressions share."""
        self.indent = len(indent)
        self.write_expressions()
        library = [self.library.variable(part.model) for part in self.model.parts.values()]
        self.part_models = dict(zip(self.model.parts, library, strict=True))
        made = call("tb.Model", text_literal(self.model.name), gravity=self.constant_gravity())
        lines = self.laid(f"{variable} = ", made)
        done: set[str] = set()
        before = ""
        for each in self.order:
            written = each.write()
            if not written:
                continue
            if before and each.section != before and {before, each.section} & _APART:
                lines.append("")
            before = each.section
            for name in self.shared_in(written, done):
                lines += self.laid(f"{name} = ", self.definitions[name])
            lines += written
        return [indent * bool(line) + line for line in lines]

    def laid(self, start: str, item: Source) -> list[str]:
        """The lines of an item, narrower where the whole is indented."""
        return layout_lines(WIDTH - self.indent, start, item)

    def shared_in(self, lines: list[str], done: set[str]) -> Iterator[str]:
        """Variables of shared expressions that these lines need for the first time, in order."""
        for name in _SHARED_NAME.findall("\n".join(lines)):
            if name in self.definitions and name not in done:
                yield from self.shared_in([self.definitions[name]], done)
                done.add(name)
                yield name

    def write_expressions(self) -> None:
        """The texts of all expressions, and of what they share."""
        used = list(dict.fromkeys(x for each in self.order for x in each.uses))
        outputs = [expression.id for expression in used]
        prefix = "term"
        while any(each.startswith(prefix) for each in self.names.taken):
            prefix += "_"
        number = "tb.Expr(m.tape, m.tape.const({}))"
        notation = Notation(
            {op: f"tb.{_FUNCTION_NAMES.get(name, name)}" if name != "abs" else "abs"
             for op, name in FUNCTIONS.items()},
            {want: self.lookup_call(want) for want in Want},
            name=str, number=component_literal, equal="{}.equals({})", definition=prefix + "_{}",
            longest=_LONG, number_alone=number,
        )  # fmt: skip
        self.definitions, texts = to_text(
            self.model.tape, outputs, self.signal, self.table_variable, notation
        )
        self.texts = dict(zip(outputs, texts, strict=True))
        if any("Want." in text for text in (*texts, *self.definitions.values())):
            self.library.imports.add("from touchback.symbolic import Want")

    def lookup_call(self, want: Want) -> str:
        if want == Want.VALUE:
            return "tb.lookup({table}, {operands})"
        return f'm.time.apply("lookup", {{table}}, {{x_and_y}}, Want.{want.name})'

    def table_variable(self, table: Table) -> str:
        return self.variables["tables", self.table_name(table)]

    def signal(self, symbol: object) -> str:
        """How an expression names a signal."""
        name = str(symbol)
        if name == "time":
            return "m.time"
        key = self.providers[name]
        if key in self.forward:
            return f"tb.Expr(m.tape, m.tape.symbol({text_literal(name)}))"
        if key in self.variables and name == key[1]:
            return self.variables[key]
        if name[:2] in ("q:", "v:"):
            return self.coordinate(name)
        return f"m.signal({text_literal(name)})"

    def coordinate(self, name: str) -> str:
        """m.coordinate("joint", index), or m.rate(…)."""
        position = name.startswith("q:")
        function = "coordinate" if position else "rate"
        for joint, item in self.joints.items():
            names = item.position_names(joint) if position else item.velocity_names(joint)
            if name[2:] in names:
                index = names.index(name[2:])
                return f"m.{function}({text_literal(joint)}{f', {index}' if index else ''})"
        return f"m.signal({text_literal(name)})"

    @property
    def joints(self) -> dict[str, Joint]:
        return self.model.all_joints()

    # ---- values

    def value(self, label: str, given: object, alone: bool = True) -> Source:
        """A value, a frame, data or a collection as source; a number that is not `alone` among
        others has no decimals where it is whole."""
        if isinstance(given, Expr):
            return self.texts[given.id]
        if isinstance(given, Frame):
            return self.frame(given)
        if isinstance(given, Data):
            return self.data(label, given)
        if isinstance(given, str):
            return text_literal(given)
        if given is None or isinstance(given, bool | int):
            return repr(given)
        if isinstance(given, float):
            return number_literal(given) if alone else component_literal(given)
        if isinstance(given, tuple | list):
            items = tuple(self.value(label, item, alone=False) for item in given)
            return tuple_of(items, filled=all(isinstance(x, float) for x in given))
        if isinstance(given, dict):
            pairs = [(text_literal(key), self.value(label, item)) for key, item in given.items()]
            return SourceList("{", tuple(_pair(key, item) for key, item in pairs), "}")
        raise ModelError(f"{label}: {given!r} has no Python source; give numbers and expressions.")

    def frame(self, given: Frame) -> Source:
        """A body's variable, or its frame."""
        key = ("bodies", given.body)
        owner = None if key in self.forward else self.variables.get(key)
        owner = "m.ground" if given.body == GROUND else owner
        label = f"Frame of '{given.body}'"
        if owner is None:  # of a part, or not described yet
            point = tuple_of(self.float_value(x) for x in given.at) if any_set(given.at) else None
            turn = self.turns(given, self.float_value) if given.turn else None
            return call("tb.Frame", text_literal(given.body), at=point, turn=turn)
        if not given.turn and not any_set(given.at):
            return owner
        places = [self.value(label, item, alone=False) for item in given.at]
        turn = None
        if len(given.turn) == 1:
            axis, angle = given.turn[0]
            turn = tuple_of([text_literal(axis), self.value(label, angle)])
        elif given.turn:
            turn = self.turns(given, lambda x: self.value(label, x))
        return call(f"{owner}.at", *places, turn=turn)

    def float_value(self, given: Value) -> Source:
        """A value where nothing makes a float of a whole number."""
        return self.texts[given.id] if isinstance(given, Expr) else number_literal(given)

    def turns(self, given: Frame | BaseMotion, value: Callable[[Value], Source]) -> SourceList:
        items = [tuple_of([text_literal(axis), value(angle)]) for axis, angle in given.turn]
        return tuple_of(items) if isinstance(given, Frame) else SourceList("[", tuple(items), "]")

    def data(self, label: str, given: Data) -> Source:
        """A constructor with what differs from its defaults."""
        kind = type(given)
        takes = signature(kind).parameters
        named: dict[str, Source] = {}
        by_place: list[Source] = []
        own = [each.name for each in fields(given)]
        told = isinstance(given, JointKind | ClosureKind)  # axes, as tb.Revolute("z")
        wanted = [each for each in fields(given) if each.required
                  or getattr(given, each.name) != usual_value(each)
                  or (told and each.type in (str, Axis))]  # fmt: skip
        few = len(wanted) <= 2 and [each.name for each in wanted] == own[: len(wanted)]
        for each in wanted:
            source = self.value(label, getattr(given, each.name))
            plain = takes[each.name].kind is not takes[each.name].KEYWORD_ONLY
            next_one = plain and not named and own.index(each.name) == len(by_place)
            if next_one and (few or _leads(each)):
                by_place.append(source)
            else:
                named[each.name] = source
        return call(self.library.class_name(label, kind), *by_place, **named)

    def statement(self, method: str, *given: Source, **named: Source | None) -> list[str]:
        return self.laid("", call(f"m.{method}", *given, **named))

    def assigned(
        self, section: str, name: str, method: str, *given: Source, **named: Source | None
    ) -> list[str]:
        """A statement whose result is kept where something uses it."""
        variable = self.variables.get((section, name))
        start = f"{variable} = " if variable else ""
        return self.laid(start, call(f"m.{method}", text_literal(name), *given, **named))

    # ---- one method a section

    def parameter(self, name: str, item: Parameter) -> list[str]:
        if name in self.by_limits:
            return []
        return self.assigned("parameters", name, "parameter", number_literal(item.default),
                             **_unit_and_range(item))  # fmt: skip

    def input(self, name: str, item: Any) -> list[str]:
        default = number_literal(item.default) if repr(item.default) != "0.0" else None
        return self.assigned("inputs", name, "input", **_unit_and_range(item, default))

    def state(self, name: str, item: Any) -> list[str]:
        method = "state" if item.update is None else "memory"
        unit = text_literal(item.unit) if item.unit else None
        return self.assigned("states", name, method, number_literal(item.initial), unit=unit)

    def rate(self, name: str, item: Any) -> list[str]:
        own = Expr(self.model.tape, self.model.tape.symbol(name))
        if item.update is not None and item.update != own:
            return self.statement(
                "set_update", text_literal(name), self.value(f"Memory '{name}'", item.update)
            )
        if item.update is None and (isinstance(item.rate, Expr) or item.rate != 0.0):
            return self.statement(
                "set_rate", text_literal(name), self.value(f"State '{name}'", item.rate)
            )
        return []

    def table(self, name: str) -> list[str]:
        table, label = self.tables[name], f"Table '{name}'"
        width = len(table.y)
        rows = [table.values[i : i + width] for i in range(0, len(table.values), width or 1)]
        values = self.value(label, tuple(rows) if width else table.values)
        y = self.value(label, table.y) if width else None
        return self.assigned("tables", name, "table", self.value(label, table.x), values, y=y)

    def constant_gravity(self) -> Source | None:
        gravity = self.model.gravity
        if gravity == _USUAL_GRAVITY or expressions_of(gravity):
            return None
        return self.value("gravity", gravity)

    def setting(self, name: str, item: Any) -> list[str]:
        if name == "gravity":
            if not expressions_of(item):
                return []
            return self.laid("m.gravity = ", self.value("gravity", item))
        base = self.model.base
        if base == BaseMotion():
            return []
        position = self.value("base", base.position) if any_set(base.position) else None
        turn = self.turns(base, lambda x: self.value("base", x)) if base.turn else None
        return self.statement("move_base", position=position, turn=turn)

    def body(self, name: str, item: Body) -> list[str]:
        label = f"Body '{name}'"
        moments = item.inertia if any_set(item.inertia[3:]) else item.inertia[:3]
        return self.assigned(
            "bodies", name, "body",
            mass=self.value(label, item.mass) if any_set((item.mass,)) else None,
            com=self.value(label, item.com) if any_set(item.com) else None,
            inertia=self.value(label, moments) if any_set(item.inertia) else None,
        )  # fmt: skip

    def joint(self, name: str, item: Joint) -> list[str]:
        label = f"Joint '{name}'"
        options: dict[str, Source | None] = {}
        for each in fields(item):
            given = getattr(item, each.name)
            if each.name == "limits" and self.limits_are_numbers(item):
                names = [limit_names(full) for full in item.position_names(name)]
                given = tuple(
                    tuple(self.model.parameters[n].default for n in pair) for pair in names
                )
            if each.name in OPTIONS and given != usual_value(each):
                options[each.name] = self.option(label, each.name, given)
        frames = [self.frame(item.parent), self.frame(item.child)]
        return self.statement(
            "joint", text_literal(name), self.data(label, item.kind), *frames, **options
        )

    def option(self, label: str, word: str, given: object) -> Source:
        """An option of a joint: what there is one of stands without brackets."""
        if word != "stop" and isinstance(given, tuple) and len(given) == 1:
            return self.value(label, given[0])
        return self.value(label, given)

    def closure(self, name: str, item: Any) -> list[str]:
        label = f"Closure '{name}'"
        frames = [self.frame(item.a), self.frame(item.b)]
        active = None if item.active else "False"
        kind = self.data(label, item.kind)
        return self.statement("close", text_literal(name), kind, *frames, active=active)

    def coupling(self, name: str, item: Data) -> list[str]:
        return self.statement("couple", text_literal(name), self.data(f"Coupling '{name}'", item))

    def constraint(self, name: str, item: Any) -> list[str]:
        label = f"Constraint '{name}'"
        named = {f.name: self.value(label, getattr(item, f.name)) for f in fields(item)
                 if getattr(item, f.name) != usual_value(f)}  # fmt: skip
        for word in ("position", "velocity"):
            given = getattr(item, word)
            if isinstance(given, Expr) and given.value is not None:  # it stays an expression
                named[word] = f"tb.Expr(m.tape, m.tape.const({number_literal(given.value)}))"
        if item.through is not None and item.through[1] == 0:
            named["through"] = text_literal(item.through[0])
        return self.statement("constrain", text_literal(name), **named)

    def drive(self, name: str, item: Any) -> list[str]:
        label = f"Drive '{name}'"
        named = {
            f.name: self.value(label, getattr(item, f.name))
            for f in fields(item)
            if f.name not in ("joint", "position") and getattr(item, f.name) != usual_value(f)
        }
        if name != item.joint.replace("/", " "):
            named["name"] = text_literal(name)
        motion = self.value(label, item.position)
        return self.statement("drive", text_literal(item.joint), motion, **named)

    def part(self, name: str, item: Part) -> list[str]:
        label = f"Part '{name}'"
        return self.statement(
            "add", self.part_models[name],
            at=self.frame(item.at) if item.at != Frame(GROUND) else None,
            name=text_literal(name) if name != item.model.name else None,
            share=texts_list(item.share) if item.share else None,
            bind=self.value(label, item.bind) if item.bind else None,
        )  # fmt: skip

    def shape(self, name: str, item: Any) -> list[str]:
        solid = self.data(f"Shape '{name}'", item.solid)
        colour = text_literal(item.colour) if item.colour else None
        return self.statement(
            "shape", text_literal(name), self.frame(item.frame), solid, colour=colour
        )

    def force(self, name: str, item: Data) -> list[str]:
        return self.statement("force", text_literal(name), self.data(f"Force '{name}'", item))

    def contact(self, name: str, item: Data) -> list[str]:
        return self.statement("contact", text_literal(name), self.data(f"Contact '{name}'", item))

    def sensor(self, name: str, item: Data) -> list[str]:
        made = self.data(f"Sensor '{name}'", item)
        if len(self.model.sensors[name].components()) == 1:
            return self.assigned("sensors", name, "sensor", made)
        return self.statement("sensor", text_literal(name), made)

    def mode(self, name: str, item: Any) -> list[str]:
        return self.statement(
            "mode", text_literal(name),
            active=texts_list(item.active) if item.active else None,
            readouts=self.value(f"Mode '{name}'", item.readouts) if item.readouts else None,
            initial="True" if item.initial else None,
        )  # fmt: skip

    def transition(self, name: str, item: Transition) -> list[str]:
        label = f"Transition '{name}'"
        ends = [text_literal(item.source[0]) if len(item.source) == 1 else texts_list(item.source)]
        ends.append("None" if item.target is None else text_literal(item.target))
        named = {f.name: self.value(label, getattr(item, f.name)) for f in fields(item)
                 if f.name not in ("source", "target", "impact")
                 and (f.required or getattr(item, f.name) != usual_value(f))}  # fmt: skip
        if item.impact:
            named["impact"] = texts_list(item.impact)
        return self.statement("transition", text_literal(name), *ends, **named)

    def control(self, name: str, item: Any) -> list[str]:
        label = f"Control '{name}'"
        laws = [flat(self.value(label, law)) for law in item.drives.values()]
        before: list[str] = []
        for place, law in enumerate(laws):
            if len(law) > _LONG // 2 and not law.isidentifier():
                laws[place] = self.names.new(f"{name} law", "law")
                before += self.laid(f"{laws[place]} = ", law)
        law = laws[0] if len(laws) == 1 else f"({', '.join(laws)})"
        targets = list(item.drives)
        to = text_literal(targets[0]) if len(targets) == 1 else texts_list(targets)
        instead = text_literal(item.instead_of) if item.instead_of else None
        made = [text_literal(name), f"lambda: {law}"]
        return [*before, *self.statement("control", *made, of="[]", to=to, instead_of=instead)]

    def report(self, _: str, item: tuple[str, ...]) -> list[str]:
        return self.statement("report", *map(text_literal, item))


_SHARED_NAME = re.compile(r"\bterm_+\d+\b")
_FUNCTION_NAMES = {"min": "minimum", "max": "maximum"}
_APART = {*ORDER} - {"inputs", "states"}


class _CircleError(Exception):
    """Things that need each other; `references` are those of them that others name."""

    def __init__(self, references: list[Key]) -> None:
        super().__init__(references)
        self.references = references


class _Schedule:
    """The order of statements: section by section, each after what it needs and refers to."""

    def __init__(self, statements: list[_Statement], by_limits: Mapping[str, str]) -> None:
        self.order: list[_Statement] = []
        self.known = {(each.section, each.name): each for each in statements}
        self.sections = {name: [key for key in self.known if key[0] == name] for name in ORDER}
        for name, joint in by_limits.items():  # come with their joints
            self.known["parameters", name].needs.add(("joints", joint))
        self.done: dict[Key, bool] = {}  # False while what it needs is put before it
        last = [key for key in self.known if key[0] == "parameters" and key[1] in by_limits]
        while last and self.sections["parameters"][-1:] == last[-1:]:
            last.pop()  # nothing waits for those at the end
            self.sections["parameters"].pop()
        self.places = {key: i for keys in self.sections.values() for i, key in enumerate(keys)}
        for keys in self.sections.values():
            for key in keys:
                self.put(key)

    def put(self, key: Key) -> None:
        """Put a statement, after what it needs and those before it in its section."""
        stack = [(key, self.before(key))]
        while stack:
            now, waiting = stack[-1]
            self.done.setdefault(now, False)
            needed = next((each for each in waiting if not self.done.get(each)), None)
            if needed is None:
                if not self.done[now]:
                    self.order.append(self.known[now])
                self.done[now] = True
                stack.pop()
            elif needed in self.done:
                self.refuse([key for key, _ in stack], needed)
            else:
                stack.append((needed, self.before(needed)))

    def before(self, key: Key) -> Iterator[Key]:
        """What stands before a thing: its neighbour in the section, then what it needs."""
        if place := self.places[key]:
            yield self.sections[key[0]][place - 1]
        each = self.known[key]
        wanted = (each.needs | each.refers) & self.places.keys()
        yield from sorted(wanted, key=lambda key: (ORDER.index(key[0]), self.places[key]))

    def refuse(self, path: list[Key], needed: Key) -> None:
        """Raises with the circle's things that stand in it by a reference only."""
        circle = [*path[path.index(needed) :], needed]
        pairs = pairwise(circle)
        raise _CircleError([b for a, b in pairs if b in self.known[a].refers - self.known[a].needs])


def any_set(values: Iterable[Value]) -> bool:
    """Whether any of the values is more than zero."""
    return any(isinstance(item, Expr) or item != 0.0 for item in values)


def _leads(field: FieldInfo) -> bool:
    """Whether a field stands by its place: frames, names of joints, axes."""
    return field.type in (Frame, str, Axis) or Frame in get_args(field.type)


def _pair(key: str, item: Source) -> Source:
    if isinstance(item, str):
        return f"{key}: {item}"
    return item.after(f"{key}: ")


def _unit_and_range(item: Any, default: str | None = None) -> dict[str, Source | None]:
    return {
        "unit": text_literal(item.unit) if item.unit else None,
        "default": default,
        "min": None if item.min is None else number_literal(item.min),
        "max": None if item.max is None else number_literal(item.max),
    }

"""Reads models from files: every item is checked, every complaint has its place."""

import pathlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args

from msgspec.structs import fields

from touchback.errors import ModelError, TouchbackError
from touchback.model.frame import Frame, frame_at
from touchback.model.io.schema import BASE, GRAVITY, REPORT, SECTIONS, SETTINGS, VERSION
from touchback.model.io.struct_decoding import check_keys, convert, mapping, shown
from touchback.model.io.yaml_json import LARGEST, Document, Path, read_json, read_yaml
from touchback.model.joints.joint import OPTIONS
from touchback.model.kind_registry import KINDS, kinds_in
from touchback.model.model import LARGEST as LARGEST_MODEL, Model
from touchback.model.parameters_and_signals import ExtraState
from touchback.model.reference_check import LABELS, problems
from touchback.model.solids import AnySeen
from touchback.model.unit_check import unit_problems, uses
from touchback.model.value_or_expression import Data, Value, triple
from touchback.names import suggestion
from touchback.safe_files import path_of, read_regular
from touchback.symbolic import Expr, parse
from touchback.units import Unit, misfit, read_quantity, unknown_unit

READERS: dict[str, Callable[[str, str], Document]] = {
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".json": read_json,
}


def model_from_text(text: str, suffix: str = ".yaml", source: str = "text") -> Model:
    """The model that a file's text describes; `source` names it in complaints."""
    return model_from_document(READERS[suffix](text, source))


def model_from_document(document: Document) -> Model:
    """The model that a document describes: plain data, as `plain_model` gives them."""
    data = mapping(document, (), document.data)
    _check_version(document, data)
    check_keys(document, (), data, ["touchback", "name", *SETTINGS, *SECTIONS, "library"])
    if "name" not in data:
        raise document.error((), "its `name` is missing.")
    library: dict[str, Model] = {}
    entries = mapping(document, ("library",), data.get("library", {}))
    for key, given in entries.items():
        path: Path = ("library", key)
        entry = mapping(document, path, given)
        check_keys(document, path, entry, ["name", *SETTINGS, *SECTIONS])
        named = {"name": key, **entry}
        library[key] = _Builder(document, path, named, library).model
    return _Builder(document, (), data, library).model


def _check_version(document: Document, data: dict[str, object]) -> None:
    version = data.get("touchback")
    if "touchback" not in data:
        raise document.error((), f"this is no model file: one begins with `touchback: {VERSION}`.")
    if version != VERSION or isinstance(version, bool):
        raise document.error(
            ("touchback",),
            f"this is version {shown(version)} of the format, and only version {VERSION} can be "
            "read; a newer Touchback may read it.",
        )


class _Builder:
    """One model of a file: of the whole file, or of its library. `items` holds its items by section
    and name, as the structs of `schema.py`."""

    def __init__(
        self, document: Document, path: Path, data: dict[str, Any], library: dict[str, Model]
    ) -> None:
        self.document, self.path, self.data = document, path, data
        self.items = {section: self.section(section) for section in SECTIONS}
        count = sum(map(len, self.items.values()))
        if count > LARGEST_MODEL:
            raise document.error(
                path, f"it names {count} things; a model has at most {LARGEST_MODEL}."
            )
        self.library = library
        with self.at():
            self.model = Model(data["name"])
        self.names = self.signal_names()
        self.definitions: dict[str, int] = {}
        self.quantities: dict[Path, tuple[str, Unit]] = {}  # texts such as "35 mm" by their places
        self.read_text = self.expression
        self.build()
        for section, name, message in problems(self.model):
            raise self.document.error((*path, section, name), message)
        self.check_units()
        for section, label in LABELS.items():
            for name in getattr(self.model, section):
                self.model.places[f"{label} '{name}'"] = document.place((*path, section, name))

    # ---- names ---------------------------------------------------------------------------------

    def signal_names(self) -> set[str]:
        """What expressions may use: the signals of a model with these names and no numbers."""
        scratch = Model("names")
        self.read_text = lambda text, path: scratch.time
        self.add_signals(scratch)
        for name in self.items["joints"]:
            with self.at("joints", name):
                given = self.joint_options(name, ("limits", "stop"))  # which make parameters
                scratch.joint(name, self.kind("joints", name), scratch.ground, name, **given)
        for name in self.items["forces"]:
            with self.at("forces", name):
                scratch.force(name, self.kind("forces", name))
        for name in self.items["sensors"]:
            with self.at("sensors", name):
                scratch.sensor(name, self.kind("sensors", name))
        for name in self.items["parts"]:
            self.add_part(scratch, name)
        for name in self.items["modes"]:
            with self.at("modes", name):
                scratch.mode(name)
        return set(scratch.signal_names())

    def add_signals(self, model: Model) -> None:
        for name, item in self.items["parameters"].items():
            with self.at("parameters", name):
                model.parameter(name, item.default, item.unit, item.min, item.max)
        for name, item in self.items["inputs"].items():
            with self.at("inputs", name):
                model.input(name, item.unit, item.default, item.min, item.max)
        for name, item in self.items["states"].items():
            with self.at("states", name):
                make = model.state if item.update is None else model.memory
                make(name, item.initial, unit=item.unit)

    def set_state(self, model: Model, name: str, state: ExtraState) -> None:
        """The rate of a state, or the update of a memory."""
        path = (*self.path, "states", name)
        if state.update is not None:
            if state.rate:
                raise ModelError(f"State '{name}': it has a rate and an update; keep one of them.")
            model.set_update(name, self.value(state.update, (*path, "update")))
        else:
            model.set_rate(name, self.value(state.rate, (*path, "rate")))

    def check_units(self) -> None:
        """Refuse units that can't be what they are used for, of signals and of texts."""
        for place, message in unit_problems(self.model):
            raise self.document.error((*self.path, *place), message)
        if not self.quantities:
            return
        needed = {use.place: use.unit for use in uses(self.model)}
        for place, (text, unit) in self.quantities.items():
            own = place[len(self.path) :]
            wanted = needed.get(own) or needed.get((*own, 0), "")  # one may stand for a list
            if said := misfit(text, unit, wanted):
                raise self.document.error(place, said)

    # ---- expressions ---------------------------------------------------------------------------

    def expression(self, text: str, path: Path) -> Expr:
        """The expression that a text describes; a quantity such as "35 mm" is a number in SI."""
        quantity = read_quantity(text)
        if quantity is not None:
            number, unit = quantity
            self.quantities[path] = text, unit
            return Expr(self.model.tape, self.model.tape.const(unit.in_si(number)))
        unknown: list[str] = []

        def symbol(name: str) -> int:
            if name not in self.names:
                unknown.append(suggestion(name, sorted(self.names)))
                raise KeyError(name)
            return self.model.tape.symbol(name)

        try:
            tape = self.model.tape
            node = parse(text, tape, symbol, self.model.tables.__getitem__, self.definitions)
        except TouchbackError as error:
            hint = f"\n  {unknown[0]}" if unknown else ""
            said = unknown_unit(text) or f"{error}{hint}"
            raise self.document.error(path, said) from None
        return Expr(self.model.tape, node)

    # ---- the model -----------------------------------------------------------------------------

    def build(self) -> None:
        model, items = self.model, self.items
        self.add_signals(model)
        for name, table in items["tables"].items():
            with self.at("tables", name):
                model.table(name, table.x, table.values, table.y)
        for name, text in items["definitions"].items():
            self.define(name, text)
        if "gravity" in self.data:
            path = (*self.path, "gravity")
            given = convert(self.document, path, self.data["gravity"], GRAVITY)
            with self.at("gravity"):
                model.gravity = triple("gravity", self.value(given, path))
        if "base" in self.data:
            self.move_base()
        for name, state in items["states"].items():
            with self.at("states", name):
                self.set_state(model, name, state)
        self.build_mechanics()
        for name in items["parts"]:
            self.add_part(model, name)
        if "report" in self.data:
            path = (*self.path, "report")
            with self.at("report"):
                model.report(*convert(self.document, path, self.data["report"], REPORT))
        self.build_constraints()
        self.build_modes()
        for name, control in items["controls"].items():
            drives = self.value(control.drives, (*self.path, "controls", name, "drives"))
            with self.at("controls", name):
                model.control(
                    name, lambda *found: found, list(drives.values()), list(drives),
                    control.instead_of or None,
                )  # fmt: skip

    def build_mechanics(self) -> None:
        model, items = self.model, self.items
        for name, body in items["bodies"].items():
            path = (*self.path, "bodies", name)
            with self.at("bodies", name):
                model.body(
                    name,
                    self.value(body.mass, (*path, "mass")),
                    self.value(body.com, (*path, "com")),
                    self.value(body.inertia, (*path, "inertia")),
                )
        for name, look in items["shapes"].items():
            with self.at("shapes", name):
                model.shape(name, *self.look(name, look))
        for name, joint in items["joints"].items():
            path = (*self.path, "joints", name)
            with self.at("joints", name):
                frames = [
                    self.frame(getattr(joint, end), (*path, end)) for end in ("parent", "child")
                ]
                options = self.joint_options(name, OPTIONS)
                model.joint(name, self.kind("joints", name), *frames, **options)
        for name in items["forces"]:
            with self.at("forces", name):
                model.force(name, self.kind("forces", name))
        for name in items["contacts"]:
            with self.at("contacts", name):
                model.contact(name, self.kind("contacts", name))
        for name in items["sensors"]:
            with self.at("sensors", name):
                model.sensor(name, self.kind("sensors", name))

    def build_constraints(self) -> None:
        model, items = self.model, self.items
        for name, closure in items["closures"].items():
            path = (*self.path, "closures", name)
            with self.at("closures", name):
                a = self.frame(closure.a, (*path, "a"))
                b = self.frame(closure.b, (*path, "b"))
                model.close(name, self.kind("closures", name), a, b, closure.active)
        for name in items["couplings"]:
            with self.at("couplings", name):
                model.couple(name, self.kind("couplings", name))
        for name, item in items["constraints"].items():
            path = (*self.path, "constraints", name)
            with self.at("constraints", name):
                position = self.value(item.position, (*path, "position"))
                velocity = self.value(item.velocity, (*path, "velocity"))
                friction_settings = [
                    self.value(getattr(item, word), (*path, word))
                    for word in ("friction", "slides", "slip_speed")
                ]
                model.constrain(
                    name,
                    position,
                    velocity,
                    item.through,
                    item.unit,
                    item.active,
                    *friction_settings,
                )
        for name, item in items["drives"].items():
            path = (*self.path, "drives", name)
            with self.at("drives", name):
                position = self.value(item.position, (*path, "position"))
                velocity = self.value(item.velocity, (*path, "velocity"))
                acceleration = self.value(item.acceleration, (*path, "acceleration"))
                rates = velocity, acceleration
                model.drive(item.joint, position, *rates, item.index, name, item.active)

    def build_modes(self) -> None:
        for name, item in self.items["modes"].items():
            with self.at("modes", name):
                readouts = self.value(item.readouts, (*self.path, "modes", name, "readouts"))
                self.model.mode(name, item.active, readouts=readouts, initial=item.initial)
        for name, item in self.items["transitions"].items():
            path = (*self.path, "transitions", name)
            with self.at("transitions", name):
                self.model.transition(
                    name, item.source, item.target,
                    self.value(item.when, (*path, "when")), item.direction,
                    self.value(item.reset, (*path, "reset")), item.impact,
                    self.value(item.restitution, (*path, "restitution")), item.law,
                    item.rest, item.rest_speed,
                )  # fmt: skip

    def define(self, name: str, text: str) -> None:
        path = (*self.path, "definitions", name)
        if not re.fullmatch(r"\$[0-9]+", name):
            raise self.document.error(path, "a definition is called $1, $2 and so on.")
        self.definitions[name] = self.expression(text, path).id

    def move_base(self) -> None:
        path = (*self.path, "base")
        given = convert(self.document, path, self.data["base"], BASE)
        with self.at("base"):
            turn = [
                (axis, self.value(angle, (*path, "turn", i)))
                for i, (axis, angle) in enumerate(given.turn)
            ]
            self.model.move_base(self.value(given.position, (*path, "position")), turn)

    def add_part(self, model: Model, name: str) -> None:
        part = self.items["parts"][name]
        path = (*self.path, "parts", name)
        if part.model not in self.library:
            raise self.document.error(
                (*path, "model"),
                f"there is no model '{part.model}' above in the library; "
                f"{suggestion(part.model, self.library)}",
            )
        with self.at("parts", name):
            model.add(
                self.library[part.model],
                at=self.frame(part.at, (*path, "at")),
                name=name,
                share=part.share,
                bind=self.value(part.bind, (*path, "bind")),
            )

    # ---- items: every complaint with its place ----

    @contextmanager
    def at(self, *steps: str) -> Iterator[None]:
        """Complaints from inside get this place, instead of the name they begin with."""
        try:
            yield
        except TouchbackError as error:
            if str(error).startswith(self.document.source):
                raise
            message = re.sub(r"^[A-Z]\w+ '[^']*': ", "", str(error))
            raise self.document.error((*self.path, *steps), message) from None

    def section(self, section: str) -> dict[str, Any]:
        path = (*self.path, section)
        given = mapping(self.document, path, self.data.get(section, {}))
        return {
            name: convert(self.document, (*path, name), item, SECTIONS[section])
            for name, item in given.items()
        }

    def value(self, given: object, path: Path) -> Any:
        """A number as it is, a text as its expression; lists item by item."""
        if isinstance(given, str):
            return self.read_text(given, path)
        if isinstance(given, tuple):
            return tuple(self.value(item, (*path, i)) for i, item in enumerate(given))
        if isinstance(given, dict):
            return {key: self.value(item, (*path, key)) for key, item in given.items()}
        return given

    def frame(self, given: Any, path: Path) -> Frame:
        if isinstance(given, Frame):
            return given
        if isinstance(given, str):
            return Frame(given)
        x, y, z = self.value(given.at, (*path, "at"))
        turn = [
            (axis, self.value(angle, (*path, "turn", i)))
            for i, (axis, angle) in enumerate(given.turn)
        ]
        return frame_at(given.body, x, y, z, turn)

    def kind(self, section: str, name: str) -> Any:
        """The joint, force or sensor kind that an item describes."""
        item = self.items[section][name]
        return self.described(item, KINDS[section], (*self.path, section, name))

    def look(self, name: str, item: Any) -> tuple[Frame, AnySeen, str]:
        """Where a body shows a solid, which, and in which colour."""
        path = (*self.path, "shapes", name)
        solid = self.described(item.solid, kinds_in(AnySeen), (*path, "solid"))
        return self.frame(item.frame, (*path, "frame")), solid, item.colour

    def joint_options(self, name: str, words: Sequence[str]) -> dict[str, Any]:
        """Those of these options of a joint that its item gives."""
        item, path = self.items["joints"][name], (*self.path, "joints", name)
        given = {word: self.value(getattr(item, word), (*path, word)) for word in words}
        return {word: each for word, each in given.items() if each != ()}

    def described(self, item: Any, kinds: Mapping[str, type[Data]], path: Path) -> Any:
        """The data of one of these kinds, and what lies in it: profiles, laws."""
        kind = kinds[item.__struct_config__.tag]
        given: dict[str, object] = {}
        for field in fields(kind):
            own, where = getattr(item, field.name), (*path, field.name)
            inner = kinds_in(field.type)
            if field.type is Frame:
                given[field.name] = self.frame(own, where)
            elif Frame in get_args(field.type):
                given[field.name] = tuple(self.frame(one, (*where, i)) for i, one in enumerate(own))
            elif inner and isinstance(own, tuple):
                given[field.name] = tuple(
                    self.described(one, inner, (*where, i)) for i, one in enumerate(own)
                )
            elif inner:
                given[field.name] = self.described(own, inner, where)
            elif field.type is Value or Value in get_args(field.type):
                given[field.name] = self.value(own, where)
            else:
                given[field.name] = own
        return kind(**given)


def read_model(path: str | pathlib.Path) -> Model:
    """The model in a YAML or JSON file."""
    file = path_of(path, ModelError)
    try:
        text = read_regular(file, LARGEST, ModelError).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None
    return model_from_text(text, file.suffix.lower(), str(file))

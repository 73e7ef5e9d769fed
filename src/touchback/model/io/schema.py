"""What a model file holds, item by item: made from the model's own data, published as JSON schema.

In a file a value is a number or the text of an expression, a frame may be just a body's name, a
joint's options stand beside its kind, and one number may stand for a list of one.
"""

import functools
import operator
import types
from importlib import import_module
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, defstruct
from msgspec.structs import FieldInfo, fields

from touchback.errors import InputError
from touchback.model.body import Body, Six
from touchback.model.closures import Closure, ClosureKind
from touchback.model.constraint_kinds import Constraint, ContactKind, CouplingKind, Drive
from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.joints.base import JointKind
from touchback.model.joints.joint import Joint
from touchback.model.kind_registry import KINDS, REGISTERING_ROOMS
from touchback.model.modes import Mode, Transition
from touchback.model.parameters_and_signals import BaseMotion, Control, ExtraState, Input, Parameter
from touchback.model.sensors.base import SensorKind
from touchback.model.solids import Look
from touchback.model.solids.base import VisualKind
from touchback.model.value_or_expression import Data, Triple, Value
from touchback.names import unknown

for _room in REGISTERING_ROOMS:
    import_module(_room)  # by its name: the model knows no room that stands on it

VERSION = 1
DIALECT = "https://json-schema.org/draft/2020-12/schema"

_Value = float | str
_MOMENTS = "a list of 3 principal moments or 6 components (xx, yy, zz, xy, xz, yz)"
_Inertia = Annotated[tuple[_Value, ...], Meta(min_length=3, max_length=6, description=_MOMENTS)]


def plain(kind: Any) -> Any:
    """The type in a file of a type in the model."""
    if kind is Value:
        return _Value
    if kind is Frame:
        return str | FRAME
    if kind == Six:
        return _Inertia
    if hasattr(kind, "__struct_config__") and kind.__struct_config__.tag is not None:
        return _nested(kind)
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, map(plain, inside))
    if origin is tuple:
        items = (item if item is ... else plain(item) for item in inside)
        return types.GenericAlias(tuple, tuple(items))
    if origin is dict:
        return types.GenericAlias(dict, (str, plain(inside[1])))
    return kind


def one_for_a_list(kind: Any) -> Any:
    """An option of a joint in a file: where the model has a list, one item may stand alone; an
    initial coordinate may have a unit, as "90 deg"."""
    inside = get_args(kind)
    if kind == tuple[float, ...]:
        return _Value | tuple[_Value, ...]
    if get_origin(kind) is not tuple or inside[-1] is not ...:
        return plain(kind)
    if get_origin(inside[0]) is tuple:
        return types.GenericAlias(tuple, (plain(inside[0]) | _Value, ...))
    return plain(inside[0]) | types.GenericAlias(tuple, (plain(inside[0]), ...))


def in_file(kind: type[Data], options: type[Data] | None = None) -> type[msgspec.Struct]:
    """The struct that a file has for one kind of the model's data; the fields of `options` stand
    beside its own."""
    given = [(field, plain(field.type)) for field in fields(kind)]
    if options is not None:
        given += [(f, one_for_a_list(f.type)) for f in fields(options) if f.name != "kind"]
    config = kind.__struct_config__
    more = options.__name__ if options else "Solid" if issubclass(kind, VisualKind) else ""
    return defstruct(
        kind.__name__
        + more,  # the schema's names are all of one room: contacts have ellipsoids too
        [
            (field.name, own) if field.required else (field.name, own, _default(field))
            for field, own in given
        ],
        namespace={"__doc__": kind.__doc__, "UNITS": kind.UNITS},
        tag_field=config.tag_field,
        tag=config.tag,
        forbid_unknown_fields=True,
        kw_only=True,
    )


@functools.cache
def _nested(kind: type[Data]) -> type[msgspec.Struct]:
    """One struct for each kind, wherever it lies in another."""
    return in_file(kind)


def _default(field: FieldInfo) -> object:
    made = field.default_factory
    return field.default if made is msgspec.NODEFAULT else msgspec.field(default_factory=made)


def _by_kind(section: str) -> dict[str, type[msgspec.Struct]]:
    return {tag: in_file(kind, _BESIDE.get(section)) for tag, kind in KINDS[section].items()}


_BASES: dict[str, tuple[type[Data], ...]] = {
    "joints": (JointKind,),
    "forces": (ForceKind,),
    "contacts": (ContactKind,),
    "closures": (ClosureKind, JointKind),
    "couplings": (CouplingKind,),
    "sensors": (SensorKind,),
}
_BESIDE: dict[str, type[Data]] = {
    "joints": Joint,
    "closures": Closure,
}  # whose fields stand beside those of the kind


class TableInFile(Data, frozen=True):
    """A lookup table: values on breakpoints x, or, with y, a row of values for each x."""

    x: tuple[float, ...]
    values: tuple[float | tuple[float, ...], ...]
    y: tuple[float, ...] = ()


class PartInFile(Data, frozen=True):
    """A copy of a model of the library: its ground becomes the frame `at`."""

    model: str
    at: Frame = Frame("ground")
    share: tuple[str, ...] = ()
    bind: dict[str, Value] = msgspec.field(default_factory=dict)


FRAME = in_file(Frame)
BASE = in_file(BaseMotion)
GRAVITY = plain(Triple)
REPORT = tuple[str, ...]
SETTINGS = ("gravity", "base", "report")
SECTIONS: dict[str, Any] = {
    "parameters": in_file(Parameter),
    "inputs": in_file(Input),
    "states": in_file(ExtraState),
    "tables": in_file(TableInFile),
    "definitions": str,
    "bodies": in_file(Body),
    "shapes": in_file(Look),
    "joints": _by_kind("joints"),
    "forces": _by_kind("forces"),
    "contacts": _by_kind("contacts"),
    "closures": _by_kind("closures"),
    "couplings": _by_kind("couplings"),
    "constraints": in_file(Constraint),
    "drives": in_file(Drive),
    "modes": in_file(Mode),
    "transitions": in_file(Transition),
    "controls": in_file(Control),
    "sensors": _by_kind("sensors"),
    "parts": in_file(PartInFile),
}
"""The type of the items of each section; a dict has one for each kind."""


def add_kind(section: str, kind: type[Data]) -> None:
    """Let files know one more kind, as of force (`section` "forces"); its fields are frames,
    values, texts, numbers, or kinds themselves."""
    if section not in KINDS:
        raise InputError(str(unknown("section of kinds", section, KINDS)))
    if not (isinstance(kind, type) and issubclass(kind, Data)):
        raise InputError(
            f"add_kind({section!r}, …): a kind is a class such as tb.ForceKind, got {kind!r}."
        )
    if not issubclass(kind, _BASES[section]):
        named = " or ".join(f"{base.__module__}.{base.__name__}" for base in _BASES[section])
        raise InputError(
            f"add_kind({section!r}, {kind.__name__}): a kind of that section is a subclass of "
            f"{named}; give another section, or a class of that kind."
        )
    tag = str(kind.__struct_config__.tag)
    sections = (section, "closures") if section == "joints" else (section,)  # joints close loops
    for own in sections:
        known = KINDS[own].get(tag, kind)
        if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise InputError(
                f"add_kind({section!r}, {kind.__name__}): files know {tag!r} as "
                f"{known.__module__}.{known.__qualname__}; give the class another tag, as "
                f'class {kind.__name__}(…, tag="…").'
            )
    for own in sections:
        KINDS[own][tag], SECTIONS[own][tag] = kind, in_file(kind, _BESIDE.get(own))


def model_schema() -> dict[str, object]:
    """The JSON schema of a model file."""
    sections: list[Any] = [_named(name, _union(item)) for name, item in SECTIONS.items()]
    optional = [
        ("gravity", GRAVITY, (0.0, 0.0, -9.81)), ("base", BASE, None), ("report", REPORT, None),
        *sections,
    ]  # fmt: skip
    part = defstruct("LibraryModel", [("name", str, ""), *optional], forbid_unknown_fields=True)
    whole = defstruct(
        "Model",
        [("touchback", Literal[1]), ("name", str), *optional, _named("library", part)],
        forbid_unknown_fields=True,
    )
    return {"$schema": DIALECT, "title": "Touchback model", **msgspec.json.schema(whole)}


def _named(section: str, item: Any) -> tuple[str, Any, Any]:
    return section, dict[str, item], msgspec.field(default_factory=dict)


def _union(item: Any) -> Any:
    return functools.reduce(operator.or_, item.values()) if isinstance(item, dict) else item

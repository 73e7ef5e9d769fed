"""Walking described data: the same fields are checked, renamed or translated anywhere."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_args

import msgspec

from touchback.errors import ModelError
from touchback.model.frame import Frame, as_frame
from touchback.model.value_or_expression import Data, Triple, Value, list_items, triple, value
from touchback.symbolic import Expr

_D = TypeVar("_D", bound=Data)
_T = TypeVar("_T")


def normalise_fields(label: str, kind: _D) -> _D:
    """A joint, force or sensor as a user wrote it with bodies made frames, lists made tuples, and
    numbers made floats; what a field can't hold is refused."""
    changes: dict[str, object] = {}
    for field in _fields(kind.__class__):
        given = getattr(kind, field.name)
        where = f"{label}: {field.name}"
        if field.type is Frame:
            changes[field.name] = as_frame(where, given)
        elif Frame in get_args(field.type):
            changes[field.name] = tuple(as_frame(where, item) for item in list_items(given) or ())
        elif field.type is Value or (field.type == Value | None and given is not None):
            changes[field.name] = value(where, given)
        elif isinstance(given, Data):
            changes[field.name] = normalise_fields(where, given)
        elif field.type == Triple:
            changes[field.name] = triple(where, given)
        elif field.type is int:
            changes[field.name] = _check_index(where, given)
        elif field.type is bool:
            changes[field.name] = check_bool(where, given)
        elif field.type is str and not isinstance(given, str):
            raise ModelError(f"{where}: a text is expected, got {given!r}.")
        elif field.type == tuple[str, ...]:
            changes[field.name] = _check_texts(where, given)
        elif isinstance(given, (list, tuple)):
            changes[field.name] = tuple(
                normalise_fields(where, item) if isinstance(item, Data) else value(where, item)
                for item in given
            )
    return msgspec.structs.replace(kind, **changes)


@cache
def _fields(kind: type[Data]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Names and types of a class's fields: its annotations are evaluated once."""
    return msgspec.structs.fields(kind)


def usual_value(field: msgspec.structs.FieldInfo) -> object:
    """The default of a field."""
    made = field.default_factory
    return field.default if made is msgspec.NODEFAULT else made()


def check_bool(label: str, given: object) -> bool:
    """True or False; anything else is refused."""
    if not isinstance(given, bool):
        raise ModelError(f"{label}: True or False is expected, got {given!r}.")
    return given


def _check_index(label: str, given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ModelError(f"{label}: a whole number from 0 is expected, got {given!r}.")
    return given


def _check_texts(label: str, given: object) -> tuple[str, ...]:
    items = list_items(given)
    names = tuple(item for item in items or () if isinstance(item, str))
    if items is None or len(names) < len(items):
        raise ModelError(f"{label}: a list of names is expected, got {given!r}.")
    return names


def map_fields(
    data: object,
    expression: Callable[[Expr], Expr],
    frame: Callable[[Frame], Frame],
    joint: Callable[[str], str],
) -> Any:
    """A copy of described data with every expression, frame and joint name replaced. Names of
    joints stand in fields called `joint`, or in those that a class lists in `NAMES`."""
    if isinstance(data, Frame):
        return frame(data)
    if isinstance(data, Expr):
        return expression(data)
    if isinstance(data, Data):
        changes = {}
        names = getattr(data, "NAMES", ("joint",))
        for field in data.__struct_fields__:
            item = getattr(data, field)
            if field in names and item is not None:
                changes[field] = _rename_joints(item, joint)
            else:
                changes[field] = map_fields(item, expression, frame, joint)
        return msgspec.structs.replace(data, **changes)
    if isinstance(data, tuple):
        return tuple(map_fields(item, expression, frame, joint) for item in data)
    if isinstance(data, dict):
        return {key: map_fields(item, expression, frame, joint) for key, item in data.items()}
    return data


def _rename_joints(
    names: str | tuple[str | int, ...], joint: Callable[[str], str]
) -> str | tuple[str | int, ...]:
    """A joint, several, or a joint and the index of a coordinate."""
    if isinstance(names, str):
        return joint(names)
    return tuple(joint(item) if isinstance(item, str) else item for item in names)


def frames_of(data: object) -> list[Frame]:
    """Every frame in described data."""
    found: list[Frame] = []

    def note(frame: Frame) -> Frame:
        found.append(frame)
        return frame

    map_frames(data, note)
    return found


def map_frames(data: _T, frame: Callable[[Frame], Frame]) -> _T:
    """A copy of described data with every frame replaced."""
    mapped: _T = map_fields(data, lambda expression: expression, frame, lambda joint: joint)
    return mapped


def expressions_of(data: object) -> list[Expr]:
    """Every expression in described data, those of its frames included, in order."""
    found: list[Expr] = []

    def note(expression: Expr) -> Expr:
        found.append(expression)
        return expression

    def note_all(frame: Frame) -> Frame:
        for item in (*frame.at, *(angle for _, angle in frame.turn)):
            if isinstance(item, Expr):
                note(item)
        return frame

    map_fields(data, note, note_all, lambda joint: joint)
    return found

"""Walking described data: the same fields are checked, renamed or translated wherever they stand."""

from collections.abc import Callable
from typing import Any

import msgspec

from touchback.model.frame import BodyHandle, Frame, as_frame
from touchback.model.value import Data, Value, value
from touchback.symbolic.expression import Expr


def normalised(label: str, kind: Any) -> Any:
    """A force or sensor as a user wrote it with bodies made frames, lists tuples, and numbers floats."""
    changes = {}
    for field in msgspec.structs.fields(kind):
        given = getattr(kind, field.name)
        where = f"{label}: {field.name}"
        if field.type is Frame:
            changes[field.name] = as_frame(where, given)
        elif field.type is Value:
            changes[field.name] = value(where, given)
        elif isinstance(given, (list, tuple)) and not isinstance(given, str):
            changes[field.name] = tuple(value(where, item) for item in given)
    return msgspec.structs.replace(kind, **changes)


def mapped(
    data: Any,
    expression: Callable[[Expr], Any],
    frame: Callable[[Frame], Frame],
    joint: Callable[[str], str],
) -> Any:
    """A copy of described data with every expression, frame and joint name replaced."""
    if isinstance(data, Frame):
        return frame(data)
    if isinstance(data, Expr):
        return expression(data)
    if isinstance(data, Data):
        changes = {}
        for field in msgspec.structs.fields(data):
            item = getattr(data, field.name)
            if field.name == "joint":
                changes[field.name] = joint(item)
            else:
                changes[field.name] = mapped(item, expression, frame, joint)
        return msgspec.structs.replace(data, **changes)
    if isinstance(data, tuple):
        return tuple(mapped(item, expression, frame, joint) for item in data)
    if isinstance(data, dict):
        return {key: mapped(item, expression, frame, joint) for key, item in data.items()}
    return data


def frames_of(data: Any) -> list[Frame]:
    """Every frame in described data."""
    found: list[Frame] = []

    def note(frame: Frame) -> Frame:
        found.append(frame)
        return frame

    mapped(data, lambda expression: expression, note, lambda joint: joint)
    return found


__all__ = ["BodyHandle", "frames_of", "mapped", "normalised"]

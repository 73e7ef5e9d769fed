"""JSON that came from a file, checked to be what it should be before anything takes it."""

import json
from typing import Any, TypeVar

import msgspec

from touchback.errors import NO_JSON, InputError

LARGEST_TEXT = 1 << 26  # bytes; as Python's objects, JSON takes up to twenty times as many
T = TypeVar("T")


def parsed(text: str | bytes, place: str) -> Any:
    """The plain data of a JSON text; `place` begins the message when it isn't one."""
    if len(text) > LARGEST_TEXT:
        raise InputError(f"{place} has {len(text)} bytes; at most {LARGEST_TEXT} are read.")
    try:
        return json.loads(text)
    except NO_JSON as error:
        raise InputError(f"{place} is not JSON ({error}).") from None


def checked(data: object, kind: type[T], place: str, strict: bool = True) -> T:
    """Plain data as a type; `place` begins the message that names what is missing or wrong. When
    not `strict`, a number may be a text, as those are that JSON lacks ("nan")."""
    try:
        return msgspec.convert(data, kind, strict=strict)
    except NO_JSON as error:
        raise InputError(f"{place} is damaged: {error}.") from None

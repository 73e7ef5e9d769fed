"""Plain data as the structs of `schema.py`, with complaints that name the place and the value."""

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain, repeat
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from touchback.errors import FieldError
from touchback.model.io.yaml_json import Document, Path
from touchback.model.kind_registry import kinds_in
from touchback.names import suggestion
from touchback.units import misfit, read_quantity, unit_of, unknown_unit

_WORDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "array": "a list",
    "object": "a mapping",
    "bool": "true or false",
    "null": "nothing",
}
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[(\.\.\.)\]")


def mapping(document: Document, path: Path, given: object) -> dict[str, object]:
    """The given mapping, or a complaint."""
    if not isinstance(given, dict):
        raise document.error(path, f"a mapping is expected, got {shown(given)}.")
    return given


def convert(document: Document, path: Path, given: object, kind: Any, unit: str = "") -> Any:
    """A struct of this kind; a dict of kinds is chosen from by the item's `kind`. Numbers may be
    given with a unit, as "35 mm", where the struct's `UNITS` (or `unit`, of a lone number) say in
    which one they are."""
    if isinstance(kind, dict):
        kind = _chosen(document, path, mapping(document, path, given), kind)
    if hasattr(kind, "__struct_fields__") and not isinstance(given, str):
        _check_keys(document, path, mapping(document, path, given), kind)
    given = _without_units(document, path, given, kind, unit)
    try:
        return msgspec.convert(given, type=kind)
    except msgspec.ValidationError as error:
        inner, sentence = complaint(str(error), given, kind)
        if isinstance(error.__cause__, FieldError):
            inner, sentence = (*_place(str(error)), *error.__cause__.path), str(error.__cause__)
        raise document.error((*path, *inner), sentence) from None


def check_keys(document: Document, path: Path, given: dict[str, object], known: list[str]) -> None:
    """Refuse keys that mean nothing."""
    for key in given:
        if key not in known:
            hint = suggestion(key, known)
            raise document.error((*path, key), f"there is no such key here; {hint}")


def _chosen(
    document: Document, path: Path, given: dict[str, object], kinds: Mapping[str, type[Struct]]
) -> type[Struct]:
    kind = given.get("kind")
    if "kind" not in given:
        raise document.error(path, f"its `kind` is missing; {suggestion('', kinds)}")
    if not isinstance(kind, str) or kind not in kinds:
        raise document.error(
            (*path, "kind"), f"there is no kind {shown(kind)}; {suggestion(str(kind), kinds)}"
        )
    return kinds[kind]


def _check_keys(
    document: Document, path: Path, given: dict[str, object], kind: type[Struct]
) -> None:
    tag = kind.__struct_config__.tag_field
    own = _fields(kind)
    check_keys(document, path, given, [*([tag] if tag else []), *(item.name for item in own)])
    for item in own:
        if item.required and item.name not in given:
            raise document.error(path, f"its `{item.name}` is missing.")
        if item.name in given:
            _check_inner(document, (*path, item.name), given[item.name], kinds_in(item.type))


@cache
def _fields(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    return fields(kind)


def _check_inner(
    document: Document, path: Path, given: object, kinds: Mapping[str, type[Struct]]
) -> None:
    """The same for data of some kind that lie in others, alone or in a list: profiles, laws."""
    if not kinds:
        return
    if isinstance(given, list):
        for i, item in enumerate(given):
            _check_inner(document, (*path, i), item, kinds)
        return
    own = mapping(document, path, given)
    _check_keys(document, path, own, _chosen(document, path, own, kinds))


def _without_units(document: Document, path: Path, given: Any, kind: Any, unit: str) -> Any:
    """The same plain data, with numbers for texts such as "35 mm" where numbers alone are taken
    (texts of values are expressions); `unit` is that of the numbers."""
    alternatives = _alternatives(kind)
    if isinstance(given, str):
        takes_number = float in alternatives and str not in alternatives
        return _number(document, path, given, unit) if takes_number else given
    if isinstance(given, list):
        inside = next((get_args(each) for each in alternatives if get_origin(each) is tuple), ())
        if not inside:
            return given
        kinds = repeat(inside[0]) if inside[-1] is ... else chain(inside, repeat(None))
        items = enumerate(zip(given, kinds, strict=False))
        return [_without_units(document, (*path, i), item, of, unit) for i, (item, of) in items]
    struct = _struct_of(alternatives, given) if isinstance(given, dict) else None
    if struct is None:
        return given
    types = {field.name: field.type for field in _fields(struct)}
    units = getattr(struct, "UNITS", {})
    return {
        key: _without_units(document, (*path, key), item, types.get(key), units.get(key, ""))
        for key, item in given.items()
    }


def _number(document: Document, path: Path, text: str, wanted: str) -> float | str:
    """The number of a quantity in the unit that is needed; other texts as they are."""
    quantity = read_quantity(text)
    if quantity is None:
        if said := unknown_unit(text):
            raise document.error(path, said)
        return text
    number, unit = quantity
    needed = unit_of(wanted)
    if needed is None:
        raise document.error(path, f"{text!r}: a plain number is needed here, without a unit.")
    if said := misfit(text, unit, wanted):
        raise document.error(path, said)
    return (unit.in_si(number) - needed.zero) / needed.factor


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The types of a union, without what else is said of them; a lone one by itself."""
    if get_origin(kind) is Annotated:
        return _alternatives(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return tuple(each for inside in get_args(kind) for each in _alternatives(inside))
    return (kind,)


def _struct_of(alternatives: tuple[Any, ...], given: dict[str, object]) -> type[Struct] | None:
    """The struct that a mapping describes: by its `kind` where there are several."""
    structs = [each for each in alternatives if hasattr(each, "__struct_fields__")]
    named = [each for each in structs if each.__struct_config__.tag == given.get("kind")]
    return next(iter(named or (structs if len(structs) == 1 else [])), None)


def complaint(said: str, given: object, kind: Any) -> tuple[Path, str]:
    """The path of what was refused in the given data, and a sentence with what is expected there
    and what it is."""
    inner = _place(said)
    value: Any = given
    for step in inner:
        value, kind = value[step], _type_of(kind, step)
    message, _ = _told(said)
    strange = re.match(r"Object contains unknown field `([^`]*)`", message)
    if strange is not None:
        known = [field.name for field in _own(kind)]
        return (*inner, strange[1]), f"there is no such key here; {suggestion(strange[1], known)}"
    if get_origin(kind) is Literal:
        words = " or ".join(map(repr, get_args(kind)))
        return inner, f"{words} is expected, got {shown(value)}."
    expected = re.match(r"Expected `([^`]*)`( [<>]=? \S+)?", message)
    if expected is None:
        return inner, f"{message}, got {shown(value)}."
    length = re.search(r"of length [^,]*", message)
    if described := _described(kind):
        return inner, f"{described} is expected, got {shown(value)}."
    words = " or ".join(_WORDS.get(word, word) for word in expected[1].split(" | "))
    size = f" {length[0]}" if length else ""
    if not size and get_origin(kind) is tuple and get_args(kind)[-1] is not ...:
        size = f" of length {len(get_args(kind))}"
    return inner, f"{words}{expected[2] or ''}{size} is expected, got {shown(value)}."


def _described(kind: Any) -> str:
    """What is said of a type beside it, for people; nothing of most."""
    notes = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    found = (each.description for each in notes if isinstance(each, msgspec.Meta))
    return next((text for text in found if text), "")


def _told(said: str) -> tuple[str, str]:
    """What msgspec says, and where; in which a stranger's words may be."""
    message, sign, place = said.rpartition(" - at `$")
    return (message, place[:-1]) if sign and place.endswith("`") else (said, "")


def _place(said: str) -> Path:
    """The path that msgspec tells."""
    found: list[str | int] = []
    for step in _STEP.finditer(_told(said)[1]):
        if step[3]:  # of a mapping's values: it doesn't say which
            break
        found.append(step[1] if step[1] else int(step[2]))
    return tuple(found)


def _type_of(kind: Any, step: str | int) -> Any:
    """The type of a field or item of data of a type, None where it isn't plain to see."""
    if isinstance(step, str):
        return next((field.type for field in _own(kind) if field.name == step), None)
    inside = get_args(kind)
    if get_origin(kind) is not tuple or not inside:
        return None
    return inside[0] if inside[-1] is ... else inside[step]


def _own(kind: Any) -> tuple[FieldInfo, ...]:
    """Fields of a struct, which may be left out; none of what is no struct."""
    for each in (kind, *get_args(kind)):
        if hasattr(each, "__struct_fields__"):
            return _fields(each)
    return ()


def shown(given: object) -> str:
    """A value as a message shows it: short, as it stands in a file."""
    if given is None:
        return "nothing"
    if isinstance(given, bool):
        return "true" if given else "false"
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:57]}…"

"""Vehicle files: a car as YAML or JSON, read with the care of model files."""

from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import fields

from touchback.errors import FieldError, ModelError, TouchbackError
from touchback.model import kinds_in
from touchback.model.io import (
    LARGEST,
    READERS,
    Document,
    check_keys,
    convert,
    mapping,
    shown,
    yaml_text,
)
from touchback.safe_files import check_output, read_regular, write_atomically
from touchback.vehicle.car import Car
from touchback.vehicle.suspension import AnyAxle
from touchback.vehicle.tyres import AnyTyre, MagicFormula

VERSION = 1
_KEY = "vehicle"
_TYRES = ("front_tyre", "rear_tyre")
#: A small car on double wishbones, as a file that the package ships.
SMALL_CAR = Path(__file__).parent / "small_car.yaml"
#: Kinds of axles by their names in files.
AXLES = kinds_in(AnyAxle)
"""Kinds of axles, by their names in files of cars."""


def is_car_file(path: str | Path) -> bool:
    """Whether a file describes a vehicle: its first key is `vehicle`."""
    file = Path(path)
    if file.suffix.lower() not in READERS:
        return False
    lines = read_regular(file, LARGEST, ModelError).decode("utf-8", "replace").splitlines()
    first = next((line for line in lines if line.strip(" {") and line.lstrip()[0] != "#"), "")
    return first.strip(" {").strip('"').startswith(_KEY)


def read_car(path: str | Path) -> Car:
    """The car of a vehicle file. Its first line is `vehicle: 1`; the others are the fields of
    `Car`. A tyre is a `.tir` file beside it, or a mapping with its `kind`."""
    file = Path(path)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise ModelError(f"{file}: a vehicle file ends in {', '.join(READERS)}.")
    try:
        text = read_regular(file, LARGEST, ModelError).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None
    document = reader(text, str(file))
    data = mapping(document, (), document.data)
    if data.get(_KEY) != VERSION or isinstance(data.get(_KEY), bool):
        raise document.error(
            (_KEY,) if _KEY in data else (),
            f"a vehicle file begins with `{_KEY}: {VERSION}`, got {shown(data.get(_KEY))}.",
        )
    check_keys(document, (), data, [_KEY, *(field.name for field in fields(Car))])
    given = {
        name: _field(document, name, item, file.parent)
        for name, item in data.items()
        if name != _KEY
    }
    try:
        return msgspec.convert(given, Car)
    except msgspec.ValidationError as error:
        if not isinstance(error.__cause__, FieldError):
            raise
        raise document.error(error.__cause__.path, str(error.__cause__)) from None


def _field(document: Document, name: str, given: object, folder: Path) -> object:
    """A field of the car, checked."""
    try:
        if name in _TYRES and isinstance(given, str):
            return _tyre(document, name, given, folder)
        return convert(document, (name,), given, _kinds()[name], Car.UNITS.get(name, ""))
    except TouchbackError as error:
        if str(error).startswith(document.source):
            raise
        raise document.error((name,), str(error)) from None


@cache
def _kinds() -> dict[str, object]:
    """The type of each field; axles and tyres are chosen by their `kind`."""
    chosen = {"front": AXLES, "rear": AXLES}
    chosen |= dict.fromkeys(_TYRES, kinds_in(AnyTyre))
    return {field.name: chosen.get(field.name, field.type) for field in fields(Car)}


def _tyre(document: Document, name: str, given: str, folder: Path) -> MagicFormula:
    """The tyre of a `.tir` file in the vehicle's folder, or below."""
    file = (folder / given).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise document.error(
            (name,), f"'{given}' leads out of the vehicle's folder; put the tyre's file beside it."
        )
    if not file.is_file():
        raise document.error((name,), f"there is no file '{given}' beside it.")
    return MagicFormula.read(file)


def save_car(car: Car, path: str | Path) -> None:
    """Write a vehicle file (.yaml), from which `read_car` gives the same car: all of its numbers,
    so that it is a start for others."""
    check_output(path, (".yaml", ".yml"))
    plain = _plain(car)
    write_atomically(path, yaml_text({_KEY: VERSION, **plain}))


def _plain(item: object) -> dict[str, object]:
    """Fields as plain data, defaults too; what isn't there is left out."""
    if not isinstance(item, msgspec.Struct):
        raise TypeError(type(item).__name__)
    tag = item.__struct_config__.tag
    found: dict[str, object] = {} if tag is None else {"kind": tag}
    for field in fields(item):
        value = getattr(item, field.name)
        if value is not None:
            found[field.name] = _value(value)
    return found


def _value(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return _plain(value)
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    return value

"""Parts of a car as plain data, whose numbers are within what their types say."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from msgspec.structs import FieldInfo, fields, force_setattr

from touchback.errors import FieldError, ModelError
from touchback.model import Data, make_body
from touchback.model.io import complaint

_MOST = 1e9  # of any number: more is a slip of the pen, and products of some overflow
_FAR = 100.0  # m
STEEPEST = math.pi / 4  # of alignment angles, live ones too
_APART = 1e-6  # m: nearer points coincide

Number = Annotated[float, Meta(ge=-_MOST, le=_MOST)]
Positive = Annotated[float, Meta(gt=0.0, le=_MOST)]
FromZero = Annotated[float, Meta(ge=0.0, le=_MOST)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Length = Annotated[float, Meta(ge=-_FAR, le=_FAR)]
Size = Annotated[float, Meta(gt=0.0, le=_FAR)]
Angle = Annotated[float, Meta(ge=-STEEPEST, le=STEEPEST)]
Point = tuple[Length, Length, Length]
LeftPoint = tuple[Length, Size, Size]  # to the left of the car's middle, above the road
Moments = tuple[Positive, Positive, Positive]


class Part(Data, frozen=True):
    """Data of a vehicle file. Whoever makes it, a file or a program, its fields are held to their
    types; what concerns several of them, a kind says itself."""

    def __post_init__(self) -> None:
        for field in _fields(type(self)):
            given = _plain(getattr(self, field.name))
            try:
                force_setattr(self, field.name, msgspec.convert(given, field.type))
            except msgspec.ValidationError as error:
                place, sentence = complaint(str(error), given, field.type)
                told = "".join(f"[{step}]" for step in place)
                raise FieldError(
                    f"{type(self).__name__}: its {field.name}{told}: {sentence}",
                    (field.name, *place),
                ) from None

    def wrong(self, field: str, sentence: str) -> FieldError:
        """The error of a field that doesn't go with others."""
        return FieldError(f"{type(self).__name__}: {sentence}", (field,))

    def check_moments(self, field: str, moments: Sequence[float]) -> None:
        """Refuse principal moments of inertia that no distribution of mass has."""
        try:
            make_body(type(self).__name__, 1.0, (0.0, 0.0, 0.0), moments)
        except ModelError as error:
            raise self.wrong(field, str(error).partition(": ")[2]) from None

    def check_apart(self, first: str, second: str) -> None:
        """Refuse two points that coincide."""
        a, b = getattr(self, first), getattr(self, second)
        if not math.dist(a, b) > _APART:
            raise self.wrong(second, f"its {first} and {second} are both {b}; move one of them.")

    def check_off_line(self, field: str, first: str, second: str) -> None:
        """Refuse a point on the line through two others, about which it is to turn."""
        self.check_apart(first, second)
        point, a, b = (np.array(getattr(self, each)) for each in (field, first, second))
        way = (b - a) / np.linalg.norm(b - a)
        if not np.linalg.norm(np.cross(point - a, way)) > _APART:
            raise self.wrong(
                field,
                f"its {field}, {getattr(self, field)}, lies on the line through its {first} and "
                f"{second}, about which it turns; move it.",
            )


@cache
def _fields(kind: type[Part]) -> tuple[FieldInfo, ...]:
    return fields(kind)


def _plain(given: object) -> object:
    """Numbers of NumPy as Python's, in lists too."""
    if isinstance(given, (list, tuple)):
        return tuple(_plain(each) for each in given)
    return given.item() if isinstance(given, np.generic) else given

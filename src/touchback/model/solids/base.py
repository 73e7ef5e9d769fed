"""What every kind of solid says of itself: how it looks, and, of those that float, what of it a
fluid wets."""

from typing import NamedTuple

import numpy as np

from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.mechanics_protocol import ValueOf
from touchback.model.value_or_expression import Data, is_number, value
from touchback.model.visual_shapes import Shapes
from touchback.numbers import Scalar, Vector
from touchback.symbolic import Scalars

LENGTHS = 1e-60, 1e12  # m, of solids: squares and volumes of others are no numbers, or zero


def check_lengths(kind: str, *lengths: object) -> None:
    """Refuses numbers that are no lengths of a solid; expressions are taken as they come, and zero
    is: files show plates without a thickness."""
    least, most = LENGTHS
    for given in lengths:
        length = value(f"{kind}: a length", given)
        if is_number(length) and length != 0.0 and not least <= length <= most:
            raise ModelError(
                f"{kind}: a length of {length:g} m; give a number of metres from {least:g} to "
                f"{most:g}."
            )


class SubmergedPart(NamedTuple):
    """The part of a solid below a plane, in the solid's axes: its volume [m³], first moment ∫ r dV
    about the solid's origin [m⁴], and ∫ depth dV [m⁴], which is what it costs to push it there."""

    volume: Scalar
    moment: Vector
    depth: Scalar


class MassProperties(NamedTuple):
    """Volume [m³] and centre [m] of a solid in its axes, and its inertia about that at 1 kg/m³
    [m⁵], (3, 3)."""

    volume: float
    centre: np.ndarray
    inertia: np.ndarray


class VisualKind(Data, frozen=True, tag_field="kind"):
    """Something to look at, about the origin of a frame and along its axes."""

    def shapes(self, frame: Frame) -> Shapes:
        """What pictures show of it, at a frame."""
        raise NotImplementedError(type(self).__name__)

    def mass_properties(self) -> MassProperties | None:
        """Of the same matter everywhere, where its sizes are numbers; None of what has no volume,
        or sizes that are expressions."""
        return None


class SolidKind(VisualKind, frozen=True):
    """A solid that can float; sizes [m] may be expressions."""

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        """[m³]"""
        raise NotImplementedError(type(self).__name__)

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> SubmergedPart:
        """What of it is below a surface with the unit normal `up` (solid's axes), `depth` above the
        solid's origin."""
        raise NotImplementedError(type(self).__name__)

    def added(self) -> tuple[tuple[float, float, float], tuple[float, float, float]] | None:
        """Added mass along and added inertia about its axes in an unbounded ideal fluid, of ρ V and
        ρ V m²; None where it is not known in closed form."""
        return None

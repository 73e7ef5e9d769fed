"""What every joint kind says of itself."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from touchback.errors import ModelError
from touchback.model.closure_equations import (
    UNIT,
    Direction,
    Equation,
    Perpendicular,
    ZeroOffsetAlong,
)
from touchback.model.frame import AXES
from touchback.model.joints.elementary_motions import Motion
from touchback.model.value_or_expression import Data

Step = Motion | np.ndarray  # an elementary motion, or a constant rotation between two of them
Axis = str | tuple[float, float, float]


class JointKind(Data, frozen=True, tag_field="kind"):
    """A kind of joint: its elementary motions in order and the names and units of its coordinates.

    A joint with one coordinate is named by the joint alone; others add the names given here."""

    def steps(self) -> list[Step]:
        """Elementary motions from the parent's side to the child's, with constant rotations
        between."""
        raise NotImplementedError(type(self).__name__)

    def position_names(self) -> tuple[str, ...]:
        """Names of the coordinates q within the joint; ("",) for a single one."""
        return ("",)

    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocities v within the joint."""
        return self.position_names()

    def position_units(self) -> tuple[str, ...]:
        """Units of the coordinates q."""
        return ("rad",)

    def velocity_units(self) -> tuple[str, ...]:
        """Units of the velocities v."""
        return tuple(f"{unit}/s" for unit in self.position_units())

    def motions(self) -> list[Motion]:
        """The elementary motions alone."""
        return [step for step in self.steps() if isinstance(step, Motion)]

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(motion.nq for motion in self.motions())

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return sum(motion.nv for motion in self.motions())

    def neutral(self) -> list[float]:
        """Coordinates of no displacement."""
        return [number for motion in self.motions() for number in motion.neutral()]

    def equations(self) -> tuple[Equation, ...]:
        """What it leaves between its two frames A and B where it closes a loop; each equation has a
        multiplier."""
        raise ModelError(f"{type(self).__name__} can't close a loop.")

    def shared_axes(self) -> tuple[Direction, ...]:
        """Axes that its two frames share where it closes a loop: in the branch that is meant they
        are parallel, and not opposite."""
        return ()


def check_axis(kind: str, axis: Axis) -> Axis:
    """'x', '-y', … or three numbers that aren't all zero, as given."""
    if isinstance(axis, str):
        if axis.removeprefix("-") in AXES:
            return axis
    else:
        try:
            numbers = tuple(float(component) for component in axis)
        except (TypeError, ValueError):
            numbers = ()
        if len(numbers) == 3 and all(map(math.isfinite, numbers)) and any(numbers):
            return numbers
    raise ModelError(
        f"{kind}: its axis must be 'x', 'y', 'z', '-x', '-y', '-z' or three numbers that aren't "
        f"all zero, got {axis!r}."
    )


def about_axis(axis: Axis, make: Callable[[int], Motion]) -> list[Step]:
    """Steps of a motion `make(index)` about any axis: along a coordinate axis when it is one, else
    turned there."""
    if isinstance(axis, str) and axis in AXES:
        return [make(AXES[axis])]
    vector = axis_vector(axis)
    for index in range(3):
        if vector[index] == 1.0 and np.count_nonzero(vector) == 1:
            return [make(index)]
    A = rotation_to(vector)
    return [A, make(2), A.T]


def axis_vector(axis: Axis) -> np.ndarray:
    """The unit vector of an axis."""
    if isinstance(axis, str):
        unit = np.zeros(3)
        unit[AXES[axis[-1]]] = -1.0 if axis.startswith("-") else 1.0
        return unit
    vector = np.array(axis, dtype=float)
    return vector / np.linalg.norm(vector)


def direction(axis: Axis) -> Direction:
    """The unit vector of an axis, as equations have it."""
    x, y, z = map(float, axis_vector(axis))
    return x, y, z


def parallel(axis: Axis) -> tuple[Equation, ...]:
    """An axis of A stays parallel to the same one of B (or opposite: the branch is chosen at
    assembly)."""
    u, v = _normals(axis)
    return Perpendicular(u, direction(axis)), Perpendicular(v, direction(axis))


def on_axis(axis: Axis) -> tuple[Equation, ...]:
    """The origin of B stays on an axis of A."""
    u, v = _normals(axis)
    return ZeroOffsetAlong(u), ZeroOffsetAlong(v)


def aligned() -> tuple[Equation, ...]:
    """The axes of A and B stay parallel (and not opposite: the branch is chosen at assembly)."""
    x, y, z = UNIT
    return Perpendicular(x, z), Perpendicular(y, z), Perpendicular(x, y)


def _normals(axis: Axis) -> tuple[Direction, Direction]:
    """Two directions square to an axis and to each other, coordinate axes where they are ones."""
    vector = axis_vector(axis)
    if np.count_nonzero(vector) == 1:
        a = int(np.argmax(np.abs(vector)))
        return UNIT[(a + 1) % 3], UNIT[(a + 2) % 3]
    (a0, b0), (a1, b1), (a2, b2) = rotation_to(vector)[:, :2].tolist()
    return (a0, a1, a2), (b0, b1, b2)


def rotation_to(vector: np.ndarray) -> np.ndarray:
    """A rotation matrix whose third column is the given unit vector, exact for coordinate axes."""
    return _rotation_to(*map(float, vector))


@lru_cache(maxsize=4096)  # a joint is asked for its steps many times
def _rotation_to(x: float, y: float, z: float) -> np.ndarray:
    vector = np.array([x, y, z])
    helper = np.eye(3)[int(np.argmin(np.abs(vector)))]
    side = np.cross(helper, vector)
    side = side / np.linalg.norm(side)
    matrix = np.column_stack([side, np.cross(vector, side), vector])
    matrix.setflags(write=False)
    return matrix

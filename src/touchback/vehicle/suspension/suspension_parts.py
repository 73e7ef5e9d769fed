"""Parts of any suspension: springs with dampers by tables, anti-roll bars, and the bearings or
rubber mounts that hold arms and links on a chassis."""

from dataclasses import dataclass
from math import atan2, hypot
from typing import ClassVar

from touchback import Bushing, ForceKind, Frame, Model, Rod, SpringDamper
from touchback.errors import FieldError
from touchback.model import (
    Forces,
    FrameField,
    Mechanics,
    Value,
    check_positive,
    line_between,
    pull_together,
)
from touchback.numbers import Scalar
from touchback.vehicle.car_part import FromZero, Length, Number, Part, Point, Positive
from touchback.vehicle.piecewise_linear import area, check_curve, curve
from touchback.vehicle.scalar_operators import as_numbers, as_scalars


class StrutTables(Part, frozen=True, kw_only=True):
    """A spring's `force` [N] over its `compression` from the design position [m], and a damper's
    `damping` force [N] over the `speed` of compression [m/s]: straight between these points, and on
    beyond. Both push the ends apart when positive. Bump stops are steep ends of the spring: here of
    rubber, then of steel, 2.5 MN/m, which hold the linkage when a wheel hits a wall."""

    UNITS: ClassVar[dict[str, str]] = {
        "compression": "m",
        "force": "N",
        "speed": "m/s",
        "damping": "N",
    }

    compression: tuple[Length, ...] = (-0.12, -0.10, -0.05, 0.0, 0.05, 0.07, 0.09, 0.11)
    force: tuple[Number, ...] = (
        -49750.0, 250.0, 1750.0, 3250.0, 4750.0, 5450.0, 8450.0, 58450.0,
    )  # fmt: skip
    speed: tuple[Number, ...] = (-1.0, -0.1, 0.0, 0.1, 1.0)
    damping: tuple[Number, ...] = (-2600.0, -350.0, 0.0, 200.0, 1400.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_curve("StrutTables", compression=self.compression, force=self.force)
        check_curve("StrutTables", speed=self.speed, damping=self.damping)
        for i, (speed, force) in enumerate(zip(self.speed, self.damping, strict=True)):
            if speed * force < 0.0:
                raise FieldError(
                    f"StrutTables: its damping at {speed:g} m/s is {force:g} N, along the motion; "
                    "a damper acts against it: give both the same sign.",
                    ("damping", i),
                )


class Strut(ForceKind, frozen=True, kw_only=True, tag="strut"):
    """A spring and a damper along the line between `a` and `b`, which are `length` [m] apart at
    design: tables as those of `StrutTables`, whose ordinates may be live."""

    UNITS: ClassVar[dict[str, str]] = {
        "length": "m",
        "compression": "m",
        "force": "N",
        "speed": "m/s",
        "damping": "N",
    }
    a: FrameField
    b: FrameField
    length: Value
    compression: tuple[float, ...]
    force: tuple[Value, ...]
    speed: tuple[float, ...]
    damping: tuple[Value, ...]

    def __post_init__(self) -> None:
        check_curve("Strut", compression=self.compression, force=self.force)
        check_curve("Strut", speed=self.speed, damping=self.damping)
        check_positive("Strut", length=self.length)

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        distance, rate, direction = line_between(mechanics, self.a, self.b)
        (compressed,) = self._compressed(mechanics, distance)
        (speed,) = as_numbers(k, [k.neg(rate)])
        force = as_numbers(k, map(mechanics.value, self.force))
        damping = as_numbers(k, map(mechanics.value, self.damping))
        push = curve(self.compression, force, compressed) + curve(self.speed, damping, speed)
        pull_together(mechanics, self.a, self.b, as_scalars(k, [-push])[0], direction)

    def potential(self, mechanics: Mechanics) -> Scalar:
        distance, _, _ = line_between(mechanics, self.a, self.b)
        (compressed,) = self._compressed(mechanics, distance)
        force = as_numbers(mechanics.k, map(mechanics.value, self.force))
        return as_scalars(mechanics.k, [area(self.compression, force, compressed)])[0]

    def _compressed(self, mechanics: Mechanics, distance: Scalar) -> list[Scalar]:
        k = mechanics.k
        return as_numbers(k, [k.sub(mechanics.value(self.length), distance)])


class AntiRollBar(ForceKind, frozen=True, kw_only=True, tag="anti-roll-bar"):
    """A bar between the struts of an axle: k times the difference of their lengths pulls the longer
    one together and the shorter apart [N/m]. Their lengths are alike at design."""

    UNITS: ClassVar[dict[str, str]] = {"stiffness": "N/m"}
    left_a: FrameField
    left_b: FrameField
    right_a: FrameField
    right_b: FrameField
    stiffness: Value

    def __post_init__(self) -> None:
        check_positive("AntiRollBar", zero=True, stiffness=self.stiffness)

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        left, _, left_way = line_between(mechanics, self.left_a, self.left_b)
        right, _, right_way = line_between(mechanics, self.right_a, self.right_b)
        pull = k.mul(mechanics.value(self.stiffness), k.sub(left, right))
        pull_together(mechanics, self.left_a, self.left_b, pull, left_way)
        pull_together(mechanics, self.right_a, self.right_b, k.neg(pull), right_way)

    def potential(self, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        left, _, _ = line_between(mechanics, self.left_a, self.left_b)
        right, _, _ = line_between(mechanics, self.right_a, self.right_b)
        apart = k.sub(left, right)
        return k.mul(k.mul(k.const(0.5), mechanics.value(self.stiffness)), k.mul(apart, apart))


class Mounts(Part, frozen=True, kw_only=True):
    """A rubber bushing in every pivot on the chassis: its stiffness across (`radial`) and along
    the pivot's line (`axial`) [N/m], about that line (`torsion`) and square to it (`conical`)
    [N m/rad]; its dampers are these times `loss` [s]. A link's is across only. The numbers are
    ours, of the order of solid rubber in a small car; 0.2 ms are a phase of 7° at 100 Hz."""

    UNITS: ClassVar[dict[str, str]] = {
        "radial": "N/m",
        "axial": "N/m",
        "torsion": "N m/rad",
        "conical": "N m/rad",
        "loss": "s",
    }

    radial: Positive = 4e6
    axial: Positive = 4e5
    torsion: FromZero = 60.0
    conical: FromZero = 250.0
    loss: FromZero = 2e-4

    def rubber(self, fixed: Frame, moved: Frame, gain: Value) -> Bushing:
        """A bushing about the x axis of two frames that coincide at design."""
        along, across = gain * self.axial, gain * self.radial
        about, square = gain * self.torsion, gain * self.conical
        lost = self.loss
        return Bushing(
            fixed, moved, (along, across, across), (lost * along, lost * across, lost * across),
            (about, square, square), (lost * about, lost * square, lost * square),
        )  # fmt: skip


@dataclass(frozen=True)
class Pivots:
    """The pivots of an axle: `raised` [m] above design; in bearings, or on rubber, whose stiffness
    is `gain` times that of its `mounts`."""

    raised: Value
    mounts: Mounts | None
    gain: Value = 1.0

    def link(self, model: Model, name: str, ends: tuple[Frame, Frame], length: Value) -> None:
        """A rod without mass between two points: rigid, or as stiff as its mount."""
        if self.mounts is None:
            model.close(name, Rod(length), *ends)
            return
        stiffness = self.gain * self.mounts.radial
        spring = SpringDamper(*ends, stiffness, self.mounts.loss * stiffness, length)
        model.force(name, spring)


def along_x(way: Point) -> list[tuple[str, Value]]:
    """Turns that lay x along a direction."""
    x, y, z = way
    return [("z", atan2(y, x)), ("y", -atan2(z, hypot(x, y)))]

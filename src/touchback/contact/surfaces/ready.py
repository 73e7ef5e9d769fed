"""Ready surfaces, each one equation."""

from typing import ClassVar

from touchback.contact.surfaces.base import Surface, ValueOf
from touchback.errors import ModelError
from touchback.model.shapes import AnyShape, PlaneShape, SphereShape
from touchback.model.value import Value, is_number, value
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.scalars import Scalars


class Plane(Surface, frozen=True, tag="plane"):
    """The x-y plane; z points out of the wall."""

    def shape(self) -> AnyShape:
        return PlaneShape()

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        return r[2]


class Ball(Surface, frozen=True, tag="ball"):
    """A sphere of `radius` [m] about the origin: (r² − R²)/(2 R)."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    radius: Value

    def __post_init__(self) -> None:
        check_lengths("Ball", radius=self.radius)

    def shape(self) -> AnyShape:
        return SphereShape((self.radius, self.radius, self.radius))

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        return _beyond(k, _sum_of_squares(k, r), value(self.radius))


class Pipe(Surface, frozen=True, tag="pipe"):
    """An endless cylinder of `radius` [m] about z."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    radius: Value

    def __post_init__(self) -> None:
        check_lengths("Pipe", radius=self.radius)

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        return _beyond(k, _sum_of_squares(k, r[:2]), value(self.radius))


class Ellipsoid(Surface, frozen=True, tag="ellipsoid"):
    """Half axes `x`, `y`, `z` [m]: (x²/a² + y²/b² + z²/c² − 1)/2."""

    UNITS: ClassVar[dict[str, str]] = {"x": "m", "y": "m", "z": "m"}
    x: Value
    y: Value
    z: Value

    def __post_init__(self) -> None:
        check_lengths("Ellipsoid", x=self.x, y=self.y, z=self.z)

    def shape(self) -> AnyShape:
        return SphereShape((self.x, self.y, self.z))

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        halves = (self.x, self.y, self.z)
        scaled = [k.div(c, value(half)) for c, half in zip(r, halves, strict=True)]
        return k.mul(k.const(0.5), k.sub(_sum_of_squares(k, scaled), 1))


class Torus(Surface, frozen=True, tag="torus"):
    """A tube of `radius` about a ring of radius `ring` around z [m]: ((ρ − D)² + z² − R²)/(2 R)."""

    UNITS: ClassVar[dict[str, str]] = {"ring": "m", "radius": "m"}
    ring: Value
    radius: Value

    def __post_init__(self) -> None:
        check_lengths("Torus", ring=self.ring, radius=self.radius)

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        rho = k.sqrt(_sum_of_squares(k, r[:2]))
        off = k.sub(rho, value(self.ring))
        return _beyond(k, k.add(k.mul(off, off), k.mul(r[2], r[2])), value(self.radius))


class Barrel(Surface, frozen=True, tag="barrel"):
    """An arc of `radius` R turned about x at the distance `off` of its centre beyond the axis:
    ((ρ + D)² + x² − R²)/(2 R). The roller of an omni wheel of radius R; pointed at x = ±√(R² − D²),
    where there is no normal."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "off": "m"}
    radius: Value
    off: Value

    def __post_init__(self) -> None:
        check_lengths("Barrel", radius=self.radius, off=self.off)
        check_off("Barrel", self.radius, self.off)

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        beyond = k.add(k.sqrt(_sum_of_squares(k, r[1:])), value(self.off))
        return _beyond(k, k.add(k.mul(beyond, beyond), k.mul(r[0], r[0])), value(self.radius))


def check_lengths(kind: str, **lengths: Value) -> None:
    """Refuse numbers that are no lengths; expressions are taken as they come."""
    for name, given in lengths.items():
        length = value(f"{kind}: {name}", given)
        if is_number(length) and not length > 0.0:
            raise ModelError(f"{kind}: its {name} is {given} m; it must be positive.")


def check_off(kind: str, radius: Value, off: Value) -> None:
    """Refuse a barrel or roller without material: its axis beyond the arc."""
    if is_number(radius) and is_number(off) and not off < radius:
        raise ModelError(
            f"{kind}: its off is {off} m and its radius {radius} m; the axis must be nearer than "
            "the arc, give a smaller off."
        )


def _sum_of_squares(k: Scalars, parts: Vector) -> Scalar:
    total: Scalar = 0
    for part in parts:
        total = k.add(total, k.mul(part, part))
    return total


def _beyond(k: Scalars, square: Scalar, radius: Scalar) -> Scalar:
    """(d² − R²)/(2 R): zero where d = R, with a gradient of length one there."""
    return k.div(k.sub(square, k.mul(radius, radius)), k.mul(k.const(2.0), radius))

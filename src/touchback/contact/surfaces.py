"""Implicit surfaces f(r) = 0, and what tracking asks of them: value, gradient, Hessian.

Derivatives are those of the tape: a surface states its equation once, over any scalar, and is
traced onto a tape of its own, whose derivatives are replayed where they are needed."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model import (
    AnyShape,
    Data,
    Expr,
    PlaneShape,
    Scalars,
    SphereShape,
    Tape,
    Value,
    ValueOf,
    is_number,
    jacobian,
    jvp,
    parse,
    replay,
    value,
    value as as_value,
)
from touchback.numbers import Matrix, Scalar, Vector, shown

_POINT = ("x", "y", "z", "hidden")


class Surface(Data, frozen=True, tag_field="kind"):
    """A surface f(r) = 0 in the axes of a frame; f is negative inside, so that its gradient points
    out of the body."""

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """f at the point r [m]."""
        raise NotImplementedError(type(self).__name__)

    def shape(self) -> AnyShape | None:
        """What pictures show of it, if it is simple."""
        return None

    def hidden(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar | None:
        """e(r, w), whose zero is the hidden coordinate w that f may use besides r: the parameter
        of a profile that has no equation of its own. None where f needs none."""
        return None


@dataclass(frozen=True)
class Shape:
    """A surface at a point: f, its gradient and Hessian (w following r), and ∂w/∂r."""

    f: Scalar
    gradient: Vector
    hessian: Matrix
    hidden_slope: Vector


@dataclass(frozen=True)
class _Traced:
    """The equation of a surface and its derivatives on a tape; `given` are the expressions that
    the surface was described with."""

    tape: Tape
    shape: list[int]  # f, gradient (3), Hessian (upper triangle, 6), ∂w/∂r (3)
    correction: int | None  # e/(∂e/∂w): a Newton step of the hidden coordinate
    given: tuple[Expr, ...]


def shape_at(surface: Surface, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Shape:
    """f, gradient and Hessian over the scalars `k`, in the surface's axes."""
    traced = _trace(surface)
    out = replay(traced.tape, traced.shape, k, _environment(traced, value, r, hidden))
    xx, xy, xz, yy, yz, zz = out[4:10]
    return Shape(out[0], out[1:4], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], out[10:13])


def refined(surface: Surface, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
    """The hidden coordinate after a step of Newton's method at r; itself where there is none."""
    traced = _trace(surface)
    if traced.correction is None:
        return hidden
    environment = _environment(traced, value, r, hidden)
    return k.sub(hidden, replay(traced.tape, [traced.correction], k, environment)[0])


def has_hidden(surface: Surface) -> bool:
    """Whether the surface needs a hidden coordinate."""
    return _trace(surface).correction is not None


def _environment(
    traced: _Traced, value: ValueOf, r: Vector, hidden: Scalar
) -> dict[Hashable, Scalar]:
    environment: dict[Hashable, Scalar] = dict(zip(_POINT, [*r, hidden], strict=True))
    environment.update({("given", i): value(x) for i, x in enumerate(traced.given)})
    return environment


@lru_cache(maxsize=256)
def _trace(surface: Surface) -> _Traced:
    tape = Tape()
    x, y, z, w = (tape.symbol(name) for name in _POINT)
    given: list[Expr] = []

    def value(item: Value) -> int:
        if not isinstance(item, Expr):
            return tape.const(float(item))
        if item not in given:
            given.append(item)
        return tape.symbol(("given", given.index(item)))

    f = surface.level(tape, value, [x, y, z], w)
    e = surface.hidden(tape, value, [x, y, z], w)
    *gradient, f_w = jacobian(tape, [f], [x, y, z, w])[0]
    slope, correction = [0, 0, 0], None
    if e is not None:
        *e_r, e_w = jacobian(tape, [e], [x, y, z, w])[0]
        slope = [-tape.div(component, e_w) for component in e_r]
        gradient = [tape.add(g, tape.mul(f_w, s)) for g, s in zip(gradient, slope, strict=True)]
        correction = tape.div(e, e_w)
    rows = [jvp(tape, gradient, {axis: 1, w: s}) for axis, s in zip((x, y, z), slope, strict=True)]
    upper = [rows[i][j] for i in range(3) for j in range(i, 3)]
    return _Traced(tape, [f, *gradient, *upper, *slope], correction, tuple(given))


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


# The roller of an omni or Mecanum wheel whose axis is inclined.
#
# The wheel's radius is R, the roller's centre lies R₁ from the wheel's, and its axis is turned by ψ
# out of the wheel's plane. It must touch the floor while the upright wheel, at the height R, turns
# by −α … α. Where the wheel has turned by q the point of contact lies (Kosenko 2015, § 5.2)
#
#     s = R₁ tan q sin²ψ/cos ψ + R cos ψ sin q      along the axis from the centre,
#     ρ = (R − R₁/cos q) √(1 − sin²q cos²ψ)         off the axis.
#
# This is the convex body whose support in the direction d is H(d) = R |d| − R₁ √(d² − (d·i)²/cos²ψ)
# with i along its axis: its gradient is the point that touches, whatever the wheel's tilt.
class Roller(Surface, frozen=True, tag="roller"):
    """A roller about x for a wheel of `radius` R, its centre at the distance `off` R₁ from the
    wheel's [m], its axis inclined by `inclination` ψ [rad]. The hidden coordinate is w = sin q; at
    ψ = 0 this is `Barrel`."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "off": "m", "inclination": "rad"}
    radius: Value
    off: Value
    inclination: Value = 0.0

    def __post_init__(self) -> None:
        check_lengths("Roller", radius=self.radius, off=self.off)
        check_off("Roller", self.radius, self.off)
        inclination = as_value("Roller: inclination", self.inclination)
        if is_number(inclination) and not abs(inclination) < math.pi / 2:
            raise ModelError(
                f"Roller: its inclination is {self.inclination} rad; it must be below a quarter "
                "turn (π/2)."
            )

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """√(y² + z²) − ρ(w): linear off the axis, so that Newton's method comes far."""
        R, R1 = value(self.radius), value(self.off)
        cosine_psi = k.cos(value(self.inclination))
        slant = k.mul(hidden, cosine_psi)
        height = k.sub(R, k.div(R1, _cosine(k, hidden)))
        rho = k.mul(height, _cosine(k, slant))
        return k.sub(k.sqrt(k.add(k.mul(r[1], r[1]), k.mul(r[2], r[2]))), rho)

    def hidden(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """s(w) − x."""
        sine, cosine = k.sincos(value(self.inclination))
        a = k.div(k.mul(value(self.off), k.mul(sine, sine)), cosine)
        b = k.mul(value(self.radius), cosine)
        s = k.mul(hidden, k.add(k.div(a, _cosine(k, hidden)), b))
        return k.sub(s, r[0])


def _cosine(k: Scalars, sine: Scalar) -> Scalar:
    return k.sqrt(k.sub(1, k.mul(sine, sine)))


_COORDINATES = ("x", "y", "z")


class FormulaSurface(Surface, frozen=True, tag="written"):
    """f as a text of x, y, z [m], such as "x**4 + y**2/4 + z**2 - 1"; negative inside. A surface
    with live parameters is a subclass of `Surface`."""

    equation: str

    def __post_init__(self) -> None:
        if not isinstance(self.equation, str):
            raise ModelError(f"FormulaSurface: its equation is a text, got {shown(self.equation)}.")
        tape = Tape()
        r = [tape.symbol(name) for name in _COORDINATES]
        f = self.level(tape, lambda _: 0, r, 0)  # no value stands in a text
        if not any(tape.live([f])[symbol] for symbol in r):
            raise ModelError(f"FormulaSurface: '{self.equation}' uses none of x, y and z.")

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        known = dict(zip(_COORDINATES, r, strict=True))
        return parse(self.equation, k, lambda name: known[name])


#: Every surface that a model file can hold.
AnySurface = Plane | Ball | Pipe | Ellipsoid | Torus | Barrel | Roller | FormulaSurface


"""What files know."""


__all__ = [
    "AnySurface",
    "Ball",
    "Barrel",
    "Ellipsoid",
    "FormulaSurface",
    "Pipe",
    "Plane",
    "Roller",
    "Shape",
    "Surface",
    "Torus",
    "has_hidden",
    "refined",
    "shape_at",
]

"""A fluid around bodies, with live density, surface and current, and the forces that it exerts:
buoyancy, drag, and those on an immersed solid."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, atan2, pi
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.forces.base import CarriedFluid, ForceKind
from touchback.model.frame import GROUND, Frame, FrameField
from touchback.model.mechanics_protocol import Forces, Mechanics, ValueOf
from touchback.model.solids import AnySolid, SubmergedPart
from touchback.model.value_or_expression import (
    Components,
    Data,
    Triple,
    Value,
    check_positive,
    is_number,
    is_zero,
    triple,
    value,
)  # fmt: skip
from touchback.model.visual_shapes import Shapes, SurfaceShape
from touchback.numbers import Matrix, Scalar, Vector
from touchback.symbolic import Scalars


class Fluid(Data, frozen=True, tag_field="kind", tag="fluid"):
    """density [kg/m³]; `surface`: its height along `up` [m] (world), None: there is fluid
    everywhere; `current`: how it flows, the same everywhere and steadily [m/s] (world axes); `up`:
    the unit normal of the surface."""

    UNITS: ClassVar[dict[str, str]] = {
        "density": "kg/m³",
        "surface": "m",
        "current": "m/s",
        "up": "1",
    }
    density: Value = 1000.0
    surface: Value | None = None
    current: Triple = (0.0, 0.0, 0.0)
    up: Triple = (0.0, 0.0, 1.0)

    def shapes(self) -> Shapes:
        """Its free surface, if it has one and is level with something known."""
        if self.surface is None or not all(is_number(x) for x in self.up):
            return []
        x, y, z = (float(u) for u in self.up if is_number(u))
        turn = (("z", atan2(y, x)), ("y", acos(max(-1.0, min(1.0, z))))) if x or y or z < 0 else ()
        height = self.surface
        return [(Frame(GROUND, (x * height, y * height, z * height), turn), SurfaceShape())]


def make_fluid(
    name: str,
    density: object,
    surface: object,
    current: Components,
    gravity: Triple,
    parameter: Callable[..., Value],
) -> Fluid:
    """A checked fluid, whose numbers become parameters of a model with this gravity; expressions
    stay as they are."""
    label = f"Fluid '{name}'"
    check_positive(label, zero=True, density=density)
    flow = triple(f"{label}: current", current)

    def live(word: str, given: Value, unit: str, least: float | None = None) -> Value:
        if not is_number(given):
            return given
        return parameter(f"{name} {word}", given, unit, min=least)

    rho = live("density", value(f"{label}: density", density), "kg/m³", 0.0)
    height = None if surface is None else live("surface", value(f"{label}: surface", surface), "m")
    x, y, z = (live(f"current {axis}", u, "m/s") for axis, u in zip("xyz", flow, strict=True))
    return Fluid(rho, height, (x, y, z), _up(label, gravity))


def _up(label: str, gravity: Triple) -> Triple:
    """Against gravity; +z where there is none."""
    if not all(is_number(x) for x in gravity):
        raise ModelError(
            f"{label}: gravity is an expression, so its surface has no fixed direction; give a "
            "tb.Fluid(…, up=…) of your own."
        )
    x, y, z = (float(g) for g in gravity if is_number(g))
    length = (x * x + y * y + z * z) ** 0.5
    return (-x / length, -y / length, -z / length) if length else (0.0, 0.0, 1.0)


class Buoyancy(ForceKind, frozen=True, tag="buoyancy"):
    """Force −ρ V g at the centre of the displaced volume (the origin of `frame`); ρ [kg/m³], V
    [m³]."""

    UNITS: ClassVar[dict[str, str]] = {"volume": "m³", "density": "kg/m³"}
    frame: FrameField
    volume: Value
    density: Value = 1000.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        displaced = k.mul(mechanics.value(self.density), mechanics.value(self.volume))
        mechanics.push(self.frame, mechanics.vectors.scale(-displaced, mechanics.gravity()))


class Drag(ForceKind, frozen=True, tag="drag"):
    """Force −½ ρ c A |u| u at the frame's origin, u = its velocity − `flow` (world axes) [m/s];
    `area` A [m²]."""

    UNITS: ClassVar[dict[str, str]] = {
        "area": "m²",
        "coefficient": "1",
        "density": "kg/m³",
        "flow": "m/s",
    }
    frame: FrameField
    area: Value
    coefficient: Value = 1.0
    density: Value = 1.2
    flow: Triple = (0.0, 0.0, 0.0)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        flow = [value(component) for component in self.flow]
        u = vectors.sub(mechanics.velocity(self.frame), flow)
        half = k.mul(k.const(0.5), k.mul(value(self.density), value(self.area)))
        factor = k.mul(k.mul(half, value(self.coefficient)), vectors.norm(u))
        mechanics.push(self.frame, vectors.scale(-factor, u))


class BoxDrag(ForceKind, frozen=True, tag="box-drag"):
    """Along and about the axes of `frame`, for a box of the lengths b = `sizes` [m] about its
    origin, u its velocity less `flow` (world axes) and ω its angular velocity there:

    −½ ρ bⱼ bₖ |uᵢ| uᵢ − 3 π η d uᵢ and −ρ/64 bᵢ (bⱼ⁴ + bₖ⁴) |ωᵢ| ωᵢ − π η d³ ωᵢ,

    with the `density` ρ [kg/m³], the `viscosity` η [Pa s] and the mean d of the lengths (MuJoCo's
    "inertia model" of fluids: https://mujoco.readthedocs.io/en/stable/computation/fluid.html)."""

    UNITS: ClassVar[dict[str, str]] = {
        "sizes": "m",
        "density": "kg/m³",
        "viscosity": "Pa s",
        "flow": "m/s",
    }
    frame: FrameField
    sizes: Triple
    density: Value = 1000.0
    viscosity: Value = 0.0
    flow: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        x, y, z = triple("BoxDrag: sizes", self.sizes)
        check_positive("BoxDrag", x=x, y=y, z=z)
        check_positive("BoxDrag", zero=True, density=self.density, viscosity=self.viscosity)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        b = [value(size) for size in self.sizes]
        density, viscosity = value(self.density), value(self.viscosity)
        R = mechanics.rotation(self.frame)
        flow = [value(component) for component in self.flow]
        u = vectors.apply_transposed(R, vectors.sub(mechanics.velocity(self.frame), flow))
        spin = vectors.apply_transposed(R, mechanics.angular_velocity(self.frame))
        d = k.mul(k.const(1.0 / 3.0), k.add(k.add(b[0], b[1]), b[2]))
        stokes = k.mul(k.const(pi), k.mul(viscosity, d))
        fourth = [k.mul(k.mul(x, x), k.mul(x, x)) for x in b]

        def against(speed: Scalar, quadratic: Scalar, linear: Scalar) -> Scalar:
            return -k.mul(k.add(k.mul(quadratic, k.abs(speed)), linear), speed)

        force, torque = [], []
        for i, (m, n) in enumerate(((1, 2), (2, 0), (0, 1))):
            face = k.mul(density, k.mul(b[m], b[n]))
            lever = k.mul(density, k.mul(b[i], k.add(fourth[m], fourth[n])))
            force.append(against(u[i], k.mul(k.const(0.5), face), k.mul(k.const(3.0), stokes)))
            torque.append(
                against(spin[i], k.mul(k.const(1.0 / 64.0), lever), k.mul(stokes, k.mul(d, d)))
            )
        mechanics.push(self.frame, vectors.apply(R, force), vectors.apply(R, torque))


_NONE: Triple = (0.0, 0.0, 0.0)


class Immersed(ForceKind, frozen=True, tag="immersed"):
    """What a `fluid` does to a `solid` at the `frame` of a body:

    - buoyancy −ρ V g at the centre of the volume V below the surface (Archimedes);
    - drag, along and about the solid's axes, of the velocity u from the current and the angular
      velocity ω: −(`drag` + ½ ρ `drag_area` |u|) u [N s/m, m²] and −`angular_drag` ω [N m s/rad],
      each by the share of the volume that is wet;
    - fluid that is carried along: the masses `added` ρ V [1] along, the moments `added_inertia`
      ρ V [m²] about the axes, V the whole volume. Without them those of a sphere or ellipsoid in an
      unbounded ideal fluid (½ for a sphere); of others none. They don't change where the solid
      leaves the fluid."""

    UNITS: ClassVar[dict[str, str]] = {
        "drag": "N s/m",
        "angular_drag": "N m s/rad",
        "drag_area": "m²",
        "added": "1",
        "added_inertia": "m²",
    }
    SHOWS_BODY = True

    frame: FrameField
    solid: AnySolid
    fluid: Fluid
    drag: Triple = _NONE
    angular_drag: Triple = _NONE
    drag_area: Triple = _NONE
    added: Triple | None = None
    added_inertia: Triple | None = None

    def wet(self, mechanics: Mechanics) -> tuple[SubmergedPart, Matrix]:
        """The wet part in the solid's axes, and R_WF."""
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        R = mechanics.rotation(self.frame)
        volume = self.solid.volume(k, value)
        up = [value(x) for x in self.fluid.up]
        place = vectors.dot(up, mechanics.position(self.frame))
        if self.fluid.surface is None:
            return SubmergedPart(volume, [0, 0, 0], -k.mul(volume, place)), R
        depth = k.sub(value(self.fluid.surface), place)
        return self.solid.wet(k, value, vectors.apply_transposed(R, up), depth), R

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        wet, R = self.wet(mechanics)
        lift = vectors.scale(-value(self.fluid.density), mechanics.gravity())
        force = vectors.scale(wet.volume, lift)
        torque = vectors.cross(vectors.apply(R, wet.moment), lift)
        share = k.div(wet.volume, self.solid.volume(k, value))
        dragging, turning = self._drag(mechanics, R, share)
        mechanics.push(
            self.frame,
            vectors.sub(force, vectors.apply(R, dragging)),
            vectors.sub(torque, vectors.apply(R, turning)),
        )

    def _drag(self, mechanics: Mechanics, R: Matrix, share: Scalar) -> tuple[Vector, Vector]:
        """What drag takes, along and about the solid's axes."""
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        flow = [value(x) for x in self.fluid.current]
        u = vectors.apply_transposed(R, vectors.sub(mechanics.velocity(self.frame), flow))
        omega = vectors.apply_transposed(R, mechanics.angular_velocity(self.frame))
        linear = [value(x) for x in self.drag]
        if not all(map(is_zero, self.drag_area)):
            pressure = k.mul(k.const(0.5), k.mul(value(self.fluid.density), vectors.norm(u)))
            areas = [k.mul(pressure, value(area)) for area in self.drag_area]
            linear = vectors.add(linear, areas)
        dragging = [k.mul(share, k.mul(c, x)) for c, x in zip(linear, u, strict=True)]
        angular = [value(x) for x in self.angular_drag]
        turning = [k.mul(share, k.mul(c, x)) for c, x in zip(angular, omega, strict=True)]
        return dragging, turning

    def potential(self, mechanics: Mechanics) -> Scalar:
        """ρ |g| ∫ depth dV over the wet part [J]."""
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        wet, _ = self.wet(mechanics)
        down = vectors.dot([value(x) for x in self.fluid.up], mechanics.gravity())
        return -k.mul(k.mul(value(self.fluid.density), down), wet.depth)

    def carries(self, k: Scalars, value: ValueOf) -> list[CarriedFluid]:
        known = (_NONE, _NONE)
        if self.added is None or self.added_inertia is None:
            known = self.solid.added() or known
        mass = known[0] if self.added is None else self.added
        inertia = known[1] if self.added_inertia is None else self.added_inertia
        if all(map(is_zero, (*mass, *inertia))):
            return []
        for word, given in (("added", mass), ("added_inertia", inertia)):
            if any(is_number(x) and x < 0.0 for x in given):
                raise ModelError(f"{word} is {given}; it must not be negative.")
        displaced = k.mul(value(self.fluid.density), self.solid.volume(k, value))
        masses, moments = ([k.mul(displaced, value(x)) for x in given] for given in (mass, inertia))
        return [CarriedFluid(self.frame, masses, moments, [value(x) for x in self.fluid.current])]

    def shapes(self) -> Shapes:
        return [*self.solid.shapes(self.frame), *self.fluid.shapes()]

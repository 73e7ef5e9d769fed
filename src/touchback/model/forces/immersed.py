"""A solid in a fluid: buoyancy of its wet part, drag, and fluid that it carries along."""

from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.fluid import Fluid
from touchback.model.forces.base import CarriedFluid, ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces, Mechanics, ValueOf
from touchback.model.shapes import Shapes
from touchback.model.solids import AnySolid, Wet
from touchback.model.value import Triple, is_number, is_zero
from touchback.spatial.vectors import Matrix, Scalar, Vector
from touchback.symbolic.scalars import Scalars

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

    frame: Frame
    solid: AnySolid
    fluid: Fluid
    drag: Triple = _NONE
    angular_drag: Triple = _NONE
    drag_area: Triple = _NONE
    added: Triple | None = None
    added_inertia: Triple | None = None

    def wet(self, mechanics: Mechanics) -> tuple[Wet, Matrix]:
        """The wet part in the solid's axes, and R_WF."""
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        R = mechanics.rotation(self.frame)
        volume = self.solid.volume(k, value)
        up = [value(x) for x in self.fluid.up]
        place = vectors.dot(up, mechanics.position(self.frame))
        if self.fluid.surface is None:
            return Wet(volume, [0, 0, 0], -k.mul(volume, place)), R
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

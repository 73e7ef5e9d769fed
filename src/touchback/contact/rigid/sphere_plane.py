"""A sphere, or a point, on a plane."""

from typing import ClassVar

from touchback.contact.compliant.sphere_on_plane import SphereNearPlane, sphere_on_plane
from touchback.contact.rigid.base import ContactKind, check_coefficients, check_static
from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import PlaneShape, Shapes, sphere
from touchback.model.value import Value, check_positive, is_number
from touchback.numbers import is_one_of
from touchback.spatial.vectors import Scalar


class SpherePlaneContact(ContactKind, frozen=True, tag="sphere-plane"):
    """A sphere of `radius` [m] about the origin of `frame` (0: a point) on the x-y plane of
    `plane`, whose z axis points out of the wall.

    `tangents` are the axes of the plane along which friction acts: "xy", or "x" or "y" alone in a
    planar mechanism. Slip is the velocity of the sphere's lowest point relative to the plane.

    `rolling` is the arm ρ [m] of rolling friction: a moment up to ρ times the normal force resists
    rolling, about the axes across the tangents."""

    UNITS: ClassVar[dict[str, str]] = {
        "radius": "m",
        "restitution": "1",
        "friction": "1",
        "rolling": "m",
        "static_friction": "1",
    }
    frame: Frame
    plane: Frame = Frame("ground")
    radius: Value = 0.0
    restitution: Value = 0.0
    friction: Value = 0.0
    tangents: str = "xy"
    rolling: Value = 0.0
    static_friction: Value | None = None

    def __post_init__(self) -> None:
        check_coefficients("SpherePlaneContact", self.restitution, self.friction, self.rolling)
        check_static("SpherePlaneContact", self.friction, self.static_friction)
        check_positive("SpherePlaneContact", zero=True, radius=self.radius)
        if not is_one_of(self.tangents, ("", "x", "y", "xy")):
            raise ModelError(
                f"SpherePlaneContact: tangents are '', 'x', 'y' or 'xy', got {self.tangents!r}."
            )

    def shapes(self) -> Shapes:
        return [(self.plane, PlaneShape()), *sphere(self.frame, self.radius)]

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._touch(mechanics).gap

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        velocity = self._touch(mechanics).velocity
        return [velocity["xy".index(name)] for name in self.tangents]

    def roll(self, mechanics: Mechanics) -> list[Scalar]:
        if is_number(self.rolling) and self.rolling == 0.0:
            return []
        vectors = mechanics.vectors
        own, carried = (mechanics.angular_velocity(each) for each in (self.frame, self.plane))
        turn = vectors.apply_transposed(mechanics.rotation(self.plane), vectors.sub(own, carried))
        return [turn["yx".index(name)] for name in self.tangents]

    def _touch(self, mechanics: Mechanics) -> SphereNearPlane:
        return sphere_on_plane(mechanics, self.frame, self.plane, self.radius)

"""A thin disc whose rim touches a plane: a coin, a wheel."""

from typing import ClassVar

from touchback.contact.rigid.base import ContactKind, check_coefficients
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import DiscShape, PlaneShape, Shapes
from touchback.model.value import Value, check_positive
from touchback.spatial import transpose
from touchback.spatial.vectors import Scalar, Vector


class DiscPlaneContact(ContactKind, frozen=True, tag="disc-plane"):
    """The rim of a disc of `radius` [m] about the z axis of `frame` on the x-y plane of `plane`,
    whose z axis n points out of the wall; two tangents.

    With the disc's axis a, its lowest point lies r d from the centre, d = ((a·n) a − n)/s with
    s = √(1 − (a·n)²), and the gap is the centre's height less r s. A disc that lies flat (s = 0)
    has no lowest point."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "restitution": "1", "friction": "1"}
    frame: Frame
    plane: Frame = Frame("ground")
    radius: Value = 1.0
    restitution: Value = 0.0
    friction: Value = 0.0

    def __post_init__(self) -> None:
        check_coefficients("DiscPlaneContact", self.restitution, self.friction)
        check_positive("DiscPlaneContact", radius=self.radius)

    def shapes(self) -> Shapes:
        return [(self.plane, PlaneShape()), (self.frame, DiscShape(self.radius))]

    def gap(self, mechanics: Mechanics) -> Scalar:
        k, vectors = mechanics.k, mechanics.vectors
        _, normal, centre, lowest = self._geometry(mechanics)
        return k.add(vectors.dot(normal, centre), vectors.dot(normal, lowest))

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        vectors = mechanics.vectors
        R, _, centre, lowest = self._geometry(mechanics)
        spin = vectors.cross(mechanics.angular_velocity(self.frame), lowest)
        own = vectors.add(mechanics.velocity(self.frame), spin)
        point = vectors.add(centre, lowest)
        turn = vectors.cross(mechanics.angular_velocity(self.plane), point)
        carried = vectors.add(mechanics.velocity(self.plane), turn)
        return vectors.apply_transposed(R, vectors.sub(own, carried))[:2]

    def _geometry(self, mechanics: Mechanics) -> tuple[list[list[Scalar]], Vector, Vector, Vector]:
        """R_WP and n of the plane, the centre from the plane's origin, the lowest point from the
        centre; along world axes."""
        k, vectors = mechanics.k, mechanics.vectors
        R = [list(row) for row in mechanics.rotation(self.plane)]
        normal, axis = transpose(R)[2], transpose(mechanics.rotation(self.frame))[2]
        centre = vectors.sub(mechanics.position(self.frame), mechanics.position(self.plane))
        cosine = vectors.dot(axis, normal)
        sine = k.sqrt(k.sub(1, k.mul(cosine, cosine)))
        down = vectors.sub(vectors.scale(cosine, axis), normal)
        lowest = vectors.scale(k.div(mechanics.value(self.radius), sine), down)
        return R, normal, centre, lowest

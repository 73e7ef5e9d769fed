"""A sphere, or a point, on a plane."""

from touchback.contact.base import ContactKind
from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar, Vector


class SpherePlaneContact(ContactKind, frozen=True, tag="sphere-plane"):
    """A sphere of `radius` [m] about the origin of `frame` (0: a point) on the x-y plane of
    `plane`, whose z axis points out of the wall.

    `tangents` are the axes of the plane along which friction acts: "xy", or "x" or "y" alone in a
    planar mechanism. Slip is the velocity of the sphere's lowest point relative to the plane."""

    frame: Frame
    plane: Frame = Frame("ground")
    radius: Value = 0.0
    restitution: Value = 0.0
    friction: Value = 0.0
    tangents: str = "xy"

    def __post_init__(self) -> None:
        if self.tangents not in ("", "x", "y", "xy"):
            raise ModelError(
                f"SpherePlaneContact: tangents are '', 'x', 'y' or 'xy', got {self.tangents!r}."
            )

    def gap(self, mechanics: Mechanics) -> Scalar:
        vectors = mechanics.vectors
        r = vectors.sub(mechanics.position(self.frame), mechanics.position(self.plane))
        height = vectors.dot(_axis(mechanics, self.plane, 2), r)
        return mechanics.k.sub(height, mechanics.value(self.radius))

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        vectors = mechanics.vectors
        normal = _axis(mechanics, self.plane, 2)
        lever = vectors.scale(-mechanics.value(self.radius), normal)
        spin = vectors.cross(mechanics.angular_velocity(self.frame), lever)
        own = vectors.add(mechanics.velocity(self.frame), spin)
        r = vectors.sub(mechanics.position(self.frame), mechanics.position(self.plane))
        turn = vectors.cross(mechanics.angular_velocity(self.plane), vectors.add(r, lever))
        carried = vectors.add(mechanics.velocity(self.plane), turn)
        relative = vectors.sub(own, carried)
        return [
            vectors.dot(_axis(mechanics, self.plane, "xy".index(name)), relative)
            for name in self.tangents
        ]


def _axis(mechanics: Mechanics, frame: Frame, index: int) -> Vector:
    """An axis of a frame along world axes."""
    R = mechanics.rotation(frame)
    return [R[0][index], R[1][index], R[2][index]]

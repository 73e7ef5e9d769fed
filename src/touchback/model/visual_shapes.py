"""What can be seen: simple shapes in the axes of a frame. Pictures and films draw them; nothing of
the mechanics asks for them."""

from math import pi

from touchback.model.frame import Frame
from touchback.model.value_or_expression import Data, Value


class SphereShape(Data, frozen=True):
    """A sphere about the origin [m], or an ellipsoid with these half axes along x, y, z."""

    halves: tuple[Value, Value, Value]


class BoxShape(Data, frozen=True):
    """A cuboid about the origin with these half lengths along x, y, z [m]."""

    halves: tuple[Value, Value, Value]


class DiscShape(Data, frozen=True):
    """A thin disc about the z axis [m]."""

    radius: Value


class CylinderShape(Data, frozen=True):
    """A cylinder about the z axis, its half length to either side [m]."""

    radius: Value
    half: Value


class CapsuleShape(Data, frozen=True):
    """A cylinder about the z axis with half spheres on its ends: the half length between their
    centres [m]."""

    radius: Value
    half: Value


class MeshShape(Data, frozen=True):
    """Triangles, as `model/solids/visual_mesh.py` packs them."""

    points: str
    triangles: str


class GroundShape(MeshShape, frozen=True):
    """A part of the world to drive on or against, as triangles: it is seen as far as the picture
    goes, and no picture is as large as it. Its `paint` says what it is ("asphalt", "verge", …).
    Where its `way` [m] isn't zero the same follows after each way, without an end."""

    paint: str = "asphalt"
    way: tuple[float, float, float] = (0.0, 0.0, 0.0)


class SurfaceShape(Data, frozen=True):
    """The free surface of a fluid: the x-y plane, as far as the picture goes; z points up."""


class PlaneShape(Data, frozen=True):
    """The x-y plane, as far as the picture goes; its z axis points out of the wall."""


class PatchShape(Data, frozen=True):
    """The x-y plane around the origin, where its end doesn't matter."""


class ArcShape(Data, frozen=True):
    """A part of a circle in the x-z plane, from `start` to `end` [rad], from +x towards +z."""

    radius: Value
    start: Value = 0.0
    end: Value = 2 * pi


class FaceShape(Data, frozen=True):
    """A straight face in the x-z plane, from the origin along +x [m]."""

    length: Value


AnyShape = (
    SphereShape
    | BoxShape
    | CylinderShape
    | CapsuleShape
    | MeshShape
    | GroundShape
    | SurfaceShape
    | DiscShape
    | PlaneShape
    | PatchShape
    | ArcShape
    | FaceShape
)
Shapes = list[tuple[Frame, AnyShape]]


def sphere(frame: Frame, radius: Value) -> Shapes:
    """A sphere about the origin of a frame."""
    return [(frame, SphereShape((radius, radius, radius)))]


def numbers_of(shape: AnyShape) -> list[Value]:
    """The numbers of a shape in the order of its fields; a mesh has none."""
    found: list[Value] = []
    if isinstance(shape, MeshShape):
        return found
    for name in shape.__struct_fields__:
        given = getattr(shape, name)
        found += given if isinstance(given, tuple) else [given]
    return found

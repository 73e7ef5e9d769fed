"""Several profiles of one body as one."""

from touchback.contact.profiles.arc import Arc
from touchback.contact.profiles.base import Nearest, Profile
from touchback.contact.profiles.circle import Circle
from touchback.contact.profiles.line import Line
from touchback.errors import ModelError
from touchback.model.frame import Frame, as_frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import Shapes
from touchback.model.value import listed
from touchback.spatial.vectors import Vector


class Outline(Profile, frozen=True, tag="outline"):
    """Lines, arcs and circles of one body, touched where they are nearest: their union.

    Where neighbours meet in a corner a circle rolls over it without a jump."""

    parts: tuple[Circle | Line | Arc, ...]

    def __post_init__(self) -> None:
        parts = listed(self.parts)
        if not parts or not all(isinstance(part, Circle | Line | Arc) for part in parts):
            raise ModelError(
                "Outline: a list of tb.contact.Line, tb.contact.Arc and tb.contact.Circle is "
                f"expected, got {self.parts!r}."
            )
        bodies = {as_frame("Outline", part.frame).body for part in self.parts}
        if len(bodies) > 1:
            raise ModelError(
                f"Outline: its parts lie on several bodies ({', '.join(sorted(bodies))}); make one "
                "contact for each body."
            )

    def plane(self) -> Frame:
        return self.parts[0].frame

    def shapes(self) -> Shapes:
        return [shape for part in self.parts for shape in part.shapes()]

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        k = mechanics.k
        found, *others = (part.nearest(mechanics, point) for part in self.parts)
        for other in others:
            nearer = k.less(other.distance, found.distance)
            pairs = zip(other.normal, found.normal, strict=True)
            normal = [k.select(nearer, a, b) for a, b in pairs]
            found = Nearest(k.minimum(other.distance, found.distance), normal)
        return found

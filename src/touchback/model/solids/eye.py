"""An eye: from where a page may look."""

from touchback.model.frame import Frame
from touchback.model.shapes import Shapes
from touchback.model.solids.base import SeenKind


class Eye(SeenKind, frozen=True, tag="eye"):
    """Looks along x with z upwards and rides on its body: a driver's view, or that of a camera on
    board. Nothing of it is seen."""

    def shapes(self, frame: Frame) -> Shapes:
        return []

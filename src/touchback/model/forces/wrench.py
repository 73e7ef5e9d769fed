"""A force and a torque at a point."""

from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple, is_zero
from touchback.numbers import is_one_of


class Wrench(ForceKind, frozen=True, tag="wrench"):
    """`force` [N] and `torque` [N m] along "world" axes or those of the frame ("body"). The force
    acts at the frame's `point` [m], which, unlike the place of the frame itself, may be an
    input."""

    UNITS: ClassVar[dict[str, str]] = {"force": "N", "torque": "N m", "point": "m"}
    frame: Frame
    force: Triple = (0.0, 0.0, 0.0)
    torque: Triple = (0.0, 0.0, 0.0)
    axes: str = "world"
    point: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not is_one_of(self.axes, ("world", "body")):
            raise ModelError(f"Wrench: its axes must be 'world' or 'body', got {self.axes!r}.")

    def apply(self, mechanics: Forces) -> None:
        force = [mechanics.value(component) for component in self.force]
        torque = [mechanics.value(component) for component in self.torque]
        vectors = mechanics.vectors
        if self.axes == "body":
            R = mechanics.rotation(self.frame)
            force, torque = vectors.apply(R, force), vectors.apply(R, torque)
        if not all(map(is_zero, self.point)):
            arm = [mechanics.value(component) for component in self.point]
            r = vectors.apply(mechanics.rotation(self.frame), arm)
            torque = vectors.add(torque, vectors.cross(r, force))
        mechanics.push(self.frame, force, torque)

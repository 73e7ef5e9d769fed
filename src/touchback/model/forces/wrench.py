"""A force and a torque at a point."""

from touchback.errors import ModelError
from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple


class Wrench(ForceKind, frozen=True, tag="wrench"):
    """`force` [N] at the frame's origin and `torque` [N m], along "world" axes or those of the
    frame ("body")."""

    frame: Frame
    force: Triple = (0.0, 0.0, 0.0)
    torque: Triple = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise ModelError(f"Wrench: its axes must be 'world' or 'body', got {self.axes!r}.")

    def apply(self, mechanics: Forces) -> None:
        force = [mechanics.value(component) for component in self.force]
        torque = [mechanics.value(component) for component in self.torque]
        if self.axes == "body":
            R = mechanics.rotation(self.frame)
            force = mechanics.vectors.apply(R, force)
            torque = mechanics.vectors.apply(R, torque)
        mechanics.push(self.frame, force, torque)

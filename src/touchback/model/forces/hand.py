"""A hand that pulls a body by a point, and lets it go, without another structure."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple, Value
from touchback.spatial.vectors import Matrix, Scalar, Vector


class Hand(ForceKind, frozen=True, tag="hand"):
    """Force k (target − x) − c ẋ [N] on the body of the frame that is held, at its `point` x (along
    the frame's axes) [m]; no more than `bound` [N]. `grip` is the number of the frame in `frames`,
    from 1 (0: nothing is held). All of them may be inputs, so that a grab, a pull and a release are
    values of a moment; what the hand does is work from outside.

    Which frame is held is chosen before anything is computed of it: a frame costs a few operations,
    the spring is there once."""

    UNITS: ClassVar[dict[str, str]] = {
        "grip": "1",
        "target": "m",
        "point": "m",
        "stiffness": "N/m",
        "damping": "N s/m",
        "bound": "N",
    }
    frames: tuple[Frame, ...]
    grip: Value
    target: Triple
    point: Triple = (0.0, 0.0, 0.0)
    stiffness: Value = 0.0
    damping: Value = 0.0
    bound: Value = 1e3

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        grip = value(self.grip)
        held = [k.equal(grip, k.const(float(i + 1))) for i in range(len(self.frames))]

        def chosen(items: list[Vector]) -> Vector:
            """The vector of the frame that is held; zero without one."""
            found: Vector = [0, 0, 0]
            for is_held, item in zip(held, items, strict=True):
                found = [k.select(is_held, x, other) for x, other in zip(item, found, strict=True)]
            return found

        turns = [mechanics.rotation(frame) for frame in self.frames]
        R: Matrix = [chosen([turn[row] for turn in turns]) for row in range(3)]
        r = vectors.apply(R, [value(x) for x in self.point])
        origin = chosen([mechanics.position(frame) for frame in self.frames])
        velocity = chosen([mechanics.velocity(frame) for frame in self.frames])
        omega = chosen([mechanics.angular_velocity(frame) for frame in self.frames])
        x, v = vectors.add(origin, r), vectors.add(velocity, vectors.cross(omega, r))
        way = vectors.sub([value(component) for component in self.target], x)
        pull = vectors.sub(
            vectors.scale(value(self.stiffness), way), vectors.scale(value(self.damping), v)
        )
        force = vectors.scale(self._share(mechanics, pull), pull)
        torque = vectors.cross(r, force)
        for is_held, frame in zip(held, self.frames, strict=True):
            mechanics.push(
                frame,
                [k.select(is_held, component, 0) for component in force],
                [k.select(is_held, component, 0) for component in torque],
            )

    def _share(self, mechanics: Forces, pull: Vector) -> Scalar:
        """What is left of a pull: all of it up to the bound."""
        k, bound = mechanics.k, mechanics.value(self.bound)
        square = mechanics.vectors.dot(pull, pull)
        beyond = k.less(k.mul(bound, bound), square)
        return k.select(beyond, k.div(bound, k.sqrt(k.select(beyond, square, 1))), 1)

"""Loads that are given: wrenches at a point, efforts of joints and about axes, and a hand."""

from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.axis_between_frames import push_about, push_along
from touchback.model.forces.base import ForceKind
from touchback.model.frame import FrameField, FramesField
from touchback.model.joints.base import Axis, check_axis
from touchback.model.mechanics_protocol import Forces
from touchback.model.value_or_expression import Triple, Value, is_zero
from touchback.numbers import Matrix, Scalar, Vector, is_one_of


class Wrench(ForceKind, frozen=True, tag="wrench"):
    """`force` [N] and `torque` [N m] along "world" axes or those of the frame ("body"). The force
    acts at the frame's `point` [m], which, unlike the place of the frame itself, may be an
    input."""

    UNITS: ClassVar[dict[str, str]] = {"force": "N", "torque": "N m", "point": "m"}
    frame: FrameField
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


class JointEffort(ForceKind, frozen=True, tag="joint-effort"):
    """`effort` [N, N m] on coordinate `index` of a joint, positive in the direction of the
    coordinate."""

    UNITS: ClassVar[dict[str, str]] = {"effort": "{effort}"}
    joint: str
    effort: Value
    index: int = 0

    def apply(self, mechanics: Forces) -> None:
        mechanics.add_effort(self.joint, self.index, mechanics.value(self.effort))


class AxisEffort(ForceKind, frozen=True, tag="axis-effort"):
    """`effort` [N] on the body of `frame`, at its origin, along an `axis` of `reference`, and its
    reaction on the reference's body; or, `turning`, a torque [N m] about it. Its power is the
    effort times the rate that `AxisMotion` reads there, however both move."""

    frame: FrameField
    reference: FrameField
    effort: Value
    axis: Axis = "z"
    turning: bool = False

    def __post_init__(self) -> None:
        check_axis("AxisEffort", self.axis)

    def field_units(self) -> dict[str, str]:
        return {"effort": "N m" if self.turning else "N"}

    def apply(self, mechanics: Forces) -> None:
        push = push_about if self.turning else push_along
        push(mechanics, self.frame, self.reference, self.axis, mechanics.value(self.effort))


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
    frames: FramesField
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

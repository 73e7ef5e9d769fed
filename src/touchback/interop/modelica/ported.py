"""The mechanism as its ports tell of it: motions of bodies are symbols, and not functions of
coordinates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from touchback.dynamics.instant import Instant
from touchback.dynamics.kinematics import Coordinates
from touchback.dynamics.loops import common_link
from touchback.dynamics.pose import frame_pose
from touchback.errors import ModelError
from touchback.interop.modelica.names import Names
from touchback.model.equations import Meet
from touchback.model.frame import GROUND, Frame
from touchback.model.model import Model
from touchback.model.signals import BaseMotion
from touchback.spatial.vectors import IDENTITY, ZERO, Matrix, Scalar, Vector
from touchback.symbolic.tape import Tape


@dataclass(frozen=True)
class Push:
    """What a force does to a body: its wrench at a point, along world axes."""

    body: str
    point: Vector
    force: Vector
    torque: Vector


class Ported(Instant):
    """A flat model over a tape whose symbols are variables of the Modelica model, such as
    "body_rod.K.r[1]"."""

    def __init__(
        self, model: Model, tape: Tape, at: Coordinates, names: Names, dropped: Collection[str]
    ) -> None:
        """`dropped` are rows of constraints that aren't written."""
        self._tape, self._identifiers, self.dropped = tape, names, dropped
        self._still = model.base == BaseMotion()
        super().__init__(model, tape, at, merge_fixed=False)

    def rotation(self, frame: Frame) -> Matrix:
        pose = frame_pose(self.k, frame, self.value)
        return pose.rotation(self.k).times(self.k, self._turn(frame.body))

    def position(self, frame: Frame) -> Vector:
        return self.vectors.add(self._shown(frame.body, "r"), self.lever(frame))

    def lever(self, frame: Frame) -> Vector:
        """From the body's origin to the frame's, along world axes."""
        pose = frame_pose(self.k, frame, self.value)
        return self.vectors.apply(self._turn(frame.body), pose.scalars(self.k))

    def velocity(self, frame: Frame) -> Vector:
        omega = self.angular_velocity(frame)
        carried = self.vectors.cross(omega, self.lever(frame))
        return self.vectors.add(self._shown(frame.body, "v"), carried)

    def angular_velocity(self, frame: Frame) -> Vector:
        return self._shown(frame.body, "w")

    def acceleration(self, frame: Frame) -> Vector:
        vectors, omega, lever = self.vectors, self.angular_velocity(frame), self.lever(frame)
        turned = vectors.cross(self.angular_acceleration(frame), lever)
        pulled = vectors.cross(omega, vectors.cross(omega, lever))
        return vectors.add(self._shown(frame.body, "a"), vectors.add(turned, pulled))

    def angular_acceleration(self, frame: Frame) -> Vector:
        return self._shown(frame.body, "e")

    def reaction(self, joint: str) -> tuple[Vector, Vector]:
        """At and along the child's frame, or that of a closure's second body."""
        closure = None if joint in self.model.joints else self.model.closures[joint]
        kind = "joint" if closure is None else "closure"
        frame = self.model.joints[joint].child if closure is None else closure.b
        R, owner = self.rotation(frame), self._identifiers.of(kind, joint, True)
        force, moment = (
            self.vectors.apply_transposed(R, self._symbols(f"{owner}.{word}"))
            for word in ("F_B", "M_B")
        )
        return force, moment

    def multiplier(self, row: str) -> Scalar:
        """A row's own, or a component of a closure's force along the common body's axes."""
        for kind in ("coupling", "constraint", "drive"):
            if row in getattr(self.model, f"{kind}s"):
                return self._kept(row, self._identifiers.of(kind, row, True))
        rows = self.model.constraint_rows()
        name = next(name for name, own in rows.items() if row in own)
        closure, place = self.model.closures[name], rows[name].index(row)
        owner = self._identifiers.of("closure", name, True)
        if not closure.active:
            return 0
        equation = closure.kind.equations()[place]
        if not isinstance(equation, Meet):
            return self._kept(row, f"{owner}.row_{place + 1}")
        self._refuse_dropped(row)
        common = common_link(
            self.tree, self.attachment(closure.a).link, self.attachment(closure.b).link
        )
        carrier = self.model.joints[self.tree.links[common].joint].child if common >= 0 else None
        R = self.rotation(carrier or Frame(GROUND))
        return self.vectors.apply_transposed(R, self._symbols(f"{owner}.F_B"))[equation.axis]

    def _kept(self, row: str, owner: str) -> Scalar:
        self._refuse_dropped(row)
        return self._tape.symbol(f"{owner}.lambda")

    def _refuse_dropped(self, row: str) -> None:
        if row in self.dropped:
            raise ModelError(f"row '{row}' adds nothing to the others, so its force isn't known")

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Forces are objects of their own: see `pushes`."""

    def pushes(self, name: str) -> list[Push]:
        """What a force does to bodies."""
        meter = _Meter(self)
        self.model.forces[name].apply(meter)
        return meter.pushed

    def _turn(self, body: str) -> Matrix:
        if self._at_rest(body):
            return IDENTITY
        name = f"{self.owner(body)}.K.T"
        return [[self._tape.symbol(f"{name}[{i}, {j}]") for j in (1, 2, 3)] for i in (1, 2, 3)]

    def _shown(self, body: str, word: str) -> Vector:
        if self._at_rest(body):
            return ZERO
        return self._symbols(f"{self.owner(body)}.K.{word}")

    def _at_rest(self, body: str) -> bool:
        return body == GROUND and self._still

    def owner(self, body: str) -> str:
        """The component that a body is."""
        return GROUND if body == GROUND else self._identifiers.of("body", body, True)

    def _symbols(self, name: str) -> list[Scalar]:
        return [self._tape.symbol(f"{name}[{i}]") for i in (1, 2, 3)]


class _Meter:
    """The mechanism as a force sees it; what it does to bodies is noted."""

    def __init__(self, instant: Ported) -> None:
        self._instant = instant
        self.pushed: list[Push] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        point = self._instant.position(frame)
        self.pushed.append(Push(frame.body, point, force, ZERO if torque is None else torque))

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """In the joint's sum already."""

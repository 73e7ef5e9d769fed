"""Where links and frames are and how fast they move, over any scalars, along world axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from touchback.dynamics.crba import world_pose
from touchback.dynamics.ground import Ground
from touchback.dynamics.motion import combined
from touchback.dynamics.tree import Attachment, Tree
from touchback.model.frame import Frame
from touchback.model.mechanics import ValueOf
from touchback.spatial import ZERO, Vectors, Wrench
from touchback.spatial.vectors import Matrix, Scalar, Vector
from touchback.symbolic.scalars import Scalars


@dataclass
class Coordinates:
    """The scalars of an instant: positions, velocities, extra states and inputs by name, time,
    parameters by name."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    z: Mapping[str, Scalar]
    u: Mapping[str, Scalar]
    time: Scalar
    parameters: Mapping[str, Scalar]


class Kinematics:
    """Poses and velocities of a tree at given coordinates, each computed when first asked for."""

    def __init__(
        self, k: Scalars, at: Coordinates, tree: Tree, ground: Ground, value: ValueOf
    ) -> None:
        self.k, self.at, self.tree, self.ground = k, at, tree, ground
        self.vectors = Vectors(k)
        self._value = value
        self._poses: dict[int, tuple[Matrix, Vector]] = {-1: (ground.R, ground.p)}
        self._velocity: dict[int, tuple[Vector, Vector]] = {}
        self._frames: dict[Frame, Attachment] = {}
        self._levers: dict[Frame, Vector] = {}
        self._rotations: dict[Frame, Matrix] = {}

    def attachment(self, frame: Frame) -> Attachment:
        """Link and pose of a frame."""
        if frame not in self._frames:
            self._frames[frame] = self.tree.attachment(self.k, frame, self._value)
        return self._frames[frame]

    def link_pose(self, i: int) -> tuple[Matrix, Vector]:
        """R_WL and p_WL."""
        for j in self._unknown(i, self._poses):
            link = self.tree.links[j]
            self._poses[j] = world_pose(link, self.k, self._poses[link.parent])
        return self._poses[i]

    def link_lever(self, i: int) -> Vector:
        """From the origin of a link's parent to its own, along world axes: not by where both are in
        the world, of which little is left far from its origin."""
        link = self.tree.links[i]
        along = self.vectors.apply(self.link_pose(link.parent)[0], link.p)
        return self.vectors.add(along, self.vectors.apply(self.link_pose(i)[0], link.d))

    def link_velocity(self, i: int) -> tuple[Vector, Vector]:
        """ω and velocity of the origin of a link, along world axes."""
        if -1 not in self._velocity:
            ground = self.ground
            self._velocity[-1] = self.vectors.apply(ground.R, ground.omega), ground.velocity
        for j in self._unknown(i, self._velocity):
            link = self.tree.links[j]
            omega_parent, v_parent = self._velocity[link.parent]
            R = self.link_pose(j)[0]
            lever = self.link_lever(j)
            spin, slide = combined(link, self.k, self.at.v)
            carried = self.vectors.add(v_parent, self.vectors.cross(omega_parent, lever))
            self._velocity[j] = (
                self.vectors.add(omega_parent, self.vectors.apply(R, spin)),
                self.vectors.add(carried, self.vectors.apply(R, slide)),
            )
        return self._velocity[i]

    def _unknown(self, i: int, known: Mapping[int, object]) -> list[int]:
        """Links from below the nearest known one down to link i: no recursion, chains are long."""
        path = []
        while i not in known:
            path.append(i)
            i = self.tree.links[i].parent
        return path[::-1]

    def lever(self, frame: Frame) -> Vector:
        """From the link's origin to the frame's, along world axes."""
        if frame not in self._levers:
            home = self.attachment(frame)
            R, p = self.link_pose(home.link)[0], home.pose.scalars(self.k)
            self._levers[frame] = self.vectors.apply(R, p)
        return self._levers[frame]

    def position(self, frame: Frame) -> Vector:
        return self.vectors.add(self.link_pose(self.attachment(frame).link)[1], self.lever(frame))

    def rotation(self, frame: Frame) -> Matrix:
        if frame not in self._rotations:
            home = self.attachment(frame)
            R = self.link_pose(home.link)[0]
            self._rotations[frame] = home.pose.rotation(self.k).times(self.k, R)
        return self._rotations[frame]

    def velocity(self, frame: Frame) -> Vector:
        omega, v = self.link_velocity(self.attachment(frame).link)
        return self.vectors.add(v, self.vectors.cross(omega, self.lever(frame)))

    def angular_velocity(self, frame: Frame) -> Vector:
        return self.link_velocity(self.attachment(frame).link)[0]


class AppliedWrenches:
    """Force and moment on each link about its origin, along world axes."""

    def __init__(self, at: Kinematics) -> None:
        self._at = at
        self._sums: dict[int, Wrench] = {}

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Add a force at a frame's origin and a torque on its body; what pushes the ground is
        lost."""
        at, vectors = self._at, self._at.vectors
        home = at.attachment(frame)
        if home.link < 0:
            return
        moment = vectors.cross(at.lever(frame), force)
        if torque is not None:
            moment = vectors.add(moment, torque)
        F, N = self._sums.get(home.link, (ZERO, ZERO))
        self._sums[home.link] = vectors.add(F, force), vectors.add(N, moment)

    def in_link_axes(self) -> dict[int, Wrench]:
        """The sums along the axes of their links."""
        turned = self._at.vectors.apply_transposed
        wrenches: dict[int, Wrench] = {}
        for i, (F, N) in self._sums.items():
            R = self._at.link_pose(i)[0]
            wrenches[i] = turned(R, F), turned(R, N)
        return wrenches

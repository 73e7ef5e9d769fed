"""Forces on bodies, summed up a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.model.frame import Frame
from touchback.spatial import ZERO, Wrench
from touchback.spatial.vectors import Vector

if TYPE_CHECKING:
    from touchback.dynamics.kinematics import Kinematics


class Pushes:
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

"""Where everything of a mechanism is, in one call: poses of bodies, ends of springs, forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.draw.watched import Watched
from touchback.dynamics.floats import float_instant
from touchback.dynamics.size import size_of
from touchback.model.forces import LinkForce, SpringDamper
from touchback.spatial.vectors import Scalar
from touchback.system import System
from touchback.system.body_poses import BodyPoses, Floats
from touchback.system.derivation import Derivation
from touchback.workbench.wire import PAIR

_USUAL = 0.1  # m: the size of what has no lengths


class Poses(BodyPoses):
    """Gives besides where bodies are, between which points springs are drawn, and where forces
    push."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        drawn, pushes = self._drawn, self._pushes
        self.springs = [copy + name for copy in self.copies for name in drawn]
        self.arrows = [copy + name for copy in self.copies for name in pushes]
        self._order = np.argsort(
            [each >= len(drawn) for _ in self.copies for each in range(len(drawn) + len(pushes))],
            kind="stable",
        )  # springs of all copies before their arrows
        self.size = size_of(float_instant(self._model)) or _USUAL

    def _besides(self, d: Derivation) -> list[Scalar]:
        instant = Watched(d.instant.model, d.tape, d.instant.at)
        drawn = {
            name: force
            for name, force in instant.model.forces.items()
            if isinstance(force, SpringDamper | LinkForce)
        }
        nodes: list[Scalar] = []
        for force in drawn.values():
            a, b = instant.position(force.a), instant.position(force.b)
            nodes += [*a, *instant.vectors.sub(b, a)]
        pushes = instant.act()
        for point, force_vector in pushes.values():
            nodes += [*point, *force_vector]
        self._drawn, self._pushes = list(drawn), list(pushes)
        return nodes

    def at(
        self, x: Floats, t: float, inputs: Sequence[float] | Floats, parameters: Mapping[str, float]
    ) -> Floats:
        """7 numbers a body (x y z, then the quaternion x y z w), 6 a spring (an end, and from there
        to the other) and 6 an arrow (a point, a force [N]), in the order of the names."""
        return self.packed(self.numbers(x, t, inputs, parameters))

    def packed(self, numbers: Floats) -> Floats:
        """What `at` gives, from `numbers`."""
        lines = numbers[:, 12 * self._own :].reshape(-1, PAIR)[self._order]
        return np.concatenate([self.placed(numbers).reshape(-1), lines.reshape(-1)])

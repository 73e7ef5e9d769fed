"""Where everything of a mechanism is, in one call: poses of bodies, ends of springs, forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.draw.watched import Watched
from touchback.dynamics.floats import float_instant
from touchback.dynamics.size import size_of
from touchback.model.forces import LinkForce, SpringDamper
from touchback.model.frame import GROUND, Frame
from touchback.spatial.vectors import Scalar
from touchback.system import System
from touchback.system.function import Function
from touchback.workbench.wire import PAIR, POSE

Floats = np.ndarray
_USUAL = 0.1  # m: the size of what has no lengths


class Poses:
    """A compiled function of a state that gives where bodies are (the ground first), between which
    points springs are drawn, and where forces push. Of a row of copies those of each, copy by copy,
    under "copy/name"; the ground once."""

    def __init__(self, system: System) -> None:
        self.system, one = system, system.one
        d = one.derive()
        instant = Watched(d.instant.model, d.tape, d.instant.at)
        model = instant.model
        bodies = [GROUND, *model.bodies]
        drawn = {
            name: force
            for name, force in model.forces.items()
            if isinstance(force, SpringDamper | LinkForce)
        }
        nodes: list[Scalar] = []
        for name in bodies:
            nodes += instant.position(Frame(name))
            nodes += [x for row in instant.rotation(Frame(name)) for x in row]
        for force in drawn.values():
            a, b = instant.position(force.a), instant.position(force.b)
            nodes += [*a, *instant.vectors.sub(b, a)]
        pushes = instant.act()
        for point, force_vector in pushes.values():
            nodes += [*point, *force_vector]
        self._function: Function = d.functions({"poses": nodes})["poses"]
        self._counts = len(bodies), len(drawn) + len(pushes)
        copies = [f"{name}/" for name in system.names] or [""]
        self.bodies = [GROUND, *(copy + name for copy in copies for name in model.bodies)]
        self.springs = [copy + name for copy in copies for name in drawn]
        self.arrows = [copy + name for copy in copies for name in pushes]
        self._order = np.argsort(
            [each >= len(drawn) for _ in copies for each in range(len(drawn) + len(pushes))],
            kind="stable",
        )  # springs of all copies before their arrows
        self.size = size_of(float_instant(model)) or _USUAL
        self._values: dict[str, float] | None = None
        self._blocks = np.zeros(0)

    def at(
        self, x: Floats, t: float, inputs: Sequence[float] | Floats, parameters: Mapping[str, float]
    ) -> Floats:
        """7 numbers a body (x y z, then the quaternion x y z w), 6 a spring (an end, and from there
        to the other) and 6 an arrow (a point, a force [N]), in the order of the names."""
        return self.packed(self.numbers(x, t, inputs, parameters))

    def numbers(
        self, x: Floats, t: float, inputs: Sequence[float] | Floats, parameters: Mapping[str, float]
    ) -> Floats:
        """A row for each copy: per body p_WB (3) and R_WB (9), then 6 a spring and 6 an arrow."""
        system, one = self.system, self.system.one
        if parameters != self._values:
            values = system.parameter_values(parameters)
            rows = values.reshape(max(len(system.names), 1), -1)
            self._blocks = np.array([self._function.block_for(row) for row in rows])
            self._values = dict(parameters)
        states = system.states_of(x) if system.names else x.reshape(1, -1)
        count = len(states)
        u = np.empty((count, 1 + len(one.input_names)))
        u[:, 0] = t
        u[:, 1:] = np.reshape(inputs, (count, -1))
        states = np.ascontiguousarray(states, dtype=float)
        result = np.empty((count, self._function.out_size))
        sizes = (states.shape[1], u.shape[1])
        parts = [(states, 0), (u, states.shape[1])]
        self._function.rows(sizes, parts, self._blocks, result)
        return result

    def packed(self, numbers: Floats) -> Floats:
        """What `at` gives, from `numbers`."""
        bodies, pairs = self._counts
        count = len(numbers)
        placed = numbers[:, : 12 * bodies].reshape(count, bodies, 12)
        poses = np.empty((count, bodies, POSE))
        poses[..., :3] = placed[..., :3]
        poses[..., 3:] = quaternions(placed[..., 3:].reshape(count, bodies, 3, 3))
        lines = numbers[:, 12 * bodies :].reshape(count * pairs, PAIR)[self._order]
        moving = poses[:, 1:].reshape(-1)
        return np.concatenate([poses[0, 0], moving, lines.reshape(-1)])


def quaternions(R: Floats) -> Floats:
    """(x, y, z, w) of rotation matrices (…, 3, 3), by the largest of the four, with w ≥ 0."""
    m00, m11, m22 = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = np.stack(
        [1 + m00 - m11 - m22, 1 - m00 + m11 - m22, 1 - m00 - m11 + m22, 1 + m00 + m11 + m22],
        axis=-1,
    )  # 4 x², 4 y², 4 z², 4 w²
    a = R[..., 2, 1] - R[..., 1, 2]
    b = R[..., 0, 2] - R[..., 2, 0]
    c = R[..., 1, 0] - R[..., 0, 1]
    d = R[..., 0, 1] + R[..., 1, 0]
    e = R[..., 0, 2] + R[..., 2, 0]
    f = R[..., 1, 2] + R[..., 2, 1]
    products = np.empty((*R.shape[:-2], 4, 4))  # 4 times the outer product
    for i, row in enumerate(((None, d, e, a), (d, None, f, b), (e, f, None, c), (a, b, c, None))):
        for j, product in enumerate(row):
            products[..., i, j] = squares[..., i] if product is None else product
    largest = np.argmax(squares, axis=-1)[..., None, None]
    found = np.take_along_axis(products, largest, axis=-2)[..., 0, :]
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., 3:] < 0.0, -found, found)

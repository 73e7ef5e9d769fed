"""Where the bodies of a mechanism are, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.model import GROUND, Frame
from touchback.numbers import Scalar
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation
from touchback.system.system import System

Floats = np.ndarray


class BodyPoses:
    """A compiled function of a state that gives where bodies are (the ground first), and other
    `frames` by their names. Of a row of copies those of each, copy by copy, under "copy/name"; the
    ground once. `function` gives them, by rows of the state and of the time and the inputs."""

    def __init__(self, system: System, frames: Mapping[str, Frame] | None = None) -> None:
        self.system, one = system, system.replica
        d = one.derive()
        self._model = model = d.instant.model
        own = {GROUND: Frame(GROUND), **{name: Frame(name) for name in model.bodies}}
        own |= frames or {}
        nodes: list[Scalar] = []
        for frame in own.values():
            nodes += d.instant.position(frame)
            nodes += [x for row in d.instant.rotation(frame) for x in row]
        nodes += self._besides(d)
        self.function: Function = d.functions({"poses": nodes})["poses"]
        self._own = len(own)
        self.copies = [f"{name}/" for name in system.names] or [""]
        self.bodies = [GROUND, *(copy + name for copy in self.copies for name in list(own)[1:])]
        self._values: dict[str, float] | None = None
        self._blocks = np.zeros(0)

    def _besides(self, d: Derivation) -> list[Scalar]:
        """What else the function is to give."""
        return []

    def numbers(
        self, x: Floats, t: float, inputs: Sequence[float] | Floats, parameters: Mapping[str, float]
    ) -> Floats:
        """A row for each copy: per body p_WB (3) and R_WB (9), then what is besides."""
        system, one = self.system, self.system.replica
        if parameters != self._values:
            values = system.parameter_values(parameters)
            rows = values.reshape(max(len(system.names), 1), -1)
            self._blocks = np.array([self.function.block_for(row) for row in rows])
            self._values = dict(parameters)
        states = system.states_of(x) if system.names else x.reshape(1, -1)
        count = len(states)
        u = np.empty((count, 1 + len(one.input_names)))
        u[:, 0] = t
        u[:, 1:] = np.reshape(inputs, (count, -1))
        states = np.ascontiguousarray(states, dtype=float)
        result = np.empty((count, self.function.out_size))
        sizes = (states.shape[1], u.shape[1])
        parts = [(states, 0), (u, states.shape[1])]
        self.function.rows(sizes, parts, self._blocks, result)
        return result

    def placed(self, numbers: Floats) -> Floats:
        """From `numbers`, (bodies, 7) in the order of the names: x y z, then the quaternion x y z
        w."""
        count = len(numbers)
        found = numbers[:, : 12 * self._own].reshape(count, self._own, 12)
        poses = np.empty((count, self._own, 7))
        poses[..., :3] = found[..., :3]
        poses[..., 3:] = quaternions(found[..., 3:].reshape(count, self._own, 3, 3))
        return np.concatenate([poses[0, :1], poses[:, 1:].reshape(-1, 7)])


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

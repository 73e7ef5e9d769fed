"""A mechanism displayed from tables that were measured on a real one, with the device as probe."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import spsolve

from touchback import Expr, Model, Table, lookup
from touchback.errors import InputError, SolveError
from touchback.haptics.displays.sample_and_hold import hold
from touchback.model import Value
from touchback.numbers import series


@dataclass(frozen=True)
class MeasuredImpedance:
    """F = f(x, v) + m(x) a: force over position and velocity, and the effective mass over position,
    each between the nodes of a grid. `residual` is the root mean square [N] of what the tables
    leave of the measurement, `filled` the number of nodes that no motion came near."""

    positions: tuple[float, ...]
    velocities: tuple[float, ...]
    forces: tuple[float, ...]  # row by row of positions
    masses: tuple[float, ...]
    residual: float
    filled: int

    @cached_property
    def force_table(self) -> Table:
        return Table(self.positions, self.forces, self.velocities)

    @cached_property
    def mass_table(self) -> Table:
        return Table(self.positions, self.masses)

    def force(self, position: Value, velocity: Value, acceleration: Value = 0.0) -> Value:
        """The force that moves the measured mechanism so."""
        held = lookup(self.force_table, position, velocity)
        return held + lookup(self.mass_table, position) * acceleration

    def add(
        self,
        model: Model,
        name: str,
        position: Value,
        velocity: Value,
        acceleration: Value = 0.0,
        delay: int = 0,
    ) -> Expr:
        """Put it into a model; returns the held command, against the hand."""
        return hold(model, name, -self.force(position, velocity, acceleration), delay)


def identify_impedance(
    position: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    force: ArrayLike,
    positions: ArrayLike,
    velocities: ArrayLike,
) -> MeasuredImpedance:
    """The tables that explain a record best: least squares over all nodes at once, each sample
    weighing on the nodes around it as the lookup will, with a little stiffness against bending that
    carries the tables over nodes near which nothing moved.

    Force and mass are told apart only by motions that pass a place at one velocity with different
    accelerations: a sum of several sines does, a single one doesn't."""
    x, v, a, F = series(
        "identify_impedance", 1,
        position=position, velocity=velocity, acceleration=acceleration, force=force,
    )  # fmt: skip
    grid_x, grid_v = np.asarray(positions, float), np.asarray(velocities, float)
    for label, grid in (("positions", grid_x), ("velocities", grid_v)):
        if not (grid.ndim == 1 and len(grid) >= 2 and np.all(np.diff(grid) > 0.0)):
            raise InputError(f"identify_impedance: {label} must increase, two nodes at least.")

    forces, masses, left, touched = fit(x, v, a, F, grid_x, grid_v)
    return MeasuredImpedance(
        tuple(grid_x.tolist()), tuple(grid_v.tolist()), tuple(forces.tolist()),
        tuple(masses.tolist()), float(np.sqrt(np.mean(left**2))), int(np.sum(~touched)),
    )  # fmt: skip


_LEAST_SAMPLES = 4  # that touch a node of the grid, before it counts as measured


_STIFFNESS = 1e-3  # of the tables against bending, of the weight of an average node's samples


def fit(
    x: np.ndarray, v: np.ndarray, a: np.ndarray, F: np.ndarray, grid_x: np.ndarray,
    grid_v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """f at the nodes (row by row of positions) and m over positions of F = f(x, v) + m(x) a, what
    they leave of F, and at which nodes of f there was motion."""
    by_x, by_v = _weights(grid_x, x), _weights(grid_v, v)
    inertial = sparse.diags_array(a) @ by_x
    matrix = sparse.hstack([_products(by_x, by_v), inertial]).tocsc()
    touched = np.diff(matrix.indptr) >= _LEAST_SAMPLES
    nodes = len(grid_x) * len(grid_v)
    if not np.any(touched[:nodes]):
        raise SolveError(
            "identify_impedance: hardly a sample lies within the grid; compare the ranges of the "
            "record with `positions` and `velocities`."
        )
    bending = sparse.block_diag(
        [_bending(len(grid_x), len(grid_v)), _bending(len(grid_x), 1) * _typical(a) ** 2]
    )
    normal = matrix.T @ matrix + _STIFFNESS * len(x) / nodes * bending
    values = spsolve(normal.tocsc(), matrix.T @ F)
    return values[:nodes], values[nodes:], F - matrix @ values, touched[:nodes]


def _weights(grid: np.ndarray, values: np.ndarray) -> sparse.csr_array:
    """How much each node counts in the linear interpolation at each value; rows sum to 1."""
    inside = np.clip(values, grid[0], grid[-1])
    cell = np.clip(np.searchsorted(grid, inside, side="right") - 1, 0, len(grid) - 2)
    share = (inside - grid[cell]) / (grid[cell + 1] - grid[cell])
    rows = np.repeat(np.arange(len(values)), 2)
    places = np.stack([cell, cell + 1], axis=1).ravel()
    weights = np.stack([1.0 - share, share], axis=1).ravel()
    return sparse.csr_array((weights, (rows, places)), shape=(len(values), len(grid)))


def _products(by_x: sparse.csr_array, by_v: sparse.csr_array) -> sparse.csr_array:
    """The weight of each node of the grid: two by two nodes a sample."""
    count, width = by_x.shape[0], by_v.shape[1]
    x_places, v_places = by_x.indices.reshape(count, 2), by_v.indices.reshape(count, 2)
    places = x_places[:, :, None] * width + v_places[:, None, :]
    weights = by_x.data.reshape(count, 2)[:, :, None] * by_v.data.reshape(count, 2)[:, None, :]
    rows = np.repeat(np.arange(count), 4)
    shape = (count, by_x.shape[1] * width)
    return sparse.csr_array((weights.ravel(), (rows, places.ravel())), shape=shape)


def _bending(rows: int, columns: int) -> sparse.csr_array:
    """Squares of second differences along both axes, and a trace of the first."""

    def along(count: int) -> sparse.csr_array:
        slopes = np.diff(np.eye(count), axis=0)
        bends = np.diff(np.eye(count), n=2, axis=0)
        return sparse.csr_array(bends.T @ bends + 1e-6 * slopes.T @ slopes)

    return sparse.kron(along(rows), sparse.eye_array(columns)) + sparse.kron(
        sparse.eye_array(rows), along(columns)
    )


def _typical(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2))) or 1.0

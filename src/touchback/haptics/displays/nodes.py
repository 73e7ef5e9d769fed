"""Least squares over the nodes of a grid, for tables of a measured impedance."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from touchback.errors import SolveError

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

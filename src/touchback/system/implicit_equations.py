"""The equations of motion as one implicit function, with its derivatives by the tape.

Of positions q, velocities v, extra states z, inputs u, time t, accelerations a and multipliers λ:

    effort        M a + c − τ − Wᵀλ      one a velocity coordinate; zero in motion
    position      h(q, t)                one a constraint row (zero for rows on velocities only)
    rate          J v − b
    acceleration  J a + γ
    state         ż
    output        what the sensors show

(Docquier 2021, eq. 1, 3, 4). Positions vary by increments δ in velocity coordinates, dq = N(q) δ,
so that a quaternion has three. Along a motion δ̇ = δv + D δ, where D is zero for plain coordinates
and −ω× for the rotation by a quaternion.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from touchback.dynamics import Row, configuration_rate, constraint_rows, solve_efforts
from touchback.symbolic import jacobian, jvp
from touchback.system.compiled_function import Function
from touchback.system.constraint_functions import Pattern
from touchback.system.derivation import Derivation, derived_once

ROWS = ("effort", "position", "rate", "acceleration", "state", "output")
COLUMNS = ("position", "velocity", "state", "input", "acceleration", "multiplier", "parameter")


@dataclass(frozen=True)
class Point:
    """Where the equations are evaluated."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    u: np.ndarray
    t: float = 0.0
    a: np.ndarray = field(default_factory=lambda: np.zeros(0))
    multipliers: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def moved(self, **changed: Any) -> Point:
        """The same point with some of it replaced."""
        return replace(self, **changed)


class Blocks:
    """A matrix whose rows and columns are cut into blocks by name:
    `derivatives["effort", "velocity"]`."""

    def __init__(
        self, matrix: np.ndarray, rows: dict[str, slice], columns: dict[str, slice]
    ) -> None:
        self.matrix, self._rows, self._columns = matrix, rows, columns

    def __getitem__(self, block: tuple[str, str]) -> np.ndarray:
        return self.matrix[self._rows[block[0]], self._columns[block[1]]]


class Equations:
    """The implicit function of a system. Each part is derived and compiled when first used."""

    def __init__(
        self, d: Derivation, rows: Sequence[str], plain: bool, deriving: threading.RLock
    ) -> None:
        """Of a derivation with `solved_arguments` of these constraint rows; `plain`: q̇ = v;
        `deriving` is held while something is derived."""
        self._d, self.layout, self.deriving, self._plain = d, d.layout, deriving, plain
        n = len(self.layout.v)
        m, nz, ny = len(rows), len(self.layout.z), len(self.layout.outputs)
        self.rows = _slices(dict(zip(ROWS, (n, m, m, m, nz, ny), strict=True)))
        widths = (n, n, nz, len(self.layout.inputs), n, m, len(self.layout.parameters))
        self.columns = _slices(dict(zip(COLUMNS, widths, strict=True)))
        self._of_parameters = {"parameter": slice(0, widths[-1])}
        self._blocks: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # of functions: of parameters

    def values(self, at: Point, p: np.ndarray) -> dict[str, np.ndarray]:
        """Every block of rows, for the raw parameters `p` (`System.parameter_values`)."""
        out = self._call(self._values, at, p)
        return {name: out[rows] for name, rows in self.rows.items()}

    def derivatives(self, at: Point, p: np.ndarray) -> Blocks:
        """Derivatives of every block of rows by increments, v, z, u, a and λ."""
        function, pattern = self._derivatives
        shape = (self.rows["output"].stop, self.columns["multiplier"].stop)
        matrix = pattern.dense(self._call(function, at, p), shape)
        return Blocks(matrix, self.rows, self.columns)

    def parameter_derivatives(self, at: Point, p: np.ndarray) -> Blocks:
        """Derivatives of every block of rows by the parameters, at fixed a and λ."""
        function, pattern = self._parameter_derivatives
        shape = (self.rows["output"].stop, len(self.layout.parameters))
        matrix = pattern.dense(self._call(function, at, p), shape)
        return Blocks(matrix, self.rows, self._of_parameters)

    def increments(self, at: Point, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """N (nq × n) of dq = N δ, and D (n × n) of δ̇ = δv + D δ."""
        nq, n = len(self.layout.q), len(self.layout.v)
        if self._plain:
            return np.eye(n), np.zeros((n, n))
        out = self._call(self._increments, at, p)
        N, turning = out[: nq * n].reshape(nq, n), out[nq * n :].reshape(nq, n)
        return N, np.linalg.lstsq(N, turning, rcond=None)[0]

    @derived_once
    def rate_jacobian(self) -> tuple[Function, Pattern]:
        """Derivatives of q̇ and of every block of rows but the output, by x = [q, v, z] itself
        rather than by increments, column by column; for implicit integrators."""
        d = self._d
        rows = [*configuration_rate(d.instant), *self._equations[: self.rows["state"].stop]]
        by_state = jacobian(d.tape, rows, [*d.q, *d.v, *d.z])
        function, pattern = self._sparse("rate slopes", [list(column) for column in zip(*by_state)])
        return function, Pattern(pattern.columns, pattern.rows)

    # ---- derivation -----------------------------------------------------------------------------

    @derived_once
    def _equations(self) -> list[int]:
        rows = constraint_rows(self._d.instant)
        found = motion_equations(self._d, rows)
        self._d.solved(rows)
        return [*(x for block in found.values() for x in block), *self._d.outputs()]

    @derived_once
    def _values(self) -> Function:
        return self._function("equations", self._equations)

    @derived_once
    def _derivatives(self) -> tuple[Function, Pattern]:
        d = self._d
        by_q = jacobian(d.tape, self._equations, d.q)
        others = jacobian(d.tape, self._equations, [*d.v, *d.z, *d.u, *d.extra])
        by_increments = by_q
        if not self._plain:
            by_increments = _product(d, by_q, self._map)
        rows = [[*x, *y] for x, y in zip(by_increments, others, strict=True)]
        return self._sparse("slopes", rows)

    @derived_once
    def _parameter_derivatives(self) -> tuple[Function, Pattern]:
        d = self._d
        return self._sparse("parameter slopes", jacobian(d.tape, self._equations, d.parameters))

    @derived_once
    def _map(self) -> list[list[int]]:
        """N: q̇ is linear in v."""
        return jacobian(self._d.tape, configuration_rate(self._d.instant), self._d.v)

    @derived_once
    def _increments(self) -> Function:
        """N and ∂(N v)/∂q N − Ṅ, which N maps D onto."""
        d, N = self._d, self._map
        rates = configuration_rate(d.instant)
        carried = _product(d, jacobian(d.tape, rates, d.q), N)
        flow = dict(zip(d.q, rates, strict=True))
        turning = []
        for row, along in zip(N, carried, strict=True):
            turning += [d.tape.sub(x, y) for x, y in zip(along, jvp(d.tape, row, flow))]
        return self._function("increments", [x for row in N for x in row] + turning)

    def _sparse(self, name: str, rows: list[list[int]]) -> tuple[Function, Pattern]:
        places = [(i, j) for i, row in enumerate(rows) for j, node in enumerate(row) if node]
        function = self._function(name, [rows[i][j] for i, j in places])
        where = np.array(places, dtype=np.int32).reshape(-1, 2)
        return function, Pattern(where[:, 0], where[:, 1])

    def _function(self, name: str, outputs: list[int]) -> Function:
        return self._d.functions({name: outputs})[name]

    def _call(self, function: Function, at: Point, p: np.ndarray) -> np.ndarray:
        if not function.out_size:
            return np.zeros(0)
        n, m = len(self.layout.v), self.rows["rate"].stop - self.rows["rate"].start
        x = np.concatenate([at.q, at.v, at.z])
        extra = [at.a if at.a.size else np.zeros(n)]
        extra.append(at.multipliers if at.multipliers.size else np.zeros(m))
        u = np.concatenate([[at.t], at.u, *extra])
        return function.at(x, u, self._block(function, p))

    def _block(self, function: Function, p: np.ndarray) -> np.ndarray:
        """The function's parameter block, computed anew where parameters changed since the last."""
        known = self._blocks.get(function.name)
        if known is None or not np.array_equal(known[0], p):
            known = self._blocks[function.name] = p.copy(), function.block_for(p)
        return known[1]


def motion_equations(d: Derivation, rows: Sequence[Row]) -> dict[str, list[int]]:
    """All blocks of the equations but the output, at the accelerations and multipliers of some
    constraint rows that are arguments."""
    instant, tape = d.instant, d.tape
    a, multipliers = d.accelerations, d.multipliers(rows)
    own = instant.efforts()
    effort = [tape.sub(x, y) for x, y in zip(solve_efforts(instant, a), own, strict=True)]
    for row, multiplier in zip(rows, multipliers, strict=True):
        for freedom, entry in (row.through or row.J).items():
            effort[freedom] = tape.sub(effort[freedom], tape.mul(entry, multiplier))
        if row.friction is not None:
            drag = tape.mul(row.friction.share, tape.abs(multiplier))
            for freedom, slope in row.friction.slopes.items():
                effort[freedom] = tape.sub(effort[freedom], tape.mul(slope, drag))
    return {
        "effort": effort,
        "position": [0 if row.h is None else row.h for row in rows],
        "rate": [tape.sub(_along(d, row.J, d.v), row.b) for row in rows],
        "acceleration": [tape.add(_along(d, row.J, a), row.gamma) for row in rows],
        "state": [instant.value(state.rate) for state in instant.model.states.values()],
    }


def _along(d: Derivation, row: dict[int, int], vector: Sequence[int]) -> int:
    total = 0
    for freedom, entry in row.items():
        total = d.tape.add(total, d.tape.mul(entry, vector[freedom]))
    return total


def _slices(sizes: dict[str, int]) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values()))
    return {
        name: slice(int(end) - size, int(end))
        for (name, size), end in zip(sizes.items(), ends, strict=True)
    }


def _product(d: Derivation, A: list[list[int]], B: list[list[int]]) -> list[list[int]]:
    """A B on the tape."""
    tape, width = d.tape, len(B[0]) if B else 0
    product = []
    for row in A:
        entries = [0] * width
        for x, others in zip(row, B, strict=True):
            if x:
                for j, y in enumerate(others):
                    if y:
                        entries[j] = tape.add(entries[j], tape.mul(x, y))
        product.append(entries)
    return product

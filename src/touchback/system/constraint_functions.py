"""The constrained half of a system: which rows there are, and the functions that solvers need.

Every function has the one calling convention and shares one parameter block:
`terms` gives [h, b, γ, J, W, M, f, ż] with J, W and M by their nonzeros, `positions` gives [h, J],
`velocity level` gives [b]. Dynamics: M a = f + Wᵀ λ, J a + γ = 0, J v = b, h = 0; W is J, and left
out, unless there are servo-constraints or constraints that rub. Friction goes with |λ|: the W of a
row that rubs holds for λ ≥ 0, for others it is 2 J − W.
"""

from dataclasses import dataclass

import numpy as np

from touchback.dynamics import (
    Row,
    configuration_rate,
    constraint_rows,
    mass_matrix_entries,
    solve_efforts,
)
from touchback.model import Model
from touchback.numbers import shown
from touchback.symbolic import jacobian
from touchback.system.array_arguments import Misfit, checked_out
from touchback.system.derivation import Derivation


@dataclass(frozen=True)
class Pattern:
    """Where the nonzeros of a matrix stand."""

    rows: np.ndarray
    columns: np.ndarray

    def dense(self, nonzeros: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        """The matrix with these nonzeros, or those of an array of states."""
        matrix = np.zeros((*nonzeros.shape[:-1], *shape))
        matrix[..., self.rows, self.columns] = nonzeros
        return matrix


_MULTIPLIER_UNITS = {  # of rows in these units; "-": of two directions, which stay at right angles
    "m": "N", "m/s": "N", "rad": "N m", "rad/s": "N m", "-": "N m",
}  # fmt: skip


@dataclass(frozen=True)
class ConstraintLayout:
    """Names, units and patterns of the rows; `labels` name the constraint that each belongs to."""

    names: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    holonomic: np.ndarray  # False for rows on velocities only
    J: Pattern
    W: Pattern | None  # None: W is J
    M: Pattern  # lower triangle with the diagonal
    has_friction: np.ndarray  # True for rows with friction
    driven: np.ndarray  # True for rows that prescribe a coordinate

    @property
    def multiplier_units(self) -> dict[str, str]:
        """Units of the multipliers by row: the power of a multiplier and its row's rate is in W."""
        return {
            name: _MULTIPLIER_UNITS.get(unit, "")
            for name, unit in zip(self.names, self.units, strict=True)
        }

    def twins(self) -> np.ndarray | None:
        """Of each nonzero of W in a row that rubs its place among those of J, −1 where J has none;
        −2 in other rows. None where nothing rubs."""
        if self.W is None or not self.has_friction.any():
            return None
        places = {pair: k for k, pair in enumerate(zip(self.J.rows, self.J.columns, strict=True))}
        return np.array(
            [
                places.get((row, column), -1) if self.has_friction[row] else -2
                for row, column in zip(self.W.rows, self.W.columns, strict=True)
            ],
            dtype=np.int32,
        )


@dataclass(frozen=True)
class ConstraintEquations:
    """The rows' layout, and the outputs of `terms` and `positions` on a derivation's tape."""

    model: Model
    layout: ConstraintLayout
    rows: list[Row]
    terms: list[int]
    positions: list[int]
    velocity_level: list[int]
    f: list[int]
    z_rates: list[int]


_NONE, _NOT = np.zeros(0, np.int32), np.zeros(0, bool)
NO_ROWS = ConstraintLayout(
    (), (), (), _NOT, Pattern(_NONE, _NONE), None, Pattern(_NONE, _NONE), _NOT, _NOT
)


def derive_constraints(d: Derivation) -> ConstraintEquations:
    """Equations of a constrained system at a derivation's instant."""
    instant = d.instant
    rows = constraint_rows(instant)
    M = mass_matrix_entries(instant)
    places = sorted((i, j) for i, j in M if i >= j)
    bias = solve_efforts(instant, None)
    f = [d.tape.sub(effort, c) for effort, c in zip(instant.efforts(), bias, strict=True)]
    z_rates = [instant.value(state.rate) for state in instant.model.states.values()]
    h = [0 if row.h is None else row.h for row in rows]
    J = [x for row in rows for _, x in sorted(row.J.items())]
    elsewhere = any(row.through or row.friction for row in rows)
    effects = [row.multiplier_forces(d.tape) for row in rows] if elsewhere else []
    W = [x for row in effects for _, x in sorted(row.items())]
    terms = [
        *h,
        *(row.b for row in rows),
        *(row.gamma for row in rows),
        *J,
        *W,
        *(M[place] for place in places),
        *f,
        *z_rates,
    ]
    labels, named = row_labels(instant.model), instant.model.constraint_rows()
    driven = {row for name in instant.model.drives for row in named[name]}
    layout = ConstraintLayout(
        tuple(row.name for row in rows),
        tuple(labels[row.name] for row in rows),
        tuple(row.unit for row in rows),
        np.array([row.h is not None for row in rows], dtype=bool),
        _pattern([row.J for row in rows]),
        _pattern(effects) if elsewhere else None,
        Pattern(*(np.array([place[c] for place in places], dtype=np.int32) for c in range(2))),
        np.array([row.friction is not None for row in rows], dtype=bool),
        np.array([row.name in driven for row in rows], dtype=bool),
    )
    positions, velocities = [*h, *J], [row.b for row in rows]
    return ConstraintEquations(
        instant.model, layout, rows, terms, positions, velocities, f, z_rates
    )


def row_labels(model: Model) -> dict[str, str]:
    """What each row belongs to, as messages call it: "Closure 'pin'"."""
    return {
        row: f"{section.capitalize()} '{name}'"
        for name, rows in model.constraint_rows().items()
        for section in ("closure", "coupling", "constraint", "drive")
        if name in getattr(model, f"{section}s")
        for row in rows
    }


def derive_stiffness(d: Derivation, equations: ConstraintEquations) -> list[int]:
    """[∂f/∂δ, ∂f/∂v, ∂f/∂z, ∂ż/∂δ, ∂ż/∂v, ∂ż/∂z], full matrices: by increments δ of the positions
    in velocity coordinates, by velocities and by further states z."""
    tape = d.tape
    increments = jacobian(tape, configuration_rate(d.instant), d.v)  # q̇ is linear in v: δ to dq
    found = []
    for outputs in (equations.f, equations.z_rates):
        for row in jacobian(tape, outputs, d.q):
            for j in range(len(d.v)):
                entry = 0
                for i, slope in enumerate(row):
                    entry = tape.add(entry, tape.mul(slope, increments[i][j]))
                found.append(entry)
        for symbols in (d.v, d.z):
            found += [slope for row in jacobian(tape, outputs, symbols) for slope in row]
    return found


def _pattern(rows: list[dict[int, int]]) -> Pattern:
    places = [(i, column) for i, row in enumerate(rows) for column in sorted(row)]
    return Pattern(*(np.array([place[c] for place in places], dtype=np.int32) for c in range(2)))


@dataclass(eq=False)
class Terms:
    """The terms of a constrained system at a state, or an array of them, as dense arrays."""

    h: np.ndarray
    b: np.ndarray
    gamma: np.ndarray
    J: np.ndarray
    W: np.ndarray
    M: np.ndarray
    f: np.ndarray
    has_friction: np.ndarray
    names: tuple[str, ...]

    def written(self, out: "Terms | None") -> "Terms":
        """These, or the terms given for them, of as many states, with their numbers."""
        if out is None:
            return self
        if not isinstance(out, Terms):
            raise Misfit(f"out must be terms, as `terms` gives them, got {shown(out)}.")
        names = ("h", "b", "gamma", "J", "W", "M", "f")
        for name in names:
            own, shape = getattr(out, name), getattr(self, name).shape
            if np.shape(own) != shape:
                raise Misfit(f"out.{name} has shape {np.shape(own)}, not {shape}.")
            checked_out(own, shape)
        for name in names:
            getattr(out, name)[...] = getattr(self, name)
        return out


def split_terms(out: np.ndarray, layout: ConstraintLayout, n: int) -> Terms:
    """Dense arrays from the output of `terms`."""
    m = len(layout.names)
    effects = 0 if layout.W is None else len(layout.W.rows)
    sizes = [m, m, m, len(layout.J.rows), effects, len(layout.M.rows), n]
    parts = np.split(out[..., : sum(sizes)], np.cumsum(sizes)[:-1], axis=-1)
    h, b, gamma, J, W, M, f = (part.copy() for part in parts)
    lower = layout.M.dense(M, (n, n))
    full = lower + np.swapaxes(np.tril(lower, -1), -1, -2)
    slopes = layout.J.dense(J, (m, n))
    through = slopes.copy() if layout.W is None else layout.W.dense(W, (m, n))
    return Terms(h, b, gamma, slopes, through, full, f, layout.has_friction, layout.names)

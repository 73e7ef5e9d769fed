"""Derivatives of inverse and forward dynamics as equations of an instant.

Inertial efforts are differentiated in closed form (inverse_dynamics_derivatives.py): 5.0 and 49
thousand operations, M included, for chains of 7 and 30 joints in general placements, where the
tape's own differentiation of the recursion, the better way round, has 7.5 and 150. What laws add,
and fluid that links carry along, is differentiated by the tape. With M a + c = τ,
∂a/∂x = −M⁻¹ ∂(M a + c − τ)/∂x at fixed a. Positions vary by increments δ in velocity coordinates,
dq = N(q) δ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.codegen import Compiled
from touchback.dynamics import (
    ZERO,
    Articulated,
    Entries,
    InverseDynamicsDerivatives,
    SolvedColumn,
    Twist,
    Wrench,
    applied_efforts,
    configuration_rate,
    factorise_mass_matrix,
    mass_matrix_entries,
    solve_efforts,
    with_armature,
)
from touchback.dynamics.forward_dynamics import solve_accelerations
from touchback.native import LIB, Record
from touchback.symbolic import jacobian, jvp, replay
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation
from touchback.system.derivation_plan import Plan

Matrix = list[list[int]]  # its columns, one after the other


def inverse_dynamics_derivatives(d: Derivation) -> list[int]:
    """∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M of the efforts for the accelerations that are arguments."""
    return _flatten_rows(*_effort_derivatives(d, d.extra, [0] * len(d.v)))


@dataclass
class Columns:
    """What loops make the derivatives of accelerations of: each coordinate (with zeros where links
    carry fluid); and other derivatives of the efforts that are needed beyond those that act, by q
    and by v, or None."""

    solved: list[SolvedColumn]
    dense: tuple[Matrix, Matrix] | None


def columns_to_solve(d: Derivation, algorithm: str, own: bool) -> Columns:
    """For the efforts that are arguments, or the model's `own`."""
    applied, tau = _acting_efforts(d, own)
    solved = _closed_form(d).solve_columns(tau, d.instant.armature())
    if carries_fluid(d):
        acting = d.instant.efforts() if own else d.extra
        varying = acting if own else [0] * len(d.v)
        by_q, by_v, _ = _effort_derivatives(
            d, solve_accelerations(d.instant, acting, algorithm), varying
        )
        return Columns([_without_derivatives(each) for each in solved], (by_q, by_v))
    dense = None
    if any(applied):
        less = [-x for x in applied]
        dense = _derivatives_by_q(d, less), _derivatives_by_v(d, less)
    return Columns(solved, dense)


def _without_derivatives(column: SolvedColumn) -> SolvedColumn:
    """Without what gives derivatives."""
    none, nothing = (ZERO, ZERO), [ZERO, ZERO, ZERO]
    return SolvedColumn(
        column.S, column.eliminated, none, none, none, none,
        ZERO, nothing, Articulated(nothing, nothing, nothing), none,
    )  # fmt: skip


def carries_fluid(d: Derivation) -> bool:
    """Whether links carry fluid along, of which no closed form knows."""
    return any(link.added is not None for link in d.instant.tree.links)


def _effort_derivatives(
    d: Derivation, a: Sequence[int], less: Sequence[int]
) -> tuple[Matrix, Matrix, Matrix]:
    """∂(M a + c − `less`)/∂q, ∂/∂v and M at fixed accelerations."""
    instant, k = d.instant, d.tape
    if carries_fluid(d):
        held = {f"held:{name}": k.symbol(f"held:{name}") for name in d.layout.v}
        tau = _difference(d, [solve_efforts(instant, list(held.values()))], [list(less)])[0]
        given = dict(k.symbols) | dict(zip(held, a, strict=True))
        n, columns = len(tau), [*_derivatives_by_q(d, tau), *_derivatives_by_v(d, tau)]
        found = replay(k, [x for column in columns for x in column], k, given)
        columns = [found[i : i + n] for i in range(0, len(found), n)]
        return columns[:n], columns[n:], _dense_columns(d, mass_matrix_entries(instant))
    inertial = _closed_form(d)
    slopes = inertial.effort_derivatives(a)
    applied = [k.add(x, y) for x, y in zip(applied_efforts(instant), less, strict=True)]
    return (
        _difference(d, _dense_columns(d, slopes.by_q), _derivatives_by_q(d, applied)),
        _difference(d, _dense_columns(d, slopes.by_v), _derivatives_by_v(d, applied)),
        _dense_columns(d, with_armature(instant, inertial.mass_matrix())),
    )


def forward_dynamics_derivatives(d: Derivation, algorithm: str, own: bool) -> list[int]:
    """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹ of the accelerations for the efforts that are arguments, or for
    the model's `own`."""
    k, instant = d.tape, d.instant
    if carries_fluid(d):
        a = solve_accelerations(instant, instant.efforts() if own else d.extra, algorithm)
        return _flatten_rows(
            _derivatives_by_q(d, a),
            _derivatives_by_v(d, a),
            factorise_mass_matrix(instant, mass_matrix_entries(instant)).inverse(),
        )
    inertial = _closed_form(d)
    applied, rest = _acting_efforts(d, own)
    M = factorise_mass_matrix(instant, with_armature(instant, inertial.mass_matrix()))
    a = M.solve([k.sub(x, c) for x, c in zip(rest, inertial.bias(), strict=True)])
    slopes = inertial.effort_derivatives(a)
    solved = [
        [
            M.solve([-x for x in column])
            for column in _difference(d, _dense_columns(d, found), known)
        ]
        for found, known in (
            (slopes.by_q, _derivatives_by_q(d, applied)),
            (slopes.by_v, _derivatives_by_v(d, applied)),
        )
    ]
    return _flatten_rows(*solved, M.inverse())


def by_parameters(d: Derivation, found: Sequence[int]) -> list[int]:
    """A row for each of some nodes: its derivatives by the parameters."""
    return [x for row in jacobian(d.tape, found, d.parameters) for x in row]


def _acting_efforts(d: Derivation, own: bool) -> tuple[list[int], list[int]]:
    """Efforts that vary with q and v, and all that act: those that are arguments, or the model's
    `own`, and what pushes bodies."""
    applied = applied_efforts(d.instant)
    tau = d.instant.efforts() if own else d.extra
    acting = [d.tape.add(x, y) for x, y in zip(applied, tau, strict=True)]
    return (acting if own else applied), acting


def _closed_form(d: Derivation) -> InverseDynamicsDerivatives:
    return InverseDynamicsDerivatives(d.instant.regrouped(), d.tape, d.v, d.instant.base())


# ---- by the tape --------------------------------------------------------------------------------


def _derivatives_by_q(d: Derivation, found: Sequence[int]) -> Matrix:
    """By increments of the positions."""
    N = jacobian(d.tape, configuration_rate(d.instant), d.v)  # q̇ is linear in v
    return _directional_derivatives(
        d, found, lambda j: {q: row[j] for q, row in zip(d.q, N, strict=True) if row[j]}
    )


def _derivatives_by_v(d: Derivation, found: Sequence[int]) -> Matrix:
    return _directional_derivatives(d, found, lambda j: {d.v[j]: 1})


def _directional_derivatives(
    d: Derivation, found: Sequence[int], direction: Callable[[int], dict[int, int]]
) -> Matrix:
    if not any(found):
        return [[0] * len(found) for _ in d.v]
    return [jvp(d.tape, found, direction(j)) for j in range(len(d.v))]


# ---- matrices -----------------------------------------------------------------------------------


def _dense_columns(d: Derivation, found: Entries) -> Matrix:
    n = range(len(d.v))
    return [[found.get((i, j), 0) for i in n] for j in n]


def _difference(d: Derivation, columns: Matrix, others: Matrix) -> Matrix:
    return [
        [d.tape.sub(x, y) for x, y in zip(column, other, strict=True)]
        for column, other in zip(columns, others, strict=True)
    ]


def _flatten_rows(*matrices: Matrix) -> list[int]:
    """One matrix after the other, by rows."""
    return [x for columns in matrices for row in zip(*columns, strict=True) for x in row]


@dataclass(frozen=True)
class _Loops:
    """What loops must know: the place of each coordinate outside, in the order of the tree; where
    the coordinates of each link begin, and where the last one's end; the links that carry links;
    and whether there are derivatives that no columns give."""

    order: np.ndarray
    begin: list[int]
    parents: list[int]
    dense: bool


def looped_derivatives(d: Derivation, name: str, plan: Plan, own: bool) -> "LoopedDerivatives":
    """∂a/∂q, ∂a/∂v and M⁻¹ for the efforts that are arguments, or the model's `own`."""
    found, order = columns_to_solve(d, plan.algorithm, own), [int(dof) for dof in plan.dof_order]
    nodes = _side_by_side([_column_numbers(found.solved[dof]) for dof in order])
    for columns in found.dense or ():
        nodes += _reordered_entries(columns, order)
    links, begin = d.instant.tree.links, [0]
    for link in links:
        begin.append(begin[-1] + len(link.columns))
    parents = [link.parent for link in links]
    loops = _Loops(plan.dof_order, begin, parents, found.dense is not None)
    return LoopedDerivatives(d.functions({name: nodes}, chains=True)[name], loops)


class LoopedDerivatives(Function):
    """[∂a/∂q, ∂a/∂v, M⁻¹] by loops over what generated code gives of each coordinate. What is
    counted and listed is that code."""

    def __init__(self, columns: Function, loops: _Loops) -> None:
        n = len(loops.order)
        super().__init__(columns.name, columns.first, columns.second, (3, n, n), columns.backend)
        self.out_size = 3 * n * n
        self._columns, self._loops = columns, loops

    @cached_property
    def compiled(self) -> Compiled:
        """The C function around the generated one, with registers as wide as they are."""
        return self.with_lanes(0)

    def with_lanes(self, lanes: int) -> Compiled:
        """The same with so many rows in a register."""
        loops, columns = self._loops, self._columns.compiled
        n, links = len(loops.order), len(loops.parents)
        record = Record(
            "tb_tree_derivatives", columns=columns.address, columns_context=columns.context_address,
            n=n, links=links, dense=loops.dense, lanes=lanes,
            ordered=bool(np.array_equal(loops.order, np.arange(n))),
        )  # fmt: skip
        record.ints("order", loops.order)
        record.ints("begin", loops.begin)
        record.ints("parents", loops.parents)
        forks = {parent for i, parent in enumerate(loops.parents) if parent != i - 1}
        record.ints("forks", [i in forks for i in range(links)])
        return Compiled(
            self.second, self.name.replace(" ", "_"), "c",
            LIB.address("tb_solved_tree_derivatives"),
            LIB.tb_tree_derivatives_work(record.address) + columns.work_size,
            record.address, owners=(record, columns), out_size=self.out_size,
        )  # fmt: skip


def _side_by_side(columns: list[list[int]]) -> list[int]:
    """tb_columns: of so many at a time each number beside the others', with zeros for those that
    the last lacks."""
    width, found = LIB.constant("TB_COLUMNS"), []
    for first in range(0, len(columns), width):
        group = columns[first : first + width]
        for numbers in zip(*group, strict=True):
            found += [*numbers, *[0] * (width - len(group))]
    return found


def _column_numbers(found: SolvedColumn) -> list[int]:
    """What tb_columns hold of one. Of inertias that are sums of what eliminations take, their
    negatives are at hand."""
    J, H, M = found.inertia.J, found.inertia.H, found.inertia.M
    return [
        *_twist_numbers(found.S), *found.eliminated.angular, *found.eliminated.linear,
        found.eliminated.inverse, *_twist_numbers(found.carrier), *_twist_numbers(found.twist),
        *_twist_numbers(found.bias), *_twist_numbers(found.by_joints), *found.momentum,
        *(x for row in found.K for x in row),
        *(-x for x in (*_upper(J), *(x for row in H for x in row), *_upper(M))),
        *_wrench_numbers(found.wrench),
    ]  # fmt: skip


def _upper(symmetric: Sequence[Sequence[int]]) -> list[int]:
    return [symmetric[i][j] for i in range(3) for j in range(i, 3)]


def _twist_numbers(twist: Twist) -> list[int]:
    return [*twist[0], *twist[1]]


def _wrench_numbers(wrench: Wrench) -> list[int]:
    """Moment first, so that a product with a twist is one of six terms."""
    return [*wrench[1], *wrench[0]]


def _reordered_entries(columns: Matrix, order: list[int]) -> list[int]:
    """Column by column."""
    return [columns[j][i] for j in order for i in order]

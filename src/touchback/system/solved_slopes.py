"""Derivatives of accelerations of systems whose products and solutions are too many to unroll: a
function of generated code and loops of the C library (`native/linear/tree_slopes.h`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.codegen import Compiled
from touchback.dynamics.sloped import Solved
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.spatial import Twist, Wrench
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.plan import Plan
from touchback.system.slopes import Matrix, columns_to_solve


@dataclass(frozen=True)
class _Loops:
    """What loops must know: the place of each coordinate outside, in the order of the tree; where
    the coordinates of each link begin, and where the last one's end; the links that carry links;
    and whether there are derivatives that no columns give."""

    order: np.ndarray
    begin: list[int]
    parents: list[int]
    dense: bool


def solved_slopes(d: Derivation, name: str, plan: Plan, own: bool) -> "SolvedSlopes":
    """∂a/∂q, ∂a/∂v and M⁻¹ for the efforts that are arguments, or the model's `own`."""
    found, order = columns_to_solve(d, plan.algorithm, own), [int(dof) for dof in plan.dof_order]
    nodes = _side_by_side([_column(found.solved[dof]) for dof in order])
    for columns in found.dense or ():
        nodes += _in_order(columns, order)
    links, begin = d.instant.tree.links, [0]
    for link in links:
        begin.append(begin[-1] + len(link.columns))
    parents = [link.parent for link in links]
    loops = _Loops(plan.dof_order, begin, parents, found.dense is not None)
    return SolvedSlopes(d.functions({name: nodes}, chains=True)[name], loops)


class SolvedSlopes(Function):
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
            "tb_tree_slopes", columns=columns.address, columns_context=columns.context_address,
            n=n, links=links, dense=loops.dense, lanes=lanes,
            ordered=bool(np.array_equal(loops.order, np.arange(n))),
        )  # fmt: skip
        record.ints("order", loops.order)
        record.ints("begin", loops.begin)
        record.ints("parents", loops.parents)
        forks = {parent for i, parent in enumerate(loops.parents) if parent != i - 1}
        record.ints("forks", [i in forks for i in range(links)])
        return Compiled(
            self.second, self.name.replace(" ", "_"), "c", LIB.address("tb_solved_tree_slopes"),
            LIB.tb_tree_slopes_work(record.address) + columns.work_size,
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


def _column(found: Solved) -> list[int]:
    """What tb_columns hold of one. Of inertias that are sums of what eliminations take, their
    negatives are at hand."""
    J, H, M = found.inertia.J, found.inertia.H, found.inertia.M
    return [
        *_twist(found.S), *found.eliminated.angular, *found.eliminated.linear,
        found.eliminated.inverse, *_twist(found.carrier), *_twist(found.twist),
        *_twist(found.bias), *_twist(found.by_joints), *found.momentum,
        *(x for row in found.stir for x in row),
        *(-x for x in (*_upper(J), *(x for row in H for x in row), *_upper(M))),
        *_wrench(found.wrench),
    ]  # fmt: skip


def _upper(symmetric: Sequence[Sequence[int]]) -> list[int]:
    return [symmetric[i][j] for i in range(3) for j in range(i, 3)]


def _twist(twist: Twist) -> list[int]:
    return [*twist[0], *twist[1]]


def _wrench(wrench: Wrench) -> list[int]:
    """Moment first, so that a product with a twist is one of six terms."""
    return [*wrench[1], *wrench[0]]


def _in_order(columns: Matrix, order: list[int]) -> list[int]:
    """Column by column."""
    return [columns[j][i] for j in order for i in order]

"""Derivatives of accelerations of systems whose products and solutions are too many to unroll: a
function of generated code and loops of the C library (`native/linear/tree_slopes.h`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.codegen import Compiled, compile_program
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.spatial import Twist, Wrench
from touchback.symbolic.count import Counts, count
from touchback.symbolic.program import Program, lower
from touchback.symbolic.stages import parameter_block
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.plan import Plan
from touchback.system.slopes import Matrix, carries_fluid, columns_to_solve, efforts_to_solve

_VECTOR = 8  # doubles in the largest vector register


@dataclass(frozen=True)
class _Loops:
    """What loops must know: how many doubles a row has, coordinates in the order of the tree, the
    last that shares its link with each, which pairs are on a path (None: all), and whether slopes
    of applied efforts are given."""

    wide: int
    order: np.ndarray
    last: np.ndarray
    related: np.ndarray | None
    applied: bool = False


def solved_slopes(d: Derivation, name: str, plan: Plan, own: bool) -> "SolvedSlopes":
    """∂a/∂q, ∂a/∂v and M⁻¹ for the efforts that are arguments, or the model's `own`."""
    rows = _Rows(plan.dof_order)
    if carries_fluid(d):
        by_q, by_v, M = efforts_to_solve(d, plan.algorithm, own)
        nodes = rows.beside(by_q, by_v) + rows.matrix(M)
        return SolvedSlopes(_function(d, name, nodes), None, _loops(d, plan, rows.wide))
    found = columns_to_solve(d, own)
    columns = sorted(found.sloped, key=lambda each: each.index)
    steady = [
        *rows.vectors([_twist(each.S) for each in columns]),
        *rows.vectors([_wrench(each.needed) for each in columns]),
        *rows.vectors([each.stirred for each in columns]),
        *rows.vectors([each.carried[0] for each in columns]),
        *rows.vectors([_twist(each.turned) for each in columns]),
        *rows.vectors([_wrench(each.by_v) for each in columns]),
        *rows.row(found.lacking),
        *rows.row(d.instant.armature()),
    ]
    if found.applied is not None:
        steady += rows.beside(*found.applied)
    accelerated = [
        *rows.vectors([_twist(each.shaken) for each in columns]),
        *rows.vectors([_wrench(each.by_q) for each in columns]),
    ]
    places = {found.a[dof]: ("u", i) for i, dof in enumerate(plan.dof_order)}
    others = [node for node in d.tape.symbols.values() if node not in places]
    cut = parameter_block(d.tape, accelerated, others, places)
    places |= {node: ("x", i) for i, node in enumerate(cut)}
    then = lower(d.tape, accelerated, places)
    loops = _loops(d, plan, rows.wide, applied=found.applied is not None)
    return SolvedSlopes(_function(d, name, steady + cut), then, loops)


class SolvedSlopes(Function):
    """[∂a/∂q, ∂a/∂v, M⁻¹] by two programs: one gives what loops make M of, and, once they know the
    accelerations, the other what they make the efforts' derivatives of. What is counted is both
    programs; what is listed, the first."""

    def __init__(self, steady: Function, accelerated: Program | None, loops: _Loops) -> None:
        n = len(loops.order)
        super().__init__(steady.name, steady.first, steady.second, (3, n, n), steady.backend)
        self.out_size = 3 * n * n
        self._steady, self._accelerated, self._loops = steady, accelerated, loops

    @cached_property
    def counts(self) -> Counts:
        own = count(self.second)
        return own if self._accelerated is None else own + count(self._accelerated)

    @cached_property
    def compiled(self) -> Compiled:
        """The C function around the generated ones, with registers as wide as they are."""
        return self.with_lanes(0)

    def with_lanes(self, lanes: int) -> Compiled:
        """The same with so many columns in a register."""
        loops, steady, work = self._loops, self._steady.compiled, 0
        n, size = len(loops.order), -(-self._steady.out_size // _VECTOR) * _VECTOR
        record = Record(
            "tb_tree_slopes", steady=steady.address, steady_context=steady.context_address, n=n,
            wide=loops.wide, size=size, applied=loops.applied, lanes=lanes,
            ordered=bool(np.array_equal(loops.order, np.arange(n))),
        )  # fmt: skip
        owners: list[object] = [record, steady]
        if self._accelerated is not None:
            name = f"{self.name} accelerated".replace(" ", "_")
            then = compile_program(self._accelerated, name, backend=self.backend)
            record.struct.accelerated = then.address
            record.struct.accelerated_context = then.context_address
            owners.append(then)
            work = then.work_size
        record.ints("order", loops.order)
        record.ints("last", loops.last)
        if loops.related is not None:
            record.point("related", loops.related)
        return Compiled(
            self.second, self.name.replace(" ", "_"), "c", LIB.address("tb_solved_tree_slopes"),
            LIB.tb_tree_slopes_work(n, loops.wide, size) + max(work, steady.work_size),
            record.address, owners=tuple(owners), out_size=self.out_size,
        )  # fmt: skip


class _Rows:
    """Rows of nodes in the order of the tree, filled up to whole vectors."""

    def __init__(self, order: np.ndarray) -> None:
        self._order = [int(dof) for dof in order]
        self.wide = -(-len(order) // _VECTOR) * _VECTOR

    def row(self, nodes: Sequence[int]) -> list[int]:
        found = [nodes[dof] for dof in self._order]
        return found + [0] * (self.wide - len(found))

    def vectors(self, each: Sequence[Sequence[int]]) -> list[int]:
        """A row for each component."""
        return [x for component in zip(*each, strict=True) for x in self.row(component)]

    def matrix(self, columns: Matrix) -> list[int]:
        rows = list(zip(*columns, strict=True))
        return [x for dof in self._order for x in self.row(rows[dof])]

    def beside(self, by_q: Matrix, by_v: Matrix) -> list[int]:
        """Rows of both in turn."""
        both = [list(zip(*columns, strict=True)) for columns in (by_q, by_v)]
        return [x for dof in self._order for rows in both for x in self.row(rows[dof])]


def _function(d: Derivation, name: str, nodes: list[int]) -> Function:
    return d.functions({name: nodes})[name]


def _twist(twist: Twist) -> list[int]:
    return [*twist[0], *twist[1]]


def _wrench(wrench: Wrench) -> list[int]:
    """Moment first, so that a product with a twist is one of six terms."""
    return [*wrench[1], *wrench[0]]


def _loops(d: Derivation, plan: Plan, wide: int, applied: bool = False) -> _Loops:
    n, last = len(plan.dof_order), list[int]()
    for link in d.instant.tree.links:
        last += [len(last) + len(link.columns) - 1] * len(link.columns)
    related = np.zeros((n, wide), dtype=np.int64)
    for i in range(n):
        j = i
        while j >= 0:
            related[i, j] = related[j, i] = -1
            j = plan.dof_parents[j]
    whole = bool(related[:, :n].all())
    return _Loops(wide, plan.dof_order, np.array(last), None if whole else related, applied)

"""Moreau and Jean's time stepping inside C (moreau_jean.h)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import FunctionData, Record
from touchback.native.contact.contact_sparsity import ContactPattern
from touchback.native.integrate.fixed_step_integrators import Status
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of

MOST_DENSE, MOST_PIVOTED = 1024, 512  # rows, and unknowns of pivoting: islands above are swept
Group = tuple[Sequence[int], int, float]  # rows, contact, coefficient


@dataclass(frozen=True)
class Steps:
    """What steps gave, a row each: the state after it, impulses of all rows, the energy that each
    row took, the work of moving surfaces through it, and u = [t, inputs…] that it used."""

    states: Floats
    impulses: Floats
    losses: Floats
    moved: Floats
    inputs: Floats


class ImpulseProblem:
    """A contact problem in C's memory, for up to `rows` rows with so many nonzeros of G (all unless
    given); what is too large for dense matrices is swept."""

    def __init__(self, rows: int, contacts: int, groups: int, nonzeros: int | None = None) -> None:
        size, dense = min(contacts + 3 * groups, MOST_PIVOTED), min(rows, MOST_DENSE)
        products = rows * rows if nonzeros is None else nonzeros
        self.problem = problem = Record(
            "tb_contact_problem", rows=rows, contacts=contacts, groups=groups
        )
        self._G, self._c = problem.floats("G", products), problem.floats("c", rows)
        self._own = problem.floats("own", rows)
        self._coefficient = problem.floats("coefficient", groups)
        problem.floats("scale", groups)
        self._ints = {
            name: problem.ints(name, np.zeros(count))
            for name, count in {
                "starts": rows + 1, "columns": products, "normals": contacts,
                "group_rows": 2 * groups, "group_contact": groups,
            }.items()
        }  # fmt: skip
        self.memory = memory = Record("tb_contact_memory", rows=dense, size=size)
        memory.floats("tableau", size * (2 * size + 2))
        for name in ("matrix", "spread"):
            memory.floats(name, dense * dense)
        for name in ("right", "found", "trial"):
            memory.floats(name, dense)
        memory.ints("basis", np.zeros(2 * size))
        for name in ("order", "columns", "held"):
            memory.ints(name, np.zeros(dense))

    def fill(self, G: ArrayLike, c: ArrayLike, normals: ArrayLike, groups: Sequence[Group]) -> None:
        """Puts a problem there."""
        ints, size = self._ints, len(self._c)
        self._G[:], self._c[:] = np.ravel(G), c
        self._own[:] = np.diag(np.reshape(G, (size, size)))
        ints["starts"][:] = np.arange(size + 1) * size
        ints["columns"][:] = np.tile(np.arange(size), size)
        ints["normals"][:] = normals
        for g, (rows, contact, coefficient) in enumerate(groups):
            ints["group_rows"][2 * g : 2 * g + 2] = [*rows, -1][:2]
            ints["group_contact"][g], self._coefficient[g] = contact, coefficient

    def pivot(self) -> tuple[Floats, int]:
        """p by Lemke's pivoting, and the pivots (−1: failed)."""
        p = np.zeros(len(self._c))
        return p, int(LIB.tb_lemke(self.problem.address, address_of(p), self.memory.address))

    def sweep(self, p: Floats, least: Floats, target: float, limit: int) -> int:
        """Sweeps from the guess p on, in place, until one changes no velocity by more than
        `target`, with the `least` impulse of each contact; how many (−1: failed)."""
        places = self.problem.address, address_of(least), address_of(p)
        return int(LIB.tb_gauss_seidel(*places, target, limit))

    def improve(self, p: Floats) -> None:
        """Newton's method from p on, in place, where no contact has a least impulse."""
        if len(p) <= self.memory.struct.rows:
            LIB.tb_contact_newton(self.problem.address, address_of(p), self.memory.address)


@dataclass(frozen=True)
class SteppedFunctions:
    """What steps need of a mechanism: its functions (moreau_jean.h), the pattern of their nonzeros,
    and its rows."""

    sizes: tuple[int, int, int]
    kinematics: FunctionData
    smooth: FunctionData
    pattern: ContactPattern
    bilateral: int
    rows: int
    normals: Sequence[int]
    groups: Sequence[tuple[Sequence[int], int]]


class MoreauJean:
    """Steps of length `step` from the state x at t0; `lifts`: out of overlaps. The `problem` gives
    the inputs and, where q̇ ≠ v, the configuration rate; `x` is always the last good state."""

    def __init__(
        self,
        functions: SteppedFunctions,
        problem: Problem,
        x: ArrayLike,
        t0: float,
        step: float,
        theta: float,
        lifts: bool = False,
    ) -> None:
        m, rows = functions.bilateral, functions.rows
        contacts, groups = len(functions.normals), len(functions.groups)
        nq, n, nz = functions.sizes
        self.problem, self._rows = problem, rows
        self.x = np.array(x, dtype=np.float64)
        self.record = record = Record(
            "tb_moreau_jean", nq=nq, n=n, nz=nz, bilateral=m, rows=rows, contacts=contacts,
            groups=groups, t0=t0, h=step, theta=theta, lifts=lifts, bad=-1,
        )  # fmt: skip
        record.point("x", self.x)
        record.call("kinematics", functions.kinematics)
        record.call("smooth", functions.smooth)
        record.ints("normals", functions.normals)
        record.ints("group_rows", [[*rows, -1, -1][:2] for rows, _ in functions.groups])
        self._make_arrays(functions)
        pattern = Record(record.struct.pattern, **functions.pattern.counts)
        for name, table in functions.pattern.tables.items():
            pattern.point(name, table)
        most = functions.pattern.most_products
        impulses = ImpulseProblem(max(rows - m, 1), contacts, groups, most)
        record.struct.problem = impulses.problem.struct
        record.struct.memory = impulses.memory.struct
        record.owned += [pattern, impulses]

    def _make_arrays(self, functions: SteppedFunctions) -> None:
        m, rows, at = functions.bilateral, functions.rows, functions.pattern
        contacts, groups, N = len(functions.normals), len(functions.groups), sum(functions.sizes)
        masses, slopes, entries = (at.counts[name] for name in ("masses", "slopes", "entries"))
        kinematic = masses + rows + entries + at.own_entries + m
        for name, size in {
            "impulses": rows, "before": rows, "at_smooth": N + slopes + 2 * contacts + groups,
            "now": kinematic, "then": kinematic, "A": at.size("slope_starts"),
            "mass": at.size("mass_starts"), "free": N, "ahead": N, "delta": N,
            "block": at.largest_part, "B": at.size("pair_B"),
            "spread": max(at.largest_spread, m * m),
            "found": at.size("pair_found"), "p": rows, "own": at.size("own_places"),
            "own_right": m, "own_start": m, "gaps": contacts, "aims": contacts,
            "least": contacts,
        }.items():  # fmt: skip
            self.record.floats(name, size)
        for name, size in {
            "together": at.most_together, "pivots_of_A": N, "reached": at.parts, "own_order": m,
            "own_columns": m, "own_rank": at.parts, "active": contacts, "ordered": contacts,
            "listed": rows, "place": rows, "heads": at.parts, "nexts": len(at.tables["pair_row"]),
            "queue": contacts, "island_rows": contacts + 1, "island_contacts": contacts + 1,
            "island_groups": contacts + 1, "marks": rows + contacts,
        }.items():  # fmt: skip
            self.record.ints(name, np.zeros(size))

    def advance(self, count: int) -> tuple[Status, Steps]:
        """Takes `count` steps, or fewer where the state stops being finite or Ctrl-C is heard."""
        before = int(self.record.struct.steps)
        rows = [np.zeros((count, size)) for size in (len(self.x), *[self._rows] * 3)]
        inputs = np.zeros((count, len(self.problem.u)))
        status = LIB.tb_moreau_jean_advance(
            self.record.address, self.problem.address, count,
            *(address_of(array) for array in rows), address_of(inputs), len(self.problem.u),
        )  # fmt: skip
        taken = int(self.record.struct.steps) - before
        return Status(status), Steps(*(array[:taken] for array in (*rows, inputs)))

    @property
    def statistics(self) -> dict[str, int]:
        """Pivots, sweeps, and steps: that swept, that settled only roughly, that didn't."""
        return self.record.numbers("pivots", "sweeps", "swept", "rough", "unsettled")

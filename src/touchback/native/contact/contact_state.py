"""Motion in one state of rigid contacts, as a rate that integrators take (contact_state.h)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.native.c_struct import FunctionData, Indices, Record
from touchback.native.integrate.problem_struct import Problem, Refresh, SampledInputs, Solved
from touchback.native.shared_library import LIB, Floats


@dataclass(frozen=True)
class ContactFunctions:
    """What a run with rigid contacts needs: `forces` and `configuration_rate` (None: q̇ = v) on one
    parameter block, sizes (nq, nv, nz), and which rows there are: `bilateral` ones, the `normals`
    of contacts, and `groups` of friction rows with their contact."""

    sizes: tuple[int, int, int]
    forces: FunctionData
    configuration_rate: FunctionData | None
    bilateral: int
    rows: int
    normals: Sequence[int]
    groups: Sequence[tuple[Sequence[int], int]]


class ContactState:
    """Which contacts are `closed`, which groups of friction are `stuck`, and the `way` (a row of
    two) of those that slip: arrays to be written between runs.

    It settles states onto the rows that hold, and gives what ends the state (`indicators`). Another
    one can share its arrays (`like`), with memory of its own."""

    def __init__(self, functions: ContactFunctions, like: "ContactState | None" = None) -> None:
        nq, n, nz = functions.sizes
        rows, contacts, groups = functions.rows, len(functions.normals), len(functions.groups)
        self.functions, self.stepper, self.sparse = functions, None, False
        self.jacobian_address = self.row_count = 0
        self._record = record = Record(
            "tb_contact_state", nq=nq, n=n, nz=nz, bilateral=functions.bilateral, rows=rows,
            contacts=contacts, groups=groups,
        )  # fmt: skip
        record.call("forces", functions.forces)
        record.call("configuration_rate", functions.configuration_rate)
        record.ints("normals", functions.normals)
        record.ints("group_rows", [[*members, -1, -1][:2] for members, _ in functions.groups])
        record.ints("group_contact", [contact for _, contact in functions.groups])
        for name in ("active", "order", "columns"):
            record.ints(name, np.zeros(rows))
        at = n * n + n + nz + rows * (2 * n + 2) + functions.bilateral + 2 * (contacts + groups)
        for name, size in (
            ("x", nq + n + nz), ("at", at), ("mass", n * n), ("effect", max(rows, n)),
            ("spread", rows * n), ("G", rows * rows), ("right", rows), ("increment", nq),
            ("step", n), ("null", rows * rows),
        ):  # fmt: skip
            record.floats(name, size)
        self.solved = Solved(record.floats("a", n), record.floats("lambda", rows))
        # Of each contact; of each group of friction, and of each: at its limit, but held by others,
        # so that it ends no contact state; of each group, a row of two.
        self.closed: Indices = like.closed if like else np.zeros(contacts, dtype=np.int32)
        self.stuck: Indices = like.stuck if like else np.zeros(groups, dtype=np.int32)
        self.pinned: Indices = like.pinned if like else np.zeros(groups, dtype=np.int32)
        self.way: Floats = like.way if like else np.zeros((groups, 2))
        record.point("closed", self.closed)
        record.point("stuck", self.stuck)
        record.point("pinned", self.pinned)
        record.point("way", self.way)
        self.address, self.work_size = LIB.address("tb_contact_rate"), 0
        self.context_address = record.address
        self.table_address, self.field = LIB.address("tb_contact_kind"), "contact_state"

    @property
    def multipliers(self) -> Floats:
        """λ of all rows at the last evaluation."""
        return self.solved.multipliers

    @property
    def indicators(self) -> "Indicators":
        """What ends a contact state when it falls through zero: of each contact, then of each
        group; then the slope of each contact's gap."""
        return Indicators(LIB.address("tb_contact_indicators"), self.context_address)

    def problem(
        self, u: Floats, p: Floats, inputs: SampledInputs | Refresh | None = None
    ) -> Problem:
        """The problem that integrators take."""
        functions = self.functions
        return Problem(self, functions.sizes, u, p, functions.configuration_rate, inputs, self)


@dataclass(frozen=True)
class Indicators:
    """A function of the one calling convention."""

    address: int
    context_address: int
    work_size: int = 0

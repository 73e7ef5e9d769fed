"""Mechanisms with constraints: M a = f + Wᵀλ, h(q, t) = 0, J v = b, J a + γ = 0.

A `Constrained` joins the functions of a mechanism with the way in which its constraints are
enforced. It is a rate of the one calling convention, so that every integrator takes it, and it
settles states after accepted steps (problem.h).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.constrained.formulations import Formulation, formulation_of
from touchback.native.constrained.memory import ConstrainedMemory
from touchback.native.integrate.problem import Problem, Refresh, SampledInputs, Solved
from touchback.native.library import LIB, Floats
from touchback.native.record import FunctionData


@dataclass(frozen=True)
class ConstrainedFunctions:
    """What a formulation needs of a mechanism with n freedoms and m constraint rows.

    All functions read x = [q, v, z], u = [t, inputs…] and one parameter block.

    terms               [h (m), b (m), γ (m), J, W, M, f (n), dz/dt]; nonzeros in the order of the
                        patterns, W only where it has a pattern, M its lower triangle;
                        f = joint efforts − bias
    positions           [h (m), J]
    velocity_level      [b (m)]; None when b = 0 at all times
    configuration_rate  [dq/dt], linear in v; None when it is v. An increment δ in velocities acts
                        as q + dq/dt(q, v = δ)
    stiffness           [∂f/∂q (n × n, by increments in velocities), ∂f/∂v (n × n), ∂f/∂z (n × nz)],
                        then the same of dz/dt (nz × n, nz × n, nz × nz); None when the implicit
                        formulations shall do without
    W_rows, W_columns   where multipliers act through something else than Jᵀ (servo-constraints,
                        friction)
    holonomic           of each row: whether it has an equation for positions (else h = 0)
    W_twins             of each nonzero of W in a row with friction: its place among J's, −1 where J
                        has none; −2 in other rows. None without friction
    driven              of each row: whether it prescribes a coordinate; None: none does
    """

    sizes: tuple[int, int, int]  # nq, n, nz
    names: Sequence[str]  # of the rows
    terms: FunctionData
    positions: FunctionData
    velocity_level: FunctionData | None
    configuration_rate: FunctionData | None
    J_rows: ArrayLike
    J_columns: ArrayLike
    M_rows: ArrayLike
    M_columns: ArrayLike
    holonomic: ArrayLike
    W_rows: ArrayLike | None = None
    W_columns: ArrayLike | None = None
    stiffness: FunctionData | None = None
    W_twins: ArrayLike | None = None
    driven: ArrayLike | None = None

    @property
    def rubbing(self) -> list[str]:
        """Names of the rows with friction."""
        if self.W_twins is None or self.W_rows is None:
            return []
        rows = np.asarray(self.W_rows)[np.asarray(self.W_twins) >= -1]
        return [self.names[i] for i in np.unique(rows)]


class Constrained:
    """A mechanism whose constraints are enforced by a formulation.

    `sparse` says whether the many-loops way is taken; by default where it costs less. It pays with
    the square of J's condition number: rows count as redundant, and positions as singular, from
    some 1e-6 on instead of 1e-8.
    """

    def __init__(
        self,
        functions: ConstrainedFunctions,
        formulation: str | Formulation | None = None,
        *,
        sparse: bool | None = None,
    ) -> None:
        self.functions, self.formulation = functions, formulation_of(formulation)
        kind = self.formulation
        elsewhere = functions.W_rows is not None
        if elsewhere and not kind.elsewhere:
            raise InputError(
                f"The formulation {kind.word!r} can't take servo-constraints and constraints "
                "with friction, whose forces act elsewhere than they constrain; use "
                "'partitioning', 'multipliers', 'baumgarte' or 'projection'."
            )
        dense_only = elsewhere or (kind.step and functions.stiffness is not None)
        if sparse and dense_only:
            raise InputError(
                "Servo-constraints, constraints with friction, and implicit formulations with "
                "stiffness need full matrices: leave sparse=True away."
            )
        self.stepper: str | None = kind.word if kind.step else None
        self._memory = ConstrainedMemory(functions, False if dense_only else sparse)
        struct = self._memory.record.struct
        struct.tolerance, struct.rank_tolerance = kind.tolerance, kind.rank_tolerance
        for name, setting in asdict(kind).items():
            setattr(struct, name, setting)
        self.address = LIB.address(f"tb_{kind.rate}")
        self.work_size = 0
        self.context_address = self._memory.record.address
        self.table_address, self.field = LIB.address(f"tb_{kind.table}"), "constrained"
        self.jacobian_address = LIB.address(f"tb_{kind.jacobian}") if kind.jacobian else 0
        self.row_count = len(functions.names)
        # Where the rate leaves accelerations and multipliers.
        self.solved = Solved(self._memory.floats("a"), self._memory.floats("lambda"))

    def problem(
        self,
        u: ArrayLike = (0.0,),
        p: ArrayLike = (),
        inputs: SampledInputs | Refresh | None = None,
    ) -> Problem:
        """The problem that integrators take; one Constrained serves one problem at a time."""
        functions = self.functions
        return Problem(self, functions.sizes, u, p, functions.configuration_rate, inputs, self)

    def share_loads(self) -> None:
        """Lets rows that contradict each other be met as well as can be, where else some are."""
        self._memory.share_loads()

    @property
    def sparse(self) -> bool:
        """Whether the many-loops way is taken."""
        return bool(self._memory.record.struct.sparse)

    @property
    def term_count(self) -> int:
        """How many numbers the mechanism's terms are."""
        return len(self._memory.floats("at_terms"))

    @property
    def kept(self) -> list[object]:
        """What lives as long as this: arrays that a rate works on among it."""
        return self._memory.record.kept

    @property
    def multipliers(self) -> Floats:
        """λ of the last evaluation, of least norm where rows are redundant there."""
        return self.solved.multipliers.copy()

    @property
    def accelerations(self) -> Floats:
        """a of the last evaluation."""
        return self.solved.accelerations.copy()

    @property
    def dependent(self) -> list[int]:
        """The freedoms that are dependent at present."""
        struct = self._memory.record.struct
        return sorted(int(j) for j in self._memory.ints("columns")[: struct.rank])

    @property
    def redundant(self) -> list[str]:
        """The rows that are redundant at present."""
        struct = self._memory.record.struct
        return [self.functions.names[i] for i in sorted(self._memory.ints("rows")[struct.rank :])]

    @property
    def shared(self) -> list[str]:
        """The rows with friction whose forces redundant rows could carry as well, where the motion
        was evaluated last: then nobody can tell how much friction there is."""
        struct, rubbing = self._memory.record.struct, self.functions.rubbing
        if not rubbing or not struct.started or struct.rank == struct.m:
            return []
        return [name for name in rubbing if name in self.undetermined]

    @property
    def undetermined(self) -> list[str]:
        """The rows that share forces which mechanics leaves open, where the motion was evaluated
        last."""
        struct = self._memory.record.struct
        if not struct.started or struct.rank == struct.m:
            return []
        J, ints = np.zeros((struct.m, struct.n)), self._memory.ints
        values = self._memory.floats("at_terms")[3 * struct.m :][: struct.J_count]
        J[ints("J_rows"), ints("J_columns")] = values
        shares = np.abs(np.linalg.svd(J)[0][:, struct.rank :]).max(axis=1)
        return [name for name, share in zip(self.functions.names, shares) if share > 1e-6]

    @property
    def statistics(self) -> dict[str, float]:
        """Counts since the start (tb_constraint_statistics of constrained.h)."""
        counts = self._memory.record.struct.statistics
        return {name: getattr(counts, name) for name, _ in counts._fields_}

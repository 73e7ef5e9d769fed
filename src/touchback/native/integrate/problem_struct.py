"""What the integrators of the C library integrate: a state x = [q, v, z] and its rate."""

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.c_struct import FunctionData, Record
from touchback.native.calls.call_context import NativeTable
from touchback.native.interruptible_chunks import slices
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

Refresh = Callable[[float, Floats, Floats], None]
Slopes = Callable[[float, Floats], Floats]
Series = tuple[ArrayLike, ArrayLike]

_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)


class DynamicsKindData(Protocol):
    """A kind of dynamics: its table (tb_dynamics_kind), its struct, and the field of a problem that
    points to that; the fixed-step method it needs, if any, and what turns derivatives of its
    equations into the Jacobian of its rate (0: nothing)."""

    @property
    def table_address(self) -> int: ...
    @property
    def field(self) -> str: ...
    @property
    def context_address(self) -> int: ...
    @property
    def stepper(self) -> str | None: ...
    @property
    def jacobian_address(self) -> int: ...
    @property
    def row_count(self) -> int: ...
    @property
    def sparse(self) -> bool: ...


class Solved(NamedTuple):
    """Where a rate leaves the accelerations and the multipliers that it solved for."""

    accelerations: Floats
    multipliers: Floats


class Solving(Protocol):
    """A formulation, whose rate solves equations."""

    @property
    def solved(self) -> Solved: ...


class NewtonData(Protocol):
    """Newton's method, which knows the Jacobian of the rate."""

    def jacobian(self, t: float, x: Floats) -> Floats: ...


class SamplerData(Protocol):
    """What refreshes memories before every so many steps."""

    @property
    def every(self) -> int: ...


class StepEnergyBalance(Protocol):
    """The energy balance as an integrator outside C sees it: a step is added by its states (rows)
    at the `nodes`, which are fractions of it."""

    @property
    def address(self) -> int: ...
    @property
    def nodes(self) -> Floats: ...
    def add_step(self, t: float, h: float, states: ArrayLike) -> None: ...


class KnotsData(Protocol):
    """Instants at which steps with error control end (step_knots.py)."""

    @property
    def address(self) -> int: ...
    def take_ends(self) -> Floats: ...
    def before_ends(self, ends: Floats) -> Floats: ...
    def read_up_to(self, t: float) -> None: ...
    def segments(self, start: float, end: float) -> list[tuple[float, float]]: ...


class CellsData(Protocol):
    """Numbers that steps follow from cell to cell (table_cells.py)."""

    @property
    def address(self) -> int: ...
    def too_far(self, problem: "Problem", x: Floats, after: Floats) -> float: ...


class SampledInputs:
    """Inputs that follow samples on a time grid, linear in between; read by C without Python."""

    def __init__(self, series: Mapping[int, Series]) -> None:
        """`series` maps the place of an input in u to its times and values."""
        tables = [NativeTable(times, values) for times, values in series.values()]
        self._record = Record("tb_samples")
        self._record.point("slots", np.array(list(series), dtype=np.int64))
        self._record.records("tables", "count", "tb_table", [table.record for table in tables])
        self.address = LIB.address("tb_sampled_input")
        self.data_address = self._record.address


class Problem:
    """A rate with its parameters and inputs, in C's memory.

    `u` is [t, inputs…]; integrators set the time. `inputs` refreshes the others: samples, or a
    Python function f(t, x, u) that writes into u. What such a function raises is kept in `raised`
    and turns the inputs into NaN, so that a chunk of steps ends with a status as usual.

    `motion` makes the states that integrators reach consistent, after each accepted step and at
    each interpolated instant.
    """

    def __init__(
        self,
        rate: FunctionData,
        sizes: tuple[int, int, int],
        u: ArrayLike = (0.0,),
        p: ArrayLike = (),
        configuration_rate: FunctionData | None = None,
        inputs: SampledInputs | Refresh | None = None,
        motion: DynamicsKindData | None = None,
    ) -> None:
        nq, nv, nz = sizes
        if configuration_rate is None and nq != nv:
            raise InputError(f"{nq} positions and {nv} velocities: a configuration rate is needed.")
        self.sizes = sizes
        self.state_size: int = nq + nv + nz
        self.u: Floats = np.array(u, dtype=np.float64)
        self.p: Floats = as_floats(p)
        self.raised: BaseException | None = None
        self._raised_at = self._silent_from = math.inf  # times from which inputs aren't asked for
        self.enforced = motion
        self.stepper: str | None = motion.stepper if motion else None
        self.implicit = False  # whether Newton's method is at hand
        self.jacobian: Slopes | None = None  # that it uses
        self.steps: Mapping[str, int] = {}  # its own steps of fixed-step methods (native_modes.py)
        self.energy_balance: StepEnergyBalance | None = None
        self.knots: KnotsData | None = None
        self.cells: CellsData | None = None
        self._sampler: SamplerData | None = None
        self.record = Record("tb_problem", nq=nq, nv=nv, nz=nz)
        self.address = self.record.address
        self.record.owned += [inputs, motion]
        self.record.call("rate", rate)
        self.record.call("configuration_rate", configuration_rate)
        self.record.struct.input, self.record.struct.samples = self._input(inputs)
        self.record.point("u", self.u)
        self.record.point("p", self.p)
        if motion:
            self.record.struct.kind = motion.table_address
            setattr(self.record.struct, motion.field, motion.context_address)
        # Pointers are made once: making one takes longer than most rates.
        self._x, self._rate = np.empty(self.state_size), np.empty(self.state_size)
        self._x_address, self._rate_address = address_of(self._x), address_of(self._rate)

    def use_newton(self, newton: NewtonData, address: int) -> None:
        """Gives implicit methods what they need (newton_iteration.py)."""
        self.implicit, self.jacobian = True, newton.jacobian
        self.record.struct.newton = address

    def use_sampler(self, sampler: SamplerData, address: int) -> None:
        """Lets fixed steps refresh memories at ticks (discrete_state_sampler.py)."""
        self._sampler = sampler
        self.record.struct.sampler = address

    def leave_memories(self, steps: int) -> None:
        """Lets a shorter step at the end, after so many `steps`, change no memories unless a tick
        begins there."""
        if self._sampler and steps % self._sampler.every:
            self.record.struct.sampler = None

    def use_energy_balance(self, balance: StepEnergyBalance) -> None:
        """Lets integrators add each accepted step to an energy balance (power_quadrature.py)."""
        self.energy_balance = balance
        self.record.struct.energy_balance = balance.address

    def end_steps_at(self, knots: KnotsData | None) -> None:
        """Lets steps with error control end at knots, and note where they end (step_knots.py)."""
        if knots is not None:
            self.knots = knots
            self.record.owned.append(knots)
            self.record.struct.knots = knots.address

    def look_in_cells(self, cells: CellsData | None) -> None:
        """Lets steps with error control follow numbers from cell to cell (table_cells.py)."""
        if cells is not None:
            self.cells = cells
            self.record.owned.append(cells)
            self.record.struct.cells = cells.address

    @property
    def warm_start_size(self) -> int:
        """How many numbers warm-start its next step beside the state."""
        return int(LIB.tb_problem_save_warm_start(self.address, None))

    def save_warm_start(self) -> Floats:
        """These numbers as they are now."""
        memory = np.empty(self.warm_start_size)
        LIB.tb_problem_save_warm_start(self.address, address_of(memory))
        return memory

    def rate(self, t: float, x: ArrayLike) -> Floats:
        """dx/dt at a time and a state."""
        self._x[:] = x
        LIB.tb_problem_rate(self.address, t, self._x_address, self._rate_address)
        return self._rate.copy()

    def solved_rows(self, solving: Solving, times: ArrayLike, states: ArrayLike) -> Floats:
        """Accelerations and multipliers that its rate, that of a formulation, solves for at each of
        the times and states (rows)."""
        t, x = self._rows(times, states)
        a, multipliers = solving.solved
        found = np.empty((len(t), a.size + multipliers.size))
        for part in slices(len(t)):
            LIB.tb_solved_rows(
                self.address, part.stop - part.start, address_of(t[part]), address_of(x[part]),
                address_of(a), a.size, address_of(multipliers), multipliers.size,
                self._rate_address, address_of(found[part]),
            )  # fmt: skip
        return found

    def _rows(self, times: ArrayLike, states: ArrayLike) -> tuple[Floats, Floats]:
        """Times, and as many states."""
        t, x = np.atleast_1d(as_floats(times)), as_floats(states)
        if np.atleast_2d(x).shape != (len(t), self.state_size):
            raise InputError(f"{len(t)} rows of {self.state_size} are needed, got shape {x.shape}.")
        return t, x

    def settle(self, times: ArrayLike, states: ArrayLike, accepted: bool = False) -> Floats:
        """The states (a row for each time, or one state) made consistent; copies.

        `accepted` says that an integrator goes on from the last of them.
        """
        t, x = self._rows(times, np.array(states, dtype=np.float64, order="C"))
        rows = np.atleast_2d(x)
        for part in slices(len(t)):
            LIB.tb_settle_rows(
                self.address, part.stop - part.start, address_of(t[part]), address_of(rows[part]),
                accepted,
            )  # fmt: skip
        return rows.reshape(x.shape)

    def project(self, t: float, x: ArrayLike) -> Floats:
        """The state moved onto the constraints that act at a time: positions by the smallest step,
        velocities by impulses, v⁺ = v + M⁻¹ Jᵀ Λ; a copy."""
        (at,), state = self._rows(t, np.array(x, dtype=np.float64))
        LIB.tb_problem_project(self.address, at, address_of(state))
        return state

    def _input(self, inputs: SampledInputs | Refresh | None) -> tuple[int | None, int | None]:
        if inputs is None:
            return None, None
        if isinstance(inputs, SampledInputs):
            return inputs.address, inputs.data_address
        state_type = ctypes.c_double * self.state_size
        refresh: Refresh = inputs

        def call(t: float, x_address: int, _u: int, _data: int) -> None:
            if t >= self._silent_from:
                self.u[1:] = np.nan
                return
            try:
                refresh(t, np.ctypeslib.as_array(state_type.from_address(x_address)), self.u)
            except BaseException as error:  # nothing may unwind through C
                self.raised = self.raised or error
                self._raised_at, self._silent_from = min(t, self._raised_at), -math.inf
                self.u[1:] = np.nan

        callback = _CALLBACK(call)
        self.record.owned.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value, None

    def ask_again(self) -> None:
        """Lets an input function that raised be called for what is recorded: before that time."""
        self._silent_from = self._raised_at

    def input_rows(self, times: ArrayLike, states: ArrayLike) -> Floats:
        """u at each of the times and states (rows), as an integrator there would see it."""
        t, x = self._rows(times, states)
        rows = np.empty((len(t), len(self.u)))
        for part in slices(len(t)):
            LIB.tb_input_rows(
                self.address, part.stop - part.start, address_of(t[part]), address_of(x[part]),
                address_of(rows[part]), len(self.u),
            )  # fmt: skip
        return rows

"""What the integrators of the C library integrate: a state x = [q, v, z] and its rate."""

import ctypes
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.calls.context import NativeTable, TableStruct
from touchback.native.chunks import slices
from touchback.native.library import LIB, Floats, address_of, aligned_zeros, as_floats

Refresh = Callable[[float, Floats, Floats], None]
Slopes = Callable[[float, Floats], Floats]
Series = tuple[ArrayLike, ArrayLike]

_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)


class FunctionData(Protocol):
    """A function of the one calling convention: where it is, and what it must be given."""

    @property
    def address(self) -> int: ...
    @property
    def work_size(self) -> int: ...
    @property
    def context_address(self) -> int: ...


class SettleData(Protocol):
    """What makes states consistent (problem.h), the fixed-step method it is tied to, if any, and
    what turns slopes of its equations into the Jacobian of its rate (0: nothing)."""

    @property
    def settle_address(self) -> int: ...
    @property
    def settle_data_address(self) -> int: ...
    @property
    def stepper(self) -> str | None: ...
    @property
    def jacobian_address(self) -> int: ...
    @property
    def row_count(self) -> int: ...
    @property
    def sparse(self) -> bool: ...


class NewtonData(Protocol):
    """Newton's method, which knows the Jacobian of the rate."""

    def jacobian(self, t: float, x: Floats) -> Floats: ...


class SamplerData(Protocol):
    """What refreshes memories before every so many steps."""

    @property
    def every(self) -> int: ...


class StepBooks(Protocol):
    """Energy books as an integrator outside C sees them: a step is added by its states (rows) at
    the `nodes`, which are fractions of it."""

    @property
    def nodes(self) -> Floats: ...
    def add_step(self, t: float, h: float, states: ArrayLike) -> None: ...


class CallableStruct(ctypes.Structure):
    """tb_callable of problem.h."""

    _fields_ = [
        ("call", ctypes.c_void_p),
        ("work", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    ]


class _ProblemStruct(ctypes.Structure):
    """tb_problem of problem.h."""

    _fields_ = [
        ("nq", ctypes.c_long),
        ("nv", ctypes.c_long),
        ("nz", ctypes.c_long),
        ("rate", CallableStruct),
        ("configuration_rate", CallableStruct),
        ("input", ctypes.c_void_p),
        ("input_data", ctypes.c_void_p),
        ("u", ctypes.c_void_p),
        ("p", ctypes.c_void_p),
        ("settle", ctypes.c_void_p),
        ("settle_data", ctypes.c_void_p),
        ("newton", ctypes.c_void_p),
        ("sampler", ctypes.c_void_p),
        ("books", ctypes.c_void_p),
    ]


class _SamplesStruct(ctypes.Structure):
    """tb_samples of samples.c."""

    _fields_ = [
        ("count", ctypes.c_long),
        ("slots", ctypes.c_void_p),
        ("tables", ctypes.c_void_p),
    ]


LIB.tb_problem_rate.restype = None
LIB.tb_problem_rate.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p]
LIB.tb_settle_rows.restype = None
LIB.tb_settle_rows.argtypes = [
    ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long
]  # fmt: skip
LIB.tb_input_rows.restype = None
LIB.tb_input_rows.argtypes = [ctypes.c_void_p, ctypes.c_long, *[ctypes.c_void_p] * 3, ctypes.c_long]


class SampledInputs:
    """Inputs that follow samples on a time grid, linear in between; read by C without Python."""

    def __init__(self, series: Mapping[int, Series]) -> None:
        """`series` maps the place of an input in u to its times and values."""
        tables = [NativeTable(times, values) for times, values in series.values()]
        self._slots = np.array(list(series), dtype=np.int64)
        self._structs = (TableStruct * len(tables))(*(table.struct for table in tables))
        self._tables = tables
        self._struct = _SamplesStruct(
            len(tables), address_of(self._slots), ctypes.addressof(self._structs)
        )
        self.address: int = ctypes.cast(LIB.tb_sampled_input, ctypes.c_void_p).value or 0
        self.data_address: int = ctypes.addressof(self._struct)


class Problem:
    """A rate with its parameters and inputs, in C's memory.

    `u` is [t, inputs…]; integrators set the time. `inputs` refreshes the others: samples, or a
    Python function f(t, x, u) that writes into u. What such a function raises is kept in `raised`
    and turns the inputs into NaN, so that a chunk of steps ends with a status as usual.

    `settle` makes the states that integrators reach consistent, after each accepted step and at
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
        settle: SettleData | None = None,
    ) -> None:
        nq, nv, nz = sizes
        if configuration_rate is None and nq != nv:
            raise InputError(f"{nq} positions and {nv} velocities: a configuration rate is needed.")
        self.sizes = sizes
        self.state_size: int = nq + nv + nz
        self.u: Floats = np.array(u, dtype=np.float64)
        self.p: Floats = as_floats(p)
        self.raised: BaseException | None = None
        self.enforced = settle
        self.stepper: str | None = settle.stepper if settle else None
        self.implicit = False  # whether Newton's method is at hand
        self.jacobian: Slopes | None = None  # that it uses
        self.steps: Mapping[str, int] = {}  # its own steps of fixed-step methods (episode.py)
        self.books: StepBooks | None = None
        self._sampler: SamplerData | None = None
        self._kept_alive: list[object] = [rate, configuration_rate, inputs, settle]
        input_address, input_data = self._input(inputs)
        self._struct = _ProblemStruct(
            nq, nv, nz, self._callable(rate), self._callable(configuration_rate),
            input_address, input_data, address_of(self.u), address_of(self.p),
            settle.settle_address if settle else None,
            settle.settle_data_address if settle else None,
        )  # fmt: skip
        self.address: int = ctypes.addressof(self._struct)
        # Pointers are made once: making one takes longer than most rates.
        self._x, self._rate = np.empty(self.state_size), np.empty(self.state_size)
        self._x_address, self._rate_address = address_of(self._x), address_of(self._rate)

    def use_newton(self, newton: NewtonData, address: int) -> None:
        """Gives implicit methods what they need (newton.py)."""
        self.implicit, self.jacobian = True, newton.jacobian
        self._struct.newton = address

    def use_sampler(self, sampler: SamplerData, address: int) -> None:
        """Lets fixed steps refresh memories at ticks (sampler.py)."""
        self._sampler = sampler
        self._struct.sampler = address

    def leave_memories(self, steps: int) -> None:
        """Lets a shorter step at the end, after so many `steps`, change no memories unless a tick
        begins there."""
        if self._sampler and steps % self._sampler.every:
            self._struct.sampler = None

    def keep_books(self, books: StepBooks, address: int) -> None:
        """Lets integrators add each accepted step to energy books (books.py)."""
        self.books = books
        self._struct.books = address

    def rate(self, t: float, x: ArrayLike) -> Floats:
        """dx/dt at a time and a state."""
        self._x[:] = x
        LIB.tb_problem_rate(self.address, t, self._x_address, self._rate_address)
        return self._rate.copy()

    def settle(self, times: ArrayLike, states: ArrayLike, accepted: bool = False) -> Floats:
        """The states (a row for each time, or one state) made consistent; copies.

        `accepted` says that an integrator goes on from the last of them.
        """
        t, x = np.atleast_1d(as_floats(times)), np.array(states, dtype=np.float64, order="C")
        rows = np.atleast_2d(x)
        if rows.shape != (len(t), self.state_size):
            raise InputError(f"{len(t)} rows of {self.state_size} are needed, got shape {x.shape}.")
        for part in slices(len(t)):
            LIB.tb_settle_rows(
                self.address, part.stop - part.start, address_of(t[part]), address_of(rows[part]),
                accepted,
            )  # fmt: skip
        return rows.reshape(x.shape)

    def _callable(self, function: FunctionData | None) -> CallableStruct:
        if function is None:
            return CallableStruct()
        work = aligned_zeros(function.work_size)
        self._kept_alive.append(work)
        return CallableStruct(function.address, address_of(work), function.context_address)

    def _input(self, inputs: SampledInputs | Refresh | None) -> tuple[int | None, int | None]:
        if inputs is None:
            return None, None
        if isinstance(inputs, SampledInputs):
            return inputs.address, inputs.data_address
        state_type = ctypes.c_double * self.state_size
        refresh: Refresh = inputs

        def call(t: float, x_address: int, _u: int, _data: int) -> None:
            try:
                refresh(t, np.ctypeslib.as_array(state_type.from_address(x_address)), self.u)
            except BaseException as error:  # nothing may unwind through C
                self.raised = self.raised or error
                self.u[1:] = np.nan

        callback = _CALLBACK(call)
        self._kept_alive.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value, None

    def input_rows(self, times: ArrayLike, states: ArrayLike) -> Floats:
        """u at each of the times and states (rows), as an integrator there would see it."""
        t, x = as_floats(times), as_floats(states)
        if x.shape != (len(t), self.state_size):
            raise InputError(f"{len(t)} rows of {self.state_size} are needed, got shape {x.shape}.")
        rows = np.empty((len(t), len(self.u)))
        for part in slices(len(t)):
            LIB.tb_input_rows(
                self.address, part.stop - part.start, address_of(t[part]), address_of(x[part]),
                address_of(rows[part]), len(self.u),
            )  # fmt: skip
        return rows

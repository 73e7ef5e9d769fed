"""The motion of a mechanism with constraints at any state, as a function of the one calling
convention (at_state.c): for calls from outside of runs; and at several states at once
(at_states.c)."""

from dataclasses import dataclass

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.constrained.constrained_problem import Constrained, ConstrainedFunctions
from touchback.native.shared_library import LIB

LANES = LIB.constant("TB_LANES")  # how many states `AtStates` takes


@dataclass(frozen=True)
class WideFunctions:
    """Functions of a mechanism for `LANES` states at once, those that it has (at_state.h)."""

    terms: FunctionData
    bias: FunctionData | None
    configuration_rate: FunctionData | None


class AtState:
    """[dq/dt, a, dz/dt, λ, refused] of x and u = [t, inputs…, further numbers]; not re-entrant.

    The further numbers, which start at `further` in u, are joint efforts in place of the model's
    own where a `bias` is given, whose parameters start at `bias_block` in p; with `pulled` they are
    added to γ."""

    def __init__(
        self,
        functions: ConstrainedFunctions,
        further: int = 0,
        bias: FunctionData | None = None,
        bias_block: int = 0,
        pulled: bool = False,
    ) -> None:
        self.constrained = Constrained(functions, "projection")
        self.constrained.share_loads()
        self._record = Record(
            "tb_at_state", constrained=self.constrained.context_address, efforts=further,
            bias_block=bias_block, pulls=further if pulled else -1,
        )  # fmt: skip
        self._record.owned += [self.constrained, functions]
        self._record.call("bias", bias)
        self.address = LIB.address("tb_at_state_call")
        self.context_address = self._record.address
        self.work_size: int = 0
        self._wide: AtStates | None = None

    def wide(self, functions: WideFunctions) -> "AtStates":
        """The same at `LANES` states at once, on the same memory."""
        if self._wide is None:
            self._wide = AtStates(self, functions)
        return self._wide

    @property
    def serial_call_count(self) -> int:
        """In how many calls for several states they were solved one after the other."""
        return 0 if self._wide is None else self._wide.serial_call_count


class AtStates:
    """As `AtState` with arrays of shape (size, `LANES`)."""

    def __init__(self, one: AtState, functions: WideFunctions) -> None:
        mechanism, n = one.constrained.functions, one.constrained.functions.sizes[1]
        m, terms = one.constrained.row_count, one.constrained.term_count
        together = mechanism.W_rows is None and not one.constrained.sparse and 0 < m <= n
        self._record = Record("tb_at_states", one=one.context_address, together=together)
        for name in ("terms", "bias", "configuration_rate"):
            self._record.call(name, getattr(functions, name))
        for name, count in (
            ("at_terms", terms), ("right", m), ("step", n), ("A", m * n), ("inverse_pivot", m),
            ("B", m * n), ("mass", n * n), ("T", n * n), ("reduced", n * n), ("y", m), ("g", n),
            ("scale", n),
        ):  # fmt: skip
            self._record.floats(name, LANES * count)
        for name, count in (("rows", m), ("row_place", m), ("columns", n), ("column_place", n)):
            self._record.ints(name, np.zeros(LANES * count))
        self.address = LIB.address("tb_at_states_call")
        self.context_address = self._record.address

    @property
    def serial_call_count(self) -> int:
        """In how many calls so far states were solved one after the other."""
        return int(self._record.struct.apart)

"""The motion of a mechanism with constraints at any state, as a function of the one calling
convention (at_state.c): for calls from outside of runs."""

from touchback.native.constrained.constrained import Constrained, ConstrainedFunctions
from touchback.native.library import LIB
from touchback.native.record import FunctionData, Record


class AtState:
    """[dq/dt, a, dz/dt, λ, refused] of x and u = [t, inputs…, efforts]; not re-entrant.

    `bias` is there where efforts replace the model's own: `efforts` tells where in u, `bias_block`
    where in p its parameters start."""

    def __init__(
        self,
        functions: ConstrainedFunctions,
        bias: FunctionData | None = None,
        efforts: int = 0,
        bias_block: int = 0,
    ) -> None:
        constrained = Constrained(functions, "projection")
        self._record = Record(
            "tb_at_state", constrained=constrained.context_address, efforts=efforts,
            bias_block=bias_block,
        )  # fmt: skip
        self._record.kept += [constrained, functions]
        self._record.call("bias", bias)
        self.address = LIB.address("tb_at_state_call")
        self.context_address = self._record.address
        self.work_size: int = 0

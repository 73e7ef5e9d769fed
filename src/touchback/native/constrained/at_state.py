"""The motion of a mechanism with constraints at any state, as a function of the one calling
convention (at_state.c): for calls from outside of runs."""

from touchback.native.constrained.constrained import Constrained, ConstrainedFunctions
from touchback.native.library import LIB
from touchback.native.record import FunctionData, Record


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
        constrained = Constrained(functions, "projection")
        constrained.share_loads()
        self._record = Record(
            "tb_at_state", constrained=constrained.context_address, efforts=further,
            bias_block=bias_block, pulls=further if pulled else -1,
        )  # fmt: skip
        self._record.kept += [constrained, functions]
        self._record.call("bias", bias)
        self.address = LIB.address("tb_at_state_call")
        self.context_address = self._record.address
        self.work_size: int = 0

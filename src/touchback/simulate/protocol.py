"""What a run needs of a compiled system."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from touchback.native import FunctionData

Floats = NDArray[np.float64]


class StateData(Protocol):
    """A state with all its elements x = [q, v, z]."""

    @property
    def x(self) -> Floats: ...


class CompiledSystem(Protocol):
    """Names, sizes and functions; every function is called as native/calls/abi.h says.

    `rate` gives dx/dt from x = [q, v, z] and u = [t, inputs…]; `configuration_rate` gives dq/dt
    (None when it is v); `outputs` gives what sensors and the like show at an instant.
    """

    @property
    def name(self) -> str: ...
    @property
    def sizes(self) -> tuple[int, int, int]: ...
    @property
    def state_names(self) -> Sequence[str]: ...
    @property
    def state_units(self) -> Sequence[str]: ...
    @property
    def input_names(self) -> Sequence[str]: ...
    @property
    def input_units(self) -> Sequence[str]: ...
    @property
    def input_defaults(self) -> Floats: ...
    @property
    def output_names(self) -> Sequence[str]: ...
    @property
    def output_units(self) -> Sequence[str]: ...
    @property
    def rate(self) -> FunctionData: ...
    @property
    def configuration_rate(self) -> FunctionData | None: ...
    @property
    def outputs(self) -> FunctionData | None: ...

    def parameter_block(self, overrides: Mapping[str, Any] | None = None) -> Floats: ...
    def initial_state(self) -> StateData: ...

"""Several compiled functions on one parameter block."""

from collections.abc import Iterator, Mapping

import numpy as np

from touchback.native import Interpreter
from touchback.symbolic.program import Program
from touchback.system.function import Function


class FunctionSet(Mapping[str, Function]):
    """Functions by name, derived together, at least one: one stage turns parameters into the block
    that all of them read."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = dict(functions)
        self._one = next(iter(self._functions.values()))

    def __getitem__(self, name: str) -> Function:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def only(self, names: Mapping[str, str]) -> "FunctionSet":
        """Some of them under other names: of each its new name."""
        return FunctionSet({new: self._functions[name] for name, new in names.items()})

    @property
    def block_size(self) -> int:
        """How many numbers the block has."""
        return self._one.block_size

    @property
    def first(self) -> Program:
        """The program that computes the block from the parameters."""
        return self._one.first

    @property
    def parameter_stage(self) -> Interpreter | None:
        """What computes the block from the parameters; None when nothing depends on them."""
        return self._one.parameter_stage

    def block_for(self, parameters: np.ndarray) -> np.ndarray:
        """The block of given parameters."""
        return self._one.block_for(parameters)

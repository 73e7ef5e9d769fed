"""Accelerations and multipliers of a constrained system as a function that can be called."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from touchback.errors import SolveError
from touchback.native import LANES, AtState, ConstrainedFunctions, WideFunctions, rows
from touchback.system.compiled_function import Floats, Function, chunks, lanes_for, threads_for


class SolvedMotion:
    """[dq/dt, a, dz/dt, λ, refused] of a state: by the C code that runs use, but each call for
    itself, and redundant rows share their load. `refused` is not 0 where friction leaves no
    answer."""

    def __init__(
        self,
        functions: ConstrainedFunctions,
        terms: Function,
        configuration_rate: Function | None,
        bias: Function | None,
        inputs: int,
        pulled: bool = False,
    ) -> None:
        """`terms` and `configuration_rate` are those of `functions`. With the function `bias`,
        efforts in u behind the inputs replace the model's own; with `pulled`, numbers there are
        added to the γ of each row."""
        self.name = "motion"
        self.out_size = sum(functions.sizes) + len(functions.names) + 1
        self.shape = (self.out_size,)
        self._functions, self._terms, self._bias, self._inputs = functions, terms, bias, inputs
        self._rate, self._pulled = configuration_rate, pulled
        self.block_size = terms.block_size + (0 if bias is None else bias.block_size)
        self._operations = len(terms.second.op) + sum(functions.sizes[:2]) ** 2
        self._free: list[AtState] = []  # for calls without Python's lock, one for each thread

    @property
    def refusal(self) -> int:
        """Which output tells that there is no answer."""
        return self.out_size - 1

    @cached_property
    def compiled(self) -> AtState:
        """For calls that hold Python's lock."""
        return self._made()

    def _made(self) -> AtState:
        bias = None if self._bias is None else self._bias.compiled
        return AtState(
            self._functions, 1 + self._inputs, bias, self._terms.block_size, self._pulled
        )

    @cached_property
    def _wide(self) -> WideFunctions:
        bias, rate = (
            None if function is None else function.for_lanes(LANES)
            for function in (self._bias, self._rate)
        )
        return WideFunctions(self._terms.for_lanes(LANES), bias, rate)

    def block_for(self, parameters: Floats) -> Floats:
        """The parameter block; of rows of parameters, a row for each."""
        blocks = [
            function.block_for(parameters)
            for function in (self._terms, self._bias)
            if function is not None
        ]
        lead = np.broadcast_shapes(*(block.shape[:-1] for block in blocks))
        whole = [np.broadcast_to(block, (*lead, block.shape[-1])) for block in blocks]
        return np.ascontiguousarray(np.concatenate(whole, axis=-1))

    def rows(
        self,
        sizes: tuple[int, int],
        parts: list[tuple[Floats, int]],
        blocks: Floats,
        result: Floats,
        first: int = 0,
    ) -> None:
        """As `Function.rows`."""
        each = self._taken(threads_for(len(result), self._operations))
        several = lanes_for(len(result), self._terms.compiled) > 1
        wide = [one.wide(self._wide) if several else one for one in each]
        contexts = tuple(
            (one.context_address, more.context_address)
            for one, more in zip(each, wide, strict=True)
        )
        try:
            for some, block, out in chunks(parts, blocks, result, self._operations):
                rows(
                    (each[0].address, wide[0].address, LANES if several else 1), contexts,
                    (*sizes, self.block_size, self.out_size, 0), some, block,
                    out.reshape(-1), first, len(out), len(each),
                )  # fmt: skip
        finally:
            self._free += each

    @property
    def serial_call_count(self) -> int:
        """In how many groups of states so far one was out of the ordinary (at_states.h), so that
        they were solved one after the other."""
        return sum(one.serial_call_count for one in self._free)

    def _taken(self, count: int) -> list[AtState]:
        """So many that nobody else uses. Without a lock, which a process that was forked meanwhile
        would find held for ever: to take one from a list is a single act."""
        each: list[AtState] = []
        while len(each) < count:
            try:
                each.append(self._free.pop())
            except IndexError:
                each.append(self._made())
        return each


def without_answer(names: Sequence[str], refused: np.ndarray) -> SolveError:
    """That friction leaves no answer, of a state or of some of an array of them."""
    places = np.argwhere(refused != 0.0)
    first = tuple(int(each) for each in places[0])
    where = ""
    if refused.ndim:
        index = ", ".join(map(str, first))
        where = f" (state [{index}], the first of {len(places)} such among {refused.size})"
    return SolveError(
        f"Constraint '{names[int(refused[first]) - 1]}': its friction is so strong here{where} "
        "that no force keeps it, neither a push nor a pull (Painlevé's paradox); take less "
        "friction, or describe it as a rigid contact."
    )

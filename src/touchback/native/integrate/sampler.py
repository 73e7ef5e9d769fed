"""Memories of a model in C: what they become at each tick (sampler.h)."""

import ctypes
from collections.abc import Sequence

import numpy as np

from touchback.native.constrained.constrained import Constrained
from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import address_of, aligned_zeros


class _SamplerStruct(ctypes.Structure):
    """tb_sampler of sampler.h."""

    _fields_ = [
        ("update", CallableStruct),
        ("count", ctypes.c_long),
        ("places", ctypes.c_void_p),
        *[
            (name, ctypes.c_long)
            for name in ("every", "inputs", "accelerations_count", "multipliers_count")
        ],
        *[(name, ctypes.c_void_p) for name in ("accelerations", "multipliers", "u", "out", "rate")],
    ]


class Sampler:
    """Lets memories at the `places` of a problem's state take the values of `update` before every
    `every`-th step of a fixed-step run."""

    def __init__(
        self,
        problem: Problem,
        update: FunctionData,
        places: Sequence[int],
        every: int,
        constrained: Constrained | None = None,
    ) -> None:
        inputs, count = len(problem.u), len(places)
        n, m = (problem.sizes[1], len(constrained.multipliers)) if constrained else (0, 0)
        self._places = np.array(places, dtype=np.int64)
        self._work = aligned_zeros(update.work_size)
        self._u = aligned_zeros(inputs + n + m)
        self._out, self._rate = aligned_zeros(count), aligned_zeros(problem.state_size)
        self._kept_alive = (update, constrained)
        self._struct = _SamplerStruct(
            CallableStruct(update.address, address_of(self._work), update.context_address),
            count, address_of(self._places), every, inputs, n, m,
            u=address_of(self._u), out=address_of(self._out), rate=address_of(self._rate),
        )  # fmt: skip
        if constrained:
            memory = constrained._memory
            self._struct.accelerations = address_of(memory.array("a"))
            self._struct.multipliers = address_of(memory.array("lambda"))
        problem.use_sampler(self, ctypes.addressof(self._struct))

    @property
    def every(self) -> int:
        """Steps from tick to tick."""
        return int(self._struct.every)

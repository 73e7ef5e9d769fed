"""The graphics card of this machine, through CuPy (extra `gpu`), and kernels compiled for it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.batch.gpu.kernels import USUAL_MEMORY, Kernel

# Products and sums are fused where the program says so and nowhere else, so that the card computes
# what processors do; single precision takes what is quickest.
_OPTIONS = {
    "double": ("--std=c++14", "--device-as-default-execution-space", "--fmad=false"),
    "float": ("--std=c++14", "--fmad=true", "--prec-div=false", "--prec-sqrt=false", "--ftz=true"),
}
_SMALL = 4096  # bytes of an array that is kept on the card


@dataclass(frozen=True)
class GpuDevice:
    """A card that can compute; `cupy` is CuPy's module, `memory` the bytes that a block of threads
    may share."""

    name: str
    cupy: Any
    memory: int = USUAL_MEMORY

    def launch(self, kernel: Kernel, count: int, arguments: tuple[Any, ...]) -> None:
        """For `count` instances; it is under way when this returns."""
        grid, block, shared = (kernel.blocks(count),), (kernel.block,), kernel.shared_bytes
        _compiled(self, kernel)(grid, block, arguments, shared_mem=shared)

    def given(self, array: np.ndarray) -> Any:
        """Numbers that kernels read. Few ones go there once: a copy before each call of a function
        would part the calls."""
        if array.nbytes > _SMALL:
            return self.cupy.asarray(np.ascontiguousarray(array))
        return _kept(self, array.tobytes(), array.shape, array.dtype)


@functools.cache
def find_device() -> GpuDevice | str:
    """The first card, or why there is none."""
    try:
        import cupy
    except ImportError:
        return "CuPy isn't installed, which the extra `gpu` brings"
    try:
        found = cupy.cuda.runtime.getDeviceProperties(0)
        cupy.zeros(1)
    except Exception as error:  # of the driver, which has no list of them
        return f"no graphics card answers ({error})"
    return GpuDevice(found["name"].decode(), cupy, found["sharedMemPerBlockOptin"])


@functools.lru_cache(256)
def _kept(card: GpuDevice, numbers: bytes, shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    return card.cupy.asarray(np.frombuffer(numbers, kind).reshape(shape))


@functools.lru_cache(64)
def _compiled(card: GpuDevice, kernel: Kernel) -> Any:
    options = _OPTIONS[kernel.real]
    module = card.cupy.RawModule(code=kernel.text, options=options, backend="nvrtc")
    found = module.get_function(kernel.name)
    if kernel.shared_bytes:
        found.max_dynamic_shared_size_bytes = kernel.shared_bytes
    return found

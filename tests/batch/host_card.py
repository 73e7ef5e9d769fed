"""A stand-in for a graphics card: kernels compiled as C++ and run thread after thread, and just as
much of CuPy as batches use. What a real card computes is checked where one is (`test_gpu.py`)."""

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from touchback.batch.gpu.gpu_executor import GpuDevice
from touchback.batch.gpu.kernels import Kernel

_AS_CPP = """\
#include <cmath>
#include <cstring>
using std::fma; using std::sqrt; using std::fabs; using std::floor; using std::isnan;
struct place { unsigned x; };
static place blockIdx, threadIdx, blockDim, gridDim;
static int __float_as_int(float x) { int i; std::memcpy(&i, &x, 4); return i; }
static float __int_as_float(int i) { float x; std::memcpy(&x, &i, 4); return x; }
static int __double2loint(double x) { int i[2]; std::memcpy(i, &x, 8); return i[0]; }
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__
#define __shared__
#define __constant__
#define __syncthreads()
#define MINE(k, n) for (int k = 0; k < (n); k++)
#define __align__(n)
"""

_ALL_THREADS = """
extern "C" void everyone(unsigned blocks, {declared})
{{
    blockDim.x = {block};
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
            {name}({passed});
}}
"""


class _Stream:
    def synchronize(self) -> None: ...


class _Cuda:
    def get_current_stream(self) -> _Stream:
        return _Stream()


class HostCupy:
    """NumPy in CuPy's place."""

    cuda = _Cuda()

    def asnumpy(self, array: np.ndarray) -> np.ndarray:
        return array

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class HostCard(GpuDevice):
    """Launches kernels on the processor."""

    def __init__(self) -> None:
        super().__init__("the processor, as a card", HostCupy())
        object.__setattr__(self, "_made", {})

    def launch(self, kernel: Kernel, count: int, arguments: tuple[Any, ...]) -> None:
        call = self._made.get(kernel) or self._made.setdefault(kernel, _compiled(kernel, arguments))
        call(kernel.blocks(count), *(_passed(each) for each in arguments))


def _passed(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return ctypes.c_void_p(argument.ctypes.data)
    return _C[type(argument)][0](argument)


_C: dict[type, tuple[Any, str]] = {
    np.int64: (ctypes.c_longlong, "long long"),
    np.float64: (ctypes.c_double, "double"),
}


def _compiled(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    kinds = [
        _C[type(each)][1]
        if not isinstance(each, np.ndarray)
        else "long long *"
        if each.dtype == np.int64
        else "real *"
        for each in arguments
    ]
    everyone = _ALL_THREADS.format(
        declared=", ".join(f"{kind} a{k}" for k, kind in enumerate(kinds)), name=kernel.name,
        passed=", ".join(f"a{k}" for k in range(len(kinds))), block=kernel.block,
    )  # fmt: skip
    store = f"alignas(16) static double room[{kernel.shared_bytes // 8 + 1}];\n"
    shared = "extern __shared__ __align__(16) real store[];"
    text = kernel.text.replace(shared, "real *store = (real *)room;")
    folder = Path(tempfile.mkdtemp())
    (folder / "k.cpp").write_text(_AS_CPP + store + text + everyone)
    fused = [] if kernel.real == "double" else ["-ffp-contract=fast"]
    # unoptimised, and with the short headers of C++11: compilers take longer than what they make
    command = ["g++", "-std=c++11", "-O0", "-w", "-shared", "-fPIC", "-march=native"]
    rounding = ["-ffp-contract=off", *fused]
    subprocess.run([*command, *rounding, "-o", folder / "k.so", folder / "k.cpp"], check=True)
    return ctypes.CDLL(str(folder / "k.so")).everyone

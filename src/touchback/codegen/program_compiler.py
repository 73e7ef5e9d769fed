"""A program made callable on this machine.

Names for the profiler: with TOUCHBACK_PERF=1, `perf report` shows our functions by name.
"""

import ctypes
import functools
import os
import stat
import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback import native
from touchback.codegen.code_cache import emit_cached
from touchback.codegen.disassemble import disassemble
from touchback.codegen.emit_machine_code import TARGETS, MachineCode
from touchback.codegen.host_cpu import host_target
from touchback.codegen.printers import build_c, print_c
from touchback.errors import CompileError, InputError
from touchback.symbolic import ARRAYS, Program

Backend = Literal["machine", "c", "interpreter"]


_SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)


class Compiled:
    """A function of the one calling convention, with everything that its address needs kept alive.

    With several lanes, arrays have shape (size, lanes).
    """

    def __init__(
        self,
        program: Program,
        name: str,
        backend: Backend,
        address: int,
        work_size: int,
        context_address: int,
        lanes: int = 1,
        machine_code: MachineCode | None = None,
        owners: tuple[object, ...] = (),
        out_size: int | None = None,
    ) -> None:
        self.name = name
        self.program = program
        self.backend = backend
        self.address = address
        self.work_size = work_size
        self.context_address = context_address
        self.lanes = lanes
        self.machine_code = machine_code
        self.sizes = tuple(program.size(array) for array in ARRAYS)
        self.out_size = len(program.outputs) if out_size is None else out_size
        self._owners = owners
        self._function = _SIGNATURE(address)

    def __repr__(self) -> str:
        lanes = f", {self.lanes} lanes" if self.lanes > 1 else ""
        return f"<{self.name}: {self.sizes} → {self.out_size} by {self.backend}{lanes}>"

    def call(self, x: ArrayLike = (), u: ArrayLike = (), p: ArrayLike = ()) -> NDArray[np.float64]:
        """The outputs for one set of inputs (one per lane)."""
        out = np.empty(self.out_size if self.lanes == 1 else (self.out_size, self.lanes))
        self.bind(_doubles(x), _doubles(u), _doubles(p), out)()
        return out

    def bind(
        self,
        x: NDArray[np.float64],
        u: NDArray[np.float64],
        p: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> Callable[[], None]:
        """A call on these very arrays with all pointers ready; it has its own work memory."""
        for name, array, size in zip(
            (*ARRAYS, "out"), (x, u, p, out), (*self.sizes, self.out_size)
        ):
            self._check(name, array, size)
        work = native.aligned_zeros(max(self.work_size, 1))
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, u, p, out, work)]
        call = functools.partial(self._function, *pointers, ctypes.c_void_p(self.context_address))
        call.kept_alive = (self, x, u, p, out, work)  # type: ignore[attr-defined]
        return call

    def _check(self, name: str, array: NDArray[np.float64], size: int) -> None:
        wanted = f"{size} doubles" if self.lanes == 1 else f"{size} rows of {self.lanes} doubles"
        if not isinstance(array, np.ndarray) or array.dtype != np.float64:
            raise InputError(f"{self.name}: {name} must be an array of {wanted}.")
        if not array.flags.c_contiguous:
            raise InputError(f"{self.name}: {name} must be contiguous; pass a copy.")
        if array.size < size * self.lanes:
            raise InputError(f"{self.name}: {name} needs {wanted}, got {array.size} numbers.")

    def disassemble(self) -> str:
        """The machine code as a listing."""
        if self.machine_code is None:
            raise CompileError(
                f"{self.name} runs by {self.backend!r}: there is no machine code of ours."
            )
        return disassemble(self.machine_code)


def _doubles(array: ArrayLike) -> NDArray[np.float64]:
    return np.ascontiguousarray(array, np.float64)


def native_widths() -> tuple[int, ...]:
    """For how many lanes code can be made for this machine; only 1 where no emitter of ours
    runs."""
    target, _ = host_target()
    return TARGETS[target].widths if target is not None else (1,)


def native_lanes() -> int:
    """How many doubles a vector register of this machine holds; 1 where no emitter of ours runs."""
    return native_widths()[-1]


def compile_program(
    program: Program, name: str = "f", lanes: int = 1, backend: Backend = "machine"
) -> Compiled:
    """The program as a function on this machine.

    The machine back end needs x86-64 with AVX2 and FMA (it uses AVX-512 where that is there), or
    AArch64, on Linux. Elsewhere C through
    the system's compiler takes its place, and the interpreter where there is no compiler, each with
    a warning.
    """
    if backend == "machine":
        target, reason = host_target()
        if target is not None:
            return _by_machine_code(program, name, target, lanes)
        if lanes > 1:
            raise CompileError(
                f"{name}: {lanes} lanes need machine code, but {reason}; use one lane."
            )
        return _by_fallback(program, name, reason)
    if lanes > 1:
        raise CompileError(f"{name}: the {backend} back end computes one lane, not {lanes}.")
    if backend == "c":
        return _by_c(program, name)
    if backend == "interpreter":
        return _by_interpreter(program, name)
    raise CompileError(f"{name}: no back end {backend!r}; there are machine, c and interpreter.")


def _by_machine_code(program: Program, name: str, target: str, lanes: int) -> Compiled:
    code = emit_cached(program, name, target, lanes)
    published = native.publish(code.code)
    name_for_perf(published.address + code.entry, len(code.code) - code.entry, name)
    context = native.Context(program.lookups)
    return Compiled(
        program, name, "machine", published.address + code.entry, code.work_size, context.address,
        lanes, code, (published, context),
    )  # fmt: skip


def _by_c(program: Program, name: str) -> Compiled:
    return Compiled(program, name, "c", build_c(print_c(program, name), name), 0, 0)


def _by_interpreter(program: Program, name: str) -> Compiled:
    plain = native.Interpreter(program)
    return Compiled(
        program, name, "interpreter", plain.address, plain.work_size, plain.context_address,
        owners=(plain,),
    )  # fmt: skip


def _by_fallback(program: Program, name: str, reason: str) -> Compiled:
    try:
        compiled = _by_c(program, name)
    except CompileError as error:
        warnings.warn(
            f"{name} will be interpreted, some 10 times slower: {reason}; no C either. {error}",
            RuntimeWarning,
            stacklevel=3,
        )
        return _by_interpreter(program, name)
    warnings.warn(
        f"{name} was compiled by the system's C compiler: {reason}.", RuntimeWarning, stacklevel=3
    )
    return compiled


FOLDER = "/tmp"  # where perf looks, whatever TMPDIR says


def name_for_perf(address: int, size: int, name: str) -> None:
    """Adds a line to /tmp/perf-PID.map, the file in which Linux perf looks for generated code.
    A link, or a file of somebody else, is passed over: everybody can put one there."""
    if os.environ.get("TOUCHBACK_PERF") != "1":
        return
    how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file = os.open(f"{FOLDER}/perf-{os.getpid()}.map", how, 0o600)
    except OSError:
        return
    with open(file, "a", encoding="ascii") as stream:
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_nlink == 1:
            stream.write(f"{address:x} {size:x} touchback:{name}\n")

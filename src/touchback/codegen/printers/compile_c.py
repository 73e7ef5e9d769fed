"""C through the system's compiler: a second opinion on our emitters, the fallback without one."""

import ctypes
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from touchback.errors import CompileError

COMPILERS = ("cc", "gcc", "clang")

# The library's own functions, never a compiler's value or shortcut for them (pow(2, x) as exp2(x)).
_LIBRARY = ("sin", "cos", "asin", "acos", "exp", "log", "sinh", "cosh", "tanh", "atan2", "pow")
FLAGS = ("-O2", "-std=c99", "-ffp-contract=off", *(f"-fno-builtin-{name}" for name in _LIBRARY))


def build_c(source: str, name: str) -> int:
    """Address of the function `name` of a C file, compiled; good until the process ends."""
    compiler = find_compiler()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        text, library = Path(folder, "program.c"), Path(folder, "program.so")
        text.write_text(source, encoding="utf-8")
        output = ("-fPIC", "-shared", "-o", str(library), str(text), "-lm")
        command = [compiler, *FLAGS, *_machine_flags(), *output]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            said = result.stderr.strip() or f"exit status {result.returncode}"
            raise CompileError(f"C of {name!r}: {compiler} refused it. It said: {said[:2000]}")
        loaded = ctypes.CDLL(str(library))
    try:
        function = getattr(loaded, name)
    except AttributeError:
        raise CompileError(f"C of {name!r}: the source defines no function of that name.") from None
    address = ctypes.cast(function, ctypes.c_void_p).value
    if address is None:
        raise CompileError(f"C of {name!r}: the loader gave no address for it.")
    return address


def find_compiler() -> str:
    """The path of a C compiler of this machine."""
    for candidate in COMPILERS:
        found = shutil.which(candidate)
        if found is not None:
            return found
    raise CompileError(
        f"C compiler: none of {', '.join(COMPILERS)} is on the PATH; "
        "install one (Debian: apt install gcc)."
    )


def _machine_flags() -> tuple[str, ...]:
    """x86-64 needs leave to use the machine's own fma instruction; others always have it."""
    return ("-march=native",) if platform.machine() in ("x86_64", "AMD64") else ()

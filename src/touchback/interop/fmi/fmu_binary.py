"""The binary of an FMU, by the system's compiler."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from touchback.codegen import FLAGS, find_compiler
from touchback.errors import CompileError
from touchback.interop.generated_folder import write_folder

# So that every rounding is the one that is written.
OPTIONS = tuple("-std=c11" if flag == "-std=c99" else flag for flag in FLAGS)
# Fused operations by instruction, which processors of the last ten years have; an instance is
# refused on others. AArch64 always has it.
_MACHINE = {"x86_64": ("-mavx2", "-mfma")}
_BY_WIDTH = "linux64"  # FMI 2.0's name, meant for x86-64


def platform_folders(version: int) -> tuple[str, ...]:
    """Where importers look for the binary of this machine. For processors other than x86-64 FMI
    2.0.5 takes the names of 3.0, while FMPy and OpenModelica know them by the older one alone."""
    machine = platform.machine()
    if version == 3:
        return (f"{machine}-linux",)
    return (_BY_WIDTH,) if machine == "x86_64" else (f"{machine}-linux", _BY_WIDTH)


def prefer_this_machine(folder: Path) -> None:
    """In an unpacked FMU of FMI 2.0: puts the binary that bears this machine's name where FMPy
    looks, before one that may be another processor's."""
    binaries = folder / "binaries"
    own = binaries / f"{platform.machine()}-linux"
    if own.is_dir():
        shutil.rmtree(binaries / _BY_WIDTH, ignore_errors=True)
        own.rename(binaries / _BY_WIDTH)


def build_library(sources: Mapping[str, str], name: str) -> bytes:
    """The shared library of all C sources."""
    return _built(tuple(sources.items()), name)


@functools.lru_cache(2)  # a model is often written for both versions
def _built(sources: tuple[tuple[str, str], ...], name: str) -> bytes:
    compiler = find_compiler()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        write_folder(Path(folder), dict(sources))
        library = Path(folder, f"{name}.so")
        files = sorted(path for path, _ in sources if path.endswith(".c"))
        machine = _MACHINE.get(platform.machine(), ())
        command = [
            compiler, *OPTIONS, *machine, "-fPIC", "-shared", "-fvisibility=hidden", "-I.", *files,
            "-o", str(library), "-lm",
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if result.returncode != 0:
            said = result.stderr.strip() or f"exit status {result.returncode}"
            raise CompileError(f"FMU {name!r}: {compiler} refused it. It said: {said[:2000]}")
        return library.read_bytes()

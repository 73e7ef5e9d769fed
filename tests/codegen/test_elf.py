"""Shared objects: loaded by the system, read by binutils, and proof against damage."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from random_graphs import assert_same_bits, interpreted, random_graph, random_inputs
from touchback import native
from touchback.codegen import emit, read_elf, write_elf
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.host_cpu import host_target
from touchback.errors import CompileError

TARGET = host_target()[0]


@pytest.mark.skipif(TARGET is None, reason="no emitter for this machine")
def test_the_dynamic_loader_finds_the_function_and_it_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    program = random_graph(rng, 300)
    arrays = random_inputs(rng, program)
    code = emit(program, TARGET or "")
    file = tmp_path / "function.so"
    file.write_bytes(write_elf(code, "pendulum_rates"))
    function = ctypes.CDLL(str(file)).pendulum_rates
    function.argtypes, function.restype = [ctypes.c_void_p] * 6, None
    out = np.empty((len(program.outputs), 1))
    work = native.aligned_zeros(code.work_size)
    context = native.Context(program.lookups)
    function(*(array.ctypes.data for array in (*arrays, out, work)), context.address)
    assert_same_bits(out, interpreted(program, arrays), program, "loaded")


@pytest.mark.parametrize("target", TARGETS)
def test_binutils_read_it_without_complaint(target: str, tmp_path: Path) -> None:
    processor = target.removesuffix("_v4")  # one objdump knows all x86-64
    readelf, objdump = shutil.which("readelf"), shutil.which(f"{processor}-linux-gnu-objdump")
    if readelf is None or objdump is None:
        pytest.skip("no binutils for this target here")
    code = emit(random_graph(np.random.default_rng(1), 100), target)
    file = tmp_path / "function.so"
    file.write_bytes(write_elf(code, "rates"))
    read = subprocess.run([readelf, "-aW", file], capture_output=True, text=True, check=True)
    assert read.stderr == ""
    loads = re.findall(r"^ +LOAD .* 0x\w+ ([RWE ]{3}) 0x", read.stdout, re.MULTILINE)
    assert loads == ["R  ", "R E", "RW "]  # never writable and executable
    assert re.search(r"GNU_STACK.* RW  0x10", read.stdout)
    assert "no relocations" in read.stdout
    shown = subprocess.run([objdump, "-d", file], capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    assert len(re.findall(r"^ +[0-9a-f]+:\t", shown.stdout, re.MULTILINE)) >= code.instructions
    assert "<rates>:" in shown.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_written_is_read_back(target: str) -> None:
    for lanes in TARGETS[target].widths:
        code = emit(random_graph(np.random.default_rng(2), 100), target, lanes)
        assert read_elf(write_elf(code, "f"), "f") == code


def test_any_changed_or_missing_byte_is_noticed() -> None:
    data = write_elf(emit(random_graph(np.random.default_rng(3), 20), "aarch64"), "f")
    rng = np.random.default_rng(4)
    for position in (*range(700), *rng.integers(0, len(data), 300).tolist()):
        changed = bytearray(data)
        changed[position] ^= 1 << int(rng.integers(8))
        with pytest.raises(CompileError, match="f: "):
            read_elf(bytes(changed), "f")
    for length in (0, 1, 64, 500, len(data) // 2, len(data) - 1):
        with pytest.raises(CompileError, match="f: "):
            read_elf(data[:length], "f")
    with pytest.raises(CompileError, match="g: "):
        read_elf(data, "g")


def test_a_file_is_read_with_its_key_alone() -> None:
    code = emit(random_graph(np.random.default_rng(3), 20), "aarch64")
    data = write_elf(code, "f", "its key")
    assert read_elf(data, "f", "its key") == code
    for other in ("", "another", "its key "):
        with pytest.raises(CompileError, match=r"f: .*another function's"):
            read_elf(data, "f", other)


def test_a_name_that_does_not_fit_is_refused() -> None:
    code = emit(random_graph(np.random.default_rng(3), 2), "aarch64")
    with pytest.raises(CompileError, match=r"'aaaa.*5000 letters"):
        write_elf(code, "a" * 5000)

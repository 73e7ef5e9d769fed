"""Code becomes runnable, is never writable and executable at once, and goes with its owner."""

import ctypes
import gc
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from touchback.errors import CompileError
from touchback.native import publish
from touchback.native.shared_library import load

RETURN_42 = {
    "aarch64": bytes.fromhex("400580d2c0035fd6"),  # mov x0, #42; ret
    "x86_64": bytes.fromhex("b82a000000c3"),  # mov eax, 42; ret
}


def protection_of(address: int) -> str | None:
    """The access rights of the mapping that holds an address."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        start, end = (int(part, 16) for part in span.split("-"))
        if start <= address < end:
            return rights
    return None


@pytest.mark.skipif(
    platform.machine() not in RETURN_42, reason="no hand-made code for this machine"
)
def test_published_code_runs() -> None:
    published = publish(RETURN_42[platform.machine()])
    assert ctypes.CFUNCTYPE(ctypes.c_long)(published.address)() == 42


def test_published_code_is_executable_and_not_writable() -> None:
    published = publish(b"\0" * 10_000)
    assert published.size == 10_000
    assert protection_of(published.address) == "r-xp"
    assert protection_of(published.address + 9_999) == "r-xp"


def test_closing_unmaps_and_may_be_repeated() -> None:
    published = publish(b"\0" * 8)
    published.close()
    published.close()
    assert published.closed
    assert protection_of(published.address) != "r-xp"


def test_code_goes_with_its_owner() -> None:
    address = publish(b"\0" * (64 << 20)).address
    gc.collect()
    assert protection_of(address) != "r-xp"


def test_empty_code_is_refused() -> None:
    with pytest.raises(CompileError, match="zero bytes"):
        publish(b"")


def test_a_missing_library_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"run `make` or `pip install -e \.`"):
        load(tmp_path / "libtouchback.so")


def test_a_library_for_another_machine_says_so(tmp_path: Path) -> None:
    (tmp_path / "libtouchback.so").write_bytes(b"not a library")
    with pytest.raises(CompileError, match="can't be loaded"):
        load(tmp_path / "libtouchback.so")


def test_a_program_may_end_while_its_threads_compute() -> None:
    """Code stays where threads run it that nobody waits for."""
    program = (
        "import threading, time, numpy as np; from touchback import gallery\n"
        "system, many = gallery.make('seven-joint-arm').compile(), np.zeros((200_000, 7))\n"
        "busy = threading.Event()\n"
        "def work():\n"
        "    while True: system.mass_matrix(many); busy.set()\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "busy.wait(); time.sleep(0.01)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")

"""Shared memory is believed no more than it deserves: by who attaches to it, and by its owner."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from touchback.native.shared_library import LIB
from touchback.realtime import attach
from waiting import until

RATE = 1000.0
SAFE = {"echo": tb.devices.GuardedOutput(safe=-0.5)}


@pytest.fixture
def name() -> Iterator[str]:
    made = f"touchback-test-{clock_now()}"
    yield made
    Path("/dev/shm", made).unlink(missing_ok=True)


@pytest.fixture
def shared(cart: tb.System, name: str) -> Iterator[tb.Live]:
    with tb.live(cart, rate=RATE, speed=None, share=name, outputs=SAFE) as live:
        live["force"] = 2.0
        live.run(1 / RATE)
        yield live


def memory(name: str) -> np.memmap:
    return np.memmap(Path("/dev/shm", name), dtype=np.uint8, mode="r+")


# ---- who attaches -------------------------------------------------------------------------------


def test_memory_of_another_user_is_refused(
    shared: tb.Live, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner could cut it short, or write anything."""
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.raises(tb.InputError, match=f"belongs to user {mine}, not to you"):
        attach(name)


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o604, 0o602, 0o601])
def test_memory_that_others_may_use_is_refused(shared: tb.Live, name: str, mode: int) -> None:
    Path("/dev/shm", name).chmod(mode)
    with pytest.raises(tb.InputError, match=f"others may use it .mode {mode:04o}"):
        attach(name)


def test_what_is_no_plain_file_is_refused(shared: tb.Live, name: str) -> None:
    place = Path("/dev/shm", f"{name}-2")
    for make in (lambda: place.symlink_to(name), place.mkdir, lambda: os.mkfifo(place, 0o600)):
        make()
        try:
            with pytest.raises(tb.InputError, match=r"no live run|no plain file"):
                attach(place.name)
        finally:
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


@pytest.mark.parametrize("size", [0, 1, 63, 64, 4096, 65_535, 65_537, 131_072, 1 << 25])
def test_memory_of_another_size_than_it_says_is_refused(
    shared: tb.Live, name: str, size: int
) -> None:
    os.truncate(f"/dev/shm/{name}", size)
    with pytest.raises(tb.InputError, match=f"'{name}' isn't that of a live run"):
        attach(name)


def listed(name: str) -> tuple[np.memmap, int, dict]:
    """The memory, where its directory is, and the directory."""
    held = memory(name)
    word = int(held[8:16].view(np.uint64)[0])
    start, length = word >> 32, word & 0xFFFFFFFF
    return held, start, json.loads(held[start : start + length].tobytes())


def put(held: np.memmap, start: int, text: bytes) -> None:
    held[start : start + len(text)] = np.frombuffer(text, dtype=np.uint8)
    held[8:16].view(np.uint64)[0] = start << 32 | len(text)


def edited(key: str, value: object, port: int = 0) -> Callable[[dict], object]:
    def edit(plain: dict) -> object:
        plain["ports"][port][key] = value
        return plain

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        *(edited("offset", x) for x in (1 << 62, -64, 1.5, float("inf"), None, "64", 0, 65_536, 7)),
        *(edited("count", x) for x in (2, -1, 1 << 40, None, "1")),
        *(edited("fields", x) for x in ([], ["a", "b"], [1], 7, None, "force", [["x"]])),
        *(edited("name", x) for x in (None, 7, ["a"], "published", "emergency stop")),
        *(edited("direction", x) for x in ("out", "", None, 3)),
        edited("unit", 5),
        edited("fields", ["tick"], -1),
        edited("name", "other", -1),
        edited("direction", "in", -1),
        lambda plain: {},
        lambda plain: [],
        lambda plain: None,
        lambda plain: {"ports": {}},
        lambda plain: {"ports": [1]},
        lambda plain: {"ports": [[]] * 3},
        lambda plain: {"ports": []},
        lambda plain: {"ports": plain["ports"][:-1]},
        lambda plain: {"ports": plain["ports"] * 2},
    ],
)
def test_a_directory_that_is_wrong_is_refused_in_our_words(
    shared: tb.Live, name: str, edit: Callable[[dict], object]
) -> None:
    held, start, plain = listed(name)
    put(held, start, json.dumps(edit(plain)).encode())
    with pytest.raises(tb.InputError, match=f"'{name}' isn't that of a live run"):
        attach(name).read("echo")


@pytest.mark.parametrize("word", [1, 1 << 32, 0xFFFFFFFFFFFFFFFF, 64 << 32, 65_536 << 32 | 100])
def test_a_directory_that_lies_elsewhere_is_refused(shared: tb.Live, name: str, word: int) -> None:
    far = attach(name)
    memory(name)[8:16].view(np.uint64)[0] = word
    for ask in (lambda: far.read("echo"), lambda: far.write("force", 1.0), lambda: attach(name)):
        with pytest.raises(tb.InputError, match=f"'{name}' isn't that of a live run"):
            ask()


def test_bytes_by_chance_in_a_directory_are_read_or_refused(shared: tb.Live, name: str) -> None:
    held, start, plain = listed(name)
    good, chance = json.dumps(plain).encode(), random.Random(1)
    for _ in range(300):
        text = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(text))
            text[place : place + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
        put(held, start, bytes(text))
        with suppress(tb.InputError, tb.SolveError):
            attach(name).published()


@pytest.mark.parametrize("size", [0, 64, 4096])
def test_memory_that_is_cut_short_later_is_told_and_ends_no_process(
    shared: tb.Live, name: str, size: int
) -> None:
    """An access beyond the end of a file ends the process (SIGBUS), were it not caught."""
    far = attach(name)
    assert far.read("echo") == 2.0
    os.truncate(f"/dev/shm/{name}", size)
    for ask in (lambda: far.write("force", 1.0), lambda: far.read("echo"), lambda: far.published()):
        with pytest.raises(tb.InputError, match="cut short"):
            ask()
    word = far._word  # as between a look at its size and the access
    assert int(word[0]) in (0, far._known)
    assert np.isfinite(far.mailboxes["published"].read().values).all()


def test_more_shared_memory_than_has_shelters_is_refused(
    cart: tb.System, shared: tb.Live, name: str
) -> None:
    """What was attached beyond that could end the process."""
    held = []
    with pytest.raises(tb.InputError, match="256 places already; let go of some"):
        while True:
            held.append(attach(name))
    last = np.zeros(1)  # attaching took two for a moment
    number = LIB.tb_sigbus_guard(last.ctypes.data, last.nbytes)
    with pytest.raises(tb.InputError, match="256 places already"):
        tb.live(cart, rate=RATE, share=f"{name}b")
    assert not Path("/dev/shm", f"{name}b").exists()
    LIB.tb_sigbus_guard_end(number)
    held.clear()
    assert attach(name).read("echo") == 2.0


GUARDS = """
import faulthandler, mmap, os, signal, sys, tempfile
import numpy as np
from touchback.native.shared_library import LIB

def memory():
    file = tempfile.TemporaryFile()
    file.truncate(mmap.PAGESIZE)
    return file, np.frombuffer(mmap.mmap(file.fileno(), mmap.PAGESIZE), np.uint8)

def guarded():
    file, held = memory()
    return file, held, LIB.tb_sigbus_guard(held.ctypes.data, held.nbytes)

kind, what = sys.argv[1:]
if kind == "before":
    faulthandler.enable()
elif kind == "heard":
    signal.signal(signal.SIGBUS, lambda *_: print("heard", flush=True))
elif kind == "ignored":
    signal.signal(signal.SIGBUS, signal.SIG_IGN)
first = guarded()
if kind == "between":
    faulthandler.enable()
file, held, number = guarded()
if what == "kill":
    os.kill(os.getpid(), signal.SIGBUS)
else:
    theirs, other = memory()
    theirs.truncate(0)
    other[0]
for file, held, number in (first, (file, held, number)):
    file.truncate(0)
    print(held[0], LIB.tb_sigbus_guard_lost(number))
"""


@pytest.mark.parametrize(
    ("kind", "what", "ends", "told"),
    [
        ("none", "access", True, ""),
        ("before", "access", True, "Bus error"),
        ("between", "access", True, "Bus error"),
        ("ignored", "access", True, ""),  # which accesses that fail can't be
        ("none", "kill", True, ""),
        ("between", "kill", True, "Bus error"),
        ("ignored", "kill", False, "0 1\n0 1"),
        ("heard", "kill", False, "heard\n0 1\n0 1"),
    ],
)
def test_a_bus_error_that_is_not_ours_goes_to_who_waits_for_it_and_shelters_stay(
    kind: str, what: str, ends: bool, told: str
) -> None:
    """Two handlers that hand on to each other did so for ever, and a signal took all guards."""
    command = [sys.executable, "-c", GUARDS, kind, what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == (-signal.SIGBUS if ends else 0), done.stderr
    assert told in done.stdout + done.stderr
    assert done.stderr.count("Bus error") <= 1


# ---- its owner ----------------------------------------------------------------------------------


def scribbled(kind: str, name: str) -> None:
    """What a stranger's, or a faulty, program leaves there."""
    if kind == "cut":
        os.truncate(f"/dev/shm/{name}", 0)
        return
    held = memory(name)
    chance = np.random.default_rng(1)
    if kind == "zeros":
        held[:] = 0
    elif kind == "ones":
        held[:] = 255  # which also holds every mailbox for ever
    elif kind == "chance":
        held[:] = chance.integers(0, 256, len(held))
    else:
        held[8:16] = 255


@pytest.mark.parametrize("kind", ["zeros", "ones", "chance", "directory", "cut"])
@pytest.mark.parametrize("speed", [None, 1.0])
def test_the_owner_s_run_reads_stops_and_ends_whatever_others_wrote(
    cart: tb.System, name: str, kind: str, speed: float | None
) -> None:
    live = tb.live(cart, rate=RATE, speed=speed, share=name, outputs=SAFE, record=True)
    live.start()
    live["force"] = 2.0
    live.run(0.01)
    scribbled(kind, name)
    before = live.read("tick")
    live.run(0.01)
    assert live.read("tick") > before and np.isfinite(live.read("slide"))
    live.emergency_stop()
    live.run(0.01)
    assert "stopped" in live.faults and live.read("echo") == -0.5
    live.stop()
    assert live.state == "stopped" and not Path("/dev/shm", name).exists()
    run = live.recorded()
    assert run["echo"][-1] == -0.5 and len(run) >= 30


@pytest.mark.parametrize("size", [0, 64])
def test_memory_that_was_cut_short_takes_outputs_safe_and_is_told(
    cart: tb.System, name: str, size: int
) -> None:
    with tb.live(cart, rate=RATE, share=name, outputs=SAFE) as live:
        live["force"] = 2.0
        until(lambda: live.read("echo") == 2.0)
        os.truncate(f"/dev/shm/{name}", size)
        until(lambda: live.read("echo") == -0.5)
        until(lambda: "shared memory" in live.latest_fault)
        assert "device" in " ".join(live.faults)


def test_other_processes_follow_a_run_that_changes_its_structure_by_the_mirror(
    shared: tb.Live, name: str
) -> None:
    far = attach(name)
    shared.run(5 / RATE)
    assert far.published()[0] == shared.snapshot()
    far.write("force", 7.0)
    shared.run(1 / RATE)
    assert shared.read("echo") == far.read("echo") == 7.0

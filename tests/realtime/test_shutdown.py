"""A run that nobody stopped ends with its process, whole; a child process can't reach into it."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

import touchback as tb
from touchback.native.live.locked_arena import private_map
from touchback.realtime.shutdown import run_uninterrupted, signals_as_ctrl_c
from waiting import PATIENCE

BEGIN = """
import gc, multiprocessing, os, signal, sys, time
import touchback as tb

m = tb.Model("cart", gravity=(0, 0, 0))
m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0), velocity=(0.1,))
system = m.compile()
live = tb.live(system, rate=1000, record=sys.argv[1])
live.start()
live.run(0.05)
"""


def process(path: Path, rest: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + rest, str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_whole(path: Path, ticks: int = 50) -> None:
    again = tb.replay(path)
    assert again.recording.complete
    assert again.ticks >= ticks
    assert again.same


# ---- the end of the process ---------------------------------------------------------------------


@pytest.mark.parametrize(("last", "status"), [("sys.exit(3)", 3), ("raise RuntimeError", 1)])
def test_a_run_that_nobody_stopped_ends_with_the_interpreter(
    tmp_path: Path, last: str, status: int
) -> None:
    running = process(tmp_path / "run.mcap", last)
    running.communicate(timeout=60)
    assert running.returncode == status
    check_whole(tmp_path / "run.mcap")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_a_piece_of_work_as_ctrl_c_does_and_then_the_process(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: killed.append(number))
    with pytest.raises(KeyboardInterrupt, match=number.name), signals_as_ctrl_c():
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(signal.SIGHUP)  # a terminal's and a shell's: work goes on
            assert killed == []
    assert killed == [number]
    assert signal.getsignal(number) is signal.SIG_DFL


def test_a_signal_that_is_ignored_stays_so_and_what_fails_then_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("the error would never be seen"))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with pytest.raises(OSError, match="full"), signals_as_ctrl_c():
            signal.raise_signal(signal.SIGHUP)
            try:
                signal.raise_signal(signal.SIGTERM)
            except KeyboardInterrupt:
                raise OSError("full") from None
    finally:
        signal.signal(signal.SIGHUP, before)


WAITING = """
print("ready", flush=True)
time.sleep(60)
"""
BUSY = """
live.stop()
live = tb.live(system, rate=1000, speed=None, record=sys.argv[1])
live.start()
live.run(0.5)
print("ready", flush=True)
while True:
    live.run(0.01)
"""


@pytest.mark.parametrize(
    ("rest", "number"),
    [(WAITING, signal.SIGHUP), (BUSY, signal.SIGTERM)],
    ids=["waiting", "busy"],
)
def test_a_signal_ends_the_run_before_it_ends_the_process(
    tmp_path: Path, rest: str, number: signal.Signals
) -> None:
    running = process(tmp_path / "run.mcap", rest)
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    running.send_signal(number)
    _, complaints = running.communicate(timeout=60)
    assert running.returncode == -number  # it died of it, as everyone expects
    assert complaints == ""
    check_whole(tmp_path / "run.mcap")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_handlers_of_the_user_stay(cart: tb.System, number: signal.Signals) -> None:
    def mine(*_: object) -> None: ...

    before = signal.getsignal(number)
    try:
        for handler in (mine, signal.SIG_IGN):
            signal.signal(number, handler)
            with tb.live(cart, speed=None):
                assert signal.getsignal(number) == handler
            assert signal.getsignal(number) == handler
        signal.signal(number, signal.SIG_DFL)
        with tb.live(cart, speed=None):
            assert signal.getsignal(number) != signal.SIG_DFL
            signal.signal(number, mine)  # while it runs
        assert signal.getsignal(number) == mine
        signal.signal(number, signal.SIG_DFL)
        with tb.live(cart, speed=None), tb.live(cart, speed=None):
            pass
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_runs_of_other_threads_take_no_signals(cart: tb.System) -> None:
    def life() -> None:
        with tb.live(cart, speed=None) as live:
            live.run(0.01)
            done.append(live.ticks)

    done: list[int] = []
    thread = threading.Thread(target=life)
    thread.start()
    thread.join()
    assert done == [10]


def test_a_run_without_a_clock_that_is_let_go_finishes_its_recording(
    cart: tb.System, tmp_path: Path
) -> None:
    live = tb.live(cart, speed=None, record=tmp_path / "run.mcap")
    live.start()
    live.run(0.05)
    del live
    gc.collect()
    check_whole(tmp_path / "run.mcap")


def test_ports_are_not_left_behind_by_a_recording_that_can_not_be(
    cart: tb.System, tmp_path: Path
) -> None:
    name = f"touchback-test-{time.monotonic_ns()}"
    with pytest.raises((tb.InputError, OSError)):
        tb.live(cart, record=tmp_path / "nowhere" / "run.mcap", share=name)
    assert not Path("/dev/shm", name).exists()


class Leaving:
    """A device that ends everything but the run."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error, self.calls = error, 0

    def read(self) -> NoReturn:
        self.calls += 1
        raise self.error

    def write(self, value: float) -> None:
        self.calls += 1
        if value == -0.5:  # the last word of the run
            raise self.error


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, OSError])
def test_no_device_keeps_a_run_from_stopping(
    cart: tb.System, tmp_path: Path, error: type[BaseException]
) -> None:
    guards = {"echo": tb.devices.GuardedOutput(safe=-0.5)}
    with tb.live(cart, outputs=guards, record=tmp_path / "run.mcap") as live:
        services = [live.connect(name, Leaving(error)) for name in ("force", "echo")]
        live.run(0.01)
    assert [type(each.failure) for each in services] == [error, error]
    check_whole(tmp_path / "run.mcap", 10)


def test_a_device_may_stop_the_run(cart: tb.System, tmp_path: Path) -> None:
    class Last:
        def read(self) -> None:
            live.stop()

    with tb.live(cart, record=tmp_path / "run.mcap") as live:
        live.run(0.01)
        service = live.connect("force", Last())
        service._thread.join(PATIENCE)
    assert service.failure is None
    check_whole(tmp_path / "run.mcap", 10)


def test_threads_that_stop_a_run_at_once_wait_for_its_end(cart: tb.System, tmp_path: Path) -> None:
    live = tb.live(cart, record=tmp_path / "run.mcap")
    live.start()
    live.run(0.02)

    def stop() -> None:
        live.stop()
        check_whole(tmp_path / "run.mcap", 20)
        done.append(True)

    done: list[bool] = []
    threads = [threading.Thread(target=stop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 4


# ---- fork ---------------------------------------------------------------------------------------

FORKING = """
stopped = tb.live(system, rate=1000, speed=None, record=True)
with stopped:
    stopped.run(0.02)

def refused(use):
    try:
        use()
    except tb.InputError as error:
        return str(os.getppid()) in str(error)
    return False

def uses():
    every = [
        live.start, live.stop, live.report, live.recorded, live.snapshot, live.resume,
        live.emergency_stop, lambda: live.run(0.1), lambda: live.read("slide"),
        lambda: live.ticks, lambda: live.faults, lambda: live["slide"],
        lambda: live.swap(m), lambda: live.set_substeps(2), lambda: live.listen(),
    ]
    return 0 if all(map(refused, every)) else 9

def leave_block():  # with live: …
    try:
        sys.exit(5)
    finally:
        live.__exit__(None, None, None)

def drop():
    global live
    del live
    gc.collect()

def own():
    with tb.live(system, rate=1000) as mine:
        mine.run(0.02)
    return 0 if stopped.report().counts["ticks"] == len(stopped.recorded().time) == 20 else 8

children = [
    (lambda: sys.exit(3), 3), (lambda: os._exit(4), 4), (leave_block, 5), (drop, 0), (uses, 0),
    (lambda: 1 / 0, 1), (lambda: os.kill(os.getpid(), signal.SIGTERM), -signal.SIGTERM), (own, 0),
]
for do, expected in children:
    child = os.fork()
    if not child:
        sys.stderr = open(os.devnull, "w")
        sys.exit(do())
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    before = live.ticks
    live.run(0.01)
    assert (status, live.ticks >= before + 10) == (expected, True), (do, status)
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
worker.start()
worker.terminate()
worker.join()
assert worker.exitcode == -signal.SIGTERM
assert multiprocessing.get_context("fork").Pool(1).apply(uses) == 0
live.run(0.01)
live.stop()
print(live.report().counts["ticks"], live.report().counts["lost_rows"])
"""


def test_children_leave_their_parents_run_alone(tmp_path: Path) -> None:
    running = process(tmp_path / "run.mcap", FORKING)
    out, complaints = running.communicate(timeout=120)
    assert running.returncode == 0, complaints
    ticks, lost = map(int, out.split())
    assert lost == 0
    check_whole(tmp_path / "run.mcap", ticks)


def test_memory_of_a_run_is_empty_in_a_child_so_that_no_tick_waits_for_a_copy() -> None:
    memory = private_map(1 << 16)
    memory[:4] = b"ours"
    child = os.fork()
    if not child:
        seen = memory[:4]
        memory[:4] = b"mine"
        os._exit(int(seen != bytes(4)))
    assert os.waitpid(child, 0)[1] == 0
    assert memory[:4] == b"ours"


# ---- Ctrl-C while a run is being stopped --------------------------------------------------------


class Pressed:
    """Ctrl-C at the n-th line of ours that the main thread executes from now on."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: FrameType, event: str, _: object) -> "Pressed | None":
        if f"touchback{os.sep}realtime" not in frame.f_code.co_filename:
            return None
        self.left -= event == "line"
        if self.left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return self


def test_ctrl_c_anywhere_in_stop_leaves_nothing_half_stopped(
    cart: tb.System, tmp_path: Path
) -> None:
    path, presses = tmp_path / "run.mcap", 0
    while True:
        live = tb.live(cart, rate=1000, record=path)
        live.start()
        live.run(0.005)
        pressed = Pressed(presses + 1)
        before = sys.gettrace()
        sys.settrace(pressed)
        try:
            live.stop()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        live.stop()  # again, for it may not have begun
        assert not live._first.struct.thread
        recorded = tb.open(path)
        assert recorded.metadata["complete"] is True
        assert len(recorded) == live.ticks
        if pressed.left > 0:
            break
        presses += 1
    assert presses > 5


def test_work_that_was_begun_is_done_whatever_a_signal_raises() -> None:
    done = []

    def work() -> None:
        for _ in range(5):
            signal.raise_signal(signal.SIGINT)  # answered by the main thread
            time.sleep(0.005)
        done.append(threading.current_thread())

    with pytest.raises(KeyboardInterrupt):
        run_uninterrupted(work)
    assert done and done[0] is not threading.current_thread()


def test_what_work_raises_is_raised() -> None:
    def work() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        run_uninterrupted(work)


def test_an_interrupt_in_the_first_lines_of_the_exit_stops_the_run_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = tb.Model("cart", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    live, times = tb.live(m.compile(), rate=1000), []

    def interrupted() -> None:
        times.append(time.monotonic())
        if len(times) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), live:
        live.run(0.01)
        monkeypatch.setattr(live, "_check_here", interrupted)
    assert len(times) > 1 and not live._first.struct.thread

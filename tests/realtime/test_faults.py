"""What goes wrong in a run is a fault of it, in words: in its report and its recording."""

import math
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.tick_layout import HELD
from touchback.realtime.tick_recorder import describe
from waiting import PATIENCE, until

LIVE = import_module("touchback.realtime.live")  # the module: the room has a function of its name

# ---- divergence ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runaway() -> tb.System:
    """ẍ = 2500 x from 0.1 m: x = 0.1 cosh 50 t."""
    m = tb.Model("runaway", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0), position=(0.1,))
    m.force("push", tb.JointEffort("slide", 2500.0 * m.coordinate("slide")))
    m.sensor("felt", tb.Signal(m.coordinate("slide"), "m"))
    return m.compile()


def last_tick(speed: float, rate: float) -> int:
    """The last one with ẋ = 5 sinh 50 t up to a speed; RK4 errs by far less than a tick."""
    return int(rate * math.asinh(speed / 5.0) / 50.0)


@pytest.mark.parametrize("given", [{}, {"max_speed": 20.0}], ids=["by default", "as set"])
def test_a_model_that_diverges_is_held_at_its_last_good_state_and_says_so(
    runaway: tb.System, tmp_path: Path, given: dict[str, float]
) -> None:
    bound, path = given.get("max_speed", 1e6), tmp_path / "run.mcap"
    guard = {"felt": tb.devices.GuardedOutput(safe=-1.0)}
    with tb.live(runaway, speed=None, outputs=guard, record=path, **given) as live:
        live.run(1.0)
        assert live.faults == ("diverged",)
        assert live.read("felt") == -1.0
        assert live.read("time") == pytest.approx(last_tick(bound, 1000.0) / 1000.0)
        assert 0.9 * bound < live.read("slide rate") <= bound
        live.resume()
        live.run(0.1)  # and again, from there
    report = live.report()
    assert report.counts["diverged"] == 2
    assert report.counts["not_finite"] == 0
    (fault,) = report.faults
    assert fault["tick"] == last_tick(bound, 1000.0) + 1
    assert "'slide rate' would have become" in fault["text"]
    assert f"max_speed={bound:g}" in fault["text"]
    assert fault["text"] in str(report)
    again = tb.replay(path)
    assert again.same
    assert again.recording.faults == report.faults == tb.open(path).metadata["faults"]


@pytest.mark.parametrize("speed", [None, 1.0], ids=["as fast as it goes", "clocked"])
def test_a_model_that_its_state_holds_goes_on_from_its_start_after_a_reset(
    runaway: tb.System, tmp_path: Path, speed: float | None
) -> None:
    """It runs away again, as it did at first, which takes 42 ms up to 20 m/s."""
    path, guard = tmp_path / "run.mcap", {"felt": tb.devices.GuardedOutput(safe=-1.0)}
    with tb.live(runaway, speed=speed, outputs=guard, record=path, max_speed=20.0) as live:
        live.run(0.5)
        assert live.faults == ("diverged",)
        live.reset()
        live.run(0.5)
        assert live.faults == ("diverged",)
    assert live.report().counts["diverged"] == 2
    again = tb.replay(path)
    assert again.same
    x, held = (again.recording.column(name) for name in ("slide", "flags"))
    moves = np.flatnonzero(held.astype(int) & HELD == 0)
    way = x[moves]
    assert len(way) == 2 * last_tick(20.0, 1000.0)
    assert np.array_equal(*np.split(way, 2))  # to the bit


@pytest.mark.parametrize("speed", [None, 1.0], ids=["as fast as it goes", "clocked"])
def test_what_else_holds_a_model_outlives_a_reset(runaway: tb.System, speed: float | None) -> None:
    """An emergency stop before, or after its state held it."""
    with tb.live(runaway, speed=speed, max_speed=20.0) as live:
        for lasting in (("stopped",), ("diverged", "stopped")):
            if len(lasting) == 2:
                live.run(0.5)
            live.emergency_stop()
            live.run(0.01)
            assert set(live.faults) == set(lasting)
            live.reset()
            live.run(0.01)
            assert set(live.faults) == set(lasting) and live.read("slide rate") == 0.0
            live.resume()


@pytest.mark.parametrize("fast", range(11))
def test_the_one_of_a_row_that_diverges_is_named_wherever_it_is(fast: int) -> None:
    """A row of eleven carts that coast at 1 m/s, and one at 30 m/s."""
    m = tb.Model("coasting", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    row = tb.copies(m.compile(), [f"cart {k}" for k in range(11)])
    start = np.concatenate([np.zeros(11), np.where(np.arange(11) == fast, 30.0, 1.0)])
    with tb.live(row, start, speed=None, max_speed=20.0) as live:
        live.run(0.01)
        assert live.faults == ("diverged",)
    (fault,) = live.report().faults
    assert f"'cart {fast}/slide rate' would have become 30" in fault["text"]
    start[11 + fast] = 1.0
    with tb.live(row, start, speed=None, max_speed=20.0) as live:
        live.run(0.01)
        assert live.faults == ()


def test_nothing_is_too_fast_without_a_bound_nor_for_recordings_of_before_there_was_one(
    runaway: tb.System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def described(*given: Any, **more: Any) -> dict[str, Any]:
        about = describe(*given, **more)
        del about["max_speed"]
        return about

    monkeypatch.setattr(LIVE, "describe", described)
    with tb.live(runaway, speed=None, record=tmp_path / "run.mcap", max_speed=math.inf) as live:
        live.run(1.0)
        assert live.faults == ()
        assert live.read("slide rate") == pytest.approx(5.0 * math.sinh(50.0), rel=1e-3)
    assert tb.replay(tmp_path / "run.mcap").same


def test_other_states_can_not_grow_for_ever_either() -> None:
    m = tb.Model("population", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.state("count", 1.0, rate=lambda count: 100.0 * count)
    with tb.live(m.compile(), speed=None) as live:
        live.run(2.0)
        assert live.faults == ("diverged",)
        assert live.read("time") == pytest.approx(math.log(1e30) / 100.0, abs=0.002)
    assert "'count' would have become 1" in live.report().faults[0]["text"]


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_a_memory_that_is_no_number_any_more_is_found_at_its_tick(method: str) -> None:
    """1e10 squared at every tick is beyond all numbers at the fifth: 1e320."""
    m = tb.Model("squares", gravity=(0, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    value = m.memory("value", 1e10)
    m.set_update("value", value * value)
    with tb.live(m.compile(), speed=None, method=method, substeps=3, max_speed=math.inf) as live:
        live.run(0.02)
        assert live.faults == ("not finite",)
        assert live.read("time") == pytest.approx(4e-3)
        assert live.read("value") == pytest.approx(1e160)
        (fault,) = live.report().faults
        assert fault["tick"] == 5 and live.latest_fault == fault["text"]
        assert fault["text"].startswith("not finite") and "shorter steps" in fault["text"]


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan])
def test_a_bound_that_can_not_be_is_refused(runaway: tb.System, speed: float) -> None:
    with pytest.raises(tb.InputError, match="max_speed"):
        tb.live(runaway, max_speed=speed)


# ---- devices ------------------------------------------------------------------------------------


class Broken:
    """Works a few times, then no more."""

    def __init__(self, error: BaseException, calls: int = 3) -> None:
        self.error, self.calls = error, calls

    def read(self) -> float:
        self.calls -= 1
        if self.calls < 0:
            raise self.error
        return 2.0

    def write(self, value: float) -> None:
        self.read()


@pytest.mark.parametrize(
    ("port", "device", "text"),
    [
        ("force", Broken(OSError("cable pulled")), "OSError: cable pulled"),
        ("force", Broken(SystemExit(3)), "SystemExit: 3"),
        ("echo", Broken(ValueError()), "ValueError"),
        ("level", Broken(OSError(), 0), "OSError"),
    ],
)
def test_a_device_that_raises_is_a_fault_until_resume(
    cart: tb.System, tmp_path: Path, port: str, device: Broken, text: str
) -> None:
    guard, path = {"echo": tb.devices.GuardedOutput(safe=-1.0)}, tmp_path / "run.mcap"
    with tb.live(cart, outputs=guard, record=path) as live:
        live.connect(port, device)
        until(lambda: live.faults == ("device failed",))
        assert live.read("echo") == -1.0
        before = live.ticks
        live.run(0.005)  # the model goes on
        assert live.read("time") > 0.0 and live.ticks > before
        live.resume()
        until(lambda: live.faults == ())
        assert live.read("echo") != -1.0
    (fault,) = live.report().faults
    assert fault["text"] == f"'{port}' is served no more: {text}"
    assert fault["text"] in str(live.report())
    again = tb.replay(path)
    assert again.same
    assert again.recording.faults == [fault]
    failed = again.recording.column("flags").astype(int) & 8192 != 0
    assert 0 < np.count_nonzero(failed) < len(failed)


def test_what_a_device_says_beyond_its_range_is_told(cart: tb.System) -> None:
    bounds = {"force": tb.devices.WatchedInput(low=-1.0, high=1.0)}
    with tb.live(cart, inputs=bounds, record=True) as live:
        live.connect("force", Broken(OSError()))  # gives 2.0
        until(lambda: bool(live.report().faults))
    (fault,) = live.recorded().metadata["faults"]
    assert "2.0 lies outside its range" in fault["text"]


def test_a_device_that_does_not_answer_at_the_end_is_told(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("touchback.realtime.device_io._LAST_WORD", 0.01)
    asked, over = threading.Event(), threading.Event()

    class Asleep:
        def read(self) -> None:
            asked.set()
            over.wait(PATIENCE)

    with tb.live(cart, record=True) as live:
        live.connect("force", Asleep())
        assert asked.wait(PATIENCE)
    over.set()
    (fault,) = live.recorded().metadata["faults"]
    assert "'force': its device didn't answer within 0.01 s" in fault["text"]


def test_outputs_that_can_not_be_sent_are_told_and_no_more(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr("touchback.realtime.udp_signals.Sender.send", unreachable)
    with tb.live(cart, record=True) as live:
        live.send("127.0.0.1", 9, "echo")
        until(lambda: bool(live.report().faults))
        live.run(0.005)
        assert live.faults == ()
    assert "Network is unreachable" in live.report().faults[0]["text"]


def test_keeping_goes_on_after_a_failure_in_it(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tb.live(cart, record=True) as live:
        keep, left = live._recorder.keep, [2]

        def broken(*given: Any) -> None:
            left[0] -= 1
            if left[0] >= 0:
                raise ArithmeticError("no idea")
            keep(*given)

        monkeypatch.setattr(live._recorder, "keep", broken)
        until(lambda: left[0] < 0)
    assert "ticks could not be kept: ArithmeticError: no idea" in live.report().faults[0]["text"]
    assert len(live.recorded().time) > 0


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit("no text either")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Mute(), "Mute: (its text raised SystemExit)"),
        (ValueError("bad \udcff"), "ValueError: bad \\udcff"),
        (ValueError("a" * 10_000), "ValueError: aaa"),
    ],
    ids=["no text", "a lone surrogate", "a long one"],
)
def test_whatever_a_device_raises_becomes_a_fault_that_can_be_kept(
    cart: tb.System, tmp_path: Path, error: Exception, text: str
) -> None:
    class Broken:
        def read(self) -> float:
            raise error

    path, guards = tmp_path / "run.mcap", {"echo": tb.devices.GuardedOutput(safe=-3.0)}
    with tb.live(cart, outputs=guards, record=path) as live:
        live.connect("force", Broken())
        until(lambda: live.read("echo") == -3.0)
        until(lambda: bool(live.report().faults))
    (told,) = live.report().faults
    assert text in told["text"]
    assert len(told["text"]) <= 500
    assert tb.replay(path).recording.faults == [told]
    assert tb.open(path).metadata["complete"] is True

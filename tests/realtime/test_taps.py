"""Whoever taps a live run gets every row of its ticks, and can't do it any harm."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import tick_taps
from waiting import PATIENCE

Blocks = list[tuple[np.ndarray, tuple[str, ...]]]


def test_a_tap_gets_the_rows_that_a_recording_has(cart: tb.System) -> None:
    seen: Blocks = []
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        live.run(0.02)
        live.tap(lambda rows, columns: seen.append((rows, columns)))
        live["force"] = 2.0
        live.run(0.5)
    run, rows = live.recorded(), np.vstack([rows for rows, _ in seen])
    columns = seen[0][1]
    for name in ("tick", "force", "slide", "place.x", "flags"):
        assert np.array_equal(rows[:, columns.index(name)], run[name][2:])
    with pytest.raises(ValueError, match="read-only"):
        seen[0][0][0, 0] = 7.0


def test_taps_of_a_clocked_run_miss_no_tick_and_come_sixty_times_a_second(cart: tb.System) -> None:
    seen: Blocks = []
    with tb.live(cart, rate=1000) as live:
        live.run(0.11)
        live.tap(lambda rows, columns: seen.append((rows, columns)))
        live.run(0.4)
    ticks = np.concatenate([rows[:, 0] for rows, _ in seen])
    assert np.array_equal(np.diff(ticks), np.ones(len(ticks) - 1))
    assert ticks[-1] == live.ticks
    assert len(seen) > 8  # ten times a second would be five


def test_a_tap_that_raises_is_dropped_with_a_note(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:

        def tap(rows: np.ndarray, columns: tuple[str, ...]) -> None:
            raise SystemExit("no more")

        broken = live.tap(tap)
        live.run(0.3)
        assert broken.closed
        assert live.faults == ()
    assert "SystemExit: no more" in str(broken.failure)
    (fault,) = live.report().faults
    assert "a tap raised" in str(fault["text"])
    assert tb.replay(path).ticks == live.ticks  # none is missing


def test_a_slow_tap_loses_rows_and_the_recording_none(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tick_taps, "_MOST_WAITING", 1000)
    free, seen = threading.Event(), list[int]()

    def slow(rows: np.ndarray, columns: tuple[str, ...]) -> None:
        free.wait()
        seen.append(len(rows))

    live = tb.live(cart, rate=1000, record=True)
    tap = live.tap(slow)  # before the first tick
    with live:
        live.run(0.5)
        free.set()
    assert tap.lost > 0
    assert tap.lost + sum(seen) == live.ticks
    assert live.report().counts["lost_rows"] == 0
    assert list(live.recorded()["tick"]) == list(range(1, live.ticks + 1))


def test_a_tap_that_hangs_does_not_keep_a_run_from_ending(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tick_taps, "_PATIENCE", 0.05)
    free = threading.Event()
    with tb.live(cart, rate=1000) as live:
        live.tap(lambda rows, columns: free.wait())
        live.run(0.15)
        began = time.monotonic()
    assert time.monotonic() - began < PATIENCE
    assert live.state == "stopped"
    free.set()


def test_a_tap_may_use_the_run_and_end_itself(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:

        def tap(rows: np.ndarray, columns: tuple[str, ...]) -> None:
            live["stiffness"] = 9.0
            own.close()

        own = live.tap(tap)
        live.run(0.3)
        assert own.closed
        assert own.failure is None
        assert live["stiffness"] == 9.0


def test_rows_of_another_structure_come_with_its_columns() -> None:
    def bolt(kind: tb.JointKind) -> tb.Model:
        m = tb.Model("bolt", gravity=(0, 0, 0))
        body = m.body("bolt", mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.joint("hinge", kind, m.ground, body, velocity=(0.2, 1.0) if kind.nv == 2 else None)
        return m

    seen: Blocks = []
    with tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000) as live:
        live.tap(lambda rows, columns: seen.append((rows, columns)))
        live.run(0.05)
        change = live.swap(bolt(tb.Revolute("x")))
        live.run(0.05)
    assert all(rows.shape[1] == len(columns) for rows, columns in seen)
    ticks = np.concatenate([rows[:, 0] for rows, _ in seen])
    assert list(ticks) == list(range(1, live.ticks + 1))
    of_the_first = sum(len(rows) for rows, columns in seen if "hinge.slide" in columns)
    assert change.tick == of_the_first + 1


def test_what_is_no_function_is_refused(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None) as live, pytest.raises(tb.InputError, match="tap"):
        live.tap(3)  # type: ignore[arg-type]


def test_a_tap_with_a_rate_looks_for_rows_by_itself() -> None:
    drained, looked = threading.Event(), list[int]()

    def drain() -> None:
        looked.append(1)
        if len(looked) >= 3:
            drained.set()

    tap = tick_taps.Tap(lambda rows, columns: None, lambda text: None, drain, rate=1000.0)
    assert drained.wait(PATIENCE)
    tap.end()


def test_a_tap_whose_rate_is_none_is_refused(cart: tb.System) -> None:
    with (
        tb.live(cart, rate=100, speed=None) as live,
        pytest.raises(tb.InputError, match="A tap's rate"),
    ):
        live.tap(lambda rows, columns: None, rate=0.0)

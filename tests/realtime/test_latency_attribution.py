"""Whose lateness it is: of the machine, of other threads, or of our own steps."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import touchback as tb
from touchback.native.shared_library import LIB
from touchback.realtime.latency_attribution import (
    Histogram,
    LatencyAttribution,
    MachineTimes,
    machine_times,
)
from waiting import until

PERIOD = 1_000_000  # ns
Tick = tuple[int, int, int]  # ns: woken late, on a processor, off it within the step


def judged(ticks: list[Tick]) -> tuple[ctypes.Structure, list[int]]:
    """Ticks of a schedule that never slips, blamed one by one; and how late each was."""
    statistics, lateness, ended = LIB.struct("tb_live_statistics")(), [], 0
    for due, (pause, worked, off) in enumerate(ticks):
        began = max(ended, due * PERIOD) + pause
        late, step = began - due * PERIOD, worked + off
        ended = began + step
        course = LIB.struct("tb_tick_times")(
            late, step, worked, PERIOD, PERIOD // 10, ended - (due + 1) * PERIOD
        )
        LIB.tb_attribute_latency(ctypes.byref(statistics), ctypes.byref(course))
        lateness.append(late)
    return statistics, lateness


def test_a_pause_of_the_machine_is_no_fault_of_the_steps() -> None:
    """Five milliseconds make five ticks late; the pause counts once."""
    found, lateness = judged([(0, 1000, 0)] * 3 + [(5 * PERIOD, 1000, 0)] + [(0, 1000, 0)] * 10)
    assert sum(late > PERIOD // 10 for late in lateness) >= 5
    assert (found.delay_waiting, found.delay_steps, found.late_by_steps) == (5 * PERIOD, 0, 0)


def test_a_long_step_is_ours_with_every_tick_that_it_made_late() -> None:
    found, lateness = judged([(0, 5 * PERIOD, 0)] + [(0, 1000, 0)] * 10)
    assert (found.delay_waiting, found.delay_steps) == (0, 4 * PERIOD)
    assert found.late_by_steps == sum(late > PERIOD // 10 for late in lateness) > 3


def test_time_off_the_processor_within_a_step_is_not_the_steps() -> None:
    found, _ = judged([(0, 1000, 5 * PERIOD - 1000)] + [(0, 1000, 0)] * 10)
    assert (found.delay_waiting, found.delay_steps, found.late_by_steps) == (4 * PERIOD, 0, 0)


@given(
    st.lists(st.tuples(*[st.integers(0, 4 * PERIOD)] * 3), min_size=1, max_size=30),
)
def test_every_delay_has_one_owner(ticks: list[Tick]) -> None:
    """What was late at last was delayed before, and no more is blamed than time passed."""
    found, lateness = judged(ticks)
    delays = found.delay_waiting + found.delay_steps
    longer = sum(max(0, worked + off - PERIOD) for _, worked, off in ticks)
    assert delays == sum(pause for pause, _, _ in ticks) + longer
    assert found.delay_steps == sum(
        min(max(0, worked - PERIOD), max(0, worked + off - PERIOD)) for _, worked, off in ticks
    )
    assert lateness[-1] <= delays
    assert 0 <= found.by_steps <= found.backlog


def test_steps_longer_than_a_period_are_laid_at_our_own_door(cart: tb.System) -> None:
    """Where others have the processor for most of the time, more ticks are needed until one is late
    by steps for the most part."""

    def blamed() -> LatencyAttribution:
        found = live.report().blame
        assert found is not None
        return found

    with tb.live(cart, rate=10_000, substeps=2000) as live:
        until(lambda: blamed().late_by_steps > 0)
        during = blamed()
        until(lambda: blamed().by_steps > during.by_steps > 0.0)
    blame = blamed()
    assert blame.by_steps > during.by_steps and blame.late_by_steps >= during.late_by_steps
    assert any(f"late by our steps {blame.late_by_steps} of" in line for line in blame.lines())


def test_a_report_has_an_idle_clock_and_what_the_kernel_says_of_the_thread(cart: tb.System) -> None:
    with tb.live(cart, rate=1000) as live:
        live.run(0.2)
    report = live.report()
    blame = report.blame
    assert blame is not None
    assert blame.idle.total > 0 and blame.idle_late <= blame.idle.total
    assert blame.switches_asked > 0
    assert min(blame.by_machine, blame.by_threads or 0.0, blame.by_steps) >= 0.0
    plain = report.as_dict()["blame"]
    assert plain["idle_wakes"] == blame.idle.total and set(plain["idle"]) >= {"p99", "max"}
    for line in blame.lines():
        assert line in str(report)


def test_the_idle_clock_ends_with_the_run_and_starts_with_none_that_is_unclocked(
    cart: tb.System,
) -> None:
    with tb.live(cart, rate=1000) as live:
        live.run(0.02)
        assert b"touchback-idle\n" in _threads()
    assert b"touchback-idle\n" not in _threads()
    with tb.live(cart, rate=1000, speed=None) as live:
        live.run(0.02)
        assert b"touchback-idle\n" not in _threads()
    assert live.report().blame is None and live.report().as_dict()["blame"] is None


def _threads() -> list[bytes]:
    return [each.read_bytes() for each in Path("/proc/self/task").glob("*/comm")]


def test_stolen_time_is_read_where_the_machine_tells_it(tmp_path: Path) -> None:
    now = machine_times()
    assert now is not None and now.busy > 0.0
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 20 30 400 50 5 5 60 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n")
    earlier = machine_times(stat)
    assert earlier is not None
    assert np.allclose((earlier.busy, earlier.idle, earlier.stolen), (1.6, 4.5, 0.6))
    later = MachineTimes(earlier.busy + 1.0, earlier.idle + 2.0, earlier.stolen + 1.0)
    assert later.share(earlier) == pytest.approx((0.25, 0.25))
    assert later.share(later) == (0.0, 0.0)
    for text in ("", "cpu  1 2 3\n", "processor 1 2 3 4 5 6 7 8\n", "cpu a b c d e f g h\n"):
        stat.write_text(text)
        assert machine_times(stat) is None
    assert machine_times(tmp_path / "none") is None


def test_what_the_machine_does_not_tell_is_said_to_be_unknown() -> None:
    idle = Histogram(np.zeros(608, dtype=np.int64), 0)
    text = "\n".join(LatencyAttribution(0, 0, 0.0, None, 0.0, idle, 0, None, None, 0, 0).lines())
    assert "stolen unknown, busy unknown" in text and "other threads" not in text

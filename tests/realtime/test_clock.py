"""Ticks keep to the clock in number; how punctual they are is reported, never asserted."""

import time

import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from waiting import PATIENCE


@pytest.mark.parametrize(
    ("rate", "speed", "seconds"),
    [(100, 1.0, 0.3), (10_000, 1.0, 0.2), (1000, 0.1, 0.03), (100, 4.0, 1.0)],
)
def test_ticks_are_as_many_as_the_clock_asks_for(
    cart: tb.System, rate: float, speed: float, seconds: float
) -> None:
    began = time.monotonic()
    with tb.live(cart, rate=rate, speed=speed) as live:
        live.run(seconds)
        took = time.monotonic() - began
    whole, counts = time.monotonic() - began, live.report().counts
    assert counts["ticks"] <= whole * speed * rate  # never ahead of the clock
    assert took >= seconds / speed
    assert live.read("time") == pytest.approx(counts["ticks"] / rate)


def test_a_slow_run_stops_at_once(cart: tb.System) -> None:
    with tb.live(cart, rate=1.0, speed=0.5 / PATIENCE) as live:
        began = time.monotonic()
    assert time.monotonic() - began < PATIENCE  # half a period
    assert live.report().counts["ticks"] <= 1


def delayed(cart: tb.System, rate: float, seconds: float, ticks: int) -> dict[str, int]:
    """What is counted in ticks of which the first is so many seconds late."""
    live = tb.live(cart, rate=rate)
    live._loop.struct.epoch = clock_now() - int(1e9 * seconds)
    assert live._loop.advance(ticks) == ticks
    assert live._loop.statistics.largest[0] >= int(1e9 * seconds)
    assert live._loop.struct.run.steps == ticks  # none is skipped
    return live.report().counts


def test_delays_too_long_to_catch_up_move_the_schedule(cart: tb.System) -> None:
    counts = delayed(cart, 1000, 0.3, 5)
    assert counts["slipped"] >= 299  # the next tick is due a period after this one
    assert counts["overruns"] >= 1


def test_shorter_delays_are_caught_up(cart: tb.System) -> None:
    counts = delayed(cart, 1, 5.5, 6)
    assert counts["slipped"] == 0  # ten periods can be caught up
    assert counts["late"] == 6  # due 5.5, 4.5 … 0.5 s ago
    assert counts["overruns"] >= 5


def test_runs_start_once_and_are_used_within_with(cart: tb.System) -> None:
    live = tb.live(cart, rate=100, speed=None)
    with pytest.raises(tb.InputError, match="is new"):
        live.run(0.1)
    with live:
        live.run(0.1)
        with pytest.raises(tb.InputError, match="starts once"):
            live.start()
    live.stop()  # again does nothing
    with pytest.raises(tb.InputError, match="is stopped"):
        live.run(0.1)
    assert live.ticks == 10


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"rate": 0.5}, "1 to 10 000 ticks"),
        ({"rate": 20_000}, "1 to 10 000 ticks"),
        ({"speed": 0.0}, "speed is 1.0"),
        ({"substeps": 0}, "1 to 100000 substeps"),
        ({"method": "dopri5"}, "can't run against a clock; use method='rk4' or 'euler'"),
        ({"spin": 1.0}, "spin is 0 to"),
        ({"priority": 100}, "priority is 0 to 99"),
        ({"inputs": {"forse": tb.devices.WatchedInput()}}, "did you mean 'force'"),
        ({"outputs": {"ecco": tb.devices.GuardedOutput()}}, "did you mean 'echo'"),
        ({"parameters": {"mass": 1e9}}, "outside its range"),
        ({"constraints": "projection"}, "has no constraints"),
        ({"x0": [1.0]}, "has 2 elements"),
        ({"x0": [1.0, float("nan")]}, "'slide rate' is nan"),
    ],
)
def test_what_can_not_run_is_refused(
    cart: tb.System, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(tb.InputError, match=complaint):
        tb.live(cart, **arguments)  # type: ignore[arg-type]


def test_other_platforms_get_a_clear_word(cart: tb.System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(tb.InputError, match="need Linux"):
        tb.live(cart)

"""Ports of a run whose structure changes: inputs come and go, with devices and other processes that
write and read them."""

import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from touchback.realtime import attach
from waiting import until

RATE = 1000.0
T = 1.0 / RATE


def cart(*inputs: str, **outputs: float) -> tb.System:
    """On a rail, in so many outputs that are numbers."""
    m = tb.Model("cart")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    for name in inputs:
        m.input(name)
    for name, number in outputs.items():
        m.sensor(name, tb.Signal(number + 0 * m.coordinate("slide"), ""))
    return m.compile()


@pytest.fixture(scope="module")
def calm() -> tb.System:
    return cart()


@pytest.fixture(scope="module")
def windy() -> tb.System:
    m = tb.Model("windy cart")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.sensor("draught", tb.Signal(m.input("wind", default=0.5), ""))
    return m.compile()


def test_an_input_that_a_structure_brings_is_there_with_the_structure(calm, windy) -> None:
    with tb.live(calm, rate=RATE, speed=None) as live:
        live.run(5 * T)
        live.swap(windy)
        live.run(T)
        assert live["wind"] == 0.5  # before anything else was read since


def test_an_input_that_comes_back_begins_with_its_own_value_again(calm, windy) -> None:
    with tb.live(windy, rate=RATE, speed=None) as live:
        live["wind"] = 7.5
        live.run(T)
        assert live.read("draught") == 7.5
        for structure in (calm, windy):
            live.swap(structure)
            live.run(T)
        assert live["wind"] == live.read("draught") == 0.5
        live["wind"] = 8.5
        live.run(T)
        assert live["wind"] == live.read("draught") == 8.5


def test_an_input_that_went_at_a_planned_change_is_refused_by_name(calm, windy) -> None:
    """Also until the run's system is known to be another."""
    with tb.live(windy, rate=500) as live:
        live.swap(calm, at=live.read("time") + 0.01)
        with pytest.raises(tb.InputError, match="'wind'"):
            until(lambda: live["wind"] != 0.5)


def test_a_device_is_read_again_when_its_input_comes_back(calm, windy) -> None:
    class Vane:
        def read(self) -> float:
            return 3.5

    with tb.live(windy, rate=500) as live:
        live.connect("wind", Vane())
        until(lambda: live.read("draught") == 3.5)
        live.swap(calm)
        ticks = live.ticks
        until(lambda: live.ticks > ticks + 20)
        live.swap(windy)
        until(lambda: live.read("draught") == 3.5)
        assert live.faults == ()


def test_other_processes_see_two_changes_in_a_row() -> None:
    """Though the second directory lies where the first had been, and is as long."""
    name, between = f"touchback-test-{clock_now()}", cart("snow", "rain")
    first, last = cart("snow", flak=1.0), cart("snow", drop=99.0)
    with tb.live(first, rate=RATE, speed=None, share=name) as live:
        live.run(T)
        far = attach(name)
        assert far.read("flak") == 1.0
        for _ in range(3):
            for structures, gone, there, value in (
                ((between, last), "flak", "drop", 99.0),
                ((between, first), "drop", "flak", 1.0),
            ):
                for structure in structures:
                    live.swap(structure)
                    live.run(T)
                assert far.read(there) == value
                with pytest.raises(tb.InputError, match=gone):
                    far.read(gone)

"""Where a device's clock stands in ours: offset and drift from exchanges on a noisy line."""

import ctypes
import random

import pytest

from touchback.native.shared_library import LIB


class Clock:
    """A device's clock: so many ppm fast, started at an offset [s]; and what is known of it."""

    def __init__(self, ppm: float, offset: float) -> None:
        self.ppm, self.offset = ppm, offset
        self.fit = LIB.struct("tb_clock_fit")()
        self.address = ctypes.addressof(self.fit)

    def there(self, here: float) -> float:
        return self.offset + here * (1.0 + 1e-6 * self.ppm)

    def exchange(self, sent: float, out: float, wait: float, back: float) -> None:
        arrived, left = sent + out, sent + out + wait
        ns = [round(1e9 * t) for t in (sent, self.there(arrived), self.there(left), left + back)]
        LIB.tb_fit_take(self.address, *ns)

    def error(self, here: float) -> float:
        """How far the date of an event is off [s]."""
        return 1e-9 * LIB.tb_fit_here(self.address, round(1e9 * self.there(here))) - here

    def doubt(self, here: float) -> float:
        """How far it may be off [s], as is told."""
        return LIB.tb_fit_doubt(self.address, round(1e9 * self.there(here)))


@pytest.mark.parametrize("seed", range(10))
def test_dates_are_never_further_off_than_the_doubt_that_is_told_of_them(seed: int) -> None:
    """However lopsided the line is, and however long it stood still at first."""
    draw, clock = random.Random(seed), Clock(0.0, 50.0)
    now = 0.0
    for k in range(300):
        slowest = 2.0 if k < draw.randrange(40) else draw.choice([1e-4, 1e-3, 1e-2])
        out, back = slowest * draw.random(), slowest * draw.random() ** 4
        clock.exchange(now, out, 1e-3 * draw.random(), back)
        now += out + back + draw.random() * 0.1
        assert abs(clock.error(now)) <= clock.doubt(now) + 1e-6


@pytest.mark.parametrize("jump", [-1.0, 0.3])
def test_a_clock_that_stood_still_or_was_set_is_known_again_with_the_next_exchange(jump) -> None:
    clock = Clock(50.0, 50.0)
    for k in range(2000):
        clock.exchange(2e-3 * k, 1e-4, 1e-3, 1e-4)
    clock.offset += jump
    assert clock.error(4.0) == pytest.approx(jump, abs=1e-4)
    clock.exchange(4.0, 1e-4, 1e-3, 1e-4)
    assert abs(clock.error(4.01)) < 2e-4


@pytest.mark.parametrize("ppm", [0.0, 100.0, -300.0])
def test_a_second_later_dates_are_within_half_of_the_fastest_round_trip(ppm: float) -> None:
    draw, clock = random.Random(4), Clock(ppm, 98_765.4)
    for k in range(4000):  # 8 s: 100 µs each way at least, and now and then milliseconds
        out, back = (1e-4 + draw.expovariate(1 / 3e-4) for _ in range(2))
        clock.exchange(2e-3 * k, out, draw.random() * 1e-3, back)
    assert clock.fit.round_trip == pytest.approx(2e-4, rel=0.5)
    assert clock.fit.drift == pytest.approx(-1e-6 * ppm, abs=2e-5)
    assert abs(clock.error(8.0)) < 1e-4
    assert abs(clock.error(9.0)) < 1e-4


def test_a_line_that_is_slower_one_way_is_off_by_half_of_the_difference() -> None:
    clock = Clock(0.0, -5.0)
    for k in range(1000):
        clock.exchange(2e-3 * k, 1e-3, 0.0, 5e-4)
    assert clock.error(2.0) == pytest.approx(-2.5e-4, abs=1e-6)


def test_one_slow_exchange_at_the_start_is_forgotten_at_once() -> None:
    clock = Clock(0.0, 0.0)
    clock.exchange(0.0, 0.05, 0.0, 0.0)  # something held it up on the way there
    assert clock.error(0.1) == pytest.approx(-0.025)
    clock.exchange(0.1, 1e-4, 0.0, 1e-4)
    assert clock.error(0.2) == pytest.approx(0.0, abs=1e-6)


def test_the_device_s_microseconds_go_round_after_71_minutes() -> None:
    clock = Clock(0.0, 0.0)
    unwrapped = [LIB.tb_fit_unwrap(clock.address, t & 0xFFFFFFFF) for t in range(0, 2**34, 2**30)]
    assert unwrapped == [1000 * t for t in range(0, 2**34, 2**30)]


def test_an_echo_of_another_command_is_no_exchange() -> None:
    clock = Clock(0.0, 0.0)
    LIB.tb_fit_take(clock.address, 2_000, 0, 1_000, 2_500)  # less time here than there
    assert clock.fit.count == 0


@pytest.mark.parametrize("ppm", [0.0, 500.0, -500.0])
def test_a_date_to_come_is_no_date_and_what_led_to_it_is_forgotten(ppm: float) -> None:
    draw, clock = random.Random(3), Clock(ppm, 50.0)

    def told(measured: float, after: float) -> int:
        stamp = round(1e9 * clock.there(measured))
        LIB.tb_fit_check(clock.address, stamp, round(1e9 * (measured + after)))
        return int(clock.fit.count)

    for k in range(1000):
        clock.exchange(5e-3 * k, 1e-3, 1e-3, 1e-4)
        assert told(5e-3 * k + 4e-3, 1e-3 * draw.random()) > 0
    clock.offset += 0.1  # it was set
    assert told(5.0, 0.05) == 0


def test_one_exchange_says_nothing_of_how_fast_a_clock_runs() -> None:
    clock = Clock(49e6, 50.0)
    for k in range(100):
        now = 5e-3 * k
        clock.exchange(now, 1e-4, 0.0, 1e-4)
        for later in (0.0, 1e-4, 1e-3, 4e-3):
            assert abs(clock.error(now + 1e-4 + later)) <= clock.doubt(now + 1e-4 + later) + 1e-6


@pytest.mark.parametrize("times", [2.5, 8.0, 50.0])
def test_nor_do_several_that_came_in_one_burst(times: float) -> None:
    """Ten within a millisecond, as a device sends that was late itself; answers take 35 ms."""
    clock = Clock(1e6 * (times - 1.0), 50.0)
    for k in range(10):
        clock.exchange(8e-5 * k, 1e-4, 0.0, 0.035)
        for later in (0.0, 4e-4, 1e-3, 5e-3, 0.02):
            now = 8e-5 * k + 1e-4 + later
            assert abs(clock.error(now)) <= clock.doubt(now) + 1e-6


def test_doubt_grows_as_long_as_no_exchange_comes() -> None:
    """By the 2 ms a second that two clocks of 1000 ppm part."""
    clock = Clock(0.0, 0.0)
    for k in range(100):
        clock.exchange(0.02 * k, 1e-4, 1e-4, 1e-4)
    assert clock.doubt(12.0) - clock.doubt(2.0) == pytest.approx(0.02, abs=2e-3)

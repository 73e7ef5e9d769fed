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


class Peer:
    """The fit written once more, as the header and the docs describe it."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float, float]] = []  # at, offset, line
        self.begin = self.origin = self.first = self.agreed = 0.0
        self.confirmed = False

    def refit(self) -> None:
        self.fastest = min(line for _, _, line in self.points)
        good = [each for each in self.points if each[2] <= 2.0 * self.fastest + 1e-4]
        self.mean_at = sum(at for at, _, _ in good) / len(good)
        self.mean = sum(offset for _, offset, _ in good) / len(good)
        xx = sum((at - self.mean_at) ** 2 for at, _, _ in good)
        xy = sum((at - self.mean_at) * (offset - self.mean) for at, offset, _ in good)
        self.drift = max(-1e-3, min(1e-3, xy / (xx + 1.0)))
        self.doubt = sum(0.5 * line / len(good) for _, _, line in good)
        self.rate = sum(0.5 * line * abs(at - self.mean_at) / (xx + 1.0) for at, _, line in good)

    def allowed(self, at: float, line: float) -> float:
        return 0.5 * line + self.doubt + (self.rate + 2e-3) * abs(at - self.mean_at) + 1e-4

    def take(self, t1: int, t2: int, t3: int, t4: int) -> None:
        at, line = 1e-9 * t3, 1e-9 * ((t4 - t1) - (t3 - t2))
        if not self.points:
            self.origin = float(t4 - t3)
        offset = 1e-9 * (0.5 * ((t1 - t2) + (t4 - t3)) - self.origin)
        if line < 0.0:
            return
        if self.points:
            off = offset - self.mean - self.drift * (at - self.mean_at)
            if abs(off) > self.allowed(at, line):
                self.points = []
        if not self.points:
            self.first = at
        long = bool(self.points) and at - self.first > 2.0 * self.allowed(at, line)
        self.confirmed = bool(self.points) and (self.confirmed or long)
        if not self.points or line <= 2.0 * self.fastest + 1e-4:
            self.agreed = at
        if not self.points or at - self.begin >= 0.25:
            self.points = [*self.points[-15:], (at, offset, line)]
            self.begin = at
        elif line >= self.points[-1][2]:
            return
        else:
            self.points[-1] = at, offset, line
        self.refit()


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_the_one_that_its_description_gives(seed: int) -> None:
    """Every number after every exchange, to what the order of sums leaves open."""
    draw, clock, peer = random.Random(seed), Clock(draw_ppm(seed), 7.0), Peer()
    now = 0.0
    for _ in range(400):
        now += draw.choice([0.01, 0.1, 0.4]) * draw.random()
        if draw.random() < 0.01:
            clock.offset += draw.choice([-1.0, 1.0])  # it was set
        out, wait, back = (draw.choice([1e-4, 5e-4, 5e-3]) * draw.random() for _ in range(3))
        sent = now, clock.there(now + out), clock.there(now + out + wait), now + out + wait + back
        ns = [round(1e9 * each) for each in sent]
        LIB.tb_fit_take(clock.address, *ns)
        peer.take(*ns)
        fit = clock.fit
        assert fit.count == len(peer.points) and bool(fit.confirmed) == peer.confirmed
        found = [fit.mean_at, fit.mean_offset, fit.drift, fit.doubt, fit.doubt_rate]
        wanted = [peer.mean_at, peer.mean, peer.drift, peer.doubt, peer.rate]
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert (fit.round_trip, fit.first, fit.agreed) == (peer.fastest, peer.first, peer.agreed)
        later = ns[2] + 123_456_789
        here = later + peer.origin + 1e9 * (peer.mean + peer.drift * (1e-9 * later - peer.mean_at))
        assert LIB.tb_fit_here(clock.address, later) == pytest.approx(here, abs=2.0)
        drifted = 2e-3 * abs(1e-9 * later - peer.agreed)
        if not peer.confirmed:
            drifted = 100.0 * abs(1e-9 * later - peer.first)
        doubt = peer.doubt + peer.rate * abs(1e-9 * later - peer.mean_at) + drifted
        assert LIB.tb_fit_doubt(clock.address, later) == pytest.approx(doubt, rel=1e-9)


def draw_ppm(seed: int) -> float:
    return (0.0, 100.0, -300.0, 900.0, 3000.0, -5000.0)[seed]

"""Limits of what is taken, defaults, and what a receiver keeps from one instant to the next."""

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from touchback.devices.gps import (
    WEEK_1886,
    Almanac,
    Building,
    Correlator,
    NmeaTransmitter,
    Receiver,
    Site,
    gps_time,
    hidden,
    parse_sem,
    parse_yuma,
    read_almanac,
)
from touchback.devices.gps.almanac import kepler, leap_seconds
from touchback.devices.gps.gps_receiver import Fix, VisibleSatellite, solve_position
from touchback.devices.gps.nmea_writer import gga, gsv, rmc
from touchback.errors import InputError, SolveError

NOON = datetime(2016, 3, 2, 4, 0, tzinfo=UTC)
BEIJING = Site(39.98, 116.33, 50.0)
ALMANAC = read_almanac(WEEK_1886)
YUMA = """**** one ****
ID: {prn}
Health: {health}
Eccentricity: {eccentricity}
Time of Applicability(s): {seconds}
Orbital Inclination(rad): {inclination}
Rate of Right Ascen(r/s): {node_rate}
SQRT(A)  (m 1/2): {root_axis}
Right Ascen at Week(rad): {node}
Argument of Perigee(rad): {perigee}
Mean Anom(rad): {anomaly}
Af0(s): {clock_bias}
Af1(s/s): {clock_drift}
week: {week}
"""
USUAL = {
    "prn": "1", "health": "0", "eccentricity": "0.005", "seconds": "3e5", "inclination": "0.96",
    "node_rate": "-8e-9", "root_axis": "5153.6", "node": "-0.65", "perigee": "0.45",
    "anomaly": "1.4", "clock_bias": "1e-5", "clock_drift": "0", "week": "862",
}  # fmt: skip
LIMITS = {  # what an almanac can say: numbers of satellites, semicircles, orbits above the Earth
    "prn": (1, 210), "health": (0, 511), "eccentricity": (0.0, 0.5), "seconds": (0.0, 604800.0),
    "inclination": (-math.pi, math.pi), "node_rate": (-1e-5, 1e-5), "root_axis": (2540.0, 8192.0),
    "node": (-math.tau, math.tau), "perigee": (-math.tau, math.tau),
    "anomaly": (-math.tau, math.tau), "clock_bias": (-1.0, 1.0), "clock_drift": (-1e-3, 1e-3),
    "week": (0, 8191),
}  # fmt: skip


def refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("key", LIMITS)
def test_an_almanac_goes_to_its_limits_and_no_further(key: str) -> None:
    for limit, away in zip(LIMITS[key], (-1, 1), strict=True):
        (orbit,) = parse_yuma(YUMA.format(**USUAL | {key: repr(limit)})).orbits
        if key not in ("seconds", "week"):
            assert getattr(orbit, key) == limit
        beyond = limit + away if isinstance(limit, int) else limit + away * 1e-6 * (1 + abs(limit))
        with pytest.raises(InputError, match=f"its {key} is"):
            parse_yuma(YUMA.format(**USUAL | {key: repr(beyond)}))
    for whole in ("prn", "health", "week"):
        refused(lambda w=whole: parse_yuma(YUMA.format(**USUAL | {w: "1.5"})), "whole numbers")


def test_rows_of_a_sem_almanac_have_limits_too() -> None:
    text = WEEK_1886.read_text()
    first = text.index("1\n63\n0\n")
    for line, limit in ((1, 511), (2, 15)):
        for value in (0, limit, limit + 1):
            rows = text[first:].split("\n")
            rows[line] = str(value)
            changed = text[:first] + "\n".join(rows)
            if value <= limit:
                assert len(parse_sem(changed).orbits) == 31
            else:
                refused(lambda changed=changed: parse_sem(changed), f"to {limit}")
    for head in ("0  CURRENT", "211  CURRENT"):
        refused(lambda head=head: parse_sem(text.replace("31  CURRENT", head)), "from .*1 to 210")


def test_each_leap_second_is_counted_from_its_day() -> None:
    """IERS, Bulletin C: those since GPS time began."""
    days = [
        (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7),
        (1993, 7), (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7),
        (2015, 7), (2017, 1),
    ]  # fmt: skip
    for i, (year, month) in enumerate(days):
        step = datetime(year, month, 1, tzinfo=UTC)
        assert leap_seconds(step) == i + 1 and leap_seconds(step - timedelta(seconds=1)) == i
    assert gps_time(datetime(1980, 1, 6, tzinfo=UTC)) == 0.0
    refused(lambda: gps_time(datetime(1980, 1, 5, 23, 59, 59, tzinfo=UTC)), "before GPS time")


def test_an_almanac_is_taken_for_half_a_year() -> None:
    time, days = ALMANAC.week * 604800.0 + ALMANAC.seconds, 180 * 86400.0
    for sign in (1, -1):
        assert ALMANAC.age(time + 604800.0 * 1024 + sign * days) == sign * days
        refused(lambda s=sign: ALMANAC.age(time + s * (days + 1)), "180 days from")
    drifting = Almanac(
        "one", 0, 100.0, (replace(ALMANAC.orbits[0], clock_bias=2.0, clock_drift=3.0),)
    )
    assert drifting.clocks(110.0) == pytest.approx([2.0 + 3.0 * 10.0])


def test_keplers_equation_holds_up_to_half_an_eccentricity() -> None:
    mean, e = np.meshgrid(np.linspace(-7.0, 7.0, 41), (0.0, 0.2, 0.5))
    found = kepler(mean, e)
    assert found - e * np.sin(found) == pytest.approx(np.remainder(mean, math.tau), abs=1e-14)


def test_sites_and_buildings_have_limits() -> None:
    for site in (Site(90, 180, 1e6), Site(-90, -180, -1e4)):
        assert site.at(np.zeros(3)).height == pytest.approx(site.height, abs=1e-6)
    assert Site(1.0, 2.0).height == 0.0
    for words in ((-90.001, 0), (90.001, 0), (0, 180.001), (0, -180.001), (0, 0, 1e6 + 1)):
        refused(lambda words=words: Site(*words), "Site: its")
    refused(lambda: Site(0, 0, -1e4 - 1), "height must be a number from −1e4 to 1e6 m")
    for i, word in enumerate(("length", "width", "height")):
        sizes = [1.0, 1.0, 1.0]
        for wrong in (0.0, math.inf):
            sizes[i] = wrong
            refused(lambda sizes=tuple(sizes): Building(0, 0, *sizes), f"its {word} is {wrong} m")


def test_what_only_touches_a_building_is_not_hidden() -> None:
    """A box of 2 × 4 × 3 m: rays along its walls, from them, and away from it."""
    house = Building(0.0, 0.0, 2.0, 4.0, 3.0)
    east, north, up = np.eye(3)
    for place, way, met in (
        ((-5.0, 0.0, 1.0), east, True), ((5.0, 0.0, 1.0), east, False),
        ((-5.0, 2.0, 1.0), east, False), ((-5.0, 1.999, 1.0), east, True),
        ((-5.0, 2.001, 1.0), east, False), ((-5.0, 0.0, 3.0), east, False),
        ((-5.0, 0.0, 0.0), east, False), ((1.0, 0.0, 1.0), east, False),
        ((-1.0, 0.0, 1.0), -east, False), ((0.0, -2.0, 1.0), -north, False),
        ((0.0, 0.0, 1.0), up, True), ((0.0, 0.0, 3.0), up, False),
    ):  # fmt: skip
        assert house.hides(np.array(place), way[None, :]).tolist() == [met], (place, way)
        assert hidden([house], np.array(place), way[None, :]).tolist() == [met]
    place = np.array([-5.0, 0.0, 1.0])
    assert (
        not house.hides(place, east[None, :], 4.0)[0] and house.hides(place, east[None, :], 4.1)[0]
    )
    walls = house.walls()
    assert [(tuple(p), tuple(n), half, h) for p, n, half, h in walls] == [
        ((1, 0, 0), (1, 0, 0), 2, 3), ((-1, 0, 0), (-1, 0, 0), 2, 3),
        ((0, 2, 0), (0, 1, 0), 1, 3), ((0, -2, 0), (0, -1, 0), 1, 3),
    ]  # fmt: skip


def test_a_receiver_has_these_defaults_and_limits() -> None:
    given = inspect.signature(Receiver).parameters
    found = {name: each.default for name, each in given.items() if name not in ("site", "start")}
    assert found == {
        "town": (), "almanac": None, "mask": math.radians(5.0), "noise": 1.0,
        "reflectivity": 0.5, "weakest": 33.0, "seed": 1,
    }  # fmt: skip
    for word, least, most in (("mask", 0.0, math.pi / 2), ("noise", 0, 1e6), ("weakest", 0, 60)):
        for limit, beyond in ((least, least - 1e-6), (most, most + 1e-6)):
            assert getattr(Receiver(BEIJING, NOON, **{word: limit}), word) == limit
            refused(lambda w=word, b=beyond: Receiver(BEIJING, NOON, **{w: b}), f"its {word} must")
    assert Correlator() == Correlator(0.5, 0.1) and Correlator(0.0, 1.0).loss == -math.inf
    assert Correlator().loss == pytest.approx(-6.0206, abs=1e-4)
    for words in ((-0.1,), (1.0,), (0.5, 0.0), (0.5, 1.1)):
        refused(lambda words=words: Correlator(*words), "Receiver: its")
    far = 2.0 * 180.0 * 86400.0
    receiver = Receiver(BEIJING, NOON)
    for seconds in (far, -far):
        refused(lambda s=seconds: receiver.look(s, (0, 0, 0)), "180 days")  # of the almanac
        refused(lambda s=seconds: receiver.look(1.001 * s, (0, 0, 0)), "number within ±3.1104e")


def test_signals_are_stronger_overhead_and_reflections_weaker_by_the_walls_loss() -> None:
    seen = Receiver(BEIJING, NOON).look(0.0, (0, 0, 0))
    elevations = [one.elevation for one in seen]
    assert elevations == sorted(elevations, reverse=True) and min(elevations) > 0.0
    for one in seen:
        lost = one.elevation < math.radians(5.0) or one.prn in (13, 32)
        expected = None if lost else 36.0 + 14.0 * math.sin(one.elevation)
        assert one.strength == (expected and pytest.approx(expected, abs=1e-12)) and one.bias == 0.0
    # Behind a wall to the east, with another to the west: what comes is reflected, and weaker.
    town = [Building(12.0, 0.0, 4.0, 400.0, 80.0), Building(-12.0, 0.0, 4.0, 400.0, 80.0)]
    street = Receiver(BEIJING, NOON, town, reflectivity=0.9, noise=0.0)
    around = [one for one in street.look(0.0, (0, 0, 0)) if not one.direct and one.strength]
    assert around
    for one in around:
        expected = 36.0 + 14.0 * math.sin(one.elevation) + 20.0 * math.log10(0.9)
        assert one.strength == pytest.approx(expected, abs=1e-12)
        # 10 m from the wall that mirrors it: 2 d cos θ
        across = abs(math.cos(one.elevation) * math.sin(one.azimuth))
        assert one.bias == pytest.approx(20.0 * across, rel=1e-12)
    weakest = min(one.strength for one in around)
    for limit, kept in ((weakest, len(around)), (weakest + 1e-9, len(around) - 1)):
        picky = Receiver(BEIJING, NOON, town, reflectivity=0.9, weakest=limit)
        found = [one for one in picky.look(0.0, (0, 0, 0)) if not one.direct and one.strength]
        assert len(found) == kept


def test_twelve_channels_hold_the_strongest() -> None:
    twice = tuple(replace(orbit, prn=orbit.prn + 100) for orbit in ALMANAC.orbits)
    crowded = Almanac("crowded", ALMANAC.week, ALMANAC.seconds, ALMANAC.orbits + twice)
    usual = Receiver(BEIJING, NOON).look(0.0, (0, 0, 0))
    seen = Receiver(BEIJING, NOON, almanac=crowded).look(0.0, (0, 0, 0))
    assert len(seen) == 2 * len(usual)
    strengths = sorted((o.strength for o in usual if o.strength), reverse=True)[:6]
    kept = sorted((one.strength for one in seen if one.strength), reverse=True)
    assert kept == pytest.approx([s for s in strengths for _ in range(2)])
    for one in seen:
        assert one.direct and one.bias == 0.0
        assert one.elevation in [o.elevation for o in usual]


def test_velocity_is_from_the_fix_before_unless_there_was_none() -> None:
    receiver = Receiver(BEIJING, NOON, noise=0.0)
    assert receiver.fix(1.0, (0, 0, 0)).velocity is None
    moved = receiver.fix(3.0, (4.0, -2.0, 1.0)).velocity
    assert moved == pytest.approx([2.0, -1.0, 0.5], abs=1e-5)
    assert receiver.fix(3.0, (4.0, -2.0, 1.0)).velocity is None  # no time has passed
    dark = Receiver(BEIJING, NOON, [Building(0, 0, 50, 50, 50)], noise=0.0)
    assert dark.fix(0.0, (0, 0, 100.0)).position is not None
    assert dark.fix(1.0, (0, 0, 1.0)).position is None
    assert dark.fix(2.0, (0, 0, 100.0)).velocity is None


def test_equal_seeds_give_equal_noise() -> None:
    fixes = [
        Receiver(BEIJING, NOON, **w).fix(0.0, (0, 0, 0)) for w in ({}, {"seed": 1}, {"seed": 2})
    ]
    assert fixes[0].position.tolist() == fixes[1].position.tolist() != fixes[2].position.tolist()


def test_four_ranges_with_a_clock_fix_a_place_and_three_do_not() -> None:
    sources = 2e7 * np.array([[1, 0, 0.2], [-0.5, 0.8, 0.4], [-0.5, -0.8, 0.5], [0, 0, 1.0]])
    place = np.array([300.0, -200.0, 100.0])
    ranges = np.linalg.norm(sources - place, axis=1) + 1234.5
    assert solve_position(sources, ranges, np.zeros(3)) == pytest.approx(place, abs=1e-4)
    with pytest.raises(SolveError, match="3 satellites stand so"):
        solve_position(sources[:3], ranges[:3], np.zeros(3))


def satellite(prn: int, strength: float | None, azimuth: float = 0.0) -> VisibleSatellite:
    return VisibleSatellite(prn, math.radians(7.4), math.radians(azimuth), True, strength)


def test_sentences_round_and_fill_their_fields() -> None:
    sky = (
        satellite(3, 44.6, 359.7),
        satellite(14, None, 9.4),
        *(satellite(i, 40) for i in (5, 6, 7)),
    )
    fix = Fix(NOON, sky, velocity=np.array([-1.0, 0.0, 0.0]), place=Site(1.0, -2.0, 3.0))
    first, second = gsv(fix)
    assert first.startswith("$GPGSV,2,1,05,03,07,000,45,14,07,009,,05,07,000,40,06,07,000,40*")
    assert second.startswith("$GPGSV,2,2,05,07,07,000,40*")
    assert gsv(Fix(NOON, ()))[0].startswith("$GPGSV,1,1,00*")
    assert ",0100.0000,N,00200.0000,W,1.9,270.0,020316,,,A*" in rmc(fix)
    assert ",0,00,,,M,,M,," in gga(fix)  # no dilution
    equator = Fix(NOON, (), place=Site(0.0, 0.0))
    assert ",0000.0000,N,00000.0000,E,,,020316,,,A*" in rmc(equator)
    assert ",040000.10," in rmc(Fix(NOON + timedelta(microseconds=109999), ()))


def test_a_transmitter_has_a_rate_above_zero_and_needs_a_sensor() -> None:
    receiver = Receiver(BEIJING, NOON, noise=0.0)
    for rate in (0.0, -1.0, math.inf):
        refused(
            lambda rate=rate: NmeaTransmitter(receiver, None, rate=rate), f"its rate is {rate} a"
        )

    class Stream:
        def __init__(self) -> None:
            self.lines: list[str] = []
            self.flushed = 0

        def write(self, line: str) -> None:
            self.lines.append(line)

        def flush(self) -> None:
            self.flushed += 1

    stream = Stream()
    speaker = NmeaTransmitter(receiver, stream, sensor="at", rate=2.0)
    columns = ("time", "at.z", "at.y", "at.x")
    rows = np.array([[t, 3.0, 2.0, 1.0] for t in (0.0, 0.2, 0.49999999995, 0.6, 1.3)])
    speaker(rows[:2], columns)
    speaker(rows[2:], columns)
    clocks = [line.split(",")[1] for line in stream.lines if "GPRMC" in line]
    assert clocks == ["040000.00", "040000.50", "040001.30"]
    assert stream.flushed == 3
    refused(lambda: speaker(rows, columns[:3]), "the run has no 'at.x'")

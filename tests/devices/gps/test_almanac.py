"""Satellites stand where an independent calculation and two real receivers say."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from touchback.devices.gps import (
    WEEK_1886,
    Almanac,
    Orbit,
    Receiver,
    Site,
    geodetic,
    gps_time,
    parse_sem,
    parse_yuma,
    read_almanac,
    utc,
)
from touchback.errors import InputError

ALMANAC = read_almanac(WEEK_1886)
SEM = WEEK_1886.read_text()
SHORT = SEM[: SEM.index("5\n50\n")].replace("31  ", "3  ")  # three satellites
DAY = datetime(2016, 3, 2, tzinfo=UTC)
MU, EARTH, LIGHT = 3.986005e14, 7.2921151467e-5, 299792458.0
# Two satellites of the same week, as the Navigation Center's YUMA file has them.
YUMA = """******** Week 862 almanac for PRN-01 ********
ID:                         01
Health:                     000
Eccentricity:               0.5100727081E-002
Time of Applicability(s):  319488.0000
Orbital Inclination(rad):   0.9639834877
Rate of Right Ascen(r/s):  -0.7817468486E-008
SQRT(A)  (m 1/2):           5153.602539
Right Ascen at Week(rad):  -0.6558977526E+000
Argument of Perigee(rad):   0.458945255
Mean Anom(rad):             0.1430319489E+001
Af0(s):                     0.1335144043E-004
Af1(s/s):                   0.0000000000E+000
week:                        862

******** Week 862 almanac for PRN-13 ********
ID:                         13
Health:                     063
Eccentricity:               0.4637241364E-002
Time of Applicability(s):  319488.0000
Orbital Inclination(rad):   0.9716773601
Rate of Right Ascen(r/s):  -0.7760323249E-008
SQRT(A)  (m 1/2):           5153.633301
Right Ascen at Week(rad):   0.1544769212E+001
Argument of Perigee(rad):   1.982311391
Mean Anom(rad):             0.1669726103E+001
Af0(s):                    -0.1888275146E-003
Af1(s/s):                  -0.3637978807E-011
week:                        862
"""


def rotated(place: np.ndarray, angle: float) -> np.ndarray:
    """About the Earth's axis."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * place[0] - s * place[1], s * place[0] + c * place[1], place[2]])


def start(orbit: Orbit) -> np.ndarray:
    """Place and velocity at the almanac's instant, by the vectors of the orbit's own plane, with
    Kepler's equation by bisection."""
    e, a = orbit.eccentricity, orbit.root_axis**2
    node, tilt, perigee = orbit.node, orbit.inclination, orbit.perigee
    up = np.array([np.sin(tilt) * np.sin(node), -np.sin(tilt) * np.cos(node), np.cos(tilt)])
    ahead = np.array([np.cos(node), np.sin(node), 0.0])
    p = np.cos(perigee) * ahead + np.sin(perigee) * np.cross(up, ahead)
    q = np.cross(up, p)
    big = brentq(lambda x: x - e * np.sin(x) - orbit.anomaly, -10, 10, xtol=1e-15)
    flat = np.sqrt(1 - e**2)
    speed = np.sqrt(MU / a) / (1 - e * np.cos(big))
    return np.concatenate(
        [
            a * ((np.cos(big) - e) * p + flat * np.sin(big) * q),
            speed * (-np.sin(big) * p + flat * np.cos(big) * q),
        ]
    )


def integrated(almanac: Almanac, ages: np.ndarray) -> np.ndarray:
    """Where Newton's law takes all satellites, in axes that turn with the Earth: (n, 31, 3) [m]."""
    count = len(almanac.orbits)

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        place, velocity = x.reshape(2, count, 3)
        pull = -MU * place / np.linalg.norm(place, axis=1, keepdims=True) ** 3
        return np.concatenate([velocity.ravel(), pull.ravel()])

    first = np.array([start(orbit) for orbit in almanac.orbits])
    first = np.concatenate([first[:, :3].ravel(), first[:, 3:].ravel()])
    found = np.empty((len(ages), count, 3))
    for mine in (ages < 0, ages >= 0):
        times = ages[mine][np.argsort(np.abs(ages[mine]))]
        run = solve_ivp(rates, (0.0, times[-1]), first, "DOP853", times, rtol=1e-12, atol=1e-6)
        for time, x in zip(times, run.y.T, strict=True):
            places = x[: 3 * count].reshape(count, 3)
            turns = [o.node_rate * time - EARTH * (almanac.seconds + time) for o in almanac.orbits]
            found[ages == time] = [rotated(*each) for each in zip(places, turns, strict=True)]
    return found


@pytest.fixture(scope="module")
def day() -> tuple[np.ndarray, np.ndarray]:
    """Every two hours of 2 March 2016: GPS times, and all satellites by Newton's law (n, 31, 3)."""
    times = gps_time(DAY) + 7200.0 * np.arange(12)
    ages = times - (1886 * 604800.0 + 319488.0)
    return times, integrated(ALMANAC, ages)


def test_satellites_move_as_newtons_law_takes_them(day: tuple[np.ndarray, np.ndarray]) -> None:
    times, places = day
    for time, at in zip(times, places, strict=True):
        np.testing.assert_allclose(ALMANAC.positions(time), at, atol=1e-2)  # rtol of the solver


def test_as_many_are_in_view_as_an_independent_calculation_counts(
    day: tuple[np.ndarray, np.ndarray],
) -> None:
    """Healthy and 5° above the plane that touches the ellipsoid, from Beijing, through a day."""
    times, places = day
    site = Site(39.98, 116.33, 0.0)
    normal = site.origin / np.array([6378137.0, 6378137.0, 6356752.314245]) ** 2  # its gradient
    normal /= np.linalg.norm(normal)
    healthy = [orbit.health == 0 for orbit in ALMANAC.orbits]
    counts = []
    for time, at in zip(times, places, strict=True):
        away = at - site.origin
        height = np.degrees(np.arcsin(away @ normal / np.linalg.norm(away, axis=1)))
        counts.append(int(((height > 5.0) & healthy).sum()))
        fix = Receiver(site, utc(time), noise=0.0).fix(0.0, (0.0, 0.0, 0.0))
        assert len(fix.tracked) == min(counts[-1], 12)
    assert min(counts) >= 6 and len(set(counts)) > 3  # the sky changes


def test_a_reference_station_received_these_satellites_at_these_distances() -> None:
    """Station SBCH in Louisiana, 13 February 2016 00:50:00 GPS time: satellites and C/A ranges of
    its RINEX file (NOAA CORS, kept by Orekit's tests as truncate-sbch0440.16o). The almanac is 18
    days younger; IS-GPS-200 promises no better than kilometres then."""
    place = np.array([31569.9070, -5535449.0960, 3157696.7490])
    time = 1883 * 604800.0 + 6 * 86400.0 + 3000.0
    ranges = {
        30: 23732478.250, 7: 21587282.070, 8: 20480273.211, 11: 23436980.414, 16: 24311862.398,
        27: 21702645.609, 1: 25141563.023, 28: 24387848.711, 9: 20700430.070, 23: 21366399.813,
    }  # fmt: skip
    receiver = Receiver(geodetic(place), utc(time), noise=0.0)
    seen = receiver.fix(0.0, (0, 0, 0))
    assert {one.prn for one in seen.tracked} == set(ranges)
    left = []
    for i, orbit in enumerate(ALMANAC.orbits):
        if orbit.prn in ranges:
            travel = ranges[orbit.prn] / LIGHT
            at = rotated(ALMANAC.positions(time - travel)[i], -EARTH * travel)
            clock = ALMANAC.clocks(time)[i]
            left.append(ranges[orbit.prn] + LIGHT * clock - np.linalg.norm(at - place))
    left -= np.median(left)  # the receiver's own clock
    assert np.abs(left).max() < 5000.0  # of 25 000 km


def test_a_receiver_in_sweden_used_the_satellites_that_were_in_view() -> None:
    """GSA of its log: 1 March 2016 06:30:20 UTC. It left out one of those above 5°."""
    used = {1, 22, 11, 23, 3, 19, 6, 25, 12, 31, 17}
    site = Site(59 + 36.0751 / 60, 15 + 11.9275 / 60, 114.4)
    seen = Receiver(site, datetime(2016, 3, 1, 6, 30, 20, tzinfo=UTC)).look(0.0, (0, 0, 0))
    tracked = {one.prn for one in seen if one.strength is not None}
    assert used < tracked and len(tracked) == 12


def test_both_forms_of_file_say_the_same() -> None:
    """To the digits that YUMA prints."""
    yuma = parse_yuma(YUMA)
    assert (yuma.week, yuma.seconds) == (ALMANAC.week, ALMANAC.seconds) == (862, 319488.0)
    sem = {orbit.prn: orbit for orbit in ALMANAC.orbits}
    for orbit in yuma.orbits:
        for field in Orbit.__dataclass_fields__:
            expected = getattr(sem[orbit.prn], field)
            assert getattr(orbit, field) == pytest.approx(expected, rel=5e-10, abs=1e-9)
    assert [o.prn for o in ALMANAC.orbits if o.health] == [13, 32] and len(ALMANAC.orbits) == 31


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "ends amid"),
        ("**** nothing ****\n", "satellite 1 of the file lacks 'id'"),
        (YUMA.replace("0.5100727081E-002", "much"), "line 4: 'much' is no number for eccentricity"),
        (YUMA.replace("0.5100727081E-002", "0.9"), "line 4: its eccentricity is 0.9; it goes from"),
        (YUMA.replace("5153.602539", "nan"), "no number for root_axis"),
        (YUMA.replace("ID:                         13", "ID: 1"), "satellite 1 is in it twice"),
        (YUMA.replace("862", "863", 2), "2 different instants"),
        (YUMA.replace("Mean Anom", "Mean anger"), "'Mean anger\\(rad\\)' is nothing that"),
        (YUMA + "Health: 0\n", "'Health' is given twice"),
        (SEM[: SEM.index("12\n58\n")], "ends amid its satellites"),
        (SEM.replace("31  CURRENT", "30  CURRENT"), "30 satellites were promised, but '32'"),
        (SEM.replace(" 862 319488", " 862"), "line 2: 2 number\\(s\\) belong here, got '862'"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_almanac_is_refused_by_its_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        (parse_yuma if "*" in text else parse_sem)(text)


@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    """Nothing else comes out, and what is read has finite places."""
    text = data.draw(st.sampled_from([SHORT, YUMA]))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 40))
        new = data.draw(st.text(alphabet="0123456789.-+eE*: \nID\x00€", max_size=12))
        text = text[:at] + new + text[at + gone :]
    try:
        found = (parse_yuma if "*" in text else parse_sem)(text)
        time = found.week * 604800.0 + found.seconds
        assert np.isfinite(found.positions(time + 1000.0)).all()
    except InputError:
        pass


def test_an_almanac_of_another_decade_is_refused_with_its_date() -> None:
    with pytest.raises(InputError, match=r"is of 02 March 2016, \d+ days from 01 January 2020"):
        ALMANAC.positions(gps_time(datetime(2020, 1, 1, tzinfo=UTC)))


def test_weeks_may_be_counted_modulo_1024() -> None:
    full = Almanac("full", 862 + 1024, ALMANAC.seconds, ALMANAC.orbits)
    time = gps_time(DAY)
    np.testing.assert_array_equal(full.positions(time), ALMANAC.positions(time))


def test_gps_time_is_ahead_of_utc_by_the_leap_seconds() -> None:
    """17 s in 2016 and 18 s since 2017 (IERS, Bulletin C); week 1886 began on 28 February 2016."""
    assert gps_time(datetime(2016, 2, 28, tzinfo=UTC)) == 1886 * 604800.0 + 17.0
    before, after = datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2017, 1, 1, tzinfo=UTC)
    assert gps_time(after) - gps_time(before) == 2.0
    for when in (before, after, DAY, datetime(1980, 1, 6, tzinfo=UTC)):
        assert utc(gps_time(when)) == when
    with pytest.raises(InputError, match="doesn't say its time zone"):
        gps_time(datetime(2016, 1, 1))

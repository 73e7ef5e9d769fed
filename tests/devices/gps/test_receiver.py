"""A receiver among buildings: shadows, reflections, precision, as geometry has them."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, minimize

from touchback import gallery
from touchback.devices.gps import (
    Building,
    Correlator,
    Receiver,
    Site,
    detours,
    dilution,
    geodetic,
    hidden,
)
from touchback.devices.gps.gps_receiver import CHIP, WAVE
from touchback.errors import InputError, SolveError
from touchback.gallery import gps_robot

NOON = datetime(2016, 3, 2, 4, 0, tzinfo=UTC)
BEIJING = Site(39.98, 116.33, 50.0)


def way(elevation: float, azimuth: float) -> np.ndarray:
    """To the sky, of length one, from degrees."""
    e, a = math.radians(elevation), math.radians(azimuth)
    return np.array([math.cos(e) * math.sin(a), math.cos(e) * math.cos(a), math.sin(e)])


def test_latitude_longitude_and_height_go_there_and_back() -> None:
    """The pole is b = 6356752.3142 m from the middle (NIMA TR8350.2)."""
    assert geodetic(np.array([0.0, 0.0, 6356752.314245])).height == pytest.approx(0.0, abs=1e-6)
    for site in (BEIJING, Site(-89.9999, -179.9, 8848.0), Site(0.0, 180.0, -400.0), Site(45, 0, 0)):
        back = geodetic(site.origin)
        found = back.latitude, back.longitude, back.height
        expected = site.latitude, site.longitude, site.height
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-8)


@given(st.floats(0.5, 40.0), st.floats(2.0, 60.0), st.floats(-math.pi, math.pi))
def test_a_wall_hides_the_sky_up_to_the_angle_of_its_top(
    away: float, height: float, turn: float
) -> None:
    """tan(elevation) = height/distance straight over the wall, however the house is turned."""
    c, s = math.cos(turn), math.sin(turn)
    house = Building((away + 5.0) * c, (away + 5.0) * s, 10.0, 400.0, height, turn)
    top, over = math.degrees(math.atan2(height, away)), 90.0 - math.degrees(turn)
    ways = np.array([way(top - 0.01, over), way(top + 0.01, over), way(1.0, over + 180.0)])
    assert hidden([house], np.zeros(3), ways).tolist() == [True, False, False]


def test_inside_a_house_there_is_no_sky() -> None:
    house = Building(0.0, 0.0, 10.0, 10.0, 5.0)
    ways = np.array([way(e, a) for e in (1, 45, 90) for a in (0, 77, 180)])
    assert hidden([house], np.array([0.0, 0.0, 1.0]), ways).all()


def test_a_reflected_ray_takes_the_shortest_way_over_the_wall() -> None:
    """Fermat: the detour is the least over all points of the wall. The source is 1e8 m away, whose
    rays are parallel to 1e-6 m over the 15 m of the way."""
    house = Building(12.0, 0.0, 8.0, 40.0, 20.0)  # its wall faces the receiver at x = 8
    place, sky = np.array([0.0, 3.0, 1.5]), way(35.0, 250.0)
    source = place + 1e8 * sky

    def path(spot: np.ndarray) -> float:
        """By how much the way over a spot of the wall is longer."""
        on_wall = np.array([8.0, *spot])
        straight = np.linalg.norm(source - place)
        return float(np.linalg.norm(source - on_wall) - straight + np.linalg.norm(on_wall - place))

    shortest = minimize(path, [0.0, 5.0], method="Nelder-Mead", options={"xatol": 1e-6}).fun
    (found,) = detours([house], place, sky[None, :])
    assert found == pytest.approx(shortest, abs=1e-5)
    assert found == pytest.approx(2 * 8.0 * -sky[0])


def test_no_wall_sends_what_another_house_hides_or_what_would_meet_it_too_high() -> None:
    house, sky = Building(12.0, 0.0, 8.0, 40.0, 20.0), way(35.0, 270.0)[None, :]
    place = np.array([0.0, 0.0, 1.0])
    assert np.isfinite(detours([house], place, sky)).all()
    steep = way(70.0, 270.0)[None, :]  # would need a wall of 23 m
    behind = Building(-30.0, 0.0, 5.0, 40.0, 60.0)
    between = Building(4.0, 0.0, 1.0, 1.0, 10.0, math.pi / 4)  # its walls look aside
    for town, ray in (([house], steep), ([house, behind], sky), ([house, between], sky)):
        assert np.isinf(detours(town, place, ray)).all()


@pytest.mark.parametrize("detour", [0.02, 3.0, 3.07, 14.5, 100.0, 290.0, 300.0, 306.0])
@pytest.mark.parametrize("spacing", [0.1, 1.0])
def test_a_code_loop_rests_where_early_and_late_are_equal(detour: float, spacing: float) -> None:
    """Against the zero of the discriminator itself, of triangular correlations."""
    loop, half = Correlator(0.4, spacing), spacing * CHIP / 2
    pull = 0.4 * math.cos(math.tau * detour / WAVE + math.pi)

    def peak(off: float) -> float:
        return max(0.0, 1.0 - abs(off) / CHIP)

    def early_less_late(e: float) -> float:
        straight = peak(e - half) - peak(e + half)
        return straight + pull * (peak(e - detour - half) - peak(e - detour + half))

    found = brentq(early_less_late, -half, half, xtol=1e-12)
    assert loop.error(detour) == pytest.approx(found, abs=1e-6)
    assert loop.error(CHIP * 1.6) == loop.error(math.inf) == 0.0


def test_precision_is_diluted_as_in_the_textbook() -> None:
    """One satellite overhead, three on the horizon 120° apart: PDOP = √(8/3), TDOP = 1/√3 (Kaplan
    and Hegarty)."""
    d = dilution([(math.pi / 2, 0.0), *((0.0, i * math.tau / 3) for i in range(3))])
    found = d.position, d.horizontal, d.vertical, d.time
    expected = [math.sqrt(x) for x in (8 / 3, 4 / 3, 4 / 3, 1 / 3)]
    assert found == pytest.approx(expected, rel=1e-12)
    with pytest.raises(SolveError, match="4 satellite"):
        dilution([(0.5, i * math.tau / 4) for i in range(4)])  # on one cone: a height is free


def test_in_the_open_a_receiver_without_noise_knows_where_it_is() -> None:
    place = (31.0, -7.0, 2.0)
    fix = Receiver(BEIJING, NOON, noise=0.0).fix(10.0, place)
    assert fix.position == pytest.approx(place, abs=1e-5)
    assert all(one.direct for one in fix.satellites) and len(fix.tracked) == 10


def test_noise_of_ranges_spreads_positions_by_the_dilution() -> None:
    """Over 400 fixes a standard deviation is known to 3.5 %; 14 % is four times that."""
    receiver = Receiver(BEIJING, NOON, noise=2.0, seed=3)
    fixes = [receiver.fix(0.0, (0, 0, 0)) for _ in range(400)]
    east, north, up = np.array([fix.position for fix in fixes]).T
    expected = fixes[0].dilution
    assert np.hypot(east.std(), north.std()) == pytest.approx(2 * expected.horizontal, rel=0.14)
    assert up.std() == pytest.approx(2 * expected.vertical, rel=0.14)


def test_a_reflected_satellite_shifts_the_position_by_the_normal_equations() -> None:
    receiver = gps_robot.receiver(noise=0.0)
    place = (16.0, 0.0, 0.1)
    fix = receiver.fix(4.0, place)
    biased = [one.bias for one in fix.tracked]
    assert any(not one.direct for one in fix.tracked) and max(biased) > 5.0
    rows = np.array(
        [[*way(math.degrees(one.elevation), math.degrees(one.azimuth)), 1.0] for one in fix.tracked]
    )
    shift = np.linalg.lstsq(rows, -np.array(biased), rcond=None)[0][:3]
    assert fix.position - place == pytest.approx(shift, abs=0.01)  # ranges bend by bias²/2e7 m


def test_beside_houses_fewer_satellites_are_seen_and_positions_are_worse() -> None:
    receiver = gps_robot.receiver(noise=0.0)
    street, open_place = receiver.fix(8.0, (30.0, 0.0, 0.1)), receiver.fix(8.0, (-36.0, 0.0, 0.1))
    assert len(open_place.tracked) == 10 and len(street.tracked) == 6
    assert sum(one.direct for one in street.tracked) == 2
    assert street.dilution.position > 2 * open_place.dilution.position
    assert np.linalg.norm(street.position - [30.0, 0.0, 0.1]) > 5.0


def test_a_robot_that_drives_into_the_street_loses_sight_of_satellites() -> None:
    entry = gps_robot.ENTRY
    run = entry.experiment.run(entry.make().compile())
    fixes = gps_robot.receiver(noise=0.0).follow(run, rate=2.0)
    assert [fix.time.second + fix.time.microsecond / 1e6 for fix in fixes] == [0.0, 0.5, 1.0, 1.5]
    direct = [sum(one.direct for one in fix.satellites) for fix in fixes]
    assert 3.5 < run["position.x"][-1] < 4.0  # 4 m were commanded; the servos lag
    assert direct[-1] < direct[0]


def test_ranges_that_noise_has_spoilt_give_a_fix_on_earth_or_none() -> None:
    receiver = Receiver(BEIJING, NOON, noise=1e4, seed=2)
    fixes = [receiver.fix(float(i), (0.0, 0.0, 0.0)) for i in range(40)]
    heights = [fix.place.height for fix in fixes if fix.place is not None]
    assert 0 < len(heights) < len(fixes) and min(heights) >= -1e4


def test_with_three_satellites_there_is_no_fix() -> None:
    fix = gps_robot.receiver().fix(11.4, (43.6, 0.0, 0.1))
    assert len(fix.tracked) == 3 and fix.position is fix.place is fix.dilution is None


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Building(0, 0, 10, -1, 5), "its width is -1 m"),
        (lambda: Site(91.0, 0.0), "latitude must be"),
        (lambda: Receiver(BEIJING, NOON, noise=-1.0), "noise must be 0 to 1e6 m, got -1.0"),
        (lambda: Receiver(BEIJING, NOON, reflectivity=1.0), "reflectivity is 1.0"),
        (lambda: Receiver(BEIJING, datetime(2026, 11, 16, tzinfo=UTC)), "week_1886.al3' is of"),
        (lambda: Receiver(BEIJING, NOON).fix(0.0, (1.0, math.nan, 0.0)), "three numbers"),
        (lambda: Receiver(BEIJING, NOON).fix(math.nan, (0, 0, 0)), "seconds after .* got nan"),
        (lambda: Receiver(BEIJING, NOON).fix(math.inf, (0, 0, 0)), "seconds after .* got inf"),
        (lambda: Receiver(BEIJING, NOON).look(-1e30, (0, 0, 0)), "seconds after .* got -1e.30"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        make()  # type: ignore[operator]


def test_on_its_page_the_robot_comes_round_the_block_and_home() -> None:
    """A page repeats its experiment, so that all that is commanded must end where it began."""
    shown = gallery.entry("gps-robot").on_page.experiment
    ways = []
    for name in ("command vx", "command vy"):
        times, speeds = np.array(shown.inputs[name], dtype=float)
        assert times[-1] == shown.duration
        ways.append(np.cumsum(np.diff(times) * (speeds[1:] + speeds[:-1]) / 2))
    assert [way[-1] for way in ways] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert [way.max() for way in ways] == pytest.approx([52.0, 42.0], abs=1.0)

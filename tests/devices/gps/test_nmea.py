"""What a receiver says is what NMEA 0183 has, read back by a decoder that knows only its fields."""

import io
import math
from datetime import UTC, datetime
from functools import reduce

import pynmea2
import pytest

import touchback as tb
from touchback.devices.gps import NmeaTransmitter, Receiver, Site, sentences
from touchback.devices.gps.gps_receiver import Fix
from touchback.devices.gps.nmea_writer import checksum, gga, gsa, rmc
from touchback.gallery import gps_robot
from touchback.model.sensors import Position

NOON = datetime(2016, 3, 2, 4, 0, tzinfo=UTC)
PUBLISHED = (  # DePriest's description of the standard, and the log of the receiver in Sweden
    "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47",
    "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A",
    "$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39",
    "$GPGSV,2,1,08,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45*75",
    "$GPRMC,063020.000,A,5936.0751,N,01511.9275,E,0.00,100.06,010316,,,A*6C",
    "$GPGSA,A,3,01,22,11,23,03,19,06,25,12,31,17,,1.10,0.73,0.82*01",
)
PLACES = (Site(39.98, 116.33, 50.0), Site(-33.5, -70.6, 520.0))
FIELDS = {"GPGGA": 15, "GPGSA": 18, "GPRMC": 13}


def decoded(line: str) -> list[str]:
    """The fields of a sentence whose frame is right."""
    assert line[0] == "$" and line.endswith("\r\n") and len(line) <= 82, line
    words, _, sum_ = line[1:-2].partition("*")
    assert reduce(lambda x, y: x ^ y, words.encode("ascii")) == int(sum_, 16) and len(sum_) == 2
    fields = words.split(",")
    assert len(fields) == FIELDS.get(fields[0], len(fields)), line
    return fields


def angle(text: str, letter: str) -> float:
    """Degrees of DDMM.MMMM and its letter."""
    whole, minutes = text[: text.index(".") - 2], float(text[text.index(".") - 2 :])
    assert 0.0 <= minutes < 60.0
    return (int(whole) + minutes / 60.0) * (1 if letter in "NE" else -1)


@pytest.mark.parametrize("line", PUBLISHED)
def test_checksums_are_those_of_published_sentences(line: str) -> None:
    words, _, expected = line[1:].partition("*")
    assert checksum(words) == expected


@pytest.mark.parametrize("site", PLACES)
def test_a_decoder_finds_the_fix_in_its_sentences(site: Site) -> None:
    receiver = Receiver(site, NOON, noise=0.0)
    receiver.fix(0.0, (0.0, 0.0, 0.0))
    fix = receiver.fix(1.0, (3.0, -4.0, 0.0))
    by_name: dict[str, list[list[str]]] = {}
    for line in sentences(fix):
        by_name.setdefault(decoded(line)[0], []).append(decoded(line))
    (place,), (active,), (least,), views = (by_name[f"GP{x}"] for x in ("GGA", "GSA", "RMC", "GSV"))

    assert fix.place is not None and fix.dilution is not None
    for fields in (place[2:6], least[3:7]):  # a ten-thousandth of a minute is 0.19 m
        assert angle(*fields[:2]) == pytest.approx(fix.place.latitude, abs=1e-6)
        assert angle(*fields[2:]) == pytest.approx(fix.place.longitude, abs=1e-6)
    assert place[1] == least[1] == "040001.00" and least[9] == "020316"
    assert float(place[9]) == pytest.approx(site.height, abs=0.06) and place[6] == "1"
    assert float(least[7]) == pytest.approx(5.0 * 3600 / 1852, abs=0.05)  # knots
    assert float(least[8]) == pytest.approx(180 - math.degrees(math.atan2(3, 4)), abs=0.05)

    used = [int(number) for number in active[3:15] if number]
    assert used == [one.prn for one in fix.tracked] and int(place[7]) == len(used)
    dops = [float(x) for x in active[15:18]]
    d = fix.dilution
    assert dops == pytest.approx([d.position, d.horizontal, d.vertical], abs=0.051)

    assert [int(v[2]) for v in views] == list(range(1, len(views) + 1))
    rows = [v[i : i + 4] for v in views for i in range(4, len(v), 4)]
    assert len(rows) == int(views[0][3]) == len(fix.satellites)
    for row, one in zip(rows, fix.satellites, strict=True):
        assert int(row[0]) == one.prn
        assert int(row[1]) == pytest.approx(math.degrees(one.elevation), abs=0.5001)
        off = int(row[2]) - math.degrees(one.azimuth)
        assert abs((off + 180) % 360 - 180) <= 0.5001 and 0 <= int(row[2]) < 360
        assert (row[3] != "") == (one.strength is not None)


@pytest.mark.parametrize("site", PLACES)
def test_a_program_of_others_reads_the_same_fix(site: Site) -> None:
    receiver = Receiver(site, NOON, noise=0.0)
    receiver.fix(0.0, (0.0, 0.0, 0.0))
    fix = receiver.fix(1.0, (3.0, -4.0, 0.0))
    assert fix.place is not None and fix.dilution is not None
    read = [pynmea2.parse(line.strip(), check=True) for line in sentences(fix)]
    by_type = {one.sentence_type: one for one in read}
    for one in (by_type["GGA"], by_type["RMC"]):
        assert one.latitude == pytest.approx(fix.place.latitude, abs=1e-6)
        assert one.longitude == pytest.approx(fix.place.longitude, abs=1e-6)
    assert by_type["RMC"].datetime == fix.time
    assert by_type["RMC"].is_valid and int(by_type["GGA"].num_sats) == len(fix.tracked)
    assert float(by_type["GSA"].pdop) == pytest.approx(fix.dilution.position, abs=0.051)
    told = [int(getattr(one, f"sv_prn_num_{i}"))
            for one in read if one.sentence_type == "GSV"
            for i in range(1, 5) if getattr(one, f"sv_prn_num_{i}", "")]  # fmt: skip
    assert told == [one.prn for one in fix.satellites]


def test_without_a_fix_it_says_what_real_receivers_say() -> None:
    """The sentences of the receiver in Sweden before it had one, but for their time."""
    fix = Fix(datetime(2016, 3, 1, 6, 30, 2, 880000, tzinfo=UTC), ())
    assert gsa(fix) == "$GPGSA,A,1,,,,,,,,,,,,,,,*1E\r\n"
    assert ",".join(decoded(gga(fix))) == "GPGGA,063002.88,,,,,0,00,,,M,,M,,"
    assert ",".join(decoded(rmc(fix))) == "GPRMC,063002.88,V,,,,,,,010316,,,N"


def test_minutes_never_read_sixty() -> None:
    fix = Fix(NOON, (), None, Site(39.9999999999, -0.9999999999))
    assert ",4000.0000,N,00100.0000,W," in rmc(fix)


def test_it_rides_along_in_a_live_run_and_speaks_once_a_second() -> None:
    m = tb.Model("sledge", gravity=(0, 0, 0))
    body = m.body("sledge", mass=1.0)
    m.joint("way", tb.Prismatic("x"), m.ground, body)
    m.sensor("position", Position(body.at(0, 0, 0)))
    stream = io.StringIO()
    with tb.live(m.compile(), rate=100, speed=None) as live:
        tap = live.tap(NmeaTransmitter(gps_robot.receiver(noise=0.0), stream))
        live.run(2.5)
        tap.close()
    lines = stream.getvalue().splitlines(keepends=True)
    # The first tick ends 10 ms after the start.
    clocks = [decoded(line)[1] for line in lines if "GPRMC" in line]
    assert clocks == ["040000.01", "040001.00", "040002.00"]
    assert tap.failure is None

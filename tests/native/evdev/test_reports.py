"""Reports of event devices, from bytes as Linux writes them (struct input_event of 64 bits)."""

import ctypes
import random
import struct

import pytest

from touchback.native.shared_library import LIB

EVENT = struct.Struct("<qqHHi")
SYN, KEY, ABS = 0, 1, 3
REPORT, DROPPED = 0, 3
X, Z, HAT = 0, 2, 16
REPORTED, LOST, STRANGE = 1, 2, 4  # of reports.h
RANGES = {X: (0, 65535, 32768), Z: (0, 255, 255)}  # least, most, at first


def event(kind: int, code: int, value: int, at: float = 12.5) -> bytes:
    return EVENT.pack(int(at), round(1e6 * (at % 1.0)), kind, code, value)


class Reader:
    """The parser, beside a device that has an X and a Z."""

    def __init__(self) -> None:
        self.about = LIB.struct("tb_evdev_about")()
        self.reports = LIB.struct("tb_evdev_reports")()
        for code, (least, most, value) in RANGES.items():
            axis = self.about.axes[code]
            axis.least, axis.most, axis.value = least, most, value
            self.about.present |= 1 << code
        LIB.tb_evdev_begin(ctypes.addressof(self.reports), ctypes.addressof(self.about))

    def take(self, data: bytes) -> int:
        places = ctypes.addressof(self.reports), ctypes.addressof(self.about)
        return int(LIB.tb_evdev_take(*places, data, len(data)))

    def __getitem__(self, code: int) -> int:
        return int(self.reports.values[code])

    @property
    def known(self) -> tuple[list[int], int, int]:
        return list(self.reports.values), self.reports.strange, self.reports.stamp


@pytest.fixture
def reader() -> Reader:
    return Reader()


def test_axes_begin_where_the_device_says_that_they_are(reader) -> None:
    assert (reader[X], reader[Z], reader.reports.strange) == (32768, 255, 0)


def test_values_count_from_the_end_of_their_report_on(reader) -> None:
    assert reader.take(event(ABS, X, 100)) == 0
    assert reader[X] == 32768
    assert reader.take(event(ABS, Z, 7) + event(SYN, REPORT, 0, 3.000004)) == REPORTED
    assert (reader[X], reader[Z], reader.reports.stamp) == (100, 7, 3_000_004_000)


def test_bytes_may_come_in_any_pieces(reader) -> None:
    data = event(ABS, X, 4711) + event(SYN, REPORT, 0)
    found = [reader.take(data[place : place + 1]) for place in range(len(data))]
    assert found == [0] * (len(data) - 1) + [REPORTED]
    assert reader[X] == 4711


def test_buttons_unknown_axes_and_codes_beyond_all_axes_change_nothing(reader) -> None:
    before = reader.known[0]
    for kind, code in ((KEY, X), (ABS, HAT), (ABS, 63), (ABS, 64), (ABS, 0xFFFF), (0x15, X)):
        reader.take(event(kind, code, 5))
    reader.take(event(SYN, REPORT, 0))
    assert reader.known[0] == before


def test_after_lost_reports_nothing_is_used_until_the_axes_are_asked_anew(reader) -> None:
    reader.take(event(ABS, X, 1) + event(SYN, DROPPED, 0) + event(ABS, X, 2))
    assert reader.take(event(SYN, REPORT, 0)) == LOST
    assert reader[X] == 32768
    assert reader.take(event(ABS, X, 3) + event(SYN, REPORT, 0)) == REPORTED
    assert reader[X] == 3


def test_a_value_outside_of_its_axis_is_told_once_and_marks_it_until_a_sound_one_comes(
    reader,
) -> None:
    assert reader.take(event(ABS, Z, 256) + event(SYN, REPORT, 0)) == REPORTED | STRANGE
    assert reader.take(event(ABS, Z, -1) + event(SYN, REPORT, 0)) == REPORTED
    assert reader.reports.strange == 1 << Z
    reader.take(event(ABS, Z, 9) + event(SYN, REPORT, 0))
    assert (reader[Z], reader.reports.strange) == (9, 0)


@pytest.mark.parametrize("seconds", [-1, 1 << 62, -(1 << 63)])
def test_a_time_that_cannot_be_is_none(reader, seconds: int) -> None:
    reader.take(EVENT.pack(seconds, 0, SYN, REPORT, 0))
    assert reader.reports.stamp == 0
    reader.take(EVENT.pack(1, 2_000_000, SYN, REPORT, 0))
    assert reader.reports.stamp == 0


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_bytes_and_pieces_axes_not_marked_are_in_their_ranges(seed: int) -> None:
    """And what is known in the end doesn't depend on the pieces."""
    draw = random.Random(seed)
    kinds = (SYN, SYN, ABS, ABS, ABS, KEY, 0x15, draw.randrange(1 << 16))
    data = b"".join(
        draw.randbytes(24) if draw.random() < 0.1
        else EVENT.pack(
            draw.choice((5, draw.randrange(-(1 << 63), 1 << 63))), draw.randrange(1_000_000),
            draw.choice(kinds), draw.choice((0, 0, X, Z, DROPPED, 63, 64, draw.randrange(1 << 16))),
            draw.choice((draw.randrange(300), draw.randrange(-(1 << 31), 1 << 31))),
        )
        for _ in range(2000)
    )  # fmt: skip
    whole, pieces = Reader(), Reader()
    whole.take(data)
    place = 0
    while place < len(data):
        size = draw.randrange(1, 200)
        pieces.take(data[place : place + size])
        place += size
        for code, (least, most, _) in RANGES.items():
            strange = pieces.reports.strange >> code & 1
            assert strange or least <= pieces[code] <= most
    assert whole.known == pieces.known

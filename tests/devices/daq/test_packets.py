"""Blocks as datagrams and on a serial line: whole, in order, or not at all."""

import os
import pty
import socket
import time

import numpy as np
import pytest

from touchback.devices.daq import (
    GALLO,
    BlockLayout,
    Daq,
    Feed,
    SerialBoard,
    SourceClock,
    UdpBoard,
    pack_block,
    stuff,
)
from touchback.devices.daq.packet_boards import unstuff
from touchback.errors import DeviceError, InputError
from waiting import until


def block(k: int) -> bytes:
    made = np.zeros(1, dtype=GALLO.dtype)
    made["brake"], made["throttle"], made["steering"] = k, 2 * k, 3 * k
    return made.tobytes()


def packet(k: int, ahead: int = 0) -> bytes:
    return pack_block(GALLO, k, 1_000_000 * k + ahead, block(k))


@pytest.fixture
def board():
    with UdpBoard(GALLO, patience=0.1) as board:
        yield board


@pytest.fixture
def send(board):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield lambda data: sender.sendto(data, ("127.0.0.1", board.port))


@pytest.fixture
def daq(board):
    with Daq(board) as daq:
        yield daq


def told(daq: Daq, text: str) -> str:
    return until(lambda: [event for event in daq.events if text in event])[0]


def test_datagrams_become_blocks_with_their_own_numbers(daq, send) -> None:
    for k in (7, 8, 9, 12):
        send(packet(k))
    until(lambda: daq.counts["received"] == 4)
    blocks = daq.blocks()
    np.testing.assert_array_equal(blocks["number"], [7, 8, 9, 12])
    np.testing.assert_array_equal(blocks["steering"], [21, 24, 27, 36])
    assert daq.counts["lost"] == 2
    assert "2 blocks are lost before number 12" in told(daq, "lost")
    # As sent, 1 ms apart, up to what the first was faster on its way than the others.
    assert np.all(np.diff(blocks["began"]) <= 1e-3 * np.diff(blocks["number"]) * 1.002)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "garbage"), (b"\0" * 500, "garbage"), (packet(1)[:-1], "garbage"),
        (bytes([packet(1)[0] ^ 1]) + packet(1)[1:], "garbage"),
        (pack_block(BlockLayout(2e-3, GALLO.channels), 1, 0, block(1)), "strange"),
        (packet(4), "late"), (packet(5), "late"),
    ],
    ids=["nothing", "zeros", "short", "a bit", "another layout", "older", "twice"],
)  # fmt: skip
def test_what_is_no_new_packet_of_this_layout_is_counted_and_never_used(
    board, daq, send, data: bytes, kind: str
) -> None:
    send(packet(5))
    send(data)
    send(packet(6))
    until(lambda: daq.counts["received"] == 2)
    np.testing.assert_array_equal(daq.blocks()["number"], [5, 6])
    assert board.counts[kind] == 1


def test_every_damaged_bit_of_a_packet_is_seen(board, daq, send) -> None:
    good = packet(1)
    for bit in range(8 * len(good)):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        send(bytes(bad))
        time.sleep(1e-5)
    send(good)
    until(lambda: daq.counts["received"])
    assert board.counts["garbage"] == 8 * len(good)
    told(daq, "Counted only from now on")
    assert len([text for text in daq.events if "no packet, or" in text]) == 5


def test_a_source_that_falls_silent_or_begins_anew_is_told(daq, send) -> None:
    told(daq, "no whole block for 0.1 s: nothing comes at all")
    for k in (100, 101):
        send(packet(k))
    told(daq, "blocks come again")
    send(pack_block(GALLO, 0, 200_000_000, block(0)))
    told(daq, "counts from 0 again")
    until(lambda: daq.counts["received"] == 3)


@pytest.mark.parametrize("jump", [-5.0, 3600.0])
def test_a_source_s_clock_that_jumps_is_known_by_the_blocks_numbers(daq, send, jump: float) -> None:
    send(packet(1))
    send(packet(2))
    until(lambda: daq.counts["received"] == 2)
    send(packet(3, ahead=round(1e9 * jump)))
    told(daq, f"clock jumped by {jump:+g} s")
    assert daq._stream.struct.doubted
    until(lambda: daq.counts["received"] == 3)  # it is kept all the same


def test_a_line_is_in_step_again_after_noise_and_loss() -> None:
    ours, theirs = pty.openpty()
    try:
        with SerialBoard(GALLO, os.ttyname(theirs), 115200) as board, Daq(board) as daq:
            stream = stuff(packet(1)) + stuff(packet(2))
            os.write(ours, stream[7:])  # met in the middle
            os.write(ours, os.urandom(40).replace(b"\0", b"\1") + b"\0")
            os.write(ours, stuff(packet(3)) + stuff(packet(4))[3:] + stuff(packet(5)))
            until(lambda: daq.counts["received"] == 3)
            np.testing.assert_array_equal(daq.blocks()["steering"], [6, 9, 15])
            assert board.counts["garbage"] == 2 and board.counts["lost"] == 1
    finally:
        os.close(ours)
        os.close(theirs)


def test_stuffed_bytes_have_no_zero_inside_and_come_back() -> None:
    draw = np.random.default_rng(3)
    for length in (0, 1, 253, 254, 255, 508, 509, 700):
        for most in (2, 256):
            data = draw.integers(0 if most == 2 else 1, most, length, dtype=np.uint8).tobytes()
            stuffed = stuff(data)
            assert stuffed.index(0) == len(stuffed) - 1
            assert unstuff(stuffed[:-1]) == data
    assert unstuff(b"\5ab") is None


def test_a_line_that_goes_away_is_told() -> None:
    ours, theirs = pty.openpty()
    with SerialBoard(GALLO, os.ttyname(theirs), 115200) as board, Daq(board) as daq:
        os.close(theirs)
        os.close(ours)
        until(lambda: not daq.running)
        assert "no more comes from it" in told(daq, "Serial line")


def test_arrivals_date_a_source_by_the_fastest() -> None:
    """Its clock is 1 s behind and each packet takes 1 ms and an exponential delay of 5 ms."""
    clock, draw = SourceClock(), np.random.default_rng(1)
    sent = 10_000_000 * np.arange(1, 400)
    found = [
        clock.to_local(int(t), int(t) + 1_001_000_000 + int(1e9 * draw.exponential(5e-3)))
        for t in sent
    ]
    late = 1e-9 * (np.array(found[100:]) - sent[100:]) - 1.0
    # 1 ms on the way, and what the slowest crystal drifts until the next fast arrival.
    assert late.min() >= 1e-3 - 1e-9 and np.median(late) < 1.5e-3 and late.max() < 4e-3


def test_places_that_can_not_be_opened_are_refused(board) -> None:
    with pytest.raises(DeviceError, match="is another board there"):
        UdpBoard(GALLO, port=board.port)
    with pytest.raises(DeviceError, match="/dev/nothing"):
        SerialBoard(GALLO, "/dev/nothing")
    with pytest.raises(InputError, match="patience"):
        UdpBoard(GALLO, patience=0.0)
    with pytest.raises(InputError, match="9 bytes"):
        pack_block(GALLO, 0, 0, bytes(9))


def test_numbers_of_blocks_go_on_where_those_of_packets_go_round(daq, send) -> None:
    for k in range(4):
        send(pack_block(GALLO, 2**32 - 2 + k, 1_000_000 * k, block(k)))
    until(lambda: daq.counts["received"] == 4)
    numbers = daq.blocks()["number"]
    np.testing.assert_array_equal(numbers, 2**32 - 2 + np.arange(4))
    assert daq.counts["lost"] == 0


def test_a_source_that_was_switched_off_and_on_is_used_again_once_it_is_trusted(daq, send) -> None:
    """Its numbers and its clock begin at 0: what comes at first can't be told from late blocks."""
    for k in (7_000, 7_001):
        send(packet(k))
    until(lambda: daq.counts["received"] == 2)
    for k in range(30):
        send(packet(k))
    told(daq, "counts from 19 again")
    told(daq, "clock jumped by -6.98")
    until(lambda: daq.counts["received"] == 2 + 11)
    found = daq.blocks()
    assert np.all(np.diff(found["number"]) > 0)  # a record of it goes on
    np.testing.assert_array_equal(found["steering"][2:], 3 * np.arange(19, 30))


def test_late_blocks_among_others_never_count_as_a_new_beginning(board, daq, send) -> None:
    for k in range(60):
        send(packet(1000 + k))
        send(packet(k))
    until(lambda: board.counts["given"] == 60 and board.counts["late"] == 60)
    assert not board.counts["restarts"] and not board.counts["jumps"]


@pytest.mark.parametrize("times", [(-(2**63), 2**63 - 1), (2**63 - 1, -(2**63))])
def test_times_at_the_ends_of_64_bits_are_jumps_like_others(board, daq, send, times) -> None:
    for k, began in enumerate(times):
        send(pack_block(GALLO, k, began, block(k)))
    told(daq, "clock jumped")
    until(lambda: daq.counts["received"] == 2)
    assert board.counts["failures"] == 0


def test_whatever_a_driver_raises_ends_its_board_in_words() -> None:
    class Odd(Feed):
        shut_by_itself = False

        def take(self, seconds: float) -> bool:
            raise KeyError("register 5")

        def shut(self) -> None:
            Odd.shut_by_itself = True

    with Odd("odd card", GALLO, 1.0) as board:
        board.start()
        with Daq(board) as daq:
            told(daq, "odd card: KeyError: 'register 5'; no more comes from it.")
            until(lambda: not daq.running)
    assert Odd.shut_by_itself


@pytest.mark.parametrize("port", [-1, 65_536, 5.0, "5000"])
def test_ports_that_can_t_be_are_refused_by_their_range(port) -> None:
    with pytest.raises(InputError, match=r"0 \(any\) to 65535, got"):
        UdpBoard(GALLO, port)

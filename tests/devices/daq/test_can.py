"""Signals of a CAN bus, and what goes wrong on one."""

import itertools
import os
import time

import can
import numpy as np
import pytest

import touchback as tb
from car_bus import DBC, SIGNALS, pedals, sending, wheel, write_dbc
from touchback.devices.daq import CanBoard, Daq, can_layout, read_dbc
from touchback.errors import InputError
from waiting import until

_channels = itertools.count()


@pytest.fixture
def bus():
    """Both ends of a bus of this process."""
    channel = f"daq {next(_channels)}"
    with (
        can.Bus(channel, interface="virtual") as here,
        can.Bus(channel, interface="virtual", preserve_timestamps=True) as there,
    ):
        yield here, there


@pytest.fixture
def database(tmp_path):
    return read_dbc(write_dbc(tmp_path))


def blocks_of(daq: Daq, count: int) -> dict[str, np.ndarray]:
    until(lambda: daq.counts["received"] >= count)
    return daq.blocks()


def test_frames_of_another_process_become_blocks_whole_and_in_order(database) -> None:
    pytest.importorskip("msgpack")  # python-can's bus between processes needs it
    group, port = "239.74.163.2", 40_000 + os.getpid() % 20_000
    with (
        sending(group, port, 100_000),
        can.Bus(interface="udp_multicast", channel=group, port=port, hop_limit=0) as bus,
        CanBoard(can_layout(database, SIGNALS, 5e-3), bus, database) as board,
        Daq(board) as daq,
    ):
        blocks = blocks_of(daq, 40)
    k = np.rint(1e3 * blocks["steering"])  # which counts
    assert np.all(np.diff(k) >= 1)
    np.testing.assert_allclose(blocks["throttle"], 0.1 * (k % 1000), atol=1e-9)
    np.testing.assert_allclose(blocks["brake"], k % 4000, atol=1e-9)
    assert np.all(blocks["began"] <= blocks["arrival"])
    assert np.all(np.diff(blocks["began"]) > 0.0)


def test_a_block_waits_for_all_its_signals_and_takes_the_newest_of_each(bus, database) -> None:
    here, there = bus
    layout = can_layout(database, SIGNALS, 1e-2, samples={"steering": 3})
    with CanBoard(layout, here, database) as board, Daq(board) as daq:
        for k in range(5):  # five come, three fit
            there.send(wheel(100 * k))
        there.send(pedals(500, 1200))
        blocks = blocks_of(daq, 1)
        assert blocks["throttle"][0] == pytest.approx(50.0)
        np.testing.assert_allclose(blocks["steering"][0], [0.2, 0.3, 0.4])
        there.send(pedals(510, 1210))  # the wheel's are used up
        for k in range(3):
            there.send(wheel(k))
        again = blocks_of(daq, 2)
    np.testing.assert_allclose(again["steering"][0], [0.0, 1e-3, 2e-3])
    assert again["brake"][0] == 1210.0 and again["number"][0] == 1


def test_a_block_is_as_old_as_its_oldest_frame(bus, database) -> None:
    """Also when that one, the first, waited for its reader, and the next one didn't."""
    here, there = bus
    with CanBoard(can_layout(database, SIGNALS, 5e-3), here, database) as board, Daq(board) as daq:
        first = time.time() - 0.05  # it comes 50 ms after it was sent, at least
        there.send(wheel(0, timestamp=first))
        last = time.time()
        there.send(pedals(0, 0, timestamp=last))
        block = blocks_of(daq, 1)
    # Nothing comes before it was sent, so that its age is at least what passed between the two.
    assert block["arrival"][0] - block["began"][0] > last - first - 1e-6


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (can.Message(arbitration_id=0x100, data=b"\1\2\3\4\5\6", is_extended_id=False),
         "message Pedals (0x100) has 6 bytes, but 4 by the DBC"),
        (pedals(500, 60_000), "signal brake is 60000, outside [0, 4000]"),
        (can.Message(arbitration_id=0x4, is_error_frame=True), "an error frame (class 0x4)"),
        (can.Message(arbitration_id=0x40, is_error_frame=True), "bus off"),
        *((wheel(7, timestamp=at), f"a frame came at {at} s of the bus; it isn't used")
          for at in (9e9, -9e9, 1e300, float("inf"), float("nan"))),  # 9e18 ns fit 64 bits
    ],
)  # fmt: skip
def test_what_is_wrong_on_the_bus_is_told_and_never_used(bus, database, frame, told) -> None:
    here, there = bus
    with CanBoard(can_layout(database, SIGNALS, 5e-3), here, database) as board, Daq(board) as daq:
        there.send(wheel(0))
        there.send(frame)
        until(lambda: any(told in text for text in daq.events))
        assert daq.counts["received"] == 0
        there.send(pedals(500, 1200))
        blocks = blocks_of(daq, 1)
    assert blocks["brake"][0] == 1200.0


def test_a_wrong_dbc_is_told_with_what_is_missing_and_what_is_heard(bus, tmp_path) -> None:
    here, there = bus
    other = read_dbc(write_dbc(tmp_path, DBC.replace("BO_ 256", "BO_ 257")))
    there.send(pedals(1, 1))
    there.send(wheel(1))
    board = CanBoard(can_layout(other, SIGNALS, 5e-3), here, other, patience=0.05)
    with board, Daq(board) as daq:
        said = until(lambda: [text for text in daq.events if "no whole block" in text])[0]
        assert "throttle (message Pedals, 0x101), brake (message Pedals, 0x101)" in said
        assert "steering" not in said.partition("Besides")[0]
        there.send(can.Message(arbitration_id=0x101, data=bytes(4), is_extended_id=False))
        until(lambda: any("blocks come again" in text for text in daq.events))


def test_a_bus_that_fails_ends_the_board_and_the_run_says_why(bus, database) -> None:
    here, _ = bus
    model = tb.Model("rider")
    model.sensor("seen", tb.Signal(1.0 * model.input("steering"), ""))

    def fails(timeout: float) -> None:
        raise can.CanOperationError("Network is down")

    with (
        CanBoard(can_layout(database, SIGNALS, 5e-3), here, database) as board,
        Daq(board) as daq,
        tb.live(model.compile(), rate=100) as live,
    ):
        live.connect("steering", daq)
        here.recv = fails
        until(lambda: not daq.running)
        until(lambda: any("Network is down" in f["text"] for f in live.report().faults))


def test_a_clock_that_is_set_holds_blocks_back_until_it_is_trusted(bus, database) -> None:
    here, there = bus
    layout = can_layout(database, ["steering"], 5e-3)
    with CanBoard(layout, here, database) as board, Daq(board) as daq:
        now = time.time()
        there.send(wheel(0, timestamp=now))
        blocks_of(daq, 1)
        there.send(wheel(1, timestamp=now - 3600.0))  # summer time ends
        until(lambda: any("jumped by -3600 s" in text for text in daq.events))
        assert daq._stream.struct.doubted == 1
        daq.trust()
        there.send(wheel(2, timestamp=now - 3599.999))
        until(lambda: daq.counts["received"] == 3)
        assert daq._stream.struct.doubted == 0


def test_signals_and_files_that_are_not_there_are_refused(bus, database, tmp_path) -> None:
    here, _ = bus
    with pytest.raises(InputError, match="steering"):
        can_layout(database, ["steerng"], 5e-3)
    layout = can_layout(database, SIGNALS, 5e-3)
    bare = read_dbc(write_dbc(tmp_path, DBC.partition("BO_ 512")[0]))
    with pytest.raises(InputError, match="steering"):
        CanBoard(layout, here, bare)
    (tmp_path / "no.dbc").write_text("BO_ rubbish {")
    with pytest.raises(InputError, match="no description"):
        read_dbc(tmp_path / "no.dbc")
    with pytest.raises(InputError, match="There is no file"):
        read_dbc(tmp_path / "none.dbc")
    twice = DBC + 'BO_ 768 Other: 4 ECU\n SG_ brake : 0|16@1+ (1,0) [0|0] "" ECU\n'
    with pytest.raises(InputError, match="in messages Pedals, Other"):
        can_layout(read_dbc(write_dbc(tmp_path, twice)), ["brake"], 5e-3)


TWINS = (
    DBC
    + """BO_ 2147484160 Wheel29: 4 ECU
 SG_ column : 0|32@1- (0.001,0) [-20|20] "rad" ECU
"""
)  # 0x200 of 29 bits: another identifier than 0x200 of 11


def test_identifiers_of_11_and_29_bits_are_different_ones(bus, tmp_path) -> None:
    here, there = bus
    database = read_dbc(write_dbc(tmp_path, TWINS))
    with (
        CanBoard(can_layout(database, ["steering", "column"], 5e-3), here, database) as board,
        Daq(board) as daq,
    ):
        long = wheel(700)
        long.is_extended_id = True
        for frame in (wheel(500), long):
            there.send(frame)
        blocks = blocks_of(daq, 1)
    assert blocks["steering"][0] == pytest.approx(0.5)
    assert blocks["column"][0] == pytest.approx(0.7)


@pytest.mark.parametrize("when", [np.nan, np.inf, -np.inf, 1e300])
def test_a_frame_at_a_time_that_can_t_be_isn_t_used(bus, database, when: float) -> None:
    here, there = bus
    layout = can_layout(database, ["steering"], 5e-3)
    with CanBoard(layout, here, database) as board, Daq(board) as daq:
        there.send(wheel(100, timestamp=when))
        there.send(wheel(200))
        blocks = blocks_of(daq, 1)
        until(lambda: any(f"came at {when}" in text for text in daq.events))
    np.testing.assert_allclose(blocks["steering"], [0.2])


def test_frames_of_a_driver_that_gives_no_times_are_dated_by_arrival(bus, database) -> None:
    here, there = bus
    layout = can_layout(database, ["steering"], 5e-3)
    with CanBoard(layout, here, database) as board, Daq(board) as daq:
        for k in range(3):
            there.send(wheel(k, timestamp=0.0))
            until(lambda count=k: daq.counts["received"] > count)
        found = daq.blocks()
    assert np.all(np.diff(found["began"]) > 0.0)  # each has its own, not that of the first


@pytest.mark.parametrize(
    ("was", "now", "wrong"),
    [("(0.001,0)", "(0,0)", "factor of 0"), ("BO_ 256", "BO_ 512", "Pedals, Wheel have the same")],
)
def test_a_dbc_that_can_t_be_is_refused_by_its_signal(tmp_path, was, now, wrong) -> None:
    database = read_dbc(write_dbc(tmp_path, DBC.replace(was, now)))
    with pytest.raises(InputError, match=f"'steering'.*{wrong}"):
        can_layout(database, ["steering"], 5e-3)


def test_folders_and_files_without_an_ending_are_no_dbc(tmp_path) -> None:
    with pytest.raises(InputError, match="is a folder; give a file"):
        read_dbc(tmp_path)
    (tmp_path / "car").write_text("nothing")
    with pytest.raises(InputError, match="no description of a CAN bus"):
        read_dbc(tmp_path / "car")

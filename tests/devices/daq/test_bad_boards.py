"""Boards that say what can't be, or are used as they mustn't: told, and never believed."""

import json
import os
import random
import struct

import numpy as np
import pytest

import touchback as tb
from touchback.devices.daq import (
    GALLO,
    BlockChannel,
    BlockLayout,
    Conditioning,
    Daq,
    PlayedBoard,
    Script,
    SimulatedBoard,
    UdpBoard,
    pack_block,
    strategy,
)
from touchback.errors import DeviceError, InputError
from touchback.estimate import SmoothDifferentiator, kalman_differentiator
from waiting import until


class Anybody:
    """A board of somebody else: what is written comes, blocks and records alike."""

    def __init__(self, layout: BlockLayout = GALLO) -> None:
        self.layout = layout
        self.ends = os.pipe(), os.pipe(), os.pipe()
        (self.data, self.out), (self.records, self.told), (_, self.questions) = self.ends

    def news(self) -> list[str]:
        return []

    def give(self, *numbers: float) -> None:
        kinds = {"int16": "h", "int32": "i", "float64": "d"}
        text = "<" + "".join(kinds[channel.type] for channel in self.layout.channels)
        os.write(self.out, struct.pack(text, *numbers))

    def __enter__(self) -> "Anybody":
        return self

    def __exit__(self, *_: object) -> None:
        for pair in self.ends:
            for file in pair:
                os.close(file)


NAN, HUGE = float("nan"), 10**400
BLOCKS = np.zeros(1, GALLO.dtype)
WRONG = {
    "seconds between blocks": (lambda: BlockLayout(1e300, GALLO.channels), "Blocks must be 1e-09"),
    "channels": (lambda: BlockLayout(1e-3, ["brake"]), "a list of BlockChannel"),
    "a script's layout": (lambda: Script(layout=None), "BlockLayout says what its blocks are"),
    "a script's signals": (lambda: Script(signals=[]), "its signals: numbers by name"),
    "a number as signal": (lambda: Script(signals={"brake": 3.0}), "samples a Sine, a Ramp"),
    "a signal": (lambda: Script(signals={"brake": tb.Sine(NAN, 1.0)}), "numbers of Sine"),
    "a strong signal": (lambda: Script(signals={"brake": tb.Ramp(1e300)}), "numbers of Ramp"),
    "a duration": (lambda: Script(duration=1e300), "A board lasts"),
    "a seed": (lambda: Script(seed="x"), "seed must be a whole number"),
    "a board's layout": (lambda: PlayedBoard(None, BLOCKS), "PlayedBoard: a BlockLayout"),
    "a feed's layout": (lambda: UdpBoard("x"), "UdpBoard: a BlockLayout"),
    "a feed's patience": (lambda: UdpBoard(GALLO, patience=NAN), "patience"),
    "a host": (lambda: UdpBoard(GALLO, host=3), "its host is a name"),
    "a host that is no name": (lambda: UdpBoard(GALLO, host="a\0b"), "can't be listened to"),
    "conditioning": (lambda: Conditioning(None), "Conditioning: a BlockLayout"),
    "a delay": (lambda: Conditioning(GALLO).give("q", 1.0, "brake", delay="x"), "its delay must"),
    "a reader's room": (lambda: strategy("all blocks", GALLO, HUGE), "A reader's room"),
    "a filter's period": (lambda: SmoothDifferentiator(HUGE, 4), "give the time between"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_before_a_board_is_made_of_it(what: str) -> None:
    call, said = WRONG[what]
    with pytest.raises(tb.TouchbackError, match=said):
        call()


def test_numbers_of_numpy_reach_the_board_s_process_as_numbers() -> None:
    half = np.float32(0.5)
    script = Script(jitter=half, drift=half, offset=half, stalls=[(half, half)], seed=np.int64(3))
    told = json.loads(script.as_json((1, 2, 3)))
    assert told["jitter"] == told["offset"] == 0.5 and told["stalls"] == [[0.5, 0.5]]


def test_the_clock_of_a_board_that_is_closed_cannot_be_set() -> None:
    with SimulatedBoard(Script(duration=0.0)) as board:
        pass
    with pytest.raises(DeviceError, match="The board has ended"):
        board.set_clock(1.0)


def test_a_board_has_one_reader_since_two_would_tear_its_blocks() -> None:
    with SimulatedBoard(Script(duration=60.0)) as board:
        with Daq(board), pytest.raises(DeviceError, match="Open the board anew"):
            Daq(board)
        with pytest.raises(DeviceError, match="left within its stream"):
            Daq(board)  # the first may have taken half a block with it
    with pytest.raises(DeviceError, match="closed"):
        Daq(board)
    with UdpBoard(GALLO) as feed:  # gives whole blocks that are dated: another one may go on
        for _ in range(2):
            with Daq(feed):
                pass


def test_what_is_closed_serves_nobody_and_says_so() -> None:
    m = tb.Model("rider")
    m.sensor("seen", tb.Signal(1.0 * m.input("brake"), ""))
    with SimulatedBoard(Script(duration=60.0)) as board, tb.live(m.compile(), rate=100) as live:
        with Daq(board) as daq:
            pass
        daq.close()  # once more is nothing new
        with pytest.raises(DeviceError, match=r"'brake'.*Daq is closed"):
            live.connect("brake", daq)


@pytest.mark.parametrize(
    "wrong", [{"pace": float("nan")}, {"pace": -1.0}, {"priority": 100}, {"priority": 1.5}]
)
def test_a_pace_or_priority_that_can_t_be_is_refused_and_the_board_stays_free(wrong) -> None:
    with Anybody() as board:
        with pytest.raises(InputError, match=next(iter(wrong))):
            Daq(board, **wrong)
        with Daq(board):
            pass


def test_records_that_can_t_be_are_told_once_and_blocks_are_used_all_the_same() -> None:
    """Whatever 32 bytes a board writes; 1–4 and 7 are kinds that boards may say, 1 and 2 only with
    times that can be added without overflow, and 2 only of a question that was asked."""
    draw, edges = random.Random(5), (0, 1, -1, 5, 2**40, 2**61, 2**62, 2**63 - 1, -(2**63))
    with Anybody() as board, Daq(board) as daq:
        for kind in (0, 1, 2, 5, 6, 8, 9, 99, -1, 2**63 - 1, -(2**63)):
            for _ in range(20):
                first, second, third = (draw.choice(edges) for _ in range(3))
                if kind == 1:
                    second = -abs(second % 2**62)  # blocks that follow one another backwards
                os.write(board.told, struct.pack("<4q", kind, first, second, third))
        board.give(1, 2, 3)
        until(lambda: daq.counts["received"] == 1)
        until(lambda: any("can't be" in text for text in daq.events))
        assert len([text for text in daq.events if "can't be" in text]) == 1
        assert daq.latest() is not None and daq.clock.exchanges == 0
        os.write(board.told, struct.pack("<4q", 3, 17, 0, 0))
        until(lambda: any("full after 17 blocks" in text for text in daq.events))


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_isn_t_finite_is_told_kept_and_not_seen_by_filters(broken: float) -> None:
    layout = BlockLayout(1e-3, [BlockChannel("angle", "float64")])
    c = Conditioning(layout)
    speed = c.filtered(kalman_differentiator(1e-3, noise=1e-3, jerk=1.0), c["angle"])
    c.give("speed", speed, of="angle")
    blocks = np.zeros(60, dtype=layout.dtype)
    blocks["angle"] = 2e-3 * np.arange(60)
    blocks["angle"][30:32] = broken
    with Anybody(layout) as board, Daq(board, c) as daq:
        for number in blocks["angle"]:
            board.give(number)
        until(lambda: daq.counts["received"] == 60)
        until(lambda: any("'angle' isn't a finite number in block 30" in t for t in daq.events))
        last, kept = daq.latest(), daq.blocks()["angle"]
        assert daq.counts["not_finite"] == 2
    np.testing.assert_array_equal(kept, blocks["angle"])
    assert last is not None and np.isfinite(last.quantities["speed"])
    found = daq.conditioned.run(blocks)["speed"]
    assert last.quantities["speed"] == found[-1]  # as from recorded ones, to the bit
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(found)), [30, 31])


def test_blocks_that_nobody_took_in_time_are_told_when_somebody_asks() -> None:
    with Anybody() as board, Daq(board) as daq:
        for _ in range(70):
            os.write(board.out, bytes(8 * 1000))
        until(lambda: daq.counts["received"] == 70_000)
        assert len(daq.blocks()["number"]) == 65_536
        until(lambda: any("4464 blocks were used but not kept" in text for text in daq.events))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: BlockChannel(name=None), "A channel's name is None; give a word"),
        (lambda: BlockChannel("a", skew="x"), "'a' is measured 'x' s after its block begins"),
        (lambda: BlockChannel("a", samples=2.5), "'a' must have 1 to 1000 samples, got 2.5"),
        (
            lambda: BlockLayout("x", [BlockChannel("a")]),
            "Blocks must be 1e-09 to 100000 s apart, got .x",
        ),
        (
            lambda: BlockLayout(1e-3, [BlockChannel("a", skew=2e-3, ready=2e-3)]),
            "'a' is measured 0.002 s .* but blocks are 0.001 s apart",
        ),
        (
            lambda: BlockLayout(1e-3, [BlockChannel("a", "float64", samples=513)]),
            "A block of 4104 bytes; one call takes at most 4096",
        ),
        (lambda: BlockChannel("a", behind=3), "'a' is behind by 3; give a channel's name"),
        (
            lambda: BlockLayout(
                1e-3, [BlockChannel("a", behind="b"), BlockChannel("b", samples=2)]
            ),
            "'a' is behind by what 'b' says, which isn't a channel of one number",
        ),
        (lambda: PlayedBoard(GALLO, None), "another layout: NoneType; give an array of"),
        (
            lambda: PlayedBoard(GALLO, np.zeros(1, GALLO.dtype), speed=1e-300),
            "positive speed, 1e-6 to 1e6, got 1e-300",
        ),
        (lambda: pack_block(GALLO, 0, 2**63, bytes(8)), "whole number of ns, in 64 bits, got 92"),
        (lambda: pack_block(GALLO, 0.5, 0, bytes(8)), "number must be a whole number"),
        (lambda: pack_block(GALLO, 0, 0, None), "bytes or an element of an array, got None"),
        (lambda: Script(stalls=[0.1]), r"stalls are pairs \(begin, length\) \[s\], got \[0.1\]"),
    ],
)
def test_what_no_board_can_be_is_told_by_name(make, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        make()


def test_a_clock_is_set_by_a_number() -> None:
    with (
        SimulatedBoard(Script(duration=0.0)) as board,
        pytest.raises(InputError, match=r"clock is set by at most ±2e\+09 s, got nan"),
    ):
        board.set_clock(float("nan"))

"""A simulated board in a process of its own: jitter, stalls, overflow, and its clock."""

import contextlib
import os
import select
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from touchback.devices.daq import (
    GALLO,
    BlockChannel,
    BlockLayout,
    Daq,
    Script,
    SimulatedBoard,
)
from touchback.devices.daq.simulated_board_process import ENDED, TIME, main
from touchback.errors import InputError
from touchback.model.constraint_kinds import Sine
from waiting import PATIENCE, until


def test_every_block_comes_once_whole_and_in_order_through_jitter_and_stalls(
    numbered, check_whole
) -> None:
    script = Script(duration=0.4, jitter=3e-3, stalls=[(0.1, 0.1)], seed=5)
    daq, blocks, drains, _, counts, _ = numbered(script)
    check_whole(blocks, 400)
    assert counts["received"] == drains["blocks"].sum() == 400
    assert drains["bytes"].sum() == 3200
    # What was held back came at once: of its 100 blocks one was used in each of a few calls.
    assert drains["blocks"].max() >= 16
    assert "The board has ended after 400 blocks." in daq.events


def test_while_it_stalls_what_is_used_grows_old_by_as_much(numbered) -> None:
    _, blocks, _, _, _, started = numbered(Script(duration=0.4, stalls=[(0.1, 0.2)]))
    waited = blocks["arrival"] - (1e-9 * started + 1e-3 * blocks["number"])  # their clock is ours
    assert waited[100] >= 0.2 and waited[200] >= 0.1  # sampled when the stall began, and amidst
    assert waited.min() >= 800e-6  # when the last value is ready


def test_the_board_s_clock_is_known_to_about_half_a_round_trip() -> None:
    drift, offset = 2e-4, 4321.0
    script = Script(duration=60.0, drift=drift, offset=offset)
    with SimulatedBoard(script) as board, Daq(board) as daq:
        until(lambda: daq.clock.exchanges > 1 and daq.counts["received"] > 300)
        board.kill()
        until(lambda: not daq.running)
        blocks, clock, started = daq.blocks(), daq.clock, int(daq._stream.struct.started)
    true = (1e-9 * started + 1e-3 * blocks["number"] - offset) / (1.0 + drift)
    # Exchanges of up to twice the fastest round trip and 0.1 ms more are taken into account; the
    # drift is hardly seen within so short a time.
    seen = 1e-3 * blocks["number"][-1]
    assert abs(blocks["began"] - true)[-1] < clock.round_trip + 5e-5 + seen * drift


def test_a_reader_that_takes_one_value_every_5_ms_lets_the_board_overflow_and_stop(
    check_whole,
) -> None:
    script = Script(duration=60.0, buffer=20)
    with (
        SimulatedBoard(script, pipe=4096) as board,
        Daq(board, reader="one value") as daq,
    ):
        until(lambda: any("buffer is full" in text for text in daq.events))
        blocks = daq.blocks()
    check_whole(blocks, len(blocks["number"]))  # what came before is in order all the same


@pytest.mark.parametrize("reader", ["one block", "block if available"])
def test_a_reader_that_takes_one_block_every_5_ms_falls_four_fifths_of_the_time_behind(
    reader: str, check_whole
) -> None:
    """One of five blocks is taken at each step, the oldest: after t seconds it is 0.8 t old."""
    with SimulatedBoard(Script(duration=60.0)) as board, Daq(board, reader=reader) as daq:
        until(lambda: daq.counts["received"] > 150)
        blocks, calls = daq.blocks(), daq.counts["calls"]
    check_whole(blocks, len(blocks["number"]))
    waited = blocks["arrival"] - blocks["began"]
    taken = blocks["arrival"][-1] - blocks["arrival"][50]
    behind = (waited[-1] - waited[50]) / taken
    assert behind >= 0.75  # a machine that is busy makes it worse
    assert calls < 2 * len(blocks["number"]) + 100  # it waits for its next step between calls


def test_one_that_takes_all_blocks_every_5_ms_stays_fresh(numbered) -> None:
    _, blocks, *_ = numbered(Script(duration=0.4), reader="all blocks", pace=5e-3)
    waited = blocks["arrival"] - blocks["began"]
    assert np.median(waited) < 20e-3  # of which up to 5 ms are its pace and 0.8 the block


def test_one_that_takes_everything_reads_channels_for_others() -> None:
    """A block of 8 bytes comes in three writes: calls every 5 ms cut some of them."""
    script = Script(duration=60.0, signals={"brake": Sine(0.0, offset=100.0)})
    with SimulatedBoard(script) as board, Daq(board, reader="everything", pace=1.1e-3) as daq:
        until(lambda: (daq.blocks()["brake"] != 100).any(), 10.0)


def test_what_does_not_wait_needs_a_pace() -> None:
    with (
        SimulatedBoard(Script(duration=1.0)) as board,
        pytest.raises(InputError, match=r"doesn't wait.*pace=0\.005"),
    ):
        Daq(board, reader="block if available", pace=0.0)


def test_one_that_takes_all_blocks_as_rarely_loses_none(numbered, check_whole) -> None:
    script = Script(duration=0.3, buffer=150)  # a busy machine may leave a reader waiting
    _, blocks, drains, *_ = numbered(script, pipe=4096, reader="all blocks", pace=5e-3)
    check_whole(blocks, 300)
    assert drains["blocks"].sum() > 2 * (drains["blocks"] > 0).sum()  # several by each call


def test_a_channel_may_have_several_numbers_in_a_block(numbered) -> None:
    layout = BlockLayout(
        2e-3, (BlockChannel("slow", "uint8"), BlockChannel("fast", "float64", samples=4))
    )
    wave = Sine(1.0, 3.0, 0.4, 2.0)
    _, blocks, *_ = numbered(Script(layout, duration=0.2, signals={"fast": wave}))
    times = 0.5e-3 * np.arange(400)
    assert layout.size == 33
    np.testing.assert_allclose(
        blocks["fast"].ravel(), 2.0 + np.sin(2 * np.pi * 3.0 * times + 0.4), atol=1e-12
    )
    np.testing.assert_array_equal(blocks["slow"], np.arange(100))


def test_numbers_stay_in_a_converter_s_range_and_counters_go_round(numbered) -> None:
    wide = {name: Sine(70_000.0, 2.0) for name in ("brake", "throttle")}
    _, blocks, *_ = numbered(Script(duration=0.5, signals=wide, counters={"throttle": 16}))
    t = 1e-3 * np.arange(500)
    brake = np.floor(70_000.0 * np.sin(2 * np.pi * 2.0 * t))
    np.testing.assert_array_equal(blocks["brake"], np.clip(brake, -32768, 32767))
    latched = np.floor(70_000.0 * np.sin(2 * np.pi * 2.0 * (t + 200e-6)))  # 200 µs later
    np.testing.assert_array_equal(blocks["throttle"], (latched + 32768) % 65536 - 32768)


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"signals": {"brakes": Sine(1.0)}}, "brakes"),
        ({"buffer": 0}, "buffer"),
        ({"jitter": -1.0}, "jitter"),
        ({"duration": float("nan")}, "lasts nan s"),
    ],
)
def test_a_script_that_can_not_be_is_refused(how, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Script(**how)


def test_layouts_that_can_not_be_are_refused() -> None:
    with pytest.raises(InputError, match="int12"):
        BlockChannel("x", "int12")
    with pytest.raises(InputError, match="samples"):
        BlockChannel("x", samples=0)
    with pytest.raises(InputError, match="ready"):
        BlockChannel("x", skew=1e-3, ready=5e-4)
    with pytest.raises(InputError, match="different names"):
        BlockLayout(1e-3, (BlockChannel("x"), BlockChannel("x")))
    with pytest.raises(InputError, match="apart"):
        BlockLayout(0.0, (BlockChannel("x"),))
    with pytest.raises(InputError, match="whole blocks"):
        GALLO.unpack(b"\0" * 9)


def test_speed_counted_on_the_board_is_right_to_a_count_in_its_gate(numbered) -> None:
    gate, turns = 10e-3, Sine(2000.0, 1.5)  # counts
    layout = BlockLayout(1e-3, (BlockChannel("count", "int32"), BlockChannel("speed", "int16")))
    script = Script(
        layout, duration=0.3, signals={"count": turns, "speed": turns}, gates={"speed": gate}
    )
    _, blocks, *_ = numbered(script)
    t = 1e-3 * np.arange(300)
    w = 2 * np.pi * 1.5
    passed = 2000.0 * (np.sin(w * t) - np.sin(w * (t - gate)))
    assert np.abs(blocks["speed"] - passed).max() <= 1.0
    # Half a gate ago, up to the curvature of the motion and a count in the gate:
    true = 2000.0 * w * np.cos(w * (t - gate / 2))
    assert (
        np.abs(blocks["speed"] / gate - true).max() <= (1.0 + 2000.0 * (w * gate) ** 3 / 24) / gate
    )


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"drift": -1.0}, "drift"), ({"duration": "5"}, "lasts 5 s"),
        ({"offset": 1e12}, "got 1000000000000"),
        ({"counters": {"brake": 17}}, "'brake' must have 1 to 16 bits"),
        ({"counters": {"brake": -3}}, "got -3"), ({"gates": {"brake": -1.0}}, "gate of 'brake'"),
    ],
)  # fmt: skip
def test_a_script_that_no_board_can_follow_is_refused(wrong, named: str) -> None:
    """Before, the process ended with a traceback, stood still, or clipped what should go round."""
    with pytest.raises(InputError, match=named):
        Script(**wrong)


@contextlib.contextmanager
def life(count: int, samples: int, period: float) -> Iterator[tuple[int, int, int]]:
    """A board in a thread: so many blocks of so many doubles each; the ends of its pipes where its
    blocks and records come out, and where questions go in."""
    (data, blocks), (records, told), (asked, questions) = os.pipe(), os.pipe(), os.pipe()
    channel = {
        "type": "float64", "samples": samples, "skew": 0.0, "ready": 0.0, "kind": "", "numbers": [],
        "bits": 0, "gate": 0.0,
    }  # fmt: skip
    about: Any = {
        "period": period, "channels": [channel], "blocks": count, "buffer": count, "jitter": 0.0,
        "stalls": [], "offset": 0.0, "drift": 0.0, "seed": 0, "files": (blocks, told, asked),
    }  # fmt: skip

    def live() -> None:
        try:
            main(about)
        finally:
            for file in (blocks, told, asked):
                os.close(file)

    board = threading.Thread(target=live, daemon=True)
    board.start()
    try:
        yield data, records, questions
    finally:
        for file in (data, records, questions):
            os.close(file)  # which ends a board that still writes
        board.join()


def record_of(records: int, kind: int) -> tuple[int, ...]:
    """The next of its records that is of a kind."""
    while True:
        assert select.select([records], [], [], PATIENCE)[0], "it tells nothing"
        found: tuple[int, ...] = struct.unpack("<4q", os.read(records, 32))
        if found[0] == kind:
            return found


def test_a_board_whose_blocks_nobody_takes_answers_and_loses_nothing() -> None:
    """Its pipe holds 64 KiB and its blocks are more: what doesn't fit waits in its buffer."""
    with life(count=20, samples=2000, period=1e-3) as (data, records, questions):
        for number in range(3):
            time.sleep(0.05)  # its pipe is full by then
            os.write(questions, struct.pack("<q", number))
            assert record_of(records, TIME)[1] == number
        taken = b""
        while len(taken) < 20 * 2000 * 8:
            taken += os.read(data, 1 << 20)
        np.testing.assert_array_equal(np.frombuffer(taken), np.repeat(np.arange(20.0), 2000))
        assert record_of(records, ENDED)[1] == 20


def test_a_thousand_questions_at_once_are_all_answered_in_order() -> None:
    with life(count=3, samples=1, period=0.1) as (_, records, questions):
        os.write(questions, struct.pack("<1000q", *range(1000)))
        answered = [record_of(records, TIME) for _ in range(1000)]
        assert [each[1] for each in answered] == list(range(1000))
        assert all(came <= left for _, _, came, left in answered)
        assert record_of(records, ENDED)[1] == 3

"""Gallo's ways to take blocks out of a pipe: all but one fail as he says."""

import os
import struct
import threading

import numpy as np
import pytest

from touchback.devices.daq import (
    GALLO,
    STRATEGIES,
    BlockChannel,
    BlockLayout,
    Reader,
    TaggedReader,
    strategy,
)
from touchback.devices.daq.reading_strategies import WAIT
from touchback.errors import DeviceError, InputError
from touchback.native.daq.daq_pipe import ReadRequest
from waiting import until


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def block(number: int) -> bytes:
    """Brake, throttle and steering of a block, each of which can be told from the others."""
    return struct.pack("<hhi", number, 10_000 + number, 1_000_000 + number)


def blocks(first: int, last: int) -> bytes:
    return b"".join(block(k) for k in range(first, last))


def numbers(taken: np.ndarray) -> list[int]:
    assert all(taken["throttle"] - 10_000 == taken["brake"])
    assert all(taken["steering"] - 1_000_000 == taken["brake"])
    return [int(k) for k in taken["brake"]]


def test_all_but_one_say_how_they_fail() -> None:
    said = {name: strategy(name, GALLO).fails.partition(":")[0] for name in STRATEGIES}
    assert said == {
        "one value": "overflow", "one block": "blocking", "everything": "torn",
        "block if available": "stale", "all blocks": "",
    }  # fmt: skip


def test_a_block_at_each_step_of_5_ms_falls_4_ms_further_behind_with_every_step(pipe) -> None:
    reader = Reader(pipe[0], GALLO, "block if available")
    for step in range(100):
        os.write(pipe[1], blocks(5 * step, 5 * step + 5))
        assert numbers(reader.take().blocks) == [
            step
        ]  # 4 × step blocks of 1 ms behind the freshest


def test_all_blocks_at_each_step_of_5_ms_give_the_freshest(pipe) -> None:
    reader = Reader(pipe[0], GALLO)
    for step in range(100):
        os.write(pipe[1], blocks(5 * step, 5 * step + 5))
        assert numbers(reader.take().blocks) == [*range(5 * step, 5 * step + 5)]
        assert reader.latest is not None and reader.latest["brake"] == 5 * step + 4


def test_who_takes_one_block_waits_for_it_as_long_as_it_takes(pipe) -> None:
    reader, found = Reader(pipe[0], GALLO, "one block"), []
    os.write(pipe[1], block(7)[:6])  # the steering's last bytes aren't there
    waiting = threading.Thread(target=lambda: found.append(reader.take()))
    waiting.start()
    waiting.join(10 * WAIT)
    assert waiting.is_alive()
    os.write(pipe[1], block(7)[6:])
    until(lambda: found)
    assert numbers(found[0].blocks) == [7]
    waiting.join()


def test_who_takes_all_blocks_is_back_with_nothing_and_has_the_whole_block_later(pipe) -> None:
    reader = Reader(pipe[0], GALLO)
    os.write(pipe[1], block(7)[:6])
    nothing = reader.take()
    assert len(nothing.blocks) == nothing.bytes == 0
    assert nothing.seconds >= WAIT  # it waited so long for more, and then gave up
    os.write(pipe[1], block(7)[6:])
    assert numbers(reader.take().blocks) == [7]


def test_who_takes_everything_reads_one_channel_for_another_once_a_block_is_cut(pipe) -> None:
    reader = Reader(pipe[0], GALLO, "everything")
    os.write(pipe[1], block(0) + block(1)[:2])
    assert numbers(reader.take().blocks) == [0]
    os.write(pipe[1], block(1)[2:] + block(2))
    torn = reader.take().blocks[-1]
    assert torn["brake"] == 10_001  # which is the throttle of block 1 …
    assert torn["throttle"] == 1_000_001 & 0xFFFF  # … and half of its steering


@pytest.mark.parametrize("cut", range(1, 8))
def test_all_blocks_are_whole_wherever_the_stream_is_cut(pipe, cut: int) -> None:
    reader, stream = Reader(pipe[0], GALLO), blocks(0, 40)
    found = []
    for start in range(0, len(stream), 8 + cut):
        os.write(pipe[1], stream[start : start + 8 + cut])
        found += numbers(reader.take().blocks)
    assert found == [*range(40)]


def test_a_value_at_each_step_takes_a_block_every_fourth_step_and_the_pipe_fills(pipe) -> None:
    os.set_blocking(pipe[1], False)
    reader, written = Reader(pipe[0], GALLO, "one value"), 0
    with pytest.raises(BlockingIOError):
        while True:
            os.write(pipe[1], blocks(0, 5))
            written += 5
            reader.take()
    assert reader.received * 20 == pytest.approx(written, abs=20)


def test_a_full_buffer_does_not_hide_the_freshest_block(pipe) -> None:
    """Appendix C, line 104, hands over only what came by less than his whole buffer."""
    reader, room = Reader(pipe[0], GALLO, blocks=50), 50
    his_buffer_out = None
    os.write(pipe[1], blocks(0, 70))
    first = reader.take().blocks
    if 0 < len(first) < room:
        his_buffer_out = first[-1]
    assert his_buffer_out is None  # and the car would go on with what it had
    assert reader.latest is not None and reader.latest["brake"] == 49
    assert numbers(reader.take().blocks) == [*range(50, 70)]  # at once, without waiting


def test_a_closed_pipe_gives_what_is_whole_and_then_says_so(pipe) -> None:
    inside, outside = os.pipe()
    os.write(outside, blocks(0, 3) + b"\0\0")
    os.close(outside)
    reader = Reader(inside, GALLO)
    assert numbers(reader.take().blocks) == [0, 1, 2] and not reader.closed
    reader.take()
    assert reader.closed
    os.close(inside)


def test_unknown_strategies_and_calls_that_can_not_be_are_refused(pipe) -> None:
    with pytest.raises(InputError, match="all blocks"):
        Reader(pipe[0], GALLO, "all block")
    for least, most, multiple in ((8, 4, 1), (3, 8, 2), (8, 9, 8), (8192, 1 << 20, 8)):
        with pytest.raises(InputError, match="multiples"):
            ReadRequest(least, most, multiple, None, None)


PEDALS = BlockLayout(1e-3, (BlockChannel("brake", "int16"), BlockChannel("throttle", "int16")))
ALARM = BlockLayout(1.0, (BlockChannel("code", "uint8"),))


def tagged(tag: int, data: bytes) -> bytes:
    return struct.pack("<H", tag) + data


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 7, 100])
def test_tagged_groups_are_told_apart_wherever_the_stream_is_cut(pipe, cut: int) -> None:
    """Gallo's "take what you need": the tag says how much is needed."""
    reader, found = TaggedReader(pipe[0], {1: PEDALS, 7: ALARM}), []
    groups = [(1, struct.pack("<hh", k, -k)) for k in range(20)]
    groups.insert(9, (7, b"\x2a"))
    stream = b"".join(tagged(*group) for group in groups)
    feeding = threading.Thread(
        target=lambda: [os.write(pipe[1], stream[i : i + cut]) for i in range(0, len(stream), cut)]
    )
    feeding.start()
    while len(found) < len(groups):
        if (group := reader.take()) is not None:
            found.append(group)
    feeding.join()
    assert [tag for tag, _ in found] == [tag for tag, _ in groups]
    assert found[9][1]["code"] == 42
    assert [int(group["brake"]) for tag, group in found if tag == 1] == [*range(20)]
    assert reader.received == {1: 20, 7: 1} and reader.take() is None and not reader.closed


def test_a_tagged_group_at_each_step_of_5_ms_falls_behind_a_board_that_sends_five(pipe) -> None:
    reader = TaggedReader(pipe[0], {1: PEDALS})
    for step in range(50):
        for k in range(5 * step, 5 * step + 5):
            os.write(pipe[1], tagged(1, struct.pack("<hh", k, -k)))
        group = reader.take()
        assert group is not None and group[1]["brake"] == step  # 4 × step groups behind


def test_a_tag_that_nobody_named_is_refused_with_those_that_are_known(pipe) -> None:
    reader = TaggedReader(pipe[0], {1: PEDALS})
    os.write(pipe[1], tagged(513, b"1234"))
    for _ in range(2):  # what follows may be anything
        with pytest.raises(DeviceError, match=r"tag 513 came.*known: 1"):
            reader.take()
    with pytest.raises(InputError, match="0 to 65535"):
        TaggedReader(pipe[0], {65_536: PEDALS})


def test_a_tagged_stream_that_ends_within_a_group_says_so(pipe) -> None:
    inside, outside = os.pipe()
    os.write(outside, tagged(1, b"123"))
    os.close(outside)
    reader = TaggedReader(inside, {1: PEDALS})
    assert reader.take() is None and reader.closed
    os.close(inside)

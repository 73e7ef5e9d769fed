"""Blocks that are kept in files, and played again as a board."""

import numpy as np
import pytest

import touchback as tb
from touchback.devices.daq import (
    GALLO,
    BlockChannel,
    BlockLayout,
    Daq,
    PlayedBoard,
    blocks_of_run,
    run_of_blocks,
)
from touchback.errors import InputError
from waiting import until

MIXED = BlockLayout(
    2e-3,
    (
        BlockChannel("slow", "uint8"),
        BlockChannel("fast", "float64", samples=3, skew=1e-4, ready=1e-4),
    ),
)


def some(count: int) -> np.ndarray:
    blocks, draw = np.zeros(count, dtype=MIXED.dtype), np.random.default_rng(2)
    blocks["slow"], blocks["fast"] = draw.integers(0, 256, count), draw.normal(size=(count, 3))
    return blocks


def drained(board: PlayedBoard) -> dict[str, np.ndarray]:
    with Daq(board) as daq:
        until(lambda: not daq.running)
        return daq.blocks()


@pytest.mark.parametrize("suffix", ["csv", "mcap"])
def test_what_was_drained_is_kept_in_a_file_and_played_again_bit_for_bit(tmp_path, suffix) -> None:
    blocks = some(60)
    with PlayedBoard(MIXED, blocks) as board:
        first = drained(board)
    run_of_blocks(MIXED, first).save(tmp_path / f"blocks.{suffix}")
    kept = blocks_of_run(MIXED, tb.open(tmp_path / f"blocks.{suffix}"))
    assert kept.tobytes() == blocks.tobytes()
    with PlayedBoard(MIXED, kept, speed=4.0) as board:
        again = drained(board)
    for name in ("number", "slow", "fast"):
        np.testing.assert_array_equal(again[name], first[name])


def test_a_played_board_gives_no_block_before_its_time_and_tells_its_time() -> None:
    with PlayedBoard(MIXED, some(50_000), speed=2.0) as board, Daq(board) as daq:
        until(lambda: daq.clock.exchanges > 0 and daq.counts["received"] > 60)
        started, blocks = 1e-9 * daq._stream.struct.started, daq.blocks()
    # 2 ms apart as they were taken, so 1 ms apart now; each 0.1 ms after it began.
    due = started + 1e-3 * blocks["number"] + 1e-4
    assert np.all(blocks["arrival"] > due)


def test_the_first_block_is_not_given_before_it_is_ready() -> None:
    layout = BlockLayout(0.2, (BlockChannel("late", "uint8", ready=0.15),))
    with PlayedBoard(layout, np.zeros(2, dtype=layout.dtype)) as board, Daq(board) as daq:
        until(lambda: daq.latest() is not None)
        assert daq.blocks()["arrival"][0] - 1e-9 * daq._stream.struct.started > 0.15


def test_files_of_other_blocks_are_refused() -> None:
    run = tb.Run([0.0, 1e-3, 3e-3], {name: [0.0, 1.0, 2.0] for name in GALLO.dtype.names})
    with pytest.raises(InputError, match="blocks are missing"):
        blocks_of_run(GALLO, run)
    run = tb.Run([0.0, 1e-3], {name: [0.0, 4e4] for name in GALLO.dtype.names})
    with pytest.raises(InputError, match="'brake' is int16"):
        blocks_of_run(GALLO, run)
    run = tb.Run([0.0, 1e-3], {name: [0.0, 9000.000000001] for name in GALLO.dtype.names})
    with pytest.raises(InputError, match=r"has 9000\.000000001 there; a layout of float takes it"):
        blocks_of_run(GALLO, run)
    with pytest.raises(InputError, match="another layout"):
        PlayedBoard(GALLO, some(3))
    with pytest.raises(InputError, match="positive speed"):
        PlayedBoard(MIXED, some(3), speed=0.0)

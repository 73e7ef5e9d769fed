"""Boards whose blocks can be told apart."""

import numpy as np
import pytest

from touchback.devices.daq import Daq, Script, SimulatedBoard
from waiting import until


@pytest.fixture
def numbered():
    """Drains a whole simulated board: all its blocks, and the calls that took them."""

    def drained(script: Script, *, pipe: int = 1 << 16, **how: object):
        with SimulatedBoard(script, pipe) as board, Daq(board, **how) as daq:
            until(lambda: not daq.running)
            blocks, drains, clock, counts = daq.blocks(), daq.drains(), daq.clock, daq.counts
            started = int(daq._stream.struct.started)
        return daq, blocks, drains, clock, counts, started

    return drained


@pytest.fixture
def check_whole():
    """Whether every block has its own numbers, and each comes after the one before."""

    def check(blocks: dict[str, np.ndarray], count: int) -> None:
        number = np.arange(count)
        np.testing.assert_array_equal(blocks["number"], number)  # as counted here: none is lost, …
        np.testing.assert_array_equal(
            blocks["steering"], number
        )  # … as counted there: no other order
        for name in ("brake", "throttle"):  # and none is torn
            np.testing.assert_array_equal(blocks[name] % 2**16, number % 2**16)

    return check

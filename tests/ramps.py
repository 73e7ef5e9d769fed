"""Files of ramps, played as a board: a number tells when it was measured."""

import numpy as np

from touchback.devices.daq import Daq, FileBoard
from waiting import until

SPEED = 20.0
FAST, SLOW = 0.01 * np.arange(60), 0.003 + 0.025 * np.arange(24)  # s: no multiple of each other


def played(path, channels, **how) -> dict[str, np.ndarray]:
    """All blocks of a file, with the time in the file of each number of each channel, as its stamps
    say, from the first instant on."""
    with FileBoard(path, channels, speed=SPEED, **how) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        blocks = daq.blocks()
        assert daq.counts["lost"] == board.counts["unread"] == 0
    began = SPEED * (blocks["began"] - blocks["began"][0])
    for channel in board.layout.channels:
        behind = SPEED * blocks[channel.behind] if channel.behind else 0.0
        blocks[f"{channel.name} at"] = began - behind
    return blocks


def check_ramps(blocks: dict[str, np.ndarray], begin: float, **slopes: float) -> None:
    for name, slope in slopes.items():
        expected = slope * (begin + blocks[f"{name} at"])
        # a block's stamp is in whole ns, 20 times as fast, and told in s since the machine started
        np.testing.assert_allclose(blocks[name], expected, atol=1e-6 * abs(slope), err_msg=name)

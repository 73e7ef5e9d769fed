"""Files of other programs as devices that somebody names."""

from __future__ import annotations

import re
from contextlib import ExitStack

from touchback.devices.daq.board_device import BoardDevice
from touchback.devices.daq.driver import Daq
from touchback.devices.daq.file_board import FileBoard
from touchback.errors import InputError
from touchback.numbers import DECIMAL
from touchback.recording.measured.series import FileChannel

# 420*Pedal_pos
_SCALED = re.compile(rf"({DECIMAL.pattern})\*(.+)")


class PlayedFile(BoardDevice):
    """A file whose `channels` serve the inputs of those names."""

    def __init__(self, path: str, channels: dict[str, FileChannel]) -> None:
        super().__init__()
        self.path, self.channels = path, channels

    def start(self, closing: ExitStack) -> Daq:
        board = closing.enter_context(FileBoard(self.path, self.channels))
        return closing.enter_context(Daq(board))


def open_file(place: str) -> PlayedFile:
    """The device "file:log.csv?throttle=420*Pedal_pos&brake=p_brake": a path, and what of the file
    each input is, with a scale where one is wanted; "&speed" is the channel of that name."""
    path, _, query = place.partition("?")
    channels = dict[str, FileChannel]()
    for part in query.split("&"):
        name, equals, said = part.partition("=")
        scaled = _SCALED.fullmatch(said)
        if not path or not name or (equals and not said):
            raise InputError(
                f"A file to play is given as 'file:log.csv?throttle=Pedal_pos&brake=2.5*p_brake', "
                f"inputs with the channels of the file that they are, got 'file:{place}'."
            )
        scale, channel = (scaled[1], scaled[2]) if scaled else ("1", said or name)
        channels[name] = FileChannel(channel, float(scale))
    return PlayedFile(path, channels)

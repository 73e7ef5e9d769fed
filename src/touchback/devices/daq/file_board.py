"""Measurements of other programs, played as a board."""

from __future__ import annotations

import os
import re
import select
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from touchback.devices.daq.block_feed import Feed
from touchback.devices.daq.block_layout import BlockChannel, BlockLayout
from touchback.devices.daq.daq_driver import BoardDevice, Daq
from touchback.errors import InputError, ModelError
from touchback.names import check_name
from touchback.native.live.mailbox import clock_now
from touchback.numbers import DECIMAL, number_within
from touchback.recording import NS, FileChannel, Series, reader_of
from touchback.unit_spellings import unit_of

_GAP = 3.0  # of a channel's usual interval: nothing was measured meanwhile


_PATIENCE = 0.5  # s without a block, after which it is told why


_AT_ONCE = 1024  # blocks that are made of the file in one go


class FileBoard(Feed):
    """What another program measured, played as a board, `speed` times as fast as it was: a table of
    text (CSV), MDF, MCAP or Parquet. `channels` says what each quantity is in the file: a name
    there, or a `FileChannel`; a list takes names as they are. `time`: the column or field that has
    the time, where it isn't called so, or its unit isn't said.

    A block comes at each instant at which the file has something new, from the first at which all
    channels are known; it has every channel's newest number, each dated by its own time in the
    file. Where a channel has a gap its number grows old, as that of a board that hangs."""

    simulated = True

    def __init__(
        self, path: str | os.PathLike[str],
        channels: Mapping[str, str | FileChannel] | Sequence[str], *,
        time: str | FileChannel | None = None, speed: float = 1.0,
    ) -> None:  # fmt: skip
        said = "FileBoard: a file is played at a positive speed, 1e-6 to 1e6"
        self._speed = number_within(said, speed, 1e-6, 1e6)
        wanted = _wanted(channels)
        names = list(dict.fromkeys(channel.name for channel in wanted.values()))
        when = None if time is None else _channel(time)
        found, file = reader_of(path).series(Path(path), names, when), Path(path).name
        self._series, self._words = dict[str, Series](), dict[str, str]()
        for name, channel in wanted.items():
            self._series[name], self._words[name] = channel.made(file, found[channel.name])
        _check_quantities(wanted)
        self._instants = _instants(file, self._series)
        self._plain = layout = self._laid_out()
        self._sent, self._behind = 0, {c.name: c.behind for c in layout.channels if c.behind}
        super().__init__(file, layout, max(_PATIENCE, _GAP * layout.period / self._speed))
        self._tell_faults()
        self._first = clock_now()  # when the file's first instant is
        self.start()

    def _laid_out(self) -> BlockLayout:
        """Numbers of all channels, and behind them how old they are by then: once for channels that
        share their times, and not at all for those that are new in each block."""
        times = {name: each.times.tobytes() for name, each in self._series.items()}
        new = {k for k, t in self._series.items() if np.isin(self._instants, t.times).all()}
        sharing = dict[bytes, str]()  # times, and the channel that says how old
        channels = []
        for name, key in times.items():
            behind = "" if name in new else sharing.setdefault(key, f"{name} behind")
            channels.append(BlockChannel(name, "float64", behind=behind))
        ages = [BlockChannel(name, "float64") for name in sharing.values()]
        period = min(_usual(each) for each in self._series.values()) / NS
        return BlockLayout(max(period, 1 / NS), [*channels, *ages])

    def _tell_faults(self) -> None:
        for name, each in self._series.items():
            if each.unit and unit_of(each.unit) is None:
                self.fault(
                    "units", f"'{name}' is in {each.unit!r}, which isn't known: its numbers are "
                    "used as they are.",
                )  # fmt: skip
            if each.missing:
                self.fault("holes", f"'{name}' has no number in {each.missing} places.")
            steps = np.diff(each.times)
            if len(steps) and steps.max() > _GAP * _usual(each):
                at = int(np.argmax(steps))
                begin, end = ((t - self._instants[0]) / NS for t in each.times[at : at + 2])
                self.fault(
                    "gaps", f"'{name}' has nothing from {begin:.6g} to {end:.6g} s of play, "
                    f"{_usual(each) / NS:.6g} s being usual.",
                )  # fmt: skip

    # ---- playing --------------------------------------------------------------------------------

    def _due(self, place: int) -> int:
        """When a block is due [ns of our clock]."""
        return self._first + round(int(self._instants[place] - self._instants[0]) / self._speed)

    def take(self, seconds: float) -> bool:
        """Gives what is due; it waits where nobody reads."""
        if self._sent == len(self._instants):
            return False
        pause = (self._due(self._sent) - clock_now()) / NS
        if pause > 0.0:
            self._closing.wait(min(pause, seconds))
            return True
        for block in self._blocks(self._sent, self._sent + _AT_ONCE):
            due = self._due(self._sent)
            if self.closing or due > clock_now() or not self._is_room(seconds):
                break
            self.give(due, self._sent, [block.tobytes()])
            self._sent += 1
        return True

    def _is_room(self, seconds: float) -> bool:
        return bool(select.select([], [self._out], [], seconds)[1])

    def _blocks(self, begin: int, end: int) -> np.ndarray:
        """Blocks of the instants from one to another."""
        instants = self._instants[begin:end]
        blocks = np.zeros(len(instants), dtype=self._plain.dtype)
        for name, each in self._series.items():
            newest = np.searchsorted(each.times, instants, side="right") - 1
            blocks[name] = each.values[newest]
            if name in self._behind:
                ages = (instants - each.times[newest]) / (NS * self._speed)
                blocks[self._behind[name]] = ages
        return blocks

    def missing(self) -> str:
        """Where the file has nothing."""
        at = self._sent
        if not 0 < at < len(self._instants):
            return ""
        begin, end = ((t - self._instants[0]) / NS for t in self._instants[at - 1 : at + 1])
        return f"the file has nothing from {begin:.6g} to {end:.6g} s of play."

    def shut(self) -> None:
        """The file is closed already."""

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self._instants)} blocks"]
        for name, each in self._series.items():
            lines.append(
                f"  {name}: {self._words[name]}; {len(each.times)} numbers, one every "
                f"{_usual(each) / NS:.6g} s"
            )
        return "\n".join(lines)


def _wanted(given: object) -> dict[str, FileChannel]:
    """Channels by the names of quantities."""
    if not isinstance(given, Mapping | Sequence) or isinstance(given, str) or not len(given):
        raise InputError(
            'FileBoard: say what is played: channels={"throttle": "Pedal_pos", …} or a list '
            f"of names, got {given!r}."
        )
    if isinstance(given, Mapping):
        return {name: _channel(each) for name, each in given.items()}
    return {channel.name: channel for channel in map(_channel, given)}


def _check_quantities(wanted: Mapping[str, FileChannel]) -> None:
    """What is called "/topic.field" or "2/speed" in a file needs another name here."""
    for name, channel in wanted.items():
        try:
            check_name("Quantity", name)
        except ModelError as error:
            raise InputError(
                f'FileBoard: {error} Name it so: channels={{"speed": {channel.name!r}}}.'
            ) from None


def _channel(given: str | FileChannel) -> FileChannel:
    return given if isinstance(given, FileChannel) else FileChannel(given)


def _usual(series: Series) -> float:
    """The usual interval of a channel's times [ns]; a second for a single number."""
    return float(np.median(np.diff(series.times))) if len(series.times) > 1 else NS


def _instants(file: str, series: Mapping[str, Series]) -> np.ndarray:
    """All at which something is new, from the first at which every channel is known."""
    late = max(series, key=lambda name: int(series[name].times[0]))
    early = min(series, key=lambda name: int(series[name].times[-1]))
    begin, end = series[late].times[0], series[early].times[-1]
    if end < begin:
        raise InputError(
            f"{file}: '{early}' ends at {end / NS:.9g} s, before '{late}' begins at "
            f"{begin / NS:.9g} s; play channels of one clock and one drive."
        )
    found = np.unique(np.concatenate([each.times for each in series.values()]))
    return found[found >= begin]


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

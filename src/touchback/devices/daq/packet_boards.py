"""Blocks as packets that are known to be whole and of the right kind, over UDP or a serial line.

A packet is, little-endian: a fingerprint of the layout (uint32), the block's number (uint32), when
it began [ns of the source's clock] (int64), the block, and the checksum of all of it (CRC-32C). A
datagram is a packet; on a serial line it is stuffed as the frames of `native/wire/frames.h` are,
with a zero behind it."""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from touchback.devices.daq.block_feed import JUMP, Feed, SourceClock
from touchback.devices.daq.block_layout import BlockLayout, check_layout
from touchback.devices.threaded_driver import explain_open_failure, path_of
from touchback.errors import DeviceError, InputError
from touchback.native import LIB
from touchback.native.live.mailbox import clock_now
from touchback.numbers import MOST_COUNTED, positive_number, whole_within

_HEAD = struct.Struct("<IIq")


_SUM = struct.Struct("<I")


_LONGEST = 65_000  # bytes of a datagram


_NUMBERS = 1 << 32


_NS = 1 << 63


_ANEW = 20  # late blocks, each after the other and none between them: the source began anew


def fingerprint(layout: BlockLayout) -> int:
    """Of a layout: names, types, samples, times and the period, in their order."""
    said = [{k: v for k, v in vars(channel).items() if v != ""} for channel in layout.channels]
    text = repr((layout.period, said))
    return _checksum(text.encode())


def pack_block(layout: BlockLayout, number: int, began: int, block: np.void | bytes) -> bytes:
    """The packet of a block (an element of an array of the layout's `dtype`, or its bytes) that
    began at so many ns of the source's clock."""
    if not isinstance(block, bytes | np.generic | np.ndarray):
        raise InputError(f"A block is bytes or an element of an array, got {block!r}.")
    whole_within("A block's number must be a whole number from 0 on", number, 0, MOST_COUNTED)
    whole_within("A block begins at a whole number of ns, in 64 bits", began, -_NS, _NS - 1)
    data = block if isinstance(block, bytes) else block.tobytes()
    size = replace(layout, stamped=False).size
    if len(data) != size or size > _LONGEST:
        raise InputError(f"A block of {len(data)} bytes; this layout's have {size}.")
    body = _HEAD.pack(fingerprint(layout), number % _NUMBERS, began) + data
    return body + _SUM.pack(_checksum(body))


def stuff(packet: bytes) -> bytes:
    """A packet for a serial line: no zero but that at its end."""
    out = bytearray()
    for part in packet.split(b"\0"):
        while len(part) >= 254:
            out += b"\xff" + part[:254]
            part = part[254:]
        out += bytes([len(part) + 1]) + part
    return bytes(out) + b"\0"


def unstuff(stuffed: bytes) -> bytes | None:
    """The packet between two zeros of a line; None when it can't be one."""
    out, at = bytearray(), 0
    while at < len(stuffed):
        length = stuffed[at]
        part = stuffed[at + 1 : at + length]
        if len(part) < length - 1:
            return None
        out += part
        at += length
        if length < 255 and at < len(stuffed):
            out += b"\0"
    return bytes(out)


def _checksum(data: bytes) -> int:
    return int(LIB.tb_checksum(data, len(data))) & 0xFFFFFFFF


@dataclass(frozen=True)
class Packet:
    """What came: the block's number, when it began there [ns], its bytes."""

    number: int
    began: int
    block: bytes


class PacketFeed(Feed):
    """A feed of packets: refuses those that are damaged, of another layout, late or twice; counts
    what is lost; sees when the source's clock is set."""

    def __init__(self, name: str, layout: BlockLayout, patience: float) -> None:
        super().__init__(name, layout, patience)
        plain = replace(layout, stamped=False)
        self._print, self._size = fingerprint(plain), plain.size
        self._period = round(1e9 * layout.period)
        self._clock = SourceClock()
        self._last: Packet | None = None
        self._late: list[Packet] = []  # since the last that was in order, each following the other
        self._number, self._begun = -1, 0  # of the last block given, and when it began here [ns]
        self._heard = False

    def missing(self) -> str:
        return "no packet of this layout comes." if self._heard else "nothing comes at all."

    def take_packet(self, data: bytes) -> None:
        """One that came now."""
        arrival, self._heard = clock_now(), True
        packet = self._opened(data)
        if packet is None or not self._in_order(packet):
            return
        gone = 0
        if self._last is not None:
            gone = (packet.number - self._last.number) % _NUMBERS
            off = 1e-9 * (packet.began - self._last.began - gone * self._period)
            if gone > 1:
                self.fault("lost", f"{gone - 1} blocks are lost before number {packet.number}.")
                self.counts["lost"] += gone - 2
            if abs(off) > JUMP:
                self._clock.forget()
                self.jumped(off)
        self._last, self._late = packet, []
        self._give(packet, gone, self._clock.to_local(packet.began, arrival))

    def _give(self, packet: Packet, gone: int, began: int) -> None:
        """Numbers go on where the source's go round or begin anew: a record of blocks has one
        time, which goes on."""
        if self._number < 0:
            self._number = packet.number
        else:
            self._number += gone or max(1, round((began - self._begun) / self._period))
        self._begun = began
        self.give(began, self._number, [packet.block])

    def _opened(self, data: bytes) -> Packet | None:
        size = _HEAD.size + self._size + _SUM.size
        body = data[: -_SUM.size]
        if len(data) < _HEAD.size + _SUM.size or _SUM.unpack(data[-_SUM.size :])[0] != _checksum(
            body
        ):
            self.fault("garbage", f"{len(data)} bytes are no packet, or a damaged one.")
            return None
        which, number, began = _HEAD.unpack_from(body)
        if which != self._print or len(data) != size:
            self.fault(
                "strange",
                f"a packet of another layout ({which:#010x}, {len(data)} bytes; this one is "
                f"{self._print:#010x}, {size} bytes). Both ends need the same channels and period.",
            )
            return None
        return Packet(number, began, body[_HEAD.size :])

    def _in_order(self, packet: Packet) -> bool:
        last = self._last
        if last is None:
            return True
        gone = (packet.number - last.number) % _NUMBERS
        if 0 < gone < _NUMBERS // 2:
            return True
        anew = packet.began > last.began and gone != 0
        if not anew:
            self.fault("late", f"block {packet.number} comes after {last.number}, or twice.")
            follows = self._late and self._late[-1].number + 1 == packet.number
            self._late = [*self._late, packet] if follows else [packet]
            if len(self._late) < _ANEW:
                return False
            self.jumped(1e-9 * (packet.began - last.began))
        self.fault("restarts", f"the source counts from {packet.number} again.")
        self._last, self._clock = None, SourceClock()
        return True


def split_stream(kept: bytes, data: bytes) -> tuple[list[bytes], bytes]:
    """What stands between zeros of a line, and what is left for the next time."""
    *whole, rest = (kept + data).split(b"\0")
    return [part for part in whole if part], rest[-2 * _LONGEST :]


def packets_of_stream(parts: list[bytes]) -> Iterator[bytes]:
    """The packets that such parts are; what came, for those that aren't."""
    for part in parts:
        packet = unstuff(part)
        yield part if packet is None else packet


class SerialBoard(PacketFeed):
    """A board that sends blocks on a serial line, each a packet that is stuffed (`pack_block`,
    `stuff`), so that a reader who begins anywhere is in step at the next zero. Only listens."""

    def __init__(
        self, layout: BlockLayout, path: str, baud: int = 921_600, patience: float = 0.5
    ) -> None:
        whole_within("SerialBoard: its baud must be 1 to 100000000", baud, 1, 100_000_000)
        path = path_of("SerialBoard", path)
        self._file = int(LIB.tb_port_open(os.fsencode(path), baud))
        if self._file < 0:
            why = explain_open_failure(-self._file, "Is the board plugged in, and may you read it?")
            raise DeviceError(f"Serial line {path!r} can't be opened at {baud} baud: {why}")
        self._kept, self._in_step = b"", False
        super().__init__(f"Serial line {path}", layout, patience)
        self.start()

    def take(self, seconds: float) -> bool:
        if not select.select([self._file], [], [], seconds)[0]:
            return True
        data = os.read(self._file, 1 << 16)
        if not data:
            raise DeviceError("the line was closed")
        parts, self._kept = split_stream(self._kept, data)
        if parts and not self._in_step:  # a line is met in the middle of a packet
            self._in_step, parts = True, parts[1:]
        for packet in packets_of_stream(parts):
            self.take_packet(packet)
        return True

    def shut(self) -> None:
        os.close(self._file)


_ROOM = 1 << 20  # bytes that wait in the kernel while this process isn't run


class UdpBoard(PacketFeed):
    """A board that sends a datagram a block (`pack_block`) to a port of ours; port 0 is any free
    one, see `port`. It listens on loopback by default: who can send to it can steer."""

    def __init__(
        self, layout: BlockLayout, port: int = 0, host: str = "127.0.0.1", patience: float = 0.5
    ) -> None:
        whole_within("UdpBoard: its port must be 0 (any) to 65535", port, 0, 65535)
        if not isinstance(host, str):
            raise InputError(f"UdpBoard: its host is a name or an address, got {host!r}.")
        check_layout("UdpBoard", layout)
        positive_number("UdpBoard: its patience [s]", patience)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
            self._socket.bind((host, port))
        except (OSError, ValueError, TypeError) as error:  # also of names that are none
            self._socket.close()
            raise DeviceError(
                f"UDP {host!r}:{port} can't be listened to: "
                f"{getattr(error, 'strerror', None) or error}; is another board there?"
            ) from None
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])
        super().__init__(f"UDP {host}:{self.port}", layout, patience)
        self.start()

    def take(self, seconds: float) -> bool:
        if select.select([self._socket], [], [], seconds)[0]:
            while not self.closing:  # however fast they come
                try:
                    self.take_packet(self._socket.recv(1 << 16))
                except BlockingIOError:
                    break
        return True

    def shut(self) -> None:
        self._socket.close()

"""Signals over UDP: one datagram a message, little-endian.

    offset 0   4 bytes   b"TBK1"
           4   uint8     type of the value: 1 double, 2 float, 3 int64
           5   uint8     length of the name in bytes
           6   uint16    0
           8   uint32    sequence of the sender, counted up with each datagram of this name
          12   int64     when the value was made, ns of the sender's clock (for its own use)
          20   value     8 bytes (a float: 4 bytes, then 4 bytes 0)
          28   name      UTF-8
           …   uint32    CRC-32 (that of zlib) of everything before

A receiver drops what is malformed, damaged, unknown, repeated or older than what came before, and
counts each; a sender that was silent for a second may count anew. Ages are measured from the
arrival: clocks of different machines don't compare.
"""

from __future__ import annotations

import socket
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from touchback.errors import InputError, SolveError
from touchback.native.live.mailbox import clock_now
from touchback.numbers import shown, whole_within

MAGIC = b"TBK1"
TYPES = {"double": (1, "<d"), "float": (2, "<fxxxx"), "int64": (3, "<q")}
_FORMATS = dict(TYPES.values())
_HEAD = struct.Struct("<4sBBHIq")
_VALUE, _NAME = _HEAD.size, _HEAD.size + 8
_RESTART = 1 << 31  # a sequence further back than this is ahead
_SENDERS = 1024  # pairs of a sender and a name that are remembered
Address = tuple[str, int]
_SILENCE = 1_000_000_000  # ns after which a sender may be another one, at the same port


@dataclass(frozen=True)
class Datagram:
    """A named value with its number and the sender's time [ns]."""

    name: str
    value: float
    sequence: int
    stamp: int = 0
    type: str = "double"

    def pack(self) -> bytes:
        """The bytes to send."""
        name = self.name.encode()
        if len(name) > 255:
            raise InputError(f"A port's name has at most 255 bytes, '{self.name[:20]}…' has more.")
        code, layout = TYPES[self.type]
        number = int(self.value) if self.type == "int64" else self.value
        head = _HEAD.pack(MAGIC, code, len(name), 0, self.sequence & 0xFFFFFFFF, self.stamp)
        body = head + struct.pack(layout, number) + name
        return body + struct.pack("<I", zlib.crc32(body))


def unpack(data: bytes) -> Datagram | str:
    """The datagram, or in a word why it isn't one: "malformed" or "damaged"."""
    if len(data) < _NAME + 4 or data[:4] != MAGIC:
        return "malformed"
    _, code, length, _, sequence, stamp = _HEAD.unpack_from(data)
    if code not in _FORMATS or len(data) != _NAME + length + 4:
        return "malformed"
    if zlib.crc32(data[:-4]) != struct.unpack_from("<I", data, len(data) - 4)[0]:
        return "damaged"
    try:
        name = data[_NAME:-4].decode()
    except UnicodeDecodeError:
        return "malformed"
    (value,) = struct.unpack_from(_FORMATS[code], data, _VALUE)
    kind = next(word for word, (number, _) in TYPES.items() if number == code)
    return Datagram(name, float(value), sequence, stamp, kind)


class Receiver:
    """A thread that hands arriving values to `deliver(name, value, arrival)`, which raises
    `InputError` for what it doesn't take. `counts` has "accepted" and the reasons of refusals."""

    def __init__(
        self, deliver: Callable[[str, float, int], None], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        if not isinstance(host, str):
            raise InputError(f"UDP: a host is a text such as '127.0.0.1', got {shown(host)}.")
        port = whole_within("UDP: a port is a whole number from 0 to 65535", port, 0, 65_535)
        self._deliver = deliver
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise InputError(f"UDP {host}:{port} can't be listened on: {error.strerror}.") from None
        self._socket.settimeout(0.1)
        self.address: tuple[str, int] = self._socket.getsockname()
        self.counts: Counter[str] = Counter()
        # sequence and arrival [ns] of the last message, by sender and name
        self._last: dict[tuple[Address, str], tuple[int, int]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="touchback udp", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                data, sender = self._socket.recvfrom(2048)
            except TimeoutError:
                continue
            except OSError:
                return  # closed
            self.counts[self._take(data, sender, clock_now())] += 1

    def _take(self, data: bytes, sender: Address, arrival: int) -> str:
        """A device that was started anew counts anew: from another port of its own, or from the
        same one after a silence."""
        found = unpack(data)
        if isinstance(found, str):
            return found
        last = self._last.get((sender, found.name))
        if last is not None and arrival - last[1] < _SILENCE:
            ahead = (found.sequence - last[0]) & 0xFFFFFFFF
            if ahead == 0 or ahead >= _RESTART:
                return "repeated" if ahead == 0 else "reordered"
        try:
            self._deliver(found.name, found.value, arrival)
        except (InputError, SolveError):
            return "refused"
        self._last[sender, found.name] = (found.sequence, arrival)
        while len(self._last) > _SENDERS:
            del self._last[next(iter(self._last))]
        return "accepted"

    def close(self) -> None:
        """Ends the thread and frees the port."""
        self._closing.set()
        self._thread.join(timeout=2.0)
        self._socket.close()

    def abandon(self) -> None:
        """Lets go of the port in a child process, which doesn't have the thread."""
        self._socket.close()


class Sender:
    """Sends named values to one address."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._address = (host, port)
        self._sequences: Counter[str] = Counter()

    def send(self, name: str, value: float, type: str = "double") -> None:
        """One datagram."""
        self._sequences[name] += 1
        datagram = Datagram(name, value, self._sequences[name], clock_now(), type)
        self._socket.sendto(datagram.pack(), self._address)

    def close(self) -> None:
        """Frees the socket."""
        self._socket.close()

    abandon = close

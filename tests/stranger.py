"""Both ends of the wire as a stranger writes them from docs/wire.md alone: nothing here is ours but
the words of that page."""

import contextlib
import os
import pty
import select
import struct
import threading
import time
import tty

ASK, HELLO, DESCRIBE, AXIS, SAMPLE, COMMAND, COUNT, COUNTS, WORD = (
    0x21, 0x22, 0x23, 0x24, 0x26, 0x27, 0x28, 0x29, 0x2A,
)  # fmt: skip


def crc32c(data: bytes) -> int:
    """Castagnoli, reflected polynomial 0x82F63B78, start and end inverted; bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def framed(payload: bytes) -> bytes:
    """Payload and checksum, low byte first; each run without a zero after its length plus one."""
    data = payload + crc32c(payload).to_bytes(4, "little")
    return b"".join(bytes([len(run) + 1]) + run for run in data.split(b"\0")) + b"\0"


def unframed(frame: bytes) -> bytes | None:
    """The payload of a frame without its zero; None when it is damaged."""
    data, place = b"", 0
    while place < len(frame):
        length = frame[place]
        if place + length > len(frame):
            return None
        data += frame[place + 1 : place + length] + b"\0"
        place += length
    data = data[:-1]
    payload, check = data[:-4], data[-4:]
    good = 1 <= len(payload) <= 120 and crc32c(payload).to_bytes(4, "little") == check
    return payload if good else None


def split(stream: bytearray) -> list[bytes]:
    """Payloads of whole frames in a stream, from which they are taken."""
    *frames, rest = bytes(stream).split(b"\0")
    stream[:] = rest
    return [payload for frame in frames if frame and (payload := unframed(frame)) is not None]


class Device:
    """One linear axis that is a spring of 100 N/m on a pseudo-terminal: it is where the force takes
    it. It keeps what "what a device owes" asks: sessions, numbers, watchdog, limits."""

    def __init__(self, *, describes: bool = True, name: str = "fremdes Gerät", **claims) -> None:
        """With other numbers in its hello than those that are true."""
        self.describes, self.name, self.claims = describes, name.encode(), claims
        self.master, self.slave = pty.openpty()
        for end in (self.master, self.slave):
            tty.setraw(end)
        self.path = os.ttyname(self.slave)
        self.session, self.asked, self.force, self.count = 9, False, 0.0, 0
        self.features, self.watchdog, self.last, self.came = 0, 20_000, -1, None
        self._stop, self._stream = threading.Event(), bytearray()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def say(self, payload: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self.master, framed(payload))

    def hello(self) -> None:
        grant = self.features if self.asked else 3
        fields = {
            "version": 2, "session": self.session, "axes": 1, "flags": 256, "features": grant,
            "period": 1000, "watchdog": self.watchdog, "firmware": 1,
        } | self.claims  # fmt: skip
        self.say(struct.pack("<BBBBHHIIH", HELLO, *fields.values()) + self.name)

    def hear(self, payload: bytes, now: int) -> None:
        kind = payload[0]
        if kind == ASK and len(payload) >= 13:
            lowest, highest, wanted, watchdog, _ = struct.unpack_from("<BBHII", payload, 1)
            if not lowest <= 2 <= highest:
                self.say(bytes([WORD]) + b"version 2 only")
                return
            self.asked, self.last, self.features = True, -1, wanted & 3  # velocity and force
            self.watchdog = min(20_000, max(1000, watchdog or 20_000))
            self.hello()
        elif kind == DESCRIBE and self.describes and payload[1] == self.session and payload[2] == 0:
            units = 1e-5, 1e-4, 1e-3, 1.0, 1.0  # position; velocity, force, current, voltage
            limits = 5.0, 10.0, -0.2, 0.2
            layout = struct.pack("<BBBBd8f", AXIS, self.session, 0, 1, *units, *limits)
            self.say(layout + b"slide")
        elif kind == COMMAND and payload[1] == self.session and self.asked and len(payload) == 7:
            number, flags, force = struct.unpack_from("<HBh", payload, 2)
            ahead = (number - self.last) & 0xFFFF
            if self.last < 0 or 0 < ahead < 0x8000:
                self.last, self.came = number, now
                self.force = max(-5.0, min(5.0, force * 1e-3)) if flags & 1 else 0.0

    def tick(self, now: int) -> None:
        old = self.came is None or now - self.came >= self.watchdog
        self.force = 0.0 if old else self.force
        if not self.asked:
            return
        status = 4 | 256 | (2 if old else 1 if self.force else 0)
        since = 65535 if old else min(65535, now - self.came)
        echo = max(self.last, 0)
        sample = struct.pack(
            "<BBHIHHH", SAMPLE, self.session, self.count & 0xFFFF, now & 0xFFFFFFFF, status, echo,
            since,
        )  # fmt: skip
        sample += struct.pack("<i", round(self.force / 100.0 / 1e-5))
        sample += struct.pack("<i", 0) if self.features & 1 else b""
        sample += struct.pack("<h", round(self.force / 1e-3)) if self.features & 2 else b""
        self.count += 1
        self.say(sample)

    def _serve(self) -> None:
        start = time.monotonic()
        self.hello()
        while not self._stop.wait(1e-3):
            now = round(1e6 * (time.monotonic() - start))
            with contextlib.suppress(OSError):
                if select.select([self.master], [], [], 0)[0]:
                    self._stream += os.read(self.master, 4096)
            for payload in split(self._stream):
                self.hear(payload, now)
            self.tick(now)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self.master)
        os.close(self.slave)

"""Frames on a serial line: consistent overhead byte stuffing, a checksum, a zero at the end.

Stuffing (Cheshire & Baker 1999) removes every zero from a frame at the cost of one byte in 254, so
that a receiver that starts anywhere, or loses bytes, is in step again at the next zero. The
checksum is CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF."""

import binascii
from dataclasses import dataclass, field

LONGEST = 64  # bytes between zeros: longer is noise
CHECKSUM = 2


def frame(payload: bytes) -> bytes:
    """The bytes to send for a payload."""
    return _stuffed(payload + checksum(payload).to_bytes(CHECKSUM, "big")) + b"\0"


def checksum(payload: bytes) -> int:
    """CRC-16/CCITT-FALSE."""
    return binascii.crc_hqx(payload, 0xFFFF)


@dataclass
class Unframer:
    """Payloads from a stream of bytes that may start, break and be damaged anywhere."""

    damaged: int = 0
    _bytes: bytearray = field(default_factory=bytearray)

    def feed(self, stream: bytes) -> list[bytes]:
        """The payloads that these bytes complete; damaged frames are dropped and counted."""
        payloads = []
        for byte in stream:
            if byte:
                if len(self._bytes) <= LONGEST:
                    self._bytes.append(byte)
                continue
            if self._bytes:
                payload = self._opened()
                if payload is None:
                    self.damaged += 1
                else:
                    payloads.append(payload)
            self._bytes.clear()
        return payloads

    def _opened(self) -> bytes | None:
        if len(self._bytes) > LONGEST:
            return None
        whole = _unstuffed(bytes(self._bytes))
        if whole is None or len(whole) <= CHECKSUM:
            return None
        payload, sent = whole[:-CHECKSUM], int.from_bytes(whole[-CHECKSUM:], "big")
        return payload if checksum(payload) == sent else None


def _stuffed(data: bytes) -> bytes:
    out = bytearray()
    for block in data.split(b"\0"):
        while len(block) >= 254:
            out += b"\xff" + block[:254]
            block = block[254:]
        out += bytes([len(block) + 1]) + block
    return bytes(out)


def _unstuffed(data: bytes) -> bytes | None:
    out, position = bytearray(), 0
    while position < len(data):
        length = data[position]
        block = data[position + 1 : position + length]
        if len(block) != length - 1:
            return None
        out += block
        position += length
        if length < 255 and position < len(data):
            out.append(0)
    return bytes(out)

"""Frames and messages of the wire, called from Python."""

import ctypes
import struct

from touchback.native.shared_library import LIB

PAYLOAD, FRAME = LIB.constant("TB_PAYLOAD"), LIB.constant("TB_FRAME")
WHOLE, DAMAGED, VERSION_1 = (LIB.constant(f"TB_{w}") for w in ("WHOLE", "DAMAGED", "VERSION_1"))


def frame(payload: bytes) -> bytes:
    """The frame of a payload."""
    out = (ctypes.c_ubyte * FRAME)()
    return bytes(out[: LIB.tb_frame(payload, len(payload), ctypes.addressof(out))])


def old_frame(payload: bytes) -> bytes:
    """A frame of version 1: CRC-16/CCITT-FALSE, high byte first, stuffed."""
    import binascii

    data = payload + struct.pack(">H", binascii.crc_hqx(payload, 0xFFFF))
    return b"".join(bytes([len(b) + 1]) + b for b in data.split(b"\0")) + b"\0"


class Unframer:
    """Payloads from a stream of bytes."""

    def __init__(self) -> None:
        self.struct = LIB.struct("tb_unframer")()
        self.outcomes: list[int] = []

    def feed(self, stream: bytes) -> list[bytes]:
        payloads, length = [], ctypes.c_long()
        for byte in stream:
            found = LIB.tb_unframe(ctypes.addressof(self.struct), byte, ctypes.addressof(length))
            if found:
                self.outcomes.append(found)
            if found == WHOLE:
                payloads.append(bytes(self.struct.bytes[: length.value]))
        return payloads


def packed(name: str, value: ctypes.Structure, *rest: int) -> bytes:
    """The payload of a message."""
    out = (ctypes.c_ubyte * PAYLOAD)()
    pack = getattr(LIB, f"tb_pack_{name}")
    count = pack(ctypes.addressof(value), *rest, ctypes.addressof(out))
    assert 0 < count <= PAYLOAD
    return bytes(out[:count])


def unpacked(name: str, payload: bytes, *rest: int) -> ctypes.Structure | None:
    """The message of a payload; None when it is none."""
    kinds = {"sample": "tb_readings"}
    value = LIB.struct(kinds.get(name, f"tb_{name}"))()
    read = getattr(LIB, f"tb_read_{name}")
    return value if read(payload, len(payload), *rest, ctypes.addressof(value)) else None


def fields(value: ctypes.Structure) -> dict[str, object]:
    """What a struct holds, as plain data."""
    plain: dict[str, object] = {}
    for name, *_ in value._fields_:
        field = getattr(value, name)
        if isinstance(field, ctypes.Array):
            parts = [fields(p) if isinstance(p, ctypes.Structure) else p for p in field]
            plain[name] = parts
        else:
            plain[name] = field
    return plain

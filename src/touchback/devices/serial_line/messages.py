"""What a key and its driver tell each other. Little-endian, the first byte says which."""

import struct
from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True)
class Hello:
    """A key's answer when the line is opened: who it is and how its numbers are meant."""

    simulated: bool
    counts_per_radian: float
    torque_per_unit: float  # [N m]
    name: str

    KIND = 1
    LAYOUT = struct.Struct("<BBBdd")

    def packed(self) -> bytes:
        head = self.LAYOUT.pack(
            self.KIND, VERSION, self.simulated, self.counts_per_radian, self.torque_per_unit
        )
        return head + self.name.encode()[:24]


@dataclass(frozen=True)
class Sample:
    """A key's state, sent at each of its ticks: a running number, its time [µs], the encoder's
    count and the torque that acts, in units."""

    number: int
    time: int
    counts: int
    torque: int

    KIND = 2
    LAYOUT = struct.Struct("<BHIih")

    def packed(self) -> bytes:
        return self.LAYOUT.pack(
            self.KIND, self.number & 0xFFFF, self.time & 0xFFFFFFFF, self.counts, self.torque
        )


@dataclass(frozen=True)
class Command:
    """The torque that the motor shall give, in units. A key that gets none for 20 ms lets go."""

    number: int
    torque: int

    KIND = 3
    LAYOUT = struct.Struct("<BHh")

    def packed(self) -> bytes:
        return self.LAYOUT.pack(self.KIND, self.number & 0xFFFF, self.torque)


@dataclass(frozen=True)
class Ask:
    """The driver asks who is there; the key answers with Hello."""

    KIND = 4

    def packed(self) -> bytes:
        return bytes([self.KIND, VERSION])


Message = Hello | Sample | Command | Ask


def unpacked(payload: bytes) -> Message | None:
    """The message of a payload; None for what nobody sends."""
    kind = payload[0] if payload else 0
    if kind == Hello.KIND and len(payload) >= Hello.LAYOUT.size:
        _, version, simulated, counts, torque = Hello.LAYOUT.unpack_from(payload)
        if version != VERSION:
            return None
        name = payload[Hello.LAYOUT.size :].decode(errors="replace")
        return Hello(bool(simulated), counts, torque, name)
    if kind == Sample.KIND and len(payload) == Sample.LAYOUT.size:
        return Sample(*Sample.LAYOUT.unpack(payload)[1:])
    if kind == Command.KIND and len(payload) == Command.LAYOUT.size:
        return Command(*Command.LAYOUT.unpack(payload)[1:])
    if kind == Ask.KIND and len(payload) == 2 and payload[1] == VERSION:
        return Ask()
    return None

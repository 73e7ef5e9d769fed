"""A small CAN bus: its description, and a process that sends frames on it."""

import struct
import time
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import can

DBC = """VERSION ""
NS_ :
BS_:
BU_: ECU
BO_ 256 Pedals: 4 ECU
 SG_ throttle : 0|16@1- (0.1,0) [-5|110] "%" ECU
 SG_ brake : 16|16@1+ (1,0) [0|4000] "kPa" ECU
BO_ 512 Wheel: 4 ECU
 SG_ steering : 0|32@1- (0.001,0) [-20|20] "rad" ECU
"""
SIGNALS = ("throttle", "brake", "steering")


def pedals(throttle: int, brake: int, timestamp: float | None = None) -> can.Message:
    """A frame of that message, in raw units."""
    return _message(0x100, struct.pack("<hH", throttle, brake), timestamp)


def wheel(steering: int, timestamp: float | None = None) -> can.Message:
    """A frame of that message, in raw units."""
    return _message(0x200, struct.pack("<i", steering), timestamp)


def _message(identifier: int, data: bytes, timestamp: float | None = None) -> can.Message:
    when = time.time() if timestamp is None else timestamp
    return can.Message(when, identifier, is_extended_id=False, data=data)


def write_dbc(folder: Path, text: str = DBC) -> Path:
    """The description as a file."""
    path = folder / "car.dbc"
    path.write_text(text)
    return path


def _send(group: str, port: int, count: int) -> None:
    with can.Bus(interface="udp_multicast", channel=group, port=port, hop_limit=0) as bus:
        for k in range(count):
            bus.send(pedals(k % 1000, k % 4000))
            bus.send(wheel(k))
            time.sleep(0.005)


@contextmanager
def sending(group: str, port: int, count: int):
    """Another process, which sends numbered frames every 5 ms."""
    process = get_context("fork").Process(target=_send, args=(group, port, count), daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()

"""Devices by name, for commands: a new one is its file and a line here."""

from collections.abc import Callable

from touchback.devices.daq.file_board import open_file
from touchback.devices.daq.simulated_board import open_board
from touchback.devices.evdev import open_wheel
from touchback.devices.serial_line import SerialDevice
from touchback.names import unknown_name
from touchback.realtime import Device, ServingDevice

DEVICES: dict[str, Callable[[str], Device | ServingDevice]] = {
    "board": open_board,
    "evdev": open_wheel,
    "file": open_file,
    "serial": SerialDevice,
}
"""Who opens a device of each kind, given its place (a path, an address, or nothing)."""


def open_device(text: str) -> Device | ServingDevice:
    """The device that a text such as "serial:/dev/ttyACM0" names: its kind and its place."""
    kind, _, place = text.partition(":")
    if kind not in DEVICES:
        raise unknown_name("kind of device", kind, DEVICES)
    return DEVICES[kind](place)

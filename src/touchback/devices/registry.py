"""Devices by name, for commands: a new one is its file and a line here."""

from collections.abc import Callable

from touchback.devices.serial_line import SerialKey
from touchback.realtime.devices import Device
from touchback.recording import unknown_name

DEVICES: dict[str, Callable[[str], Device]] = {"serial-key": SerialKey}
"""Who opens a device of each kind, given its place (a path, an address, or nothing)."""


def open_device(text: str) -> Device:
    """The device that a text such as "serial-key:/dev/ttyACM0" names: its kind and its place."""
    kind, _, place = text.partition(":")
    if kind not in DEVICES:
        raise unknown_name("kind of device", kind, DEVICES)
    return DEVICES[kind](place)

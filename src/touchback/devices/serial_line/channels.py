"""One number of a device's axis, as what a port of a live run is connected to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.errors import InputError
from touchback.realtime.device_io import DevicePort, DeviceService

if TYPE_CHECKING:
    from touchback.devices.serial_line.driver import SerialDevice


@dataclass(frozen=True)
class Channel:
    """A field of an axis; see `SerialDevice.channel`."""

    device: SerialDevice
    field: str
    axis: int
    gain: float
    offset: float

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves a port of a live run from the line's own thread."""
        if not port.is_input:
            if self.field != "force":
                raise InputError(
                    f"Output '{port.name}' can be the force of an axis, not its {self.field}."
                )
            if self.offset != 0.0:
                raise InputError(f"Output '{port.name}': a force has no offset, {self.offset}.")
        else:
            self.device.check_fields(self.field)
        return self.device.add(self, port)

"""Boards as devices that somebody names: they start when the first input is connected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import Self

from touchback.devices.daq.driver import Daq
from touchback.realtime.device_io import DevicePort, DeviceService


class BoardDevice(ABC):
    """Serves inputs of a live run, each by the quantity of its name, from one board."""

    def __init__(self) -> None:
        self.daq: Daq | None = None
        self._closing = ExitStack()

    @abstractmethod
    def start(self, closing: ExitStack) -> Daq:
        """Opens the board and whoever reads it, both to be closed so."""

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves an input of a live run from the board's own thread."""
        if self.daq is None:
            self.daq = self.start(self._closing)
        return self.daq.serve(port)

    def close(self) -> None:
        """Reads no more and ends the board."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

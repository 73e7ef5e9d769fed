"""The Python face of wire/far_end.h: the device's end of a line, for simulated devices."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.native.shared_library import LIB

SIMULATED, HOMED, ENABLED, LET_GO, FAULT = (
    LIB.constant(f"TB_{name}") for name in ("SIMULATED", "HOMED", "ENABLED", "LET_GO", "FAULT")
)
FEATURES = LIB.constant("TB_FEATURES")
_AXES = LIB.constant("TB_AXES")
_Reading = LIB.struct("tb_reading")


@dataclass(frozen=True)
class AxisData:
    """How an axis' numbers are meant, in SI units (rad and N m, or linear: m and N), and limits."""

    name: str
    position_unit: float
    velocity_unit: float
    force_unit: float
    force: float
    velocity: float
    low: float
    high: float
    current_unit: float = 1e-3
    voltage_unit: float = 1e-3
    linear: bool = False


class FarEnd:
    """A device's end: bytes in, bytes out, and forces at each tick; times in µs."""

    def __init__(
        self, name: str, axes: Sequence[AxisData], *, tick: int = 1000, watchdog: int = 20_000,
        session: int = 1, features: int = FEATURES,
    ) -> None:  # fmt: skip
        self._far = LIB.struct("tb_far_end")()
        self._address = ctypes.addressof(self._far)
        hello = self._far.hello
        hello.axes, hello.flags, hello.features = len(axes), SIMULATED, features
        _set_text(hello.name, name)
        self._far.tick, self._far.watchdog = tick, watchdog
        for data, axis in zip(self._far.axes, axes):
            data.kind = int(axis.linear)
            for field in (
                "position_unit", "velocity_unit", "force_unit", "current_unit", "voltage_unit",
                "force", "velocity", "low", "high",
            ):  # fmt: skip
                setattr(data, field, getattr(axis, field))
            _set_text(data.name, axis.name)
        self._axes = axes
        self._readings, self._forces = (_Reading * _AXES)(), np.zeros(_AXES, dtype=np.int32)
        LIB.tb_far_open(self._address, session)

    def take(self, stream: bytes, now: int) -> None:
        """Bytes from the line."""
        for byte in stream:
            LIB.tb_far_take(self._address, byte, now & 0xFFFFFFFF)

    def tick(
        self, now: int, measured: Sequence[Sequence[float]], status: int = HOMED
    ) -> list[float]:
        """Position, velocity, current [A] and, where it is known, voltage [V] of each axis; gives
        the forces that are to act."""
        for reading, axis, values in zip(self._readings, self._axes, measured):
            for name, value in zip(("position", "velocity", "current", "voltage"), values):
                setattr(reading, name, round(value / getattr(axis, f"{name}_unit")))
        LIB.tb_far_tick(
            self._address, now & 0xFFFFFFFF, status, ctypes.addressof(self._readings),
            self._forces.ctypes.data,
        )  # fmt: skip
        return [int(units) * axis.force_unit for units, axis in zip(self._forces, self._axes)]

    def waiting(self) -> bytes:
        """Bytes for the line, which are then no more here."""
        sent = bytes(self._far.outbox[: self._far.waiting])
        self._far.waiting = 0
        return sent


def _set_text(place: ctypes.Array[ctypes.c_ubyte], text: str) -> None:
    plain = text.encode()[: len(place) - 1].decode(errors="ignore").encode()
    ctypes.memmove(place, plain, len(plain))

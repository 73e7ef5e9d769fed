"""Cards of vendors, through the drivers that vendors give away: National Instruments' DAQmx and
LabJack's LJM. Nothing of them is needed before a card is opened."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType

import numpy as np

from touchback.devices.daq.block_feed import Feed
from touchback.devices.daq.block_layout import BlockLayout
from touchback.errors import DeviceError, InputError
from touchback.native.live.mailbox import clock_now

_LOST = -9999.0  # LJM's mark of a scan that its card had to skip


class _Card(Feed):
    """A card that streams voltages of all channels at one rate."""

    def __init__(
        self, name: str, layout: BlockLayout, inputs: Mapping[str, str], patience: float
    ) -> None:
        for channel in layout.channels:
            if channel.type != "float64" or channel.samples != 1:
                raise InputError(
                    f"{name}: channel '{channel.name}' is {channel.samples} × {channel.type}; a "
                    "card gives one float64 [V] of each channel in a block."
                )
            if channel.name not in inputs:
                raise InputError(
                    f"{name}: which input of the card is channel '{channel.name}'? Give "
                    f'inputs={{"{channel.name}": …}}.'
                )
        super().__init__(name, layout, patience)
        self.inputs = [inputs[channel.name] for channel in layout.channels]
        self._number = 0

    def give_scans(self, scans: np.ndarray) -> None:
        """Scans that came now (a row each), the last of them just measured; one that isn't a number
        was lost."""
        arrival, period = clock_now(), round(1e9 * self.layout.period)
        lost = np.isnan(scans).any(axis=1)
        if lost.any():
            self.fault("lost", f"{int(lost.sum())} scans were lost in the card.")
        for i in np.flatnonzero(~lost):
            began = arrival - (len(scans) - 1 - int(i)) * period
            row = np.asarray(scans[i], dtype="<f8").tobytes()
            self.give(began, self._number + int(i), [row])
        self._number += len(scans)


class NiBoard(_Card):
    """Analogue inputs of a card of National Instruments: `inputs` has the terminal of each channel,
    such as "Dev1/ai0"; numbers are volts within ±`span`."""

    def __init__(
        self, layout: BlockLayout, inputs: Mapping[str, str], span: float = 10.0,
        patience: float = 0.5,
    ) -> None:  # fmt: skip
        ni = _driver("nidaqmx", "NI", "nidaqmx (pip) and the NI-DAQmx driver (ni.com)")
        super().__init__("NI card", layout, inputs, patience)
        try:
            self._task = ni.Task()
            for terminal in self.inputs:
                self._task.ai_channels.add_ai_voltage_chan(terminal, min_val=-span, max_val=span)
            self._task.timing.cfg_samp_clk_timing(
                1.0 / layout.period, sample_mode=ni.constants.AcquisitionType.CONTINUOUS
            )
            self._task.start()
        except Exception as error:  # the driver's own kinds, also when there is none installed
            raise DeviceError(f"NI card: {', '.join(self.inputs)} can't be read: {error}") from None
        self._error = ni.errors.DaqError
        self.start()

    def take(self, seconds: float) -> bool:
        try:
            waiting = max(1, int(self._task.in_stream.avail_samp_per_chan))
            found = self._task.read(number_of_samples_per_channel=waiting, timeout=10 * seconds)
        except self._error as error:
            raise DeviceError(f"the card failed: {error}") from None
        self.give_scans(np.asarray(found, dtype=float).reshape(len(self.inputs), -1).T)
        return True

    def shut(self) -> None:
        self._task.close()


class LabJackBoard(_Card):
    """Analogue inputs of a LabJack T4, T7 or T8: `inputs` has the register of each channel, such as
    "AIN0"; numbers are volts. `device` and `connection` are those of LJM's `openS`."""

    def __init__(
        self, layout: BlockLayout, inputs: Mapping[str, str], device: str = "ANY",
        connection: str = "ANY", patience: float = 0.5,
    ) -> None:  # fmt: skip
        self._ljm = _driver("labjack.ljm", "LabJack", "labjack-ljm (pip) and LJM (labjack.com)")
        super().__init__("LabJack", layout, inputs, patience)
        try:
            self._handle = self._ljm.openS(device, connection, "ANY")
            addresses = self._ljm.namesToAddresses(len(self.inputs), self.inputs)[0]
            self._ljm.eStreamStart(
                self._handle, max(1, round(0.005 / layout.period)), len(addresses), addresses,
                1.0 / layout.period,
            )  # fmt: skip
        except Exception as error:  # LJMError, or the library isn't there
            raise DeviceError(
                f"LabJack: {', '.join(self.inputs)} can't be streamed: {error}"
            ) from None
        self.start()

    def take(self, seconds: float) -> bool:
        try:
            numbers, _, _ = self._ljm.eStreamRead(self._handle)
        except self._ljm.LJMError as error:
            raise DeviceError(f"the card failed: {error}") from None
        scans = np.asarray(numbers, dtype=float).reshape(-1, len(self.inputs))
        self.give_scans(np.where(scans == _LOST, np.nan, scans))
        return True

    def shut(self) -> None:
        self._ljm.eStreamStop(self._handle)
        self._ljm.close(self._handle)


def _driver(module: str, whose: str, what: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:
        raise DeviceError(
            f"{whose} cards need their vendor's driver, which isn't here ({error}). Install "
            f"{what}; for a try without a card take a SimulatedBoard."
        ) from None

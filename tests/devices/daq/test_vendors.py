"""Vendors' cards: what is said without their drivers, and how blocks come of their calls.

No card was there: drivers are stand-ins that answer as their manuals say."""

import sys
import types

import numpy as np
import pytest

from touchback.devices.daq import BlockChannel, BlockLayout, Daq, LabJackBoard, NiBoard
from touchback.errors import DeviceError, InputError
from waiting import until

VOLTS = BlockLayout(1e-3, [BlockChannel(name, "float64") for name in ("brake", "torque")])
INPUTS = {"brake": "Dev1/ai0", "torque": "Dev1/ai1"}


class DriverError(Exception):
    """Of a vendor."""


class Card:
    """Four scans by each call, as DAQmx gives them; then it is pulled out."""

    def __init__(self) -> None:
        self.calls, self.wanted = 0, []
        self.ai_channels = self.timing = self.in_stream = self
        self.avail_samp_per_chan = 4

    def add_ai_voltage_chan(self, terminal: str, min_val: float, max_val: float) -> None:
        self.wanted.append((terminal, min_val, max_val))

    def cfg_samp_clk_timing(self, rate: float, sample_mode: str) -> None:
        self.wanted.append((rate, sample_mode))

    def start(self) -> None: ...

    def close(self) -> None: ...

    def read(self, number_of_samples_per_channel: int, timeout: float) -> list[list[float]]:
        if self.calls == 5:
            raise DriverError("Device removed")
        self.calls += 1
        k = 4 * (self.calls - 1) + np.arange(number_of_samples_per_channel)
        return [list(1.0 * k), list(-1.0 * k)]


@pytest.mark.parametrize(
    ("open_card", "names"),
    [(NiBoard, ("nidaqmx", "NI-DAQmx")), (LabJackBoard, ("labjack", "LJM"))],
)
def test_a_missing_driver_is_named_with_where_to_get_it(open_card, names, monkeypatch) -> None:
    for module in ("nidaqmx", "labjack", "labjack.ljm"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DeviceError) as caught:
        open_card(VOLTS, INPUTS)
    assert all(name in str(caught.value) for name in (*names, "driver", "SimulatedBoard"))


def test_scans_of_an_ni_card_become_blocks_until_it_is_pulled_out(monkeypatch) -> None:
    card = Card()
    driver = types.SimpleNamespace(
        Task=lambda: card,
        constants=types.SimpleNamespace(
            AcquisitionType=types.SimpleNamespace(CONTINUOUS="continuous")
        ),
        errors=types.SimpleNamespace(DaqError=DriverError),
    )
    monkeypatch.setitem(sys.modules, "nidaqmx", driver)
    with NiBoard(VOLTS, INPUTS, span=5.0) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        blocks = daq.blocks()
        until(lambda: any("Device removed" in text for text in daq.events))
    assert card.wanted == [("Dev1/ai0", -5, 5), ("Dev1/ai1", -5, 5), (1000.0, "continuous")]
    np.testing.assert_array_equal(blocks["brake"], np.arange(20))
    np.testing.assert_array_equal(blocks["torque"], -np.arange(20.0))
    np.testing.assert_allclose(np.diff(blocks["began"].reshape(5, 4)), 1e-3, atol=1e-8)


def test_scans_that_a_labjack_lost_are_missing_in_the_numbers(monkeypatch) -> None:
    calls = []

    def read(handle: int) -> tuple[list[float], int, int]:
        calls.append(handle)
        if len(calls) > 3:
            raise DriverError("STREAM_NOT_RUNNING")
        return [1.0, 2.0, -9999.0, -9999.0, 3.0, 4.0], 0, 0

    ljm = types.SimpleNamespace(
        openS=lambda *how: 7, namesToAddresses=lambda count, names: ([0, 2], [3, 3]),
        eStreamStart=lambda *how: calls.append(how), eStreamRead=read, LJMError=DriverError,
        eStreamStop=lambda handle: None, close=lambda handle: None,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "labjack", types.SimpleNamespace(ljm=ljm))
    monkeypatch.setitem(sys.modules, "labjack.ljm", ljm)
    with LabJackBoard(VOLTS, {"brake": "AIN0", "torque": "AIN1"}) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        blocks = daq.blocks()
    assert calls[0] == (7, 5, 2, [0, 2], 1000.0)
    np.testing.assert_array_equal(blocks["number"], [0, 2, 3, 5])
    np.testing.assert_array_equal(blocks["brake"], [1.0, 3.0, 1.0, 3.0])


def test_channels_that_a_card_can_not_give_are_refused(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "nidaqmx", types.SimpleNamespace())
    with pytest.raises(InputError, match="which input"):
        NiBoard(VOLTS, {"brake": "Dev1/ai0"})
    with pytest.raises(InputError, match="1 × int16"):
        NiBoard(BlockLayout(1e-3, [BlockChannel("brake")]), INPUTS)

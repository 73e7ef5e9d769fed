"""`touchback device watch`: a word where no sample comes."""

import pytest

from touchback.cli.device_commands import _watch
from touchback.devices import SerialDevice
from touchback.errors import DeviceError
from waiting import PATIENCE, until


def test_a_line_that_has_become_silent_is_said_to_be_and_nothing_is_repeated(far, capsys) -> None:
    with SerialDevice(far.path, patience=PATIENCE) as device:
        until(lambda: device.counts["samples"] > 20)
        far.silent = True
        until(lambda: not device.connected)
        with pytest.raises(
            DeviceError, match=r"'far key' on .* is silent: no sample for \d+\.\d s"
        ):
            _watch(device, 0.5)
    told = capsys.readouterr().out
    assert "no sample for" in told and "it is asked again" in told
    assert "silent: no sample for" in told and "+0.10000" not in told


def test_a_line_that_is_gone_is_said_to_be(far, capsys) -> None:
    with SerialDevice(far.path, patience=PATIENCE) as device:
        until(lambda: device.counts["samples"] > 20)
        far.close()
        until(lambda: not device.connected)
        with pytest.raises(DeviceError, match="is silent"):
            _watch(device, 0.3)
    assert "the line is gone" in capsys.readouterr().out

"""What a wheel's numbers mean, and how that is found and kept."""

import math
import threading
import time

import pytest

from far_wheels import FarWheel
from touchback.devices.evdev import (
    ForceWheel,
    PedalTravel,
    WheelScale,
    calibrate,
    find_wheels,
    force_wheel,
    open_wheel,
    read_scale,
)
from touchback.devices.evdev.evdev_description import ReportedAxis
from touchback.errors import DeviceError, InputError
from waiting import until

WHOLE = ReportedAxis("ABS_X", 0, 65535, 0, 0)
PEDAL = ReportedAxis("ABS_Z", 0, 255, 0, 15)


def mapped(line: tuple[float, float], raw: float) -> float:
    return line[0] * raw + line[1]


def test_a_wheel_is_at_half_its_range_to_the_left_at_its_least_value() -> None:
    scale = WheelScale(range=math.radians(900.0))
    assert mapped(scale.line(WHOLE), 0) == pytest.approx(math.radians(450.0))
    assert mapped(scale.line(WHOLE), 65535) == pytest.approx(-math.radians(450.0))
    assert mapped(scale.line(WHOLE), 32767.5) == pytest.approx(0.0, abs=1e-12)


def test_a_pedal_s_dead_band_is_the_device_s_flat_where_that_is_more() -> None:
    line = PedalTravel("ABS_Z", rest=255, full=0, dead=0.01).line(PEDAL)
    assert mapped(line, 255 - 15) == pytest.approx(0.0, abs=1e-12)
    assert mapped(line, 15) == pytest.approx(1.0)


@pytest.fixture
def far(tmp_path):
    wheel = FarWheel(tmp_path / "wheel")
    yield wheel
    wheel.unplug()


def test_feet_show_which_axes_are_pedals_where_they_rest_and_where_they_end(far, tmp_path) -> None:
    """At first the throttle is told to be where it isn't, as some devices do until they move."""
    far.axes["ABS_Z"] = (0, 255, 0)
    with ForceWheel(far.path, WheelScale(range=4.0, peak=2.0)) as wheel:

        def press() -> None:
            time.sleep(0.1)
            for value in (255, 128, 3, 250):
                far.turn(ABS_Z=value, ABS_RZ=255)
                time.sleep(0.05)

        def calibrated() -> WheelScale:
            far.turn(ABS_Z=0)
            until(lambda: wheel.latest()["ABS_Z"] == 0)
            feet = threading.Thread(target=press)
            feet.start()
            found = calibrate(wheel, 1.0)
            feet.join()
            return found

        pressed = WheelScale(4.0, 2.0, pedals={"throttle": PedalTravel("ABS_Z", 250, 0)})
        # feet that a busy machine let go when all was over, or too fast to be seen, press again
        found = until(lambda: (each := calibrated()) == pressed and each)
    found.save(tmp_path / "wheel.json")
    assert read_scale(tmp_path / "wheel.json") == found


def test_wheels_are_listed_and_the_only_one_is_taken(far, tmp_path, monkeypatch) -> None:
    (tmp_path / "text").write_text("no device")
    monkeypatch.setattr(force_wheel, "PLACES", (str(tmp_path / "*"),))
    told = {each.path: each for each in find_wheels()}
    assert told[far.path].pushes and told[far.path].name == "far wheel"
    assert "no event device" in told[str(tmp_path / "text")].refused


def test_auto_names_those_among_which_it_cannot_choose(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(force_wheel, "PLACES", (str(tmp_path / "*"),))
    with pytest.raises(DeviceError, match="there is none"):
        open_wheel("auto")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is no calibration of a wheel"),
        ("[" * 100_000, "is no calibration of a wheel"),
        ('{"pedals": {"\udcff": 1}}', "is no calibration of a wheel"),  # a byte that is no text
        ('{"range": "wide"}', r"Expected `float \| null`, got `str`"),
        ('{"range": 0}', "its range is 0.*a number that isn't zero"),
        ('{"pedals": {"throttle": {"axis": "ABS_Z", "rest": 1, "full": 1}}}', "two different ends"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path, text: str, told: str) -> None:
    path = tmp_path / "wheel.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=told):
        read_scale(path)


def test_a_calibration_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"There is no file '.*nowhere\.json'"):
        open_wheel(f"{tmp_path}/wheel@{tmp_path}/nowhere.json")

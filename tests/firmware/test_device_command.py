"""`touchback device` and `touchback play --device` on the emulated key, and its identification."""

import numpy as np
import pytest

import touchback as tb
from command import touchback
from emulated_key import EmulatedKey, built, needs_emulator
from touchback.devices import SerialDevice
from touchback.devices.serial_line.identify import fitted, identify
from waiting import until


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """A key that nobody touches."""
    folder = tmp_path_factory.mktemp("key")
    emulated = EmulatedKey(built(folder), folder)
    yield emulated
    emulated.close()


def moved(seconds=4.0, rate=1000.0, *, constant=0.48, friction=0.012):
    """Samples of an ideal axis: 2.1 g m², 0.01 N m s/rad, 2 ohm, a weight of -0.02 N m."""
    step, draw = 1.0 / (8 * rate), np.random.default_rng(1)
    q = w = 0.0
    rows = []
    for k in range(round(seconds / step)):
        t = k * step
        wanted = 0.25 * np.sin(2 * np.pi * t * (1.0 + 1.2 * t)) - 2.0 * q / constant
        force = constant * wanted - 0.01 * w + 0.02
        kick = friction * step / 2.1e-3
        w += force * step / 2.1e-3
        w = np.sign(w) * max(0.0, abs(w) - kick)
        q += w * step
        if k % 8 == 7:
            counts = np.floor(q / 1.6e-5) * 1.6e-5
            voltage = 2.0 * wanted + constant * w + draw.normal(0.0, 2e-3)
            rows.append((t, 1, counts, w, 0.5 * wanted, wanted, voltage))
    names = ("time", "status", "position", "velocity", "force", "current", "voltage")
    samples = dict(zip(names, np.array(rows).T))
    samples["status"] = samples["status"].astype(int)
    return samples


def test_constants_come_back_from_an_ideal_axis_read_in_counts() -> None:
    found = fitted(moved())
    assert found.force_constant == pytest.approx(0.48, rel=0.01)
    assert found.claimed_constant == pytest.approx(0.5, rel=1e-6)
    assert found.resistance == pytest.approx(2.0, rel=0.01)
    assert found.inertia == pytest.approx(2.1e-3, rel=0.03)
    assert found.friction == pytest.approx(0.012, rel=0.1)
    assert found.damping == pytest.approx(0.01, rel=0.15)
    assert found.weight == pytest.approx(0.02, abs=1e-3)
    assert found.scatter < 0.05


def test_an_axis_that_does_not_move_or_says_too_little_is_refused() -> None:
    still = moved(1.0)
    with pytest.raises(tb.DeviceError, match="hardly moved"):
        fitted(
            still | {"status": np.zeros_like(still["status"]) | 1, "position": still["time"] * 0}
        )
    with pytest.raises(tb.DeviceError, match=r"Only 10 samples came, 500 are needed"):
        fitted({name: values[:10] for name, values in still.items()})


@needs_emulator
def test_the_emulated_key_finds_its_own_constants(key) -> None:
    with SerialDevice(key.path, patience=20.0) as device:
        until(lambda: "homed" in device.latest().words)
        found = identify(device, seconds=3.0)
    # what plant.c has; an emulator on a busy machine loses ticks
    assert found.force_constant == pytest.approx(0.48, rel=0.1)
    assert found.claimed_constant == pytest.approx(0.48, rel=0.05)
    assert found.resistance == pytest.approx(2.0, rel=0.1)
    assert found.inertia == pytest.approx(2.1e-3, rel=0.25)
    assert 0.0 < found.friction < 0.04


@needs_emulator
def test_a_device_is_probed_and_watched(key) -> None:
    told = touchback("device", "watch", f"serial:{key.path}", "--seconds", "0.5")
    assert told.returncode == 0, told.stderr
    assert "emulated key (simulated, there is no such device): 1000 samples a second" in told.stdout
    assert "rotary" in told.stdout and "homed" in told.stdout
    assert "round trip" in told.stdout and "there: session" in told.stdout.replace("\n", " ")


@needs_emulator
def test_an_instrument_is_felt_on_a_key_on_a_wire(tmp_path) -> None:
    emulated = EmulatedKey(built(tmp_path, options="-DFINGER=0.5f"), tmp_path)
    try:
        told = touchback(
            "play", "piano", "--device", f"serial:{emulated.path}", "--no-identify",
            "--seconds", "2",
        )  # fmt: skip
    finally:
        emulated.close()
    assert told.returncode == 0, told.stderr
    assert "emulated key/key, simulated" in told.stdout
    assert "C4" in told.stdout  # the finger of the plant has struck it
    assert "input age" in told.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["device", "probe"], "needs one, as serial:/dev/ttyACM0"),
        (["device", "probe", "parallel:x"], "A device is given as serial:PATH, got 'parallel:x'"),
        (["device", "probe", "serial:/dev/no-such-line"], "can't be opened"),
    ],
)
def test_wrong_use_is_said(words, text) -> None:
    told = touchback(*words)
    assert told.returncode in (1, 2)
    assert text in told.stderr.replace("\n", " ")

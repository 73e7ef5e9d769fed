"""The reference firmware under qemu, talking to the real driver over its emulated serial port."""

import subprocess
import time

import pytest

import touchback as tb
from emulated_key import EmulatedKey, built, needs_emulator
from line_soak import OLDEST, soak
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from waiting import PATIENCE, until

pytestmark = needs_emulator
TRAVEL = 0.0873  # [rad] of the simulated key in plant.c
STIFFNESS = 4.0
DRIFTED = 1e-3  # [s] in a look: a clock that is a thousandth fast would take a second for it


@pytest.fixture(scope="module")
def firmware(tmp_path_factory):
    """The key with a finger of 0.2 N m that presses for half a second and is away for as long."""
    return built(tmp_path_factory.mktemp("firmware"), options="-DFINGER=0.2f")


@pytest.fixture
def key(firmware, tmp_path):
    emulated = EmulatedKey(firmware, tmp_path)
    yield emulated
    emulated.close()


def spring() -> tb.System:
    m = tb.Model("spring")
    angle, speed = m.input("angle", unit="rad"), m.input("speed", unit="rad/s")
    m.sensor("torque", tb.Signal(-STIFFNESS * angle - 0.05 * speed, "N m"))
    m.sensor("seen", tb.Signal(angle, "rad"))
    return m.compile()


def test_it_has_no_heap_and_fits_a_small_chip(firmware) -> None:
    names = subprocess.run(["arm-none-eabi-nm", firmware], capture_output=True, text=True).stdout
    assert not {"malloc", "free", "_sbrk"} & set(names.split())
    sizes = subprocess.run(["arm-none-eabi-size", firmware], capture_output=True, text=True).stdout
    text, data, bss = map(int, sizes.splitlines()[1].split()[:3])
    assert text + data < 16_384 and data + bss < 4_096


def begun_anew(device: SerialDevice, key: EmulatedKey) -> None:
    before = device.sessions
    key.reset()
    until(lambda: device.sessions > before and "homed" in device.latest().words)


def test_it_meets_the_driver_and_finds_its_rest_stop_by_itself(key) -> None:
    with SerialDevice(key.path, patience=PATIENCE) as device:
        assert device.name == "emulated key" and device.simulated
        until(lambda: "homed" in device.latest().words)  # it began at 0.03 rad, and doesn't know
        # it rests at zero until the finger comes, within half a second, and stays down then: who
        # was busy meanwhile resets it and looks again
        seen, resets = [*device.samples()["position"]], 0
        while min(seen, default=1.0) > 0.01:
            begun_anew(device, key)
            seen, resets = [*device.samples()["position"]], resets + 1
        until(lambda: seen.append(device.latest().axes[0]["position"]) or seen[-1] > 0.08)
        assert -0.002 < seen[-1] < 0.1
        assert device.counts["damaged"] <= resets  # each may cut a frame off


def test_its_motor_carries_a_finger_as_the_run_says(key) -> None:
    guard = GuardedOutput(safe=0.0, low=-1.0, high=1.0, at_limit="clip")
    with SerialDevice(key.path, patience=PATIENCE) as device:
        inputs = {"angle": WatchedInput(max_age=0.5)}
        with tb.live(spring(), rate=1000, inputs=inputs, outputs={"torque": guard}) as live:
            live.connect("angle", device)
            live.connect("speed", device.channel("velocity"))
            live.connect("torque", device)
            # 0.2 N m of the finger less up to 0.012 N m of friction, on 4 N m/rad
            until(lambda: abs(live.read("seen") - 0.05) < 0.004)
            reading = device.latest().axes[0]
            until(lambda: "forces act" in device.latest().words)
            until(lambda: device.latest().axes[0]["current"] < -0.3)  # 0.2 N m are 0.42 A
            assert abs(reading["voltage"]) <= 12.0
        until(lambda: "forces act" not in device.latest().words)
        assert device.device_counts()["longest"] < 20_000


def test_a_hall_pair_gives_the_same_key_without_homing(tmp_path) -> None:
    emulated = EmulatedKey(built(tmp_path, options="-DSENSE_HALL -DFINGER=0.3f"), tmp_path)
    try:
        with SerialDevice(emulated.path, patience=PATIENCE) as device:
            assert device.axes[0].position_unit == pytest.approx(0.10 / 4095**2)
            seen = []
            until(lambda: seen.append(device.latest().axes[0]["position"]) or max(seen) > 0.08)
            # pressed with 0.3 N m against a stop of 400 N m/rad; 12 bits of a field
            time.sleep(0.1)
            assert max(seen) < TRAVEL + 0.3 / 400 + 0.01
    finally:
        emulated.close()


def clean(found) -> None:
    """No torn or stale value was used, and no force outlived the watchdogs."""
    assert found.torn == 0 and found.stale == 0 and found.forced == 0
    assert found.longest < 0.020  # the device's watchdog
    assert found.safe_ticks > 0  # it was disturbed indeed
    assert found.looks > 0 and found.misdated < DRIFTED and found.doubt <= OLDEST


def disturbed(tmp_path, seconds):
    emulated = EmulatedKey(built(tmp_path, options="-DPATTERN"), tmp_path, bridged=True)
    try:
        return soak(emulated, seconds, seed=3, every=0.2 if seconds < 60 else 1.0)
    finally:
        emulated.close()


def test_unplugged_flooded_damaged_and_reset_it_is_safe_and_comes_back_by_itself(tmp_path) -> None:
    found = disturbed(tmp_path, 4.0)
    clean(found)
    assert found.sessions >= 2 and found.ticks > 1000


@pytest.mark.soak
def test_ten_minutes_of_it(tmp_path) -> None:
    found = disturbed(tmp_path, 600.0)
    print(found.told())
    clean(found)
    assert found.ticks > 500_000 and sum(found.disturbances.values()) > 200

"""`touchback device` and `touchback play --device` on the emulated key, and its identification."""

import re
import shutil
import signal
import subprocess
import threading
import wave
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from command import touchback
from emulated_key import EmulatedKey, built, needs_emulator
from touchback.cli import device_commands
from touchback.devices import SerialDevice
from touchback.devices.midi import NoteOn
from touchback.devices.serial_line.axis_identification import IdentifiedAxis, fit_axis, identify
from touchback.errors import DeviceError
from touchback.instruments.keyboard.keyboard_model import note_name
from touchback.instruments.keyboard.keyboard_regulation import read_regulation
from touchback.instruments.midi_file import read_midi
from waiting import PATIENCE, until


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """A key that nobody touches."""
    folder = tmp_path_factory.mktemp("key")
    emulated = EmulatedKey(built(folder), folder)
    yield emulated
    emulated.close()


def moved(
    seconds=4.0, *, constant=0.48, friction=0.012, inertia=2.1e-3, noise=2e-3, push=0.12
):  # fmt: skip
    """Samples of an ideal axis, a thousand a second: 0.01 N m s/rad, 2 ohm, a weight of -0.02 N m;
    noise of the voltage [V], and a fifth of it of the current [A]."""
    step, draw = 1.0 / 8000.0, np.random.default_rng(1)
    q = w = 0.0
    rows = []
    for k in range(round(seconds / step)):
        t = k * step
        wanted = (push * np.sin(2 * np.pi * t * (1.0 + 1.2 * t)) - 2.0 * q) / constant
        if k % 8 == 0:
            counts = np.floor(q / 1.6e-5) * 1.6e-5
            voltage = 2.0 * wanted + constant * w + draw.normal(0.0, noise)
            sensed = wanted + draw.normal(0.0, 0.2 * noise) if noise > 2e-3 else wanted
            rows.append((t, 1, counts, w, 0.5 * wanted, sensed, voltage))
        force = constant * wanted - 0.01 * w + 0.02
        per = step / (inertia + 0.5 * 0.01 * step)  # damped by the mean of before and after
        w += force * per
        w = np.sign(w) * max(0.0, abs(w) - friction * per)
        q += w * step
    names = ("time", "status", "position", "velocity", "force", "current", "voltage")
    samples = dict(zip(names, np.array(rows).T))
    samples["status"] = samples["status"].astype(int)
    return samples


def test_constants_come_back_from_an_ideal_axis_read_in_counts() -> None:
    found = fit_axis(moved())
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
        fit_axis(
            still | {"status": np.zeros_like(still["status"]) | 1, "position": still["time"] * 0}
        )
    with pytest.raises(tb.DeviceError, match=r"Only 10 samples came, 500 are needed"):
        fit_axis({name: values[:10] for name, values in still.items()})


@pytest.mark.parametrize("factor", [-1.0, 0.0])
def test_a_force_that_is_reported_backwards_or_never_is_refused(factor) -> None:
    samples = moved()
    with pytest.raises(tb.DeviceError, match="correct the sign and size of the force"):
        fit_axis(samples | {"force": factor * samples["force"]})


def test_a_motion_of_which_much_is_missing_is_refused() -> None:
    """Every other tenth of a second is lost: what is left fits well, and still doesn't count."""
    samples = moved()
    come = (10 * samples["time"]).astype(int) % 2 == 0
    kept = {name: values[come] for name, values in samples.items()}
    assert fit_axis(kept).force_constant == pytest.approx(0.48, rel=0.02)
    with pytest.raises(tb.DeviceError, match=r"came for 2\.0 of 4 s only, 3\.0 are needed"):
        fit_axis(kept, seconds=4.0)
    fit_axis(samples, seconds=4.0)


@pytest.mark.parametrize(("together", "told"), [(1, None), (3, "lost again and again")])
def test_samples_lost_here_and_there_are_left_out_or_the_line_is_blamed(together, told) -> None:
    """One of ten, or three in a row, at random: over a longer gap nobody knows what flowed, and
    stretches between many of them are too short to tell inertia."""
    samples = moved()
    draw = np.random.default_rng(2)
    gone = draw.random(len(samples["time"])) < 0.1
    gone = np.convolve(gone, np.ones(together))[: len(gone)] > 0
    kept = {name: values[~gone] for name, values in samples.items()}
    if told:
        with pytest.raises(tb.DeviceError, match=told):
            fit_axis(kept)
        return
    assert fit_axis(kept).inertia == pytest.approx(2.1e-3, rel=0.03)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_constants_are_not_found_while_the_line_is_lost(tmp_path) -> None:
    """In mid-motion, with more than enough samples; whether or not it comes back meanwhile."""
    process = started(tmp_path, "")

    def lose(device, back):
        samples = device.counts["samples"]
        until(lambda: device.counts["samples"] > samples + 700)
        process.send_signal(signal.SIGSTOP)
        until(lambda: not device.connected)
        if back:
            process.send_signal(signal.SIGCONT)
            until(lambda: device.connected)

    try:
        with SerialDevice(path_of(process), patience=PATIENCE) as device:
            until(lambda: "homed" in device.latest().words)
            for back in (True, False):
                losing = threading.Thread(target=lose, args=(device, back))
                losing.start()
                with pytest.raises(tb.DeviceError, match=r"axis 'key': The line was lost while"):
                    identify(device, seconds=60.0)
                losing.join()
    finally:
        ended(process)


def test_noise_and_extremes_leave_constants_within_their_doubts() -> None:
    """50 mV and 10 mA of noise; friction that eats half of the push; a hundredth of the inertia."""
    noisy = fit_axis(moved(noise=0.05))
    assert noisy.force_constant == pytest.approx(0.48, rel=0.03)
    assert noisy.resistance == pytest.approx(2.0, rel=0.03)
    for truth, found in (
        ((2.1e-3, 0.012), noisy),
        ((2.1e-3, 0.06), fit_axis(moved(friction=0.06))),
        ((2.1e-5, 0.012), fit_axis(moved(inertia=2.1e-5))),
    ):
        # three standard errors, and trapezoids of 1 ms
        assert abs(found.inertia - truth[0]) < 3 * found.inertia_doubt + 0.001 * truth[0]
        assert abs(found.friction - truth[1]) < 3 * found.friction_doubt + 0.001 * truth[1]
        assert found.inertia_doubt < 1.5e-4 and found.friction_doubt < 5e-3


@pytest.mark.parametrize(
    ("constant", "inertia", "cases", "widest"),
    [
        (0.48, 2.1e-3, [(2.0, 0.01), (2.0, 0.04), (8.0, 0.01), (8.0, 0.04), (8.0, 0.1)], 0.08),
        (0.05, 1e-3, [(10.0, 0.02)], 0.1),  # without a gear
    ],
)
def test_noise_of_the_current_moves_nothing_by_more_than_is_said(
    constant, inertia, cases, widest
) -> None:
    """White noise of the current [A], and 50 mV of the voltage: three standard errors hold the
    truth in 95 of 100 at least, though none is wide; and errors don't lean to one side."""
    clean = moved(constant=constant, inertia=inertia, friction=0.005, noise=0.0, push=0.03)
    for ohm, noise in cases:
        apart = []
        for seed in range(40):
            draw = np.random.default_rng(seed).normal(size=(2, len(clean["time"])))
            voltage = clean["voltage"] + (ohm - 2.0) * clean["current"] + 0.05 * draw[0]
            found = fit_axis(
                clean | {"current": clean["current"] + noise * draw[1], "voltage": voltage}
            )
            apart.append(
                [(found.force_constant - constant) / found.constant_doubt,
                 (found.inertia - inertia) / found.inertia_doubt,
                 (found.friction - 0.005) / found.friction_doubt]
            )  # fmt: skip
            assert found.constant_doubt < widest * constant
        assert (np.abs(apart) < 3.0).sum(axis=0).min() >= 38
        # three standard errors of the mean, and trapezoids of 1 ms: 0.03 %, a third of a doubt
        assert np.abs(np.mean(apart, axis=0)).max() < 3.0 / np.sqrt(40.0) + 0.35


def started(folder, options: str) -> subprocess.Popen:
    """The firmware as a program of this machine."""
    program = built(folder, options, "BOARD=host")
    return subprocess.Popen([program], stdout=subprocess.PIPE, text=True)


def path_of(process: subprocess.Popen) -> str:
    return process.stdout.readline().strip()


def ended(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    process.stdout.close()


def refusal(device: SerialDevice) -> str:
    with pytest.raises(tb.DeviceError, match=r"^'emulated key', axis 'key': ") as caught:
        identify(device, seconds=0.5)
    return str(caught.value)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("-DBACKWARDS", "swap A and B of the encoder|see that encoder and motor go the same way"),
        ("-DUNPLUGGED", r"No current flows \(0 A\) though .* V are at its motor: is it connected"),
        ("-DRUBBING=2.0f", "The axis hardly moved"),
    ],
)
def test_a_key_that_is_wired_wrongly_or_stuck_says_so(tmp_path, wrong, told) -> None:
    process = started(tmp_path, wrong)
    try:
        with SerialDevice(path_of(process), patience=PATIENCE) as device:
            until(lambda: "homed" in device.latest().words)
            until(lambda: re.search(told, refusal(device)) is not None)  # a busy machine says less
            until(lambda: "forces act" not in device.latest().words)
    finally:
        ended(process)


def identified(device: SerialDevice) -> IdentifiedAxis | None:
    """None where a busy machine lost too many ticks."""
    try:
        return identify(device, seconds=3.0)
    except tb.DeviceError:
        return None


@needs_emulator
def test_the_emulated_key_finds_its_own_constants(key) -> None:
    with SerialDevice(key.path, patience=PATIENCE) as device:
        until(lambda: "homed" in device.latest().words)
        tries = [identified(device)]
        until(lambda: tries[-1] is not None or tries.append(identified(device)), patience=240.0)
        found = tries[-1]
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
def test_an_instrument_is_felt_on_keys_on_two_wires(tmp_path) -> None:
    """One of an emulator, one of a program of this machine; fingers of their plants strike them."""
    finger = "-DFINGER=0.5f"
    emulated = EmulatedKey(built(tmp_path / "a", finger), tmp_path)
    other = started(tmp_path / "b", finger)
    try:
        places = [f"serial:{emulated.path}", f"serial:{path_of(other)}"]
        given = [word for place in places for word in ("--device", place)]
        sound, notes, turned = (tmp_path / name for name in ("a.wav", "a.mid", "turned.yaml"))
        given += ["--wav", str(sound), "--midi", str(notes), "--save", str(turned)]
        given += ["--set", "hammer mass=0.008"]
        for seconds in ("2", "6", "30"):  # a busy machine is slow to strike
            told = touchback("play", "piano", *given, "--no-identify", "--seconds", seconds)
            assert told.returncode == 0, told.stderr
            if "C4" in told.stdout and "D4" in told.stdout:
                break
    finally:
        emulated.close()
        ended(other)
    assert told.stdout.count("emulated key/key, simulated") == 2
    assert "2 keys, piano" in told.stdout and "input age" in told.stdout
    shown = re.findall(r"^ +(\S+) s  ([CD]4)", told.stdout, re.MULTILINE)
    assert {name for _, name in shown} == {"C4", "D4"}
    kept = [t for t in read_midi(notes) if isinstance(t.message, NoteOn)]
    assert [note_name(t.message.note) for t in kept] == [name for _, name in sorted(shown)]
    assert [t.time for t in kept] == pytest.approx(sorted(float(t) for t, _ in shown), abs=6e-4)
    with wave.open(str(sound)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    assert np.abs(samples).max() > 1000  # of 32767: it is heard
    assert read_regulation(turned).every == {"hammer mass": 0.008}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["device", "probe"], "needs one, as serial:/dev/ttyACM0"),
        (
            ["device", "probe", "parallel:x"],
            "A device is given as serial:PATH or evdev:PATH, got 'parallel:x'",
        ),
        (["device", "probe", "serial:/dev/no-such-line"], "can't be opened"),
    ],
)
def test_wrong_use_is_said(words, text) -> None:
    told = touchback(*words)
    assert told.returncode in (1, 2)
    assert text in told.stderr.replace("\n", " ")


@pytest.mark.parametrize("connected", [True, False])
def test_watching_shows_what_is_new_a_reading_a_look_and_silence_and_ends_with_counts(
    connected: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Samples come before the first two looks of four, and a fault before the second."""

    class Clock:
        now = 100.0

        def monotonic(self) -> float:
            return self.now

        def sleep(self, seconds: float) -> None:
            self.now += seconds

    class Found:
        name, path, axes, looks = "key", "/dev/ttyACM0", [SimpleNamespace(name="front")], 0

        def __init__(self) -> None:
            self.counts, self.connected = {"samples": 7, "lost": 1}, connected

        def news(self) -> list[str]:
            self.looks += 1
            if self.looks < 3:
                self.counts = {"samples": 7 + 100 * self.looks, "lost": 1}
            return ["a fault: too hot"] if self.looks == 2 else []

        def latest(self) -> SimpleNamespace:
            axis = {"position": 0.01 * self.looks, "velocity": -2.5, "force": 1.0, "current": 0.25}
            return SimpleNamespace(device_time=1.5, axes=[axis], words=["homed", "armed"])

        def device_counts(self) -> dict[str, int]:
            return {"late": 3}

    monkeypatch.setattr(device_commands, "time", Clock())
    found: Any = Found()
    seconds = 4 * device_commands._LOOK
    if connected:
        device_commands._watch(found, seconds)
    else:
        with pytest.raises(DeviceError, match=r"'key' on '/dev/ttyACM0' is silent: no sample for"):
            device_commands._watch(found, seconds)
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said == [
        "1.500 s front +0.01000 -2.500/s +1.000 +0.250 A homed, armed",
        "a fault: too hot",
        "1.500 s front +0.02000 -2.500/s +1.000 +0.250 A homed, armed",
        f"silent: no sample for {device_commands._LOOK:.1f} s",
        f"silent: no sample for {2 * device_commands._LOOK:.1f} s",
        "here: samples 207, lost 1",
        *(["there: late 3"] if connected else []),
    ]

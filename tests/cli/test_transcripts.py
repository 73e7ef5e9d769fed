"""What commands print, line by line, but for times that were measured: tables, units, signs, what
is said of what happened. `--update-golden` takes over what was changed on purpose."""

import re
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import touchback as tb
from command import touchback
from descriptions import check
from touchback.cli import benchmark_commands, device_commands
from touchback.cli.braille_chart import chart
from touchback.devices.serial_line.axis_identification import IdentifiedAxis
from touchback.errors import DeviceError, InputError

MEASURED = re.compile(  # what differs from machine to machine, and what is rounding alone
    r"\d[\d.,e+]*(?= (?:ms|µs|times real time|evaluations))|[-+]?\d[\d.]*e-(?:0[6-9]|[1-9]\d)"
)


def lines(text: str) -> Iterable[str]:
    return [MEASURED.sub("…", line).rstrip() for line in text.splitlines()]


COMMANDS = {
    "show": ("show", "bouncing-hammer"),
    "show-loop": ("show", "slider-crank"),
    "simulate": ("simulate", "bouncing-hammer", "--duration", "0.9"),
    "simulate-fixed": (
        "simulate", "cart-pole", "--duration", "0.2", "--method", "rk4", "--step", "0.01",
        "--set", "pole=0.1", "--set", "angle gain=-40", "--signals", "cart, pole",
    ),
    "simulate-input": (
        "simulate", "motor-arm", "--duration", "0.1", "--method", "BDF", "--input", "voltage=2",
    ),
    "device-none": ("device", "list"),
}  # fmt: skip


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without devices."""
    monkeypatch.setattr(device_commands, "PLACES", ("/nowhere/serial*",))
    monkeypatch.setattr(tb.devices.evdev, "find_wheels", lambda: ())
    monkeypatch.setattr(tb.devices.evdev, "PLACES", ("/nowhere/event*",))


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("bare")
def test_a_command_says_what_it_said(name: str, pytestconfig: pytest.Config) -> None:
    done = touchback(*COMMANDS[name])
    told = [f"exit code {done.returncode}", *lines(done.stdout), *lines(done.stderr)]
    check(told, f"transcript-{name}", pytestconfig, 2e-5)


AXIS = SimpleNamespace(
    name="key", linear=False, position_unit=1.2345e-5, low=-0.1, high=0.2, force=3.5, velocity=9.0
)


class FarDevice:
    """A serial device of two axes that says the same at every look."""

    name, simulated, period, watchdog, path = "far key", True, 1e-3, 0.05, "/dev/tty9"
    axes = (AXIS, SimpleNamespace(**vars(AXIS) | {"name": "slide", "linear": True}))
    clock = SimpleNamespace(round_trip=123e-6, drift=-4.56e-6)
    connected = True

    def __init__(self) -> None:
        self.looks = 0

    def __enter__(self) -> "FarDevice":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def latest(self) -> SimpleNamespace:
        reading = {"position": 0.012345, "velocity": -0.5, "force": 0.25, "current": -0.125}
        return SimpleNamespace(
            words=("homed", "forces act"), axes=(reading, reading), device_time=12.3456
        )

    @property
    def counts(self) -> dict[str, int]:
        self.looks += 1
        return {"samples": min(self.looks, 3), "lost": 2}

    def device_counts(self) -> dict[str, int]:
        return {"frames": 7}

    def news(self) -> list[str]:
        return ["it came back"] if self.looks == 1 else []


FOUND = IdentifiedAxis(
    force_constant=0.0525, claimed_constant=0.05, resistance=1.5, inertia=2.5e-4, friction=0.01,
    damping=1e-3, weight=-0.004, scatter=0.034, samples=6000, inertia_doubt=3e-6,
    friction_doubt=2e-4, constant_doubt=4e-4, faults=("a tick was late",),
)  # fmt: skip


def test_a_serial_device_is_told_watched_and_kept(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = iter(np.arange(0.0, 100.0, 0.05))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)), sleep=lambda _: None)
    monkeypatch.setattr(device_commands, "time", clock)
    monkeypatch.setattr(tb.devices, "SerialDevice", lambda path, **_: FarDevice())
    monkeypatch.setattr(device_commands, "calibrated", lambda found, axis: FOUND)
    told: list[str] = []
    for words in (("probe",), ("watch", "--seconds", "0.6"), ("calibrate", "--to", "found.json")):
        done = touchback("device", words[0], "serial:/dev/tty9", *words[1:], cwd=tmp_path)
        told += [f"exit code {done.returncode}", *done.stdout.splitlines()]
    check([line.rstrip() for line in told], "transcript-device", pytestconfig)
    kept = (tmp_path / "found.json").read_text()
    assert '"force_constant": 0.0525' in kept and '"weight": -0.004' in kept


def test_a_device_that_is_silent_or_has_no_zero_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = iter(np.arange(0.0, 100.0, 0.5))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)), sleep=lambda _: None)
    monkeypatch.setattr(device_commands, "time", clock)
    far = FarDevice()
    far.connected = False
    with redirect_stdout(StringIO()), pytest.raises(DeviceError, match=r"is silent: no sample for"):
        device_commands._watch(far, 1.0)
    monkeypatch.setattr(FarDevice, "latest", lambda _: SimpleNamespace(words=("fault",)))
    with pytest.raises(DeviceError, match="didn't find its zero within 10 s"):
        device_commands.calibrated(far, 0)
    for where in ("serial:", "/dev/tty9", "udp:/dev/tty9"):
        with pytest.raises(InputError, match=f"serial:PATH or evdev:PATH, got '{where}'"):
            device_commands.open_device(where)
    with pytest.raises(InputError, match="needs one, as"):
        device_commands.device(device_commands.Action.probe)
    assert device_commands.scale_of(None, None) is None
    scale = device_commands.scale_of(180.0, -2.0)
    assert (scale.range, scale.peak) == (pytest.approx(np.pi), -2.0)
    assert device_commands.scale_of(None, 2.0).range is None


class Wheel:
    """A wheel with two axes."""

    name, simulated, pushes, connected = "far wheel", False, True, True
    axes: ClassVar = {
        "ABS_X": SimpleNamespace(name="ABS_X", least=0, most=900, fuzz=1, flat=2),
        "ABS_Y": SimpleNamespace(name="ABS_Y", least=-5, most=5, fuzz=0, flat=0),
    }
    counts: ClassVar = {"taken": 20, "levels": 12, "refused": 3}
    saturated, longest = 0.125, 0.0123
    scale = SimpleNamespace(peak=-2.5)

    def latest(self) -> dict[str, float]:
        return {"ABS_X": 449.6, "ABS_Y": -1.2}

    def news(self) -> list[str]:
        return ["plugged in again"]


def test_wheels_are_told_line_by_line(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = iter(np.arange(0.0, 100.0, 0.15))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)), sleep=lambda _: None)
    monkeypatch.setattr(device_commands, "time", clock)
    saved: list[Path] = []
    pedals = {"gas": SimpleNamespace(axis="ABS_Y", rest=4.0, full=-4.6)}
    kept = [SimpleNamespace(pedals=pedals, save=saved.append), SimpleNamespace(pedals={})]
    monkeypatch.setattr(tb.devices.evdev, "calibrate", lambda wheel, seconds: kept.pop(0))
    listed = [
        SimpleNamespace(path="/dev/1", name="one", pushes=True, axes=["X", "Y"], refused=""),
        SimpleNamespace(path="/dev/2", name="two", pushes=False, axes=["Z"], refused=""),
        SimpleNamespace(path="/dev/3", name="", pushes=False, axes=[], refused="no rights"),
    ]
    monkeypatch.setattr(tb.devices.evdev, "find_wheels", lambda: listed)
    still = Wheel()
    still.counts = still.counts | {"taken": 0}
    dull = Wheel()
    dull.simulated, dull.pushes, dull.connected = True, False, False
    with redirect_stdout(StringIO()) as said:
        device_commands.list_wheels()
        for wheel in (Wheel(), dull):
            device_commands.describe_wheel(wheel)
            device_commands.watch_wheel(wheel, 0.5)
        device_commands.keep_wheel(Wheel(), 7.5, tmp_path / "wheel.json")
        device_commands.keep_wheel(Wheel(), 7.5, None)
        device_commands.report_torque(Wheel())
        device_commands.report_torque(still)
    assert saved == [tmp_path / "wheel.json"]
    told = said.getvalue().replace(str(tmp_path), "TMP")
    check([line.rstrip() for line in told.splitlines()], "transcript-wheels", pytestconfig)


def test_charts_are_drawn_as_they_were(pytestconfig: pytest.Config) -> None:
    x = np.linspace(0.0, 10.0, 60)
    told = []
    for ends, marks in (((10.0, 5.0), {"a": 2.0, "b": 2.1, "c": 9.9}), ((7.3, 0.34), {"q": 7.0})):
        curves = [(x, 0.4 * ends[1] + 0.05 * x), (x, ends[1] * x / 12.0)]
        told += chart(curves, marks, ends).splitlines()
        told += chart(curves[:1], {}, ends, columns=40, rows=8).splitlines()
    check([line.rstrip() for line in told], "transcript-charts", pytestconfig)


def test_what_a_machine_keeps_is_told_in_tables(pytestconfig: pytest.Config) -> None:
    found = [
        SimpleNamespace(what="kernel", value="6.1", good=True, mend=""),
        SimpleNamespace(what="governor", value="powersave", good=False, mend="set it"),
        SimpleNamespace(what="firmware", value="?", good=None, mend="look"),
    ]
    counts = np.zeros(640, dtype=int)
    counts[[17, 160, 161, 200]] = 5, 90, 4, 1
    summary = {"p50": 1.1e-6, "p99": 5e-5, "p99.9": 2e-4, "max": 3e-3}
    lateness = SimpleNamespace(counts=counts, total=100, summary=lambda: summary)
    kept = [
        SimpleNamespace(rate=1000.0, late=1, lateness=lateness, verdict="yes"),
        SimpleNamespace(rate=4000.0, late=7, lateness=lateness, verdict="nearly"),
    ]
    with redirect_stdout(StringIO()) as said:
        benchmark_commands.out.print(benchmark_commands._findings_table(found))
        benchmark_commands.out.print(benchmark_commands._verdicts(kept))
        benchmark_commands.out.print(benchmark_commands._histogram(kept))
    told = [line.rstrip() for line in said.getvalue().splitlines()]
    check(told, "transcript-machine", pytestconfig)

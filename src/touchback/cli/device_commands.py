"""`touchback device`: devices on serial lines, and steering wheels and pedals."""

import glob
import json
import math
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

import touchback as tb
from touchback.cli.console import out, working
from touchback.cli.option_types import number, output, seconds as span
from touchback.errors import DeviceError, InputError
from touchback.names import unknown_name
from touchback.safe_files import write_atomically

PLACES = ("/dev/serial/by-id/*", "/dev/ttyACM*", "/dev/ttyUSB*")


_LOOK = 0.2  # s between lines of `watch`


_HOMING = 10.0  # s that a device has to find its zero


Range = Annotated[
    float | None,
    number("Of a steering wheel, from stop to stop [°], which Linux doesn't tell.", 1.0, 10_000.0,
           flag="--range"),
]  # fmt: skip


Peak = Annotated[
    float | None,
    number("Of its motor [N m]; below zero where its left is right.", -100.0, 100.0),
]


class Action(StrEnum):
    """What can be done with devices."""

    list = "list"
    probe = "probe"
    watch = "watch"
    calibrate = "calibrate"


def device(
    action: Annotated[Action, typer.Argument(help="What to do.")] = Action.list,
    where: Annotated[
        str | None,
        typer.Argument(help="The device, such as serial:/dev/ttyACM0, evdev:PATH or evdev:auto."),
    ] = None,
    seconds: Annotated[float, span("How long to watch.")] = 5.0,
    axis: Annotated[int, typer.Option(help="The axis to calibrate, from 0.")] = 0,
    baud: Annotated[
        int, typer.Option(help="The line's speed, where it has one.")
    ] = tb.devices.serial_line.BAUD,
    range_: Range = None,
    peak: Peak = None,
    to: Annotated[Path | None, output("Where a calibration goes.", ".json")] = None,
) -> None:
    """List devices on serial lines and steering wheels, probe one, watch it, or let it find its own
    constants."""
    if action is Action.list:
        _list(baud)
        list_wheels()
        return
    if where is None:
        raise InputError(
            f"`touchback device {action.value}` needs one, as serial:/dev/ttyACM0 or evdev:auto."
        )
    if where.startswith("evdev:"):
        with open_wheel(where, range_, peak) as at_hand:
            describe_wheel(at_hand)
            if action is Action.watch:
                watch_wheel(at_hand, seconds)
            elif action is Action.calibrate:
                keep_wheel(at_hand, seconds, to)
        return
    with open_device(where, baud) as found:
        _tell(found)
        if action is Action.watch:
            _watch(found, seconds)
        elif action is Action.calibrate:
            _keep(calibrated(found, axis), to)


def open_device(where: str, baud: int = tb.devices.serial_line.BAUD) -> tb.devices.SerialDevice:
    """The device that a text such as "serial:/dev/ttyACM0" names."""
    kind, colon, path = where.partition(":")
    if kind != "serial" or not colon or not path:
        raise InputError(f"A device is given as serial:PATH or evdev:PATH, got '{where}'.")
    return tb.devices.SerialDevice(path, baud=baud)


def calibrated(found: tb.devices.SerialDevice, axis: int) -> tb.devices.serial_line.IdentifiedAxis:
    """An axis, moved by its own motor."""
    end = time.monotonic() + _HOMING
    while "homed" not in found.latest().words:
        if time.monotonic() > end:
            raise DeviceError(f"{found.name!r} didn't find its zero within {_HOMING:g} s.")
        time.sleep(0.01)
    with working("moving it: keep your fingers away"):
        return tb.devices.serial_line.identify(found, axis)


def show_identified(found: tb.devices.serial_line.IdentifiedAxis) -> None:
    """What was found, with what the device reckons with beside it."""
    table = Table("constant", "found", title=f"found by itself, from {found.samples} samples")
    off = 100.0 * (found.force_constant / found.claimed_constant - 1.0)
    for name, text in (
        (
            "force of an ampere",
            f"{found.force_constant:.4g} ± {found.constant_doubt:.1g} "
            f"({off:+.1f} % of what it says)",
        ),
        ("resistance", f"{found.resistance:.4g} ohm"),
        ("inertia", f"{found.inertia:.4g} ± {found.inertia_doubt:.1g}"),
        ("Coulomb friction", f"{found.friction:.4g} ± {found.friction_doubt:.1g}"),
        ("damping", f"{found.damping:.4g}"),
        ("weight", f"{found.weight:.4g}"),
        ("left unexplained", f"{100.0 * found.scatter:.1f} %"),
    ):
        table.add_row(name, text)
    out.print(table)
    for fault in found.faults:
        out.print(f"while it was moved: {fault}", soft_wrap=True)


def _list(baud: int) -> None:
    paths = sorted({path for place in PLACES for path in glob.glob(place)})
    if not paths:
        out.print(f"No serial line is plugged in ({', '.join(PLACES)}).")
    for path in paths:
        try:
            with tb.devices.SerialDevice(path, baud=baud, patience=0.5) as found:
                out.print(f"serial:{path}  {found.name}, {len(found.axes)} axes")
        except DeviceError as error:
            out.print(f"serial:{path}  {error}", soft_wrap=True)


def _tell(found: tb.devices.SerialDevice) -> None:
    kind = "simulated, there is no such device" if found.simulated else "real"
    out.print(
        f"{found.name} ({kind}): {1.0 / found.period:g} samples a second, "
        f"lets go after {1e3 * found.watchdog:g} ms"
    )
    table = Table("axis", "kind", "one count", "range", "largest force", "fastest")
    for axis in found.axes:
        length, force = ("m", "N") if axis.linear else ("rad", "N m")
        table.add_row(
            axis.name, "linear" if axis.linear else "rotary", f"{axis.position_unit:.3g} {length}",
            f"{axis.low:.3g} to {axis.high:.3g} {length}", f"{axis.force:.3g} {force}",
            f"{axis.velocity:.3g} {length}/s",
        )  # fmt: skip
    out.print(table)
    time.sleep(0.3)  # clocks are compared
    clock = found.clock
    out.print(
        f"round trip {1e6 * clock.round_trip:.0f} µs, its clock drifts {1e6 * clock.drift:.1f} "
        f"ppm; {', '.join(found.latest().words)}"
    )


def _watch(found: tb.devices.SerialDevice, seconds: float) -> None:
    start = last = time.monotonic()
    samples = found.counts["samples"]
    while (now := time.monotonic()) < start + seconds:
        time.sleep(min(_LOOK, start + seconds - now))
        for text in found.news():
            out.print(text, soft_wrap=True)
        if samples == (samples := found.counts["samples"]):
            out.print(f"{'':9}    silent: no sample for {time.monotonic() - last:.1f} s")
            continue
        last, reading = time.monotonic(), found.latest()
        axes = "  ".join(
            f"{axis.name} {values['position']:+.5f} {values['velocity']:+.3f}/s "
            f"{values['force']:+.3f} {values['current']:+.3f} A"
            for axis, values in zip(found.axes, reading.axes)
        )
        out.print(f"{reading.device_time:9.3f} s  {axes}  {', '.join(reading.words)}")
    counts = ", ".join(f"{name} {value}" for name, value in found.counts.items())
    out.print(f"here: {counts}")
    if not found.connected:
        raise DeviceError(
            f"{found.name!r} on {found.path!r} is silent: no sample for "
            f"{time.monotonic() - last:.1f} s. See to plugs, supply and firmware."
        )
    counts = ", ".join(f"{name} {value}" for name, value in found.device_counts().items())
    out.print(f"there: {counts}")


def _keep(found: tb.devices.serial_line.IdentifiedAxis, to: Path | None) -> None:
    show_identified(found)
    if to is not None:
        write_atomically(to, json.dumps(asdict(found), indent=2))
        out.print(f"calibration: {to}")


def scale_of(degrees: float | None, peak: float | None) -> tb.devices.evdev.WheelScale | None:
    """What options say; None where they say nothing."""
    if degrees is None and peak is None:
        return None
    return tb.devices.evdev.WheelScale(None if degrees is None else math.radians(degrees), peak)


def open_wheel(
    where: str, degrees: float | None, peak: float | None, other: tuple[str, ...] = ()
) -> tb.devices.evdev.ForceWheel:
    """The wheel that a text such as "evdev:auto" or "evdev:/dev/input/event5@wheel.json" names;
    `other` words mean what isn't opened here."""
    kind, _, place = where.partition(":")
    if kind != "evdev":
        raise unknown_name("wheel", where, ["evdev:auto", "evdev:PATH", *other])
    return tb.devices.evdev.open_wheel(place, scale_of(degrees, peak))


def list_wheels() -> None:
    """Which there are."""
    found = tb.devices.evdev.find_wheels()
    if not found:
        out.print(f"No wheel, stick or pedal is plugged in ({', '.join(tb.devices.evdev.PLACES)}).")
    for each in found:
        force = "force feedback" if each.pushes else "no force feedback"
        about = each.refused or f"{each.name}, {force}, {', '.join(each.axes)}"
        out.print(f"evdev:{each.path}  {about}", soft_wrap=True)


def describe_wheel(wheel: tb.devices.evdev.ForceWheel) -> None:
    """What one says of itself."""
    kind = "simulated" if wheel.simulated else "an event device of Linux"
    force = "takes a constant force" if wheel.pushes else "takes no force"
    out.print(f"{wheel.name} ({kind}): {force}", soft_wrap=True)
    table = Table("axis", "from", "to", "fuzz", "flat", "now")
    now = wheel.latest()
    for axis in wheel.axes.values():
        numbers = (axis.least, axis.most, axis.fuzz, axis.flat, round(now[axis.name]))
        table.add_row(axis.name, *map(str, numbers))
    out.print(table)


def watch_wheel(wheel: tb.devices.evdev.ForceWheel, seconds: float) -> None:
    """Its axes, for a while."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        time.sleep(min(_LOOK, end - now))
        for text in wheel.news():
            out.print(text, soft_wrap=True)
        values = "  ".join(f"{name} {value:.0f}" for name, value in wheel.latest().items())
        out.print(values if wheel.connected else "gone", soft_wrap=True)
    out.print(", ".join(f"{name} {value}" for name, value in wheel.counts.items()))


def keep_wheel(wheel: tb.devices.evdev.ForceWheel, seconds: float, to: Path | None) -> None:
    """Watches feet press pedals; what was found goes to a file."""
    out.print(
        f"Press each pedal in once and let it go again, within {seconds:g} s; then take your feet "
        "off.",
        soft_wrap=True,
    )
    found = tb.devices.evdev.calibrate(wheel, seconds)
    for name, pedal in found.pedals.items():
        out.print(f"{name}: {pedal.axis}, at rest {pedal.rest:.0f}, full {pedal.full:.0f}")
    if not found.pedals:
        out.print("No pedal was pressed.")
    if to is not None:
        found.save(to)
        out.print(f"calibration: {to}")


def report_torque(wheel: tb.devices.evdev.ForceWheel) -> None:
    """What became of the torques of runs."""
    counts = wheel.counts
    if counts["taken"]:
        out.print(
            f"{wheel.name}: {counts['taken']} torques, {100.0 * wheel.saturated:.1f} % of them "
            f"beyond its peak of {abs(wheel.scale.peak or 0.0):g} N m; {counts['levels']} levels "
            f"given to it, the longest within {1e3 * wheel.longest:.2g} ms, {counts['refused']} "
            "refused",
            soft_wrap=True,
        )  # fmt: skip

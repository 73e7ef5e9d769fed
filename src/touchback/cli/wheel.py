"""Steering wheels and pedals on the command line."""

import math
import time
from pathlib import Path
from typing import Annotated

from rich.table import Table

from touchback.cli.console import out
from touchback.cli.options import number
from touchback.devices.evdev import ForceWheel, WheelScale, calibrate, find_wheels, open_wheel
from touchback.devices.evdev.listing import PLACES
from touchback.recording import unknown_name

_LOOK = 0.2  # s between lines of `watch`

Range = Annotated[
    float | None,
    number("Of a steering wheel, from stop to stop [°], which Linux doesn't tell.", 1.0, 10_000.0,
           flag="--range"),
]  # fmt: skip
Peak = Annotated[
    float | None,
    number("Of its motor [N m]; below zero where its left is right.", -100.0, 100.0),
]


def scale_of(degrees: float | None, peak: float | None) -> WheelScale | None:
    """What options say; None where they say nothing."""
    if degrees is None and peak is None:
        return None
    return WheelScale(None if degrees is None else math.radians(degrees), peak)


def opened(
    where: str, degrees: float | None, peak: float | None, other: tuple[str, ...] = ()
) -> ForceWheel:
    """The wheel that a text such as "evdev:auto" or "evdev:/dev/input/event5@wheel.json" names;
    `other` words mean what isn't opened here."""
    kind, _, place = where.partition(":")
    if kind != "evdev":
        raise unknown_name("wheel", where, ["evdev:auto", "evdev:PATH", *other])
    return open_wheel(place, scale_of(degrees, peak))


def tell_all() -> None:
    """Which there are."""
    found = find_wheels()
    if not found:
        out.print(f"No wheel, stick or pedal is plugged in ({', '.join(PLACES)}).")
    for each in found:
        force = "force feedback" if each.pushes else "no force feedback"
        about = each.refused or f"{each.name}, {force}, {', '.join(each.axes)}"
        out.print(f"evdev:{each.path}  {about}", soft_wrap=True)


def tell(wheel: ForceWheel) -> None:
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


def watch(wheel: ForceWheel, seconds: float) -> None:
    """Its axes, for a while."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        time.sleep(min(_LOOK, end - now))
        for text in wheel.news():
            out.print(text, soft_wrap=True)
        values = "  ".join(f"{name} {value:.0f}" for name, value in wheel.latest().items())
        out.print(values if wheel.connected else "gone", soft_wrap=True)
    out.print(", ".join(f"{name} {value}" for name, value in wheel.counts.items()))


def keep(wheel: ForceWheel, seconds: float, to: Path | None) -> None:
    """Watches feet press pedals; what was found goes to a file."""
    out.print(
        f"Press each pedal in once and let it go again, within {seconds:g} s; then take your feet "
        "off.",
        soft_wrap=True,
    )
    found = calibrate(wheel, seconds)
    for name, pedal in found.pedals.items():
        out.print(f"{name}: {pedal.axis}, at rest {pedal.rest:.0f}, full {pedal.full:.0f}")
    if not found.pedals:
        out.print("No pedal was pressed.")
    if to is not None:
        found.save(to)
        out.print(f"calibration: {to}")


def tell_torque(wheel: ForceWheel) -> None:
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

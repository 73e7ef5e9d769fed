"""`touchback drive sudden-obstacle --wheel`: the driving simulator, with a wheel at hand."""

import math
import random
from contextlib import ExitStack, suppress
from pathlib import Path

from rich.table import Table

from touchback import gallery, workbench
from touchback.cli import wheel as wheels
from touchback.cli.console import out, working
from touchback.devices.evdev import ForceWheel
from touchback.errors import InputError
from touchback.gallery.driving_simulator import SPEED
from touchback.realtime import GuardedOutput, WatchedInput, live
from touchback.recording import Run, save_run
from touchback.system import System
from touchback.vehicle.manoeuvres.obstacle import gap
from touchback.vehicle.simulator import RATE, Meeting, SimulatorCar, draw_meetings, meet_obstacles

SIMULATED = "simulated"
_TORQUE, _ANGLE = "felt torque", "device wheel"
_MOST = 60.0  # N m: more is no steering wheel's
_MAX_AGE = 0.05  # s, of an angle


def at_wheel(
    where: str, degrees: float | None, peak: float | None, seed: int | None, page: int | None,
    plot: Path | None, save: Path | None,
) -> None:  # fmt: skip
    """Three obstacles at 75 km/h with three casters, in an order that isn't told before: with a
    wheel, its pedals where it has any, and the road on a page; or with simulated arms."""
    with ExitStack() as closing:
        wheel = None
        if where != SIMULATED:
            wheel = closing.enter_context(wheels.opened(where, degrees, peak, (SIMULATED,)))
            wheels.tell(wheel)
        elif degrees is not None or peak is not None:
            raise InputError("--range and --peak are a real wheel's, not the simulated one's.")
        run, met = _driven(closing, wheel, seed, page)
        if wheel is not None:
            wheels.tell_torque(wheel)
    tell(run, met, plot)
    if save is not None:
        save_run(run, save)
        out.print(f"run: {save}")


def _driven(
    closing: ExitStack, wheel: ForceWheel | None, seed: int | None, page: int | None
) -> tuple[Run, list[Meeting]]:
    pedals = wheel is not None and {"throttle", "brake"} <= {*wheel.scale.pedals}
    with working("deriving the car"):
        model = gallery.make("driving-simulator", person=wheel is not None, pedals=pedals)
        system = model.compile()
    ports = [] if wheel is None else [_ANGLE, _TORQUE, *(["throttle", "brake"] if pedals else [])]
    run = live(
        system, rate=RATE, method="rk4", record=True,
        inputs={name: WatchedInput(max_age=_MAX_AGE) for name in ports if name != _TORQUE},
        outputs={_TORQUE: GuardedOutput(safe=0.0, low=-_MOST, high=_MOST, at_limit="clip")}
        if ports else {},
    )  # fmt: skip
    if wheel is not None:
        for name in ports:
            run.connect(name, wheel)
    if page is not None:
        shown = closing.enter_context(workbench.open(run, port=page))
        out.print(f"page: {shown.url}", soft_wrap=True)
    out.print(f"{3.6 * SPEED:.0f} km/h; something will stand on the road. Ctrl-C ends it.")
    met: list[Meeting] = []
    with suppress(KeyboardInterrupt), run:
        met = meet_obstacles(run, random.randrange(2**32) if seed is None else seed)
    out.print(str(run.report()))
    return sensed(run.recorded(), system), met


def sensed(run: Run, system: System) -> Run:
    """What went in and what sensors show: a car's states, most of them its tyres' and joints', make
    a file three times as large."""
    kept = {name: run[name] for name in (*system.input_names, *system.output_names)}
    return Run(run.time, kept, run.units, run.metadata)


def tell(run: Run, met: list[Meeting], plot: Path | None) -> None:
    """What was felt at each obstacle, and its picture."""
    if not met:
        out.print("It ended before anything stood on the road: there is nothing to tell or draw.")
        return
    table = Table("turn", "caster [°]", "first peak [N m]", "wheel then [rad]", "gap [m]")
    for each in met:
        torque, angle = each.first_peak(run)
        table.add_row(
            str(each.turn), f"{math.degrees(each.caster):.1f}", f"{torque:.2f}", f"{angle:.3f}",
            f"{gap(run, SimulatorCar(), each.place):.2f}",
        )  # fmt: skip
    out.print(table)
    if plot is not None:
        draw_meetings(run, met, plot)
        out.print(f"picture: {plot}")

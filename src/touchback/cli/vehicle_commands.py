"""`touchback drive` and `axle`: manoeuvres of a car, the driving simulator with a wheel at hand,
kinematics and compliance of a suspension."""

import math
import random
from contextlib import ExitStack, suppress
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Meta
from rich.table import Table

import touchback as tb
from touchback import workbench
from touchback.cli import device_commands as wheels
from touchback.cli.console import out, working
from touchback.cli.device_commands import Peak, Range
from touchback.cli.option_types import number, output
from touchback.errors import InputError
from touchback.figure_style import PICTURES
from touchback.names import suggestion, unknown_name
from touchback.realtime import signals_as_ctrl_c
from touchback.realtime.control import Exposed, Message
from touchback.recording import save_run


@signals_as_ctrl_c()
def drive(
    manoeuvre: Annotated[
        str | None, typer.Argument(help='A manoeuvre, or "all"; without one they are listed.')
    ] = None,
    car: Annotated[
        str, typer.Option(help=f"Which car: {', '.join(tb.vehicle.CARS)}.")
    ] = "single-track",
    speed: Annotated[
        float | None, number("Kilometres an hour, in place of the usual.", 1, 500)
    ] = None,
    plot: Annotated[
        Path | None, output("Draw it; of all, one picture each beside it.", *PICTURES)
    ] = None,
    save: Annotated[Path | None, output("Keep the run.", ".csv", ".mcap", ".npz")] = None,
    wheel: Annotated[
        str | None,
        typer.Option(help='Drive yourself: "evdev:PATH" or "evdev:auto"; or "simulated" arms.'),
    ] = None,
    range_: Range = None,
    peak: Peak = None,
    seed: Annotated[int | None, number("Of obstacles at a wheel; default: any.", 0)] = None,
    page: Annotated[
        int | None,
        number("Drive on a page on this port; 0 chooses one. With --wheel: look there.", 0, 65_535),
    ] = None,
) -> None:
    """Drive a manoeuvre with a car and print the figures that standards ask for; or drive yourself,
    on a page, or at a steering wheel with force feedback."""
    if wheel is not None or page is not None:
        if manoeuvre not in (None, *tb.vehicle.manoeuvres.MANOEUVRES):
            raise unknown_name("manoeuvre", manoeuvre, tb.vehicle.manoeuvres.MANOEUVRES)
        if manoeuvre not in (None, "sudden-obstacle") or speed is not None:
            raise InputError(
                "--wheel and --page are for the sudden obstacle at 75 km/h, in the whole car: "
                "`touchback drive sudden-obstacle --page 0`, or `--wheel …`."
            )
        at_wheel(wheel, range_, peak, seed, page, plot, save)
        return
    if any(given is not None for given in (range_, peak, seed)):
        raise InputError("--range, --peak and --seed are for a wheel: give --wheel, too.")
    if manoeuvre is None:
        for name, kind in tb.vehicle.manoeuvres.MANOEUVRES.items():
            out.print(f"{name:20} {kind.about}")
        return
    if car not in tb.vehicle.CARS:
        raise unknown_name("car", car, tb.vehicle.CARS)
    if manoeuvre != "all" and manoeuvre not in tb.vehicle.manoeuvres.MANOEUVRES:
        raise unknown_name("manoeuvre", manoeuvre, [*tb.vehicle.manoeuvres.MANOEUVRES, "all"])
    if manoeuvre == "all" and save is not None:
        raise InputError("--save keeps one run; give the name of a manoeuvre.")
    for name in tb.vehicle.manoeuvres.MANOEUVRES if manoeuvre == "all" else [manoeuvre]:
        kind = tb.vehicle.manoeuvres.MANOEUVRES[name]
        with working(f"driving {name}"):
            outcome = tb.vehicle.manoeuvres.drive(
                tb.vehicle.CARS[car](), kind(**({} if speed is None else {"speed": speed / 3.6}))
            )
        _tell(outcome)
        if plot is not None:
            place = plot.with_stem(f"{plot.stem}-{name}") if manoeuvre == "all" else plot
            outcome.plot(place)
            out.print(f"picture: {place}")
        if save is not None:
            save_run(outcome.run, save)
            out.print(f"run: {save}")


def _tell(outcome: tb.vehicle.manoeuvres.Outcome) -> None:
    speed = 3.6 * outcome.manoeuvre.speed
    table = Table(f"{outcome.manoeuvre.name} at {speed:.3g} km/h", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("")
    for name, figure in outcome.figures.items():
        table.add_row(name, *figure.as_text())
    out.print(table)


SIMULATED = "simulated"


_TORQUE, _ANGLE = "felt torque", "device wheel"


_MOST = 60.0  # N m: more is no steering wheel's


_MAX_AGE = 0.05  # s, of an angle


_HANDS = 12.0  # rad/s: a page's steps of an angle become a motion, as hands make it


#: Who drives on a page turns the wheel, and goes on after an emergency stop; nothing else.
ON_PAGE = Exposed([_ANGLE], parameters=False, hands=False, structure=False, transport=("resume",))


def at_wheel(
    where: str | None, degrees: float | None, peak: float | None, seed: int | None,
    page: int | None, plot: Path | None, save: Path | None,
) -> None:  # fmt: skip
    """Three obstacles at 75 km/h with three casters, in an order that isn't told before: with a
    wheel, its pedals where it has any, and the road on a page; or with simulated arms. Without a
    place of a wheel its angle comes from the page."""
    with ExitStack() as closing:
        wheel = None
        if where is None and (degrees is not None or peak is not None):
            raise InputError("--range and --peak are a real wheel's: give --wheel, too.")
        if where not in (None, SIMULATED):
            wheel = closing.enter_context(wheels.open_wheel(where, degrees, peak, (SIMULATED,)))
            wheels.describe_wheel(wheel)
        elif degrees is not None or peak is not None:
            raise InputError("--range and --peak are a real wheel's, not the simulated one's.")
        run, met = _driven(closing, wheel, seed, page, person=where != SIMULATED)
        if wheel is not None:
            wheels.report_torque(wheel)
    report_drive(run, met, plot)
    if save is not None:
        save_run(run, save)
        out.print(f"run: {save}")


def _driven(
    closing: ExitStack,
    wheel: tb.devices.evdev.ForceWheel | None,
    seed: int | None,
    page: int | None,
    person: bool,
) -> tuple[tb.Run, list[tb.vehicle.simulator.ObstacleEncounter]]:
    pedals = wheel is not None and {"throttle", "brake"} <= {*wheel.scale.pedals}
    on_page = person and wheel is None
    with working("deriving the car"):
        model = tb.gallery.make(
            "driving-simulator", person=person, pedals=pedals, smoothing=_HANDS if on_page else 0.0
        )
        system = model.compile()
    ports = [] if wheel is None else [_ANGLE, _TORQUE, *(["throttle", "brake"] if pedals else [])]
    run = tb.live(
        system, rate=tb.vehicle.simulator.RATE, method="rk4", record=page is None or not person,
        inputs={
            name: tb.devices.WatchedInput(max_age=_MAX_AGE) for name in ports if name != _TORQUE
        },
        outputs={
            _TORQUE: tb.devices.GuardedOutput(safe=0.0, low=-_MOST, high=_MOST, at_limit="clip")
        } if ports else {},
    )  # fmt: skip
    if wheel is not None:
        for name in ports:
            run.connect(name, wheel)
    speed = 3.6 * tb.vehicle.simulator.SPEED
    met: list[tb.vehicle.simulator.ObstacleEncounter] = []
    chosen = random.randrange(2**32) if seed is None else seed
    session = None
    with suppress(KeyboardInterrupt):
        if page is not None:
            shown = closing.enter_context(
                workbench.open(run, port=page, exposed=ON_PAGE if on_page else None)
            )
            out.print(f"page: {shown.url}", soft_wrap=True)
        with run:
            if page is not None and person:
                session = open_session(shown, run, chosen)
                out.print(f"{speed:.0f} km/h; start each attempt on the page. Ctrl-C ends it.")
                session.serve()
            else:
                out.print(f"{speed:.0f} km/h; something will stand on the road. Ctrl-C ends it.")
                tb.vehicle.simulator.meet_obstacles(run, chosen, met)
    out.print(str(run.report()))
    if session is not None:
        return session.run, session.met
    return sensed(run.recorded(), system), met


class Attempt(Message, frozen=True):
    """An attempt at the obstacle with a `caster` [rad], or the next one of a hidden order."""

    caster: Annotated[float, Meta(ge=0.0, le=1.0)] | None = None


class GiveUp(Message, frozen=True):
    """Ends the attempt that is under way."""


def open_session(
    shown: workbench.Workbench, run: tb.Live, seed: int
) -> tb.vehicle.simulator.ObstacleSession:
    """Attempts that the pages of a workbench ask for, and are told of."""
    session = tb.vehicle.simulator.ObstacleSession(run, seed)

    def attempt(message: Attempt, client: object) -> dict[str, object]:
        session.begin(message.caster)
        return {}

    def give_up(message: GiveUp, client: object) -> dict[str, object]:
        session.give_up()
        return {}

    shown.hub.add(Attempt, attempt)
    shown.hub.add(GiveUp, give_up)
    session.changed = shown.publish("trial", session.facts)
    session.changed()
    return session


def sensed(run: tb.Run, system: tb.System) -> tb.Run:
    """What went in and what sensors show: a car's states, most of them its tyres' and joints', make
    a file three times as large."""
    kept = {name: run[name] for name in (*system.input_names, *system.output_names)}
    return tb.Run(run.time, kept, run.units, run.metadata)


def _rounded(number: float, places: int) -> str:
    """Without a sign of zero; a dash where there is no such number."""
    return "—" if math.isnan(number) else f"{number:z.{places}f}"


def report_drive(
    run: tb.Run, met: list[tb.vehicle.simulator.ObstacleEncounter], plot: Path | None
) -> None:
    """What was felt at each obstacle, and its picture."""
    if not met:
        out.print("It ended before anything stood on the road and was passed: nothing to tell.")
        return
    table = Table(
        "turn", "caster [°]", "first peak [N m]", "wheel then [rad]", "gap [m]",
        "peak torque [N m]", "yaw rate [°/s]", "lateral [m/s²]",
    )  # fmt: skip
    for each in met:
        told = tb.vehicle.simulator.encounter_figures(run, each)
        table.add_row(
            str(each.turn), f"{math.degrees(each.caster):.1f}", _rounded(told["first peak"], 2),
            _rounded(told["angle then"], 3), _rounded(told["gap"], 2), f"{told['torque']:.2f}",
            f"{math.degrees(told['yaw rate']):.1f}", f"{told['lateral']:.1f}",
        )  # fmt: skip
    out.print(table)
    if plot is not None:
        tb.vehicle.simulator.draw_meetings(run, met, plot)
        out.print(f"picture: {plot}")


class End(StrEnum):
    """Of a car."""

    front = "front"
    rear = "rear"


def axle(
    vehicle: Annotated[
        str, typer.Argument(help="A vehicle file, or a kind of axle as it comes: double-wishbone.")
    ],
    end: Annotated[End, typer.Option(help="Which axle of the car.")] = End.front,
    travel: Annotated[float, number("How far the wheels go up and down [m].", 0, open=True)] = 0.08,
    plot: Annotated[Path | None, output("Draw the curves into a picture file.", *PICTURES)] = None,
    csv: Annotated[Path | None, output("Keep the curves.", ".csv")] = None,
) -> None:
    """Put an axle on the rig: bump and roll steer, camber gain, roll centre, loads, compliance."""
    given, rack_stiffness = _axle(vehicle, end)
    with working(f"measuring {vehicle}"):
        report = tb.vehicle.measure_axle(given, travel=travel, rack_stiffness=rack_stiffness)
    table = Table("of the left wheel at design", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("")
    for name, value, unit in report.lines():
        if value != "nan":
            table.add_row(name, value, unit)
    out.print(table)
    if csv is not None:
        report.save(csv)
        out.print(f"curves: {csv}")
    if plot is not None:
        report.plot(plot)
        out.print(f"plot: {plot}")


def _axle(vehicle: str, end: End) -> tuple[tb.vehicle.AxleKind, float]:
    """The axle, and the stiffness of its rack; tie rods of a rear one end on the chassis."""
    kinds = tb.vehicle.AXLES
    if vehicle in kinds:
        made = kinds[vehicle]()
        if isinstance(made, tb.vehicle.AxleKind):
            return made, tb.vehicle.Steering().rack_stiffness
    if not Path(vehicle).is_file():
        raise InputError(
            f"There is no vehicle file '{vehicle}', nor such a kind of axle; "
            f"{suggestion(vehicle, kinds)}"
        )
    car = tb.vehicle.read_car(vehicle)
    return (car.front, car.steering.rack_stiffness) if end is End.front else (car.rear, inf)

"""`touchback axle`: kinematics and compliance of a suspension."""

from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from touchback.cli.console import out, working
from touchback.cli.options import number, output
from touchback.draw.style import PICTURES
from touchback.errors import InputError
from touchback.files.schema import kinds_in
from touchback.model.names import suggestion
from touchback.vehicle import AxleKind, Steering, measure_axle, read_car
from touchback.vehicle.suspension import AnyAxle


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
        report = measure_axle(given, travel=travel, rack_stiffness=rack_stiffness)
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


def _axle(vehicle: str, end: End) -> tuple[AxleKind, float]:
    """The axle, and the stiffness of its rack; tie rods of a rear one end on the chassis."""
    kinds = kinds_in(AnyAxle)
    if vehicle in kinds:
        made = kinds[vehicle]()
        if isinstance(made, AxleKind):
            return made, Steering().rack_stiffness
    if not Path(vehicle).is_file():
        raise InputError(
            f"There is no vehicle file '{vehicle}', nor such a kind of axle; "
            f"{suggestion(vehicle, kinds)}"
        )
    car = read_car(vehicle)
    return (car.front, car.steering.rack_stiffness) if end is End.front else (car.rear, inf)

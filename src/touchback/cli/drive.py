"""`touchback drive`: manoeuvres of a car, with their figures and pictures."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from touchback.cli.console import out, working
from touchback.cli.options import number, output
from touchback.cli.wheel import Peak, Range
from touchback.errors import InputError
from touchback.realtime.shutdown import signals_as_ctrl_c
from touchback.recording import save_run, unknown_name
from touchback.recording.plot import PICTURES
from touchback.vehicle import CARS
from touchback.vehicle.manoeuvres import MANOEUVRES, Outcome
from touchback.vehicle.manoeuvres import drive as drive_it


@signals_as_ctrl_c()
def drive(
    manoeuvre: Annotated[
        str | None, typer.Argument(help='A manoeuvre, or "all"; without one they are listed.')
    ] = None,
    car: Annotated[str, typer.Option(help=f"Which car: {', '.join(CARS)}.")] = "single-track",
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
        int | None, number("At a wheel, show the road on this port; 0 chooses one.", 0, 65_535)
    ] = None,
) -> None:
    """Drive a manoeuvre with a car and tell the figures that standards ask for; or drive yourself,
    at a steering wheel with force feedback."""
    if wheel is not None:
        from touchback.cli.at_wheel import at_wheel

        if manoeuvre not in (None, "sudden-obstacle") or speed is not None:
            raise InputError(
                "--wheel is for the sudden obstacle at 75 km/h, in the whole car: `touchback drive "
                "sudden-obstacle --wheel …`."
            )
        at_wheel(wheel, range_, peak, seed, page, plot, save)
        return
    if any(given is not None for given in (range_, peak, seed, page)):
        raise InputError("--range, --peak, --seed and --page are for a wheel: give --wheel, too.")
    if manoeuvre is None:
        for name, kind in MANOEUVRES.items():
            out.print(f"{name:20} {kind.about}")
        return
    if car not in CARS:
        raise unknown_name("car", car, CARS)
    if manoeuvre != "all" and manoeuvre not in MANOEUVRES:
        raise unknown_name("manoeuvre", manoeuvre, [*MANOEUVRES, "all"])
    if manoeuvre == "all" and save is not None:
        raise InputError("--save keeps one run; give the name of a manoeuvre.")
    for name in MANOEUVRES if manoeuvre == "all" else [manoeuvre]:
        kind = MANOEUVRES[name]
        with working(f"driving {name}"):
            outcome = drive_it(
                CARS[car](), kind(**({} if speed is None else {"speed": speed / 3.6}))
            )
        _tell(outcome)
        if plot is not None:
            place = plot.with_stem(f"{plot.stem}-{name}") if manoeuvre == "all" else plot
            outcome.plot(place)
            out.print(f"picture: {place}")
        if save is not None:
            save_run(outcome.run, save)
            out.print(f"run: {save}")


def _tell(outcome: Outcome) -> None:
    speed = 3.6 * outcome.manoeuvre.speed
    table = Table(f"{outcome.manoeuvre.name} at {speed:.3g} km/h", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("")
    for name, figure in outcome.figures.items():
        table.add_row(name, *figure.told())
    out.print(table)

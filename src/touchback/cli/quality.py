"""`touchback quality`: which way to run a mechanism, measured."""

from pathlib import Path
from typing import Annotated

import typer

from touchback.analysis.quality import Demand
from touchback.analysis.quality import quality as measure
from touchback.analysis.quality.quality_sweep import STEPS
from touchback.cli.assignments import assignments, set_values
from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.cli.options import number, output, seconds
from touchback.errors import InputError
from touchback.recording.plot import PICTURES


def quality(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    duration: Annotated[float | None, seconds("Seconds of each run.")] = None,
    steps: Annotated[
        str | None, typer.Option(help='Fixed steps [s], with commas between: "0.01,0.001".')
    ] = None,
    formulations: Annotated[
        str | None,
        typer.Option(help="Only these formulations, or methods where nothing is constrained."),
    ] = None,
    natural: Annotated[
        bool, typer.Option("--natural", help="Measure natural coordinates too: gravity alone.")
    ] = False,
    rate: Annotated[float, number("Recommend for this rate [Hz].", 0, open=True)] = Demand.rate,
    error: Annotated[
        float, number("Recommend what is at least this accurate [m, rad].", 0, open=True)
    ] = Demand.error,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help='A live parameter or initial value: "length=2".'),
    ] = None,
    input_: Annotated[
        list[str] | None, typer.Option("--input", help='An input held constant: "voltage=6".')
    ] = None,
    limit: Annotated[float, seconds("Measure for at most so many seconds.")] = 30.0,
    plot: Annotated[Path | None, output("Draw the curves into a picture file.", *PICTURES)] = None,
    csv: Annotated[Path | None, output("Keep the figures.", ".csv", ".json")] = None,
) -> None:
    """Compare every way to run a mechanism: drift, energy, error, cost, stability; recommend one.

    What --limit cuts off is marked in the table; a longer limit measures it.
    """
    described, experiment = load(model)
    held = assignments("--input", input_ or [])
    inputs = {**experiment.inputs, **held}
    with working(f"deriving {described.name}"):
        system = described.compile()
        changes = assignments("--set", set_ or [])
        start = set_values(system, experiment.start(system), changes)
    found = measure(
        system,
        start,
        experiment.duration if duration is None else duration,
        steps=_numbers("--steps", steps) if steps else STEPS,
        formulations=[name.strip() for name in formulations.split(",")] if formulations else None,
        inputs=inputs,
        natural=natural,
        time_limit=limit,
    )
    out.print(found.table())
    out.print(f"\nerrors below {found.uncertainty:.0e} can't be told apart (the reference's own)")
    out.print(found.recommend(Demand(rate=rate, error=error)).text, soft_wrap=True)
    if csv is not None:
        found.save(csv)
        out.print(f"figures: {csv}")
    if plot is not None:
        found.plot(plot)
        out.print(f"plot: {plot}")


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(
            f"{option}: numbers with commas between are expected, got '{text}'."
        ) from None

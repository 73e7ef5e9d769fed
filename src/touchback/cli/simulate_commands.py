"""`touchback simulate` and `quality`: run a mechanism, keep its signals, measure which way to run
it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.table import Table
from rich.text import Text

import touchback as tb
from touchback.cli.console import err, out, working
from touchback.cli.model_argument import load
from touchback.cli.option_types import assignments, number, output, seconds, set_values
from touchback.draw import ENDINGS as FILMS
from touchback.errors import InputError, TouchbackError
from touchback.figure_style import PICTURES
from touchback.recording import FORMATS, EventRecord, TransitionRecord
from touchback.simulate import METHODS, Capability

T = TypeVar("T")


_INTERRUPTED = 130  # as shells count what Ctrl-C ended


_FIRST, _LAST = 12, 4  # changes of mode or events that are shown of many


def simulate(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    duration: Annotated[float | None, seconds("Seconds.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="dopri5 (default), radau5 (stiff), rk4 (default with --rate), euler, "
            "implicit-euler, trapezoidal, variational (energy over long times), or SciPy's RK23 "
            "RK45 DOP853 Radau BDF LSODA; with rigid contacts event-driven (default) or "
            "moreau-jean."
        ),
    ] = None,
    step: Annotated[float | None, seconds("Fixed step, or the longest adaptive one [s].")] = None,
    rtol: Annotated[
        float | None, number("Relative tolerance of adaptive methods.", 0.0, open=True)
    ] = None,
    rate: Annotated[
        float | None,
        number("Ticks a second, at which a model's memories change.", 0.0, open=True),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help='A live parameter or initial value: "length=2".'),
    ] = None,
    input_: Annotated[
        list[str] | None, typer.Option("--input", help='An input held constant: "voltage=6".')
    ] = None,
    signals: Annotated[
        str | None, typer.Option(help="Only these in the table and the plot, with commas between.")
    ] = None,
    plot: Annotated[Path | None, output("Draw the signals into a picture file.", *PICTURES)] = None,
    film: Annotated[Path | None, output("Film it: a moving picture or a page.", *FILMS)] = None,
    csv: Annotated[Path | None, output("Keep the run, as CSV or otherwise.", *FORMATS)] = None,
) -> None:
    """Run a mechanism and show how its signals went."""
    described, experiment = load(model)
    changes = assignments("--set", set_ or [])
    held = assignments("--input", input_ or [])
    span = experiment.duration if duration is None else duration
    with working(f"deriving {described.name}"):
        system = described.compile()
        start = set_values(system, experiment.start(system), changes)
    wanted = [name.strip() for name in signals.split(",")] if signals else []
    energy_balance = method not in METHODS or Capability.ENERGY_BALANCE in METHODS[method].can
    failure: tb.RunFailed | tb.RunInterrupted | None = None
    try:
        run = tb.simulate(
            system, start, span, method=method, inputs={**experiment.inputs, **held}, step=step,
            rtol=rtol, energy_balance=energy_balance,
            rate=experiment.rate if rate is None else rate,
        )  # fmt: skip
    except (tb.RunFailed, tb.RunInterrupted) as error:
        run, failure = error.run, error
    _show(run, wanted)
    if not energy_balance:
        out.print(f"energy: method '{method}' keeps no energy balance; others do, as dopri5.")
    if csv is not None:
        run.save(csv)
        out.print(f"run: {csv}")
    out.print(
        f"reproduce: {_repro_command(model, span, run.metadata, changes, held)}", soft_wrap=True
    )
    failures: list[BaseException] = [
        *_draw(run, wanted or experiment.signals, plot, film),
        *([] if failure is None else [_report_failure(failure)]),
    ]
    for each in failures[:-1]:  # the command ends with the last
        err.print(Text.assemble(("error:", "red"), " ", str(each)), soft_wrap=True)
    if failures:
        raise failures[-1]


def _draw(
    run: tb.Run, signals: Sequence[str], plot: Path | None, film: Path | None
) -> list[TouchbackError | OSError]:
    """The pictures that were asked for; one that can't be made, as without matplotlib, keeps no
    other from being made. Gives why."""
    asked: list[tuple[str, Path | None, Callable[[Path], object]]] = [
        ("plot", plot, lambda path: run.plot(*signals, path=path)),
        ("film", film, run.film),
    ]
    failed: list[TouchbackError | OSError] = []
    for word, path, make in asked:
        if path is None:
            continue
        try:
            with working(f"making the {word}"):
                make(path)
        except (TouchbackError, OSError) as error:
            failed.append(error)
        else:
            out.print(f"{word}: {path}")
    return failed


def _report_failure(failure: tb.RunFailed | tb.RunInterrupted) -> BaseException:
    """What to raise for a failure: that the user ended a run is said here."""
    if isinstance(failure, tb.RunFailed):
        return failure
    err.print(str(failure), soft_wrap=True)
    return typer.Exit(_INTERRUPTED)


def _show(run: tb.Run, wanted: list[str]) -> None:
    """How signals went, what happened, and what the run says of itself."""
    out.print(_table(run, wanted or run.names))
    out.print(_effort(run))
    if run.transitions:
        out.print(f"\nchanges of mode: {len(run.transitions)}")
        titles = ("time [s]", "from", "to", "by", "energy [J]")
        out.print(_few(run.transitions, _change, *titles))
    if run.events:
        out.print(f"\nevents: {len(run.events)}")
        out.print(_few(run.events, _event, "time [s]", "event"))
    if "energy_balance" in run.metadata:
        out.print(f"\nenergy\n{run.energy_balance!s}\n", highlight=False)
    for remark in run.metadata.get("diagnostics", ()):
        out.print(f"remark: {remark}", soft_wrap=True)


def _table(run: tb.Run, names: list[str]) -> Table:
    table = Table("signal", "unit", box=None, pad_edge=False)
    for title in ("min", "max", "final"):
        table.add_column(title, justify="right")
    for name in names:
        values = run[name]
        numbers = (f"{x:.6g}" for x in (values.min(), values.max(), values[-1]))
        table.add_row(name, run.units[name], *numbers)
    return table


def _few(all_: Sequence[T], cells: Callable[[T], list[str]], *titles: str) -> Table:
    """What happened, a row each: the first and the last of many."""
    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if "[" in title else "left")
    many = len(all_) > _FIRST + _LAST + 1
    for each in all_[:_FIRST] if many else all_:
        table.add_row(*cells(each))
    if many:
        table.add_row("…")
        for each in all_[-_LAST:]:
            table.add_row(*cells(each))
    return table


def _event(each: EventRecord) -> list[str]:
    return [f"{each.time:.6f}", each.name]


def _change(each: TransitionRecord) -> list[str]:
    words = [word for word in (each.source, each.target, each.cause)]
    return [f"{each.time:.6f}", *words, f"{each.energy:+.3g}"]


def _effort(run: tb.Run) -> str:
    statistics = run.metadata["statistics"]
    seconds = statistics["seconds"]
    evaluations = statistics.get("evaluations")
    counted = f", {evaluations} evaluations" if evaluations else ""
    return (
        f"\n{run.duration:g} s simulated in {1e3 * seconds:.3g} ms "
        f"({run.duration / seconds:,.0f} times real time){counted}"
    )


def _repro_command(
    model: str,
    duration: float,
    about: Mapping[str, object],
    changes: dict[str, float],
    inputs: dict[str, float],
) -> str:
    words = ["touchback", "simulate", model, "--duration", f"{duration!r}"]
    method = str(about["method"])
    words += ["--method", method]
    for name in ("step", "rate"):
        words += [f"--{name}", f"{about[name]!r}"] if about.get(name) is not None else []
    usual = METHODS[method].options().get("rtol")
    words += ["--rtol", f"{about['rtol']!r}"] if about.get("rtol") != usual else []
    for name, value in changes.items():
        words += ["--set", f"{name}={value!r}"]
    for name, value in inputs.items():
        words += ["--input", f"{name}={value!r}"]
    return shlex.join(words)


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
    rate: Annotated[float, number("Recommend for this rate [Hz].", 0, open=True)] = tb.Demand.rate,
    error: Annotated[
        float, number("Recommend what is at least this accurate [m, rad].", 0, open=True)
    ] = tb.Demand.error,
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
    compare = partial(tb.quality, steps=_numbers("--steps", steps)) if steps else tb.quality
    found = compare(
        system,
        start,
        experiment.duration if duration is None else duration,
        formulations=[name.strip() for name in formulations.split(",")] if formulations else None,
        inputs=inputs,
        natural=natural,
        time_limit=limit,
    )
    out.print(found.table())
    out.print(
        f"\nerrors below {found.uncertainty:.0e} can't be distinguished (the reference's own)"
    )
    out.print(found.recommend(tb.Demand(rate=rate, error=error)).text, soft_wrap=True)
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

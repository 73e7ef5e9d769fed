"""`touchback live` and `touchback replay`: a mechanism against the clock, and again."""

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.live import Live as Display

from touchback.cli.assignments import assignments, set_values
from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.cli.options import number, output
from touchback.cli.options import seconds as span
from touchback.errors import SolveError
from touchback.realtime import Live, open_recording
from touchback.realtime import live as start_live
from touchback.realtime import replay as run_again
from touchback.realtime.table import live_table
from touchback.simulate.inputs import Inputs, read_inputs
from touchback.simulate.rigid import is_real

_NAMED = 8  # columns that a line names
_REFRESH = 0.1  # seconds between looks


def live(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    seconds: Annotated[float, span("How long, in the model's time.")] = 10.0,
    rate: Annotated[float, number("Ticks a second, 1 to 10000.", 1.0, 10_000.0)] = 1000.0,
    speed: Annotated[
        float, number("1 is real time, a fraction slower, 0 as fast as possible.", 0.0)
    ] = 1.0,
    method: Annotated[
        str | None,
        typer.Option(help="rk4 (default), euler, or an implicit rule such as trapezoidal."),
    ] = None,
    constraints: Annotated[
        str | None, typer.Option(help="partitioning (default), projection, …")
    ] = None,
    substeps: Annotated[
        int | None, number("Steps in a tick; 1 unless the gallery says otherwise.", 1)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help='A live parameter or initial value: "length=2".'),
    ] = None,
    input_: Annotated[
        list[str] | None, typer.Option("--input", help='An input: "voltage=6".')
    ] = None,
    record: Annotated[Path | None, output("Keep every tick in an MCAP file.", ".mcap")] = None,
    listen: Annotated[
        int | None,
        number("Take inputs from UDP on this port of this machine; 0 chooses one.", 0, 65_535),
    ] = None,
    share: Annotated[
        str | None, typer.Option(help="Share the ports with other processes by this name.")
    ] = None,
    cpu: Annotated[int | None, number("The processor for the ticks.", 0)] = None,
    report: Annotated[Path | None, output("Write the report as JSON.", ".json")] = None,
    worst: Annotated[int, number("Print so many of the worst ticks, up to 100.", 0, 100)] = 0,
) -> None:
    """Run a mechanism against the clock, with a table that shows how it goes. Ctrl-C ends it."""
    described, experiment = load(model)
    inputs = {**experiment.inputs, **assignments("--input", input_ or [])}
    with working(f"deriving {described.name}"):
        system = described.compile()
        start = set_values(system, experiment.start(system), assignments("--set", set_ or []))
    steps = experiment.substeps if substeps is None else substeps
    given = read_inputs(system.input_names, system.input_defaults, inputs, seconds)
    run = start_live(
        system, start, rate=rate, speed=speed or None, method=method, constraints=constraints,
        substeps=steps, record=record or False, share=share, cpu=cpu,
    )  # fmt: skip
    try:
        with run:
            following = _begin(run, inputs, given)
            if listen is not None:
                address = run.listen(listen).address
                out.print(f"listening on {address[0]}:{address[1]}")
            _watch(run, seconds, following)
    except KeyboardInterrupt:
        pass  # the run is stopped and its recording whole
    out.print(str(run.report()))
    if worst > 0:
        out.print(run.report().trace(worst))
    if report is not None:
        report.write_text(json.dumps(run.report().as_dict(), indent=2), encoding="utf-8")
        out.print(f"report: {report}")
    if record is not None:
        held = open_recording(record).about["description"]
        words = ["touchback", "replay", str(record), *([] if held else ["--model", model])]
        out.print(f"replay: {shlex.join(words)}", soft_wrap=True)
    counts = run.report().counts
    if counts["not_finite"] or counts["diverged"]:
        went = "was no finite number any more" if counts["not_finite"] else "grew without bound"
        raise SolveError(
            f"{described.name}: the state or an output {went}, and the run was held; "
            f"take more --substeps than {steps}, or a higher --rate than {rate:g}."
        )


@dataclass(frozen=True)
class _Following:
    """An input that follows samples or a function over the model's time."""

    run: Live
    name: str
    given: Inputs

    def read(self) -> float:
        place = 1 + self.run.system.input_names.index(self.name)
        return float(self.given.at(self.run["time"], np.empty(0))[place])


def _begin(run: Live, inputs: dict[str, Any], given: Inputs) -> list[_Following]:
    """Sets what is constant and connects the rest; what an unclocked run must be told itself."""
    following = []
    for name, value in inputs.items():
        follower = _Following(run, name, given)
        if is_real(value):
            run[name] = value
        elif run.plan.speed is None:
            following.append(follower)
        else:
            run.connect(name, follower)
    return following


def _watch(run: Live, seconds: float, following: list[_Following]) -> None:
    """Shows the table while the run goes on; without a terminal it just runs."""
    if following:
        for _ in range(round(seconds * run.plan.rate)):
            for follower in following:
                run[follower.name] = follower.read()
            run.run(1.0 / run.plan.rate)
        return
    if not out.is_terminal or run.plan.speed is None:
        run.run(seconds)
        return
    goal = run.ticks + round(seconds * run.plan.rate)
    with Display(live_table(run), console=out, transient=True, auto_refresh=False) as display:
        while run.ticks < goal:
            left = (goal - run.ticks) / run.plan.rate / run.plan.speed
            time.sleep(min(_REFRESH, max(left, 1e-3)))
            display.update(live_table(run), refresh=True)


def replay(
    recording: Annotated[Path, typer.Argument(help="A file of `touchback live --record`.")],
    model: Annotated[
        str | None,
        typer.Option(help="A name of the gallery, or a file: for recordings without their model."),
    ] = None,
) -> None:
    """Run a recording again and compare it bit for bit."""
    with working(f"replaying {recording.name}"):
        again = run_again(recording, load(model)[0].compile() if model else None)
    about = again.recording.about
    out.print(
        f"{about['model']}: {again.ticks} ticks at {about['rate']:g} Hz, "
        f"{'finished' if again.recording.complete else 'cut short'}"
    )
    if again.first_difference is not None:
        raise SolveError(
            f"{recording.name}: the state differs from tick {again.first_difference} on; "
            "replay with the version and on the kind of machine that recorded it."
        )
    if not again.compared:
        out.print("there is nothing to compare")
        return
    names = ", ".join(again.compared[:_NAMED]) + (", …" if len(again.compared) > _NAMED else "")
    out.print(f"the same bits in all {len(again.compared)} states: {names}")

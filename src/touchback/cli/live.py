"""`touchback live`: a mechanism against the clock."""

import json
import shlex
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live as Display
from rich.table import Table
from rich.text import Text

from touchback.cli.assignments import assignments, set_values
from touchback.cli.console import out, working
from touchback.cli.feeding import Following, connections, feed, opened, watched
from touchback.cli.load import load
from touchback.cli.options import number, output
from touchback.cli.options import seconds as span
from touchback.errors import SolveError
from touchback.realtime import GuardedOutput, Live, open_recording
from touchback.realtime import live as start_live
from touchback.realtime.latency import duration
from touchback.realtime.shutdown import signals_as_ctrl_c
from touchback.regular_file import write_whole
from touchback.simulate.inputs import read_inputs

_REFRESH = 0.1  # seconds between looks


Rate = Annotated[float, number("Ticks a second, 1 to 10000.", 1.0, 10_000.0)]


Speed = Annotated[float, number("1 is real time, a fraction slower, 0 as fast as possible.", 0.0)]


Method = Annotated[
    str | None, typer.Option(help="rk4 (default), euler, or an implicit rule such as trapezoidal.")
]


Constraints = Annotated[str | None, typer.Option(help="partitioning (default), projection, …")]


Substeps = Annotated[int | None, number("Steps in a tick; 1 unless the gallery says otherwise.", 1)]


Set = Annotated[
    list[str] | None, typer.Option("--set", help='A live parameter or initial value: "length=2".')
]


Input = Annotated[list[str] | None, typer.Option("--input", help='An input: "voltage=6".')]


Connect = Annotated[
    list[str] | None,
    typer.Option(help='A device for an input or output: "torque=serial:/dev/ttyACM0".'),
]


Listen = Annotated[
    int | None,
    number("Take inputs from UDP on this port of this machine; 0 chooses one.", 0, 65_535),
]


Share = Annotated[str | None, typer.Option(help="Share the ports with other processes by a name.")]


Control = Annotated[
    str | None,
    typer.Option(help="Open a control port for other processes: a name, a path, or host:port."),
]


Worst = Annotated[int, number("Print so many of the worst ticks, up to 100.", 0, 100)]


@signals_as_ctrl_c()
def live(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    seconds: Annotated[float, span("How long, in the model's time.")] = 10.0,
    rate: Rate = 1000.0,
    speed: Speed = 1.0,
    method: Method = None,
    constraints: Constraints = None,
    substeps: Substeps = None,
    set_: Set = None,
    input_: Input = None,
    connect: Connect = None,
    record: Annotated[Path | None, output("Keep every tick in an MCAP file.", ".mcap")] = None,
    listen: Listen = None,
    share: Share = None,
    control: Control = None,
    cpu: Annotated[int | None, number("The processor for the ticks.", 0)] = None,
    report: Annotated[Path | None, output("Write the report as JSON.", ".json")] = None,
    worst: Worst = 0,
) -> None:
    """Run a mechanism against the clock, with a table that shows how it goes. Ctrl-C ends it."""
    described, experiment = load(model)
    assigned = assignments("--input", input_ or [])
    with working(f"deriving {described.name}"):
        system = described.compile()
        start = set_values(system, experiment.start(system), assignments("--set", set_ or []))
    steps = experiment.substeps if substeps is None else substeps
    with ExitStack() as closing:
        devices = opened(connections(connect, experiment), system, closing)
        own = {name: value for name, value in experiment.inputs.items() if name not in devices}
        inputs = {**own, **assigned}
        given = read_inputs(system, inputs, seconds)
        guarded = {name: GuardedOutput() for name in devices if name in system.output_names}
        run = start_live(
            system, start, rate=rate, speed=speed or None, method=method, constraints=constraints,
            substeps=steps, record=record or False, share=share, cpu=cpu, outputs=guarded,
            inputs=watched(experiment, devices),
        )  # fmt: skip
        with suppress(KeyboardInterrupt), run:  # it is stopped then, and its recording whole
            following = feed(run, inputs, given)
            for name, device in devices.items():
                run.connect(name, device)
            if listen is not None:
                out.print("listening on {}:{}".format(*run.listen(listen).address))
            if control is not None:
                out.print(f"control port at {run.open_control(control).address}", soft_wrap=True)
            _watch(run, seconds, following)
    _tell(run, worst, report)
    failure = run.recording_failure
    if record is not None and failure is None:
        held = open_recording(record).about["description"]
        words = ["touchback", "replay", str(record), *([] if held else ["--model", model])]
        out.print(f"replay: {shlex.join(words)}", soft_wrap=True)
    _refuse_what_was_held(run, steps, rate)
    if failure is not None:
        raise SolveError(
            f"{record}: the recording ended early ({failure.strerror or failure}), though the run "
            "went on; make room on the disk, or record elsewhere."
        )


def _watch(run: Live, seconds: float, following: list[Following]) -> None:
    """Shows the table while the run goes on; without a terminal it just runs."""
    if following:
        for _ in range(round(seconds * run.plan.rate)):
            for follower in following:
                run[follower.name] = follower.read()
            run.run(1.0 / run.plan.rate)
        return
    if run.plan.speed is None:
        run.run(seconds)
        return
    goal = run.ticks + round(seconds * run.plan.rate)
    if not out.is_terminal:
        while run.ticks < goal:  # also when somebody at the control port lets it rest at once
            time.sleep(_REFRESH)
        return
    with Display(live_table(run), console=out, transient=True, auto_refresh=False) as display:
        while run.ticks < goal:
            left = (goal - run.ticks) / run.plan.rate / run.plan.speed
            time.sleep(min(_REFRESH, max(left, 1e-3)))
            display.update(live_table(run), refresh=True)


def _tell(run: Live, worst: int, report: Path | None) -> None:
    """The report, and so many of the worst ticks."""
    if report is not None:  # first: a terminal that is gone takes no print
        write_whole(report, json.dumps(run.report().as_dict(), indent=2))
    out.print(str(run.report()))
    if worst > 0:
        out.print(run.report().trace(worst))
    if report is not None:
        out.print(f"report: {report}")


def _refuse_what_was_held(run: Live, steps: int, rate: float) -> None:
    counts = run.report().counts
    if counts["not_finite"] or counts["diverged"]:
        went = "was no finite number any more" if counts["not_finite"] else "grew without bound"
        raise SolveError(
            f"{run.system.name}: the state or an output {went}, and the run was held; "
            f"take more --substeps than {steps}, or a higher --rate than {rate:g}."
        )


def live_table(live: Live, signals: int = 12) -> Group:
    """Punctuality, faults, and the first of the signals, as they are now."""
    report, now = live.report(), live.snapshot()
    counts = report.counts
    head = Text(
        f"{live.system.name}  t = {now['time']:.2f} s  {live.plan.rate:g} Hz  "
        f"ticks {counts['ticks']}  late {counts['late']}  overruns {counts['overruns']}  "
        f"slipped {counts['slipped']}"
    )
    punctuality = Table("", "p50", "p99", "p99.9", "max", box=None, pad_edge=False)
    for name, histogram in report.histograms.items():
        punctuality.add_row(name.replace("_", " "), *map(duration, histogram.summary().values()))
    values = Table("signal", "unit", "now", box=None, pad_edge=False)
    system = live.system
    named = [
        *zip(system.output_names, system.output_units),
        *zip(system.state_names, system.state_units),
    ]
    shown = [*named[:signals], *((name, "J") for name in live.plan.energy)]
    for name, unit in shown:
        if name in now:  # the run may be taking another structure just now
            values.add_row(Text(name), Text(unit), f"{now[name]: .6g}")
    faults = ", ".join(live.faults)
    state = Text(f"faults: {faults}", style="red") if faults else Text("no faults", style="green")
    return Group(head, punctuality, values, state)

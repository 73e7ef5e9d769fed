"""`touchback live`, `view` and `ros2`: a mechanism against the clock in the terminal, on a page,
or as a node of ROS 2, and what feeds its inputs."""

import json
import math
import os
import shlex
import time
import warnings
from collections.abc import Container, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Group
from rich.live import Live as Display
from rich.table import Table
from rich.text import Text

import touchback as tb
from touchback import workbench
from touchback.cli.console import err, out, show_page, working
from touchback.cli.model_argument import load
from touchback.cli.option_types import assignments, number, output, seconds as span, set_values
from touchback.errors import InputError, SolveError, TouchbackError
from touchback.interop import (
    MAX_AGE,
    DeviceNode,
    Middleware,
    ModelNode,
    Transport,
    check_domain,
    check_node,
    device_model,
    guards,
    node_name,
    open_transport,
    urdf_text,
)
from touchback.names import unknown_name
from touchback.numbers import is_real
from touchback.realtime import (
    Device,
    Recording,
    ServingDevice,
    duration,
    open_recording,
    signals_as_ctrl_c,
)
from touchback.recording import FORMATS as RUNS
from touchback.safe_files import write_atomically
from touchback.simulate import RIGID, Inputs, read_inputs
from touchback.workbench import feed as feed_page, model_for_page


@dataclass(frozen=True)
class Following:
    """An input that follows samples or a function over the model's time."""

    run: tb.Live
    name: str
    given: Inputs

    def read(self) -> float:
        """Its value now."""
        place = 1 + self.run.system.input_names.index(self.name)
        return float(self.given.at(self.run["time"], np.empty(0))[place])


def feed(run: tb.Live, inputs: Mapping[str, object], given: Inputs) -> list[Following]:
    """Sets what is constant and connects the rest; what an unclocked run must be told itself."""
    following = []
    for name, value in inputs.items():
        follower = Following(run, name, given)
        if is_real(value):
            run[name] = value
        elif run.spec.speed is None:
            following.append(follower)
        else:
            run.connect(name, follower)
    return following


def connections(given: list[str] | None, experiment: tb.gallery.Experiment) -> list[str]:
    """What `--connect` was given; the experiment's own devices where nothing was."""
    if given is not None:
        return given
    return [f"{port}={device}" for port, device in experiment.devices.items()]


def watched(
    experiment: tb.gallery.Experiment, ports: Container[str]
) -> dict[str, tb.devices.WatchedInput]:
    """How the experiment watches those of its inputs that are ports of devices."""
    return {name: each for name, each in experiment.watched.items() if name in ports}


def open_devices(
    given: list[str], system: tb.System, closing: ExitStack
) -> dict[str, Device | ServingDevice]:
    """Devices by the port that each is for, from texts such as "torque=serial:/dev/ttyACM0";
    one that is named twice is opened once, and closed in the end. None is opened before all ports
    are known to be the system's."""
    wanted = dict[str, str]()
    for text in given:
        port, equals, device = text.partition("=")
        port = port.strip()
        if not equals or not port:
            raise InputError(f"--connect: a port, '=' and a device are expected, got '{text}'.")
        known = [*system.input_names, *system.output_names]
        if port not in known:
            raise unknown_name("port", port, known)
        if port in wanted:
            raise InputError(f"--connect: port '{port}' is given twice; connect one device to it.")
        wanted[port] = device
    ports = dict[str, Device | ServingDevice]()
    devices = dict[str, Device | ServingDevice]()
    for port, device in wanted.items():
        if device not in devices:
            devices[device] = tb.devices.open_device(device)
            closing.callback(getattr(devices[device], "close", lambda: None))
        ports[port] = devices[device]
    return ports


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
def live_table(live: tb.Live, signals: int = 12) -> Group:
    """Punctuality, faults, and the first of the signals, as they are now."""
    report, now = live.report(), live.snapshot()
    counts = report.counts
    head = Text(
        f"{live.system.name}  t = {now['time']:.2f} s  {live.spec.rate:g} Hz  "
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
    shown = [*named[:signals], *((name, "J") for name in live.spec.energy)]
    for name, unit in shown:
        if name in now:  # the run may be taking another structure just now
            values.add_row(Text(name), Text(unit), f"{now[name]: .6g}")
    faults = ", ".join(live.faults)
    state = Text(f"faults: {faults}", style="red") if faults else Text("no faults", style="green")
    return Group(head, punctuality, values, state)


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
        devices = open_devices(connections(connect, experiment), system, closing)
        own = {name: value for name, value in experiment.inputs.items() if name not in devices}
        inputs = {**own, **assigned}
        given = read_inputs(system, inputs, seconds)
        guarded = {
            name: tb.devices.GuardedOutput() for name in devices if name in system.output_names
        }
        run = tb.live(
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


def _watch(run: tb.Live, seconds: float, following: list[Following]) -> None:
    """Shows the table while the run goes on; without a terminal it just runs."""
    if following:
        for _ in range(round(seconds * run.spec.rate)):
            for follower in following:
                run[follower.name] = follower.read()
            run.run(1.0 / run.spec.rate)
        return
    if run.spec.speed is None:
        run.run(seconds)
        return
    goal = run.ticks + round(seconds * run.spec.rate)
    if not out.is_terminal:
        while run.ticks < goal:  # also when somebody at the control port lets it rest at once
            time.sleep(_REFRESH)
        return
    with Display(live_table(run), console=out, transient=True, auto_refresh=False) as display:
        while run.ticks < goal:
            left = (goal - run.ticks) / run.spec.rate / run.spec.speed
            time.sleep(min(_REFRESH, max(left, 1e-3)))
            display.update(live_table(run), refresh=True)


def _tell(run: tb.Live, worst: int, report: Path | None) -> None:
    """The report, and so many of the worst ticks."""
    if report is not None:  # first: a terminal that is gone takes no print
        write_atomically(report, json.dumps(run.report().as_dict(), indent=2))
    out.print(str(run.report()))
    if worst > 0:
        out.print(run.report().trace(worst))
    if report is not None:
        out.print(f"report: {report}")


def _refuse_what_was_held(run: tb.Live, steps: int, rate: float) -> None:
    counts = run.report().counts
    if counts["not_finite"] or counts["diverged"]:
        went = "was no finite number any more" if counts["not_finite"] else "grew without bound"
        raise SolveError(
            f"{run.system.name}: the state or an output {went}, and the run was held; "
            f"take more --substeps than {steps}, or a higher --rate than {rate:g}."
        )


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def view(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A name of the gallery, a model's file, or a recording; none: an empty drawing."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="What to listen on; other machines need 0.0.0.0 or an address.")
    ] = "127.0.0.1",
    port: Annotated[int, number("The port; 0 chooses one that is free.", 0, 65_535)] = 0,
    rate: Annotated[float, number("Ticks a second, 1 to 10000.", 1.0, 10_000.0)] = 1000.0,
    substeps: Annotated[
        int | None, number("Steps in a tick; 1 unless the gallery says otherwise.", 1)
    ] = None,
    constraints: Constraints = None,
    connect: Connect = None,
    of: Annotated[
        str | None, typer.Option(help="The mechanism of a recording that doesn't hold it.")
    ] = None,
    hold: Annotated[
        bool, typer.Option(help="Whether joints of a robot's file hold their pose.")
    ] = True,
    draw: Annotated[bool, typer.Option("--draw", help="Edit the model as a drawing.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option(help="Of drawings that are opened and saved; default: drawings, or MODEL's."),
    ] = None,
    space: Annotated[
        bool, typer.Option("--space", help="Draw in space, not in the x–z plane.")
    ] = False,
    seconds: Annotated[float | None, span("How long; default: until Ctrl-C.")] = None,
) -> None:
    """Show a mechanism on a page in the browser, where it runs and can be touched; or a recording,
    which plays there; without MODEL, or with --draw, a page to draw on. Ctrl-C ends it."""
    with ExitStack() as closing:
        if model is None or draw:
            shown = model if model is None or Path(model).is_file() else load(model)[0]
            bench = closing.enter_context(
                workbench.open_drawing(
                    shown, space=space or None, folder=folder, rate=rate, host=host, port=port
                )
            )
        elif model not in tb.gallery.names() and Path(model).suffix.lower() in RUNS:
            if constraints is not None or connect is not None:
                raise InputError(
                    f"--constraints and --connect are for a mechanism that runs; {model} is a "
                    "recording, which plays as it was."
                )
            bench = closing.enter_context(_played(model, of, host, port))
        elif of is not None:
            raise InputError(
                f"--of {of} is the mechanism of a recording that doesn't hold it, and '{model}' is "
                f"no recording ({', '.join(RUNS)})."
            )
        else:
            system, experiment = _system(model, rate * (substeps or 1), hold)
            devices = open_devices(connections(connect, experiment), system, closing)
            bench = closing.enter_context(
                workbench.open(
                    system, x0=experiment.start(system), rate=rate, host=host, port=port,
                    substeps=experiment.substeps if substeps is None else substeps,
                    constraints=constraints, inputs=watched(experiment, devices),
                )
            )  # fmt: skip
            own = {name: each for name, each in experiment.inputs.items() if name not in devices}
            feed_page(bench.live, replace(experiment, inputs=own))
            for name, device in devices.items():
                bench.live.connect(name, device)
            if seconds is None and not devices:
                _start_at_first_look(bench)
        show_page(bench.url)
        if host not in _LOOPBACK:
            out.print("Whoever has this address can touch it: it holds a token.")
        bench.wait(seconds)
        report = str(bench.live.report()) if bench.running else ""
    if report:
        out.print(report)


def _start_at_first_look(bench: workbench.Workbench) -> None:
    """Lets the clock stand until somebody looks: what is worth watching would be over by then."""
    run, seen = bench.live, list[object]()
    run.pause()

    def look(client: object) -> None:
        if not seen:
            seen.append(client)
            run.go()

    bench.hub.coming.append(look)


def _played(model: str, of: str | None, host: str, port: int) -> workbench.Workbench:
    played, described = _recorded("view", model, of)
    return workbench.open(played, model=described, host=host, port=port)


def _recorded(
    command: str, model: str, of: str | None
) -> tuple[Recording | tb.Run, tb.Model | None]:
    """A recording and its mechanism, which it may hold itself."""
    played = _recording(Path(model))
    described = None if of is None else load(of)[0]
    if isinstance(played, tb.Run) and described is None and played.model is None:
        raise InputError(
            f"{model} doesn't say what moved: name the mechanism, which is one of the gallery "
            f"or a file: `touchback {command} {model} --of MODEL`."
        )
    return played, described


def share(
    model: Annotated[
        str, typer.Argument(help="A recording; a name of the gallery, or a model's file, is run.")
    ],
    to: Annotated[Path, output("What to write.", ".html", flags=("--to",))],
    of: Annotated[
        str | None, typer.Option(help="The mechanism of a recording that doesn't hold it.")
    ] = None,
    seconds: Annotated[
        float | None, span("The last seconds of a recording; how long a model runs.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help='Signals of a scope: "crank,rod"; one for each scope.')
    ] = None,
    runs: Annotated[
        bool, typer.Option("--runs/--plays", help="Whether the file runs the model, too.")
    ] = True,
) -> None:
    """Write one HTML file that plays a recording in any browser without a server, and runs its
    model there where clang and lld are at hand to compile it."""
    shown: Recording | tb.Run
    described = None
    if model not in tb.gallery.names() and Path(model).suffix.lower() in RUNS:
        shown, described = _recorded("share", model, of)
    else:
        shown, seconds = _computed(model, seconds), None
    layouts = [[name.strip() for name in each.split(",")] for each in scope or []]
    with working(f"writing {to.name}"):
        lacks = workbench.share(
            shown, to, model=described, seconds=seconds, signals=layouts, runs=runs
        )
    out.print(f"{to}: {to.stat().st_size} bytes", soft_wrap=True, markup=False)
    for each in lacks:
        err.print(f"Note: {each}.", soft_wrap=True, markup=False)


def _computed(model: str, seconds: float | None) -> tb.Run:
    """A run of a mechanism by the method and in the steps in which the file goes on with it."""
    described, experiment = load(model)
    with working(f"running {described.name}"):
        system = described.compile()
        step = 1e-3 / experiment.substeps
        solver = tb.MoreauJean() if RIGID.names(system) else tb.RK4(step=step, rate=experiment.rate)
        return tb.simulate(
            system, experiment.start(system), seconds or experiment.duration, method=solver,
            inputs=dict(experiment.inputs),
        )  # fmt: skip


def _system(model: str, steps: float, hold: bool) -> tuple[tb.System, tb.gallery.Experiment]:
    """What a page shows of a mechanism, with what visitors may put on it, so many steps a
    second."""
    if model in tb.gallery.names():
        shown = tb.gallery.entry(model).on_page
        described, experiment = shown.make(), shown.experiment
    else:
        described, experiment = load(model)
    with working(f"deriving {described.name}"):
        return model_for_page(described, 1.0 / steps, hold).compile(), experiment


def _recording(path: Path) -> Recording | tb.Run:
    """That of a live run, with all its structures, or a run's file."""
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.")
    try:
        return open_recording(path) if path.suffix.lower() == ".mcap" else tb.open(path)
    except InputError:
        return tb.open(path)  # or says what is wrong with it


_ROS_REFRESH = 0.05  # seconds between looks


_PATIENCE = 3.0  # seconds in which a router answers


Read = Annotated[
    list[str] | None,
    typer.Option(help='Devices alone: what one reads, as a command: "voltage=serial:/dev/tty0".'),
]


Write = Annotated[
    list[str] | None,
    typer.Option(help='Devices alone: an output of the model for one: "torque=serial:…".'),
]


Of = Annotated[
    str | None, typer.Option(help="Devices alone: the model's node, whose outputs they take.")
]


Node = Annotated[str | None, typer.Option(help="The node's name; the model's unless given.")]


Domain = Annotated[
    int | None, number("ROS_DOMAIN_ID, 0 to 232; the environment's, else 0.", 0, 232)
]


Router = Annotated[
    list[str] | None,
    typer.Option(help="A Zenoh router or peer: tcp/host:port (rmw_zenohd of this machine)."),
]


RosListen = Annotated[
    list[str] | None, typer.Option(help="Where peers find this one: tcp/127.0.0.1:7500.")
]


Chosen = Annotated[
    Middleware,
    typer.Option(help="What other nodes speak; auto: ROS 2's own where it is sourced, else Zenoh."),
]


MaxAge = Annotated[float, span("Commands older than so many seconds are zero.")]


Transforms = Annotated[float, number("Times a second that /tf is published.", 0.0, 1000.0)]


@dataclass(frozen=True)
class _Wanted:
    """What both kinds of node are told."""

    node: str
    domain: int
    router: list[str]
    listen: list[str]
    seconds: float | None
    rate: float
    max_age: float
    record: Path | None
    middleware: Middleware

    def transport(self) -> Transport:
        """The way to others."""
        return open_transport(self.node, self.domain, self.router, self.listen, self.middleware)


@signals_as_ctrl_c()
def ros2(
    model: Annotated[
        str | None, typer.Argument(help="A name of the gallery, or a file; none for devices.")
    ] = None,
    seconds: Annotated[float | None, span("How long; until Ctrl-C unless given.")] = None,
    rate: Rate = 1000.0,
    substeps: Substeps = None,
    set_: Set = None,
    input_: Input = None,
    read: Read = None,
    write: Write = None,
    of: Of = None,
    node: Node = None,
    domain: Domain = None,
    router: Router = None,
    listen: RosListen = None,
    middleware: Chosen = Middleware.AUTO,
    max_age: MaxAge = MAX_AGE,
    transforms: Transforms = 50.0,
    record: Annotated[Path | None, output("Keep every tick in an MCAP file.", ".mcap")] = None,
) -> None:
    """Run a mechanism against the clock as a node of ROS 2, or devices as another: joint states,
    wrenches, /tf and /clock go out; commands, parameters, reset and pause come in. Ctrl-C ends
    it."""
    devices = bool(read or write)
    if (model is None) != devices or (of is None) != (not write):
        raise InputError(
            "ros2: give a MODEL, or devices instead: --read what=DEVICE for commands, --write "
            "output=DEVICE with --of the node of the model."
        )
    chosen = node or ("devices" if model is None else node_name(Path(model).stem))
    in_domain = _own_domain() if domain is None else domain
    wanted = _Wanted(
        check_node(chosen),
        in_domain,
        router or [],
        listen or [],
        seconds,
        rate,
        max_age,
        record,
        middleware,
    )
    if model is None:
        _serve_devices(wanted, read or [], write or [], of or "")
    else:
        changes = assignments("--set", set_ or []), assignments("--input", input_ or [])
        _serve_model(wanted, model, substeps, changes, transforms)


def _own_domain() -> int:
    text = os.environ.get("ROS_DOMAIN_ID") or "0"
    if not text.isdigit():
        raise InputError(f"ROS_DOMAIN_ID is {text!r}; it is a number, 0 to 232.")
    return check_domain(int(text))


def _serve_model(
    wanted: _Wanted, given: str, substeps: int | None,
    changes: tuple[dict[str, float], dict[str, float]], transforms: float,
) -> None:  # fmt: skip
    described, experiment = load(given)
    with working(f"deriving {described.name}"):
        system = described.compile()
        start = set_values(system, experiment.start(system), changes[0])
        description = _description(described, given)
    steps = experiment.substeps if substeps is None else substeps
    run = tb.live(system, start, rate=wanted.rate, substeps=steps, record=wanted.record or False)
    with run:
        for name, value in changes[1].items():
            run[name] = value
        node = ModelNode(
            run, wanted.transport(), wanted.node, description=description, transforms=transforms,
            max_age=wanted.max_age,
        )  # fmt: skip
        _wait(run, node, wanted)
    _ros_tell(run, node)


def _description(model: tb.Model, given: str) -> str:
    """The URDF that a model came from, or that is written of it; nothing where it can't be."""
    if given.lower().endswith(".urdf"):
        return Path(given).read_text(encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what URDF can't say is listed on top of it
            return urdf_text(model)
    except TouchbackError as error:
        err.print(f"Note: there is no /robot_description: {error}", soft_wrap=True)
        return ""


def _serve_devices(wanted: _Wanted, read: list[str], write: list[str], of: str) -> None:
    reads, writes = ([each.partition("=")[0].strip() for each in texts] for texts in (read, write))
    system = device_model(reads, writes).compile()
    inputs, outputs = guards(reads, writes, wanted.max_age)
    with ExitStack() as closing:
        devices = open_devices([*read, *write], system, closing)
        run = tb.live(
            system, rate=wanted.rate, inputs=inputs, outputs=outputs, record=wanted.record or False
        )
        with run:
            for port, device in devices.items():
                run.connect(port, device)
            node = DeviceNode(run, wanted.transport(), check_node(of or "model"))
            _wait(run, node, wanted)
    _ros_tell(run, node)


def _wait(run: tb.Live, node: ModelNode | DeviceNode, wanted: _Wanted) -> None:
    """Until its time is over, or Ctrl-C."""
    with node, suppress(KeyboardInterrupt):
        out.print(f"node /{wanted.node} in domain {wanted.domain}", soft_wrap=True)
        goal = math.inf if wanted.seconds is None else run.ticks + wanted.seconds * wanted.rate
        told, late = "", time.monotonic() + _PATIENCE
        while run.ticks < goal:  # also when somebody paused it meanwhile
            if time.monotonic() > late:
                told = _tell_alone(node.transport.unanswered(), told)
            time.sleep(_ROS_REFRESH)


def _tell_alone(why: str, told: str) -> str:
    """Says once that nobody is there, and once that somebody came; returns what was said last."""
    if why and not told:
        err.print(f"Note: {why}. The node runs unheard until somebody is there.", soft_wrap=True)
    elif told and not why:
        err.print("Note: somebody answers now.", soft_wrap=True)
    return why


def _ros_tell(run: tb.Live, node: ModelNode | DeviceNode) -> None:
    out.print(str(run.report()))
    if node.refused:
        out.print(f"refused: {node.refused} messages and requests; the faults above say why")

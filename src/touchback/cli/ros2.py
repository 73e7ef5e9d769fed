"""`touchback ros2`: a mechanism against the clock, or devices, as a node of ROS 2."""

import math
import os
import time
import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from touchback.cli.assignments import assignments, set_values
from touchback.cli.console import err, out, working
from touchback.cli.feeding import opened
from touchback.cli.live import Input, Rate, Set, Substeps
from touchback.cli.load import load
from touchback.cli.options import number, output
from touchback.cli.options import seconds as span
from touchback.errors import InputError, TouchbackError
from touchback.interop.ros2 import DeviceNode, ModelNode, Transport, open_transport
from touchback.interop.ros2.device_node import device_model, guards
from touchback.interop.ros2.middleware import Middleware
from touchback.interop.ros2.model_node import MAX_AGE
from touchback.interop.ros2.node_transport import check_domain, check_node, node_name
from touchback.interop.urdf.urdf_writer import urdf_text
from touchback.model import Model
from touchback.realtime import Live
from touchback.realtime import live as start_live
from touchback.realtime.shutdown import signals_as_ctrl_c

_REFRESH = 0.05  # seconds between looks
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
Listen = Annotated[
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
    listen: Listen = None,
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
    run = start_live(system, start, rate=wanted.rate, substeps=steps, record=wanted.record or False)
    with run:
        for name, value in changes[1].items():
            run[name] = value
        node = ModelNode(
            run, wanted.transport(), wanted.node, description=description, transforms=transforms,
            max_age=wanted.max_age,
        )  # fmt: skip
        _wait(run, node, wanted)
    _tell(run, node)


def _description(model: Model, given: str) -> str:
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
        devices = opened([*read, *write], system, closing)
        run = start_live(
            system, rate=wanted.rate, inputs=inputs, outputs=outputs, record=wanted.record or False
        )
        with run:
            for port, device in devices.items():
                run.connect(port, device)
            node = DeviceNode(run, wanted.transport(), check_node(of or "model"))
            _wait(run, node, wanted)
    _tell(run, node)


def _wait(run: Live, node: ModelNode | DeviceNode, wanted: _Wanted) -> None:
    """Until its time is over, or Ctrl-C."""
    with node, suppress(KeyboardInterrupt):
        out.print(f"node /{wanted.node} in domain {wanted.domain}", soft_wrap=True)
        goal = math.inf if wanted.seconds is None else run.ticks + wanted.seconds * wanted.rate
        told, late = "", time.monotonic() + _PATIENCE
        while run.ticks < goal:  # also when somebody paused it meanwhile
            if time.monotonic() > late:
                told = _tell_alone(node.transport.unanswered(), told)
            time.sleep(_REFRESH)


def _tell_alone(why: str, told: str) -> str:
    """Says once that nobody is there, and once that somebody came; returns what was said last."""
    if why and not told:
        err.print(f"Note: {why}. The node runs unheard until somebody is there.", soft_wrap=True)
    elif told and not why:
        err.print("Note: somebody answers now.", soft_wrap=True)
    return why


def _tell(run: Live, node: ModelNode | DeviceNode) -> None:
    out.print(str(run.report()))
    if node.refused:
        out.print(f"refused: {node.refused} messages and requests; the faults above say why")

"""`touchback view`: a mechanism on a page in the browser."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from touchback import gallery, workbench
from touchback.cli.console import out, working
from touchback.cli.feeding import connections, opened, watched
from touchback.cli.live import Connect, Constraints
from touchback.cli.load import load
from touchback.cli.options import number
from touchback.cli.options import seconds as span
from touchback.errors import InputError
from touchback.gallery import Experiment
from touchback.realtime import Recording, open_recording
from touchback.recording import Run, open_run
from touchback.recording.files import FORMATS as RUNS
from touchback.system import System
from touchback.workbench.feed import feed
from touchback.workbench.manipulate import equipped

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def view(
    model: Annotated[
        str, typer.Argument(help="A name of the gallery, a model's file, or a recording.")
    ],
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
    seconds: Annotated[float | None, span("How long; default: until Ctrl-C.")] = None,
) -> None:
    """Show a mechanism on a page in the browser, where it runs and can be touched; or a recording,
    which plays there. Ctrl-C ends it."""
    with ExitStack() as closing:
        if model not in gallery.names() and Path(model).suffix.lower() in RUNS:
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
            system, experiment = _system(model)
            devices = opened(connections(connect, experiment), system, closing)
            bench = closing.enter_context(
                workbench.open(
                    system, x0=experiment.start(system), rate=rate, host=host, port=port,
                    substeps=experiment.substeps if substeps is None else substeps,
                    constraints=constraints, inputs=watched(experiment, devices),
                )
            )  # fmt: skip
            own = {name: each for name, each in experiment.inputs.items() if name not in devices}
            feed(bench.live, replace(experiment, inputs=own))
            for name, device in devices.items():
                bench.live.connect(name, device)
        out.print(f"page: {bench.url}", soft_wrap=True)
        if host not in _LOOPBACK:
            out.print("Whoever has this address can touch it: it holds a token.")
        bench.wait(seconds)
        report = str(bench.live.report()) if bench.running else ""
    if report:
        out.print(report)


def _played(model: str, of: str | None, host: str, port: int) -> workbench.Workbench:
    played = _recording(Path(model))
    described = None if of is None else load(of)[0]
    if isinstance(played, Run) and described is None and played.model is None:
        raise InputError(
            f"{model} doesn't say what moved: name the mechanism, which is one of the gallery "
            f"or a file: `touchback view {model} --of MODEL`."
        )
    return workbench.open(played, model=described, host=host, port=port)


def _system(model: str) -> tuple[System, Experiment]:
    """What a page shows of a mechanism, with what visitors may put on it."""
    if model in gallery.names():
        shown = gallery.entry(model).on_page
        described, experiment = shown.make(), shown.experiment
    else:
        described, experiment = load(model)
    with working(f"deriving {described.name}"):
        return equipped(described).compile(), experiment


def _recording(path: Path) -> Recording | Run:
    """That of a live run, with all its structures, or a run's file."""
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.")
    try:
        return open_recording(path) if path.suffix.lower() == ".mcap" else open_run(path)
    except InputError:
        return open_run(path)  # or says what is wrong with it

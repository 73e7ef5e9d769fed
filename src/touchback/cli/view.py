"""`touchback view`: a mechanism on a page in the browser."""

from typing import Annotated

import typer

from touchback import workbench
from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.cli.options import number
from touchback.cli.options import seconds as span
from touchback.workbench.manipulate import equipped

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def view(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    host: Annotated[
        str, typer.Option(help="What to listen on; other machines need 0.0.0.0 or an address.")
    ] = "127.0.0.1",
    port: Annotated[int, number("The port; 0 chooses one that is free.", 0, 65_535)] = 0,
    rate: Annotated[float, number("Ticks a second, 1 to 10000.", 1.0, 10_000.0)] = 1000.0,
    substeps: Annotated[
        int | None, number("Steps in a tick; 1 unless the gallery says otherwise.", 1)
    ] = None,
    seconds: Annotated[float | None, span("How long; default: until Ctrl-C.")] = None,
) -> None:
    """Show a mechanism on a page in the browser, where it runs and can be touched. Ctrl-C ends
    it."""
    described, experiment = load(model)
    with working(f"deriving {described.name}"):
        system = equipped(described).compile()
        start = experiment.start(system)
    steps = experiment.substeps if substeps is None else substeps
    with workbench.open(system, x0=start, rate=rate, substeps=steps, host=host, port=port) as bench:
        out.print(f"page: {bench.url}", soft_wrap=True)
        if host not in _LOOPBACK:
            out.print("Whoever has this address can touch it: it holds a token.")
        bench.wait(seconds)
    out.print(str(bench.live.report()))

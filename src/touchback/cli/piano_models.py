"""`touchback piano-models`: both models of the grand piano action side by side, as tables."""

from typing import Annotated

import typer

from touchback.cli.console import out, working
from touchback.errors import InputError

EXPERIMENTS = ("stroke", "transitions", "speeds", "curves", "cost")


def piano_models(
    experiments: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(EXPERIMENTS)}.")
    ] = None,
    gestures: Annotated[
        int, typer.Option(help="Instead, try so many random gestures on the episodes model.")
    ] = 0,
    first: Annotated[int, typer.Option(help="The number of the first gesture.")] = 0,
) -> None:
    """Compare the episodes model of the piano action with the full-contact model.

    With `--gestures`, one that ends in a NaN, in chattering, in a surface that went through another
    or in a stuck jack gives exit code 1."""
    if gestures:
        _try(gestures, first)
        return
    from touchback.gallery.piano.experiments.two_models_report import REPORTS

    wanted = experiments or list(EXPERIMENTS)
    for name in wanted:
        if name not in REPORTS:
            raise InputError(f"There is no experiment '{name}'. There are: {', '.join(REPORTS)}.")
    for name in wanted:
        with working(f"{name} …"):
            text = REPORTS[name]()
        out.print(f"\n[bold]{name}[/]\n")
        out.print(text, markup=False, soft_wrap=True)


def _try(count: int, first: int) -> None:
    from touchback.gallery.piano.experiments.episodes_gestures import try_episodes

    strikes, fastest, troubled = 0, 0.0, 0
    with working(f"{count} gestures …"):
        for outcome in try_episodes(count, first):
            strikes += outcome.strikes
            fastest = max(fastest, outcome.fastest)
            if outcome.trouble:
                troubled += 1
                out.print(f"gesture {outcome.seed}: {'; '.join(outcome.trouble)}", markup=False)
    summary = f"{count} gestures, {strikes} strikes, hammer up to {fastest:.1f} m/s"
    out.print(f"{summary}, {troubled} in trouble")
    if troubled:
        raise typer.Exit(1)

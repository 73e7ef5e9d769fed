"""`python -m studies piano`: the experiments on the grand piano action, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchback.cli.console import out, working
from touchback.cli.option_types import number, output
from touchback.errors import InputError

if TYPE_CHECKING:
    from studies.piano.gestures import Outcome

EXPERIMENTS = (
    "regulation", "stages", "timing", "curves", "capstan", "repetition", "speeds", "energy", "cost",
    "weights",
)  # fmt: skip


def piano(
    experiments: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(EXPERIMENTS)}.")
    ] = None,
    gestures: Annotated[int, number("Instead, try so many random gestures of a finger.", 0)] = 0,
    picture: Annotated[
        Path | None, output("Instead, write a moving picture of a stroke.", ".svg")
    ] = None,
) -> None:
    """Measure the grand piano action as technicians, pianists and laboratories do.

    Every run can be repeated; nothing is scripted but the motion of the key. With `--gestures`, one
    that ends in a NaN, in a surface that went through another or in a stuck jack gives exit code 1.
    """
    if gestures:
        from studies.piano.gestures import try_gestures

        tell_gestures(gestures, try_gestures(gestures))
    elif picture is not None:
        _film(picture)
    else:
        from studies.piano.report import REPORTS

        tell(REPORTS, experiments or list(EXPERIMENTS))


def tell(reports: Mapping[str, Callable[[], str]], wanted: list[str]) -> None:
    """Make reports one by one and print them."""
    for name in wanted:
        if name not in reports:
            raise InputError(f"There is no experiment '{name}'. There are: {', '.join(reports)}.")
    for name in wanted:
        with working(f"{name} …"):
            text = reports[name]()
        out.print(f"\n{name}\n", style="bold")
        out.print(text, soft_wrap=True)


def tell_gestures(count: int, outcomes: Iterable[Outcome]) -> None:
    """Try gestures and print what came of them; exit code 1 when one ended in trouble."""
    strikes, fastest, troubled = 0, 0.0, 0
    with working(f"{count} gestures …"):
        for outcome in outcomes:
            strikes += outcome.strikes
            fastest = max(fastest, outcome.fastest)
            if outcome.trouble:
                troubled += 1
                out.print(f"gesture {outcome.seed}: {'; '.join(outcome.trouble)}")
    summary = f"{count} gestures, {strikes} strikes, hammer up to {fastest:.1f} m/s"
    out.print(f"{summary}, {troubled} in trouble")
    if troubled:
        raise typer.Exit(1)


def _film(path: Path) -> None:
    from touchback.instruments.piano import PressedTouch, grand_piano_action
    from touchback.instruments.piano.action_drawing import film
    from touchback.instruments.piano.stroke_analysis import stroke_at

    stroke = stroke_at(grand_piano_action("motion", PressedTouch()).compile(), 2.0)
    path.write_text(film(stroke.run, 0.0, stroke.strike + 0.08), encoding="utf-8")
    out.print(f"{path}: a stroke that meets the string at {stroke.speed:.1f} m/s, 20 times slower")

"""`python -m studies piano-models`: both models of the action side by side, as tables."""

from typing import Annotated

import typer

from studies.piano.command import tell, tell_gestures

EXPERIMENTS = ("stroke", "transitions", "speeds", "curves", "cost", "presses")


def piano_models(
    experiments: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(EXPERIMENTS)}.")
    ] = None,
    gestures: Annotated[
        int, typer.Option(help="Instead, try so many random gestures on the model with modes.")
    ] = 0,
    first: Annotated[int, typer.Option(help="The number of the first gesture.")] = 0,
) -> None:
    """Compare the model with modes of the piano action with the full-contact model.

    With `--gestures`, one that ends in a NaN, in chattering, in a surface that went through another
    or in a stuck jack gives exit code 1."""
    if gestures:
        from studies.piano.gestures_with_modes import try_with_modes

        tell_gestures(gestures, try_with_modes(gestures, first))
        return
    from studies.piano.two_models_report import REPORTS

    tell(REPORTS, experiments or list(EXPERIMENTS))

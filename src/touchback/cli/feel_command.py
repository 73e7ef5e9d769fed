"""`touchback feel`: what a finger feels of a key, drawn; what is heard, as a WAV file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from touchback.cli.braille_chart import chart
from touchback.cli.console import out, working
from touchback.cli.option_types import LIST, number, output, show_parameters
from touchback.errors import InputError
from touchback.names import suggestion
from touchback.safe_files import atomic_file

if TYPE_CHECKING:
    from touchback.instruments import KeyCurve

ABOVE_PEAK = 1.25  # the drawing ends so much above the greatest force before the key bed
BED = 0.3e-3  # what counts as the key bed, from the deepest point up [m]


def feel(
    instrument: Annotated[str, typer.Argument(help="piano or harpsichord.")],
    speed: Annotated[float, number("Of the key front, down and up [mm/s].", 0.1, 200.0)] = 10.0,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='A live parameter, "hammer mass=0.008", or a file of `play --save`, of which the '
            "middle C counts; `list` shows them.",
        ),
    ] = None,
    wav: Annotated[
        Path | None, output("Play a passage and write its sound to this file.", ".wav")
    ] = None,
    csv: Annotated[Path | None, output("Keep the curve: depth, force, down.", ".csv")] = None,
) -> None:
    """Press a key slowly and draw its force over its depth; let a passage sound.

    Solid: on the way down; dotted: on the way up. Letters mark where the stages of the way down
    begin.
    """
    from touchback.instruments import INSTRUMENTS, MIDDLE_C, regulation_of

    if instrument not in INSTRUMENTS:
        near = suggestion(instrument, list(INSTRUMENTS))
        raise InputError(f"There is no instrument '{instrument}' whose key can be pressed; {near}")
    chosen = INSTRUMENTS[instrument]
    known = chosen.parameters()
    if LIST in (set_ or []):
        show_parameters(known, f"a {instrument}'s key")
        return
    regulation = regulation_of(set_ or [])
    regulation.check(known, "--set")
    if left := regulation.left_out([MIDDLE_C]):
        out.print(f"--set: {left}", soft_wrap=True)
    settings = regulation.screws_of(MIDDLE_C)
    with working(f"pressing the key of a {instrument}"):
        felt = chosen.feel(settings, 1e-3 * speed)
    _show(felt, speed)
    if csv is not None:
        header = "depth [m],force [N],down"
        with atomic_file(csv) as beside:
            np.savetxt(beside, felt.rows(), delimiter=",", header=header, comments="", fmt="%.9g")
        out.print(f"curve: {csv}")
    if wav is not None:
        from touchback.instruments import write_wav

        with working("playing a passage"):
            played = chosen.play(settings)
            write_wav(wav, played.samples())
        out.print(f"sound: {wav}, {played.about}", soft_wrap=True)


def _show(felt: KeyCurve, speed: float) -> None:
    depth, force = felt.sides["down"]
    before = force[depth < depth.max() - BED]
    ends = (1.02e3 * float(depth.max()), ABOVE_PEAK * float(before.max()))
    curves = [(1e3 * x, y) for x, y in (felt.sides["down"], felt.sides["up"])]
    marks = {name: 1e3 * x for name, x in felt.marks.items()}
    title = f"{felt.title}: force [N] over depth [mm] at the key front, {speed:g} mm/s\n"
    out.print(title)
    out.print(chart(curves, marks, ends), soft_wrap=True)
    out.print()
    for name, line in felt.legend.items():
        out.print(f"{name} from {1e3 * felt.marks[name]:.1f} mm: {line}")
    for name, text in felt.figures.items():
        out.print(f"{name}: {text}")

"""`python -m studies baja`: a torque icon at the 10th second, beside the same event in MuJoCo."""

from pathlib import Path
from typing import Annotated

import typer


def baja(
    clock: Annotated[bool, typer.Option(help="Ride in real time, not as fast as can be.")] = False,
    step: Annotated[float, typer.Option(help="Of MuJoCo [s]; its error falls with it.")] = 5e-4,
    pictures: Annotated[
        Path | None, typer.Option(help="Also write the plots into this folder.")
    ] = None,
) -> None:
    """Repeat the experiment of Wang 2011, section 5.2, with MuJoCo in the place of ADAMS.

    Front wheels of the gallery's Mini Baja are set in motion by icons; at the 10th second a torque
    icon is put on a rear wheel. The driving torque is what the motions take.
    """
    from studies.baja.comparison import compare
    from studies.baja.report import report
    from studies.baja.ride import ride

    found = compare(ride(clock=clock), step)
    typer.echo(report(found))
    if pictures is not None:
        from studies.baja.pictures import write

        write(pictures, found)

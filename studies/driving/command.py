"""`python -m studies driving`: the obstacle of Docquier's driving simulator, with three casters."""

from pathlib import Path
from typing import Annotated

import typer

from studies.piano.command import tell
from touchback.cli.option_types import number

PARTS = ("obstacle", "angle", "feeling", "threshold")


def driving(
    parts: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(PARTS)}.")
    ] = None,
    seed: Annotated[int, number("Of places of obstacles, and of the casters' order.", 0)] = 1,
    clock: Annotated[bool, typer.Option(help="Drive in real time, not as fast as can be.")] = False,
    pictures: Annotated[
        Path | None, typer.Option(help="Instead, write the plots into this folder.")
    ] = None,
) -> None:
    """Repeat the blind trials of Docquier 2021, section 5.2, with a simulated driver.

    *obstacle*: one appears suddenly at 75 km/h, with each of three casters in an order that isn't
    told; *angle*: torques of the three at one and the same angle, beside the closed form;
    *feeling*: paths of a driver whose arms give way; *threshold*: the difference of caster that he
    notices, by forced choice.
    """
    from studies.driving import report
    from studies.driving.trials import Session

    session = Session(seed, clock)
    if pictures is not None:
        from studies.driving.pictures import write

        write(pictures, session)
        return
    reports = {
        "obstacle": lambda: report.obstacle(session),
        "angle": lambda: report.angle(session),
        "feeling": report.feeling,
        "threshold": lambda: report.threshold(seed),
    }
    tell(reports, parts or list(PARTS))

"""`touchback trial`: a blind comparison of touches, with answers that are kept."""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from touchback.cli.chart import chart
from touchback.cli.console import out, working
from touchback.cli.options import number
from touchback.haptics.trials import Trials


def trial(
    file: Annotated[Path, typer.Argument(help="Where answers are kept; a session goes on there.")],
    voice: Annotated[
        list[str] | None, typer.Option(help="A voice to compare; twice or more.")
    ] = None,
    question: Annotated[str, typer.Option(help="What to ask.")] = "What was it?",
    repeats: Annotated[int, number("How often each voice comes.", 1, 1000)] = 3,
    effort: Annotated[float, number("Of the finger, 0 (soft) to 1 (loud).", 0, 1)] = 0.3,
) -> None:
    """Feel hidden voices on a simulated key and say what you felt.

    Each trial presses the key of a voice that only the file knows, draws the force on the finger
    over the key's depth, and asks. Answers are on disk before the next trial; when all are given,
    the counts are shown."""
    from touchback.gallery.keyboard.voices import voice_called

    voices = voice or ["piano", "harpsichord"]
    for name in voices:
        voice_called(name)
    trials = Trials(file, voices, question, repeats)
    curves = {}
    while not trials.done:
        hidden = trials.hidden
        if hidden not in curves:
            with working("a finger presses the key"):
                curves[hidden] = _pressed(hidden, effort)
        depth, force = curves[hidden]
        out.rule(f"trial {len(trials.answers) + 1} of {trials.count}: touch {trials.label}")
        ends = 1.1 * float(depth.max()), 1.1 * float(force.max())
        out.print(chart([(depth, force)], {}, ends))
        out.print("force on the finger [N] over the depth of the key front [mm]")
        began = time.monotonic()
        answer = typer.prompt(trials.question)
        trials.answer(answer, time.monotonic() - began)
    out.rule("what was behind the letters")
    for condition, counts in trials.table().items():
        told = ", ".join(f"{answer} × {count}" for answer, count in counts.items())
        out.print(f"{condition}: {told}")
    out.print(f"answers: {file}")


def _pressed(voice: str, effort: float) -> tuple[np.ndarray, np.ndarray]:
    """Depth [mm] and force [N] on the way down, by a finger of some effort."""
    from touchback.gallery.keyboard.device import FRONT
    from touchback.gallery.keyboard.keys import touchback_key
    from touchback.gallery.keyboard.player import METHOD, SETTLING, steps_at
    from touchback.gallery.keyboard.strokes import Stroke
    from touchback.simulate import simulate

    stroke = Stroke.of(SETTLING, 60, effort)
    run = simulate(
        touchback_key(voice).compile(), duration=SETTLING + 1.5 * stroke.press, rate=1000.0,
        step=1e-3 / steps_at(1000.0), output_step=1e-3, method=METHOD, inputs=stroke.inputs,
        progress=False,
    )  # fmt: skip
    going = run.time > SETTLING
    return 1e3 * FRONT * run["key"][going], run["finger force"][going]

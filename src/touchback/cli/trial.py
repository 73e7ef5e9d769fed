"""`touchback trial`: a blind comparison of touches, with answers that are kept."""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from touchback.cli.chart import chart
from touchback.cli.console import out, working
from touchback.cli.options import number, output
from touchback.draw.style import PICTURES
from touchback.errors import InputError
from touchback.haptics.trials import FeelingSubject, Trials

Curve = tuple[np.ndarray, np.ndarray]  # depth [mm], force [N]

REPEATS = 3  # unless given
DOWN, INTERVALS, SECONDS = 2, 2, 3.0  # of forced choice, unless given


def trial(
    file: Annotated[Path, typer.Argument(help="Where answers are kept; a session goes on there.")],
    voice: Annotated[
        list[str] | None, typer.Option(help="A voice to compare; twice or more, with --vary once.")
    ] = None,
    question: Annotated[str | None, typer.Option(help="What to ask.")] = None,
    repeats: Annotated[int, number("How often each voice, or level, comes.", 1, 1000)] = REPEATS,
    effort: Annotated[float, number("Of the finger, 0 (soft) to 1 (loud).", 0, 1)] = 0.3,
    vary: Annotated[
        str | None,
        typer.Option(help='Forced choice: the live parameter, "wall stiffness"; `list` shows all.'),
    ] = None,
    base: Annotated[float | None, typer.Option(help="What it is in all touches but one.")] = None,
    levels: Annotated[
        str | None, typer.Option(help="Constant stimuli: by how much one touch has more, 20,40,80.")
    ] = None,
    start: Annotated[
        float | None, typer.Option(help="Staircases: by how much one touch has more at first.")
    ] = None,
    down: Annotated[int, number("Right answers in a row for a step down.", 1, 10)] = DOWN,
    intervals: Annotated[int, number("Touches of a trial.", 2, 3)] = INTERVALS,
    device: Annotated[
        str | None, typer.Option(help="A key on a wire, serial:/dev/ttyACM0, under your finger.")
    ] = None,
    seconds: Annotated[
        float, number("How long each touch of a wired key lasts.", 0.1, 60)
    ] = SECONDS,
    subject: Annotated[
        float | None,
        typer.Option(
            help="Let a simulated subject answer: with --vary of this threshold, else with this "
            "noise in what it feels [N]."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the hidden order; else by chance.")] = None,
    plot: Annotated[Path | None, output("The psychometric function.", *PICTURES)] = None,
    page: Annotated[
        bool, typer.Option("--page", help="On a page in the browser, where you press the key.")
    ] = False,
) -> None:
    """Feel hidden touches on a live key and say what you felt.

    Each trial presses the key of a voice that only the file knows, draws the force on the finger
    over the key's depth, and asks. With --vary two or three touches follow each other, one of which
    has more of something; at the end there is a threshold with its confidence. Answers are on disk
    before the next trial, and with --vary so is every force."""
    if vary is not None:
        from touchback.cli.forced_choice import Asked, forced_choice

        names = voice or ["piano"]
        if len(names) != 1:
            raise InputError(f"--vary goes with one --voice, not {len(names)}.")
        forced_choice(file, Asked(
            names[0], vary, base, levels, start, down, intervals, repeats,
            question or "Which was more?", effort, device, seconds, subject, seed, plot, page,
        ))  # fmt: skip
        return
    alone = {
        "--base": base, "--levels": levels, "--start": start, "--device": device, "--page": page,
        "--plot": plot, "--down": down != DOWN,
        "--intervals": intervals != INTERVALS, "--seconds": seconds != SECONDS,
    }  # fmt: skip
    for name, given in alone.items():
        if given is not None and given is not False:
            raise InputError(
                f"{name} goes with --vary, forced choice; naming voices takes --voice, --question, "
                "--repeats, --effort, --subject and --seed."
            )
    names = voice or ["piano", "harpsichord"]
    if subject is not None and not 0.0 < subject < float("inf"):
        raise InputError(
            f"--subject: the noise of a simulated subject is above zero, got {subject}."
        )
    person = None if subject is None else FeelingSubject(subject, seed or 0)
    _identify(file, names, question or "What was it?", repeats, effort, seed, person)


def _identify(
    file: Path,
    voices: list[str],
    question: str,
    repeats: int,
    effort: float,
    seed: int | None,
    person: FeelingSubject | None,
) -> None:
    from touchback.gallery.keyboard.voices import voice_called

    for name in voices:
        voice_called(name)
    trials = Trials(file, voices, question, repeats, seed)
    curves: dict[str, Curve] = {}

    def curve_of(voice: str) -> Curve:
        if voice not in curves:
            with working("a finger presses the key"):
                curves[voice] = _pressed(voice, effort)
        return curves[voice]

    while not trials.done:
        hidden = trials.hidden
        depth, force = curve_of(hidden)
        out.rule(f"trial {len(trials.answers) + 1} of {trials.count}: touch {trials.label}")
        ends = 1.1 * float(depth.max()), 1.1 * float(force.max())
        out.print(chart([(depth, force)], {}, ends))
        out.print("force on the finger [N] over the depth of the key front [mm]")
        began = time.monotonic()
        if person is None:
            answer = _answer(trials)
        else:
            apart = [_apart(curve_of(hidden), curve_of(voice)) for voice in voices]
            answer = voices[person.choose([-each for each in apart], len(trials.answers)) - 1]
            out.print(f"  kept: {answer}")
        trials.answer(answer, time.monotonic() - began)
    out.rule("what was behind the labels")
    for condition, counts in trials.table().items():
        told = ", ".join(f"{answer} × {count}" for answer, count in counts.items())
        out.print(f"{condition}: {told}")
    out.print(f"{trials.right} of {trials.count} were named rightly")
    out.print(f"answers: {file}")


def _apart(felt: Curve, known: Curve) -> float:
    """By how much two touches differ: the root mean square of forces at equal depths [N]."""
    depths = np.linspace(0.0, min(felt[0].max(), known[0].max()), 200)
    forces = [np.interp(depths, np.maximum.accumulate(x), force) for x, force in (felt, known)]
    return float(np.sqrt(np.mean((forces[0] - forces[1]) ** 2)))


def _answer(trials: Trials) -> str:
    """One of the voices, asked for until one is named."""
    while True:
        said = str(typer.prompt(f"{trials.question} ({'/'.join(trials.choices)})")).strip()
        if said in trials.choices:
            return said
        out.print(f"Answer with one of {', '.join(trials.choices)}.")


def _pressed(voice: str, effort: float) -> Curve:
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

"""`touchback trial`: a blind comparison of touches with answers that are kept, or forced choice on
a live key and its threshold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

import touchback as tb
from touchback.cli.braille_chart import chart
from touchback.cli.console import out, working
from touchback.cli.option_types import LIST, number, output, show_parameters
from touchback.errors import InputError
from touchback.figure_style import PICTURES

if TYPE_CHECKING:
    from touchback.instruments import FeltInterval, TrialKey


ForceCurve = tuple[np.ndarray, np.ndarray]  # depth [mm], force [N]


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
    if file.suffix != ".jsonl":
        raise InputError(
            f"{file}: FILE is where answers are written, lines of JSON, as answers.jsonl; a model "
            "is chosen by --voice."
        )
    if vary is not None:
        names = voice or ["piano"]
        if len(names) != 1:
            raise InputError(f"--vary goes with one --voice, not {len(names)}.")
        forced_choice(file, TrialOptions(
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
    person = None if subject is None else tb.haptics.FeelingSubject(subject, seed or 0)
    _identify(file, names, question or "What was it?", repeats, effort, seed, person)


def _identify(
    file: Path,
    voices: list[str],
    question: str,
    repeats: int,
    effort: float,
    seed: int | None,
    person: tb.haptics.FeelingSubject | None,
) -> None:
    from touchback.instruments import voice_called

    for name in voices:
        voice_called(name)
    trials = tb.haptics.Trials(file, voices, question, repeats, seed)
    curves: dict[str, ForceCurve] = {}

    def curve_of(voice: str) -> ForceCurve:
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


def _apart(felt: ForceCurve, known: ForceCurve) -> float:
    """By how much two touches differ: the root mean square of forces at equal depths [N]."""
    depths = np.linspace(0.0, min(felt[0].max(), known[0].max()), 200)
    forces = [np.interp(depths, np.maximum.accumulate(x), force) for x, force in (felt, known)]
    return float(np.sqrt(np.mean((forces[0] - forces[1]) ** 2)))


def _answer(trials: tb.haptics.Trials) -> str:
    """One of the voices, asked for until one is named."""
    while True:
        said = str(typer.prompt(f"{trials.question} ({'/'.join(trials.choices)})")).strip()
        if said in trials.choices:
            return said
        out.print(f"Answer with one of {', '.join(trials.choices)}.")


def _pressed(voice: str, effort: float) -> ForceCurve:
    """Depth [mm] and force [N] on the way down, by a finger of some effort."""
    from touchback.instruments import (
        KEYBOARD_METHOD,
        SETTLING_TIME,
        Stroke,
        steps_at,
        touchback_key,
    )
    from touchback.instruments.keyboard.key_device import FRONT

    stroke = Stroke.of(SETTLING_TIME, 60, effort)
    run = tb.simulate(
        touchback_key(voice).compile(), duration=SETTLING_TIME + 1.5 * stroke.press, rate=1000.0,
        step=1e-3 / steps_at(1000.0), output_step=1e-3, method=KEYBOARD_METHOD,
        inputs=stroke.inputs,
        progress=False,
    )  # fmt: skip
    going = run.time > SETTLING_TIME
    return 1e3 * FRONT * run["key"][going], run["finger force"][going]


Answers = Callable[[tb.haptics.ForcedChoiceTrial], int]


@dataclass(frozen=True)
class TrialOptions:
    """What the command was asked for."""

    voice: str
    vary: str
    base: float | None
    levels: str | None
    start: float | None
    down: int
    intervals: int
    repeats: int
    question: str
    effort: float
    device: str | None
    seconds: float
    subject: float | None
    seed: int | None
    plot: Path | None
    page: bool


def forced_choice(file: Path, asked: TrialOptions) -> None:
    """Goes through a session, from its beginning or from where it was broken off."""
    if asked.vary == LIST:
        from touchback.instruments import varied_key

        key_model = varied_key(asked.voice, wired=asked.device is not None, by_hand=asked.page)
        show_parameters(key_model.all_parameters(), f"a key of '{asked.voice}'")
        return
    key, session = _begun(file, asked)
    known = None if asked.subject is None else _person(asked.subject, session.design)
    person = None if known is None else tb.haptics.SimulatedSubject(known, session.seed or 0).choose
    if session.answers:
        goes_on = "is over" if session.done else "goes on"
        out.print(f"{len(session.answers)} answers are kept; the session {goes_on}.")
    if not session.done:
        if asked.page:
            _on_page(key, session)
        else:
            with key:
                _ask(session, key, person)
    if session.done:
        _tell(session, asked.plot)


def _begun(file: Path, asked: TrialOptions) -> tuple[TrialKey, tb.haptics.ForcedChoice]:
    """The key and the session; nothing is on disk before all that was asked for is good."""
    from touchback.instruments import TrialKey

    if asked.page and asked.subject is not None:
        raise InputError("--page asks a person; leave --subject away, or --page.")
    line = None if asked.device is None else _line(asked.device)
    method = _method(asked)
    with working("building the key"):
        key = TrialKey(
            asked.voice, asked.vary, line, asked.effort, asked.seconds, by_hand=asked.page
        )
    base = key.parameter.default if asked.base is None else asked.base
    key.check(base)
    if isinstance(method, tb.haptics.Constant):
        key.check(base + max(method.levels))
    elif key.parameter.max is not None:
        method = replace(method, largest=key.parameter.max - base)
    design = tb.haptics.Design(
        method, key.varied, base, asked.intervals, asked.question, key.parameter.unit, asked.voice
    )
    if asked.subject is not None:
        _person(asked.subject, design)  # refuses what is nobody
    return key, tb.haptics.ForcedChoice(file, design, asked.seed)


def _on_page(key: TrialKey, session: tb.haptics.ForcedChoice) -> None:
    from touchback.cli.keyboard_performance import PageOptions, can_serve, play_on_page

    if not can_serve():
        raise InputError("--page needs `pip install touchback[view]`.")
    from touchback.workbench import ForcedChoicePage

    play_on_page(PageOptions("trial", board=ForcedChoicePage(session, key)))


def _check_all_act(asked: TrialOptions) -> None:
    """Refuses what was given though nothing of the session goes by it."""
    idle = {
        "--repeats": (asked.repeats != REPEATS and asked.levels is None, "--levels"),
        "--down": (asked.down != DOWN and asked.start is None, "--start"),
        "--seconds": (asked.seconds != SECONDS and asked.device is None, "--device"),
    }
    for name, (given, partner) in idle.items():
        if given:
            raise InputError(f"{name} goes with {partner}; leave it away, or give that too.")


def _method(asked: TrialOptions) -> tb.haptics.Constant | tb.haptics.Staircase:
    if (asked.levels is None) == (asked.start is None):
        raise InputError(
            "Give --levels (constant stimuli), such as 20,40,80,160, or --start (a staircase): the "
            "one or the other."
        )
    _check_all_act(asked)
    if asked.start is not None:
        return tb.haptics.Staircase(asked.start, down=asked.down)
    try:
        levels = tuple(float(word) for word in (asked.levels or "").split(","))
    except ValueError:
        raise InputError(f"--levels {asked.levels!r}: give numbers with commas between.") from None
    return tb.haptics.Constant(levels, asked.repeats)


def _line(device: str) -> str:
    kind, _, path = device.partition(":")
    if kind != "serial" or not path:
        raise InputError(f"--device {device!r}: give serial:PATH, such as serial:/dev/ttyACM0.")
    return path


def _person(threshold: float, design: tb.haptics.Design) -> tb.haptics.Psychometric:
    return tb.haptics.Psychometric(threshold, guess=design.guess, lapse=0.02)


def _ask(session: tb.haptics.ForcedChoice, key: TrialKey, person: Answers | None) -> None:
    session.forces.mkdir(exist_ok=True)
    while (posed := session.current_trial) is not None:
        out.print(f"trial {posed.number}: {posed.label}, {len(posed.order)} touches")
        felt = key.feel(posed.order, session.recording)
        began = time.monotonic()
        if person is None:
            _show(felt)
            answer = _asked_for(session.design)
        else:
            answer = person(posed)
        session.answer(answer, time.monotonic() - began, [each.span for each in felt])
        out.print(f"  kept: {answer}")


def _asked_for(design: tb.haptics.Design) -> int:
    choices = [str(i + 1) for i in range(design.intervals)]
    while True:
        said = str(typer.prompt(f"{design.question} ({'/'.join(choices)})")).strip()
        if said in choices:
            return int(said)
        out.print(f"Answer with one of {', '.join(choices)}.")


def _show(felt: list[FeltInterval]) -> None:
    ends = (
        1.1e3 * max(float(each.depth.max()) for each in felt),
        1.1 * max(float(each.force.max()) for each in felt),
    )
    for i, each in enumerate(felt):
        out.print(f"touch {i + 1}: force on the finger [N] over the depth of the key front [mm]")
        down = slice(0, int(np.argmax(each.depth)) + 1)
        out.print(chart([(1e3 * each.depth[down], each.force[down])], {}, ends))


def _tell(session: tb.haptics.ForcedChoice, plot: Path | None) -> None:
    fit = session.result()
    for line in tb.haptics.trials.report_lines(session, fit):
        out.print(line)
    out.print(f"answers: {session.path}; forces: {session.forces}")
    if plot is not None:
        draw(fit, session.design, plot)
        out.print(f"picture: {plot}")


def draw(fit: tb.haptics.Fit, design: tb.haptics.Design, path: Path) -> None:
    """Shares of right answers over levels, the psychometric function, and the threshold."""
    from touchback.figure_style import ACCENT, INK, PALE, light_grid, pyplot

    plt = pyplot()
    figure, axis = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
    counts = fit.counts
    curve = tb.haptics.trials.Curve.of(fit)
    x = curve.levels
    axis.axvspan(max(fit.low, x[0]), min(fit.high, x[-1]), color=PALE, alpha=0.3, lw=0,
                 label=f"{100 * fit.confidence:g} % confidence")  # fmt: skip
    axis.semilogx(x, 100.0 * curve.right, color=INK, label="most likely person")
    axis.axvline(fit.threshold, color=ACCENT, lw=1.2, label=f"threshold {fit.threshold:.3g}")
    axis.scatter(counts.levels, 100.0 * counts.right / counts.asked, s=8.0 + 3.0 * counts.asked,
                 color=ACCENT, zorder=3, label="answers (larger: more)")  # fmt: skip
    axis.axhline(100.0 * design.guess, color=PALE, lw=0.8, ls="--")
    unit = f" [{design.unit}]" if design.unit else ""
    axis.set(xlabel=f"{design.varied}: more than {design.base:g}{unit}", ylabel="right [%]",
             ylim=(0, 103), xlim=(x[0], x[-1]))  # fmt: skip
    ticks = [level for level in _round_levels(x[0]) if x[0] <= level <= x[-1]]
    axis.set_xticks(ticks, [f"{level:g}" for level in ticks])
    axis.minorticks_off()
    axis.legend(fontsize=8, loc="lower right")
    light_grid(axis)
    figure.savefig(path, dpi=80)
    plt.close(figure)


def _round_levels(least: float) -> list[float]:
    """1, 2, 5, 10, … of five decades from that of a level on."""
    decade = 10.0 ** np.floor(np.log10(least))
    return [float(f * decade * 10.0**k) for k in range(5) for f in (1.0, 2.0, 5.0)]

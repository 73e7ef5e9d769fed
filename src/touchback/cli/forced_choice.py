"""`touchback trial --vary …`: forced choice on a live key, and the threshold that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer

from touchback.cli.chart import chart
from touchback.cli.console import out, working
from touchback.cli.parameters import LIST, show_parameters
from touchback.cli.trial import DOWN, REPEATS, SECONDS
from touchback.errors import InputError
from touchback.haptics.trials import (
    Constant,
    Curve,
    Design,
    Fit,
    ForcedChoice,
    Posed,
    Psychometric,
    SimulatedSubject,
    Staircase,
    told,
)

if TYPE_CHECKING:
    from touchback.gallery.keyboard.trial_key import Felt, TrialKey

Answers = Callable[[Posed], int]


@dataclass(frozen=True)
class Asked:
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


def forced_choice(file: Path, asked: Asked) -> None:
    """Goes through a session, from its beginning or from where it was broken off."""
    if asked.vary == LIST:
        from touchback.gallery.keyboard.trial_key import varied_key

        key_model = varied_key(asked.voice, wired=asked.device is not None, by_hand=asked.page)
        show_parameters(key_model.all_parameters(), f"a key of '{asked.voice}'")
        return
    key, session = _begun(file, asked)
    known = None if asked.subject is None else _person(asked.subject, session.design)
    person = None if known is None else SimulatedSubject(known, session.seed or 0).choose
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


def _begun(file: Path, asked: Asked) -> tuple[TrialKey, ForcedChoice]:
    """The key and the session; nothing is on disk before all that was asked for is good."""
    from touchback.gallery.keyboard.trial_key import TrialKey

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
    if isinstance(method, Constant):
        key.check(base + max(method.levels))
    elif key.parameter.max is not None:
        method = replace(method, largest=key.parameter.max - base)
    design = Design(
        method, key.varied, base, asked.intervals, asked.question, key.parameter.unit, asked.voice
    )
    if asked.subject is not None:
        _person(asked.subject, design)  # refuses what is nobody
    return key, ForcedChoice(file, design, asked.seed)


def _on_page(key: TrialKey, session: ForcedChoice) -> None:
    from touchback.cli.on_page import OnPage, can_serve, play_on_page

    if not can_serve():
        raise InputError("--page needs `pip install touchback[view]`.")
    from touchback.workbench.play.choice import ChoiceBoard

    play_on_page(OnPage("trial", board=ChoiceBoard(session, key)))


def _check_all_act(asked: Asked) -> None:
    """Refuses what was given though nothing of the session goes by it."""
    idle = {
        "--repeats": (asked.repeats != REPEATS and asked.levels is None, "--levels"),
        "--down": (asked.down != DOWN and asked.start is None, "--start"),
        "--seconds": (asked.seconds != SECONDS and asked.device is None, "--device"),
    }
    for name, (given, partner) in idle.items():
        if given:
            raise InputError(f"{name} goes with {partner}; leave it away, or give that too.")


def _method(asked: Asked) -> Constant | Staircase:
    if (asked.levels is None) == (asked.start is None):
        raise InputError(
            "Give --levels (constant stimuli), such as 20,40,80,160, or --start (a staircase): the "
            "one or the other."
        )
    _check_all_act(asked)
    if asked.start is not None:
        return Staircase(asked.start, down=asked.down)
    try:
        levels = tuple(float(word) for word in (asked.levels or "").split(","))
    except ValueError:
        raise InputError(f"--levels {asked.levels!r}: give numbers with commas between.") from None
    return Constant(levels, asked.repeats)


def _line(device: str) -> str:
    kind, _, path = device.partition(":")
    if kind != "serial" or not path:
        raise InputError(f"--device {device!r}: give serial:PATH, such as serial:/dev/ttyACM0.")
    return path


def _person(threshold: float, design: Design) -> Psychometric:
    return Psychometric(threshold, guess=design.guess, lapse=0.02)


def _ask(session: ForcedChoice, key: TrialKey, person: Answers | None) -> None:
    session.forces.mkdir(exist_ok=True)
    while (posed := session.posed) is not None:
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


def _asked_for(design: Design) -> int:
    choices = [str(i + 1) for i in range(design.intervals)]
    while True:
        said = str(typer.prompt(f"{design.question} ({'/'.join(choices)})")).strip()
        if said in choices:
            return int(said)
        out.print(f"Answer with one of {', '.join(choices)}.")


def _show(felt: list[Felt]) -> None:
    ends = (
        1.1e3 * max(float(each.depth.max()) for each in felt),
        1.1 * max(float(each.force.max()) for each in felt),
    )
    for i, each in enumerate(felt):
        out.print(f"touch {i + 1}: force on the finger [N] over the depth of the key front [mm]")
        down = slice(0, int(np.argmax(each.depth)) + 1)
        out.print(chart([(1e3 * each.depth[down], each.force[down])], {}, ends))


def _tell(session: ForcedChoice, plot: Path | None) -> None:
    fit = session.result()
    for line in told(session, fit):
        out.print(line)
    out.print(f"answers: {session.path}; forces: {session.forces}")
    if plot is not None:
        draw(fit, session.design, plot)
        out.print(f"picture: {plot}")


def draw(fit: Fit, design: Design, path: Path) -> None:
    """Shares of right answers over levels, the psychometric function, and the threshold."""
    from touchback.draw.style import ACCENT, INK, PALE, light_grid, pyplot

    plt = pyplot()
    figure, axis = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
    counts = fit.counts
    curve = Curve.of(fit)
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

"""`touchback trial --vary …`: forced choice on a live key, and the threshold that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer

from touchback.cli.chart import chart
from touchback.cli.console import out, working
from touchback.errors import InputError
from touchback.haptics.trials import (
    Constant,
    Design,
    Fit,
    ForcedChoice,
    Posed,
    Psychometric,
    SimulatedSubject,
    Staircase,
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


def forced_choice(file: Path, asked: Asked) -> None:
    """Goes through a session, from its beginning or from where it was broken off."""
    from touchback.gallery.keyboard.trial_key import TrialKey

    line = None if asked.device is None else _line(asked.device)
    method = _method(asked)
    with working("building the key"):
        key = TrialKey(asked.voice, asked.vary, line, asked.effort, asked.seconds)
    base = key.parameter.default if asked.base is None else asked.base
    design = Design(method, asked.vary, base, asked.intervals, asked.question, key.parameter.unit)
    key.check(base)
    known = None if asked.subject is None else _person(asked.subject, design)
    session = ForcedChoice(file, design, asked.seed)
    person = None if known is None else SimulatedSubject(known, session.seed or 0).choose
    if session.answers:
        out.print(f"{len(session.answers)} answers are kept; the session goes on.")
    if not session.done:
        with key:
            _ask(session, key, person)
    _tell(session, asked.plot)


def _method(asked: Asked) -> Constant | Staircase:
    if (asked.levels is None) == (asked.start is None):
        raise InputError(
            "Give --levels (constant stimuli), such as 20,40,80,160, or --start (a staircase): the "
            "one or the other."
        )
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
    forces = session.path.with_suffix(".forces")
    forces.mkdir(exist_ok=True)
    while (posed := session.posed) is not None:
        path = forces / f"{posed.number:04d}.mcap"
        out.print(f"trial {posed.number}: {posed.label}, {len(posed.order)} touches")
        felt = key.feel(posed.order, path)
        began = time.monotonic()
        if person is None:
            _show(felt)
            answer = _asked_for(session.design)
        else:
            answer = person(posed)
        took = time.monotonic() - began
        spans = [each.span for each in felt]
        session.answer(answer, took, f"{forces.name}/{path.name}", spans)
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
    design, fit = session.design, session.result()
    right = sum(one.right for one in session.answers)
    unit = f" {design.unit}" if design.unit else ""
    out.print(f"{right} of {len(session.answers)} answers were right.")
    halfway = 0.5 * (1.0 + design.guess)
    out.print(
        f"threshold of '{design.varied}' over {design.base:g}{unit}: {fit.threshold:.3g}{unit} "
        f"({100 * fit.confidence:g} % confidence: {fit.low:.3g} to {fit.high:.3g}), where "
        f"{100 * halfway:.0f} % would be right without lapses; "
        f"{100 * fit.threshold / design.base if design.base else np.inf:.1f} % of the base"
    )
    if isinstance(design.method, Staircase):
        turns = design.method.middle([(one.track, one.right) for one in session.answers])
        out.print(
            f"tracks turned round at {turns:.3g}{unit} in the mean, where "
            f"{100 * design.method.settles:.1f} % are right"
        )
    out.print(f"answers: {session.path}; forces: {session.path.with_suffix('.forces')}")
    if plot is not None:
        draw(fit, design, plot)
        out.print(f"picture: {plot}")


def draw(fit: Fit, design: Design, path: Path) -> None:
    """Shares of right answers over levels, the psychometric function, and the threshold."""
    from touchback.draw.style import ACCENT, INK, PALE, light_grid, pyplot

    plt = pyplot()
    figure, axis = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
    counts, best = fit.counts, fit.best
    x = np.geomspace(counts.levels.min() / 1.5, counts.levels.max() * 1.5, 300)
    axis.axvspan(max(fit.low, x[0]), min(fit.high, x[-1]), color=PALE, alpha=0.3, lw=0,
                 label=f"{100 * fit.confidence:g} % confidence")  # fmt: skip
    axis.semilogx(x, 100.0 * best.right(x), color=INK, label="most likely person")
    axis.axvline(fit.threshold, color=ACCENT, lw=1.2, label=f"threshold {fit.threshold:.3g}")
    axis.scatter(counts.levels, 100.0 * counts.right / counts.asked, s=8.0 + 3.0 * counts.asked,
                 color=ACCENT, zorder=3, label="answers (larger: more)")  # fmt: skip
    axis.axhline(100.0 * design.guess, color=PALE, lw=0.8, ls="--")
    unit = f" [{design.unit}]" if design.unit else ""
    axis.set(xlabel=f"{design.varied}: more than {design.base:g}{unit}", ylabel="right [%]",
             ylim=(0, 103), xlim=(x[0], x[-1]))  # fmt: skip
    axis.legend(fontsize=8, loc="lower right")
    light_grid(axis)
    figure.savefig(path, dpi=80)
    plt.close(figure)

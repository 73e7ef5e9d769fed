"""Forced choice in Chromium: whoever feels the forces of a page finds their own threshold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.workbench.browser import until
from touchback.haptics.trials import Constant, Design, FeelingSubject, ForcedChoice
from touchback.instruments.keyboard.key_mechanisms import MIDDLE
from touchback.instruments.keyboard.perception_trial_key import TrialKey
from touchback.recording import open_run
from touchback.workbench.play.play_server import PlayServer
from touchback.workbench.play.trial_pages import ForcedChoicePage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BASE, LEVELS, NOISE = 800.0, (60.0, 900.0), 150.0  # N/m
SUBJECT = FeelingSubject(NOISE, seed=5)
ON_PAGE = 2  # trials, after those that were answered before


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> ForcedChoicePage:
    key = TrialKey("wall-standard", "wall stiffness", by_hand=True, speed=3.0)
    design = Design(Constant(LEVELS, 5), "wall stiffness", BASE, 2, "Which was stiffer?", "N/m")
    session = ForcedChoice(tmp_path_factory.mktemp("trial") / "t.jsonl", design, seed=7)
    while len(session.answers) < design.method.most - ON_PAGE and session.current_trial is not None:
        session.answer(SUBJECT.choose(session.current_trial.order, session.current_trial.number))
    return ForcedChoicePage(session, key)


@pytest.fixture(scope="module")
def page(chromium: Browser, board: ForcedChoicePage) -> Iterator[Page]:
    with PlayServer("trial", board) as hall:
        context = chromium.new_context(viewport={"width": 1024, "height": 768})
        found, errors = context.new_page(), []
        found.on("pageerror", lambda error: errors.append(str(error)))
        found.texts = []  # type: ignore[attr-defined]
        found.on("websocket", lambda wire: wire.on("framereceived", lambda data: found.texts.append(  # type: ignore[attr-defined]
            data) if isinstance(data, str) else None))  # fmt: skip
        found.goto(hall.url)
        until(lambda: found.evaluate("Boolean(window.play?.trial && play.force.trail.length)"))
        yield found
        assert errors == []
        context.close()


def felt(page: Page) -> float:
    """Presses the key on the page as far as 11 mm are wished, lets go, and gives the stiffness of
    the wall that its force over depth shows [N/m]."""
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    x = box["x"] + 60
    page.mouse.move(x, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(x, box["y"] + 0.4 * box["height"], steps=4)
    until(lambda: page.evaluate("play.force.trail.some(row => row[1] > 5.5)"))
    still = (
        "(() => { const t = play.force.trail, a = t.at(-1), b = t.at(-100);"
        "return b && a[1] > 5 && Math.abs(a[1] - b[1]) < 0.01; })()"
    )
    until(lambda: page.evaluate(still))
    rows = np.array(page.evaluate("play.force.trail.slice(-50)"))
    page.mouse.up()
    until(lambda: page.evaluate("!document.querySelector('#choices button').disabled"))
    return float(np.median(rows[:, 2] / (1e-3 * rows[:, 1] - MIDDLE)))


def test_a_subject_that_only_sees_forces_ends_with_its_threshold_on_the_page(
    page: Page, board: ForcedChoicePage
) -> None:
    """A session that was broken off goes on here; felt stiffness is the hidden one to 3 %."""
    session = board.session
    for number in range(len(session.answers), session.design.method.most):
        touches: list[float] = []
        for touch in range(2):
            until(lambda n=number, t=touch: page.evaluate(
                f"play.trial.answered === {n} && play.trial.touch === {t + 1}"))  # fmt: skip
            assert page.locator("#choices button").first.is_disabled()
            touches.append(felt(page))
            if touch == 0:
                page.click("#onward")
        posed = session.current_trial
        assert posed is not None
        assert touches == pytest.approx(posed.order, rel=0.03)  # what was hidden is what is felt
        assert not any("threshold" in text for text in page.texts)  # type: ignore[attr-defined]
        page.locator("#choices button").nth(SUBJECT.choose(touches, number + 1) - 1).click()
    until(lambda: page.evaluate("play.trial.done"))
    fit = session.result()
    due = 0.954 * NOISE  # where Φ(d/√2σ) = 3/4
    assert fit.holds(due)
    shown = page.evaluate("play.trial.threshold")
    assert shown["level"] == pytest.approx(fit.threshold) and len(shown["curve"][0]) == 300
    assert page.locator("#table td").count() == 2
    painted = page.evaluate(
        "(() => { const c = document.querySelector('#figure canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "return d.filter((_, i) => i % 4 === 3 && d[i]).length / (c.width * c.height); })()"
    )
    assert painted > 0.02


def test_what_goes_to_the_page_depends_on_nothing_hidden_and_every_force_is_kept(
    page: Page, board: ForcedChoicePage
) -> None:
    """Texts of a trial are the same but for clocks, its number and its label."""
    texts = [json.loads(text) for text in page.texts]  # type: ignore[attr-defined]
    told = [each for each in texts if each.get("touch")]
    keys = {"note", "question", "choices", "touches", "answered", "done", "count", "wired", "firm",
            "label", "touch"}  # fmt: skip
    assert {tuple(sorted(set(each) - {"tell", "id", "ok", "sent"})) for each in told} == {
        tuple(sorted(keys))
    }
    for given in board.session.answers[-ON_PAGE:]:
        run = open_run(Path(board.session.path.parent) / given.recording)
        most = [
            run["finger force"][(run.time >= begin) & (run.time <= end)].max()
            for begin, end in given.spans
        ]
        assert (given.level < 100.0) or int(np.argmax(most)) + 1 == given.odd

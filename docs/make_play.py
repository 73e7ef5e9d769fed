"""The pictures of the page on playing: `PYTHONPATH=. python docs/make_play.py`, with Chromium; with
`films` after it, or names of mechanisms after that, the films of the page of mechanisms instead."""

import io
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from docs.chromium import launched
from docs.make_gallery import RIDDEN, SPAN
from touchback import gallery
from touchback.draw.film import sampled_film
from touchback.draw.flat_film import Mark
from touchback.haptics.trials import (
    Constant,
    Design,
    ForcedChoice,
    Psychometric,
    SimulatedSubject,
)
from touchback.instruments.keyboard.perception_trial_key import TrialKey
from touchback.workbench.play.play_messages import Visit
from touchback.workbench.play.play_server import PlayServer
from touchback.workbench.play.trial_pages import ForcedChoicePage

PICTURES = Path(__file__).with_name("pictures") / "play"
SIZE = {"width": 1180, "height": 760}
TABLET = {"width": 1024, "height": 768}
COLOURS = 96  # so that each is below 100 kB


PAGE = Path(__file__).parents[1] / "src" / "touchback" / "workbench" / "page" / "play"
FILMS = PAGE / "zoo_films.json"
WIDE, HIGH = 290.0, 150.0  # px that a film fits into
LONGEST = 6.0  # s of a run that a film shows, unless SPAN says otherwise
FRAMES, TENTH = 48, 10
FINER = 4  # instants of a trail for each frame
# Whose film rides along, beside those of the gallery's page: on their roads they would be dots.
ALONG = dict.fromkeys(("driving-simulator", "buggy", "fitted-car"), ("chassis.x", "chassis.y"))
STILL = 3  # tenths of a pixel that nobody sees
MOST = 30_000  # bytes of a film: those with many marks have fewer frames
POINTS = 700  # of all marks together, about: outlines of many parts have fewer corners
SMALL = 5.0  # px: smaller parts, as rollers of wheels, are left out
PACE = 1.0, 6.0  # s that a film lasts at least and at most


def until(page: Page, text: str) -> None:
    """Waits for something in the page."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        try:
            if page.evaluate(f"Boolean({text})"):
                return
        except Exception as error:
            if "navigation" not in str(error):
                raise
        time.sleep(0.05)
    raise SystemExit(f"It didn't happen: {text}")


def keep(page: Page, name: str) -> None:
    """A picture of the page, in few colours."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        PICTURES / f"{name}.png", optimize=True
    )


def piano(page: Page) -> None:
    until(page, "window.play?.keys && play.force.curve && play.bench.status.time > 0.7")
    page.click("#sound", force=True)
    until(page, "play.sound.on && play.sound.tables.get('struck 64')?.ready")
    box = page.locator('[data-note="64"]').bounding_box()
    assert box is not None
    for _ in range(6):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 0.5 * box["height"])
        page.mouse.down()
        page.wait_for_timeout(700)
        page.mouse.up()
        page.wait_for_timeout(400)
    page.mouse.down()
    page.wait_for_timeout(500)
    keep(page, "piano")
    page.mouse.up()
    page.locator("#screw-let-off-button-height").evaluate(
        "input => { input.value = Number(input.value) - 0.5e-3;"
        "input.dispatchEvent(new Event('input')); }"
    )
    until(page, "play.force.curve['let-off'][1] < 2")
    page.set_viewport_size(TABLET)  # type: ignore[arg-type]
    page.click('[data-pace="0.1"]', force=True)
    until(page, "play.action.pace === '0.1'")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate("dispatchEvent(new Event('themechange'))")
    page.evaluate("play.action.held = true; play.action.at = 0.247; play.action.again()")
    page.wait_for_timeout(600)
    keep(page, "slow")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.click("#regulate", force=True)
    page.click('[data-pace="live"]', force=True)
    page.evaluate("dispatchEvent(new Event('themechange'))")
    page.set_viewport_size(SIZE)  # type: ignore[arg-type]
    page.click('[data-name="harpsichord"]', force=True)
    until(page, "play.curve.instrument === 'harpsichord'")
    box = page.locator('[data-note="64"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.wait_for_timeout(500)
    page.locator('[data-part="plectrum"]').dispatch_event("pointerover")
    keep(page, "harpsichord")
    page.mouse.up()


def wall(page: Page) -> None:
    until(page, "window.play?.wall && play.rows.length > 100")
    page.evaluate("play.bench.send({ do: 'wall', stiffness: 20000 })")
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.6 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.2 * box["width"], y, steps=6)
    until(page, "play.figures.chatters")
    page.wait_for_timeout(600)
    keep(page, "wall")
    page.mouse.up()


def trial(page: Page) -> None:
    until(page, "window.play?.trial && play.bench.status.time > 0.7")
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 0.7 * box["height"], steps=30)
    page.wait_for_timeout(300)
    keep(page, "trial")
    page.mouse.up()


def choice(page: Page, answers: Path) -> None:
    """The last trial of a session that a simulated subject began, and its end."""
    until(page, "window.play?.trial && play.force.trail.length")
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    for touch in range(1, 4):
        page.mouse.move(box["x"] + 60, box["y"] + 4)
        page.mouse.down()
        page.mouse.move(box["x"] + 60, box["y"] + 0.4 * box["height"], steps=20)
        until(page, "play.felt && play.down")
        page.mouse.up()
        until(page, "!document.querySelector('#choices button').disabled")
        if touch < 3:
            page.click("#onward")
            until(page, f"play.trial.touch === {touch + 1}")
    page.locator("#choices button").nth(1).click()
    until(page, "play.trial.done")
    page.evaluate(f"document.getElementById('file').textContent = 'Answers: {answers.name}'")
    page.wait_for_timeout(300)
    keep(page, "choice")


def begun(file: Path) -> ForcedChoicePage:
    """A session of sixty trials with one left."""
    levels = Constant((25.0, 50.0, 100.0, 200.0, 400.0), 12)
    design = Design(levels, "wall stiffness", 1000.0, 3, "Which was stiffer?", "N/m")
    session = ForcedChoice(file, design, seed=3)
    subject = SimulatedSubject(Psychometric(100.0, guess=1 / 3, lapse=0.02), seed=3)
    while session.current_trial is not None and session.current_trial.number < levels.most:
        session.answer(subject.choose(session.current_trial))
    return ForcedChoicePage(session, TrialKey("wall-standard", "wall stiffness", by_hand=True))


def zoo(page: Page) -> None:
    until(page, "window.play?.zoo")
    keep(page, "zoo")
    page.click('[data-what="gallery/slider-crank"]', force=True)
    until(page, "window.bench?.scene?.title === 'slider-crank' && bench.world?.ready")
    until(page, "document.querySelector('.about')")
    page.wait_for_timeout(1000)
    keep(page, "mechanism")


def film(name: str) -> dict[str, object]:
    """A mechanism on its page, for some seconds of its experiment."""
    shown = gallery.entry(name).on_page
    run = shown.experiment.run(shown.make().compile())
    inside = run.time <= SPAN.get(name, min(run.duration, LONGEST))
    ridden = (RIDDEN | ALONG).get(name, ())
    signals = {
        signal: values[inside] * (signal not in ridden) for signal, values in run.signals.items()
    }
    times = run.time[inside]
    seconds = float(np.clip(times[-1] - times[0], *PACE))
    for count in (FRAMES, FRAMES // 2, FRAMES // 3, FRAMES // 4):
        flat = sampled_film(shown.make(), times, signals, FINER * count, run.parameters)
        scale = min(WIDE / flat.width, HIGH / flat.height)
        marks = [
            mark
            for mark in flat.marks
            if mark.radius or scale * np.ptp(mark.points, axis=1).max() > SMALL
        ]
        found: dict[str, object] = {
            "width": round(scale * flat.width), "height": round(scale * flat.height),
            "seconds": round(seconds, 2), "count": count,
            "marks": [_mark(mark, scale, POINTS // len(marks)) for mark in marks],
        }  # fmt: skip
        if len(json.dumps(found, separators=(",", ":"))) < MOST:
            break
    return found


def _mark(mark: Mark, scale: float, most: int) -> dict[str, object]:
    corners = mark.points.shape[1]
    kept = np.linspace(0, corners - 1, min(corners, max(most, 13))).astype(int)
    frames = scale * mark.points[::FINER, kept]
    rows = np.round(TENTH * frames).astype(int).reshape(len(frames), -1)
    still = np.ptp(rows, axis=0).max() <= STILL
    return {
        "stroke": "" if mark.stroke == "none" else mark.stroke,
        "fill": "" if mark.fill == "none" else mark.fill,
        "width": round(max(scale * mark.width, 0.8), 2), "opacity": round(mark.opacity, 2),
        "radius": round(scale * mark.radius, 2), "frames": (rows[:1] if still else rows).tolist(),
    }  # fmt: skip


def make_films(names: list[str]) -> None:
    """Films of these mechanisms, or of all, beside those that are kept."""
    kept = json.loads(FILMS.read_text()) if FILMS.exists() and names else {}
    for name in names or gallery.names():
        kept[name] = film(name)
        size = len(json.dumps(kept[name], separators=(",", ":")))
        print(f"{name}: {size / 1000:.0f} kB", flush=True)
    lines = [
        f"{json.dumps(name)}: {json.dumps(kept[name], separators=(',', ':'))}"
        for name in gallery.names()
        if name in kept
    ]
    FILMS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """Every picture, one page after the other."""
    if sys.argv[1:2] == ["films"]:
        make_films(sys.argv[2:])
        return
    steps: dict[str, Callable[[Page], None]] = {
        "piano": piano, "wall": wall, "trial": trial, "zoo": zoo,
    }  # fmt: skip
    with PlayServer("piano") as hall, sync_playwright() as started:
        browser = launched(started)
        for what, step in steps.items():
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            page.goto(str(hall.visit(Visit(what=what), "")["url"]))
            since = time.monotonic()
            step(page)
            page.close()
            print(f"{what}: {time.monotonic() - since:.1f} s", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "walls.jsonl"
            with PlayServer("trial", begun(file)) as trials:
                page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
                page.goto(trials.url)
                choice(page, file)
        browser.close()


if __name__ == "__main__":
    main()

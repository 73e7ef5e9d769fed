"""Pictures of docs/workbench.md that show the page: `PYTHONPATH=. python docs/make_workbench.py`.

`joint`: the weld of a crank is taken back; `space`: a platform on six legs; `scopes`: a hammer that
is struck again and again, over time and as speed over place, with its modes; `kart`: side forces of
its tyres; `along`, of docs/daq.md: the buggy behind a board, at 200 ticks a second; `drawing`: a
four-bar that is drawn; `shared`: a file that runs its model; `exercises`: each classic of
docs/exercises.md, opened and played, with its trace. Names of pictures make only those.
"""

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import touchback as tb
from docs.chromium import launched
from tests.workbench.table import table
from touchback import gallery, workbench
from touchback.devices.daq import SimulatedDriver
from touchback.gallery.instrumented_buggy import SERVED
from touchback.gallery.kart import WHEELS
from touchback.workbench.live_source import feed
from touchback.workbench.manipulate import model_with_hands

PICTURES = Path(__file__).parent / "pictures"
PATIENCE = 60_000  # ms
SCOPES: list[dict[str, object]] = [
    {"kind": "time", "signals": ["key", "hammer"], "span": 2},
    {"kind": "xy", "signals": ["hammer", "hammer rate"], "trail": 2},
]


SIDE_FORCES: list[dict[str, object]] = [
    {"kind": "time", "signals": [f"{wheel}.fy" for wheel in pair], "span": 6}
    for pair in (WHEELS[:2], WHEELS[2:])
]


def keep(page: Page, name: str) -> None:
    """A picture of the page, in few colours."""
    shot = Image.open(io.BytesIO(page.screenshot(timeout=PATIENCE))).convert("RGB")
    shot.quantize(128, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def see(page: Page, address: str) -> None:
    """Opens a page and waits until it has run a little."""
    page.goto(address)
    until(page, "document.documentElement.dataset.ready && bench.view.painted > 0.5")


def until(page: Page, true: str) -> None:
    """Waits; the page allows no code that is text to itself."""
    while not page.evaluate(true):
        page.wait_for_timeout(50)


def joint(page: Page) -> None:
    with workbench.open(table()) as bench:
        see(page, bench.url)
        page.locator('[data-part="joint crank"]').click()
        page.locator('[data-act="weld"]').click()
        page.locator('[data-fact="freedoms"]', has_text="2 → 1").wait_for(timeout=PATIENCE)
        page.locator('[data-act="undo"]').click()
        page.locator('[data-fact="freedoms"]', has_text="1 → 2").wait_for(timeout=PATIENCE)
        page.locator('[data-act="undo"]').scroll_into_view_if_needed()
        page.wait_for_timeout(3000)  # some seconds in the scope
        keep(page, "workbench/joint")


def space(page: Page) -> None:
    with workbench.open(gallery.make("stewart-platform")) as bench:
        see(page, bench.url)
        page.locator('[data-part="body plate"]').click()
        page.wait_for_timeout(2000)
        keep(page, "workbench/space")


def put(page: Page, scopes: list[dict[str, object]]) -> None:
    """These scopes instead of those that are there."""
    until(page, "bench.scopes?.panes.length")
    page.evaluate(
        "scopes => { for (const pane of [...bench.scopes.panes]) bench.scopes.remove(pane);"
        "for (const each of scopes) bench.scopes.add(each); }",
        scopes,
    )


def kart(page: Page) -> None:
    shown = gallery.entry("kart-bench").on_page
    with workbench.open(model_with_hands(shown.make()).compile()) as bench:
        feed(bench.live, shown.experiment)
        see(page, bench.url)
        put(page, SIDE_FORCES)
        until(page, "bench.view.painted > 7")
        keep(page, "workbench/kart")


def along(page: Page) -> None:
    shown = gallery.entry("buggy").on_page
    system = model_with_hands(shown.make()).compile()
    with (
        SimulatedDriver() as driver,
        workbench.open(
            system, x0=shown.experiment.start(system), rate=200.0,
            constraints="augmented-lagrangian", inputs=shown.experiment.watched,
        ) as bench,
    ):  # fmt: skip
        for name in SERVED:
            bench.live.connect(name, driver)
        see(page, bench.url)
        until(page, "bench.view.painted > 12")
        keep(page, "riding/along")


def scopes(page: Page) -> None:
    shown = gallery.entry("bouncing-hammer").on_page
    system = model_with_hands(shown.make()).compile()
    start, steps = shown.experiment.start(system), shown.experiment.substeps
    with workbench.open(system, x0=start, substeps=steps) as bench:
        feed(bench.live, shown.experiment)
        see(page, bench.url)
        put(page, SCOPES)
        page.locator("summary", has_text="States").click()
        until(page, "bench.view.painted > 4 && bench.scopes.panes[1].scope.points?.length > 300")
        page.locator('[aria-label^="Fit"]').click()
        page.mouse.move(700, 300)
        page.wait_for_timeout(500)
        keep(page, "workbench/scopes")


FOUR_BAR: list[dict[str, object]] = [
    {"change": "bar", "from": [0, 0, 0], "to": [0, 0, 0.1]},
    {"change": "bar", "from": [0, 0, 0.1], "to": [0.35, 0, 0.2]},
    {"change": "bar", "from": [0.3, 0, 0], "to": [0.35, 0, 0.2]},
    *(
        {"change": "joint", "kind": "revolute", "at": at, "a": a, "b": b}
        for at, a, b in (
            ([0, 0, 0], "ground", "bar 1"),
            ([0, 0, 0.1], "bar 1", "bar 2"),
            ([0.35, 0, 0.2], "bar 2", "bar 3"),
            ([0.3, 0, 0], "ground", "bar 3"),
        )
    ),
    {"change": "trace", "body": "bar 2", "at": [0.15, 0, 0.2]},
]


def shared(page: Page) -> None:
    entry = gallery.entry("slider-crank")
    system = entry.make().compile()
    run = tb.simulate(system, entry.experiment.start(system), 3.0, method="rk4", step=1e-3)
    with TemporaryDirectory() as folder:
        path = Path(folder, "crank.html")
        workbench.share(run, path, signals=[["crank", "rod"], ["slider"]])
        page.goto(path.as_uri())
        until(page, "document.documentElement.dataset.ready && bench.view.painted >= 0")
        page.evaluate("() => bench.send({ do: 'seek', time: 1 })")
        page.click("#turn")
        until(page, "bench.running && bench.model.time > 6")
        page.evaluate("() => bench.send({ do: 'pause' })")
        page.wait_for_timeout(500)
        keep(page, "workbench/shared")


def drawing(page: Page) -> None:
    with workbench.open_drawing() as bench:
        assert bench.drawing is not None
        for change in FOUR_BAR:
            bench.drawing.apply(change)
        page.goto(bench.url)
        until(page, "bench.drawing?.drawing.told && bench.view.painted >= 0")
        page.keyboard.press("Control+Enter")
        until(page, "bench.drawing.drawing.told.playing")
        page.evaluate("bench.send({do: 'speed', value: 0.2})")  # a smooth curve
        until(page, "bench.view.painted > 3")
        page.keyboard.press("Control+Enter")
        until(page, "bench.drawing.resting")
        page.locator('[data-part="body bar 2"]').click()
        page.locator('[data-draw="bar"]').click()
        page.mouse.move(700, 500)
        page.mouse.click(700, 500)
        page.mouse.move(820, 430)
        page.wait_for_timeout(1000)
        keep(page, "workbench/drawing")


def exercises(page: Page) -> None:
    page.set_viewport_size({"width": 900, "height": 520})
    with workbench.open_drawing() as bench:
        page.goto(bench.url)
        until(page, "bench.drawing?.drawing.told && bench.view.painted >= 0")
        page.keyboard.press("2")  # no scopes
        for name in gallery.CLASSICS:
            page.locator('[data-drawing="new"]').click()
            page.locator(f'[data-classic="{name}"]').click()
            until(page, f"bench.drawing.drawing.told.name === '{name}' && bench.world.ready")
            page.keyboard.press("Control+Enter")
            until(page, "bench.drawing.drawing.told.playing")
            slowly = 0.05 if "crank" in name else 0.3  # a smooth curve
            page.evaluate("value => bench.send({do: 'speed', value})", slowly)
            until(page, f"bench.view.painted > {SECONDS.get(name, 2.5)}")
            page.locator('[aria-label^="Fit"]').click()
            page.wait_for_timeout(500)
            keep(page, f"exercises/{name}")
            page.keyboard.press("Control+Enter")
            until(page, "bench.drawing.resting")


SECONDS = {"crank-rocker": 1.0, "slider-crank": 0.5, "geneva-drive": 4.0, "scissor-lift": 3.5,
           "peaucellier": 3.5}  # fmt: skip


if __name__ == "__main__":
    with sync_playwright() as started:
        browser = launched(started)
        for picture in (joint, space, scopes, kart, along, drawing, shared, exercises):
            if picture.__name__ not in (sys.argv[1:] or [picture.__name__]):
                continue
            opened = browser.new_context(viewport={"width": 1360, "height": 800})
            picture(opened.new_page())
            opened.close()
        browser.close()

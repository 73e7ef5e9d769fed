"""From a pointer's move to the picture that shows what it did, in Chromium, beside bare viser.

A pointer that holds a body jumps by some pixels, again and again. Measured is the time from the
move's stamp in the browser until a picture with its consequence is complete (one pixel of it was
read back).
Viser shows one box whose drag callback only echoes the pointer's place: its consequence is the box
under the pointer. Ours is a live mechanism at 1 kHz whose hand pulls with a spring: its consequence
is the first painted frame of a tick that had taken the pull. Rounds take turns, in one browser, on
views of one size.
"""

from __future__ import annotations

import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report import Section, Target

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

_HOOK = Path(__file__).parent / "view_hook.js"
_SIZE = {"width": 900, "height": 640}
_JUMP = 60.0  # px
_PAUSE = 0.25, 0.35  # s between moves: longer than either takes to answer and to come to rest
_PATIENCE = 20.0
_BOX = (230, 60, 40)  # the colour of viser's box, without light
_ROUNDS, _MOVES = 3, 15
_SPACE, _FLAT = 1.3, 0.5  # of viser's p50: what was asked for

# Whether the picture just painted is of a tick that had taken the pull, as the run answered.
_PULLED = """(() => { const { hand } = bench.view; hand.taken = null; return () =>
  hand.taken !== null && bench.view.painted * bench.status.rate > hand.taken + 0.5; })()"""

Chance = random.Random(0)


def run(rounds: int = _ROUNDS, moves: int = _MOVES) -> Section:
    """Pointer to picture: viser, our view in space, our view from the side."""
    from playwright.sync_api import sync_playwright

    section = Section(
        "From a pointer's move to the picture that shows it [ms]",
        ["page", "p50", "p90", "max", "of viser's p50"],
    )
    kinds: dict[str, Callable[[Browser, int], list[float]]] = {
        "bare viser, echo": _viser,
        "touchback, in space": lambda browser, count: _ours(browser, count, False),
        "touchback, from the side": lambda browser, count: _ours(browser, count, True),
    }
    found: dict[str, list[float]] = {name: [] for name in kinds}
    with sync_playwright() as started, software_chromium(started) as browser:
        for _ in range(rounds):
            for name, measure in kinds.items():
                found[name] += measure(browser, moves)
    peer = statistics.median(found["bare viser, echo"])
    for name, times in found.items():
        times.sort()
        middle, high = statistics.median(times), times[int(0.9 * len(times))]
        ratio = middle / peer
        section.rows.append(
            [name, f"{middle:.1f}", f"{high:.1f}", f"{times[-1]:.1f}", f"{ratio:.2f}"]
        )
        section.records.append({"page": name, "milliseconds": times})
        for word, most in (("space", _SPACE), ("side", _FLAT)):
            if word in name:
                section.targets.append(
                    Target(
                        f"pointer to picture, {name}", f"≤ {most} × viser's p50",
                        f"{ratio:.2f} × ({middle:.1f} against {peer:.1f} ms)", ratio <= most,
                    )
                )  # fmt: skip
    section.remark(
        f"{rounds} rounds of {moves} moves by {_JUMP:.0f} px each, views of {_SIZE['width']} × "
        f"{_SIZE['height']} px, WebGL in software; until a pixel of the picture was read back."
    )
    section.remark(
        "viser: a box under the pointer; touchback: a painted frame of a tick that took the pull."
    )
    return section


@contextmanager
def software_chromium(started: Playwright) -> Iterator[Browser]:
    """WebGL in software, but the rest of a page as a machine without a card paints it."""
    browser = started.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
              "--disable-gpu-compositing", "--disable-gpu-rasterization",
              "--disable-accelerated-2d-canvas"],
    )  # fmt: skip
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def opened_page(browser: Browser, url: str) -> Iterator[Page]:
    """A page in which the time from a pointer's move to its picture can be measured."""
    context = browser.new_context(viewport=_SIZE, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.add_init_script(path=str(_HOOK))
    page.goto(url)
    try:
        yield page
    finally:
        context.close()


def _until(page: Page, expression: str, patience: float = 30.0) -> None:
    end = time.monotonic() + patience
    while not page.evaluate(expression):
        if time.monotonic() > end:
            raise TimeoutError(expression)
        page.wait_for_timeout(20)


def _moves(page: Page, middle: tuple[float, float], count: int, seen: str) -> list[float]:
    """Jumps to and fro around a place with the button down; `seen` is a function of the page."""
    x, y = middle
    for i in range(count):
        page.wait_for_timeout(1000 * Chance.uniform(*_PAUSE))
        page.evaluate(f"() => touchbackMeasure.next({seen})")
        page.mouse.move(x + (_JUMP if i % 2 == 0 else -_JUMP), y)
        _until(page, "touchbackMeasure.done()", _PATIENCE)
    found: list[float] = page.evaluate("touchbackMeasure.measured")
    return found


def _viser(browser: Browser, count: int) -> list[float]:
    import viser

    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        box = server.scene.add_box("/box", color=_BOX, dimensions=(0.5, 0.5, 0.5))

        @box.on_drag
        async def _(event: viser.SceneNodeDragEvent) -> None:
            box.position = event.end_position

        with opened_page(browser, f"http://127.0.0.1:{server.get_port()}") as page:
            x, y = _SIZE["width"] / 2, _SIZE["height"] / 2
            is_box = f"p => p && Math.abs(p[0] - {_BOX[0]}) < 60 && p[1] < 140 && p[2] < 140"
            _until(page, f"() => touchbackMeasure.peek({x}, {y}).then({is_box})", 120.0)
            page.wait_for_timeout(1000)
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 10, y, steps=4)
            return _moves(page, (x, y), count, is_box)
    finally:
        server.stop()


def _ours(browser: Browser, count: int, flat: bool) -> list[float]:
    from touchback import gallery, workbench

    model = gallery.make("crank-rocker")
    model.gravity = (0.0, 0.0, 0.0)  # at rest until it is pulled
    with workbench.open(model) as bench, opened_page(browser, bench.url) as page:
        page.evaluate(f"localStorage.setItem('touchback side', '{str(flat).lower()}')")
        for panel in ("left", "right", "bottom"):
            page.evaluate(f"localStorage.setItem('touchback {panel}', 'closed')")
        page.reload()
        _until(page, "document.documentElement.dataset.ready && bench.view?.painted >= 0")
        page.wait_for_timeout(1000)
        x, y = page.evaluate(
            "() => { const n = bench.scene.shapes.find(s => s.body === 'rocker').numbers,"
            "box = bench.view.canvas.getBoundingClientRect();"
            "const p = bench.world.at('rocker', [0, 1, 2].map(i => (n[i] + n[i + 3]) / 2));"
            "const [x, y] = bench.view.pixel(p); return [x + box.left, y + box.top]; }"
        )
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 10, y, steps=4)
        _until(page, "bench.view.hand.drag?.held === 'pull'")
        return _moves(page, (x, y), count, _PULLED)

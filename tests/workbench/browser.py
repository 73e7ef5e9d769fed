"""A page in Chromium, as a person uses it: waits, places of points on the screen, drags."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pytest

import waiting
from touchback.workbench import Workbench
from touchback.workbench.live_source import LiveSource
from waiting import PATIENCE

try:
    from playwright.sync_api import Error as PageError
except ImportError:  # then nothing here opens a page

    class PageError(Exception):  # type: ignore[no-redef]
        """What a page answers to a question that it can't answer."""


if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

T = TypeVar("T")
Place = tuple[float, float]  # on the screen [px]
PAUSE = 0.02  # s: a question keeps four processes busy for some milliseconds


def until(ask: Callable[[], T], patience: float = PATIENCE) -> T:
    """What `ask` gives as soon as it is true; a page that is still being built isn't wrong yet."""
    wrong: list[PageError] = []

    def asked() -> T | None:
        wrong.clear()
        try:
            return ask()
        except PageError as error:
            wrong.append(error)
            return None

    try:
        return waiting.until(asked, patience, PAUSE)  # type: ignore[return-value]
    except AssertionError:
        raise (wrong or [AssertionError("it didn't happen")])[0] from None


class Seat:
    """Somebody in front of a page."""

    def __init__(self, page: Page, workbench: Workbench) -> None:
        self.page, self.workbench = page, workbench
        if isinstance(workbench.source, LiveSource):  # else it is a recording
            self.live = workbench.live
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def ask(self, expression: str, *arguments: object) -> object:
        """What an expression in the page gives."""
        return self.page.evaluate(expression, list(arguments) if arguments else None)

    def until(self, expression: str) -> object:
        return until(lambda: self.ask(expression))

    def come(self) -> None:
        """Opens the page and waits for its first picture."""
        self.page.goto(self.workbench.url)
        self.until("document.documentElement.dataset.ready && bench.view.painted >= 0")
        self.ask("() => new Promise(done => setTimeout(done, 300))")  # panels take their places

    def see_structure(self) -> None:
        """Waits for the page to show the run's structure, and not the one before."""
        until(
            lambda: (
                self.ask("bench.world.ready && bench.scene.structure")
                == self.workbench.source.structure
            )
        )

    def see_now(self) -> None:
        """Waits for the page to show what the run has done by now."""
        now = self.live.read("time")
        self.until(f"bench.view.painted >= {now}")

    def pixel(self, body: str, point: Sequence[float]) -> Place:
        """Where a point of a body is on the screen."""
        x, y = self.ask(
            "([body, point]) => { const box = bench.view.canvas.getBoundingClientRect();"
            "const [x, y] = bench.view.pixel(bench.world.at(body, point));"
            "return [box.left + x, box.top + y]; }",
            body, list(point),
        )  # fmt: skip
        return x, y

    def drag(
        self,
        start: tuple[float, float],
        way: tuple[float, float],
        steps: int = 6,
        hold: bool = False,
    ) -> None:
        """Presses, moves by so many pixels, and lets go unless it is to `hold`."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for i in range(1, steps + 1):
            mouse.move(start[0] + way[0] * i / steps, start[1] + way[1] * i / steps)
        if not hold:
            mouse.up()

    def handle(self, name: str) -> Place:
        """Where a handle of an icon is on the screen."""
        box = self.page.locator(f'[data-handle="{name}"]').bounding_box()
        assert box is not None, name
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def press(self, act: str) -> None:
        """A button of the inspector."""
        self.page.locator(f'[data-act="{act}"]').first.click()

    def choose(self, kind: str, name: str) -> None:
        """A part, by its name in the tree."""
        self.page.locator(f'[data-part="{kind} {name}"]').click()


@contextmanager
def seat(browser: Browser, workbench: Workbench, **context: object) -> Iterator[Seat]:
    """A page on a workbench; at the end nothing in it may have failed."""
    size = {"width": 1000, "height": 640}
    opened = browser.new_context(**{"viewport": size, **context})  # type: ignore[arg-type]
    try:
        found = Seat(opened.new_page(), workbench)
        found.come()
        yield found
        assert found.errors == []
    finally:
        opened.close()


def shot(page: Seat) -> np.ndarray:
    """The picture that the page would save, (rows, columns, 3)."""
    image = pytest.importorskip("PIL.Image")
    data = page.ask(
        "() => bench.view.picture().then(b => new Promise(done => { const r = new FileReader();"
        "r.onload = () => done(r.result); r.readAsDataURL(b); }))"
    )
    png = base64.b64decode(str(data).split(",")[1])
    return np.asarray(image.open(io.BytesIO(png)).convert("RGB"), dtype=int)

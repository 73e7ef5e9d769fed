"""The walk of docs/workbench.md, filmed: a visitor drives, plays, feels a wall, draws a four-bar.

`PYTHONPATH=. python docs/make_walk.py` starts the commands that a visitor would start, and uses
their pages in Chromium by mouse and keyboard alone, at a person's pace. It prints the seconds of
each since its page's first paint, fails where one takes more than a minute or the car drives after
more than ten seconds, and keeps a film of each: real pictures of the page, some a second, with what
is done written below. Names of walks take only those; `--sheet FILE` puts all pictures of the films
side by side.
"""

import base64
import io
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from matplotlib.font_manager import findfont
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page, sync_playwright

from docs.chromium import launched

FILMS = Path(__file__).parent / "pictures" / "walk"
SIZE = {"width": 1280, "height": 720}
MOST, MOVING = 60.0, 10.0  # s since the first paint: of a walk, and until the car drives
PATIENCE = 60.0  # s for what a page should do by itself
LOOK, HAND, KEY = 0.5, 0.35, 0.12  # s: until what is new is read, of a move of the hand, of a key
OFTEN = 0.5  # s between pictures of a film
BYTES = 99_000  # of a film, as of any picture
SIZES = (640, 45), (640, 30), (560, 30), (480, 30)  # px and quality of WebP
FOOT, INK, PAPER = 26, "#ffffff", "#2d3047"  # px and colours of what is written


@dataclass
class Visitor:
    """Somebody at a page, with a clock that begins at its first paint; filmed."""

    page: Page
    words: list[tuple[float, str]] = field(default_factory=list)  # since when they are shown
    pictures: list[tuple[float, bytes]] = field(default_factory=list)

    def come(self, address: str) -> None:
        """Opens a page and begins to film."""
        self.page.goto(address)
        self.line = self.page.context.new_cdp_session(self.page)
        self.waiting: int | None = None
        self.line.on("Page.screencastFrame", self._take)
        self.line.send("Page.startScreencast", {"format": "jpeg", "quality": 85})

    def _take(self, frame: dict) -> None:  # type: ignore[type-arg]
        self.pictures.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
        self.waiting = frame["sessionId"]

    def seconds(self) -> float:
        """Since the first paint, by the page's own account."""
        paint = "performance.getEntriesByName('first-paint')[0].startTime"
        return float(self.page.evaluate(f"(performance.now() - {paint}) / 1000"))

    def say(self, words: str) -> None:
        """What is done from now on, below the film."""
        self.words.append((time.time(), words))

    def rest(self, seconds: float) -> None:
        """Lets so much time pass. The browser gives another picture when the last one is taken."""
        end = time.monotonic() + seconds
        while True:
            if self.waiting is not None and time.time() > self.pictures[-1][0] + OFTEN:
                taken, self.waiting = self.waiting, None
                self.line.send("Page.screencastFrameAck", {"sessionId": taken})
            left = end - time.monotonic()
            if left <= 0.0:
                return
            self.page.wait_for_timeout(1000 * min(left, 0.04))

    def until(self, text: str) -> None:
        """Waits for what the page shows."""
        end = time.monotonic() + PATIENCE
        while not self.page.evaluate(f"Boolean({text})"):
            if time.monotonic() > end:
                raise SystemExit(f"It didn't happen: {text}")
            self.rest(0.04)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.hold(key, KEY)

    def hold(self, key: str, seconds: float) -> None:
        """Presses a key so long, and lets go."""
        self.page.keyboard.down(key)
        self.rest(seconds)
        self.page.keyboard.up(key)
        self.rest(KEY)

    def move(self, x: float, y: float) -> None:
        self.page.mouse.move(x, y, steps=6)
        self.rest(HAND)

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.page.mouse.down()
        self.rest(KEY)
        self.page.mouse.up()
        self.rest(KEY)


_SWERVE = 0.9  # s that a key is held at most
# How far to the left the car is seen, and turned [m, rad].
_SEEN = """(() => { const { p, q } = bench.world.pose(bench.driving.seat.body);
  return [p[1], 2 * Math.atan2(q[2], q[3])]; })()"""


def drive(visitor: Visitor) -> str:
    """An attempt at the sudden obstacle, by the arrow keys: out, back, straight."""

    def steer(key: str, enough: Callable[[float, float], bool]) -> None:
        """Holds a key until the car is seen far enough to the left [m], or turned so [rad]."""
        end = time.monotonic() + _SWERVE
        visitor.page.keyboard.down(key)
        while time.monotonic() < end and not enough(*visitor.page.evaluate(_SEEN)):
            visitor.rest(0.02)
        visitor.page.keyboard.up(key)

    visitor.say("The car waits: Enter starts")
    visitor.until("window.bench?.obstacle?.phase === 'ready' && bench.view.painted >= 0")
    visitor.rest(LOOK)
    visitor.press("Enter")
    visitor.until("bench.obstacle.phase === 'driving' && bench.driving.speed > 15")
    if (drives := visitor.seconds()) > MOVING:
        raise SystemExit(f"The car drives after {drives:.1f} s; at most {MOVING:.0f} s")
    visitor.say("75 km/h, straight on")
    visitor.until("bench.obstacle.phase === 'obstacle'")
    visitor.say("An obstacle! ← round it")
    steer("ArrowLeft", lambda y, yaw: y > 0.7 or yaw > 0.2)
    visitor.say("→ back")
    steer("ArrowRight", lambda y, yaw: yaw < 0.05)
    visitor.say("Straight on")
    visitor.until("bench.obstacle.phase === 'over' && !bench.obstacle.results.hidden")
    visitor.say("Path, angle of the wheel, torque of the hands")
    visitor.rest(2 * LOOK)
    found = visitor.page.evaluate("bench.obstacle.facts.attempts[0].figures")
    assert found["aside"] > 1.0, found  # m: it was driven
    return (
        f"drives after {drives:.1f} s; {found['aside']:.1f} m aside, clearance {found['gap']:.2f} m"
    )


def play(visitor: Visitor) -> str:
    """Keys of the piano, by letters and by the mouse."""
    visitor.say("Thirteen keys with the action of a grand piano")
    visitor.until("window.play?.keys && play.force.curve")
    visitor.rest(LOOK)
    if visitor.page.evaluate("play.playing"):
        visitor.say("A click stops the passage")
        box = visitor.page.locator("#passage").bounding_box()
        assert box is not None
        visitor.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        visitor.until("!play.playing")
        visitor.rest(LOOK)
    before = visitor.page.evaluate("play.strikes.length")
    for letter in "adgdk":
        visitor.say(f"{letter.upper()} is held and let go")
        visitor.hold(letter, 0.5)
    visitor.say("The mouse, low on a key: deep and loud")
    box = visitor.page.locator('[data-note="64"]').bounding_box()
    assert box is not None
    visitor.move(box["x"] + 0.5 * box["width"], box["y"] + 0.8 * box["height"])
    visitor.page.mouse.down()
    visitor.rest(2 * LOOK)
    visitor.page.mouse.up()
    visitor.say("The action, and force over depth of that stroke")
    visitor.rest(2 * LOOK)
    struck = visitor.page.evaluate("play.strikes.map(each => each.note)")[before:]
    assert struck == [60, 64, 67, 64, 72, 64], struck
    return f"{len(struck)} strikes"


def wall(visitor: Visitor) -> str:
    """The virtual wall, by the mouse and by arrows."""
    visitor.say("A handle before a wall")
    visitor.until("window.play?.wall && play.rows.length > 100")
    visitor.rest(LOOK)
    box = visitor.page.locator("#bench .plot").bounding_box()
    assert box is not None
    y = box["y"] + 0.5 * box["height"]
    visitor.move(box["x"] + 0.65 * box["width"], y)
    visitor.page.mouse.down()
    visitor.say("The mouse pushes it in")
    visitor.move(box["x"] + 0.25 * box["width"], y)
    visitor.until("play.rows.at(-1)[2] > 1")  # N
    by_mouse = visitor.page.evaluate("play.rows.at(-1)[2]")
    visitor.rest(2 * LOOK)
    visitor.page.mouse.up()
    visitor.rest(LOOK)
    visitor.say("So does ←")
    visitor.press(*["ArrowLeft"] * 22)
    visitor.until("play.rows.at(-1)[2] > 1")
    visitor.say("It pushes back")
    visitor.rest(2 * LOOK)
    by_keys = visitor.page.evaluate("play.rows.at(-1)[2]")
    return f"{by_mouse:.1f} N by the mouse, {by_keys:.1f} N by arrows"


_PINS = (0.0, 0.0), (0.0, 0.1), (0.35, 0.2), (0.3, 0.0)  # m, x and z of the four-bar


def draw(visitor: Visitor) -> str:
    """A four-bar from the empty page, driven, with the path of a point of its coupler."""

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = visitor.page.evaluate(
            "([x, z]) => { const box = bench.view.canvas.getBoundingClientRect();"
            "const [u, w] = bench.view.pixel([x, 0, z]); return [box.left + u, box.top + w]; }",
            list(point),
        )
        return float(x), float(y)

    def told(kind: str, count: int) -> None:
        visitor.until(f"bench.drawing.drawing.told.{kind}.length >= {count}")

    visitor.say("An empty page")
    visitor.until("window.bench?.drawing?.drawing?.told && bench.view.painted >= 0")
    visitor.rest(LOOK)
    visitor.say("B: three bars, from pin to pin")
    visitor.press("b")
    for number, (a, b) in enumerate(pairwise(_PINS), 1):
        visitor.click(*at(a))
        visitor.click(*at(b))
        told("bodies", number)
    visitor.say("J: four joints, where bars meet and at the ground")
    visitor.press("j")
    for pin in _PINS:
        visitor.click(*at(pin))
    visitor.until("document.querySelector('[data-verify=freedoms]').textContent === '1'")
    visitor.say("T: a point of the coupler leaves a trace")
    visitor.press("t")
    visitor.click(*at((0.175, 0.15)))
    visitor.say("W: the crank turns at a rate")
    visitor.press("w")
    visitor.click(*at(_PINS[0]))
    visitor.until("bench.drawing.drawing.told.traces.length === 1")
    visitor.rest(LOOK)
    visitor.say("Space: it runs")
    visitor.press("Escape", " ")
    visitor.until("bench.drawing.drawing.told.playing && bench.view.painted > 2.1")
    visitor.say("The coupler curve")
    visitor.rest(LOOK)
    curve = visitor.page.evaluate(
        "Math.max(...[...document.querySelectorAll('#view svg path[d^=M]')]"
        ".map(each => each.getTotalLength()))"
    )
    assert curve > 100.0, curve  # px
    return "1 freedom, 1 loop"


WALKS: dict[str, tuple[list[str], Callable[[Visitor], str]]] = {
    "drive": (["drive", "sudden-obstacle", "--page", "0", "--seed", "1"], drive),
    "play": (["play", "piano"], play),
    "wall": (["play", "wall"], wall),
    "draw": (["view"], draw),
}


@contextmanager
def started_command(words: list[str], folder: str) -> Iterator[str]:
    """The address that a command prints; it ends by Ctrl-C."""
    command = [sys.executable, "-u", "-m", "touchback.cli", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            address = next(filter(None, (re.search(r"http://\S+", line) for line in run.stdout)))
            yield address[0]
        finally:
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60.0)


def film(visitor: Visitor, began: float) -> list[tuple[float, Image.Image]]:
    """Pictures with what is written below them, and the seconds that each is shown."""
    letters = ImageFont.truetype(findfont("DejaVu Sans"), 0.55 * FOOT)  # it has arrows
    shown: list[tuple[float, Image.Image]] = []
    taken = sorted(visitor.pictures)
    ends = [*(when for when, _ in taken[1:]), taken[-1][0] + 3.0]
    for (when, data), after in zip(taken, ends, strict=True):
        said = [words for since, words in visitor.words if since <= when]
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        picture = picture.resize((SIZES[0][0], round(SIZES[0][0] * picture.height / picture.width)))
        framed = Image.new("RGB", (picture.width, picture.height + FOOT), PAPER)
        framed.paste(picture)
        pen = ImageDraw.Draw(framed)
        middle = picture.height + FOOT / 2.0
        pen.text((10, middle), said[-1] if said else "", INK, letters, "lm")
        pen.text((picture.width - 10, middle), f"{when - began:.0f} s", INK, letters, "rm")
        shown.append((after - when, framed))
    return shown


def keep(shown: list[tuple[float, Image.Image]], path: Path) -> str:
    """As animated WebP, as large and as good as its bytes allow."""
    for width, quality in SIZES:
        pictures = [each.resize((width, each.height * width // each.width)) for _, each in shown]
        kept = io.BytesIO()
        pictures[0].save(
            kept, "WEBP", save_all=True, append_images=pictures[1:], loop=0, quality=quality,
            minimize_size=True, duration=[round(1000 * seconds) for seconds, _ in shown],
        )  # fmt: skip
        if len(kept.getvalue()) < BYTES:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(kept.getvalue())
            return f"{len(shown)} pictures, {width} px, quality {quality}"
    raise SystemExit(f"{path.name}: {len(shown)} pictures are more than {BYTES} bytes")


def sheet(films: list[list[tuple[float, Image.Image]]], path: Path) -> None:
    """All pictures side by side, to be looked at."""
    pictures = [each for shown in films for _, each in shown]
    wide, high = pictures[0].size
    rows = -(-len(pictures) // 4)
    made = Image.new("RGB", (4 * wide, rows * high))
    for i, each in enumerate(pictures):
        made.paste(each, (i % 4 * wide, i // 4 * high))
    made.save(path)


def main() -> None:
    names = [name for name in sys.argv[1:] if name in WALKS] or list(WALKS)
    late, films = [], []
    with sync_playwright() as begun, tempfile.TemporaryDirectory() as folder:
        browser = launched(begun)
        for name in names:
            words, walk = WALKS[name]
            with started_command(words, folder) as address:
                visitor = Visitor(browser.new_page(viewport=SIZE))  # type: ignore[arg-type]
                visitor.come(address)
                said = walk(visitor)
                seconds = visitor.seconds()
                began = time.time() - seconds
                visitor.page.close()
            films.append(film(visitor, began))
            kept = keep(films[-1], FILMS / f"{name}.webp")
            print(f"{name:6} {seconds:5.1f} s  {said}; film: {kept}", flush=True)
            if seconds > MOST:
                late.append(name)
        browser.close()
    if "--sheet" in sys.argv:
        sheet(films, Path(sys.argv[sys.argv.index("--sheet") + 1]))
    if late:
        raise SystemExit(f"More than {MOST:.0f} s: {', '.join(late)}")


if __name__ == "__main__":
    main()

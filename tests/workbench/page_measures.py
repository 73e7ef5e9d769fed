"""Pages to measure at four sizes: texts and controls that overlap, are cut or hold nothing.

`page_measures.js` measures what stands on a page; here are pages of every kind, the sizes, and what
is unfolded at each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import touchback as tb
from tests.workbench.browser import until
from tests.workbench.swing import swing
from touchback import gallery, workbench
from touchback.interop import read_mjcf
from touchback.recording import open_recording
from touchback.workbench.play.play_messages import Visit
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = [(1440, 900), (1280, 720), (820, 1180), (390, 844)]  # px: two screens, a tablet, a phone
WATCH = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
PLAYED = "window.play && (play.bench?.status?.time ?? 1) > 0.3"
SHOWN = "document.documentElement.dataset.ready && window.bench?.view?.painted >= 0"
FOLDED = 1180  # px: up to here one side at a time is unfolded


class Finding(NamedTuple):
    """What a measure found."""

    page: str
    size: str
    kind: str  # "overlap", "cut", "none", "small" or "hidden"
    where: str
    what: str


Opened = AbstractContextManager[tuple[str, str]]  # an address, and what is true once it is shown


def seven_joints() -> str:
    """An arm of seven joints as MJCF, as long as those of laboratories; with a keyframe."""
    names = [f"panda joint {i}" for i in range(1, 8)]
    text, end = "", ""
    for name, axis in zip(names, ("0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1", "0 -1 0", "0 0 1")):
        link = name.replace("joint", "link")
        text += (
            f'<body name="{link}" pos="0 0 .17"><joint name="{name}" axis="{axis}"'
            f' range="-166 166"/><geom type="capsule" fromto="0 0 0 0 0 .15" size=".05"'
            f' rgba=".93 .93 .95 1"/>'
        )
        end += "</body>"
    return _mjcf("seven joints", text + end, "0 -.5 0 -1.8 0 1.5 .7")


def four_legs() -> str:
    """A robot on four legs as MJCF, twelve joints below a trunk that is free."""
    legs = "".join(
        f'<body name="{name} hip" pos="{x} {y} 0"><joint name="{name} roll" axis="1 0 0"'
        f' range="-45 45"/><geom type="sphere" size=".05" rgba=".2 .2 .25 1"/>'
        f'<body name="{name} thigh" pos="0 {0.6 * y} 0"><joint name="{name} pitch" axis="0 1 0"'
        f' range="-90 90"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/>'
        f'<body name="{name} shank" pos="0 0 -.2"><joint name="{name} knee" axis="0 1 0"'
        f' range="-150 0"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02"'
        f' rgba=".9 .5 .1 1"/></body></body></body>'
        for name, x, y in (
            ("front left", 0.2, 0.1), ("front right", 0.2, -0.1),
            ("rear left", -0.2, 0.1), ("rear right", -0.2, -0.1),
        )
    )  # fmt: skip
    trunk = f'<body name="trunk" pos="0 0 .38"><freejoint name="floating"/><geom type="box" size=".25 .1 .06" rgba=".3 .35 .5 1"/>{legs}</body>'  # noqa: E501
    return _mjcf("four legs", trunk, "0 0 .33 1 0 0 0 " + "0 .6 -1.2 " * 4)


def _mjcf(name: str, bodies: str, pose: str) -> str:
    return (
        f'<mujoco model="{name}"><compiler autolimits="true"/><worldbody>{bodies}</worldbody>'
        f'<keyframe><key name="home" qpos="{pose}"/></keyframe></mujoco>'
    )


@contextmanager
def bench(make: Callable[[], tb.Model]) -> Iterator[tuple[str, str]]:
    """A workbench on a model."""
    with workbench.open(make()) as opened:
        yield opened.url, SHOWN


@contextmanager
def driving() -> Iterator[tuple[str, str]]:
    """The car of the sudden obstacle, which a person drives."""
    system = gallery.make("driving-simulator", person=True, smoothing=12.0).compile()
    with tb.live(system, rate=1000, method="rk4") as live, workbench.open(live) as opened:
        yield opened.url, f"{SHOWN} && bench.driving?.seat"


@contextmanager
def empty_drawing() -> Iterator[tuple[str, str]]:
    """A page to draw on."""
    with tempfile.TemporaryDirectory() as folder, workbench.open_drawing(folder=folder) as opened:
        yield opened.url, f"{SHOWN} && bench.drawing"


@contextmanager
def recording() -> Iterator[tuple[str, str]]:
    """A recording with events."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "swing.mcap"
        with tb.live(swing().compile(), rate=500, speed=None, record=path) as live:
            live.run(0.5)
            live["damping"] = 2.0
            live.run(0.9)
        with workbench.open(open_recording(path)) as opened:
            yield opened.url, f"{SHOWN} && bench.status.playback"


@contextmanager
def played(what: str) -> Iterator[tuple[str, str]]:
    """A page for playing, or a mechanism of the gallery."""
    with PlayServer("zoo" if "/" in what else what) as hall:
        url = str(hall.visit(Visit(what=what), "")["url"])
        yield url, f"{SHOWN} && document.querySelector('.about')" if "/" in what else PLAYED


SUBJECTS: dict[str, Callable[[], Opened]] = {
    "mechanism": lambda: bench(lambda: gallery.make("slider-crank")),
    "arm": lambda: bench(lambda: read_mjcf(seven_joints())),
    "quadruped": lambda: bench(lambda: read_mjcf(four_legs())),
    "car": driving,
    "drawing": empty_drawing,
    "recording": recording,
    "piano": lambda: played("piano"),
    "wall": lambda: played("wall"),
    "trial": lambda: played("trial"),
    "zoo": lambda: played("zoo"),
}


def visit(browser: Browser, url: str, shown: str, size: tuple[int, int]) -> Page:
    """A page that is watched, once it shows something."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.add_init_script(WATCH)
    page.goto(url)
    until(lambda: page.evaluate(f"Boolean({shown})"))
    page.wait_for_timeout(500)  # some numbers in the scopes
    return page


def unfold(page: Page) -> None:
    """Every panel of a workbench, and a joint in the inspector; its run rests, so that the browser
    has nothing else to do."""
    page.evaluate(
        "() => { for (const each of document.querySelectorAll('details.panel')) each.open = true;"
        "const joint = window.bench?.scene?.joints?.[0];"
        "if (joint && !bench.selected) bench.select({ kind: 'joint', name: joint.name });"
        "return window.bench?.send?.({ do: 'pause' })?.catch(() => {}); }"
    )


def measured(page: Page, name: str, size: tuple[int, int]) -> list[Finding]:
    """What is wrong with a page at a size: as it opens, and with each of its sides unfolded and
    scrolled through."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settle(page)
    found = _scrolled(page)
    sides = page.evaluate(
        "[...document.querySelectorAll('[data-panel]')].map(b => b.dataset.panel)"
    )
    for side in sides if size[0] <= FOLDED else ():
        button = page.locator(f'[data-panel="{side}"]')
        if button.get_attribute("aria-pressed") == "false":
            button.click()
            settle(page)
            found += _scrolled(page)
            button.click()
            settle(page)
    width = f"{size[0]} × {size[1]}"
    return [Finding(name, width, *each) for each in dict.fromkeys(found)]


def settle(page: Page) -> None:
    """Two pictures later: what moves with the size has moved."""
    page.evaluate(
        "() => new Promise(done => setTimeout(() => requestAnimationFrame(() =>"
        " requestAnimationFrame(() => setTimeout(done, 60))), 120))"
    )


def _scrolled(page: Page) -> list[tuple[str, str, str]]:
    """As it stands with what scrolls at its end, its middle and its beginning."""
    found: list[tuple[str, str, str]] = []
    for part in (1.0, 0.5, 0.0):
        page.evaluate(
            "part => { for (const each of document.querySelectorAll('aside, .scope, #meters'))"
            "each.scrollTop = part * (each.scrollHeight - each.clientHeight); }",
            part,
        )
        found += [(kind, where, what) for kind, where, what in page.evaluate("measurePage()")]
    return found

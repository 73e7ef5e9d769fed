"""Mechanisms of the gallery on their pages: everything has a shape, is in view, and stays there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import until
from touchback import gallery, workbench
from touchback.workbench.page_scene import Poses, make_scene
from touchback.workbench.play.play_messages import Visit
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

READY = (
    "document.documentElement.dataset.ready && window.bench?.world?.ready && bench.view?.painted"
)
FILMS = Path(workbench.__file__).parent / "page" / "play" / "zoo_films.json"
SOLID = ("box", "sphere", "cylinder", "capsule")
PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}


@pytest.mark.parametrize("name", gallery.names())
def test_no_body_of_the_gallery_is_without_a_shape(name: str) -> None:
    """Neither left out nor so thin that nothing of it is lit: half a percent at least of all that
    moves (houses that a robot drives round are far larger, and the eye follows the robot)."""
    shown = gallery.entry(name).on_page
    system = shown.make().compile(backend="interpreter")
    state = shown.experiment.start(system)
    scene = make_scene(Poses(system), 1, np.array(state.x, dtype=float), 0.0, system.parameters)
    massive = {each.body for each in scene.inertias if each.mass > 0.0}
    moving = [each for each in scene.shapes if each.body in massive and not each.endless]
    places = np.array([system.pose(name, state.q)[1] for name in {each.body for each in moving}])
    size = float(np.ptp(places, axis=0).max()) + max(
        (max(each.numbers) for each in moving if each.kind in SOLID), default=0.0
    )
    for body in scene.bodies:
        own = [each for each in scene.shapes if each.body == body and not each.endless]
        if body not in massive:
            continue
        assert own, body
        for each in own:
            ends = np.array(each.numbers)
            if each.kind == "line":
                assert np.linalg.norm(ends[:3] - ends[3:]) > 0.0, body
            elif each.kind in SOLID:
                assert ends.min() > 0.0 and ends.max() > 0.005 * size, body


@pytest.mark.parametrize(
    "name", ["crank-rocker", "slider-crank", "scotch-yoke", "peaucellier", "jansen-leg"]
)
def test_a_linkage_stays_within_what_its_page_shows_at_first(name: str) -> None:
    """Where its bodies' origins come in its experiment, with a tenth to spare."""
    shown = gallery.entry(name).on_page
    system = shown.make().compile()
    run = shown.experiment.run(system)
    joints = shown.make().joints.items()
    names = [each for name, joint in joints for each in joint.position_names(name)]
    positions = np.array([run.signals[each] for each in names]).T[::10]
    state = np.array(shown.experiment.start(system).x, dtype=float)
    low, high = np.array(make_scene(Poses(system), 1, state, 0.0, system.parameters).bounds)
    spare = 0.1 * np.linalg.norm(high - low)
    places = [system.pose(body, q)[1] for q in positions for body in system.model.bodies]
    assert (np.min(places, axis=0) > low - spare).all()
    assert (np.max(places, axis=0) < high + spare).all()


def test_a_point_that_weighs_something_is_drawn_as_a_cube_of_water() -> None:
    m = tb.Model("drop")
    m.joint("fall", tb.Prismatic("z"), m.ground, m.body("drop", mass=0.008))
    system = m.compile(backend="interpreter")
    scene = make_scene(Poses(system), 1, np.zeros(2), 0.0, system.parameters)
    (cube,) = [each for each in scene.shapes if each.body == "drop" and each.kind == "box"]
    assert cube.numbers == pytest.approx([0.01] * 3)  # m: half of 2 cm, which are 8 ml


@pytest.fixture(scope="module")
def hall() -> Iterator[PlayServer]:
    with PlayServer("zoo") as opened:
        yield opened


def opened(chromium: Browser, hall: PlayServer, name: str, size: dict[str, int]) -> Page:
    page = chromium.new_page(viewport=size)  # type: ignore[arg-type]
    page.goto(str(hall.visit(Visit(what=f"gallery/{name}"), "")["url"]))
    until(lambda: page.evaluate(f"Boolean({READY} >= 0 && document.querySelector('.about'))"))
    return page


def test_mechanisms_move_on_their_cards_and_are_found_by_words_and_kinds(
    chromium: Browser, hall: PlayServer
) -> None:
    page = chromium.new_page(viewport=TABLET)  # type: ignore[arg-type]
    page.goto(hall.url)
    until(lambda: page.evaluate("Boolean(window.play?.zoo)"))
    shown = "[...document.querySelectorAll('#mechanisms .card')].filter(c => !c.hidden)"
    names = f"{shown}.map(card => card.dataset.what.replace('gallery/', ''))"
    assert page.evaluate(names) == gallery.names()
    assert page.locator("#mechanisms canvas").count() == len(gallery.names())
    first = "document.querySelector('#mechanisms canvas').toDataURL()"
    before = page.evaluate(first)
    until(lambda: page.evaluate(first) != before)  # the first is on the screen, and moves
    assert page.evaluate("play.films.playing.size") < len(gallery.names())  # those below rest
    page.get_by_label("Search mechanisms").fill("CRANK slider")
    found = page.evaluate(names)
    assert "slider-crank" in found and "pendulum" not in found and len(found) < 4
    page.get_by_label("Search mechanisms").fill("zzz")
    assert page.evaluate(names) == [] and "another word" in page.locator("#found").inner_text()
    page.get_by_label("Search mechanisms").fill("")
    page.get_by_role("radio", name="vehicles").click()
    assert set(page.evaluate(names)) == {
        name for name in gallery.names() if gallery.category(name) == "vehicles"
    }
    page.close()


def test_every_mechanism_has_a_film_that_moves_within_its_frame() -> None:
    """Of the pendulum, whose bob hangs on a rod from a pivot, all frames are as long."""
    films = json.loads(FILMS.read_text())
    assert list(films) == gallery.names()  # else: `python docs/make_play.py films NAME`
    for name, film in films.items():
        moving = [each for each in film["marks"] if len(each["frames"]) > 1]
        assert moving, name
        assert all(len(each["frames"]) == film["count"] for each in moving), name
    bob = np.array(max(films["pendulum"]["marks"], key=lambda each: each["radius"])["frames"])
    assert bob.shape[1] == 2


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_what_a_mechanism_says_of_itself_leaves_it_free(
    chromium: Browser, hall: PlayServer, size: dict[str, int]
) -> None:
    page = opened(chromium, hall, "pendulum", size)
    view, card = (page.locator(each).bounding_box() for each in ("#view", ".about"))
    assert view is not None and card is not None
    assert card["y"] >= view["y"] + view["height"] - 1.0  # px: below it
    assert card["y"] + card["height"] <= size["height"] and card["width"] <= size["width"]
    assert view["height"] > 0.2 * size["height"]
    before = view["height"]
    page.get_by_role("button", name="Got it").click()
    until(lambda: page.evaluate("document.getElementById('view').clientHeight") > before)
    page.get_by_role("button", name="Mechanisms").click()  # the way back stays
    until(lambda: page.evaluate("document.body.dataset.page") == "zoo")
    page.close()


def test_the_eye_goes_along_with_a_wheel_that_rolls_away_until_somebody_lets_it_go(
    chromium: Browser, hall: PlayServer
) -> None:
    page = opened(chromium, hall, "omni-wheel", TABLET)
    until(lambda: page.evaluate("bench.world.pose('disc').p[0]") > 0.5)  # ten times its radius
    until(lambda: page.evaluate("bench.view.follow.body") == "disc")
    where = "bench.view.eye.project(bench.world.pose('disc').p).slice(0, 2)"
    for _ in range(3):
        gone = page.evaluate("bench.world.pose('disc').p[0]")
        until(lambda gone=gone: page.evaluate("bench.world.pose('disc').p[0]") > gone + 0.05)
        until(lambda: all(0.0 < place < 1.0 for place in page.evaluate(where)))
    assert page.get_by_label("Follow the chosen body").get_attribute("aria-pressed") == "true"
    page.keyboard.press("c")
    until(lambda: page.evaluate("bench.view.follow.body === null"))
    until(lambda: any(not 0.0 < place < 1.0 for place in page.evaluate(where)))
    assert page.evaluate("bench.view.follow.body") is None  # and it isn't followed again
    page.close()


def test_what_loops_or_limits_keep_at_home_is_not_followed(
    chromium: Browser, hall: PlayServer
) -> None:
    page = opened(chromium, hall, "slider-crank", TABLET)
    found = page.evaluate(
        """async () => {
          const { travellers } = await import("/camera_follow.js");
          const joint = (kind, body, limits = []) =>
            ({ kind, limits, parent: { body: "ground" }, child: { body } });
          const joints = [joint("Free", "car"), joint("Prismatic", "cart"),
                          joint("Prismatic", "key", [[0, 1]]), joint("Revolute", "wheel")];
          return [travellers(bench.scene), travellers({ joints, loops: [] })];
        }"""
    )
    assert found == [[], ["car", "cart"]]
    page.close()

"""The eye of the page in Chromium: it follows a body, shows what is asked for, takes pictures, and
obeys fingers. Asserted are places, forces and pixels."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Place, Seat, seat, shot, until
from touchback import workbench
from touchback.workbench import Workbench

MASS = 2.0  # kg, of the ball that rests on the floor


def ball_and_cart() -> tb.Model:
    """A ball that rests on the floor, and a cart beside it that swings on a spring."""
    m = tb.Model("ball and cart", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=MASS, inertia=(0.008, 0.008, 0.008))
    m.joint("ball", tb.Prismatic("z"), m.ground, ball, position=0.0996)
    touch = tb.contact.SphereOnPlane(ball, m.ground, radius=0.1, stiffness=1e6, damping=0.5)
    m.force("touch", touch)
    cart = m.body("cart", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("cart", tb.Prismatic("x"), m.ground.at(0.4, 0, 0.2), cart, position=0.15)
    wall = m.ground.at(0, 0, 0.2)
    m.force("spring", tb.SpringDamper(wall, cart, stiffness=20.0, damping=0.0, length=0.4))
    m.shape("on the cart", cart.at(0, 0, 0.2, turn=("z", 0.5)), tb.Eye())
    m.force("wind", tb.Wrench(cart, force=(0.0, 0.0, 8.0)))
    return m


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(ball_and_cart()) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, has_touch=True, accept_downloads=True) as found:  # type: ignore[arg-type]
        found.ask("() => bench.view.turn(false)")
        found.until("bench.view.stages.space && !bench.view.spaceCanvas.hidden")
        yield found


def taken(page: Seat) -> np.ndarray:
    """The file that the button for pictures saves, (rows, columns, 3)."""
    image = pytest.importorskip("PIL.Image")
    with page.page.expect_download() as waiting:
        page.page.get_by_label("Take a picture").click()
    assert waiting.value.suggested_filename == "ball and cart.png"
    with open(waiting.value.path(), "rb") as file:
        found = image.open(io.BytesIO(file.read()))
    assert found.format == "PNG"
    return np.asarray(found.convert("RGB"), dtype=int)


def test_a_picture_of_the_view_is_saved_as_png_of_its_size(page: Seat) -> None:
    picture = taken(page)
    size = page.ask("[bench.view.canvas.height, bench.view.canvas.width]")
    assert list(picture.shape[:2]) == size
    assert picture.std() > 5.0  # something is on it


def rests(page: Seat) -> bool:
    """Whether the ball keeps still for longer than a period of its bounce (44 ms)."""
    end = page.live.read("time") + 0.1
    while still := abs(page.live.read("ball rate")) < 1e-6:
        if page.live.read("time") > end:
            break
        time.sleep(0.002)
    return still


@pytest.mark.parametrize("what", ["frames", "inertias", "forces", "contacts"])
def test_what_is_ticked_is_seen_and_nothing_else_changes(page: Seat, what: str) -> None:
    """Of a paused run, so that nothing moves between the pictures, with the ball on the floor."""
    until(lambda: rests(page))
    page.ask("bench.send({do: 'pause'})")
    page.until("bench.status.paused")
    pictures = []
    usual = page.ask(f"bench.view.show.{what}")
    for on in (True, False, True):
        page.ask(f"() => bench.view.setShown('{what}', {str(on).lower()})")
        pictures.append(shot(page))
    page.ask(f"() => bench.view.setShown('{what}', {str(usual).lower()})")
    page.ask("bench.send({do: 'go'})")
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 20).sum() > 30  # px
    assert np.abs(pictures[0] - pictures[2]).max() == 0


def test_the_arrow_of_a_contact_is_the_weight_that_it_carries(page: Seat) -> None:
    """m g = 19.62 N upwards; float32 leaves six digits."""
    until(lambda: rests(page))
    page.see_now()
    force = page.ask(
        "() => { const { scene } = bench, i = scene.arrows.findIndex(a => a.startsWith('touch') &&"
        "scene.contacts.includes(a)); return bench.world.arrow(i)[1]; }"
    )
    assert force == pytest.approx([0.0, 0.0, MASS * 9.81], rel=1e-4, abs=1e-4)


def test_the_eye_follows_a_body_that_moves(page: Seat) -> None:
    """Its target is the body's place in every picture, while the cart swings by 0.3 m."""
    page.ask("() => bench.select({ kind: 'body', name: 'cart' })")
    page.page.get_by_label("Follow the chosen body").click()
    seen: list[float] = []

    def followed() -> bool:
        """Whether the newest picture shows the cart in its middle; and it has gone some way."""
        at = page.ask("() => [bench.view.eye.middle, bench.world.pose('cart').p]")
        assert isinstance(at, list)
        if at[0] != pytest.approx(at[1], abs=1e-12):
            return False
        seen.append(at[0][0])
        return max(seen) - min(seen) > 0.02

    until(followed)
    page.page.get_by_label("Follow the chosen body").click()
    rest = page.ask("bench.view.eye.middle")
    page.see_now()
    assert page.ask("bench.view.eye.middle") == rest


def test_the_eye_rides_where_the_model_has_put_one_and_comes_back_outside(page: Seat) -> None:
    """On the cart, 0.2 m above it, and along the x axis of its own frame."""
    chooser, before = page.page.get_by_label("Look from"), page.ask("bench.view.eye.distance")
    chooser.select_option("on the cart")
    seen: list[float] = []

    def rides() -> bool:
        at = page.ask(
            "() => { const { from, away } = bench.view.eye.last;"
            "return [from, bench.world.at('cart', [0, 0, 0.2]), away]; }"
        )
        assert isinstance(at, list)
        if at[0] != pytest.approx(at[1], abs=1e-12):
            return False  # the picture of these poses isn't drawn yet
        assert at[2] == pytest.approx([-np.cos(0.5), -np.sin(0.5), 0.0], abs=1e-6)
        seen.append(at[0][0])
        return max(seen) - min(seen) > 0.02

    until(rides)
    chooser.select_option("from outside")
    until(lambda: page.ask("bench.view.eye.seat") is None)
    assert page.ask("bench.view.eye.distance") == before


# ---- fingers ------------------------------------------------------------------------------------


class Fingers:
    """Fingers on the glass, as the browser is told of them."""

    def __init__(self, page: Seat) -> None:
        self._session = page.page.context.new_cdp_session(page.page)

    def put(self, kind: str, *places: Place) -> None:
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_a_finger_drags_a_body(page: Seat) -> None:
    """The hand's target is where the finger is: as far from the ball's middle as it moved."""
    live, fingers = page.live, Fingers(page)
    page.see_now()
    x, y = page.pixel("ball", (0.0, 0.0, 0.0))
    fingers.put("touchStart", (x, y))
    for i in range(1, 6):
        fingers.put("touchMove", (x, y - 12.0 * i))
    until(lambda: live["hand grip"] > 0.0)
    goal = page.ask(
        "([x, y]) => { const { view } = bench, d = view.hand.drag; const box ="
        "view.canvas.getBoundingClientRect(); return [d.to, view.pixel(d.to), [x - box.left,"
        "y - box.top]]; }",
        x, y - 60.0,
    )  # fmt: skip
    assert isinstance(goal, list)
    assert goal[1][:2] == pytest.approx(goal[2], abs=0.5)  # px: under the finger
    until(lambda: abs(live["hand to z"] - goal[0][2]) < 1e-9)
    until(lambda: live.read("ball") > 0.11)  # it was lifted
    fingers.put("touchEnd")
    until(lambda: live["hand grip"] == 0.0)
    until(lambda: live.read("ball") < 0.1001)  # and fell back


def test_a_finger_beside_bodies_turns_the_eye_and_two_bring_it_nearer(page: Seat) -> None:
    fingers = Fingers(page)
    box = page.ask(
        "() => { const { x, y, width, height } = bench.view.canvas.getBoundingClientRect();"
        "return [x, y, width, height, Math.min(width, bench.view.canvas.clientHeight)]; }"
    )
    assert isinstance(box, list)
    left, top, wide, high, size = box
    y = top + 0.92 * high  # below the mechanism
    before = page.ask("[bench.view.eye.turn, bench.view.eye.distance]")
    assert isinstance(before, list)
    x = left + 0.5 * wide
    fingers.put("touchStart", (x, y))
    fingers.put("touchMove", (x + 20.0, y))
    fingers.put("touchMove", (x + 50.0, y))
    fingers.put("touchEnd")
    turned = before[0] - 4 * 50.0 / size  # a fourth of the view is a radian
    until(lambda: page.ask("bench.view.eye.turn") == pytest.approx(turned, abs=1e-6))
    assert page.ask("bench.view.eye.distance") == before[1]
    fingers.put("touchStart", (x - 40.0, y), (x + 40.0, y))
    for apart in (50.0, 65.0, 80.0):
        fingers.put("touchMove", (x - apart, y), (x + apart, y))
    fingers.put("touchEnd")
    nearer = before[1] / 2.0  # twice as far apart
    until(lambda: page.ask("bench.view.eye.distance") == pytest.approx(nearer, rel=1e-6))
    assert page.ask("bench.view.eye.turn") == pytest.approx(turned, abs=1e-6)

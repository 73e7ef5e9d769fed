"""The four manipulators on the page, driven by a pointer in Chromium; asserted is the physics of
the live run in this process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest

from tests.workbench.browser import Place, Seat, seat, until
from tests.workbench.table import CART, ROCKER, STIFFNESS, freedoms, off, table
from touchback import workbench
from touchback.workbench import Workbench


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(table()) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    size = {"width": 1200, "height": 640}
    with seat(chromium, run, viewport=size) as found:  # type: ignore[arg-type]
        yield found


@pytest.fixture(autouse=True)
def calm(page: Seat) -> Iterator[None]:
    """Each test begins with the tool that drags and nothing chosen or held."""
    page.see_structure()
    left = page.ask("(bench.scene.icons || []).map(icon => icon.name)")  # by a look that failed
    assert isinstance(left, list)
    for name in left:
        page.ask("([name]) => bench.icons.remove(name)", name)
    if left:
        page.see_structure()
        balanced(page, 0.0)
    if page.live.system.model.joints["cart"].limits:
        page.choose("joint", "cart")
        page.press("undo")
        until(lambda: not page.live.system.model.joints["cart"].limits)
        page.see_structure()
    page.ask("() => { bench.view.choose('hand'); bench.select(null); }")
    yield
    page.page.mouse.up()


def world(page: Seat, place: Place) -> list[float]:
    """The point of the world under a place of the screen, in the side view."""
    found = page.ask(
        "([x, y]) => bench.view.eye.ray(...bench.view.place({ clientX: x, clientY: y })).from",
        *place,
    )
    assert isinstance(found, list)
    return found


# ---- dragging a body ----------------------------------------------------------------------------


def test_a_dragged_body_follows_the_pointer_and_its_loop_stays_closed(page: Seat) -> None:
    live = page.live
    start = page.pixel("rocker", ROCKER)
    page.drag(start, (70.0, 30.0), hold=True)
    until(lambda: live["hand grip"] == list(live.system.model.bodies).index("rocker") + 1)
    goal = world(page, (start[0] + 70.0, start[1] + 30.0))
    until(lambda: abs(live["hand to x"] - goal[0]) < 2e-3)  # a pixel is about a millimetre
    assert live["hand to z"] == pytest.approx(goal[2], abs=2e-3)
    until(lambda: live.read("rocker") < 1.6 - 0.1)  # it is pulled to the right, about −y
    told = page.page.locator("#view svg text").first
    until(lambda: (told.text_content() or "").endswith("N"))
    page.page.mouse.up()
    until(lambda: live["hand grip"] == 0.0)
    assert off(live) < 1e-9


def test_what_the_hand_pulls_with_is_what_the_spring_of_the_cart_holds(page: Seat) -> None:
    """At rest the hand's newtons, as the page shows them, balance the spring: F = k x."""
    live = page.live
    start = page.pixel("cart", CART)
    page.drag(start, (60.0, 0.0), hold=True)
    until(lambda: live["hand grip"] > 0.0)
    goal = world(page, (start[0] + 60.0, start[1]))
    until(lambda: live["hand to x"] == pytest.approx(goal[0], abs=2e-3))  # the last pull
    until(lambda: abs(live.read("cart")) > 5e-3 and abs(live.read("cart rate")) < 1e-5)
    page.see_now()
    shown, deflection = page.ask("() => bench.view.hand.force"), live.read("cart")
    page.page.mouse.up()
    until(lambda: live["hand grip"] == 0.0)
    assert shown == pytest.approx(STIFFNESS * deflection, rel=2e-3)  # N
    until(lambda: abs(live.read("cart")) < 1e-4)  # let go, it comes back


def test_a_paused_mechanism_is_posed_and_its_loop_closes(page: Seat) -> None:
    """The crank is turned by its end; the others follow though no time passes (each pose that the
    run answers is taken at one tick, and there are no others), and the run goes on from there."""
    live = page.live
    page.ask("bench.send({do: 'pause'})")
    page.until("bench.status.state === 'paused' || bench.status.paused")
    page.ask(
        "() => { const send = bench.send.bind(bench); window.posed = window.asked = 0;"
        "bench.send = m => { window.asked += m.do === 'pose'; return send(m).then(answer => {"
        "window.posed += m.do === 'pose'; return answer; }); }; }"
    )
    tick, before = live.ticks, live.read("crank")
    page.drag(page.pixel("crank", (0.1, 0.0, 0.0)), (-25.0, -30.0), steps=8)
    until(lambda: page.ask("window.posed > 0 && window.posed === window.asked"))  # no more come
    assert abs(live.read("crank") - before) > 0.2
    assert live.ticks - tick == page.ask("window.posed")
    assert 1 <= live.ticks - tick <= 8  # as many as moves, or fewer: only the newest is sent
    page.ask("() => { delete bench.send; }")
    assert off(live) < 1e-9
    posed = live.read("crank")
    page.ask("bench.send({do: 'go'})")
    until(lambda: live.ticks > tick + 20)
    assert live.read("crank") == pytest.approx(posed, abs=1e-6)  # at rest where it was put
    assert off(live) < 1e-9


# ---- icons --------------------------------------------------------------------------------------


def test_a_drawn_force_arrives_in_newtons_and_is_resized_typed_and_removed(page: Seat) -> None:
    """The cart's spring is a balance: x = F/k for the force along x."""
    live = page.live
    newtons = page.ask(
        "bench.world.metre * bench.view.eye.perPixel([0, 0, 0], bench.view.canvas.clientHeight)"
    )
    assert isinstance(newtons, float)
    page.page.get_by_label("stiffness [N/m]").focus()
    page.page.keyboard.press("f")  # the tool, wherever the focus is but in a field for text
    page.drag(page.pixel("cart", CART), (80.0, 0.0))
    until(lambda: "force 1 x" in live.system.input_names)
    assert live["force 1 x"] == pytest.approx(80.0 * newtons, rel=0.03)  # 80 px of arrow
    assert abs(live["force 1 z"]) < 0.03 * live["force 1 x"]
    balanced(page, live["force 1 x"])
    until(lambda: page.ask("bench.icons.known.has('force 1')"))
    page.see_now()
    now = live["force 1 x"] / newtons
    # slowly and at once give the same, though the cart yields while the arrow is drawn
    for steps, left in ((40, 40.0), (1, 60.0)):
        end = page.handle("force 1 end")
        page.drag(end, (left - now, 0.0), steps=steps)
        drawn = pytest.approx(left * newtons, abs=1.0 * newtons)  # 1 px
        until(lambda: live["force 1 x"] == drawn)  # noqa: B023
        now = left
        balanced(page, live["force 1 x"])
        page.see_now()
    balanced(page, live["force 1 x"])
    field = page.page.get_by_label("value x [N]")
    field.fill("7.5")
    field.press("Enter")
    until(lambda: live["force 1 x"] == 7.5)
    balanced(page, 7.5)
    page.press("remove")
    until(lambda: "force 1 x" not in live.system.input_names)
    balanced(page, 0.0)


def test_undo_beside_a_drawn_force_takes_that_force_back_and_no_edit(page: Seat) -> None:
    """Whatever was edited before it; and what was taken back or removed can be had again."""
    live = page.live
    page.choose("joint", "crank")
    page.press("weld")
    until(lambda: "crank" not in live.system.state_names)
    page.see_structure()
    page.choose("body", "cart")
    page.press("force")
    until(lambda: "force 1 x" in live.system.input_names)
    until(lambda: page.ask("bench.icons.known.has('force 1')"))
    page.see_structure()
    page.press("undo")
    until(lambda: "force 1 x" not in live.system.input_names)
    assert "crank" not in live.system.state_names  # welded still
    page.see_structure()
    page.press("undo")  # of the removal
    until(lambda: "force 1 x" in live.system.input_names)
    page.see_structure()
    page.press("undo")
    until(lambda: "force 1 x" not in live.system.input_names)
    page.ask("bench.send({do: 'undo'})")
    until(lambda: "crank" in live.system.state_names)
    page.see_structure()


def balanced(page: Seat, newtons: float) -> None:
    """The cart comes to rest where its spring holds so many newtons."""
    until(lambda: abs(page.live.read("cart") - newtons / STIFFNESS) < 1e-5)


def test_a_torque_arc_turns_the_mechanism_and_a_motion_sphere_drives_it(page: Seat) -> None:
    live = page.live
    page.choose("body", "rocker")
    page.press("torque")
    until(lambda: "torque 1 y" in live.system.input_names)
    field = page.page.get_by_label("value y [N m]")
    # the rocker swings from 1.231 rad, crank and coupler stretched, to 2.214 rad, both folded
    for torque, arrived in ((0.4, lambda: live.read("rocker") < 1.4),
                            (-0.4, lambda: live.read("rocker") > 1.9)):  # fmt: skip
        field.fill(str(torque))
        field.press("Enter")
        until(lambda torque=torque: live["torque 1 y"] == torque)
        until(arrived)  # about −y, as the joint
    page.press("remove")
    until(lambda: "torque 1 y" not in live.system.input_names)
    page.see_structure()
    page.choose("joint", "crank")
    page.press("motion")
    until(lambda: "motion 1 command" in live.system.input_names)
    until(lambda: abs(live.read("crank rate") - 1.0) < 1e-6)  # rad/s, from the sphere's first size
    assert off(live) < 1e-9
    page.press("remove")
    until(lambda: "motion 1 command" not in live.system.input_names)


@pytest.mark.parametrize(("way", "sign"), [(40.0, 1.0), (-40.0, -1.0)])
def test_a_torque_drawn_in_the_side_view_acts_about_its_normal(
    page: Seat, way: float, sign: float
) -> None:
    """To the right it turns clockwise as seen along +y, which is about +y, however it is inclined;
    as large as the drag is long."""
    live = page.live
    large = page.ask(
        "bench.icons.arc * bench.view.eye.perPixel([0, 0, 0], bench.view.canvas.clientHeight)"
    )
    page.ask("() => bench.view.choose('torque')")
    page.drag(page.pixel("rocker", ROCKER), (way, -30.0))
    until(lambda: "torque 1 y" in live.system.input_names)
    assert live["torque 1 y"] == pytest.approx(sign * 50.0 * large, rel=0.02)  # 3, 4, 5
    assert live["torque 1 x"] == live["torque 1 z"] == 0.0
    page.ask("() => bench.icons.remove('torque 1')")
    until(lambda: "torque 1 y" not in live.system.input_names)


def test_what_was_chosen_while_an_answer_was_under_way_stays_chosen(page: Seat) -> None:
    """Of a force on the cart, which its spring holds; a torque would drive the loop through its
    singular positions as long as it acts."""
    live = page.live
    for part, act, there in (
        (("body", "cart"), "force", True),
        (("icon", "force 1"), "remove", False),
    ):
        page.choose(*part)
        page.ask(
            "([act]) => { const send = bench.send.bind(bench); window.late = null;"
            "bench.send = m => m.do !== act ? send(m) : send(m).then(answer =>"
            "new Promise(done => { window.late = () => done(answer); })); }",
            {"force": "icon"}.get(act, act),
        )
        page.press(act)
        until(lambda there=there: ("force 1 x" in live.system.input_names) is there)
        page.see_structure()
        page.choose("joint", "crank")
        page.until("Boolean(window.late)")
        page.ask("() => { delete bench.send; window.late(); }")
        page.until(f"bench.icons.known.has('force 1') === {str(there).lower()}")
        assert page.ask("bench.selected?.name") == "crank"


def test_letters_choose_tools_after_a_part_was_chosen_by_its_name(page: Seat) -> None:
    page.choose("body", "cart")
    for key, tool in (("f", "force"), ("l", "tie"), ("v", "hand")):
        page.page.keyboard.press(key)
        assert page.ask("bench.view.tool") == tool


# ---- constraints --------------------------------------------------------------------------------


def test_a_revolute_joint_becomes_a_weld_and_back_and_the_page_tells_the_freedoms(
    page: Seat,
) -> None:
    live = page.live
    assert freedoms(live) == 2  # the four-bar, the cart
    page.choose("joint", "crank")
    page.press("weld")
    until(lambda: "crank" not in live.system.state_names)
    assert freedoms(live) == 1
    until(lambda: page.page.locator('[data-fact="freedoms"]').inner_text() == "2 → 1")
    gap = page.page.locator('[data-fact="gap"]').inner_text()
    assert float(gap.split()[0].replace("−", "-")) < 1e-9
    assert off(live) < 1e-9
    page.press("undo")
    until(lambda: "crank" in live.system.state_names)
    assert freedoms(live) == 2
    until(lambda: page.page.locator('[data-act="undo"]').is_disabled())  # nothing is left to undo
    page.see_structure()  # at rest it looks as it did, and is drawn all the same: with its ruler
    page.until("bench.view.legend.textContent.endsWith('N')")


def test_a_joint_is_placed_by_typed_numbers_and_back(page: Seat) -> None:
    """The cart's slide on the ground: turns about x, y, z, then as Denavit and Hartenberg."""
    live = page.live
    was = live.system.model.joints["cart"].parent

    def box(label: str) -> str:
        return f'[data-placement="{label}"]'

    def at() -> Sequence[float]:
        return live.system.model.joints["cart"].parent.at

    def shift() -> float:
        return float(page.page.locator(box("z")).input_value().replace("−", "-"))

    page.choose("joint", "cart")
    page.until("""document.querySelector('[data-field="placement"]').options.length === 13""")
    assert page.page.locator("[data-placement]").count() == 4  # a, α, d, θ
    page.page.select_option('[data-field="placement"]', "xyz")
    assert page.page.locator("[data-placement]").count() == 6
    wanted = shift() + 0.25
    page.page.fill(box("z"), str(wanted))
    page.page.locator(box("z")).press("Enter")
    page.press("place")
    until(lambda: at() != was.at)
    assert at() == pytest.approx((was.at[0], was.at[1], wanted), abs=1e-4)  # as it is shown
    until(lambda: shift() == pytest.approx(wanted, abs=1e-4))  # in the same way to write it
    page.press("undo")
    until(lambda: live.system.model.joints["cart"].parent == was)
    until(lambda: shift() == pytest.approx(wanted - 0.25, abs=1e-4))
    page.page.select_option('[data-field="placement"]', "denavit-hartenberg")
    a = float(page.page.locator(box("a")).input_value().replace("−", "-"))
    page.page.fill(box("a"), str(a + 0.1))  # along the common normal of both axes
    page.page.locator(box("a")).press("Enter")
    page.press("place")
    until(lambda: at() != was.at)
    assert math.dist(at(), was.at) == pytest.approx(0.1, abs=1e-4)
    page.press("undo")
    until(lambda: live.system.model.joints["cart"].parent == was)
    live.reset()  # it was moved so far that its spring may have snapped through
    balanced(page, 0.0)


def test_two_bodies_are_tied_by_a_drawn_line_and_untied(page: Seat) -> None:
    """A rod between the cart and the rocker takes a freedom; opened, it gives it back."""
    live = page.live
    start, end = page.pixel("cart", CART), page.pixel("rocker", ROCKER)
    page.page.locator('[data-tool="tie"]').click()
    page.drag(start, (end[0] - start[0], end[1] - start[1]))
    page.until("bench.selected?.kind === 'tie'")
    page.page.locator('#inspector [data-field="kind"]').select_option("rod")
    page.press("tie")
    until(lambda: "loop 1" in live.system.model.closures)
    assert freedoms(live) == 1
    assert off(live) < 1e-9
    until(lambda: page.ask("bench.scene.loops.some(l => l.name === 'loop 1')"))
    page.choose("loop", "loop 1")
    page.press("remove loop")
    until(lambda: "loop 1" not in live.system.model.closures)
    assert freedoms(live) == 2


def test_limits_typed_in_the_inspector_stop_the_cart(page: Seat) -> None:
    live = page.live
    page.choose("joint", "cart")
    field = page.page.get_by_label("to [m]")
    assert field.input_value() == "" and field.get_attribute("placeholder") == "free"
    field.fill("0.01")
    page.ask("() => bench.tell('scene', bench.scene)")  # somebody else's change comes meanwhile
    assert page.ask("document.activeElement.value") == "0.01"
    assert not live.system.model.joints["cart"].limits  # it isn't sent before it is complete
    page.page.keyboard.press("Enter")
    until(lambda: live.system.model.joints["cart"].limits)
    page.until("bench.scene.joints.some(j => j.name === 'cart' && j.limits.length)")
    page.see_structure()
    ends = page.page.get_by_label("from [m]"), page.page.get_by_label("to [m]")
    assert [each.input_value() for each in ends] == ["", "0.01"]  # the other end stays free
    rows = "[...document.querySelectorAll('.slider-row[data-name^=cart] input[type=number]')]"
    shown = until(lambda: page.ask(f"{rows}.length > 1 && {rows}.map(row => row.value)"))
    assert isinstance(shown, list)
    assert "" in shown and "0.01" in shown and not any("e9" in x or "000000" in x for x in shown)
    start = page.pixel("cart", CART)
    page.drag(start, (60.0, 0.0), hold=True)
    until(lambda: live["hand grip"] > 0.0)
    goal = world(page, (start[0] + 60.0, start[1]))
    until(lambda: live["hand to x"] == pytest.approx(goal[0], abs=2e-3))  # the last pull
    until(lambda: live.read("cart") > 0.01 and abs(live.read("cart rate")) < 1e-5)
    held, asked = live.read("cart"), live["hand to x"] - 0.1
    page.page.mouse.up()
    until(lambda: live["hand grip"] == 0.0)
    assert asked > 0.04  # where the pointer was; the spring alone gives way by all but some percent
    assert held < 0.6 * asked  # a stop of the usual law gives way too, but far less
    page.press("undo")
    until(lambda: not live.system.model.joints["cart"].limits)


# ---- parameters and laws ------------------------------------------------------------------------


def test_a_slider_changes_the_parameter_of_the_next_tick(page: Seat) -> None:
    live = page.live
    slider = page.page.get_by_label("stiffness [N/m]").and_(page.page.locator("[type=range]"))
    assert live["stiffness"] == STIFFNESS
    slider.focus()
    slider.press("ArrowRight")
    until(lambda: live["stiffness"] > STIFFNESS)
    slider.evaluate(
        "(e, x) => { e.value = x; for (const kind of ['input', 'change'])"
        " e.dispatchEvent(new Event(kind, { bubbles: true })); }",
        STIFFNESS,
    )
    until(lambda: live["stiffness"] == pytest.approx(STIFFNESS, rel=1e-3))


def test_a_slider_in_somebodys_hand_stays_while_others_come_and_go(page: Seat) -> None:
    """A force is drawn, and removed, while the stiffness is dragged: the panel shows the force's
    sliders beside it, the drag goes on, and the next key is the same slider's."""
    live = page.live
    slider = page.page.get_by_label("stiffness [N/m]").and_(page.page.locator("[type=range]"))
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.drag(middle, (0.1 * box["width"], 0.0), hold=True)
    until(lambda: live["stiffness"] > 500.0)  # N/m: right of the middle of 50 to 1000
    reached = live["stiffness"]
    force = {"do": "icon", "name": "force 1", "kind": "force", "on": "cart", "at": [0, 0, 0]}
    page.ask("([message]) => bench.send(message)", {**force, "value": [1, 0, 0]})
    page.until("bench.sliders.rows.has('force 1 x')")
    page.page.mouse.move(middle[0] + 0.2 * box["width"], middle[1])
    until(lambda: live["stiffness"] > reached + 50.0)
    page.page.mouse.up()
    page.until("bench.sliders.rows.get('stiffness').began === undefined")
    page.ask("bench.send({do: 'remove', icon: 'force 1'})")
    page.until("!bench.sliders.rows.has('force 1 x')")
    reached = live["stiffness"]
    page.page.keyboard.press("ArrowLeft")
    until(lambda: live["stiffness"] < reached)
    page.page.get_by_label("stiffness back to 200").click()
    until(lambda: live["stiffness"] == STIFFNESS)


def test_a_law_is_swapped_as_text_and_a_mistake_is_shown_at_its_place(page: Seat) -> None:
    live = page.live
    if not page.ask("document.getElementById('laws').parentElement.open"):
        page.page.locator("summary", has_text="Laws").click()
    box = page.page.locator('[data-law="text"]')
    until(lambda: box.input_value())
    box.fill("0.02 +* 'crank rate'")
    page.press("law")
    told = page.page.locator("#laws .place")
    until(lambda: "column 7" in told.inner_text())
    assert box.evaluate("e => e.selectionStart") == 6
    code = told.locator(".code")
    assert "^" in code.inner_text()
    assert code.evaluate("e => getComputedStyle(e).whiteSpace") == "pre"  # it stays under its place
    assert live.system.model.controls["brake"] is not None
    box.fill("0.02")
    turning = live.read("crank")  # at rest until then
    page.press("law")
    until(lambda: live.read("crank") > turning + 0.01)  # the motor pushes with 0.02 N m
    swapped = live.system
    page.press("undo")
    until(lambda: live.system is not swapped)


def test_a_loop_that_can_not_be_closed_again_is_let_be_and_the_edit_before_it_undone(
    page: Seat,
) -> None:
    """The page shows the run's own refusal, and a way past it. The last test: the loop is gone."""
    live = page.live
    page.choose("joint", "cart")
    field = page.page.get_by_label("friction [N]")
    field.fill("0.1")
    field.press("Enter")
    until(lambda: live.system.model.joints["cart"].friction)
    page.see_structure()
    page.choose("loop", "pin")
    page.press("remove loop")
    until(lambda: "pin" not in live.system.model.closures)
    page.see_structure()
    page.ask("bench.send({do: 'pause'})")
    page.until("bench.status.paused")
    at = page.ask("bench.world.at('rocker', [0.25, 0, 0])")
    assert isinstance(at, list)
    away = {"do": "pose", "body": "rocker", "point": [0.25, 0, 0], "to": [at[0] + 0.1, 0, at[2]]}
    page.ask("([message]) => bench.send(message)", away)
    page.press("undo")
    told = page.page.locator("#inspector .refusal")
    until(lambda: told.count() and "can't be taken back now" in told.inner_text())
    page.press("skip")
    until(lambda: "stays: no loop 'pin'" in page.page.locator(".report h3").inner_text())
    page.ask("bench.send({do: 'go'})")
    page.press("undo")
    until(lambda: not live.system.model.joints["cart"].friction)
    assert "pin" not in live.system.model.closures

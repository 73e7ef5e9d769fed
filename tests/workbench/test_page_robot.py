"""A robot's file on the page, in Chromium: it holds, sliders command its joints, buttons its modes
and keyframes; asserted is the live run in this process."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, until
from touchback import workbench
from touchback.workbench import Workbench

ARM = """<mujoco model="arm"><compiler autolimits="true"/>
  <asset><material name="steel" rgba="0.2 0.4 0.6 1"/></asset>
  <worldbody><geom type="cylinder" size=".1 .05" pos="0 0 .05" rgba=".1 .1 .1 1"/>
  <body name="upper" pos="0 0 .1"><joint name="shoulder" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 0 0 .4" size=".04" material="steel"/>
    <body name="lower" pos="0 0 .4"><joint name="elbow" axis="0 1 0" range="-150 150"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" rgba="0.9 0.5 0.1 1"/></body></body>
  </worldbody>
  <keyframe><key name="home" qpos="0.2 0.3"/><key name="up" qpos="0 -1.2"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(tb.read_mjcf(ARM)) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, viewport={"width": 1280, "height": 720}) as found:  # type: ignore[arg-type]
        yield found


def near(page: Seat, joint: str, value: float) -> bool:
    return abs(page.live.read(joint) - value) < 1e-3


def test_the_first_view_shows_all_of_it_in_its_colours_on_the_ground(page: Seat) -> None:
    """Its ends lie within the view and over a third of its height apart, and the ground is at the
    foot of its base."""
    assert page.ask("bench.scene.floor") == pytest.approx(0.0, abs=1e-9)
    colours = page.ask("bench.scene.shapes.map(each => each.colour)")
    assert colours == ["#1a1a1a", "#336699", "#e6801a"]
    page.see_now()
    box = page.page.locator("canvas:visible").first.bounding_box()
    assert box is not None
    ends = [page.pixel(body, at) for body, at in (
        ("ground", [0.0, 0.0, 0.0]), ("upper", [0.0, 0.0, 0.4]), ("lower", [0.3, 0.0, 0.0]),
    )]  # fmt: skip
    for x, y in ends:
        assert box["x"] < x < box["x"] + box["width"]
        assert box["y"] < y < box["y"] + box["height"]
    heights = [y for _, y in ends]
    assert max(heights) - min(heights) > box["height"] / 3.0


def test_each_joint_has_a_slider_in_degrees_that_commands_it(page: Seat) -> None:
    rows = page.page.locator(".slider-row.joint")
    assert rows.locator("label").all_text_contents() == ["shoulder", "elbow"]
    assert rows.locator(".unit").all_text_contents() == ["deg", "deg"]
    slider = rows.nth(1).locator("input[type=range]")
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("-150", "150")
    number = rows.nth(1).locator("input[type=number]")
    number.fill("30")
    number.press("Enter")
    until(lambda: near(page, "elbow", np.radians(30.0)))
    assert near(page, "shoulder", 0.2)  # as in the keyframe "home", where it began


def test_limits_of_joints_fold_away(page: Seat) -> None:
    box = page.page.locator(".slider-row[data-name='shoulder low']")
    assert box.count() == 1 and not box.is_visible()
    page.page.locator(".limits summary").click()
    until(box.is_visible)
    page.page.locator(".limits summary").click()


def test_a_keyframe_is_a_button(page: Seat) -> None:
    page.page.locator(".keyframes button", has_text="up").click()
    until(lambda: near(page, "elbow", -1.2) and near(page, "shoulder", 0.0))


def test_the_joints_hold_float_or_are_free(page: Seat) -> None:
    def pressed() -> list[str]:
        return page.page.locator(".modes [aria-pressed=true]").all_text_contents()

    assert pressed() == ["Hold"]
    page.page.locator("[data-mode='gravity compensation']").click()
    until(lambda: pressed() == ["Float"] and page.live["hold choice"] == 1.0)
    page.page.locator("[data-mode=free]").click()
    until(lambda: abs(page.live.read("elbow") + 1.2) > 0.05)  # it falls
    page.page.locator("[data-mode=hold]").click()
    until(lambda: pressed() == ["Hold"])
    # a held pose that is rounded to the command that it began with isn't another one
    row = "bench.sliders.rows.get('elbow command')"
    usual = float(page.ask(f"{row}.fact.default"))
    for away, changed in ((1.0, True), (1e-4, False)):  # deg; of 300
        page.live["elbow command"] = usual + away
        page.until(f"Math.abs({row}.value - {usual + away}) < 1e-9")
        assert page.ask(f"{row}.element.classList.contains('changed')") is changed
    page.live.choose("hold", "gravity compensation")  # by somebody else
    until(lambda: pressed() == ["Float"])
    assert page.errors == []


def test_the_hand_of_a_robot_is_pulled_while_it_runs_and_led_while_it_rests(page: Seat) -> None:
    """By a force it gives way and comes back; by inverse kinematics its joints follow within their
    limits, and it stays there when the run goes on."""
    live = page.live
    page.ask("() => bench.send({ do: 'hold', mode: 'hold' })")
    page.ask("() => bench.send({ do: 'keyframe', name: 'home' })")
    until(lambda: near(page, "elbow", 0.3) and near(page, "shoulder", 0.2))
    page.see_now()
    page.drag(page.pixel("lower", [0.2, 0.0, 0.0]), (0.0, -60.0), hold=True)
    until(lambda: live.read("elbow") < 0.2)  # pulled up
    page.page.mouse.up()
    until(lambda: near(page, "elbow", 0.3) and near(page, "shoulder", 0.2))
    live.pause()
    page.until("bench.status.paused")
    page.see_now()
    page.drag(page.pixel("lower", [0.2, 0.0, 0.0]), (0.0, -50.0))
    until(lambda: live.read("elbow") < 0.2)
    until(lambda: np.radians(live["elbow command"]) == pytest.approx(live.read("elbow"), abs=1e-6))
    posed = live.read("shoulder"), live.read("elbow")
    live.go()
    live.run(0.5)
    assert near(page, "shoulder", posed[0]) and near(page, "elbow", posed[1])

"""A visitor drives: keys, the dash's wheel and a gamepad steer the car that runs, and nothing else;
the road, the car and what it feels are seen."""

from collections.abc import Iterator
from threading import Thread

import msgspec
import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, shot, until
from touchback import gallery, workbench
from touchback.cli import vehicle_commands
from touchback.realtime.control import CommandServer, Exposed
from touchback.vehicle.driven_cars import CARS, WholeCar
from touchback.vehicle.drivers import Human
from touchback.vehicle.manoeuvres import model_of
from touchback.vehicle.simulator import blind_trial
from touchback.workbench.live_source import LiveSource
from touchback.workbench.page_source import Pedal, SceneSeat

STEER = "device wheel"


@pytest.fixture(scope="module")
def system() -> tb.System:
    """The car of the trial: its speed is kept, its wheel follows the page."""
    return gallery.make("driving-simulator", person=True, smoothing=12.0).compile()


@pytest.fixture(scope="module")
def page(chromium: object, system: tb.System) -> Iterator[Seat]:
    with (
        tb.live(system, rate=1000, method="rk4") as live,
        workbench.open(live) as bench,
        seat(chromium, bench) as found,  # type: ignore[arg-type]
    ):
        yield found


def scene_of(system: tb.System, exposed: Exposed | None = None) -> SceneSeat | None:
    """What who drives has at hand on a page of a run that hasn't begun."""
    run = tb.live(system)
    return LiveSource(run, CommandServer(run, exposed)).scene().seat


def test_a_seat_has_what_turns_the_wheel_and_what_is_felt(system: tb.System) -> None:
    wheel = Pedal(STEER, 7.5)  # rad: its input has no end, so it turns somewhat more than once
    assert scene_of(system) == SceneSeat("chassis", wheel, torque="felt torque")
    human = model_of(WholeCar(), Human(most=8.0), 10.0).compile()
    found = scene_of(human)
    assert found is not None and found.torque is None
    assert (found.steer, found.throttle, found.brake) == (
        Pedal("steering wheel", 8.0), Pedal("throttle", 1.0), Pedal("brake", 1.0),
    )  # fmt: skip
    assert scene_of(gallery.make("pendulum").compile()) is None


def test_who_may_not_turn_the_wheel_gets_no_seat(system: tb.System) -> None:
    assert scene_of(system, Exposed(inputs=["other"])) is None
    assert scene_of(system, Exposed(inputs=[STEER], parameters=False)) is not None


def test_an_obstacle_far_away_makes_the_picture_of_the_car_no_larger(system: tb.System) -> None:
    """It stands at −100 m, on a body that is fixed on the ground; the car is 3.6 m long."""
    run = tb.live(system)
    low, high = np.array(LiveSource(run, CommandServer(run)).scene().bounds)
    assert (high - low)[0] < 3 * 3.6


VEHICLES = (
    "buggy", "driving-simulator", "fitted-car", "gyroscope", "kart-bench", "mini-baja",
    "omni-wheel", "suspension", "tilting-vehicle",
)  # fmt: skip


@pytest.mark.parametrize("car", [*CARS, *VEHICLES])
def test_before_the_first_tick_every_shape_of_each_car_is_somewhere(car: str) -> None:
    """A page may open before its run starts: a number that is none would be null in its scene. The
    single-track car has states alone, and no body to be seen."""
    if car in CARS:
        model = model_of(CARS[car](), Human(), 10.0)
    else:
        model = gallery.entry(car).on_page.make()
    run = tb.live(model.compile())
    text = msgspec.json.encode(LiveSource(run, CommandServer(run)).scene())
    found = msgspec.json.decode(text)
    numbers = [x for each in found["shapes"] for x in (*each["numbers"], *each["at"])]
    least = {"gyroscope": 1, "fitted-car": 3}.get(car, 4)
    assert (len(found["shapes"]) >= least) is bool(run.system.model.bodies)
    assert None not in numbers
    assert None not in (*found["bounds"][0], *found["bounds"][1])


@pytest.mark.browser
def test_a_visitor_drives_attempts_and_sees_their_results(
    chromium: object, system: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enter starts, an arrow steers, the results open by themselves with two curves of an attempt
    and its numbers, are saved as a file, and the car begins anew. Who doesn't steer hits it, as the
    bar says, too. Of the run's clock nothing is offered that it wouldn't take."""
    for name, value in (("_STRAIGHT", (0.1, 0.2)), ("NOTICE", 0.5), ("_AFTER", 0.5)):
        monkeypatch.setattr(blind_trial, name, value)
    with (
        tb.live(system.independent_copy(), rate=1000, method="rk4") as live,
        workbench.open(live, exposed=vehicle_commands.ON_PAGE) as bench,
    ):
        session = vehicle_commands.open_session(bench, live, 1)
        serving = Thread(target=session.serve, daemon=True)
        serving.start()
        with seat(chromium, bench) as page:  # type: ignore[arg-type]
            page.until("bench.obstacle.phase === 'ready'")
            assert page.ask("document.documentElement.dataset.left") == "closed"
            page.until("bench.transport.exposed !== true")
            clock = page.page.locator("#transport > :is(button, select):visible")
            offered = {str(each.get_attribute("aria-label")) for each in clock.all()}
            assert "Emergency stop" in offered
            assert not {"Play (space)", "One tick (.)", "Back to the start", "Speed"} & offered
            page.page.keyboard.press(" ")
            page.page.keyboard.press("?")
            keys = page.page.locator("dialog .keys").all_inner_texts()
            assert keys and "play" not in " ".join(keys)
            page.page.keyboard.press("?")
            assert live.state == "paused" and page.page.locator("#notes .bad").count() == 0
            page.page.keyboard.down("ArrowLeft")
            page.page.keyboard.press("Enter")
            page.until("!bench.obstacle.results.hidden && bench.obstacle.phase === 'over'")
            page.page.keyboard.up("ArrowLeft")
            assert page.ask("document.querySelectorAll('#trial .curve').length") == 3
            assert "hidden" in page.page.locator("#trial tbody").inner_text()
            with page.page.expect_download() as saved:
                page.page.get_by_role("button", name="Save (CSV)").click()
            lines = saved.value.path().read_text().splitlines()
            assert lines[0].startswith("attempt,caster [rad],time") and len(lines) > 50
            page.page.get_by_label("Caster").select_option("0.15")
            page.page.get_by_role("button", name="Drive again").first.click()
            page.until("bench.obstacle.facts.attempts.length === 2")
            page.until("!bench.obstacle.results.hidden")
            assert "8.6°" in page.page.locator("#trial tbody").inner_text()
            page.page.set_viewport_size({"width": 390, "height": 844})  # a phone
            results = page.page.locator("#trial .results")
            assert results.evaluate("each => each.scrollWidth <= each.clientWidth")
            cells = page.page.locator("#trial td").all()
            assert all(cell.get_attribute("data-head") for cell in cells)
            assert all(
                cell.evaluate("each => each.scrollWidth <= each.clientWidth") for cell in cells
            )
            assert page.ask("bench.obstacle.facts.attempts[1].figures.gap") <= 0.0  # not steered
            assert page.page.locator("#trial [role=status]").inner_text() == "Hit it"
            page.page.keyboard.press("Escape")
            page.until("bench.obstacle.results.hidden")
            assert session.met[1].place < session.met[0].place + 30.0  # both from the start
        live.stop()
        serving.join()


@pytest.mark.browser
def test_the_page_opens_behind_the_car_on_its_road(page: Seat) -> None:
    """The eye looks ahead: sky above, in the middle below it the asphalt, grey, beside it grass,
    more green than anything else."""
    assert page.ask("bench.view.follow.seat.name") == "chase"
    page.until("bench.view.stages.space.roads().length >= 3")  # surface, lines, verge
    page.see_now()
    picture = shot(page)
    rows, columns, _ = picture.shape
    sky, grass = picture[rows // 20, columns // 2], picture[rows // 2, columns - 20]
    assert sky[2] > sky[0] + 8 and sky.min() > 120
    assert grass[1] == grass.max() and grass[1] > grass[2] + 15
    road = picture[int(0.36 * rows), columns // 2 - 40 : columns // 2 + 40].mean(axis=0)
    assert np.ptp(road) < 25


@pytest.mark.browser
def test_arrow_keys_turn_the_wheel_and_let_it_come_back(page: Seat) -> None:
    """At 20.8 m/s 280/v² = 0.64 rad, about what tyres bear and Docquier's drivers turned, is all
    that keys ask for; not the 7.5 rad of a car that stands."""
    page.page.keyboard.down("ArrowLeft")
    until(lambda: page.live[STEER] > 0.3)
    page.ask("() => new Promise(done => setTimeout(done, 800))")  # all the way, at any frame rate
    assert page.live[STEER] < 0.8
    turned = page.ask("bench.driving.turned.getAttribute('transform')")
    assert str(turned).startswith("rotate(-")  # of the picture: to the left
    page.page.keyboard.up("ArrowLeft")
    until(lambda: page.live[STEER] == 0.0)
    page.page.keyboard.down("d")
    until(lambda: page.live[STEER] < -0.1)
    page.page.keyboard.up("d")
    until(lambda: page.live[STEER] == 0.0)


@pytest.mark.browser
def test_a_drag_of_the_dash_turns_the_wheel_and_a_gamepad_too_which_rumbles(page: Seat) -> None:
    box = page.page.locator("#drive .rim").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.drag(middle, (40, 0), hold=True)
    until(lambda: page.live[STEER] < -0.1)  # to the right
    page.page.mouse.up()
    until(lambda: page.live[STEER] == 0.0)
    page.ask(
        "() => { window.pushes = []; const vibrationActuator = {"
        " playEffect: async (kind, of) => {"
        " pushes.push([kind, of.strongMagnitude, bench.status.felt]); } };"
        " const pad = { buttons: [], vibrationActuator };"
        " navigator.getGamepads = () => [{ ...pad, axes: [window.stick, 0] }];"
        " window.stick = -0.5; }"
    )
    until(lambda: page.live[STEER] > 0.1)  # left is below zero on gamepads
    # it rumbles with what the hands feel: a full push is 8 N m, and less than a tenth none
    ((kind, push, felt), *_) = until(lambda: page.ask("window.pushes"))  # type: ignore[misc]
    assert kind == "dual-rumble" and 0.1 < push <= 1.0
    assert push == pytest.approx(min(abs(felt) / 8.0, 1.0))
    page.ask("() => { window.stick = 0.02; }")  # no stick rests at zero
    until(lambda: page.live[STEER] == 0.0)


@pytest.mark.browser
def test_letters_in_a_field_are_no_steering(page: Seat) -> None:
    field = page.page.locator("#parameters input[type=number]").first
    field.focus()
    page.page.keyboard.press("ArrowLeft")
    assert page.ask("bench.driving.held.size") == 0
    page.page.locator("canvas:visible").first.focus()


@pytest.mark.browser
def test_the_dash_tells_speed_and_torque_and_the_view_from_above_stays_upright(page: Seat) -> None:
    """75 km/h are kept; the eye is 24 m above the driver's and looks down."""
    until(lambda: abs(int(str(page.ask("bench.driving.digits.textContent"))) - 75) <= 6)
    page.until("bench.driving.newtons.textContent.endsWith('N m')")
    page.page.get_by_label("Look from").select_option("from above")
    away = page.ask("bench.view.eye.shot(1).away")
    assert away == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    page.page.get_by_label("Look from").select_option("driver")
    away = page.ask("bench.view.eye.shot(1).away")  # ahead, not up, wherever the car has turned to
    assert abs(away[2]) < 0.3 and np.linalg.norm(away) == pytest.approx(1.0)
    # and the dash becomes a dashboard, from side to side of the view, with a larger wheel
    wide = (
        "['#view', '#drive', '#drive .rim'].map(each => document.querySelector(each).clientWidth)"
    )
    view, dash, rim = until(lambda: (w := page.ask(wide))[1] > 0.95 * w[0] and w)  # type: ignore
    assert rim > 100 and dash <= view
    page.page.get_by_label("Look from").select_option("chase")
    until(lambda: page.ask(wide)[2] < 90)  # type: ignore[index]

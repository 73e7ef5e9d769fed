"""Events: closed-form times, order, direction, ends, restarts, and what a run keeps of them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipkinc

import touchback as tb
from closed_suite import slider_crank_model
from hand_made_systems import GRAVITY, LENGTH, HandMadeSystem
from stiff_problems import van_der_pol
from touchback.simulate import RunFailed, RunInterrupted

G = 9.81
METHODS = ("dopri5", "radau5", "rk4", "trapezoidal")  # all exact on parabolas


def falling_ball() -> tb.Model:
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    return m


def clock() -> tb.Model:
    """ṡ = 1: every event time is known, and steps are as long as allowed."""
    m = tb.Model("clock")
    m.state("s", 0.0, rate=1.0)
    return m


def found(run: tb.Run, name: str | None = None) -> list[float]:
    return [event.time for event in run.events if name in (None, event.name)]


def simulate(model: tb.Model, duration: float, events: list[tb.Event], **options: object) -> tb.Run:
    return tb.simulate(model.compile(), None, duration, events=events, progress=False, **options)  # type: ignore[arg-type]


def impact_times(restitution: float, duration: float) -> list[float]:
    """Drop from 1 m, then flights of 2 v / g with v falling by the restitution."""
    first = np.sqrt(2.0 / G)
    times, speed = [first], G * first * restitution
    while times[-1] + 2.0 * speed / G < duration:
        times.append(times[-1] + 2.0 * speed / G)
        speed *= restitution
    return times


# ---- closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("method", METHODS)
def test_a_bouncing_ball_meets_the_floor_when_it_should(method: str, direction: int) -> None:
    """Also when both directions count: the floor is locked while the ball leaves it."""
    m = falling_ball()
    floor = tb.Event(
        "floor", m.coordinate("height"), direction, restart=lambda t, x: [0.0, -0.8 * x[1]]
    )
    run = simulate(m, 3.0, [floor], method=method)
    np.testing.assert_allclose(found(run), impact_times(0.8, 3.0), atol=1e-12)
    assert all(event.direction == -1 for event in run.events)
    for event in run.events:
        assert event.after is not None
        assert event.after["height rate"] == pytest.approx(-0.8 * event.state["height rate"])


@pytest.mark.parametrize(("method", "tolerance"), [("dopri5", 1e-11), ("radau5", 1e-12)])
def test_a_pendulum_crosses_angles_when_elliptic_functions_say(
    pendulum: HandMadeSystem, method: str, tolerance: float
) -> None:
    """sin(θ/2) = k sn(K − ω t) (Landau and Lifshitz, Mechanics, §11), k = sin(θ₀/2)."""
    start, angle = 2.0, 0.7
    run = tb.simulate(
        pendulum, [start, 0.0], 5.0, method=method, rtol=tolerance, atol=tolerance,
        events=[tb.Event("angle", lambda t, x: x[0] - angle)], progress=False,
    )  # fmt: skip
    k, frequency = np.sin(start / 2), np.sqrt(GRAVITY / LENGTH)
    quarter = ellipkinc(np.pi / 2, k * k)
    first = (quarter - ellipkinc(np.arcsin(np.sin(angle / 2) / k), k * k)) / frequency
    period = 4.0 * quarter / frequency
    expected = sorted(
        t for n in range(6) for t in (first + n * period, (n + 1) * period - first) if t < 5.0
    )
    np.testing.assert_allclose(found(run), expected, atol=1e-9)
    assert [event.direction for event in run.events] == [-1, 1] * (len(expected) // 2) + [-1] * (
        len(expected) % 2
    )
    # The dense output was as good as some multiple of the tolerances, and the run says which.
    assert 0.0 < max(event.error for event in run.events) < 1e4


def test_a_state_at_an_event_is_that_of_a_run_to_its_time(pendulum: HandMadeSystem) -> None:
    tight = {"rtol": 1e-10, "atol": 1e-10, "progress": False}
    run = tb.simulate(
        pendulum, [2.0, 0.0], 3.0, events=[tb.Event("bottom", lambda t, x: x[0])], **tight
    )  # type: ignore[arg-type]
    for event in run.events:
        direct = tb.simulate(pendulum, [2.0, 0.0], event.time, **tight)  # type: ignore[arg-type]
        assert event.state["speed"] == pytest.approx(direct["speed"][-1], abs=1e-8)
        assert abs(event.state["angle"]) < 1e-12  # corrected by steps of the method itself


def test_a_relaxation_oscillation_is_timed_through_its_stiff_jumps() -> None:
    """Against SciPy's Radau with its own event location."""
    from scipy.integrate import solve_ivp

    mu = 1e-2
    m = van_der_pol(mu)
    run = simulate(m, 3.0, [tb.Event("zero", "first")], method="radau5", rtol=1e-9, atol=1e-9)
    theirs = solve_ivp(
        lambda t, y: [y[1], ((1 - y[0] ** 2) * y[1] - y[0]) / mu], (0, 3), [2.0, 0.0],
        method="Radau", rtol=1e-9, atol=1e-9, events=lambda t, y: y[0],
    )  # fmt: skip
    np.testing.assert_allclose(found(run), theirs.t_events[0], atol=1e-6)


# ---- what counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dopri5", "radau5"])
def test_several_events_of_one_step_come_in_the_order_of_time(method: str) -> None:
    m = clock()
    s = m.signal("s")
    events = [tb.Event(f"{t}", s - t) for t in (0.71, 0.52, 0.7, 0.1, 0.53)]
    run = simulate(m, 1.0, events, method=method)
    np.testing.assert_allclose(found(run), [0.1, 0.52, 0.53, 0.7, 0.71], atol=1e-14)
    assert [event.name for event in run.events] == ["0.1", "0.52", "0.53", "0.7", "0.71"]


def test_one_function_may_cross_many_times_in_one_step() -> None:
    """dopri5 takes ṡ = 1 in a few long steps; each is looked at in eight parts."""
    m = clock()
    run = simulate(m, 1.0, [tb.Event("wave", tb.sin(20.0 * m.signal("s")))], step=0.5)
    assert run.metadata["statistics"]["accepted"] <= 8
    np.testing.assert_allclose(found(run), np.pi / 20.0 * np.arange(1, 7), atol=1e-13)


def test_direction_chooses_the_crossings() -> None:
    m = clock()
    wave = tb.sin(20.0 * m.signal("s"))
    events = [tb.Event("up", wave, +1), tb.Event("down", wave, -1), tb.Event("both", wave)]
    run = simulate(m, 1.0, events, step=0.05)
    crossings = np.pi / 20.0 * np.arange(1, 7)
    np.testing.assert_allclose(found(run, "down"), crossings[::2], atol=1e-13)
    np.testing.assert_allclose(found(run, "up"), crossings[1::2], atol=1e-13)
    np.testing.assert_allclose(found(run, "both"), crossings, atol=1e-13)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_an_event_exactly_at_the_end_of_a_step_happens_once(method: str) -> None:
    """Steps of 1/8 s reach s = 0.5 without rounding."""
    m = clock()
    run = simulate(m, 1.0, [tb.Event("half", m.signal("s") - 0.5)], method=method, step=0.125)
    assert found(run) == [0.5]


def test_an_event_exactly_at_the_end_of_a_run_happens() -> None:
    m = clock()
    run = simulate(m, 1.0, [tb.Event("end", m.signal("s") - 1.0)], method="rk4", step=0.125)
    assert found(run) == [1.0]


def test_a_function_that_is_zero_at_the_start_has_no_event_there() -> None:
    m = clock()
    s = m.signal("s")
    run = simulate(m, 1.0, [tb.Event("start", s), tb.Event("back", s * (s - 0.25))])
    assert found(run, "start") == []
    np.testing.assert_allclose(found(run, "back"), [0.25], atol=1e-14)


def test_locking_lets_an_event_rest() -> None:
    m = clock()
    wave = tb.sin(20.0 * m.signal("s"))
    run = simulate(m, 1.0, [tb.Event("wave", wave, locking=0.2)], step=0.05)
    np.testing.assert_allclose(found(run), np.pi / 20.0 * np.array([1, 3, 5]), atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_watching_does_not_change_a_run(method: str) -> None:
    m = falling_ball()
    m.force("spring", tb.JointEffort("height", lambda q, v: -30.0 * q**3 - v))
    watched = simulate(m, 1.0, [tb.Event("floor", "height")], method=method)
    alone = simulate(m, 1.0, [], method=method)
    np.testing.assert_array_equal(watched["height"], alone["height"])


# ---- ends and restarts ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dopri5", "radau5", "rk4", "euler", "implicit-euler"])
def test_a_terminal_event_ends_the_run_at_its_time(method: str) -> None:
    m = clock()
    events = [tb.Event("stop", m.signal("s") - 0.3337, terminal=True), tb.Event("late", "s", -1)]
    run = simulate(m, 1.0, events, method=method, step=0.01)
    assert run.time[-1] == run.events[-1].time == pytest.approx(0.3337, abs=1e-13)
    assert run["s"][-1] == pytest.approx(0.3337, abs=1e-13)
    assert (np.diff(run.time) > 0.0).all()


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_steps_go_on_along_their_grid_after_a_restart(method: str) -> None:
    """A counter that is set back whenever it reaches 0.1."""
    m = clock()
    reset = tb.Event("reset", m.signal("s") - 0.1, +1, restart=lambda t, x: [0.0])
    run = simulate(m, 0.97, [reset], method=method, step=0.03, output_step=0.03)
    np.testing.assert_allclose(found(run), 0.1 * np.arange(1, 10), atol=1e-13)
    np.testing.assert_allclose(run.time[:-1], 0.03 * np.arange(33), atol=1e-15)
    on_edge = np.abs((run.time + 0.05) % 0.1 - 0.05) < 1e-9
    np.testing.assert_allclose(run["s"][~on_edge], (run.time % 0.1)[~on_edge], atol=1e-12)


def test_two_walls_at_the_same_instant_both_act() -> None:
    m = tb.Model("corner", gravity=(0, 0, 0))
    a, b = m.state("x", 1.0), m.state("y", 1.0)
    va, vb = m.state("vx", -1.0, rate=0.0), m.state("vy", -1.0, rate=0.0)
    m.set_rate("x", va)
    m.set_rate("y", vb)
    walls = [
        tb.Event("left", a, -1, restart=lambda t, x: [x[0], x[1], -x[2], x[3]]),
        tb.Event("below", b, -1, restart=lambda t, x: [x[0], x[1], x[2], -x[3]]),
    ]
    run = simulate(m, 2.5, walls)
    assert sorted(event.name for event in run.events) == ["below", "left"]
    np.testing.assert_allclose(found(run), [1.0, 1.0], atol=2e-9)
    assert run["x"][-1] == pytest.approx(1.5, abs=1e-8)
    assert run["y"][-1] == pytest.approx(1.5, abs=1e-8)


# ---- closed loops --------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["partitioning", "projection"])
def test_events_of_a_closed_loop_lie_on_its_constraints(formulation: str) -> None:
    """A slider-crank: the slider passes x = r + l − 0.02 when the crank is where cosines say."""
    r, rod_length = 0.1, 0.4
    m = tb.Model("slider-crank", gravity=(0, 0, 0))
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(rod_length / 2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.5)
    m.close("pin", tb.PointInPlane("xz"), rod.at(rod_length, 0, 0), slider)
    system = m.compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 10.0})
    place = 0.48
    seen = []

    def watched(_t: float, x: np.ndarray) -> float:
        seen.append(np.abs(system.constraint_error(x[:3])).max())
        return 1.0

    run = tb.simulate(
        system, x0, 1.0, constraints=formulation, rtol=1e-9, atol=1e-10, progress=False,
        events=[tb.Event("there", m.coordinate("slider") - place), tb.Event("never", watched)],
    )  # fmt: skip
    # l² = r² + x² − 2 r x cos(crank)
    crank_there = np.arccos((r**2 + place**2 - rod_length**2) / (2.0 * r * place))
    assert len(run.events) >= 3
    for event in run.events:
        turned = abs((event.state["crank"] + np.pi) % (2.0 * np.pi) - np.pi)
        assert turned == pytest.approx(crank_there, abs=1e-8)
        q = [event.state[name] for name in system.coordinates]
        assert np.abs(system.constraint_error(q)).max() < 1e-11
    # Event functions never see a state of the dense output that isn't made consistent.
    assert max(seen) < 1e-11


@pytest.mark.parametrize("formulation", ["partitioning", "multipliers", "augmented-lagrangian"])
def test_a_crossing_of_a_closed_loop_is_one_event(formulation: str) -> None:
    """Also where dense output and step differ by more than the locking."""
    system = slider_crank_model().compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 10.0})
    own = formulation == "augmented-lagrangian"
    options = {"step": 1e-3} if own else {"method": "radau5", "rtol": 1e-7}
    run = tb.simulate(
        system, x0, 1.0, constraints=formulation, progress=False,
        events=[tb.Event("turns", "slider rate"), tb.Event("passes", lambda t, x: x[2] - 0.45)],
        **options,
    )  # fmt: skip
    assert len(run.events) == 9
    for first, second in pairwise(run.events):
        assert second.time > first.time + 1e-3


# ---- what is kept, and what is refused -----------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_events_are_saved_with_the_run(tmp_path: Path, suffix: str) -> None:
    m = falling_ball()
    run = simulate(m, 1.0, [tb.Event("floor", "height", restart=lambda t, x: [0.0, -x[1]])])
    path = tmp_path / f"run.{suffix}"
    run.save(path)
    assert tb.open(path).events == run.events
    assert "floor at 0.45" in str(run)
    assert "tb.Event(name='floor', function='height'" in run.metadata["repro_call"]


def test_a_plot_shows_events_as_lines() -> None:
    m = falling_ball()
    run = simulate(m, 1.0, [tb.Event("floor", "height", restart=lambda t, x: [0.0, -x[1]])])
    figure = run.plot("height")
    axis = figure.axes[0]
    lines = [line for line in axis.lines if len(set(line.get_xdata())) == 1]
    assert [line.get_xdata()[0] for line in lines] == found(run)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["floor"]


def test_sensors_and_parameters_serve_event_functions() -> None:
    m = falling_ball()
    limit = m.parameter("limit", 0.5)
    speed = m.sensor("speed", tb.Signal(-m.rate("height")))
    m.sensor("weight", tb.Signal(2.0 - 4.0 * m.coordinate("height")))
    events = [tb.Event("fast", speed - limit), tb.Event("half way", "weight")]
    system = m.compile()
    run = tb.simulate(
        system, None, 0.4, events=events, parameters={"limit": 1.5}, progress=False
    )  # fmt: skip
    assert found(run, "fast") == [pytest.approx(1.5 / G, abs=1e-12)]
    assert found(run, "half way") == [pytest.approx(np.sqrt(1.0 / G), abs=1e-12)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"function": 3.0}, "an expression of the model, the name"),
        ({"function": "height", "direction": 2}, "direction is"),
        ({"function": "height", "locking": 0.0}, "locking must be a positive"),
        ({"function": "height", "terminal": True, "restart": lambda t, x: x}, "leave one of them"),
    ],
)
def test_events_that_make_no_sense_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(tb.InputError, match=message):
        tb.Event("odd", **arguments)


@pytest.mark.parametrize(
    ("events", "options", "message"),
    [
        ([tb.Event("a", "hight")], {}, "height"),
        ([tb.Event("a", "height"), tb.Event("a", "height")], {}, "Two events are called 'a'"),
        (
            [tb.Event("a", "height")],
            {"method": "RK45"},
            "'RK45' looks for no events; use method='dopri5'",
        ),
        ([tb.Event("a", lambda t, x: 1 / 0)], {}, "event function raised ZeroDivisionError"),
        ([tb.Event("a", falling_ball().coordinate("height"))], {}, "belongs to another model"),
    ],
)
def test_events_that_cannot_be_followed_are_refused(
    events: list[tb.Event], options: dict, message: str
) -> None:
    with pytest.raises(tb.InputError, match=message):
        simulate(falling_ball(), 1.0, events, **options)


def test_constraint_forces_cannot_be_event_functions() -> None:
    m = tb.Model("held")
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0))
    m.drive("height", tb.Sine(0.1, 1.0))
    m.sensor("push", tb.Multiplier("height"))
    with pytest.raises(tb.InputError, match="'push' depends on accelerations or"):
        simulate(m, 1.0, [tb.Event("push", "push")])


# ---- functions that fail -------------------------------------------------------------------------


def raises_late(t: float, x: Any) -> float:
    if t > 0.2:
        raise ZeroDivisionError("late")
    return 1.0


FAILING = {
    "raises": (raises_late, "raised ZeroDivisionError"),
    "turns NaN": (lambda t, x: np.nan if t > 0.2 else 1.0, "'late' is no number"),
    "returns no number": (lambda t, x: "word" if t > 0.2 else 1.0, "raised ValueError"),
}


@pytest.mark.parametrize("method", ["dopri5", "radau5", "rk4", "euler"])
@pytest.mark.parametrize("how", FAILING)
def test_a_function_that_fails_keeps_the_run_so_far(how: str, method: str) -> None:
    function, said = FAILING[how]
    options = {} if method in ("dopri5", "radau5") else {"step": 1e-3}
    with pytest.raises(RunFailed, match=said) as failed:
        tb.simulate(
            falling_ball().compile(), None, 0.4, method=method, events=[tb.Event("late", function)],
            energy_balance=True, progress=False, output_step=1e-3, **options,
        )  # fmt: skip
    run = failed.value.run
    # Up to the step in which it fails; nothing after that was looked at.
    assert run.time[-1] <= 0.2 + 1e-12
    fallen = 0.5 * G * run.time**2
    np.testing.assert_allclose(run["height"], 1.0 - fallen, atol=G * 1e-3)  # Euler's first order
    assert abs(run.energy_balance.residual) < 0.02


def test_a_compiled_function_that_turns_nan_keeps_the_run_so_far() -> None:
    m = falling_ball()
    event = tb.Event("late", tb.sqrt(0.2 - m.time))
    with pytest.raises(RunFailed, match="'late' is no number from there on") as failed:
        tb.simulate(m.compile(), None, 0.4, method="rk4", step=1e-3, events=[event], progress=False)
    assert failed.value.run.time[-1] == pytest.approx(0.2, abs=1.1e-3)


@pytest.mark.parametrize(
    ("restart", "said"),
    [
        (lambda t, x: 1 / 0, "the restart of event 'floor' raised ZeroDivisionError"),
        (lambda t, x: [np.nan, 0.0], "return a state of 2 finite numbers"),
        (lambda t, x: [0.0], "return a state of 2 finite numbers"),
        (lambda t, x: "word", "the restart of event 'floor' raised ValueError"),
    ],
)
def test_a_restart_that_fails_keeps_the_run_so_far(restart: Any, said: str) -> None:
    with pytest.raises(RunFailed, match=said) as failed:
        simulate(falling_ball(), 1.0, [tb.Event("floor", "height", restart=restart)])
    run = failed.value.run
    assert run.events[-1].name == "floor" and run.time[-1] == pytest.approx(run.events[-1].time)


def test_ctrl_c_in_an_event_function_interrupts_the_run() -> None:
    def impatient(t: float, x: Any) -> float:
        if t > 0.2:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(RunInterrupted) as ended:
        tb.simulate(
            falling_ball().compile(), None, 0.4, method="rk4", step=1e-3,
            events=[tb.Event("late", impatient)], progress=False,
        )  # fmt: skip
    assert ended.value.run.time[-1] == pytest.approx(0.2, abs=1.1e-3)

"""A run that fails says when, which signal and what to do, and keeps everything up to there."""

import numpy as np
import pytest

import touchback as tb
from hand_made_systems import HandMadeSystem
from touchback.errors import SolveError
from touchback.simulate import RunFailed, simulate


@pytest.fixture(scope="module")
def slide() -> tb.System:
    m = tb.Model("slide")
    bob = m.body("bob", mass=1.0)
    slide = m.joint("slide", tb.Prismatic("x"), m.ground, bob)
    m.force("push", tb.JointEffort(slide, m.input("push")))
    return m.compile()


def test_a_failure_is_told_beside_the_end_of_a_run_that_begins_later(slide: tb.System) -> None:
    with pytest.raises(RunFailed, match=r"rk4 stopped at t = 5 s of 7 s: 'slide"):
        simulate(slide, duration=2.0, start=5.0, method="rk4", step=1.0, inputs={"push": 1e308})


ADAPTIVE = ["dopri5", "RK45", "DOP853", "Radau", "BDF"]


@pytest.mark.parametrize("method", ADAPTIVE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # SciPy's own, on the way to infinity
def test_a_solution_that_ends_stops_the_run_there(blow_up: HandMadeSystem, method: str) -> None:
    with pytest.raises(SolveError, match=r"blow-up: .* stopped at t = .*'level'") as caught:
        simulate(blow_up, duration=2.0, method=method, output_step=0.01)
    assert isinstance(caught.value, RunFailed)
    run = caught.value.run
    assert run.time[-1] == pytest.approx(1.0, abs=1e-5)
    early = run.time < 0.9
    assert early.sum() == 90
    # The solution's own sensitivity 1/(1 − t)² amplifies the tolerance of 1e-8 near the end.
    np.testing.assert_allclose(run["level"][early], 1 / (1 - run.time[early]), rtol=1e-4)


@pytest.mark.parametrize("method", ["rk4", "euler", *ADAPTIVE, "LSODA"])
@pytest.mark.filterwarnings("ignore")  # LSODA warns on its own
def test_a_rate_that_is_not_a_number_names_the_signal_and_the_mend(
    draining: HandMadeSystem, method: str
) -> None:
    """ż = −1 − √z reaches zero at t = 2 − 2 ln 2 and has no rate beyond."""
    with pytest.raises(RunFailed, match=r"'level'.*; .*check .*kept in `\.run`") as caught:
        simulate(draining, duration=2.0, method=method)
    run = caught.value.run
    end = 2 - 2 * np.log(2.0)
    assert run.time[-1] == pytest.approx(end, abs=3e-3)
    assert np.isfinite(run["level"]).all()
    assert len(run) > 300


def test_a_bad_start_keeps_the_initial_instant(draining: HandMadeSystem) -> None:
    with pytest.raises(RunFailed, match="at t = 0 s of 1 s: the rate of 'level' is nan") as caught:
        simulate(draining, [-1.0], 1.0)
    assert len(caught.value.run) == 1


def test_a_step_limit_is_said_with_its_mend(pendulum: HandMadeSystem) -> None:
    with pytest.raises(RunFailed, match=r"10 steps were not enough.*raise step_limit") as caught:
        simulate(pendulum, duration=10.0, step_limit=10)
    assert 0.0 < caught.value.run.time[-1] < 10.0
    with pytest.raises(RunFailed, match="10 steps were not enough"):
        simulate(pendulum, duration=10.0, step_limit=10, method="DOP853")


@pytest.mark.parametrize("method", ["rk4", "euler", "dopri5", "radau5", *ADAPTIVE[1:], "LSODA"])
@pytest.mark.filterwarnings("ignore")  # LSODA warns on its own
def test_an_input_function_that_raised_is_asked_no_more_but_for_what_is_recorded(
    slide: tb.System, method: str
) -> None:
    raised, later = [], []

    def push(t: float) -> float:
        if raised:
            later.append(t)
        if t > 0.5:
            raised.append(t)
            raise ZeroDivisionError("no force left")
        return 1.0 + t

    with pytest.raises(RunFailed, match=r"raised ZeroDivisionError \(no force left\)") as caught:
        simulate(slide, duration=1.0, method=method, inputs={"push": push}, output_step=0.01)
    run = caught.value.run
    assert len(raised) == 1
    assert len(later) <= len(run)
    early = run.time <= 0.5  # Euler reaches the instant at which it raised
    assert early.sum() >= len(run) - 1
    np.testing.assert_array_equal(run["push"][early], 1.0 + run.time[early])


@pytest.mark.parametrize("method", ["rk4", "dopri5", "RK45"])
def test_an_input_function_that_raises_is_the_cause_of_the_failure(
    pendulum: HandMadeSystem, method: str
) -> None:
    def torque(t: float) -> float:
        if t > 0.5:
            raise ZeroDivisionError("no torque left")
        return 0.0

    with pytest.raises(RunFailed, match=r"raised ZeroDivisionError \(no torque left\)") as caught:
        simulate(pendulum, duration=1.0, method=method, inputs={"torque": torque})
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert 0.3 < caught.value.run.time[-1] <= 0.5


def test_an_interrupt_inside_an_input_function_is_passed_on(pendulum: HandMadeSystem) -> None:
    def torque(t: float) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(pendulum, duration=1.0, inputs={"torque": torque})


@pytest.mark.parametrize("method", ["rk4", "dopri5", "radau5"])
@pytest.mark.parametrize("constraints", ["partitioning", "multipliers", "baumgarte", "projection"])
def test_a_constraint_that_stops_being_a_number_ends_the_run(method: str, constraints: str) -> None:
    """It is not dropped as if it repeated others: √(1/2 − t) of its rows is NaN from 0.5 s on."""
    m = tb.Model("tied")
    upper, lower = (m.body(name, mass=1.0, com=(0, 0, -1)) for name in ("upper", "lower"))
    m.joint("j", tb.Revolute("y"), m.ground, upper)
    m.joint("k", tb.Revolute("y"), upper, lower)
    tie = m.expression("'q:j'") - m.expression("'q:k'")
    m.constrain("tie", tie * tb.sqrt(0.5 - m.expression("time")))
    system = m.compile()
    start = system.assemble(j=0.4)
    with pytest.raises(RunFailed, match=r"stopped at t = 0\.(499|5) s"):
        tb.simulate(system, start, 1.0, method=method, constraints=constraints, progress=False)
    assert np.isnan(system.forward_dynamics([0.4, 0.4], [0.0, 0.0], t=0.7)).all()


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of an energy without end
def test_steps_with_rigid_contacts_that_fail_at_once_leave_their_start() -> None:
    """A speed whose square is no number."""
    m = tb.Model("rigid")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    cart = m.body("cart", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("swing", tb.Revolute("y"), cart, bob, position=0.5, velocity=1e200)
    tip = tb.contact.SpherePlaneContact(bob.at(0, 0, -1), m.ground.at(0, 0, -2))
    m.contact("floor", tip)
    with pytest.raises(RunFailed, match=r"moreau-jean stopped at t = 0 s of 1 s: the") as caught:
        tb.simulate(m.compile(), method="moreau-jean", step=1e-3, progress=False)
    run = caught.value.run
    assert run.time.tolist() == [0.0] and abs(run["floor gap"][0] - (2.0 - np.cos(0.5))) < 1e-12

"""Plans by collocation and by shooting: optima in closed form and by SciPy's Riccati solution, and
mechanisms that our own steps take where they were planned to be."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import touchback as tb
from benchmarks.planned_mechanisms import cart_pole

Planner = Callable[..., tb.planning.Plan]
BOTH = pytest.mark.parametrize("plan", [tb.planning.collocate, tb.planning.shoot])


@pytest.fixture(scope="module")
def slider() -> tb.System:
    """ẍ = push, of at most 10."""
    m = tb.Model("slider")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    m.force("motor", tb.JointEffort("x", m.input("push", unit="N", min=-10, max=10)))
    return m.compile()


def effort(at: Any) -> Any:
    return at["push"] ** 2


@BOTH
def test_the_least_effort_from_rest_to_rest_is_that_of_a_cubic(
    slider: tb.System, plan: Planner
) -> None:
    """x = 3t² − 2t³ (Bryson and Ho 1975, section 2.3), whose push is linear, as plans are."""
    found = plan(slider, [0, 0], 1.0, effort, end={"x": 1, "x rate": 0}, knots=11)
    np.testing.assert_allclose(found.values[:, 0], 6 - 12 * found.times, atol=1e-6)
    assert found.cost == pytest.approx(12.0, rel=1e-9)


@BOTH
def test_the_least_time_pushes_fully_and_then_fully_back(slider: tb.System, plan: Planner) -> None:
    """With a push that turns within one interval h: d = u (T²/4 − h²/12), by two integrations."""
    found = plan(slider, [0, 0], (0.1, 2.0), lambda at: 1.0, end={"x": 1, "x rate": 0}, knots=20)
    h = found.times[1]
    assert found.times[-1] == pytest.approx(math.sqrt(4 * (1 / 10 + h**2 / 12)), rel=1e-6)
    assert found.cost == pytest.approx(found.times[-1])
    wanted = np.repeat([10.0, -10.0], 10)
    np.testing.assert_allclose(found.values[:, 0], wanted, atol=1e-3)


@BOTH
def test_squares_cost_what_riccatis_equation_says(slider: tb.System, plan: Planner) -> None:
    """∫ x² + 0.1 u² = x₀ᵀ P x₀ and u(0) = −K x₀ over a time that is long for the closed loop."""
    start, R = np.array([1.0, 0.5]), 0.1
    P = solve_continuous_are([[0, 1], [0, 0]], [[0], [1]], np.diag([1.0, 0.0]), [[R]])
    found = plan(slider, start, 8.0, lambda at: at["x"] ** 2 + R * at["push"] ** 2, knots=81)
    assert found.cost == pytest.approx(start @ P @ start, rel=1e-5)
    assert found.values[0, 0] == pytest.approx(-P[1] @ start / R, rel=1e-2)


@pytest.mark.parametrize(
    ("plan", "options"), [(tb.planning.collocate, {}), (tb.planning.shoot, {"step": 1.0})]
)
def test_the_pole_is_raised_as_our_own_steps_agree(plan: Planner, options: Any) -> None:
    """Defects are of fourth order in the time between knots: half of it leaves a sixteenth."""
    system = cart_pole()
    start = system.assemble(pole=math.pi)
    end, off, costs = dict.fromkeys(system.state_names, 0.0), [], []
    for knots in (31, 61):
        found = plan(system, start, 2.0, effort, end=end, knots=knots, **options)
        assert np.abs(found.values).max() <= 15.0
        run = tb.simulate(
            system, start, 2.0, inputs={"push": (found.times, found.values[:, 0])}, rtol=1e-10,
            atol=1e-12, progress=False,
        )  # fmt: skip
        off.append(max(abs(run[name][-1]) for name in end))
        costs.append(found.cost)
    assert 8.0 < off[0] / off[1] < 32.0
    fine = tb.planning.shoot(system, start, 2.0, effort, end=end, knots=61)
    assert costs[1] == pytest.approx(fine.cost, rel=1e-4)  # of 82.6 N² s


def test_a_crank_whose_slider_is_closed_into_a_loop_is_shot_where_it_shall_stop() -> None:
    system = tb.gallery.make("slider-crank").compile()
    start, torque = system.assemble(crank=0.3), "motor torque"
    found = tb.planning.shoot(
        system, start, 0.1, lambda at: at[torque] ** 2, end={"crank": 1.0, "crank rate": 0},
        knots=5, step=6.25e-3,
    )  # fmt: skip
    run = tb.simulate(
        system, start, 0.1, inputs={torque: (found.times, found.values[:, 0])}, rtol=1e-10,
        progress=False,
    )  # fmt: skip
    assert run["crank"][-1] == pytest.approx(1.0, abs=1e-4)
    assert run["crank rate"][-1] == pytest.approx(0.0, abs=1e-2)
    with pytest.raises(tb.InputError, match=r"slider-crank: .*no constraints.*tb\.planning\.shoot"):
        tb.planning.collocate(system, start, 0.1, lambda at: at[torque] ** 2)


@BOTH
def test_a_mechanism_with_modes_is_not_planned_as_if_it_had_none(plan: Planner) -> None:
    m = tb.Model("ball")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("ball", mass=1.0))
    m.force("motor", tb.JointEffort("x", m.input("push", unit="N")))
    m.mode("flight")
    turned = {"v:x": -m.rate("x")}
    m.transition("turn", "flight", "flight", when=1.0 - m.coordinate("x"), reset=turned)
    with pytest.raises(tb.InputError, match=rf"ball: tb.planning.{plan.__name__} knows no modes"):
        plan(m.compile(), [0.0, 0.0, 0.0], 1.0, effort, knots=5)


@BOTH
def test_what_neither_method_can_follow_is_refused_in_its_own_name(
    slider: tb.System, plan: Planner
) -> None:
    """A memory changes at ticks, of which a plan's equations know nothing; a model has none yet;
    and without an input there is nothing to plan."""
    call = rf"tb\.planning\.{plan.__name__}"
    m = tb.Model("ticking")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    m.force("motor", tb.JointEffort("x", m.input("push", unit="N")))
    m.memory("ticks", update=lambda before: before + 1.0)
    with pytest.raises(tb.InputError, match=rf"ticking: {call} knows nothing of .*'ticks'"):
        plan(m.compile(), [0.0, 0.0, 0.0], 1.0, effort, knots=5)
    with pytest.raises(tb.InputError, match=rf"{call}: 'ticking' is a model; compile it"):
        plan(m, [0.0, 0.0], 1.0, effort, knots=5)
    m = tb.Model("coasting")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    with pytest.raises(tb.InputError, match="coasting: it has no inputs that could be planned"):
        plan(m.compile(), [0.0, 0.0], 1.0, lambda at: at["x"] ** 2, knots=5)


def valley(at: Any) -> Any:
    """Two ways that cost the same: to x = 1 and to x = −1."""
    return (at["x"] ** 2 - 1.0) ** 2 + 1e-2 * at["push"] ** 2


@BOTH
def test_a_guess_decides_which_of_two_equal_valleys_is_gone_to(
    slider: tb.System, plan: Planner
) -> None:
    """From the ridge between them both plans are mirror images, as are the sums that IPOPT makes
    of them."""
    way = np.linspace([0.0, 0.0], [1.0, 0.0], 11)
    right, left = (plan(slider, [0, 0], 3.0, valley, knots=11, guess=s * way) for s in (1, -1))
    assert right.values[0, 0] > 1.0  # N, to the right
    np.testing.assert_allclose(left.values, -right.values, atol=1e-6)  # IPOPT's tolerance is 1e-9
    assert left.cost == pytest.approx(right.cost, rel=1e-9)


@BOTH
def test_without_a_guess_the_search_begins_straight_to_the_end(
    slider: tb.System, plan: Planner
) -> None:
    """With 41 knots, unless others are asked for. The same iterations end in the same bits, of a
    cost that isn't quadratic and takes several."""
    end = {"x": 1.0, "x rate": 0.5}
    straight = np.linspace([0.2, 0.0], [1.0, 0.5], 41)
    found, told = (
        plan(slider, [0.2, 0.0], 1.0, lambda at: at["push"] ** 4 + at["x"] ** 4, end=end, **given)
        for given in ({}, {"guess": straight})
    )
    assert found.times.tolist() == np.linspace(0.0, 1.0, 41).tolist()
    assert np.array_equal(found.values, told.values)


@BOTH
def test_an_end_that_no_push_can_meet_is_told(slider: tb.System, plan: Planner) -> None:
    with pytest.raises(tb.SolveError, match="slider: IPOPT found no plan"):
        plan(slider, [0.0, 0.0], 0.1, effort, end={"x": 5.0}, knots=5)


@BOTH
def test_costs_that_are_no_numbers_are_told_once(slider: tb.System, plan: Planner, capfd) -> None:
    with pytest.raises(tb.SolveError, match=r"IPOPT found no plan \(Invalid_Number_Detected\)"):
        plan(slider, [0.0, 0.0], 1.0, lambda at: (at["x"] - 1.0) ** 0.5, knots=5)
    assert capfd.readouterr() == ("", "")  # casadi would warn of each


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"guess": np.zeros((3, 3))}, r"guess: finite numbers of shape \(5, 2\)"),
        ({"guess": np.full((5, 2), np.nan)}, "guess: finite numbers"),
        ({"guess": np.where(np.eye(5, 2) > 0.0, np.inf, 0.0)}, "guess: finite numbers"),
        ({"end": {"x": np.nan}}, "end: 'x' must be a finite number, got nan"),
        ({"end": {"y": 1.0}}, "state 'y'"),
        ({"cost": lambda at: at["pull"]}, "state or input 'pull'.*push"),
        ({"duration": (2.0, 1.0)}, r"duration: seconds, or a pair \(least, most\).*2.0, 1.0"),
        ({"duration": (0.0, 1.0)}, "duration must be a positive number"),
        ({"step": 0.0}, "step must be a positive number"),
        ({"step": 1e-9}, r"2.5e\+08 steps from one knot to the next, and at most 10000"),
        ({"cost": 5}, "cost: a function of states and inputs.*got 5"),
        ({"cost": lambda at: [at["push"], 1.0]}, "cost: .* one number, and it gave"),
        ({"cost": lambda: 1.0}, "cost: the function takes 0 arguments, and is given 1 argument"),
    ],
)
def test_what_cant_be_planned_is_refused(
    slider: tb.System, options: dict[str, Any], said: str
) -> None:
    given: dict[str, Any] = {"duration": 1.0, "cost": effort, "knots": 5}
    with pytest.raises(tb.InputError, match=said):
        tb.planning.shoot(slider, [0.0, 0.0], **{**given, **options})

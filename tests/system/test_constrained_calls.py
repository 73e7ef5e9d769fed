"""Calls of constrained systems: C gives what NumPy's least squares give, with redundant rows and
frictions that are turned round as well."""

import numpy as np
import pytest

import touchback as tb
from python_friction import solve_accelerations
from touchback.gallery import make


def compiled(name: str) -> tb.System:
    system = make(name).compile()
    assert system.constrained
    return system


def states(system: tb.System, count: int = 5) -> tuple[np.ndarray, np.ndarray]:
    start, random = system.assemble(), np.random.default_rng(3)
    q = start.q + 1e-3 * random.normal(size=(count, start.q.size))
    return q, start.v + random.normal(size=(count, start.v.size))


@pytest.mark.parametrize("name", ["slider-crank", "crank-rocker", "stewart-platform", "suspension"])
def test_accelerations_and_multipliers_are_those_of_least_squares(name: str) -> None:
    system = compiled(name)
    Q, V = states(system)
    tau = np.random.default_rng(4).normal(size=V.shape)
    for q, v, effort in zip(Q, V, tau, strict=True):
        for given in (None, effort):
            terms = system.terms(q, v)
            if given is not None:
                terms.f = given - system.bias(q, v)
            a, multipliers = solve_accelerations(terms)
            found = system.forward_dynamics(q, v, given)
            np.testing.assert_allclose(found, a, rtol=1e-8, atol=1e-8 * np.abs(a).max())
            told = list(system.multipliers(q, v, given).values())
            scale = np.abs(multipliers).max(initial=1e-300)
            np.testing.assert_allclose(told, multipliers, rtol=1e-7, atol=1e-8 * scale)


@pytest.mark.parametrize("name", ["slider-crank", "stewart-platform"])
def test_arrays_of_states_and_calls_in_any_order_give_the_same_bits(name: str) -> None:
    system = compiled(name)
    Q, V = states(system)
    n = V.shape[1]
    alone = [compiled(name).forward_dynamics(q, v) for q, v in zip(Q, V, strict=True)]
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1, 1]):
        for k in order:  # no call hangs on those before
            np.testing.assert_array_equal(system.forward_dynamics(Q[k], V[k]), alone[k])
    np.testing.assert_array_equal(system.forward_dynamics(Q, V), alone)
    rates = system.state_rate(Q[None], V)
    assert rates.shape == (1, 5, sum(system.sizes))
    nq = Q.shape[1]
    np.testing.assert_array_equal(rates[0, :, nq : nq + n], alone)
    np.testing.assert_array_equal(system.state_rate(Q[2], V[2]), rates[0, 2])
    multipliers, joint = system.multipliers(Q, V), next(iter(system.model.joints))
    for row, numbers in multipliers.items():
        assert numbers.tolist() == [system.multipliers(q, v)[row] for q, v in zip(Q, V)]
    reactions = [system.reaction(joint, q, v) for q, v in zip(Q, V)]
    np.testing.assert_array_equal(system.reaction(joint, Q, V), reactions)
    for sensor, shown in system.sensors(Q, V).items():
        assert shown.tolist() == [system.sensors(q, v)[sensor] for q, v in zip(Q, V)]


def test_threads_share_many_states_without_changing_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    system = compiled("slider-crank")
    Q, V = states(system, 203)
    wanted = np.stack([system.state_rate(q, v) for q, v in zip(Q, V, strict=True)])
    monkeypatch.setattr("touchback.system.compiled_function._A_THREAD", 1)
    for cores in (1, 2, 3, 100):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: range(cores))
        np.testing.assert_array_equal(system.state_rate(Q, V), wanted)


def redundant() -> tb.System:
    """Two slides of one body, in parallel: rows beyond those that are needed share the load."""
    m = tb.Model("sledge", gravity=(0, 0, -9.81))
    sledge = m.body("sledge", 2.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    m.joint("free", tb.Planar("y"), m.ground, sledge)
    m.close("left", tb.PointOnPlane("z"), m.ground, sledge.at(-1, 0, 0))
    m.close("middle", tb.PointOnPlane("z"), m.ground, sledge)
    m.close("right", tb.PointOnPlane("z"), m.ground, sledge.at(1, 0, 0))
    return m.compile()


def test_redundant_rows_share_their_load_with_least_norm_on_both_roads() -> None:
    system = redundant()
    start = system.assemble()
    terms = system.terms(start.q, start.v)
    wanted_a, wanted = solve_accelerations(terms)
    a, told = system.forward_dynamics(start.q, start.v), system.multipliers(start.q, start.v)
    np.testing.assert_allclose(a, wanted_a, atol=1e-12)
    np.testing.assert_allclose(list(told.values()), wanted, rtol=1e-12)
    assert all(abs(number) > 1.0 for number in wanted)  # each carries some
    np.testing.assert_array_equal(system.forward_dynamics(start.q, start.v), a)  # in C at once
    assert system.multipliers(start.q, start.v) == told
    pair = system.forward_dynamics(np.stack([start.q] * 2), start.v)
    np.testing.assert_array_equal(pair, [a, a])


def test_switching_and_parameters_are_in_the_next_call() -> None:
    system = compiled("slider-crank")
    start = system.assemble()
    tied = system.forward_dynamics(start.q, start.v)
    system.deactivate("pin")
    free = system.forward_dynamics(start.q, start.v)
    assert not np.allclose(tied, free) and system.multipliers(start.q, start.v) == {}
    system.activate("pin")
    np.testing.assert_array_equal(system.forward_dynamics(start.q, start.v), tied)
    system["crank radius"] = 0.12
    moved = system.assemble()
    other = system.forward_dynamics(moved.q, moved.v)
    fresh = compiled("slider-crank")
    fresh["crank radius"] = 0.12
    np.testing.assert_array_equal(fresh.forward_dynamics(moved.q, moved.v), other)


@pytest.mark.parametrize("name", ["slider-crank", "crank-rocker", "stewart-platform"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_state_that_is_no_number_gives_no_number(name: str, bad: float) -> None:
    """Nothing of the motion, and no other state of the array, is taken from it."""
    system = compiled(name)
    Q, V = states(system)
    whole = system.forward_dynamics(Q, V)
    for place in range(Q.shape[1]):
        broken = Q.copy()
        broken[2, place] = bad
        found, told = system.forward_dynamics(broken, V), system.multipliers(broken, V)
        rows = np.isfinite(found).all(axis=1)
        assert rows[[0, 1, 3, 4]].all()
        np.testing.assert_array_equal(found[rows], whole[rows])
        if not rows[2]:
            assert np.isnan(found[2]).all()
            assert all(np.isnan(numbers[2]) for numbers in told.values())
    broken = np.full_like(Q, bad)
    assert np.isnan(system.forward_dynamics(broken, V)).all()

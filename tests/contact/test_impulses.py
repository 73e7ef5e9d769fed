"""Contact impulses fulfil Signorini's and Coulomb's laws, whoever solves for them."""

import math
from dataclasses import replace

import numpy as np
import pytest

import python_gauss_seidel
import touchback as tb
from touchback.contact import ContactProblem, Friction, critical_friction, solve_contacts
from touchback.contact.contact_impulses import enumerate_states, gauss_seidel
from touchback.native.contact.moreau_jean import ImpulseProblem


def random_problem(seed: int, contacts: int, tangents: int) -> ContactProblem:
    """Contacts of a mechanism with more freedoms than rows; mostly approaching."""
    rng = np.random.default_rng(seed)
    rows = contacts * (1 + tangents)
    W = rng.normal(size=(rows, rows + 4))
    M = np.diag(rng.uniform(0.5, 2.0, rows + 4))
    starts = tuple(range(0, rows, 1 + tangents))
    c = rng.normal(size=rows)
    c[list(starts)] -= 0.7
    groups = tuple(
        Friction(tuple(range(n + 1, n + 1 + tangents)), i, rng.uniform(0.05, 0.5))
        for i, n in enumerate(starts)
        if tangents
    )
    return ContactProblem(W @ np.linalg.solve(M, W.T), c, starts, groups)


def complaints(problem: ContactProblem, p: np.ndarray, slack: float) -> list[str]:
    """Which laws p breaks by more than `slack`."""
    u = problem.G @ p + problem.c
    found = []
    for n in problem.normals:
        if p[n] < -slack or u[n] < -slack or abs(p[n] * u[n]) > slack:
            found.append(f"Signorini at row {n}: p {p[n]}, u {u[n]}")
    for group in problem.friction:
        t, limit = list(group.rows), group.coefficient * p[problem.normals[group.contact]]
        if np.linalg.norm(p[t]) > limit + slack:
            found.append(f"cone at rows {t}")
        speed = np.linalg.norm(u[t])
        if np.linalg.norm(p[t] * speed + limit * u[t]) > slack:
            found.append(f"slip at rows {t}: p {p[t]}, u {u[t]}")
    return found


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_enumeration_keeps_the_laws_to_rounding(seed: int, contacts: int) -> None:
    problem = random_problem(seed, contacts, tangents=1)
    p = enumerate_states(problem)
    assert p is not None
    assert complaints(problem, p, slack=1e-11) == []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tangents", [0, 1, 2])
def test_gauss_seidel_keeps_the_laws(seed: int, tangents: int) -> None:
    """It stops when a sweep changes velocities by 1e-13; slow convergence leaves some more."""
    problem = random_problem(seed, 5, tangents)
    assert complaints(problem, gauss_seidel(problem), slack=1e-8) == []


@pytest.mark.parametrize("seed", range(10))
def test_without_friction_both_find_the_one_solution(seed: int) -> None:
    """A positive definite complementarity problem has exactly one."""
    problem = random_problem(seed, 4, tangents=0)
    p = enumerate_states(problem)
    assert p is not None
    np.testing.assert_allclose(gauss_seidel(problem), p, atol=1e-9)


def test_a_redundant_contact_is_solved_by_sweeping() -> None:
    """Two contacts that say the same: the sum of their impulses is what one alone would need."""
    problem = ContactProblem(np.ones((2, 2)), np.array([-3.0, -3.0]), (0, 1))
    assert solve_contacts(problem).sum() == pytest.approx(3.0, abs=1e-12)


def test_sweeps_that_don_t_settle_are_reported() -> None:
    problem = random_problem(1, 4, 2)
    with pytest.raises(tb.SolveError, match="2 sweeps over 4 contacts"):
        gauss_seidel(problem, sweep_limit=2)


def test_tangents_that_act_on_each_other_settle_at_once() -> None:
    """Both stick: u = 0. A step by each row's own mass alone would go too far."""
    G = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.99], [0.0, 0.99, 1.0]])
    problem = ContactProblem(G, np.array([-1.0, 0.1, 0.1]), (0,), (Friction((1, 2), 0, 0.5),))
    p = gauss_seidel(problem, sweep_limit=40)
    assert p == pytest.approx([1.0, -0.1 / 1.99, -0.1 / 1.99], abs=1e-13)


def test_critical_friction_of_a_symmetric_contact_is_infinite() -> None:
    assert critical_friction(np.eye(2), 1.0) == math.inf
    assert critical_friction(np.array([[2.0, 0.5], [0.5, 1.0]]), 1.0) == 4.0
    assert critical_friction(np.array([[2.0, 0.5], [0.5, 1.0]]), -1.0) == math.inf


# ---- the solvers in C ----------------------------------------------------------------------------


def pivoted(problem: ContactProblem) -> np.ndarray:
    groups = [(group.rows, group.contact, group.coefficient) for group in problem.friction]
    memory = ImpulseProblem(len(problem.c), len(problem.normals), len(groups))
    memory.fill(problem.G, problem.c, problem.normals, groups)
    p, count = memory.pivot()
    assert count >= 0
    return p


def improved(problem: ContactProblem, guess: np.ndarray) -> np.ndarray:
    groups = [(group.rows, group.contact, group.coefficient) for group in problem.friction]
    memory = ImpulseProblem(len(problem.c), len(problem.normals), len(groups))
    memory.fill(problem.G, problem.c, problem.normals, groups)
    p = guess.copy()
    memory.improve(p)
    return p


def test_newtons_method_leaves_open_contacts_without_an_impulse() -> None:
    """Each alone: what comes is stopped, what leaves isn't held."""
    c = np.array([1.0, -2.0, 0.5])
    problem = ContactProblem(np.eye(3), c, (0, 1, 2))
    for guess in (np.zeros(3), np.ones(3)):
        np.testing.assert_allclose(improved(problem, guess), [0.0, 2.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("tangents", [0, 1, 2])
def test_newtons_method_makes_rough_impulses_exact(tangents: int) -> None:
    """From what some sweeps leave it comes to rounding; of five contacts some are open."""
    opened = 0
    for seed in range(20):
        problem = random_problem(seed, 5, tangents)
        exact = gauss_seidel(problem)
        p = improved(problem, exact + 1e-6 * np.abs(exact))
        assert complaints(problem, p, slack=1e-12) == []
        np.testing.assert_allclose(p, exact, atol=1e-8)
        opened += int((p[list(problem.normals)] == 0.0).sum())
    assert opened > 10


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_pivoting_finds_the_impulses_of_enumeration(contacts: int) -> None:
    for seed in range(100):
        problem = random_problem(seed, contacts, tangents=1)
        p = enumerate_states(problem)
        np.testing.assert_allclose(pivoted(problem), p, atol=1e-13)


def test_pivoting_keeps_the_laws_of_many_contacts() -> None:
    for seed in range(20):
        problem = random_problem(seed, 12, tangents=1)
        assert complaints(problem, pivoted(problem), slack=1e-11) == []


@pytest.mark.parametrize("tangents", [0, 1, 2])
@pytest.mark.parametrize("restitution", [False, True])
def test_sweeping_in_c_gives_what_sweeping_in_python_gives(
    tangents: int, restitution: bool
) -> None:
    """Also with impulses that are given back at least, and from a guess."""
    for seed in range(10):
        problem = random_problem(seed, 4, tangents)
        if restitution:
            problem = replace(problem, least=np.random.default_rng(seed).uniform(0.0, 0.3, 4))
        guess = np.random.default_rng(seed).uniform(size=len(problem.c))
        expected = python_gauss_seidel.gauss_seidel(problem)
        for p in (gauss_seidel(problem), gauss_seidel(problem, guess)):
            np.testing.assert_allclose(p, expected, atol=1e-10)

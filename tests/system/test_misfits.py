"""What doesn't fit, in functions of arrays and of states, is refused in our words; states can be
compared."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery


@pytest.fixture(scope="module")
def crank() -> tb.System:
    return gallery.make("slider-crank").compile()


def test_arrays_by_name_that_do_not_go_together_are_told(crank: tb.System) -> None:
    first, second = crank.coordinates[:2]
    apart: Any = {first: np.ones(3), second: np.ones(4)}
    for call in (
        lambda: crank.forward_dynamics(apart, np.ones(3)),
        lambda: crank.mass_matrix(apart),
        lambda: crank.pose(next(iter(crank.model.bodies)), apart),
    ):
        with pytest.raises(tb.InputError, match=r"leading dimensions \(3,\), \(4,\) don't go"):
            call()


def test_parameters_by_array_that_do_not_go_together_are_told() -> None:
    m = tb.Model("pendulum")
    length, mass = m.parameter("length", 1.0), m.parameter("mass", 1.0)
    m.joint("swing", tb.Revolute("y"), m.ground, m.body("bob", mass, com=(0, 0, -length)))
    given = {"length": np.ones(3), "mass": np.ones(4)}
    with pytest.raises(tb.InputError, match=r"^bias: arrays of states with leading .*\(3,\), \(4,"):
        m.compile().bias([0.1], [0.0], parameters=given)


def test_accelerations_of_a_reaction_must_fit_its_states(crank: tb.System) -> None:
    five, seven = np.ones((5, 3)), np.ones((7, 3))
    with pytest.raises(tb.InputError, match=r"^reaction: arrays of states with leading dimensions"):
        crank.reaction("crank", five, five, seven)


def test_terms_are_written_to_terms(crank: tb.System) -> None:
    q = crank.assemble().q
    for wrong in (np.zeros(3), "terms", 1):
        with pytest.raises(tb.InputError, match=r"^terms: out must be terms, as `terms` gives"):
            crank.terms(q, q, out=wrong)  # type: ignore[arg-type]
    many = crank.terms(np.tile(q, (2, 1)), q)
    with pytest.raises(tb.InputError, match=r"^terms: out\.h has shape \(2, 2\), not \(2,\)"):
        crank.terms(q, q, out=many)
    found = crank.terms(q, q)
    found.M.flags.writeable = False
    with pytest.raises(tb.InputError, match=r"^terms: out must be contiguous, .* and writeable"):
        crank.terms(q, q, out=found)
    assert found == found and found != crank.terms(q, q)  # which says no more than that it is it


def test_out_may_be_of_any_kind_that_hides_nothing(crank: tb.System, tmp_path: Any) -> None:
    q = np.tile(crank.assemble().q, (5, 1))
    with pytest.raises(tb.InputError, match=r"^mass_matrix: out must be a plain array, got a mask"):
        crank.mass_matrix(q, out=np.ma.zeros((5, 3, 3)))
    kept = np.memmap(tmp_path / "M", dtype=float, mode="w+", shape=(5, 3, 3))
    assert crank.mass_matrix(q, out=kept) is kept
    np.testing.assert_array_equal(kept, crank.mass_matrix(q))


def test_a_state_stands_where_its_numbers_do(crank: tb.System) -> None:
    state = crank.assemble(crank=0.3)
    x, lost = crank.consistent(state)
    np.testing.assert_array_equal(x, crank.consistent(state.x)[0])
    np.testing.assert_allclose(x, state.x, atol=1e-9)
    assert abs(lost) < 1e-9
    assert crank.stored_energy(state) == crank.stored_energy(state.x)
    other = gallery.make("crank-rocker").compile().assemble()
    for call in (crank.consistent, crank.stored_energy, crank.mode_of):
        with pytest.raises(tb.InputError, match="the state is that of another system"):
            call(other)
        for wrong in ("state", np.ones(2), None):
            with pytest.raises(tb.InputError, match=r"state (is|has)"):
                call(wrong)  # type: ignore[arg-type]


def test_a_row_of_copies_takes_states_too_and_needs_names() -> None:
    one = gallery.make("pendulum").compile()
    for wrong in (2, None, "ab", b"ab", [], ["a", "a"], 1.5):
        with pytest.raises(tb.InputError, match="copies need names, each once"):
            tb.copies(one, wrong)  # type: ignore[arg-type]
    row = tb.copies(one, (name for name in ("a", "b")))  # type: ignore[arg-type]
    state = row.initial_state()
    np.testing.assert_array_equal(row.states_of(state), row.states_of(state.x))


def test_states_are_equal_that_have_the_same_numbers_and_names(crank: tb.System) -> None:
    state = crank.assemble()
    assert state == crank.assemble()
    assert state != crank.assemble(crank=0.3)
    other = gallery.make("crank-rocker").compile().assemble()
    assert state != tb.State(state.q, state.v, state.z, other.names)
    assert state == tb.State(state.q, state.v, state.z)  # its names aren't known
    assert state != tb.State(state.q[:-1], state.v, state.z)
    assert state != "state" and state != state.x.tolist()
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)

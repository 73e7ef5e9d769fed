"""How functions of a system are called: arrays, dicts, sizes, names, and nothing at all."""

import numpy as np
import pytest

import touchback as tb


def arm() -> tb.System:
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    upper, fore = m.body("upper", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02)), m.body("fore", 0.5)
    m.joint("shoulder", tb.Revolute("y"), m.ground, upper, position=(0.3,), velocity=(1.0,))
    m.joint("wrist", tb.Cylindrical("x"), upper.at(0.5, 0, 0), fore.at(0, 0, 0.1))
    return m.compile()


def test_coordinates_stand_in_the_order_of_description_and_have_names() -> None:
    system = arm()
    assert system.coordinates == ("shoulder", "wrist.slide", "wrist.turn")
    assert system.state_names[3:] == ["shoulder rate", "wrist.slide rate", "wrist.turn rate"]
    assert system.state_units == ["rad", "m", "rad", "rad/s", "m/s", "rad/s"]
    assert system.sizes == (3, 3, 0)


def test_dicts_fill_in_the_initial_position_and_no_velocity() -> None:
    system = arm()
    by_name = system.inverse_dynamics({"wrist.turn": 0.2}, {"shoulder": 0.4}, {"wrist.slide": 1.0})
    by_number = system.inverse_dynamics([0.3, 0.0, 0.2], [0.4, 0.0, 0.0], [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(by_name, by_number)


def test_a_state_is_assembled_from_the_initial_one() -> None:
    system = arm()
    state = system.assemble(rates={"wrist.turn": 2.0}, **{"wrist.slide": 0.1})
    assert state.q.tolist() == [0.3, 0.1, 0.0]
    assert state.v.tolist() == [1.0, 0.0, 2.0]
    assert system.initial_state().q.tolist() == [0.3, 0.0, 0.0]  # as it was
    with pytest.raises(tb.InputError, match="did you mean 'shoulder'"):
        system.assemble(sholder=1.0)


def test_a_wrong_size_is_refused_with_the_names_that_are_expected() -> None:
    with pytest.raises(tb.InputError, match=r"q: 3 numbers are expected \(shoulder, wrist.slide"):
        arm().mass_matrix([0.0, 0.0])


def test_results_are_the_callers_own() -> None:
    system = arm()
    one = system.mass_matrix([0.0, 0.0, 0.0])
    before = one.copy()
    system.mass_matrix([0.0, 0.5, 1.0])
    np.testing.assert_array_equal(one, before)


def test_a_mechanism_that_cannot_move_still_answers() -> None:
    m = tb.Model("statue", gravity=(0, 0, -9.81))
    statue = m.body("statue", 300.0, (0, 0, 1))
    m.joint("plinth", tb.Fixed(), m.ground.at(0, 0, 0.5), statue)
    system = m.compile()
    assert system.sizes == (0, 0, 0)
    assert system.forward_dynamics([], []).size == 0
    assert system.sensors() == {}
    np.testing.assert_allclose(system.reaction("plinth", [], [])[:3], [0, 0, 2943.0])
    np.testing.assert_allclose(system.pose(statue, [])[1], [0, 0, 0.5])


def test_an_unknown_function_body_or_joint_is_refused_by_name() -> None:
    system = arm()
    with pytest.raises(tb.InputError, match="did you mean 'mass matrix'"):
        system.function("mas matrix")
    with pytest.raises(tb.TouchbackError, match="did you mean 'fore'"):
        system.pose("for", [0, 0, 0])
    with pytest.raises(tb.TouchbackError, match="did you mean 'wrist'"):
        system.reaction("wrst", [0, 0, 0], [0, 0, 0])

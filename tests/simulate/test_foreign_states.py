"""A state knows whose it is: another system with as many elements doesn't take it."""

import numpy as np
import pytest

import touchback as tb


def pendulum(joint: str) -> tb.System:
    m = tb.Model(f"{joint} pendulum", gravity=(0, 0, -9.81))
    m.joint(joint, tb.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)))
    return m.compile()


def test_a_state_of_another_system_is_refused_wherever_a_state_is_taken() -> None:
    own, other = pendulum("left"), pendulum("right")
    foreign = own.assemble(left=0.3)
    told = r"right pendulum: the state is that of another system: element 0 is 'left' there and"
    for call in (
        lambda: tb.simulate(other, foreign, 0.1),
        lambda: tb.live(other, foreign),
        lambda: tb.linearise(other, foreign),
        lambda: tb.simulate(other, tb.equilibrium(own), 0.1),  # what has a state
        lambda: tb.simulate(other, own.initial_state(), 0.1),
    ):
        with pytest.raises(tb.InputError, match=told):
            call()


def test_numbers_and_states_of_a_system_compiled_again_are_taken() -> None:
    own, again, other = pendulum("left"), pendulum("left"), pendulum("right")
    state = own.assemble(left=0.3)
    wanted = tb.simulate(own, state, 0.1)["left"]
    np.testing.assert_array_equal(tb.simulate(again, state, 0.1)["left"], wanted)
    np.testing.assert_array_equal(tb.simulate(other, state.x, 0.1)["right"], wanted)
    plain = tb.State(state.q, state.v, state.z)  # made by hand: nobody's
    np.testing.assert_array_equal(tb.simulate(other, plain, 0.1)["right"], wanted)


def test_copies_refuse_the_state_of_other_copies() -> None:
    one = pendulum("left")
    few, others = (tb.copies(one, names) for names in (["a", "b"], ["a", "c"]))
    with pytest.raises(tb.InputError, match=r"element 1 is 'b: left'|another system"):
        tb.simulate(others, few.initial_state(), 0.1, method="rk4")

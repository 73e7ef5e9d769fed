"""A state knows whose it is: another system with as many elements doesn't take it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

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


def slider() -> tb.System:
    """Three positions, three velocities and an extra state; a sensor and an input."""
    m = tb.Model("slider", gravity=(0, 0, 0))
    last: tb.BodyHandle = m.ground
    for name, axis in (("a", "x"), ("b", "y"), ("c", "z")):
        body = m.body(f"{name} body", mass=1.0)
        m.joint(name, tb.Prismatic(axis), last, body)
        last = body
    m.force("push", tb.JointEffort("a", m.input("push", unit="N")))
    m.state("charge", rate=0.0)
    m.sensor("place", tb.Signal(m.coordinate("a"), "m"))
    return m.compile()


SLIDER = slider()


def observer(start: Any = None) -> tb.estimate.ExtendedKalman:
    return tb.estimate.ExtendedKalman(SLIDER, 0.01, {"place": 0.01}, {}, {}, start)


TAKERS: dict[str, Callable[[Any], object]] = {
    "simulate": lambda x: tb.simulate(SLIDER, x, 0.01),
    "simulate with steps": lambda x: tb.simulate(SLIDER, x, 0.01, method="rk4", step=0.01),
    "live": lambda x: tb.live(SLIDER, x, speed=None).stop(),
    "linearise": lambda x: tb.linearise(SLIDER, x),
    "equilibrium": lambda x: tb.equilibrium(SLIDER, x),
    "ports": lambda x: tb.ports(SLIDER, x),
    "gradient": lambda x: tb.sensitivity(SLIDER, x, 0.01, parameters=[]),
    "batch": lambda x: tb.batch.Batch(SLIDER, 2).run(x, 0.01),
    "mode_of": SLIDER.mode_of,
    "stored_energy": SLIDER.stored_energy,
    "consistent": SLIDER.consistent,
    "reassembled": SLIDER.reassembled,
    "an observer": observer,
    "error of an estimate": lambda x: observer().error(x),
}


@pytest.mark.parametrize("taker", TAKERS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_a_state_made_by_hand_has_the_sizes_of_the_system(taker: str, data: Any) -> None:
    """Also where the numbers are as many in all: three positions are no velocities."""
    sizes = data.draw(
        st.one_of(
            st.sampled_from([(7, 0, 0), (3, 4, 0), (2, 4, 1), (0, 0, 7)]),
            st.tuples(*[st.integers(0, 8)] * 3).filter(lambda found: found != (3, 3, 1)),
        )
    )
    state = tb.State(*([0.1] * size for size in sizes))
    with pytest.raises(tb.InputError, match=r"^slider: .*(elements|positions)"):
        TAKERS[taker](state)


@pytest.mark.parametrize("taker", TAKERS)
def test_functions_take_a_state_that_is_made_by_hand_and_right(taker: str) -> None:
    TAKERS[taker](tb.State([0.1, 0.2, 0.3], np.zeros(3, dtype=int), (0.0,)))


@pytest.mark.parametrize("part", ["q", "v", "z"])
@pytest.mark.parametrize(
    "bad",
    [None, "abc", 1.0, [[0.0, 1.0]], ["a"], [1j], {}, [None], tb, np.zeros((2, 2)), [[1], [1, 2]]],
    ids=str,
)
def test_a_part_of_a_state_that_is_no_list_of_numbers_is_refused_when_it_is_given(
    part: str, bad: Any
) -> None:
    with pytest.raises(tb.InputError, match=rf"^State: its {part}\b"):
        tb.State(**{"q": [0.0], "v": [0.0], "z": [], part: bad})
    state = SLIDER.initial_state()
    with pytest.raises(tb.InputError, match=rf"^State: its {part}\b"):
        setattr(state, part, bad)
    assert state == SLIDER.initial_state()


def test_names_and_assembly_of_a_state_are_what_they_must_be() -> None:
    for bad in ({"names": ["a"]}, {"names": (1,)}, {"assembly": "how"}):
        with pytest.raises(tb.InputError, match=f"^State: its {next(iter(bad))}"):
            tb.State([0.0], [0.0], [], **bad)
    with pytest.raises(tb.InputError, match="7 elements and 1 names"):
        tb.simulate(SLIDER, tb.State([0.1] * 3, [0.0] * 3, [0.0], ("a",)), 0.01)

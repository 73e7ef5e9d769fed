"""What isn't a number, or doesn't fit, is refused by name, wherever it is given."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery


@pytest.fixture(scope="module")
def bars() -> tb.System:
    return gallery.make("crank-rocker").compile()


@pytest.fixture(scope="module")
def pendulum() -> tb.System:
    m = tb.Model("pendulum")
    length, torque = m.parameter("length", 1.0), m.input("torque")
    bob = m.body("bob", 1.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    m.force("motor", tb.JointEffort("swing", torque))
    return m.compile()


NO_NUMBERS = ["a", "1.0", 1j, np.array(1j), None, {"a"}, np.datetime64("2020-01-01")]
PLACES: dict[str, Callable[[tb.System, Any], object]] = {
    "q": lambda s, x: s.mass_matrix([x]),
    "q 'swing'": lambda s, x: s.mass_matrix({"swing": x}),
    "v": lambda s, x: s.bias([0.0], [x]),
    "a": lambda s, x: s.inverse_dynamics([0.0], [0.0], [x]),
    "tau": lambda s, x: s.forward_dynamics([0.0], [0.0], [x]),
    "u": lambda s, x: s.joint_efforts([0.0], [0.0], [x]),
    "t": lambda s, x: s.energy([0.0], [0.0], t=x),
    "Parameter 'length'": lambda s, x: s.mass_matrix([0.0], parameters={"length": x}),
    "coordinate 'swing'": lambda s, x: s.assemble(swing=x),
    "velocity 'swing'": lambda s, x: s.assemble(rates={"swing": x}),
    "Parameter 'length' ": lambda s, x: s.__setitem__("length", x),
    "Parameter 'length'  ": lambda s, x: tb.simulate(s, duration=0.1, parameters={"length": x}),
}


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("label", PLACES)
def test_what_is_no_real_number_is_refused_where_it_stands(
    pendulum: tb.System, label: str, wrong: Any
) -> None:
    for _ in range(2):  # also where a C callable has taken the method's place
        with pytest.raises(tb.InputError, match=rf"^{label.strip()}: real numbers are expected"):
            PLACES[label](pendulum, wrong)
    pendulum.mass_matrix([0.0])


@pytest.mark.parametrize("label", [x for x in PLACES if "'" in x and x[0] != "q"])
def test_where_one_number_belongs_an_array_is_refused(pendulum: tb.System, label: str) -> None:
    if label != "Parameter 'length'":  # a call takes arrays over states
        with pytest.raises(tb.InputError, match="one number is expected, got array"):
            PLACES[label](pendulum, np.array([1.0]))


def test_a_state_in_place_of_its_positions_is_told_apart(pendulum: tb.System) -> None:
    with pytest.raises(tb.InputError, match=r"of a state give its \.q, \.v or \.z"):
        pendulum.mass_matrix(pendulum.initial_state())  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["positions", "rates", "states", "guess"])
def test_numbers_to_assemble_come_by_name(pendulum: tb.System, word: str) -> None:
    with pytest.raises(tb.InputError, match=rf"{word}: \w+ by name are expected"):
        pendulum.assemble(**{word: [1.0]})  # type: ignore[arg-type]


def test_a_run_takes_parameters_and_inputs_by_name(pendulum: tb.System) -> None:
    for word in ("parameters", "inputs"):
        for wrong in ([1.0], "length", 3.0):
            with pytest.raises(tb.InputError, match=rf"{word}: \w+ by name are expected"):
                tb.simulate(pendulum, duration=0.1, **{word: wrong})


def test_a_complex_state_is_refused(pendulum: tb.System) -> None:
    with pytest.raises(tb.InputError, match="a state is an array of 2 numbers"):
        tb.simulate(pendulum, np.array([0.1j, 0.0]), 0.1)


METHODS = [
    "inverse_dynamics", "bias", "mass_matrix", "forward_dynamics", "multipliers",
    "constraint_error", "joint_efforts", "state_rate", "sensors", "energy", "momentum",
    "centre_of_mass", "pose", "velocity", "acceleration", "jacobian", "reaction",
]  # fmt: skip
OF_POSITIONS = ("mass_matrix", "constraint_error", "centre_of_mass", "pose", "jacobian")


@pytest.mark.parametrize("method", METHODS)
def test_arrays_that_do_not_fit_are_told_by_the_function_that_was_called(
    bars: tb.System, method: str
) -> None:
    frame = {"reaction": [next(iter(bars.model.joints))]}.get(method, [])
    if method in ("pose", "velocity", "acceleration", "jacobian"):
        frame = [next(iter(bars.model.bodies))]
    q = bars.assemble().q
    given = [*frame, q] + ([] if method in OF_POSITIONS else [np.zeros(len(bars.velocities))])
    given += (
        [np.zeros(len(bars.velocities))] if method in ("inverse_dynamics", "acceleration") else []
    )
    call = getattr(bars, method)
    with pytest.raises(tb.InputError, match=rf"^{method}: out must be a float64 array"):
        call(*given, out=np.zeros(99))
    if method == "mass_matrix":  # of positions alone
        return
    with pytest.raises(tb.InputError, match=rf"^{method}: arrays of states with leading"):
        call(*given[: len(frame)], np.tile(q, (3, 1)), *given[len(frame) + 1 :], t=np.zeros(2))


# ---- what isn't given ----------------------------------------------------------------------------


def test_what_is_missing_stands_for_what_is_usual() -> None:
    m = tb.Model("two")
    push = m.input("push", default=2.0)
    a, b = m.body("a", 1.0, com=(0, 0, -1)), m.body("b", 1.0, com=(0, 0, -1))
    m.joint("one", tb.Revolute("y"), m.ground, a, position=0.3, velocity=5.0)
    m.joint("two", tb.Revolute("y"), a, b, position=0.7)
    m.force("motor", tb.JointEffort("one", push))
    system = m.compile()
    q, v = np.array([0.3, 0.7]), np.zeros(2)
    same = np.testing.assert_array_equal
    same(system.mass_matrix(None), system.mass_matrix(q))
    same(system.mass_matrix({"one": 0.1}), system.mass_matrix([0.1, 0.7]))
    same(system.bias(q, None), system.bias(q, v))
    same(system.bias(q, {"two": 1.0}), system.bias(q, [0.0, 1.0]))
    same(system.joint_efforts(q, v), [2.0, 0.0])
    same(system.inverse_dynamics(q, v, {"one": 1.0}), system.inverse_dynamics(q, v, [1.0, 0.0]))
    by_tau = system.forward_dynamics(q, v, {"one": 1.0})
    same(by_tau, system.forward_dynamics(q, v, [1.0, 0.0]))
    np.testing.assert_allclose(
        system.forward_dynamics(q, v), system.forward_dynamics(q, v, [2.0, 0.0]), rtol=1e-12
    )


def test_multipliers_name_the_rows_that_act() -> None:
    system = gallery.make("crank-rocker").compile()
    start = system.assemble()
    (name,) = system.model.closures
    rows = list(system.constraint_names)
    assert list(system.multipliers(start.q, start.v)) == rows
    system.deactivate(name)
    assert system.multipliers(start.q, start.v) == {}
    system.activate(name)
    switch = tb.Switch(0.01, deactivate=[name])
    run = tb.simulate(system, start, 0.02, events=[switch], progress=False)
    assert all(run[row][-1] == 0.0 for row in rows)

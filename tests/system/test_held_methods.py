"""A method that was taken from a system by name follows the system's settings."""

from collections.abc import Callable
from inspect import isfunction, signature

import numpy as np
import pytest

import touchback as tb
from models_with_modes import pegged_pendulum
from touchback.gallery import make
from touchback.system.system import System

GIVEN: dict[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]]] = {
    "inverse_dynamics": lambda q, v: (q, v, v),
    "bias": lambda q, v: (q, v),
    "mass_matrix": lambda q, v: (q,),
    "forward_dynamics": lambda q, v: (q, v),
    "forward_dynamics of tau": lambda q, v: (q, v, v),
    "joint_efforts": lambda q, v: (q, v),
    "state_rate": lambda q, v: (q, v),
    "momentum": lambda q, v: (q, v),
    "centre_of_mass": lambda q, v: (q,),
}


def crank() -> tb.System:
    return make("slider-crank").compile()


def rest_one(system: tb.System) -> None:
    system.deactivate(system.active[0])


def enter_another(system: tb.System) -> None:
    (modes,) = system.modes.values()
    system.enter(next(mode for mode in modes if mode != system.mode))


def change_parameters(system: tb.System) -> None:
    for name, number in system.parameters.items():
        system[name] = 1.1 * number


CHANGES: dict[str, tuple[Callable[[], tb.System], Callable[[tb.System], None]]] = {
    "parameters of a tree": (lambda: make("pendulum").compile(), change_parameters),
    "parameters of a loop": (crank, change_parameters),
    "active constraints": (crank, rest_one),
    "mode": (lambda: pegged_pendulum().compile(), enter_another),
}


def test_all_hot_methods_are_tried() -> None:
    functions = {name: each for name, each in vars(System).items() if isfunction(each)}
    hot = {name for name, each in functions.items() if "ways" in each.__code__.co_freevars}
    hot = {name for name in hot if not name.endswith(("_derivatives", "_by_parameters"))}
    assert hot == {name.split()[0] for name in GIVEN}


@pytest.mark.parametrize("kind", CHANGES)
def test_held_methods_follow_every_change(kind: str) -> None:
    compiled, change = CHANGES[kind]
    system = compiled()
    start = system.assemble()
    q, v = start.q + 0.1, start.v + 0.3

    def methods() -> dict[str, Callable[..., np.ndarray]]:
        return {name: getattr(system, name.split()[0]) for name in GIVEN}

    early = methods()
    first = {name: method(*GIVEN[name](q, v)) for name, method in early.items()}
    held = methods()

    def follows() -> dict[str, np.ndarray]:
        found = {}
        fresh = system.independent_copy()
        for name, given in GIVEN.items():
            found[name] = wanted = getattr(fresh, name.split()[0])(*given(q, v))
            for method in (held[name], early[name], held[name], methods()[name]):
                np.testing.assert_array_equal(method(*given(q, v)), wanted, err_msg=name)
            several = held[name](*(np.stack([each, each]) for each in given(q, v)))
            np.testing.assert_array_equal(several[1], wanted, err_msg=name)
        return found

    assert all(np.array_equal(first[name], found) for name, found in follows().items())
    change(system)
    assert not np.array_equal(follows()["forward_dynamics"], first["forward_dynamics"])
    change_parameters(system)
    follows()


def test_what_calls_made_stays_when_a_parameter_changes() -> None:
    system = crank()
    start = system.assemble()
    system.forward_dynamics(start.q, start.v)
    method, motion = system.forward_dynamics, system.calls.by_name("motion")
    change_parameters(system)
    system.forward_dynamics(start.q, start.v)
    assert system.forward_dynamics is method and system.calls.by_name("motion") is motion


def test_the_straight_road_is_taken_again_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    system = crank()
    start = system.assemble()
    for change in (lambda: None, lambda: change_parameters(system), lambda: rest_one(system)):
        change()
        system.forward_dynamics(start.q, start.v)
        with monkeypatch.context() as without:
            without.setattr(type(system.dynamics), "solve", None)  # the friendly road
            system.forward_dynamics(start.q, start.v)


@pytest.mark.parametrize("name", GIVEN)
def test_what_was_needed_at_the_first_call_is_needed_at_every_one(name: str) -> None:
    """However it was called before: by position, by name, with None for what is usual."""
    system, method = crank(), name.split()[0]
    given = GIVEN[name](system.assemble().q, np.ones(3))
    described = signature(getattr(system, method)).parameters
    words, needed = list(described), sum(each.default is each.empty for each in described.values())

    def refused(*some: np.ndarray | None, **others: np.ndarray | None) -> None:
        with pytest.raises(TypeError, match=r"missing .* required positional argument"):
            getattr(system, method)(*some, **others)

    for _ in range(2):
        refused()
        for count in range(needed):
            refused(*given[:count])
            refused(*[None] * count)
            refused(**dict(zip(words[:count], given)))
            refused(**{word: None for word in words[1:needed]})
            refused(*given[:count], out=None, parameters=None)
        by_name = getattr(system, method)(**dict(zip(words, given)))
        np.testing.assert_array_equal(by_name, getattr(system, method)(*given))
        nothing = getattr(system, method)(*[None] * needed)
        named = getattr(system, method)(**{word: None for word in reversed(words[:needed])})
        np.testing.assert_array_equal(nothing, named)


@pytest.mark.parametrize("name", [name for name in GIVEN if name != "mass_matrix"])
def test_a_time_that_is_none_is_refused_of_one_state_as_of_many(name: str) -> None:
    system, method = crank(), name.split()[0]
    given = GIVEN[name](system.assemble().q, np.ones(3))
    for _ in range(2):
        for some in (given, [np.tile(each, (4, 1)) for each in given]):
            with pytest.raises(tb.InputError, match=r"^t: real numbers are expected, got None"):
                getattr(system, method)(*some, t=None)
        getattr(system, method)(*given)


@pytest.mark.parametrize("name", GIVEN)
def test_a_held_method_has_the_signature_that_it_had(name: str) -> None:
    system, method = crank(), name.split()[0]
    before = signature(getattr(system, method)).parameters.values()
    getattr(system, method)(*GIVEN[name](system.assemble().q, np.ones(3)))
    after = signature(getattr(system, method)).parameters.values()
    assert [(x.name, x.default) for x in after] == [(x.name, x.default) for x in before]

"""One system, whatever moves it: what a motion has nothing to say of is empty, what it can't do is
refused by its own table."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb
from models_with_modes import pegged_pendulum
from touchback.gallery import make
from touchback.system.compile_model import copies

SYSTEMS: dict[str, Callable[[], tb.System]] = {
    "tree": lambda: make("motor-arm").compile(),
    "constrained": lambda: make("slider-crank").compile(),
    "with modes": lambda: pegged_pendulum().compile(),
    "copies": lambda: copies(make("motor-arm").compile(), ["left", "right"]),
}
REFUSED = [
    ("tree", lambda s: s.terms(None, None), "it has no constraints; its terms are"),
    ("tree", lambda s: s.activate("pin"), "There is no constraint 'pin'"),
    ("tree", lambda s: s.enter("fast"), "There is no mode 'fast'"),
    ("tree", lambda s: s.constrained_functions(), "it has no constraints"),
    ("constrained", lambda s: s.function("rate"), "the rate depends on the formulation"),
    ("constrained", lambda s: s.function("rate jacobian"), "depends on the formulation; `tb.lin"),
    ("constrained", lambda s: s.activate("pins"), "There is no constraint 'pins'"),
    ("constrained", lambda s: s.modes_data(), "it has no modes"),
    ("with modes", lambda s: s.activate("string"), "modes say which constraints act; use `enter`"),
    ("with modes", lambda s: s.parameter_block(stiffness=True), "can't change modes"),
    ("with modes", lambda s: s.enter("long", "short"), "exclude each other"),
    ("copies", lambda s: s.model, "has no model of its own; see `.replica.model`"),
    ("copies", lambda s: s.bias(None, None), "what a run needs; call the functions of `.replica`"),
    ("copies", lambda s: s.function("rate"), "only what a run needs"),
    ("copies", lambda s: s.event_functions(["left/shoulder"]), "not by 'left/shoulder'"),
]


@pytest.mark.parametrize(("kind", "call", "told"), REFUSED)
def test_what_a_motion_cannot_do_is_told(
    kind: str, call: Callable[[tb.System], object], told: str
) -> None:
    with pytest.raises(tb.errors.TouchbackError, match=told):
        call(SYSTEMS[kind]())


def test_a_tree_answers_for_its_constraints_and_modes_that_there_are_none() -> None:
    system = SYSTEMS["tree"]()
    start = system.assemble(shoulder=0.3)
    assert (system.constraint_names, system.active, system.modes, system.mode) == ((), (), {}, "")
    assert system.multipliers(start.q, start.v) == {}
    assert system.constraint_error(start.q).size == 0
    assert system.freedoms().independent == system.velocities
    near, lost = system.consistent(start.x)
    assert (near.tolist(), lost) == (start.x.tolist(), 0.0)
    assert (system.replica, system.names, system.mode_of(start.x)) == (system, (), 0)
    assert system.states_of(start.x).tolist() == [start.x.tolist()]


@pytest.mark.parametrize("kind", ["tree", "constrained", "with modes"])
def test_what_is_derived_is_derived_once_for_systems_made_apart(kind: str) -> None:
    system = SYSTEMS[kind]()
    other = system.independent_copy()
    assert other.acting is system.acting
    assert other.equations is system.equations
    assert other.function("bias") is system.function("bias")


def test_a_setting_that_comes_back_brings_back_what_was_derived() -> None:
    system = SYSTEMS["constrained"]()
    closed, model = system.acting, system.model
    system.deactivate("pin")
    free = system.acting
    assert not free.rows.names and free is not closed
    system.activate("pin")
    assert (system.acting is closed, system.model is model) == (True, True)


def test_assembling_in_a_mode_enters_it_and_numbers_it() -> None:
    system = SYSTEMS["with modes"]()
    state = system.assemble({"bob.z": -0.9}, mode="short")
    assert (system.mode, state.z.tolist(), system.mode_of(state.x)) == ("short", [1.0], 1)
    np.testing.assert_allclose(system.constraint_error(state.q), 0.0, atol=1e-12)

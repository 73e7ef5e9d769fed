"""Every function of a system on every kind of argument: single states, arrays of them, `out` and
`parameters`, against the loop over states."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from models_with_modes import pegged_pendulum
from touchback.gallery import make
from touchback.system.constraint_functions import Terms
from touchback.system.system import System

ACCELERATING = ("forward_dynamics_derivatives", "forward_dynamics_by_parameters")  # of trees only


def spinning() -> tb.Model:
    """Quaternions, an extra state, an input and a parameter, in no constraint."""
    m = tb.Model("spinning")
    mass = m.parameter("mass", 2.0, unit="kg", min=0.1)
    body = m.body("body", mass=mass, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    m.joint("ball", tb.Spherical(), m.ground, body.at(0, 0, 0.1))
    m.joint("arm", tb.Revolute("y"), body, m.body("arm", mass=1.0, com=(0.3, 0, 0)))
    push = m.input("push", unit="N m")
    lag = m.state("lag", 0.5, rate=push)
    m.force("motor", tb.JointEffort("arm", push + lag))
    m.sensor("speed", tb.Velocity(body))
    return m


def pegged() -> tb.Model:
    """Modes and constraints, and a weight that swings beside them."""
    m = pegged_pendulum()
    weight = m.body("weight", mass=m.parameter("mass", 1.0), com=(0.2, 0, 0))
    m.joint("swing", tb.Revolute("y"), m.ground, weight)
    return m


MODELS = {"tree": spinning, "constrained": lambda: make("slider-crank"), "modes": pegged}


class Case:
    """A system with states, and all its functions on q, v, z of them."""

    def __init__(self, name: str) -> None:
        self.system = system = MODELS[name]().compile()
        self.parameter = next(iter(system.parameters), "")
        start, random = system.assemble(), np.random.default_rng(7)
        self.q = start.q + 1e-3 * random.normal(size=(2, 3, start.q.size))
        self.v = start.v + random.normal(size=(2, 3, start.v.size))
        self.a = random.normal(size=(2, 3, start.v.size))
        self.z = np.broadcast_to(start.z, (2, 3, start.z.size)).copy()
        self.numbers = system[self.parameter] * np.linspace(0.9, 1.1, 6).reshape(2, 3)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Of arrays q, v, a, z and further keywords."""
        s = self.system
        body, joint = next(iter(s.model.bodies)), next(iter(s.model.joints))
        every: dict[str, Callable[..., Any]] = {
            "inverse_dynamics": lambda q, v, a, z, **k: s.inverse_dynamics(q, v, a, z=z, **k),
            "bias": lambda q, v, a, z, **k: s.bias(q, v, z=z, **k),
            "mass_matrix": lambda q, v, a, z, **k: s.mass_matrix(q, **k),
            "forward_dynamics": lambda q, v, a, z, **k: s.forward_dynamics(q, v, z=z, **k),
            "forward_dynamics, tau": lambda q, v, a, z, **k: s.forward_dynamics(q, v, a, z=z, **k),
            "multipliers": lambda q, v, a, z, **k: s.multipliers(q, v, z=z, **k),
            "multipliers, tau": lambda q, v, a, z, **k: s.multipliers(q, v, a, z=z, **k),
            "constraint_error": lambda q, v, a, z, **k: s.constraint_error(q, **k),
            "joint_efforts": lambda q, v, a, z, **k: s.joint_efforts(q, v, z=z, **k),
            "state_rate": lambda q, v, a, z, **k: s.state_rate(q, v, z=z, **k),
            "sensors": lambda q, v, a, z, **k: s.sensors(q, v, z=z, **k),
            "energy": lambda q, v, a, z, **k: s.energy(q, v, z=z, **k),
            "momentum": lambda q, v, a, z, **k: s.momentum(q, v, z=z, **k),
            "centre_of_mass": lambda q, v, a, z, **k: s.centre_of_mass(q, z=z, **k),
            "pose": lambda q, v, a, z, **k: s.pose(body, q, z=z, **k),
            "velocity": lambda q, v, a, z, **k: s.velocity(body, q, v, z=z, **k),
            "acceleration": lambda q, v, a, z, **k: s.acceleration(body, q, v, a, z=z, **k),
            "jacobian": lambda q, v, a, z, **k: s.jacobian(body, q, z=z, **k),
            "reaction": lambda q, v, a, z, **k: s.reaction(joint, q, v, z=z, **k),
            "reaction, a": lambda q, v, a, z, **k: s.reaction(joint, q, v, a, z=z, **k),
        }
        every |= {
            "inverse_dynamics_derivatives": lambda q, v, a, z, **k: s.inverse_dynamics_derivatives(
                q, v, a, z=z, **k
            ),
            "regressor": lambda q, v, a, z, **k: s.regressor(q, v, a, z=z, **k),
            "inverse_dynamics_by_parameters": (
                lambda q, v, a, z, **k: s.inverse_dynamics_by_parameters(q, v, a, z=z, **k)
            ),
        }
        for name in ACCELERATING if not s.constrained else ():
            every[name] = lambda q, v, a, z, f=name, **k: getattr(s, f)(q, v, z=z, **k)
            every[f"{name}, tau"] = lambda q, v, a, z, f=name, **k: getattr(s, f)(q, v, a, z=z, **k)
        if s.constrained:
            every["terms"] = lambda q, v, a, z, **k: s.terms(q, v, z=z, **k)
        return every


def public() -> set[str]:
    """The functions on arrays that `System` has."""
    return {
        name for name, thing in vars(System).items()
        if not name.startswith("_") and inspect.isfunction(thing)
        and "q" in inspect.signature(thing).parameters and name != "freedoms"
    }  # fmt: skip


def flat(result: Any) -> list[np.ndarray]:
    """The arrays of a result."""
    if isinstance(result, dict):
        return [np.asarray(x) for x in result.values()]
    if isinstance(result, Terms):
        return [getattr(result, name) for name in ("h", "b", "gamma", "J", "W", "M", "f")]
    return [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]


def blank(result: Any, lead: tuple[int, ...]) -> Any:
    """What takes such a result: (lead…, its own) or everything side by side."""
    if isinstance(result, Terms):
        arrays = [np.full_like(x, np.nan) for x in flat(result)]
        return Terms(*arrays, result.has_friction, result.names)
    if isinstance(result, np.ndarray):
        return np.full_like(result, np.nan)
    return np.full((*lead, sum(x.size for x in flat(result)) // int(np.prod(lead))), np.nan)


def test_every_function_that_gives_arrays_takes_out_and_parameters() -> None:
    for name in public():
        taken = inspect.signature(getattr(System, name)).parameters
        assert {"out", "parameters"} <= set(taken)
    known = {name.partition(",")[0] for kind in MODELS for name in Case(kind).functions()}
    assert known == public()


@pytest.mark.parametrize("name", MODELS)
def test_arrays_of_states_and_parameters_give_what_a_loop_over_states_gives(name: str) -> None:
    case = Case(name)
    given = case.q, case.v, case.a, case.z
    every = None, case.numbers[1, 2], case.numbers  # none, one for all, one a state
    for what, call in case.functions().items():
        for numbers in every:
            each = np.broadcast_to(np.nan if numbers is None else numbers, (2, 3))

            def at(place: Any, call: Any = call, each: Any = each) -> Any:
                number = {case.parameter: each[place]}
                return call(
                    *(x[place] for x in given),
                    parameters=None if np.isnan(each).any() else number,
                )

            loop = [flat(at((i, j))) for i in range(2) for j in range(3)]
            wanted = [np.stack(parts).reshape(2, 3, *parts[0].shape) for parts in zip(*loop)]
            whole = None if numbers is None else {case.parameter: numbers}
            for x, y in zip(flat(call(*given, parameters=whole)), wanted, strict=True):
                np.testing.assert_array_equal(x, y, err_msg=what)
            for x, y in zip(flat(at(1)), wanted, strict=True):
                np.testing.assert_array_equal(x, y[1], err_msg=what)


@pytest.mark.parametrize("name", MODELS)
def test_out_takes_every_result(name: str) -> None:
    case = Case(name)
    whole = case.q, case.v, case.a, case.z
    for what, call in case.functions().items():
        for given, lead in ((whole, (2, 3)), ([x[0, 1] for x in whole], ())):
            for parameters in (None, {case.parameter: float(case.numbers[0, 0])}):
                wanted = call(*given, parameters=parameters)
                out = blank(wanted, lead)
                found = call(*given, parameters=parameters, out=out)
                for x, y in zip(flat(found), flat(wanted), strict=True):
                    np.testing.assert_array_equal(x, y, err_msg=what)
                if isinstance(wanted, (np.ndarray, Terms)):
                    assert found is out
                elif lead:
                    assert all(np.shares_memory(x, out) for x in flat(found))
                assert all(np.isfinite(x).all() for x in flat(out)), what


def test_out_of_a_wrong_shape_is_refused_everywhere() -> None:
    case = Case("constrained")
    given = [x[0] for x in (case.q, case.v, case.a, case.z)]
    for what, call in case.functions().items():
        out = call(*(x[0] for x in given)) if what == "terms" else np.empty((3, 77))
        with pytest.raises(tb.InputError, match="shape"):
            call(*given, out=out)

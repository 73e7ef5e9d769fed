"""One system serves any number of threads: each gets the bits that it would get alone."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bouncing_ball, pegged_pendulum
from touchback.gallery import make
from touchback.system.implicit_equations import Point

THREADS = 8


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What `work(number)` gives in each of eight threads that begin at once."""
    start, found = threading.Barrier(THREADS), [None] * THREADS

    def one(number: int) -> None:
        start.wait()
        try:
            found[number] = work(number)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=one, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def plain(result: Any) -> Any:
    """A result as numbers that can be compared."""
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, tb.State):
        return result.x
    return vars(result) if hasattr(result, "__dict__") else result


SETTINGS = {"activate", "deactivate", "enter", "independent_copy"}  # change what all threads share
TEXTS = {"counts", "disassemble", "function", "generate", "listing"}
PAGES = {"view"}  # opens a server and a live run
MANY = {"batch"}  # starts threads of its own
FOR_RUNS = {  # see the runs below
    "constrained_functions", "derive", "derived", "modes_data", "momentum_rate", "on_blocks",
    "problem", "stages",
}  # fmt: skip
INSIDE = {"velocity_values", "call_by_name", "call_function"}  # what other functions are made of


def calls(system: Any) -> dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Any]]:
    """Every function of a system, on a state x = [q, v, z]."""
    body, joint = next(iter(system.model.bodies)), next(iter(system.model.joints))
    every: dict[str, Any] = {
        "inverse_dynamics": lambda q, v, z: system.inverse_dynamics(q, v, v, z=z),
        "bias": lambda q, v, z: system.bias(q, v, z=z),
        "mass_matrix": lambda q, v, z: system.mass_matrix(q),
        "forward_dynamics": lambda q, v, z: (
            system.forward_dynamics(q, v, z=z), system.forward_dynamics(q, v, v, z=z)
        ),
        "joint_efforts": lambda q, v, z: system.joint_efforts(q, v, z=z),
        "state_rate": lambda q, v, z: system.state_rate(q, v, z=z),
        "sensors": lambda q, v, z: system.sensors(q, v, z=z),
        "energy": lambda q, v, z: system.energy(q, v),
        "stored_energy": lambda q, v, z: system.stored_energy(
            np.concatenate([q, v, z]), system.parameters
        ),
        "momentum": lambda q, v, z: system.momentum(q, v),
        "centre_of_mass": lambda q, v, z: system.centre_of_mass(q),
        "pose": lambda q, v, z: system.pose(body, q),
        "velocity": lambda q, v, z: system.velocity(body, q, v),
        "acceleration": lambda q, v, z: system.acceleration(body, q, v, v),
        "jacobian": lambda q, v, z: system.jacobian(body, q),
        "reaction": lambda q, v, z: system.reaction(joint, q, v, z=z),
        "inverse_dynamics_derivatives": lambda q, v, z: (
            system.inverse_dynamics_derivatives(q, v, v, z=z)
        ),
        "regressor": lambda q, v, z: system.regressor(q, v, v, z=z),
        "inverse_dynamics_by_parameters": lambda q, v, z: (
            system.inverse_dynamics_by_parameters(q, v, v, z=z)
        ),
        "forward_dynamics_derivatives": lambda q, v, z: (
            None if system.constrained else system.forward_dynamics_derivatives(q, v, z=z)
        ),
        "forward_dynamics_by_parameters": lambda q, v, z: (
            None if system.constrained else system.forward_dynamics_by_parameters(q, v, z=z)
        ),
        "initial_state": lambda q, v, z: system.initial_state(),
        "assemble": lambda q, v, z: system.assemble(),
        "reassembled": lambda q, v, z: system.reassembled(system.assemble()),
        "parameter_block": lambda q, v, z: system.parameter_block(),
        "rate_jacobian": lambda q, v, z: system.rate_jacobian()[1],
        "event_functions": lambda q, v, z: (
            lambda made: made[0].call(np.concatenate([q, v, z]), np.zeros(99), made[1])
        )(system.event_functions([system.state_names[0]])),
        "terms": lambda q, v, z: system.terms(q, v, z=z),
        "multipliers": lambda q, v, z: system.multipliers(q, v, z=z),
        "constraint_error": lambda q, v, z: system.constraint_error(q),
        "freedoms": lambda q, v, z: str(system.freedoms(q)),
        "consistent": lambda q, v, z: system.consistent(np.concatenate([q, v, z])),
        "parameter_values": lambda q, v, z: system.parameter_values(),
        "changed_parameters": lambda q, v, z: system.changed_parameters(),
        "states_of": lambda q, v, z: system.states_of(np.concatenate([q, v, z])),
        "mode_of": lambda q, v, z: system.mode_of(np.concatenate([q, v, z])),
    }  # fmt: skip
    public = {
        name for name in dir(system)
        if not name.startswith("_") and callable(getattr(type(system), name, None))
    }  # fmt: skip
    missing = public - set(every) - SETTINGS - TEXTS - PAGES - MANY - FOR_RUNS - INSIDE
    assert not missing, f"{missing}: add a call"
    every["equations"] = lambda q, v, z: _equations(system, q, v, z)
    if not system.constrained:
        del every["terms"]  # refused
    return {name: call for name, call in every.items() if name in public or name == "equations"}


def _equations(system: Any, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
    made, u = system.equations, system.input_defaults
    at = Point(q, v, z, u, 0.0, v, np.ones(len(system.constraint_names)))
    p = system.parameter_values()
    blocks = (
        made.values(at, p),
        made.derivatives(at, p).matrix,
        made.parameter_derivatives(at, p).matrix,
    )
    return [*plain(blocks[0]), *blocks[1:]]


MODELS: dict[str, Callable[[], tb.Model]] = {
    "tree": lambda: make("motor-arm"),
    "quaternions": lambda: make("spinning-top"),
    "constrained": lambda: make("slider-crank"),
    "modes": pegged_pendulum,
    "hammer": lambda: make("bouncing-hammer"),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_function_gives_in_eight_threads_what_it_gives_alone(name: str) -> None:
    alone, shared = MODELS[name]().compile(), MODELS[name]().compile()
    start, random = alone.assemble(), np.random.default_rng(1)
    states = [
        (start.q + 0.01 * random.normal(size=start.q.size), random.normal(size=start.v.size),
         start.z)
        for _ in range(THREADS)
    ]  # fmt: skip
    wanted = [{key: plain(call(*at)) for key, call in calls(alone).items()} for at in states]

    def work(number: int) -> list[dict[str, Any]]:
        own = list(calls(shared).items())
        own = own[3 * number :] + own[: 3 * number]  # what is derived first differs
        return [{key: plain(call(*states[number])) for key, call in own} for _ in range(3)]

    for number, rounds in enumerate(in_threads(work)):
        assert not isinstance(rounds, Exception), rounds
        for found in rounds:
            for key, result in found.items():
                np.testing.assert_equal(result, wanted[number][key], f"{key}, thread {number}")


RUNS: dict[str, tuple[Callable[[], tb.System], dict[str, Any]]] = {
    "tree": (lambda: make("double-pendulum").compile(), {}),
    "samples": (lambda: make("motor-arm").compile(), {"sampled": True}),
    "constrained": (lambda: make("slider-crank").compile(), {}),
    "implicit": (lambda: make("slider-crank").compile(), {"method": "radau5"}),
    "contacts and modes": (lambda: bouncing_ball(rest=True).compile(), {}),
    "copies": (lambda: tb.copies(make("motor-arm").compile(), list("abcde")), {"sampled": True}),
    "modes, implicit": (lambda: bouncing_ball(rest=True).compile(), {"method": "radau5"}),
    "switched": (
        lambda: make("slider-crank").compile(), {"events": [tb.Switch(0.1, deactivate=["pin"])]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_runs_in_eight_threads_are_those_of_one(name: str) -> None:
    compiled, options = RUNS[name]
    sampled = options.get("sampled")
    given = {key: value for key, value in options.items() if key != "sampled"}

    def run(system: tb.System, number: int) -> tuple[np.ndarray, dict[str, float]]:
        inputs = {system.input_names[0]: [0.0, float(number), -1.0]} if sampled else None
        x0 = system.initial_state() if "copies" in name else system.assemble()
        x0.v[0] += 0.1 * number if not system.constraint_names else 0.0
        made = tb.simulate(system, x0, 0.12 + 0.01 * number, inputs=inputs, **given)
        return np.stack([made[key] for key in system.state_names]), system.parameters

    alone, shared = compiled(), compiled()
    wanted = [run(alone, number) for number in range(THREADS)]
    for number, found in enumerate(in_threads(lambda number: run(shared, number))):
        assert not isinstance(found, Exception), found
        np.testing.assert_equal(found, wanted[number], f"thread {number}")


def test_runs_that_find_their_start_themselves_keep_out_of_each_other_s_parameters() -> None:
    alone, shared = make("slider-crank").compile(), make("slider-crank").compile()

    def run(system: tb.System, number: int) -> np.ndarray:
        radius = {"crank radius": 0.08 + 0.005 * number}
        made = [tb.simulate(system, duration=1e-3, parameters=radius) for _ in range(5)]
        return np.stack([each[key] for each in made for key in system.state_names])

    wanted = [run(alone, number) for number in range(THREADS)]
    for number, found in enumerate(in_threads(lambda number: run(shared, number))):
        assert not isinstance(found, Exception), found
        np.testing.assert_equal(found, wanted[number], f"thread {number}")
    assert shared.parameters == {"crank radius": 0.1}


def test_parameters_set_by_eight_threads_all_arrive() -> None:
    m = tb.Model("row", gravity=(0, 0, -9.81))
    for k in range(THREADS):
        mass = m.parameter(f"mass {k}", 1.0, unit="kg")
        m.joint(f"slide {k}", tb.Prismatic("z"), m.ground, m.body(f"body {k}", mass=mass))
    system = m.compile()

    def work(number: int) -> None:
        for value in range(1, 200):
            system[f"mass {number}"] = float(value)
            assert np.isfinite(system.mass_matrix(np.zeros(THREADS))).all()

    assert in_threads(work) == [None] * THREADS
    assert set(system.parameters.values()) == {199.0}
    assert np.diag(system.mass_matrix(np.zeros(THREADS))).tolist() == [199.0] * THREADS


def test_a_system_apart_has_settings_of_its_own() -> None:
    system = make("slider-crank").compile()
    other = system.independent_copy()
    other["crank radius"] = 0.12
    other.deactivate("pin")
    assert (system["crank radius"], system.active, other.active) == (0.1, ("pin",), ())
    q = system.assemble().q
    system["crank radius"] = 0.11
    fresh = make("slider-crank").compile()
    for own, radius in ((system, 0.11), (other, 0.12)):
        fresh["crank radius"] = radius
        np.testing.assert_array_equal(own.mass_matrix(q), fresh.mass_matrix(q))
        p = own.parameter_values()
        assert p.tolist() == [radius]


def test_steps_of_one_call_take_the_same_parameters() -> None:
    def shown(system: tb.System) -> list[Any]:
        return [plain(system.sensors(q, v)), system.reaction("crank", q, v).tolist()]

    system = make("slider-crank").compile()
    start = system.assemble()
    q, v = start.q + 0.1, start.v + 0.3
    allowed = []
    for radius in (0.1, 0.12):
        system["crank radius"] = radius
        allowed.append(shown(system))

    def work(number: int) -> list[Any]:
        if number < 2:
            for i in range(400):
                system["crank radius"] = (0.1, 0.12)[i % 2]
            return []
        return [shown(system) for _ in range(40)]

    for found in in_threads(work):
        for sensors, reaction in found:
            assert sensors in [each[0] for each in allowed]
            assert reaction in [each[1] for each in allowed]

"""A run's line repeats it, bit for bit, whatever kind of run it is."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bouncing_ball

Made = tuple[tb.System, tb.Run]


def repeated(system: tb.System, run: tb.Run, given: Mapping[str, object] | None = None) -> tb.Run:
    """What the line gives, by nothing but what it names."""
    names = {"tb": tb, "system": system, "run": run, "given": given or {}}
    again = eval(run.metadata["repro_call"], names)
    assert isinstance(again, tb.Run)
    return again


def check_same(run: tb.Run, again: tb.Run) -> None:
    """Bits of all signals, and what is told beside them."""
    assert again.names == run.names
    assert again.time.tobytes() == run.time.tobytes()
    for name in run.names:
        assert again[name].tobytes() == run[name].tobytes(), name
    timed = {"statistics", "input_impulses"}  # sums whose order depends on how memory is aligned
    assert {key: told for key, told in again.metadata.items() if key not in timed} == {
        key: told for key, told in run.metadata.items() if key not in timed
    }


def cart() -> tb.Model:
    m = tb.Model("cart", gravity=(0, 0, -9.81))
    mass, force = m.parameter("mass of cart", 1.0), m.input("force", unit="N")
    body = m.body("cart", mass=mass)
    m.joint("x", tb.Prismatic("x"), m.ground, body)
    m.force("pull", tb.JointEffort("x", force - 2.0 * m.coordinate("x")))
    return m


def rod() -> tb.Model:
    m = tb.Model("ball on a rod", gravity=(0, 0, -9.81))
    ball = m.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.joint("ball", tb.Planar("y"), m.ground, ball)
    m.close("rod", tb.Rod(1.0), m.ground, ball)
    return m


def smooth(**options: object) -> Made:
    system = cart().compile()
    run = tb.simulate(
        system, [0.1, 0.2], np.float64(0.3), start=1.0, inputs={"force": np.float32(0.5)},
        parameters={"mass of cart": np.float64(2.0)}, energy_balance=True, **options,  # type: ignore[arg-type]
    )  # fmt: skip
    return system, run


def sampled() -> Made:
    system = cart().compile()
    return system, tb.simulate(system, duration=0.3, inputs={"force": [0.0, 1.0, 0.5]})


def constrained(constraints: tb.Baumgarte | str, **options: float) -> Made:
    system = rod().compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    run = tb.simulate(system, start, 0.3, constraints=constraints, **options)  # type: ignore[arg-type]
    return system, run


def with_modes(method: str) -> Made:
    system = bouncing_ball().compile()
    return system, tb.simulate(system, duration=0.6, method=method, energy_balance=True)


def with_events() -> Made:
    """Found by name, and by an expression of the model."""
    m = cart()
    away = tb.Event("away", m.coordinate("x") ** 2 - 0.02 * m.parameters["mass of cart"].default)
    slow = tb.Event("slow", "x rate", direction=-1, terminal=True)
    system = m.compile()
    return system, tb.simulate(system, [0.1, 0.2], 3.0, events=[away, slow])


def switched() -> Made:
    system = rod().compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    low = tb.Event("low", "ball.z", direction=-1)
    events = [tb.Switch(0.1, deactivate=["rod"]), tb.Switch(0.3, activate=("rod",)), low]
    return system, tb.simulate(system, start, 0.5, events=events, energy_balance=True, method="rk4")


def touching(method: str, **options: object) -> Made:
    """By contacts beside the model, of which one's place is an expression."""
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    below = m.parameter("how far below", 0.1)
    ball = m.body("ball", mass=1.0)
    m.joint("ball", tb.Prismatic("z"), m.ground, ball, position=0.3)
    contacts = {
        "floor": tb.contact.SpherePlaneContact(ball.at(0, 0, -below), m.ground, restitution=0.5),
        "lid": tb.contact.SpherePlaneContact(
            ball, m.ground.at(0, 0, 0.4, turn=("x", np.pi)), radius=0.05, friction=0.1
        ),
    }
    system = m.compile()
    run = tb.simulate(system, duration=0.5, method=method, contacts=contacts, **options)  # type: ignore[arg-type]
    return system, run


RUNS: dict[str, Callable[[], Made]] = {
    "adaptive": lambda: smooth(rtol=1e-6, output_step=0.1),
    "solver object": lambda: smooth(method=tb.RK4(step=0.01)),
    "SciPy": lambda: smooth(method="DOP853"),
    "samples": sampled,
    "word": lambda: constrained("projection", step=0.01),
    "settings": lambda: constrained(tb.Baumgarte(5.0, 7.0)),
    "own step": lambda: constrained("linear-implicit", step=0.01),
    "modes, fixed": lambda: with_modes("rk4"),
    "modes, located": lambda: with_modes("dopri5"),
    "events": with_events,
    "switches": switched,
    "contacts, driven": lambda: touching("event-driven", impacts="poisson"),
    "contacts, stepped": lambda: touching("moreau-jean", step=1e-3, theta=0.7),
}


@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_the_line_of_a_run_repeats_it_bit_for_bit(make: Callable[[], Made]) -> None:
    system, run = make()
    assert "given" not in run.metadata
    check_same(run, repeated(system, run))


def test_what_can_not_be_written_is_named_and_taken_from_what_is_given() -> None:
    system = cart().compile()
    force: dict[str, Callable[[float], float]] = {"force": np.cos}
    given = {"input force": np.cos, "event far restart": lambda t, x: 0.5 * x}
    far = tb.Event("far", "x", direction=1, restart=given["event far restart"])
    run = tb.simulate(system, [-0.01, 0.2], 0.5, inputs=force, events=[far])
    told = {"input force": "a function of time", "event far restart": "a function"}
    assert run.metadata["given"] == told
    assert len(run.events) == 1
    check_same(run, repeated(system, run, given))


def held() -> tb.System:
    """A cart, with a constraint to switch on."""
    model = cart()
    model.constrain("hold", velocity=model.rate("x"), active=False)
    return model.compile()


SET: dict[str, tuple[Callable[[], tb.System], dict[str, Any]]] = {
    "adaptive": (lambda: cart().compile(), {}),
    "fixed": (lambda: cart().compile(), {"method": "rk4"}),
    "copies": (lambda: tb.copies(cart().compile(), ["a", "b"]), {"method": "rk4"}),
    "switched": (held, {"events": [tb.Switch(0.1, activate=["hold"])]}),
}


@pytest.mark.parametrize(("make", "options"), SET.values(), ids=SET)
def test_values_that_were_set_before_a_run_are_told(
    make: Callable[[], tb.System], options: dict[str, Any]
) -> None:
    """So that a system with the model's own values repeats it."""
    system, start = make(), np.linspace(0.1, 0.2, len(make().state_names))
    (name, *_) = system.parameters
    usual = tb.simulate(system, start, 0.2, **options)
    assert usual.metadata["parameters"] == {} and "parameters" not in usual.metadata["repro_call"]
    system[name] = 2.0
    run = tb.simulate(system, start, 0.2, **options)
    assert run.metadata["parameters"] == {name: 2.0}
    check_same(run, repeated(make(), run))
    back = tb.simulate(system, start, 0.2, parameters={name: 1.0}, **options)
    assert back.metadata["parameters"] == {name: 1.0}  # other than the system's
    check_same(back, repeated(system, back))

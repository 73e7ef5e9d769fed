"""The joint, the forces and the printer of docs/extending work as they stand."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery

FOLDER = Path(__file__).parents[1] / "docs" / "extending"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pin_in_a_slot_moves_as_a_slide_and_a_hinge() -> None:
    joint = load("pin_in_slot").PinInSlot()
    one, two = tb.Model("one"), tb.Model("two")
    plate = {"mass": 2.0, "com": (0.1, 0.2, 0.0), "inertia": (0.1, 0.2, 0.25)}
    for model in (one, two):
        model.body("plate", **plate)
    one.joint("guide", joint, one.ground, "plate")
    two.body("slider")
    two.joint("slide", tb.Prismatic("x"), two.ground, "slider")
    two.joint("turn", tb.Revolute("z"), "slider", "plate")
    first, second = one.compile(), two.compile()
    assert first.coordinates == ("guide.slide", "guide.turn")
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 2))
    np.testing.assert_allclose(
        first.inverse_dynamics(q, v, a), second.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12
    )


def test_attraction_gives_keplers_orbit() -> None:
    """Period 2π √(a³ m/strength) of a small mass about a fixed centre, and energy −strength/2a."""
    attraction = load("attraction").Attraction
    m = tb.Model("planet", gravity=(0, 0, 0))
    planet = m.body("planet", mass=0.5)
    m.joint("way", tb.Planar("z"), m.ground, planet, armature=(0, 0, 1.0))
    strength = m.parameter("strength", 3.0)
    m.force("sun", attraction(m.ground, planet, strength))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    start = system.assemble(rates={"way.y": 1.5}, **{"way.x": 1.0})
    energy = 0.5 * 0.5 * 1.5**2 - 3.0
    axis = -3.0 / (2 * energy)
    period = 2 * np.pi * np.sqrt(axis**3 * 0.5 / 3.0)
    run = tb.simulate(system, start, duration=period, rtol=1e-11, atol=1e-12)
    assert run["energy"][0] == pytest.approx(energy, rel=1e-12)
    assert run["energy"][-1] == pytest.approx(energy, rel=1e-8)
    assert run["way.x"][-1] == pytest.approx(1.0, abs=1e-7)
    assert run["way.y"][-1] == pytest.approx(0.0, abs=1e-7)


def test_a_maxwell_element_that_is_held_lets_go() -> None:
    """A step of the stretch: k Δ e^(−t k/c), with the damper among the states by its name."""
    element = load("maxwell_element").MaxwellElement
    k, c, stretch = 200.0, 5.0, 0.02
    m = tb.Model("strap", gravity=(0, 0, 0))
    load_body = m.body("load", mass=1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, load_body)
    m.force("strap", element(m.ground, load_body, k, c, length=0.3))
    m.drive("z", 0.3 + stretch)
    m.sensor("pull", tb.Multiplier("z"))
    run = tb.simulate(m.compile(), duration=0.05, rtol=1e-10, atol=1e-12, progress=False)
    decay = np.exp(-run.time * k / c)
    np.testing.assert_allclose(run["strap.damper"], stretch * (1 - decay), atol=1e-9)
    np.testing.assert_allclose(run["pull"], k * stretch * decay, atol=1e-6)


def test_micropython_computes_what_machine_code_computes() -> None:
    system = gallery.make("seven-joint-arm").compile()
    text = load("micropython").print_micropython(system.function("inverse dynamics").second, "f")
    names: dict[str, Any] = {}
    exec(text, names)
    q, v, a = np.random.default_rng(4).normal(size=(3, 7))
    found = names["f"]([*q, *v], [0.0] * 8 + list(a))
    np.testing.assert_allclose(found, system.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12)

"""The balance of power: energy changes by what forces do, in any mechanism."""

import numpy as np
from hypothesis import given

import touchback as tb
from random_mechanisms import Mechanism, examples, mechanisms


def rate_of_energy(system: tb.System, q: np.ndarray, v: np.ndarray) -> float:
    """d(T + U)/dt along the motion, by central differences of fourth order."""
    x_dot = system.state_rate(q, v)
    nq = len(q)
    step = 1e-4

    def total(s: float) -> float:
        return sum(system.energy(q + s * x_dot[:nq], v + s * x_dot[nq:]))

    return (8 * (total(step) - total(-step)) - total(2 * step) + total(-2 * step)) / (12 * step)


@examples(8)
@given(mechanisms(size=4))
def test_energy_changes_by_the_power_of_what_acts(mechanism: Mechanism) -> None:
    """Springs store, dampers, drag and wrenches do work: dE/dt = Σ F·v + N·ω − Σ c v²."""
    model = mechanism.model()
    rng = mechanism.rng
    force, torque = rng.standard_normal((2, 3)) * 3
    pushed = tb.Frame("b3", (0.1, 0.2, 0.3), (("y", 0.3),))
    model.force("push", tb.Wrench(pushed, force=tuple(force), torque=tuple(torque), axes="body"))
    tied = tb.Frame("b1", (0.2, 0.1, 0.0))
    model.force(
        "spring",
        tb.SpringDamper(model.ground.at(2, 2, 2), tied, stiffness=30, damping=2, length=0.5),
    )
    system = model.compile()
    if system.sizes[1] == 0:
        return
    q, v, _ = mechanism.state(system)
    R, _ = system.pose(pushed, q)
    moved = system.velocity(pushed, q, v)
    power = (R @ torque) @ moved[:3] + (R @ force) @ moved[3:]
    line = system.pose(tied, q)[1] - 2.0
    stretching = line @ system.velocity(tied, q, v)[3:] / np.linalg.norm(line)
    power -= 2 * stretching**2
    kinetic, potential = system.energy(q, v)
    size = 1 + abs(kinetic) + abs(potential) + abs(power)
    size *= 1 + np.abs(system.state_rate(q, v)).max() ** 2
    # fourth-order differences with step 1e-4: rounding 1e-16/step and step⁴ of the fifth derivative
    assert abs(rate_of_energy(system, q, v) - power) <= 1e-9 * size


@examples(6)
@given(mechanisms(size=3, root="free", leaf="free"))
def test_a_bushing_gives_back_what_it_takes_at_any_rotation(mechanism: Mechanism) -> None:
    """Unequal stiffnesses, large rotations: only its dampers lose energy."""
    model = mechanism.model()
    a, b = tb.Frame("b0", (0.1, 0.2, 0.3), (("x", 0.4),)), tb.Frame("b2", (-0.2, 0.1, 0.0))
    springs = {"stiffness": (100.0, 250.0, 30.0), "torsion": (5.0, 12.0, 3.0)}
    model.force("bushing", tb.Bushing(a, b, **springs))
    system = model.compile()
    q, v, _ = mechanism.state(system)
    size = 1 + sum(map(abs, system.energy(q, v)))
    size *= 1 + np.abs(system.state_rate(q, v)).max() ** 2
    assert abs(rate_of_energy(system, q, v)) <= 1e-9 * size
    model.force("dampers", tb.Bushing(a, b, damping=(1, 2, 3), torsion_damping=(4, 5, 6)))
    assert rate_of_energy(model.compile(), q, v) < 0.0


def test_joint_springs_and_stops_store_what_they_take() -> None:
    m = tb.Model("springs", gravity=(0, 0, -9.81))
    body = m.body("body", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    m.joint("hinge", tb.Revolute("y"), m.ground, body, spring=3.0, rest=0.2, limits=(-1, 1),
            stop=(500.0, 0.0))  # fmt: skip
    m.force("torsion", tb.TorsionSpring("hinge", stiffness=2.0, rest=-0.1, preload=0.3))
    system = m.compile()
    for q, v in ((0.5, 1.0), (1.2, 2.0), (-1.3, -1.0)):
        assert abs(rate_of_energy(system, np.array([q]), np.array([v]))) < 1e-7

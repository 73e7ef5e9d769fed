"""What bodies and constraints exchange at their ports (Kosenko 2015, §2): F_A + F_B = 0 and
M_A + M_B = 0 at one point (eq. 1), bodies keep their balance of momentum, ideal constraints do no
work and driven ones do the drive's."""

from typing import Any

import numpy as np
import pytest

import closed_suite
import touchback as tb
from models_with_modes import pegged_pendulum
from touchback import gallery

CONSTRAINED = (
    "crank-rocker", "slider-crank", "four-bars", "suspension", "stewart-platform", "piano-modes",
    "mini-baja", "tilting-vehicle",
)  # fmt: skip
EXACT = 1e-12  # of the largest force, moment or of the power that flows


def stirred(system: tb.System, start: Any, seed: int) -> np.ndarray:
    """A state with other velocities that the constraints allow."""
    nq, nv, _ = system.sizes
    x = start.x.copy()
    x[nq : nq + nv] += np.random.default_rng(seed).normal(size=nv)
    return system.consistent(x)[0]


@pytest.mark.parametrize("name", CONSTRAINED)
def test_ports_of_the_gallery_balance_at_random_velocities(name: str) -> None:
    entry = gallery.entry(name)
    system = entry.make().compile()
    start = entry.experiment.start(system)
    for seed in range(3):
        found = tb.ports(system, stirred(system, start, seed))
        assert found.ideal
        assert found.flowing > 0.0
        for what, error in found.worst.items():
            assert error < EXACT, (what, error)
        # each ideal constraint by itself, not only their sum
        powers = found.powers()
        assert max(abs(powers[owner]) for owner in found.ideal) < EXACT * found.flowing


@pytest.mark.parametrize("case", ["redundant, spatial", "driven", "quaternions", "velocities only"])
def test_ports_balance_all_along_a_run(case: str) -> None:
    given = closed_suite.CASES[case]()
    system = given.system
    run = tb.simulate(system, given.x0, 0.4, rtol=1e-10, output_step=0.05, progress=False)
    states = np.array([run[name] for name in system.state_names]).T
    for x, t in zip(states, run.time, strict=True):
        found = tb.ports(system, x, t=t)
        # velocities of a run keep the constraints to 1e-12 only, so power does as well
        assert all(error < 1e-11 for error in found.worst.values()), (t, found.worst)


def test_a_drive_brings_what_the_energy_of_the_mechanism_gains() -> None:
    given = closed_suite.driven()
    system, t, step = given.system, 0.3, 1e-4

    def state(at: float) -> tb.State:
        turn, rate = 0.3 + 2.0 * np.sin(2 * np.pi * at), 4 * np.pi * np.cos(2 * np.pi * at)
        return system.assemble({"crank": turn}, {"crank": rate}, t=at)

    energies = [system.stored_energy(state(t + k * step)) for k in (-2, -1, 1, 2)]
    gained = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * step)
    found = tb.ports(system, state(t), t=t)
    assert found.powers()["drive motor"] == pytest.approx(gained, rel=1e-8)
    assert found.demanded == pytest.approx({"drive motor": gained}, rel=1e-8)
    assert "drive motor" not in found.ideal


def test_a_hanging_weight_shows_its_weight_at_both_sides_of_its_joint() -> None:
    m = tb.Model("weight", gravity=(0, 0, -10.0))
    m.joint("rail", tb.Prismatic("x"), m.ground, m.body("weight", 2.0).at(0, 0, 0.3))
    on_body, on_ground = tb.ports(m.compile(), [0.5, 1.5]).bodies
    assert (on_body.body, on_ground.body) == ("weight", "ground")
    np.testing.assert_allclose(on_body.force, [0, 0, 20], atol=1e-14)
    np.testing.assert_allclose(on_ground.force, [0, 0, -20], atol=1e-14)
    np.testing.assert_allclose(on_body.point, [0.5, 0, 0], atol=1e-14)
    np.testing.assert_allclose(on_body.velocity, [1.5, 0, 0], atol=1e-14)
    np.testing.assert_allclose(on_ground.velocity, 0.0, atol=1e-14)


def test_what_acts_in_a_joint_is_apart_from_what_the_joint_carries() -> None:
    m = tb.Model("hoist", gravity=(0, 0, -10.0))
    drum = m.body("drum", 2.0, inertia=(0.02, 0.02, 0.04))
    m.joint("drum", tb.Revolute("y"), m.ground, drum, damping=0.1, armature=0.3)
    m.force("motor", tb.JointEffort("drum", 6.0))
    powers = tb.ports(m.compile(), [0.0, 5.0]).powers()
    acceleration = (6.0 - 0.5) / (0.02 + 0.3)
    assert powers["force motor"] == pytest.approx(30.0)
    assert powers["joint drum"] == pytest.approx(0.0, abs=1e-14)
    bonds = {bond.owner: bond.power for bond in tb.ports(m.compile(), [0.0, 5.0]).bonds}
    assert bonds["joint drum"] == pytest.approx(-0.5 * 5 - 0.3 * acceleration * 5)


def test_velocities_that_tear_a_loop_show_as_power() -> None:
    system = closed_suite.slider_crank_model().compile()
    x = system.assemble(crank=0.8, rates={"crank": 5.0}).x
    assert tb.ports(system, x).worst["ideal power"] < EXACT
    x[-1] += 0.5  # the slider leaves the rod's pin
    found = tb.ports(system, x)
    multipliers = system.multipliers(x[:3], x[3:])
    assert found.powers()["closure pin"] == pytest.approx(0.5 * multipliers["pin.1"], rel=1e-12)
    assert found.worst["ideal power"] > 1e-3


def test_a_servo_is_not_ideal_and_modes_follow_the_state() -> None:
    servo = closed_suite.servo()
    assert "constraint direction" not in tb.ports(servo.system, servo.x0).ideal
    system = pegged_pendulum().compile()
    for mode, string in (("long", "string"), ("short", "string on peg")):
        at = {"bob.z": -1.0} if mode == "long" else {"bob.z": -0.8}
        found = tb.ports(system, system.assemble(at, mode=mode).x)
        assert {owner for owner in found.ideal if "closure" in owner} == {f"closure {string}"}

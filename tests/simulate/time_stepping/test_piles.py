"""Heaps of balls: sparse steps give what dense ones do, and keep what mechanics keeps."""

import os
import signal
from typing import Any

import numpy as np
import pytest

import touchback as tb
from piles import MASS, RADIUS, G, pile, places
from python_moreau_jean import moreau_jean
from touchback.simulate import RunInterrupted
from touchback.system.contact_equations import STEPPED, ContactEquations

STEP = 1e-3


def momentum(system: tb.System, run: tb.Run, at: int) -> np.ndarray:
    """Linear and angular momentum of everything [kg m/s, kg m²/s]."""
    x = np.array([run[name][at] for name in system.state_names])
    nq = system.sizes[0]
    return np.asarray(system.momentum(x[:nq], x[nq:]))


@pytest.mark.parametrize(
    ("side", "layers", "steps"), [(1, 3, 60), pytest.param(2, 2, 30, marks=pytest.mark.soak)]
)
def test_steps_of_a_pile_are_those_of_the_second_implementation(
    side: int, layers: int, steps: int
) -> None:
    """Balls fall onto each other: dense matrices and sweeps in NumPy."""
    system, contacts = pile(side, layers)
    run = tb.simulate(
        system, method="moreau-jean", contacts=contacts, duration=steps * STEP, step=STEP
    )
    equations = ContactEquations(system, contacts)
    x, last = system.initial_state().x, np.zeros(equations.layout.rows)
    for k in range(steps):
        u = np.array([(k + 0.5) * STEP])
        taken = moreau_jean(equations, x, u, STEP, 0.5, last)
        x, last = x + taken.change, taken.impulses
        found = [run[name][k + 1] for name in system.state_names]
        np.testing.assert_allclose(found, x, atol=1e-11)
    assert sum(run[f"{name} impulse"].max() > 0.0 for name in contacts) >= layers


@pytest.fixture(scope="module")
def settled() -> tuple[tb.System, dict[str, tb.contact.ContactKind], tb.Run]:
    """18 balls that come to rest between walls without friction."""
    system, contacts = pile(3, 2, wall_friction=0.0)
    return (
        system,
        contacts,
        tb.simulate(system, method="moreau-jean", contacts=contacts, duration=0.3, step=STEP),
    )


def test_the_floor_gives_what_gravity_takes(
    settled: tuple[tb.System, dict[str, tb.contact.ContactKind], tb.Run],
) -> None:
    """Σ floor impulses = weight·time + change of momentum, to the order of the step (velocities
    are those of bodies that turn); at rest they hold the weight."""
    system, _, run = settled
    balls = 18
    given = sum(run[f"floor {i} impulse"].sum() for i in range(balls))
    gained = (momentum(system, run, -1) - momentum(system, run, 0))[0][2]
    assert given == pytest.approx(balls * MASS * G * 0.3 + gained, rel=1e-4)
    late = sum(run[f"floor {i} impulse"][-100:].mean() for i in range(balls)) / STEP
    assert late == pytest.approx(balls * MASS * G, rel=0.02)


def test_balls_that_settle_hardly_overlap_and_gain_no_energy(
    settled: tuple[tb.System, dict[str, tb.contact.ContactKind], tb.Run],
) -> None:
    """No deeper than a step's way at the fastest speed; all pairs, listed as contacts or not."""
    _, contacts, run = settled
    fall = np.sqrt(2 * G * RADIUS)
    centres = np.array([[run[f"ball {i}.{x}"][-1] for x in "xyz"] for i in range(18)])
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(18, 1)]
    assert apart.min() > 2 * RADIUS - fall * STEP
    assert min(run[f"{name} gap"].min() for name in contacts) > -fall * STEP
    books = run.energy_balance
    assert books.total("impacts") > 0.0 and books.total("dissipated") > 0.0
    assert abs(books.residual) < 1e-3 * books.total("impacts")
    total = run["energy"] - run["work"]
    assert np.diff(total).max() < 1e-4 * np.ptp(total)
    assert run.metadata["statistics"]["unsettled"] == 0


def test_balls_that_meet_in_space_keep_their_momenta() -> None:
    """Without gravity, walls and floor: with friction and restitution, both momenta stay but for
    what bodies turn within a step, in which velocities are along their axes."""
    m = tb.Model("cluster", gravity=(0, 0, 0))
    centres, _ = places(2, 2)
    balls, contacts = [], {}
    for i, centre in enumerate(centres):
        ball = m.body(f"ball {i}", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
        inwards = -2.0 * (centre - centres.mean(axis=0)) + 0.3 * np.cross(centre, (0, 0, 1))
        m.joint(f"ball {i}", tb.Free(), m.ground, ball, position=(*centre, 1, 0, 0, 0),
                velocity=(*inwards, 0, 0, 3.0 * (i % 2)))  # fmt: skip
        for j, other in enumerate(balls):
            contacts[f"{i} {j}"] = tb.contact.SphereSphereContact(
                ball, other, RADIUS, RADIUS, friction=0.4, restitution=0.3
            )
        balls.append(ball)
    system = m.compile()
    drift = []
    for step in (STEP, STEP / 4):
        run = tb.simulate(system, method="moreau-jean", contacts=contacts, duration=0.1, step=step)
        assert sum(run[f"{name} impulse"].max() > 0.0 for name in contacts) > 6
        assert run["energy"][-1] < run["energy"][0]
        change = momentum(system, run, -1) - momentum(system, run, 0)
        drift.append(np.linalg.norm(change, axis=1))
    moving = sum(MASS * abs(run[f"ball {i}.vx"][0]) for i in range(8))
    assert (drift[0] < [1e-3 * moving, 2e-3 * moving * RADIUS]).all()
    assert (drift[1] < 0.5 * drift[0]).all()


def test_stacks_that_stand_apart_do_not_know_of_each_other() -> None:
    """Two towers of three in one model move as one of them alone does."""
    runs = []
    for towers in (1, 2):
        m = tb.Model("towers", gravity=(0, 0, -G))
        contacts: dict[str, tb.contact.ContactKind] = {}
        for k in range(towers):
            below = None
            for i in range(3):
                ball = m.body(f"{k} {i}", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
                place = (k + 0.01 * i, 0, RADIUS * (1 + 2.02 * i), 1, 0, 0, 0)
                m.joint(f"{k} {i}", tb.Free(), m.ground, ball, position=place)
                contacts[f"floor {k} {i}"] = tb.contact.SpherePlaneContact(
                    ball, m.ground, RADIUS, friction=0.4
                )
                if below:
                    contacts[f"{k} {i}"] = tb.contact.SphereSphereContact(
                        ball, below, RADIUS, RADIUS, friction=0.4
                    )
                below = ball
        runs.append(
            tb.simulate(
                m.compile(), method="moreau-jean", contacts=contacts, duration=0.2, step=STEP
            )
        )
    for i in range(3):
        np.testing.assert_allclose(runs[1][f"0 {i}.z"], runs[0][f"0 {i}.z"], atol=1e-12)
        np.testing.assert_allclose(runs[1][f"1 {i}.x"] - 1, runs[0][f"0 {i}.x"], atol=1e-10)


def test_the_cost_of_a_ball_does_not_grow_with_their_number() -> None:
    """Each ball is a part: matrices have 13 × 13 numbers for each, not (13 n)²."""
    for side in (1, 2):
        system, contacts = pile(side, 2)
        pattern = ContactEquations(system, contacts, names=STEPPED).stepped().pattern
        balls = 2 * side**2
        assert pattern.parts == balls
        assert pattern.size("slope_starts") == 13**2 * balls
        assert pattern.size("mass_starts") == 6**2 * balls


@pytest.mark.parametrize("method", ["moreau-jean", "event-driven"])
def test_ctrl_c_ends_runs_with_contacts_and_keeps_them(method: str) -> None:
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", MASS), position=0.1)
    m.force("push", tb.JointEffort("z", m.input("push", unit="N")))

    def press(t: float) -> float:
        if 0.05 < t < 0.05 + STEP:
            os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"))}
    with pytest.raises(RunInterrupted, match=r"ball: interrupted at t = 0\.0") as caught:
        given: Any = {"method": method, "step": STEP, "contacts": floor}
        tb.simulate(m.compile(), duration=1.0, inputs={"push": press}, **given)
    kept = caught.value.run
    assert 0.045 < kept.time[-1] < 0.055
    fallen = 0.5 * G * kept.time[-1] ** 2
    assert kept["z"][-1] == pytest.approx(0.1 - fallen, abs=1e-9)

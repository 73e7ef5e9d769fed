"""Inertial parameters from motions and efforts: Pinocchio's regressor, published numbers of base
parameters, and efforts with noise."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import touchback as tb
from random_mechanisms import random_mechanism
from touchback.estimate import base_parameters, identify_inertia, inertial_parameters

AS_PINOCCHIO = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]  # its order: m, h, xx, xy, yy, xz, yz, zz


def motions(system: tb.System, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    chance = np.random.default_rng(seed)
    q = system.initial_state().q + chance.normal(size=(count, system.sizes[0]))
    return q, *chance.normal(size=(2, count, system.sizes[1]))


def chain(kinds: str, gravity: tuple[float, float, float]) -> tuple[tb.Model, Any]:
    """Revolute (x, y, z) and sliding (X, Y, Z) joints in general places, and the same for
    Pinocchio; a link's frame is that of its joint."""
    chance = np.random.default_rng(4)
    m, peer, parent, below = tb.Model("chain", gravity=gravity), pin.Model(), None, 0
    peer.gravity.linear = np.array(gravity)
    for i, kind in enumerate(kinds):
        place, (turn,) = chance.normal(size=3), chance.normal(size=1)
        mass, com = 1.0 + chance.random(), 0.1 * chance.normal(size=3)
        body = m.body(f"link {i}", mass=mass, com=tuple(com), inertia=(0.03, 0.04, 0.05))
        at = (m.ground if parent is None else parent).at(*place, turn=("x", float(turn)))
        joint = tb.Revolute(kind) if kind.islower() else tb.Prismatic(kind.lower())
        m.joint(f"joint {i}", joint, at, body)
        word = "R" if kind.islower() else "P"
        X = pin.SE3(pin.utils.rotate("x", float(turn)), place)
        below = peer.addJoint(
            below, getattr(pin, f"JointModel{word}{kind.upper()}")(), X, f"joint {i}"
        )
        own = pin.Inertia(mass, com, np.diag([0.03, 0.04, 0.05]))
        peer.appendBodyToJoint(below, own, pin.SE3.Identity())
        parent = body
    return m, peer


def arm(axes: str, places: list[tuple[float, float, float]], gravity: Any) -> tb.System:
    m, parent = tb.Model("arm", gravity=gravity), None
    for i, (axis, place) in enumerate(zip(axes, places, strict=True)):
        body = m.body(f"link {i + 1}", mass=2.0, com=(0.1, 0.02, 0.03), inertia=(0.1, 0.1, 0.1))
        at = (m.ground if parent is None else parent).at(*place)
        m.joint(f"joint {i + 1}", tb.Revolute(axis), at, body)
        parent = body
    return m.compile()


PUMA = [(0, 0, 0), (0, 0.149, 0), (0.432, 0, 0), (0.02, 0, 0.432), (0, 0, 0), (0, 0, 0)]


def two_links(gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)) -> tb.System:
    return arm("zz", [(0, 0, 0), (0.5, 0, 0)], gravity)


def test_the_regressor_is_pinocchios() -> None:
    model, peer = chain("zyXxYz", (0.3, -1.0, -9.0))
    system, data = model.compile(), peer.createData()
    q, v, a = motions(system, 3)
    found = system.regressor(q, v, a)
    for k in range(3):
        theirs = pin.computeJointTorqueRegressor(peer, data, q[k], v[k], a[k])
        ours = found[k].reshape(6, 6, 10)[:, :, AS_PINOCCHIO].reshape(6, 60)
        np.testing.assert_allclose(ours, theirs, atol=1e-12 * np.abs(theirs).max())
    values = [peer.inertias[i + 1].toDynamicParameters() for i in range(6)]
    ours = np.array(list(inertial_parameters(system).values())).reshape(6, 10)[:, AS_PINOCCHIO]
    np.testing.assert_allclose(ours, values, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_parameters_of_any_tree_make_up_its_inverse_dynamics(seed: int) -> None:
    """Balls, screws, free bodies and rigid joints too."""
    system = random_mechanism(seed).model().compile()
    q, v, a = motions(system, 5)
    rotors = system.mass_matrix(q[0]) - _by_columns(system, q[0])
    parts = system.regressor(q, v, a) @ list(inertial_parameters(system).values())
    wanted = system.inverse_dynamics(q, v, a) - a @ rotors
    np.testing.assert_allclose(parts, wanted, atol=1e-10 * np.abs(wanted).max())
    assert np.abs(rotors - np.diag(np.diag(rotors))).max() < 1e-10  # armature alone


def _by_columns(system: tb.System, q: np.ndarray) -> np.ndarray:
    pi, n = list(inertial_parameters(system).values()), system.sizes[1]
    zero, still = np.zeros(n), system.regressor(q, np.zeros(n), np.zeros(n))
    return np.stack([(system.regressor(q, zero, e) - still) @ pi for e in np.eye(n)], axis=1)


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (two_links, 6),  # in the vertical plane: Jzz, hx, hy of each
        (lambda: two_links((0.0, 0.0, -9.81)), 4),  # flat: the first link's h is not felt
        # PUMA 560, 36: Mayeda, Yoshida and Osuka 1990
        (lambda: arm("zyyzyz", PUMA, (0, 0, -9.81)), 36),
        # seven joints, each square to the next, the first one vertical: 7 · 7 − 6
        (lambda: arm("zyzyzyz", [(0, 0, 0)] + [(0, 0, 0.3)] * 6, (0, 0, -9.81)), 43),
    ],
    ids=["two links", "two flat links", "PUMA 560", "seven joints"],
)  # fmt: skip
def test_as_many_base_parameters_as_published(made: Callable[[], tb.System], count: int) -> None:
    system = made()
    base = base_parameters(system)
    assert len(base) == count
    q, v, a = motions(system, 4, seed=9)  # any motion's efforts are those of the base alone
    Y, pi = system.regressor(q, v, a), np.array(list(inertial_parameters(system).values()))
    beta = base.matrix() @ pi
    np.testing.assert_allclose(Y[..., list(base.independent)] @ beta, Y @ pi, atol=1e-8)


def test_two_links_are_regrouped_as_in_textbooks() -> None:
    """Khalil and Dombre: ZZR1 = ZZ1 + d² M2, MXR1 = MX1 + d M2, d the first link's length."""
    found = base_parameters(two_links()).combinations
    assert found["link 1 Jzz"] == pytest.approx({"link 1 Jzz": 1.0, "link 2 m": 0.25})
    assert found["link 1 hx"] == pytest.approx({"link 1 hx": 1.0, "link 2 m": 0.5})
    assert set(found) == {
        f"link {i} {word}" for i in (1, 2) for word in ("hx", "hy", "Jzz")
    }  # fmt: skip


def swung(system: tb.System, friction: bool, seed: int) -> dict[str, np.ndarray]:
    """Sines of unlike frequencies, and motor torques with noise."""
    t = np.linspace(0.0, 6.0, 400)[:, None]
    w, chance = np.array([2.1, 3.7]), np.random.default_rng(seed)
    q, v, a = np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)
    tau = system.inverse_dynamics(q, v, a) + chance.normal(size=q.shape) * [0.5, 0.1]
    if friction:
        tau = tau + 0.7 * v + 1.5 * np.sign(v)
    return {"q": q, "v": v, "a": a, "tau": tau}


def test_base_parameters_are_found_within_their_intervals() -> None:
    system, held, trials = two_links(), 0, 20
    base = base_parameters(system)
    own = base.matrix() @ list(inertial_parameters(system).values())
    truth = dict(zip(base.combinations, own, strict=True))
    for seed in range(trials):
        found = identify_inertia(system, **swung(system, False, seed))
        interval = found.interval()
        held += sum(interval[name][0] < x < interval[name][1] for name, x in truth.items())
    assert held >= 105  # of 120 by 95 %: a lower count is met once in 1000 studies
    assert found.noise["joint 1"] == pytest.approx(0.5, rel=0.15)
    assert found.noise["joint 2"] == pytest.approx(0.1, rel=0.15)
    assert not found.impossible


@pytest.mark.parametrize("noise", [(0.0, 0.0), (0.1, 0.0), (0.0, 0.1)])
def test_efforts_without_noise_are_taken_too(noise: tuple[float, float]) -> None:
    """Those of a simulation, of which none is left, on all joints or on some: a table's masses,
    whose second drive alone tells the second one, and two links."""
    m = tb.Model("table", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("a", mass=2.0))
    m.joint("y", tb.Prismatic("y"), "a", m.body("b", mass=1.0))
    for system in (m.compile(), two_links()):
        q, v, a = motions(system, 60)
        tau = system.inverse_dynamics(q, v, a)
        tau += np.random.default_rng(3).normal(size=tau.shape) * noise
        found = identify_inertia(system, q, v, a, tau)
        truth = found.base.matrix() @ list(inertial_parameters(system).values())
        low, high = np.array(list(found.interval(0.9999).values())).T
        assert np.all((low < truth) & (truth < high))
        told = np.array([max(each, 1e-9 * np.abs(tau).max()) for each in noise])
        np.testing.assert_allclose(list(found.noise.values()), told, rtol=0.3)
        if not any(noise):
            np.testing.assert_allclose(found.beta, truth, atol=1e-12)


def test_a_motion_that_tells_nothing_is_said_to() -> None:
    flat = two_links((0.0, 0.0, -9.81))
    rest = np.zeros((9, 2))
    with pytest.raises(tb.SolveError, match="the motion tells nothing; move its joints"):
        identify_inertia(flat, rest, rest, rest, rest)


def test_friction_is_told_beside() -> None:
    system = two_links()
    found = identify_inertia(system, **swung(system, True, 1), joint_terms=("viscous", "coulomb"))
    for joint in ("joint 1", "joint 2"):
        for term, value in (("viscous", 0.7), ("coulomb", 1.5)):
            low, high = found.interval(0.999)[f"{joint} {term}"]
            assert low < value < high
    rows = str(found).splitlines()
    assert rows[-2].endswith("joint 2 coulomb [N m]") and "link 2 Jzz [kg m²]" in str(found)
    assert rows[-4].endswith("joint 2 viscous [N m s/rad]")
    assert rows[-1].startswith("  noise: joint 1 [N m] ")


def test_masses_that_no_body_has_are_told() -> None:
    system, given = two_links(), swung(two_links(), False, 1)
    found = identify_inertia(system, **{**given, "tau": -given["tau"]})
    assert "link 2" in found.impossible
    assert "no mass has the inertia of link 1, link 2" in str(found)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"v": np.zeros((3, 2))}, "v: 400 samples of 2 coordinates are expected"),
        ({"tau": np.full((400, 2), np.nan)}, "tau: sample 0 has what is no number"),
        ({"joint_terms": "viscous"}, "joint_terms"),
        ({"joint_terms": ["stiction"]}, "joint_terms: some of 'viscous', 'coulomb'"),
    ],
)
def test_what_cant_be_is_refused(changed: dict[str, Any], said: str) -> None:
    system = two_links()
    with pytest.raises(tb.InputError, match=said):
        identify_inertia(system, **{**swung(system, False, 1), **changed})


def test_too_few_samples_are_refused() -> None:
    system = two_links()
    few = {name: array[:2] for name, array in swung(system, False, 1).items()}
    with pytest.raises(tb.InputError, match="2 samples of 2 efforts can't tell 4 base parameters"):
        identify_inertia(system, **few)


def test_noise_is_counted_by_the_samples_that_no_parameter_follows() -> None:
    """Of one joint it is that of ordinary least squares."""
    m = tb.Model("pendulum")
    bob = m.body("bob", 2.0, (0.1, 0, -0.4), (0.01, 0.02, 0.01))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    system, (q, v, a, noise) = m.compile(), np.random.default_rng(0).normal(size=(4, 12, 1))
    tau = system.inverse_dynamics(q, v, a) + noise
    columns = system.regressor(q, v, a)[:, 0]
    solved, _, rank, _ = np.linalg.lstsq(columns, tau[:, 0], rcond=1e-9)
    left = tau[:, 0] - columns @ solved
    found = tb.estimate.identify_inertia(system, q, v, a, tau)
    assert found.noise["swing"] == pytest.approx(np.sqrt(left @ left / (12 - rank)))

"""Derivatives of inverse and forward dynamics: against Pinocchio's on random trees, complex steps
through recursions on numbers, and a closed form."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from random_mechanisms import KINDS, Mechanism, examples, mechanisms, scale
from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.forward import configuration_rate, forward, inverse
from touchback.gallery import make
from touchback.model.part import flatten
from touchback.symbolic.scalars import Operators
from touchback.system import plan

STEP = 1e-30  # of complex numbers: what it squares to is nothing beside 1


def close(ours: np.ndarray, theirs: np.ndarray, what: str, tolerance: float) -> None:
    error = float(np.abs(ours - theirs).max(initial=0.0))
    assert error <= tolerance * scale(theirs), f"{what}: {error:.3g} off"


# ---- Pinocchio ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_those_of_pinocchio_for_every_kind_of_joint(kind: str) -> None:
    """Both differentiate by increments in velocity coordinates. 1e-12 of the largest number for
    efforts; accelerations lose digits with the condition of M, so the residual is compared."""
    pin = pytest.importorskip("pinocchio")
    from pinocchio_peer import build

    @examples(1)
    @given(mechanisms(root=kind, leaf=kind))
    def agrees(mechanism: Mechanism) -> None:
        system = mechanism.model().compile()
        n = system.sizes[1]
        if n == 0:
            return
        peer, (q, v, a) = build(mechanism, system), mechanism.state(system)
        at, order = (peer.model, peer.data, peer.q(q), peer.v(v)), np.ix_(peer.v_of, peer.v_of)
        theirs = [np.array(x).reshape(n, n) for x in pin.computeRNEADerivatives(*at, peer.v(a))]
        M = np.triu(theirs[2]) + np.triu(theirs[2], 1).T  # they fill the upper triangle
        ours = system.inverse_dynamics_derivatives(q, v, a)
        for mine, wanted, what in zip(ours, [*theirs[:2], M], "qva", strict=True):
            close(mine, wanted[order], f"efforts by {what}", 1e-12)
        theirs = [np.array(x).reshape(n, n) for x in pin.computeABADerivatives(*at, peer.v(a))]
        inverse_of_M = np.triu(theirs[2]) + np.triu(theirs[2], 1).T
        found = system.forward_dynamics_derivatives(q, v, a)
        for mine, wanted, what in zip(found, [*theirs[:2], inverse_of_M], "qvτ", strict=True):
            sizes = np.abs(M).max() * max(np.abs(mine).max(), np.abs(wanted).max())
            left = np.abs(M[order] @ (mine - wanted[order])).max()
            assert left <= 1e-11 * max(sizes, 1.0), f"accelerations by {what}: {left / sizes:.3g}"

    agrees()


# ---- complex steps ------------------------------------------------------------------------------


def laws() -> tb.Model:
    """A ball joint, a slide with a spring and a stop, a locked axis, rotors, damping, a spring
    between bodies, an input and an extra state, on a ground that moves and turns."""
    m = tb.Model("laws")
    m.move_base(position=(0, 0.3 * m.time * m.time, 0), turn=(("x", 0.2 + 0.7 * m.time),))
    mass, rate = m.parameter("mass", 2.0, unit="kg", min=0.1), m.parameter("stiffness", 30.0)
    body = m.body("body", mass=mass, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    arm = m.body("arm", mass=1.0, com=(0.3, 0, 0.1), inertia=(0.02, 0.03, 0.04))
    slider = m.body("slider", mass=0.5, com=(0, 0.1, 0))
    m.joint("ball", tb.Spherical(), m.ground.at(0.1, 0, 0.2), body.at(0, 0, 0.1))
    m.joint("lock", tb.Fixed(), body.at(0.2, 0, 0, turn=("x", 0.3)), m.body("box", mass=0.4))
    m.joint("arm", tb.Revolute("y"), body.at(0.3, 0, 0), arm, damping=0.2, armature=0.05)
    above = arm.at(0.2, 0, 0, turn=("y", 0.4))
    m.joint("slide", tb.Prismatic("z"), above, slider, spring=9.0, limits=(-0.1, 0.1))
    push = m.input("push", unit="N m")
    lag = m.state("lag", 0.5, rate=push)
    m.force("motor", tb.JointEffort("arm", push + lag * m.time))
    m.force(
        "spring",
        tb.SpringDamper(m.ground.at(1, 0, 0), slider, stiffness=rate, damping=2, length=0.5),
    )
    return m


MODELS: dict[str, Callable[[], tb.Model]] = {"laws": laws, "fluid": lambda: make("buoy")}


class ByNumbers:
    """Dynamics of a model over complex numbers: no tape, no code, and articulated bodies."""

    def __init__(self, system: tb.System, seed: int = 3) -> None:
        self.system, self.model = system, flatten(system.model)
        random, start = np.random.default_rng(seed), system.initial_state()
        self.q = start.q + 0.3 * random.normal(size=start.q.size)
        self.v, self.given = random.normal(size=(2, start.v.size))

    def instant(self, q: Any = None, v: Any = None, **parameters: Any) -> Instant:
        layout = self.system.layout
        at = Coordinates(
            list(self.q if q is None else q), list(self.v if v is None else v),
            dict(zip(layout.z, self.system.initial_state().z, strict=True)),
            dict(zip(layout.inputs, layout.input_defaults, strict=True)), 0.0,
            {**self.system.parameters, **parameters},
        )  # fmt: skip
        return Instant(self.model, Operators(), at)

    def slopes(self, result: Callable[[Instant], Any]) -> list[np.ndarray]:
        """By increments of positions, by velocities, by parameters."""
        n = self.v.size
        increments = [configuration_rate(self.instant(v=unit)) for unit in np.eye(n)]
        instants = (
            [self.instant(q=self.q + 1j * STEP * np.array(x, float)) for x in increments],
            [self.instant(v=self.v + 1j * STEP * unit) for unit in np.eye(n)],
            [self.instant(**{k: p + 1j * STEP}) for k, p in self.system.parameters.items()],
        )
        found = [
            [np.imag(np.array(result(each), complex)) / STEP for each in some] for some in instants
        ]
        return [np.array(columns).reshape(-1, n).T for columns in found]


@pytest.mark.parametrize("by", ["unrolled", "loop"])
@pytest.mark.parametrize("name", MODELS)
def test_they_are_complex_steps_of_recursions_on_numbers(
    name: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given efforts and the model's own, with laws that depend on everything: to 1e-9."""
    if by == "loop":
        monkeypatch.setattr(plan, "_LOOP_SOLUTIONS", 0)
    system = MODELS[name]().compile()
    assert system.plan.loop_derivatives == (by == "loop")
    numbers = ByNumbers(system)
    q, v, given = numbers.q, numbers.v, numbers.given
    for label, result, slopes, by_p in (
        ("efforts", lambda i: inverse(i, given),
         system.inverse_dynamics_derivatives(q, v, given),
         system.inverse_dynamics_by_parameters(q, v, given)),
        ("accelerations", lambda i: forward(i, given, "articulated"),
         system.forward_dynamics_derivatives(q, v, given),
         system.forward_dynamics_by_parameters(q, v, given)),
        ("its own accelerations", lambda i: forward(i, i.efforts(), "articulated"),
         system.forward_dynamics_derivatives(q, v),
         system.forward_dynamics_by_parameters(q, v)),
    ):  # fmt: skip
        for found, wanted, by in zip(
            (*slopes[:2], by_p), numbers.slopes(result), ("q", "v", "p"), strict=True
        ):
            close(found, wanted, f"{label} by {by}", 1e-9)
    M = system.mass_matrix(q)
    close(system.inverse_dynamics_derivatives(q, v, given)[2], M, "M", 1e-12)
    close(system.forward_dynamics_derivatives(q, v)[2] @ M, np.eye(len(M)), "M⁻¹", 1e-9)


# ---- other ways ---------------------------------------------------------------------------------


def test_a_pendulum_has_those_of_its_equation() -> None:
    """a = τ/(m l²) − (g/l) sin q: a point mass on a massless rod."""
    m = tb.Model("pendulum", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.7, unit="m", min=0.1)
    bob = m.body("bob", mass=2.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    system = m.compile()
    by_q, by_v, by_tau = system.forward_dynamics_derivatives([0.4], [1.3], [0.5])
    inertia = 2.0 * 0.7**2
    assert by_q == pytest.approx(-9.81 / 0.7 * np.cos(0.4), rel=1e-14)
    assert by_v == 0.0
    assert by_tau == pytest.approx(1 / inertia, rel=1e-14)
    by_length = system.forward_dynamics_by_parameters([0.4], [1.3], [0.5])
    wanted = -2 * 0.5 / (inertia * 0.7) + 9.81 / 0.7**2 * np.sin(0.4)
    assert by_length == pytest.approx(wanted, rel=1e-13)


def test_large_trees_are_solved_by_a_loop_whatever_the_order_of_their_joints() -> None:
    """Twenty joints of a tree with branches, described from the leaves on: the derivatives of
    accelerations undo those of efforts."""
    m, size = tb.Model("tree"), 20
    links = [
        m.body(f"b{i}", mass=1.0, com=(0.1, 0.02, 0), inertia=(0.01, 0.02, 0.02))
        for i in range(size)
    ]
    for i in reversed(range(size)):
        carrier = m.ground if i == 0 else links[i - 1 if i % 7 else i // 2].at(0.3, 0, 0.05)
        m.joint(f"j{i}", tb.Revolute("xyz"[i % 3]), carrier, links[i], damping=0.1 * i)
    system = m.compile()
    assert system.plan.loop_derivatives
    q, v, tau = np.random.default_rng(1).normal(size=(3, 2, size))
    for efforts in (tau, None):
        found = system.forward_dynamics_derivatives(q, v, efforts)
        slopes = system.inverse_dynamics_derivatives(q, v, system.forward_dynamics(q, v, efforts))
        if efforts is None:  # what the dampers do
            slopes[:, 1] += np.diag([0.1 * int(name[1:]) for name in system.velocities])
        M = slopes[:, 2]
        for which in (0, 1):
            left = M @ found[:, which] + slopes[:, which]
            assert np.abs(left).max() <= 1e-10 * np.abs(slopes[:, which]).max()
        assert np.abs(M @ found[:, 2] - np.eye(size)).max() <= 1e-10


def test_constraints_are_refused_with_the_mend() -> None:
    system = make("slider-crank").compile()
    start = system.assemble()
    for name in ("forward_dynamics_derivatives", "forward_dynamics_by_parameters"):
        with pytest.raises(tb.InputError, match="linearise"):
            getattr(system, name)(start.q, start.v)
    tree = system.inverse_dynamics_derivatives(start.q, start.v, 0 * start.v)
    close(tree[2], system.mass_matrix(start.q), "M", 1e-12)


def test_a_model_without_freedoms_has_none() -> None:
    m = tb.Model("still")
    m.joint("weld", tb.Fixed(), m.ground, m.body("box", mass=1.0))
    assert m.compile().forward_dynamics_derivatives([], []).shape == (3, 0, 0)

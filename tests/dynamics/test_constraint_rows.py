"""Rows of constraints: their rates are rates, and multipliers do no work."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from random_mechanisms import Mechanism, frame, random_mechanism
from touchback import gallery
from touchback.dynamics import Coordinates, Instant, loop_closures
from touchback.dynamics.constraint_row import Row
from touchback.dynamics.constraints import closure_rows
from touchback.dynamics.forward_dynamics import configuration_rate
from touchback.dynamics.mechanism_instant import jacobian
from touchback.dynamics.numeric_instant import float_instant
from touchback.model.closures import Closure
from touchback.model.frame import BodyHandle
from touchback.symbolic.operation_count import count_tape
from touchback.symbolic.scalars import Operators
from touchback.system import System
from touchback.system.derivation import Derivation
from touchback.system.derivation_plan import make_plan
from touchback.system.dynamics_kinds import At, ConstrainedDynamics
from touchback.system.signal_layout import layout_of

CLOSURES = {
    "ball": tb.Spherical(),
    "pin": tb.Revolute("z"),
    "slanted pin": tb.Revolute((1.0, 2.0, 3.0)),
    "slide": tb.Prismatic("x"),
    "slanted slide": tb.Prismatic((1.0, -1.0, 0.5)),
    "cylinder": tb.Cylindrical((0.0, 1.0, 1.0)),
    "cross": tb.Universal("x", "z"),
    "weld": tb.Fixed(),
    "table": tb.Planar("y"),
    "rod": tb.Rod(0.7),
    "in plane": tb.PointInPlane("xz"),
    "on plane": tb.PointOnPlane("y"),
    "on line": tb.PointOnLine("z"),
    "skate": tb.Skate((1.0, 1.0, 0.2)),
    "wheel": tb.Rolling(0.3, axis="y", normal="z"),
    "slanted wheel": tb.Rolling(0.4, axis=(1.0, 0.5, 0.0), normal="y"),
}
ENDS = ((0.1, 0.2, 0.3), (0.4, 0.3, -0.2)), ((0.3, -0.2, 0.1), (1.0, 0.0, 0.2))
STEP = 1e-30  # of a complex step: exact to rounding


def closed(kind: Any, mechanism: Mechanism, first: int = 1) -> tuple[tb.Model, Closure]:
    m = mechanism.model()
    a = frame(BodyHandle(f"b{first}"), tuple(map(np.array, ENDS[0])))
    b = frame(BodyHandle("b4"), tuple(map(np.array, ENDS[1])))
    return m, Closure(kind, a, b)


def state(m: tb.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng, layout = np.random.default_rng(seed), layout_of(m)
    return rng.standard_normal(len(layout.q)), rng.standard_normal(len(layout.v))


def instant(m: tb.Model, q: np.ndarray, v: np.ndarray) -> Instant:
    return Instant(m, Operators(), Coordinates(list(q), list(v), {}, {}, 0.0, {}))


def along(row: Row, v: np.ndarray) -> Any:
    return sum(entry * v[freedom] for freedom, entry in row.J.items())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", CLOSURES)
def test_rates_of_closures_are_rates(name: str, seed: int) -> None:
    """ḣ = J v and d(J v)/dt = γ at constant v, by complex steps along the flow q̇ = N(q) v."""
    m, closure = closed(CLOSURES[name], random_mechanism(seed, leaf="spherical"))
    q, v = state(m, seed)
    q_rate = np.array(configuration_rate(instant(m, q, v)), dtype=float)
    here = closure_rows(instant(m, q, v), name, closure)
    ahead = closure_rows(instant(m, q + 1j * STEP * q_rate, v), name, closure)
    for row, moved in zip(here, ahead, strict=True):
        size = 1.0 + abs(row.gamma) + max(map(abs, row.J.values())) * np.abs(v).max()
        if row.h is not None:
            assert abs(np.imag(moved.h) / STEP - along(row, v)) < 1e-12 * size
        assert abs(np.imag(along(moved, v)) / STEP - row.gamma) < 1e-11 * size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", CLOSURES)
def test_multipliers_of_closures_do_the_work_of_their_rows(name: str, seed: int) -> None:
    """Force and torque on the two bodies have the power λ ḣ: the actions are Jᵀλ."""
    m, closure = closed(CLOSURES[name], random_mechanism(seed, leaf="spherical"))
    q, v = state(m, seed)
    at = instant(m, q, v)
    for row in closure_rows(at, name, closure):
        power = 0.0
        for action in row.actions:
            R = np.array(at.link_pose(action.common)[0], dtype=float)
            J = np.array(jacobian(at, action.frame), dtype=float)
            force, torque = (R @ np.array(x, dtype=float) for x in (action.force, action.torque))
            power += np.concatenate([torque, force]) @ J @ v
        # Off closure, `Meet` turns with the common body; its actions balance only where h is zero.
        if row.name.split(".")[0] in SEEN_ALIKE:
            assert power == pytest.approx(along(row, v), abs=1e-11)


SEEN_ALIKE = [  # closures without `Meet`, whose axes are those of the common body
    name
    for name, kind in CLOSURES.items()
    if not isinstance(kind, tb.Spherical | tb.Revolute | tb.Universal | tb.Fixed | tb.PointInPlane)
]


@pytest.mark.parametrize("name", SEEN_ALIKE)
def test_the_closest_common_body_gives_what_the_ground_gives(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = random_mechanism(3, root="free", leaf="spherical")
    m, closure = closed(CLOSURES[name], mechanism, first=0)
    q, v = state(m, 5)
    near = closure_rows(instant(m, q, v), name, closure)
    monkeypatch.setattr(loop_closures, "common_link", lambda *_: -1)
    far = closure_rows(instant(m, q, v), name, closure)
    for a, b in zip(near, far, strict=True):
        assert a.h == pytest.approx(b.h, abs=1e-12) if a.h is not None else b.h is None
        assert a.gamma == pytest.approx(b.gamma, abs=1e-11)
        assert set(a.J) <= set(b.J)
        for freedom, entry in b.J.items():
            assert a.J.get(freedom, 0.0) == pytest.approx(entry, abs=1e-12)


def test_a_ball_has_the_difference_of_the_two_geometric_jacobians() -> None:
    mechanism = random_mechanism(8, leaf="spherical")
    mechanism.joints[1].parent, mechanism.joints[4].parent = -1, 0  # two branches of the ground
    m, closure = closed(tb.Spherical(), mechanism)
    q, v = state(m, 1)
    at = instant(m, q, v)
    A, B = (np.array(jacobian(at, end), dtype=float)[3:] for end in (closure.a, closure.b))
    found = np.zeros_like(A)
    for i, row in enumerate(closure_rows(at, "ball", closure)):
        for freedom, entry in row.J.items():
            found[i, freedom] = entry
    np.testing.assert_allclose(found, B - A, atol=1e-13)


def written() -> tb.Model:
    """A tree with every kind of coupling, with written constraints, and drives."""
    m = random_mechanism(2, kinds=("revolute", "cylindrical", "prismatic"), root="cylindrical",
                         leaf="spherical").model()  # fmt: skip
    ratio = m.parameter("ratio", -1.7)
    q, v = m.coordinate, m.rate
    m.couple("gear", tb.Gear("j1", "j2", ratio, offset=0.1))
    m.couple("rack", tb.Rack("j1", "j3", radius=0.2))
    m.couple("thread", tb.ScrewCoupling("j0", pitch=0.01))
    m.couple("axle", tb.Differential("j1", "j2", "j3"))
    m.constrain("cam", position=tb.sin(q("j1")) * q("j0") - 0.1 * tb.cos(3 * m.time))
    m.constrain("turned", position=q("j4", 1) * q("j4", 2) - ratio * q("j1"))
    m.constrain("slope", velocity=v("j1") * tb.cos(q("j2")) - v("j4", 2) * q("j1") - m.time**2)
    m.drive("j3", tb.Sine(0.3, 2.0, 0.4))
    m.drive("j2", tb.SmoothStep(0.0, 1.0, -1.0, 2.0), name="step")
    return m


def test_rates_of_written_rows_are_rates() -> None:
    """J v − b is ḣ, and J a + γ is its rate for any a: by central differences along a motion."""
    m = written()
    plan = make_plan(m, layout_of(m), float_instant(m).tree)
    system = System(
        ConstrainedDynamics(m, plan, "interpreter")
    )  # unchecked: nothing meets all of these
    e = 1e-5
    q, v = state(m, 3)
    a = np.random.default_rng(4).standard_normal(v.size)

    def moved(t: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Positions by a fine Runge–Kutta walk: its error is far below that of differences."""
        at, steps = q.copy(), 4
        for i in range(steps):
            h, s = t / steps, t / steps * i
            k = [at]
            for weight in (0.0, 0.5, 0.5, 1.0):
                here = at + weight * h * (k[-1] if len(k) > 1 else 0.0)
                function = system.function("configuration rate")
                k.append(system.call_function(function, At(here, v + a * (s + weight * h))))
            at = at + h / 6 * (k[1] + 2 * k[2] + 2 * k[3] + k[4])
        return at, v + a * t, 0.3 + t

    here, after, before = (system.terms(x, w, t=t) for x, w, t in map(moved, (0.0, e, -e)))
    rate = here.J @ v - here.b
    holonomic = system.acting.rows.holonomic
    np.testing.assert_allclose(
        rate[holonomic], ((after.h - before.h) / (2 * e))[holonomic], atol=1e-8
    )
    rates = [
        terms.J @ w - terms.b
        for terms, (_, w, _) in zip((after, before), map(moved, (e, -e)), strict=True)
    ]
    np.testing.assert_allclose(here.J @ a + here.gamma, (rates[0] - rates[1]) / (2 * e), atol=1e-7)


def test_a_drive_of_given_rates_keeps_them() -> None:
    m = tb.Model("arm")
    m.body("rod", mass=1.0, inertia=(1, 1, 1))
    m.joint("hinge", tb.Revolute("y"), m.ground, "rod")
    m.drive("hinge", m.input("angle"), m.input("speed"), m.input("surge"))
    terms = m.compile().terms([0.5], [0.0], u={"angle": 0.2, "speed": 0.3, "surge": 0.7})
    assert (terms.h[0], terms.b[0], terms.gamma[0]) == (0.5 - 0.2, 0.3, -0.7)


def loop_flops(m: tb.Model) -> tuple[int, int]:
    """Flops of [h, J] and of γ of the closures, each alone, as ROBOTRAN counts them."""
    d = Derivation(m, layout_of(m))
    rows = [row for name, each in m.closures.items() for row in closure_rows(d.instant, name, each)]
    hJ = [x for row in rows for x in (row.h, *row.J.values())]
    return count_tape(d.tape, hJ).flops, count_tape(d.tape, [row.gamma for row in rows]).flops


def test_the_suspension_takes_no_more_operations_than_robotrans() -> None:
    """ROBOTRAN's generated files of a suspension of these joints and this cut state 29 flops for h
    and J, 36 for J̇q̇."""
    hJ, gamma = loop_flops(gallery.make("suspension"))
    assert hJ <= 29 and gamma <= 36


@pytest.mark.parametrize("axis", ["x", "y", "-y", "z", (1.0, 2.0, 3.0)])
def test_a_planar_pin_keeps_to_the_axes_of_the_body_that_carries_both_branches(axis: Any) -> None:
    """Links have frames of their own, laid along axes of turning; the plane that a model names is
    that of the body, as poses of bodies show it."""
    m = tb.Model("fork")
    trunk, left, right = (m.body(each, 1.0, inertia=(1, 1, 1)) for each in ("t", "l", "r"))
    m.joint("trunk", tb.Revolute(axis), m.ground, trunk)
    m.joint("left", tb.Revolute(axis), trunk.at(0.1, 0.2, 0.3), left)
    m.joint("right", tb.Free(), trunk.at(-0.2, 0.1, 0.0, turn=("x", 0.4)), right)
    ends = left.at(0.3, 0.1, -0.2), right.at(0.1, -0.3, 0.2)
    m.close("pin", tb.PointInPlane("zx"), *ends)
    system, q = m.compile(), [0.7, -0.4, 0.3, 0.1, -0.2, 0.8, 0.0, 0.6, 0.0]
    R, _ = system.pose(trunk, q)
    (_, p_A), (_, p_B) = (system.pose(end, q) for end in ends)
    np.testing.assert_allclose(system.constraint_error(q), (R.T @ (p_B - p_A))[[2, 0]], atol=1e-14)

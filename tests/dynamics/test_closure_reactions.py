"""Forces of closures: with those of the joints they balance each body's rate of momentum."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.model.closures import ClosureKind

KINDS: dict[str, ClosureKind | tb.JointKind] = {
    "point in xy": tb.PointInPlane("xy"),
    "point in zx": tb.PointInPlane("zx"),
    "point on plane": tb.PointOnPlane("y"),
    "point on line": tb.PointOnLine("z"),
    "rod": tb.Rod(0.7),
    "skate": tb.Skate((0.3, -1.0, 0.2)),
    "rolling": tb.Rolling(0.4, (0.2, 1.0, 0.1), "z"),
    "ball": tb.Spherical(),
    "revolute": tb.Revolute((0.1, 1.0, -0.4)),
    "universal": tb.Universal("x", "z"),
    "prismatic": tb.Prismatic((1.0, 0.2, 0.3)),
    "cylindrical": tb.Cylindrical("y"),
    "planar": tb.Planar("x"),
    "fixed": tb.Fixed(),
}
BODIES = ("carrier", "a", "b")
GRAVITY = np.array([1.0, -2.0, -9.0])


class Loop:
    """A carrier that floats, an arm on a ball and one without a bearing, and a closure between
    them or to the carrier, all placed at random; the closure need not be closed, its forces balance
    wherever it is."""

    def __init__(self, kind: ClosureKind | tb.JointKind, seed: int, to_carrier: bool) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.mass = dict(zip(BODIES, rng.uniform(0.5, 2.0, 3)))
        self.com = {name: rng.normal(size=3) * 0.2 for name in BODIES}
        self.inertia = {name: rng.uniform(0.1, 0.15, 3) for name in BODIES}
        m = tb.Model("loop", gravity=tuple(GRAVITY))
        for name in BODIES:
            m.body(name, self.mass[name], tuple(self.com[name]), tuple(self.inertia[name]))
        self.joint_frames = {name: self._frame(name) for name in BODIES}
        m.joint("carrier", tb.Free(), m.ground, self.joint_frames["carrier"])
        m.joint("a", tb.Spherical(), self._frame("carrier"), self.joint_frames["a"])
        m.joint("b", tb.Free(), self._frame("carrier"), self.joint_frames["b"])
        first = "carrier" if to_carrier else "a"
        self.ends = self._frame(first), self._frame("b")
        m.close("tie", kind, *self.ends)
        self.system = m.compile()

    def _frame(self, body: str) -> tb.Frame:
        turn = tuple(zip("zxy", map(float, self.rng.uniform(-0.4, 0.4, 3))))
        return tb.Frame(body, tuple(map(float, self.rng.normal(size=3) * 0.4)), turn)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        turns = [Rotation.random(random_state=self.rng).as_quat()[[3, 0, 1, 2]] for _ in BODIES]
        places = self.rng.normal(size=(2, 3))
        q = np.concatenate([places[0], turns[0], turns[1], places[1], turns[2]])
        return q, self.rng.normal(size=self.system.sizes[1])


@pytest.mark.parametrize("to_carrier", [False, True], ids=["between arms", "to the carrier"])
@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_a_closure_balance_at_random_placements(kind: str, to_carrier: bool) -> None:
    loop = Loop(KINDS[kind], sum(map(ord, kind)), to_carrier)
    system = loop.system
    q, v = loop.state()
    a = system.forward_dynamics(q, v)
    balance = {}
    for name in BODIES:  # weight and −d(momentum)/dt about the centre of mass, from the motion
        centre = tb.Frame(name, tuple(loop.com[name]))
        R, p = system.pose(centre, q)
        w = system.velocity(centre, q, v)[:3]
        alpha, acceleration = np.split(system.acceleration(centre, q, v, a), 2)
        J = R @ np.diag(loop.inertia[name]) @ R.T
        force = loop.mass[name] * (GRAVITY - acceleration)
        balance[name] = [force, -(J @ alpha + np.cross(w, J @ w)), p]

    def act(name: str, sign: float, F: np.ndarray, N: np.ndarray, at: np.ndarray) -> None:
        force, moment, p = balance[name]
        balance[name] = [force + sign * F, moment + sign * (N + np.cross(at - p, F)), p]

    for name in BODIES:
        R, at = system.pose(loop.joint_frames[name], q)
        F, N = (R @ part for part in np.split(system.reaction(name, q, v), 2))
        act(name, 1.0, F, N, at)
        if name != "a":
            np.testing.assert_allclose([F, N], 0.0, atol=1e-9)  # it floats
        if name != "carrier":
            act("carrier", -1.0, F, N, at)
    R, at = system.pose(loop.ends[1], q)
    F, N = (R @ part for part in np.split(system.reaction("tie", q, v), 2))
    act("b", 1.0, F, N, at)
    assert np.linalg.norm(F) + np.linalg.norm(N) > 1e-3
    other = loop.ends[0].body
    if kind.startswith("point in") or kind in ("ball", "revolute", "universal", "fixed"):
        # the force acts at a's own point, the couple of what is apart on the common body
        start = system.pose(loop.ends[0], q)[1]
        act(other, -1.0, F, N, start)
        act("carrier", 1.0, np.zeros(3), -np.cross(at - start, F), start)
    else:
        act(other, -1.0, F, N, at)
    for name, (force, moment, _) in balance.items():
        np.testing.assert_allclose([force, moment], 0.0, atol=1e-9, err_msg=name)
    worst = tb.ports(system, np.concatenate([q, v])).worst
    assert max(worst["third law"], worst["momentum"]) < 1e-12


def test_a_planar_pin_apart_along_its_normal_leaves_a_floating_frame_in_balance() -> None:
    """Two arms in parallel planes 0.1 m apart: the couple F·d of the pin is the frame's to carry,
    and the whole keeps its angular momentum."""
    m = tb.Model("frame with a four-bar", gravity=(0, 0, 0))
    frame = m.body("frame", 2.0, (0.1, 0, 0), (0.1, 0.2, 0.3))
    m.joint("frame", tb.Free(), m.ground, frame)
    for name, x, y in (("left", 0.0, 0.0), ("right", 0.4, 0.1)):
        arm = m.body(name, 0.5, (0, 0, -0.1), (0.01, 0.01, 1e-3))
        m.joint(name, tb.Revolute("y"), frame.at(x, y, 0), arm)
    coupler = m.body("coupler", 0.3, (0.2, 0, 0), (1e-3, 0.01, 0.01))
    m.joint("pin", tb.Revolute("y"), tb.Frame("left", (0, 0, -0.3)), coupler)
    m.close("tie", tb.PointInPlane("xz"), coupler.at(0.4, 0, 0), tb.Frame("right", (0, 0, -0.3)))
    system = m.compile()
    start = system.assemble(left=0.4, rates={"left": 9.0})
    assert np.linalg.norm(system.reaction("tie", start.q, start.v)[:3]) > 1.0
    np.testing.assert_allclose(system.reaction("frame", start.q, start.v), 0.0, atol=1e-11)

"""A Stewart platform: six legs of universal, sliding and ball joints, six freedoms.

Source: Newton and Euler, by hand (Dasgupta and Mruthyunjaya 1998 do the same with general legs).
With slender legs, whose inertia about their own line vanishes, a universal joint takes no moment
along the leg, so the moments about its foot give the force at its ball square to the leg, and the
balance of the plate gives the six forces along the legs. The path of the plate is prescribed; the
leg forces of Touchback's inverse dynamics are compared, and its direct dynamics under these forces
must take the plate along the path.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb

G = np.array([0.0, 0.0, -9.81])
PLATE_MASS, PLATE_MOMENTS = 20.0, np.diag([0.8, 0.9, 1.5])
LOWER = {"mass": 2.0, "centre": 0.3, "moment": 0.06}  # from the foot, along the leg
UPPER = {"mass": 1.0, "centre": -0.25, "moment": 0.02}  # from the ball, along the leg
POSE = ("x", "y", "z", "yaw", "pitch", "roll")
LEGS = range(6)


def ring(radius: float, half_angle: float, turn: float) -> np.ndarray:
    angles = [
        turn + 2 * np.pi / 3 * (i // 2) + (half_angle if i % 2 else -half_angle) for i in LEGS
    ]
    return np.array([[radius * np.cos(a), radius * np.sin(a), 0.0] for a in angles])


FEET = ring(1.0, 0.85, np.pi / 3)
BALLS = ring(0.6, 0.25, np.pi / 3)


def stewart() -> tb.Model:
    """The plate is moved by three slides and three hinges, so that its pose has plain names."""
    m = tb.Model("Stewart platform", gravity=tuple(G))
    before = m.ground
    kinds = [tb.Prismatic(a) for a in "xyz"] + [tb.Revolute(a) for a in "zyx"]
    for name, kind in zip(POSE, kinds, strict=True):
        last = name == POSE[-1]
        body = (
            m.body("plate", PLATE_MASS, (0, 0, 0), PLATE_MOMENTS) if last else m.body(f"to {name}")
        )
        m.joint(name, kind, before, body, position=[1.2 if name == "z" else 0.0])
        before = body
    for i in LEGS:
        lower = m.body(f"lower {i}", LOWER["mass"], (0, 0, LOWER["centre"]), thin(LOWER))
        upper = m.body(f"upper {i}", UPPER["mass"], (0, 0, UPPER["centre"]), thin(UPPER))
        m.joint(f"foot {i}", tb.Universal("x", "y"), m.ground.at(*FEET[i]), lower)
        m.joint(f"leg {i}", tb.Prismatic("z"), lower, upper, position=[1.2])
        m.close(f"ball {i}", tb.Spherical(), before.at(*BALLS[i]), upper)
        m.force(f"actuator {i}", tb.JointEffort(f"leg {i}", m.input(f"force {i}", unit="N")))
    return m


def thin(part: dict[str, float]) -> tuple[float, float, float]:
    return part["moment"], part["moment"], 0.0


MOTION = {
    "x": tb.Sine(0.10, 1.0),
    "y": tb.Sine(0.08, 1.5, 0.4),
    "z": tb.Sine(0.07, 0.8, 1.0, offset=1.2),
    "yaw": tb.Sine(0.15, 1.2, 0.3),
    "pitch": tb.Sine(0.10, 0.9),
    "roll": tb.Sine(0.12, 1.1, 0.7),
}


def sine(motion: tb.Sine, t: float) -> np.ndarray:
    """Value, rate and acceleration."""
    w, turn = 2 * np.pi * motion.frequency, 2 * np.pi * motion.frequency * t + motion.phase
    s, c = motion.amplitude * np.sin(turn), motion.amplitude * np.cos(turn)
    return np.array([motion.offset + s, w * c, -(w**2) * s])


def turning(angles: np.ndarray, rates: np.ndarray, changes: np.ndarray) -> tuple[np.ndarray, ...]:
    """R, ω and its rate in the world: each hinge turns about an axis that those before carry."""
    w, wd = np.zeros(3), np.zeros(3)
    R = np.eye(3)
    for axis, angle, rate, change in zip("ZYX", angles, rates, changes):
        e = R[:, "XYZ".index(axis)]
        wd = wd + e * change + np.cross(w, e) * rate
        w = w + e * rate
        R = R @ Rotation.from_euler(axis, angle).as_matrix()
    return R, w, wd


def leg(top: np.ndarray, speed: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of a leg whose ball moves thus, from its foot: its direction s, the force square to s that
    the plate exerts on it, and the part of the actuator's force that moves the upper half."""
    length = np.linalg.norm(top)
    s = top / length
    stretch, turn = s @ speed, np.cross(s, speed) / length
    turn_change = (np.cross(s, change) - 2 * stretch * turn) / length
    slide = (s @ change + length * (turn @ turn)) * s + 2 * np.cross(turn, stretch * s)
    above = length + UPPER["centre"]

    def swung(at: float) -> np.ndarray:
        return np.cross(turn_change, at * s) + np.cross(turn, np.cross(turn, at * s))

    push_lower = LOWER["mass"] * (swung(LOWER["centre"]) - G)
    push_upper = UPPER["mass"] * (swung(above) + slide - G)
    moments = (LOWER["moment"] + UPPER["moment"]) * turn_change
    moments = moments + np.cross(LOWER["centre"] * s, push_lower) + np.cross(above * s, push_upper)
    return s, np.cross(moments, s) / length, s @ push_upper


def by_hand(t: float) -> np.ndarray:
    """The six actuator forces, by Newton and Euler."""
    path = np.array([sine(MOTION[name], t) for name in POSE])
    p, v, a = path[:3].T
    R, w, wd = turning(*path[3:].T)
    inertia = R @ PLATE_MOMENTS @ R.T
    moment = inertia @ wd + np.cross(w, inertia @ w)
    wanted = np.concatenate([PLATE_MASS * (a - G), moment])
    columns, axial = [], []
    for foot, ball in zip(FEET, BALLS):
        r = R @ ball
        change = a + np.cross(wd, r) + np.cross(w, np.cross(w, r))
        s, across, own = leg(p + r - foot, v + np.cross(w, r), change)
        wanted = wanted + np.concatenate([across, np.cross(r, across)])
        columns.append([*s, *np.cross(r, s)])
        axial.append(own)
    return np.linalg.solve(np.array(columns).T, wanted) + np.array(axial)


@pytest.fixture(scope="module")
def system() -> tb.System:
    return stewart().compile()


def start(system: tb.System) -> tb.State:
    moved = {name: sine(MOTION[name], 0.0) for name in POSE}
    return system.assemble(
        rates={name: float(values[1]) for name, values in moved.items()},
        **{name: float(values[0]) for name, values in moved.items()},
    )


def test_inverse_dynamics_of_a_stewart_platform(system: tb.System, agreement) -> None:  # type: ignore[no-untyped-def]
    x0 = start(system)
    agreement.compare("freedoms", system.freedoms(x0.q).freedoms, 6, within=0)
    times = np.linspace(0.0, 1.0, 41)
    run = tb.inverse_dynamics(system, MOTION, times, actuators=[f"leg {i}" for i in LEGS])
    ours = np.array([run[f"leg {i} effort"] for i in LEGS]).T
    expected = np.array([by_hand(t) for t in times])
    agreement.compare("leg forces [N]", ours, expected, within=1e-9)


def test_direct_dynamics_of_a_stewart_platform(system: tb.System, agreement) -> None:  # type: ignore[no-untyped-def]
    x0 = start(system)
    a = system.forward_dynamics(x0.q, x0.v, u={f"force {i}": by_hand(0.0)[i] for i in LEGS})
    of_plate = {name: a[system.velocities.index(name)] for name in POSE}
    for name in POSE:
        expected = sine(MOTION[name], 0.0)[2]
        agreement.compare(f"acceleration of {name}", of_plate[name], expected, within=1e-10)
    times = np.linspace(0.0, 0.25, 501)  # all stages of all steps
    samples = np.array([by_hand(t) for t in times])
    run = tb.simulate(
        system, x0, 0.25, method="rk4", step=1e-3, progress=False,
        inputs={f"force {i}": (times, samples[:, i]) for i in LEGS},
    )  # fmt: skip
    for name in POSE:
        path = np.array([sine(MOTION[name], t)[0] for t in run.time])
        agreement.compare(f"path of {name}", run[name], path, within=1e-8)

"""One-joint mechanisms by MSC ADAMS: motion and reaction forces.

Source: ADAMS models (.adm) and results (.csv, every 0.1 s for 5 s, six or seven digits) shipped
with Project Chrono (BSD-3-Clause). A bar of 1 kg falls from a joint at the origin; g = 9.80665
m/s². ADAMS reports the reaction on the ground; ours is on the bar, hence the sign. Allowed
differences are those of ADAMS's integration: its spherical and universal runs leave its revolute
run, which is the same motion, by 6e-4 m after 5 s, and its reactions are 6e-4 N off the closed form
at its own angles. The springs' constants are those that the results obey (the .adm files beside
them hold other ones): 200 N m/rad and 10 N m s/rad, 10 N/m and 0.5 N s/m.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from validation.reference import columns


@dataclass
class Case:
    """How a case is built, and how far ADAMS is off: metres, then N for reactions."""

    build: Callable[[tb.Model], None]
    motion: float = 1e-3
    reaction: float = 2e-2
    marker: tuple[float, float, float] = (0.0, 0.0, 0.0)  # 3-1-3 angles of its marker [deg]


def bar(m: tb.Model, com: tuple[float, float, float] = (2, 0, 0)) -> object:
    along_y = com[1] != 0
    return m.body("bar", 1.0, com, (0.1, 0.04, 0.1) if along_y else (0.04, 0.1, 0.1))


def hinge(m: tb.Model) -> None:
    m.joint("joint", tb.Revolute("y"), m.ground, bar(m))


def sprung_hinge(m: tb.Model) -> None:
    hinge(m)
    spring = tb.TorsionSpring("joint", stiffness=200.0, damping=10.0)
    m.force("spring", spring)


def hung(m: tb.Model, force: Callable[[object], object]) -> None:
    body = bar(m, (0, 0, 0))
    m.joint("joint", tb.Free(), m.ground, body)
    m.force("spring", force(body))  # type: ignore[arg-type]


def spring(m: tb.Model) -> None:
    hung(m, lambda body: tb.SpringDamper(m.ground, body, stiffness=10.0, damping=0.5))


def spring_by_law(m: tb.Model) -> None:
    hung(
        m,
        lambda body: tb.LinkForce(m.ground, body, lambda length, rate: 10.0 * length + 0.5 * rate),
    )


HINGE_MARKER = (180.0, 90.0, 180.0)
CASES = {
    "revolute": Case(hinge, 1e-5, 1e-3, HINGE_MARKER),
    "prismatic": Case(lambda m: m.joint("joint", tb.Prismatic("z"), m.ground, bar(m)), 5e-4, 1e-9),
    "cylindrical": Case(
        lambda m: m.joint("joint", tb.Cylindrical("z"), m.ground, bar(m)), 5e-4, 1e-9
    ),
    "universal": Case(
        lambda m: m.joint("joint", tb.Universal("x", "z"), m.ground, bar(m, (0, 2, 0))),
        1e-3, 2e-2, (0.0, 90.0, 0.0),
    ),
    "spherical": Case(lambda m: m.joint("joint", tb.Spherical(), m.ground, bar(m))),
    "rot_spring": Case(sprung_hinge, 1e-5, 2e-3, HINGE_MARKER),
    "tran_spring": Case(spring, 1e-4, 1e-3),
    "tran_spring_cb": Case(spring_by_law, 1e-4, 1e-3),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_adams(name: str, agreement) -> None:  # type: ignore[no-untyped-def]
    case = CASES[name]
    table = columns(f"adams_{name}")

    def published(names: str) -> np.ndarray:
        return np.column_stack([table[each] for each in names.split()])

    m = tb.Model(name, gravity=(0, 0, -9.80665))
    case.build(m)
    system = m.compile()
    run = tb.simulate(system, duration=5, rtol=1e-11, atol=1e-12, output_step=0.1, progress=False)
    nq, nv, _ = system.sizes
    states = np.column_stack([np.asarray(run[x]) for x in system.state_names])
    centre = tb.Frame("bar", m.bodies["bar"].com)
    marker = Rotation.from_euler("ZXZ", case.marker, degrees=True)
    shown: dict[str, list[np.ndarray]] = {"p": [], "v": [], "w": [], "R": [], "F": [], "N": []}
    for x in states:
        q, v = x[:nq], x[nq : nq + nv]
        a = system.forward_dynamics(q, v)
        R, p = system.pose(centre, q)
        w, velocity = np.split(system.velocity(centre, q, v), 2)
        reaction = system.reaction("joint", q, v, a)
        on_ground = -np.r_[R @ reaction[:3], R @ reaction[3:]]
        if name.startswith("tran_spring"):  # the spring is all that holds the bar
            on_ground[:3] = -(system.acceleration(centre, q, v, a)[3:] - [0, 0, -9.80665])
        found = {"p": p, "v": velocity, "w": w, "R": R @ marker.as_matrix(),
                 "F": on_ground[:3], "N": on_ground[3:]}  # fmt: skip
        for quantity, value in found.items():
            shown[quantity].append(value)
    w0, x0, y0, z0 = published("qw qx qy qz").T
    axes = Rotation.from_quat(np.column_stack([x0, y0, z0, w0])).as_matrix()
    agreement.compare("position [m]", shown["p"], published("px py pz"), case.motion)
    agreement.compare("velocity [m/s]", shown["v"], published("vx vy vz"), 5 * case.motion)
    agreement.compare("axes", shown["R"], axes, case.motion)
    agreement.compare(
        "angular velocity [rad/s]", shown["w"], published("wx wy wz"), case.motion * 2
    )
    agreement.compare("reaction force [N]", shown["F"], published("Fx Fy Fz"), case.reaction)
    agreement.compare("reaction moment [N m]", shown["N"], published("Mx My Mz"), case.reaction)

"""Mechanisms with closures and drives by MSC ADAMS: rods, a revolute–spherical link, an actuator.

Source: ADAMS results (.csv, every 0.1 s for 5 s, six or seven digits) shipped with Project Chrono
(BSD-3-Clause), beside those of the one-joint mechanisms; g = 9.80665 m/s². A bar of 1 kg is a free
body that only closures hold: a rod of 2 m from the origin to its centre of mass (a GCON in ADAMS);
a link of 2 m, hinged about z at the origin, with a ball at (2, 0, 0) on the bar. ADAMS reports the
force on the ground, hence the sign. Allowed differences are those of ADAMS's integration, as in
the one-joint cases. The actuator raises a body at 1 m/s; its force isn't published: it is m g.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from validation.reference import columns

G = 9.80665


def hung_on_a_rod(m: tb.Model) -> None:
    bar = m.body("bar", 1.0, inertia=(0.04, 0.1, 0.1))
    m.joint("bar", tb.Free(), m.ground.at(0, 2, 0), bar)
    m.close("rod", tb.Rod(2.0), m.ground, bar)


def hung_on_a_link(m: tb.Model) -> None:
    bar = m.body("bar", 1.0, inertia=(0.1, 0.04, 0.1))
    m.joint("bar", tb.Free(), m.ground.at(2, 2, 0), bar)
    ball = bar.at(0, -2, 0)
    m.close("link", tb.Rod(2.0), m.ground, ball)
    m.close("hinge", tb.PointOnPlane("z"), m.ground, ball)


def published(name: str) -> Callable[[str], np.ndarray]:
    """Rows of some columns: published("distance")("px py pz")."""
    table = columns(f"adams_{name}")
    return lambda names: np.column_stack([table[each] for each in names.split()])


CASES = {"distance": (hung_on_a_rod, 1e-4), "rev_spherical": (hung_on_a_link, 1e-3)}


@pytest.mark.parametrize("name", CASES)
def test_adams_closure(name: str, agreement) -> None:  # type: ignore[no-untyped-def]
    build, within = CASES[name]
    theirs = published(name)
    m = tb.Model(name, gravity=(0, 0, -G))
    build(m)
    system = m.compile()
    run = tb.simulate(system, duration=5, rtol=1e-11, atol=1e-12, output_step=0.1, progress=False)
    shown: dict[str, list[np.ndarray]] = {"p": [], "v": [], "w": [], "R": [], "F": []}
    states = np.column_stack([np.asarray(run[x]) for x in system.state_names])
    for x in states:
        q, v = x[:7], x[7:]
        R, p = system.pose("bar", q)
        w, velocity = np.split(system.velocity("bar", q, v), 2)
        rows = system.multipliers(q, v)
        attached = p if name == "distance" else p + R @ [0, -2, 0]
        pull = rows["rod" if name == "distance" else "link"] * attached / 2.0
        pull[2] += rows.get("hinge", 0.0)
        for quantity, value in {"p": p, "v": velocity, "w": w, "R": R, "F": -pull}.items():
            shown[quantity].append(value)
    w0, x0, y0, z0 = theirs("qw qx qy qz").T
    axes = Rotation.from_quat(np.column_stack([x0, y0, z0, w0])).as_matrix()
    agreement.compare("position [m]", shown["p"], theirs("px py pz"), within)
    agreement.compare("velocity [m/s]", shown["v"], theirs("vx vy vz"), 5 * within)
    agreement.compare("axes", shown["R"], axes, within)
    agreement.compare("angular velocity [rad/s]", shown["w"], theirs("wx wy wz"), 2 * within)
    if name == "distance":  # the only one of the two whose reaction is published
        agreement.compare("reaction force [N]", shown["F"], theirs("Fx Fy Fz"), 1e-3)
    h = [system.constraint_error(x[:7]) for x in states]
    agreement.compare("constraints [m]", h, np.zeros_like(h), 1e-12)


def test_adams_actuator(agreement) -> None:  # type: ignore[no-untyped-def]
    theirs = published("lin_actuator")
    m = tb.Model("LinActuator", gravity=(0, 0, -G))
    bar = m.body("bar", 1.0, inertia=(0.04, 0.1, 0.1))
    m.joint("slide", tb.Prismatic("z"), m.ground, bar)
    m.drive("slide", tb.Ramp(1.0))
    m.sensor("force", tb.Multiplier("slide"))
    system = m.compile()
    x0 = system.assemble()
    run = tb.simulate(system, x0, duration=5, output_step=0.1, progress=False)
    agreement.compare("position [m]", run["slide"], theirs("pz")[:, 0], 1e-6)
    agreement.compare("velocity [m/s]", run["slide rate"], theirs("vz")[:, 0], 1e-6)
    agreement.compare("actuator's force [N]", run["force"], G, 1e-10)

"""A quarter-car suspension by ROBOTRAN: one loop, a driven axle, a spring link, a tyre.

Source: a public student project (ROBOTRAN 6.6, MBsysLab's ode45 at its default tolerance): six
joints, a ball cut with two equations in the plane, 10 s. The first row is ROBOTRAN's equations
alone, hence exact; the trajectory is as good as ode45's, which leaves a solution in two freedoms by
1.6e-3 rad. Multipliers are those of the cut.
"""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import touchback as tb
from touchback.dynamics.constraints import constraint_rows
from touchback.symbolic.operation_count import count_tape
from touchback.system.derivation import Derivation
from touchback.system.signal_layout import layout_of
from validation.reference import columns, numbers
from validation.reference.robotran import mbs_text

TYRE_RADIUS = 0.375


def suspension() -> tb.Model:
    m = tb.Model("suspension", gravity=(0, 0, -9.81))
    chassis = m.body("chassis", 50.0)
    upper = m.body("upper arm", 1.0, (0, 0.25, 0), (0.01, 0, 0.01))
    lower = m.body("lower arm", 1.0, (0, 0.25, 0), (0.01, 0, 0.01))
    knuckle = m.body("knuckle", 5.0, (0, 0, 0.125))
    axle, wheel = m.body("axle"), m.body("wheel", 5.0, inertia=(0.2, 0.4, 0.2))
    m.joint("q1", tb.Prismatic("z"), m.ground, chassis)
    m.joint("q2", tb.Revolute("x"), chassis.at(0, 0.25, 0), upper)
    m.joint("q3", tb.Revolute("x"), chassis.at(0, 0.25, -0.25), lower)
    m.joint("q4", tb.Revolute("x"), lower.at(0, 0.5, 0), knuckle)
    m.joint("q5", tb.Revolute("x"), knuckle.at(0, 0.1, 0.125), axle)
    m.joint("q6", tb.Revolute("y"), axle, wheel)
    m.drive("q5", 0.1, name="axle angle")
    m.close("cut", tb.PointInPlane("yz"), upper.at(0, 0.5, 0), knuckle.at(0, 0, 0.25))
    spring = (chassis.at(0, 0.25, 0), lower.at(0, 0.25, 0))
    m.force("link", tb.SpringDamper(*spring, stiffness=20e3, damping=1e3, length=0.5))
    m.sensor("link", tb.Distance(*spring))
    height = m.sensor("wheel", tb.Position(wheel))[2] - TYRE_RADIUS * np.cos(0.1)
    m.force("tyre", tb.Wrench(wheel.at(0, 0, 0), (0, 0, -50e3 * tb.minimum(height, 0.0))))
    return m


@pytest.fixture(scope="module")
def published() -> dict[str, np.ndarray]:
    return columns("robotran_suspension")


@pytest.fixture(scope="module")
def first_row() -> dict[str, float]:
    return numbers("robotran_suspension")["first_row"]


def test_accelerations_and_forces_at_the_start(agreement, first_row) -> None:  # type: ignore[no-untyped-def]
    system = suspension().compile()
    x0 = system.assemble(q1=0.7, q2=-0.2)
    a = dict(zip(system.coordinates, system.forward_dynamics(x0.q, x0.v)))
    for name in ("q1", "q2", "q3", "q4"):
        theirs = first_row[name.replace("q", "qdd")]
        agreement.compare(f"{name}, relative", a[name] / theirs, 1.0, 1e-12)
    length = system.sensors(x0.q, x0.v)
    force = 20e3 * (length["link.length"] - 0.5)
    agreement.compare("force of the link, relative", force / first_row["F_link"], 1.0, 1e-12)
    found = system.multipliers(x0.q, x0.v)
    for ours, theirs in (("cut.1", "lam1"), ("cut.2", "lam2")):
        agreement.compare(f"{theirs}, relative", found[ours] / first_row[theirs], 1.0, 1e-11)


def test_the_projects_own_file_with_its_user_functions(agreement, first_row) -> None:  # type: ignore[no-untyped-def]
    """The mechanism of the project's .mbs with the laws of its user_LinkForces and user_ExtForces.
    It has lost the wheel's mass, the axle's place and its drive since, which are given back."""
    model = tb.read_mbs(
        mbs_text("robotran_suspension"),
        link_forces={"link_0": lambda length, rate: 20e3 * (length - 0.5) + 1e3 * rate},
        external_forces={
            "force_0": lambda place, velocity: (
                0.0, 0.0, -50e3 * tb.minimum(place[2] - TYRE_RADIUS * np.cos(0.1), 0.0)
            )
        },
        driven_joints={"R1_axle": 0.1},
    )  # fmt: skip
    assert model.imported["user_functions"] == {}
    model.bodies["wheel"] = tb.Body(5.0, inertia=(0.2, 0.4, 0.2, 0.0, 0.0, 0.0))
    axle, wheel = model.joints["R1_axle"], model.joints["R2_wheel"]
    model.joints["R1_axle"] = replace(axle, parent=tb.Frame("knuckle", (0.0, 0.1, 0.125)))
    model.joints["R2_wheel"] = replace(wheel, parent=tb.Frame("axle"))
    cut = model.closures.pop("cut_0")
    model.close("cut", tb.PointInPlane("yz"), cut.a, cut.b)
    system = model.compile()
    start = system.assemble(T3_chassis=0.7, R1_upper_arm=-0.2)
    a = system.forward_dynamics(start.q, start.v)
    for i in range(4):
        theirs = first_row[f"qdd{i + 1}"]
        agreement.compare(f"q{i + 1} of the file, relative", a[i] / theirs, 1.0, 1e-11)


def test_trajectory(agreement, published) -> None:  # type: ignore[no-untyped-def]
    system = suspension().compile()
    times = published["t"]
    run = tb.simulate(
        system, system.assemble(q1=0.7, q2=-0.2), times[-1], rtol=1e-10, atol=1e-12,
        output_step=1e-3, progress=False,
    )  # fmt: skip
    for name in ("q1", "q2", "q3", "q4"):
        ours = np.interp(times, run.time, run[name])
        unit = "m" if name == "q1" else "rad"
        agreement.compare(f"{name} at 10 ms [{unit}]", ours[1], published[name][1], 1e-7)
        agreement.compare(f"{name} over 10 s [{unit}]", ours, published[name], 2e-3)


def test_operations_of_the_constraints_are_no_more_than_robotrans() -> None:
    """As its generated files state: 29 for h and J, 36 for J̇ q̇. Ours share their sines."""
    model = suspension()
    derived = Derivation(model, layout_of(model))
    cut = constraint_rows(derived.instant)[:2]
    place = [x for row in cut for x in (row.h, *row.J.values())]
    speed = [row.gamma for row in cut]

    def flops(outputs: list[Any]) -> int:
        return count_tape(derived.tape, outputs).flops

    ours = [flops(place), flops(speed), flops(place + speed)]
    print(f"\nflops of h and J, of J̇ q̇, of all: ours {ours}, ROBOTRAN's [29, 36, 65]")
    assert ours[0] <= 29
    assert ours[1] <= 36
    assert ours[2] < 65


def test_the_text_of_its_equations_is_no_longer_than_robotrans() -> None:
    """Characters of the project's symbolicR/mbs_dirdyna, mbs_cons_hJ and mbs_cons_jdqd in MATLAB,
    which hold neither the spring nor the tyre; ours do."""
    system = suspension().compile()
    ours = sum(len(system.generate(each, "matlab")) for each in ("terms", "positions"))
    assert ours < 4154 + 2049 + 1726

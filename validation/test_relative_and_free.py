"""One spatial mechanism twice: in relative coordinates with one cut, and as free bodies.

Source: none needed; the two descriptions share no coordinate, no tree and no constraint, so each
checks the other. A spatial four-bar (revolute, ball, ball and universal, revolute) under gravity:
3 bodies as 1 + 3 + 1 joint coordinates and a universal closure, or as 18 freedoms with 17
constraints in four closures.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import touchback as tb

CRANK, COUPLER, ROCKER = 0.2, 0.8, 0.6
FOOT = (0.7, 0.4, 0.1)


def bodies(m: tb.Model) -> tuple[object, object, object]:
    return (
        m.body("crank", 1.0, (0.1, 0, 0), (1e-3, 4e-3, 4e-3)),
        m.body("coupler", 0.5, (0.4, 0, 0), (3e-3, 0.03, 0.028)),
        m.body("rocker", 0.8, (0, 0, 0.3), (0.025, 0.025, 1e-3)),
    )


def watched(m: tb.Model, coupler: object, rocker: object) -> tb.Model:
    m.sensor("end", tb.Position(coupler.at(0.5, 0.1, 0.2)))  # type: ignore[attr-defined]
    m.sensor("top", tb.Position(rocker.at(0, 0, ROCKER)))  # type: ignore[attr-defined]
    m.sensor("energy", tb.Energy())
    return m


def relative() -> tb.Model:
    m = tb.Model("joints", gravity=(0, 0, -9.81))
    crank, coupler, rocker = bodies(m)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("coupler", tb.Spherical(), crank.at(CRANK, 0, 0), coupler)
    m.joint("rocker", tb.Revolute("x"), m.ground.at(*FOOT), rocker)
    m.close("pin", tb.Universal("y", "z"), rocker.at(0, 0, ROCKER), coupler.at(COUPLER, 0, 0))
    return watched(m, coupler, rocker)


def free() -> tb.Model:
    m = tb.Model("free bodies", gravity=(0, 0, -9.81))
    crank, coupler, rocker = bodies(m)
    for body in (crank, coupler, rocker):
        m.joint(body.name, tb.Free(), m.ground, body)
    m.close("crank pin", tb.Revolute("y"), m.ground, crank)
    m.close("ball", tb.Spherical(), crank.at(CRANK, 0, 0), coupler)
    m.close("rocker pin", tb.Revolute("x"), m.ground.at(*FOOT), rocker)
    m.close("pin", tb.Universal("y", "z"), rocker.at(0, 0, ROCKER), coupler.at(COUPLER, 0, 0))
    return watched(m, coupler, rocker)


def as_free(joints: tb.System, x: tb.State) -> np.ndarray:
    """The state of the free bodies that is the state of the joints."""
    q, v = [], []
    for body in ("crank", "coupler", "rocker"):
        R, p = joints.pose(body, x.q)
        turn, speed = np.split(joints.velocity(body, x.q, x.v), 2)
        q += [*p, *np.roll(Rotation.from_matrix(R).as_quat(), 1)]
        v += [*(R.T @ speed), *(R.T @ turn)]
    return np.concatenate([q, v])


def test_joints_and_free_bodies_move_alike(agreement) -> None:  # type: ignore[no-untyped-def]
    joints, bodies_alone = relative().compile(), free().compile()
    x0 = joints.assemble(crank=0.3, rates={"crank": 10.0})
    start = as_free(joints, x0)
    assert joints.freedoms(x0.q).freedoms == 1
    assert bodies_alone.freedoms(start[:21]).freedoms == 1
    settings = {"rtol": 1e-12, "atol": 1e-13, "output_step": 0.01, "progress": False}
    ours = tb.simulate(joints, x0, 2.0, **settings)
    other = tb.simulate(bodies_alone, start, 2.0, **settings)
    h = bodies_alone.constraint_error(start[:21])
    agreement.compare("constraints of the free bodies", h, np.zeros_like(h), within=1e-12)
    for name in ("end.x", "end.y", "end.z", "top.y", "top.z"):
        agreement.compare(f"{name} [m]", ours[name], other[name], within=1e-9)
    agreement.compare("energy [J]", ours["energy"], other["energy"], within=1e-9)
    agreement.compare("force at the pin [N]", ours["pin.1"], other["pin.1"], within=1e-6)

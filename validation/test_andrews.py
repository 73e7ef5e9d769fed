"""Andrews' squeezer mechanism: seven bodies, three loops, six equations, one freedom.

Source: IVP test set (Bari/CWI), case "Andrews' squeezing mechanism" (Schiehlen 1990; Hairer and
Wanner 1996, VII.7), parameters and constraints as published. The published state at 0.03 s is right
to 3e-10 in positions, 5e-8 in velocities and 1.3e-6 in accelerations and multipliers only; ours is
compared with a solution to 30 digits (extrapolation of order 18 in the index-1 form). Built of
bodies, joints and pins: the mass matrix, the forces and the constraints are Touchback's own. The
test set writes M a = f − Gᵀλ, hence the sign of multipliers.
"""

from typing import Any

import numpy as np

import touchback as tb
from validation.reference import numbers

CASE = numbers("andrews")
ANGLES = CASE["angles"]


def squeezer(data: dict[str, float]) -> tb.Model:
    """The crank K1 and K2 at O, K3 with its spring at B, K5–K4 and K7–K6 at A; all meet at F."""
    d = data
    m = tb.Model("squeezer of Andrews", gravity=(0, 0, 0))

    def body(i: int, x: float, y: float) -> Any:
        inertia = d[f"I{i}"]
        return m.body(f"K{i}", d[f"m{i}"], (x, y, 0), (inertia / 2, inertia / 2, inertia))

    k1, k2, k3 = body(1, d["ra"], 0), body(2, -d["da"], 0), body(3, d["sb"], -d["sa"])
    k5, k4 = body(5, d["tb"], -d["ta"]), body(4, 0, d["ea"] - d["e"])
    k7, k6 = body(7, d["ub"], -d["ua"]), body(6, d["zf"] - d["fa"], 0)
    a, b, c = ((d[f"x{p}"], d[f"y{p}"], 0) for p in "abc")
    hinge = tb.Revolute("z")
    m.joint("beta", hinge, m.ground, k1)
    m.joint("Theta", hinge, k1.at(d["rr"], 0, 0), k2)
    m.joint("gamma", hinge, m.ground.at(*b), k3)
    m.joint("delta", hinge, m.ground.at(*a), k5)
    m.joint("Phi", hinge, k5.at(d["zt"], 0, 0), k4)
    m.joint("epsilon", hinge, m.ground.at(*a), k7)
    m.joint("Omega", hinge, k7.at(0, -d["u"], 0), k6)
    tip = k2.at(-d["d"], 0, 0)
    m.close("K3 to F", tb.PointInPlane("xy"), k3.at(0, -d["ss"], 0), tip)
    m.close("K4 to F", tb.PointInPlane("xy"), k4.at(0, -d["e"], 0), tip)
    m.close("K6 to F", tb.PointInPlane("xy"), k6.at(d["zf"], 0, 0), tip)
    pulled = k3.at(d["sd"], -d["sc"], 0)
    m.force("spring", tb.SpringDamper(m.ground.at(*c), pulled, stiffness=d["c0"], length=d["l0"]))
    m.force("motor", tb.JointEffort("beta", d["mom"]))
    return m


def test_state_at_0_03_s(agreement) -> None:  # type: ignore[no-untyped-def]
    exact = {name: np.array(values) for name, values in CASE["end"].items()}
    start = dict(zip(ANGLES, CASE["start"]["q"]))
    system = squeezer(CASE["parameters"]).compile()
    run = tb.simulate(
        system, system.assemble(**start), 0.03, rtol=1e-13, atol=1e-13, progress=False
    )
    q, v = (
        {name: run[f"{name}{rate}"][-1] for name in system.coordinates} for rate in ("", " rate")
    )
    states = [np.array([values[name] for name in system.coordinates]) for values in (q, v)]
    a = dict(zip(system.coordinates, system.forward_dynamics(*states)))
    multipliers = -np.array(list(system.multipliers(*states).values()))
    agreement.compare("angles [rad]", [q[name] for name in ANGLES], exact["q"], within=1e-10)
    compared = {
        "rates": ([v[name] for name in ANGLES], exact["v"]),
        "accelerations": ([a[name] for name in ANGLES], exact["a"]),
        "multipliers": (multipliers, exact["multipliers"]),
    }
    for quantity, (ours, published) in compared.items():
        scale = np.abs(published).max()
        agreement.compare(f"{quantity}, of the largest", ours / scale, published / scale, 1e-10)
    h = system.constraint_error(states[0])
    agreement.compare("constraints [m]", h, np.zeros(6), within=1e-12)

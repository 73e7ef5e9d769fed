"""IFToMM benchmark A01: the simple pendulum.

Source: IFToMM library of computational benchmark problems (González, Dopico, Lugrís, Cuadrado
2006), case A01: a point mass of 1 kg on a massless rod of 1 m, released horizontally, g = 9.81
m/s², 10 s. Positions are recomputed from the definition in quadruple precision; the period is also
the complete elliptic integral 4 √(L/g) K(sin 45°).
"""

import numpy as np
from scipy.special import ellipk

import touchback as tb
from validation.reference import numbers


def test_position_of_the_bob(agreement) -> None:  # type: ignore[no-untyped-def]
    case = numbers("iftomm")["pendulum"]
    m = tb.Model("A01", gravity=(0, -9.81, 0))
    bob = m.body("bob", 1.0)
    m.joint("pin", tb.Revolute("z"), m.ground, bob.at(1, 0, 0))
    m.sensor("bob", tb.Position(bob))
    m.sensor("energy", tb.Energy())
    run = tb.simulate(
        m.compile(), duration=10, rtol=1e-12, atol=1e-13, output_step=0.01, progress=False
    )
    at = np.round(np.array(case["t"]) * 100).astype(int)
    np.testing.assert_allclose(np.asarray(run.time)[at], case["t"], atol=1e-12)
    agreement.compare("x [m]", np.asarray(run["bob.x"])[at], case["x"], within=1e-8)
    agreement.compare("y [m]", np.asarray(run["bob.y"])[at], case["y"], within=1e-8)
    agreement.compare("drift of energy [J]", np.ptp(run["energy"]), 0.0, within=1e-9)
    period = 4 * np.sqrt(1 / 9.81) * ellipk(0.5)
    agreement.compare("period, elliptic integral [s]", period, case["period"], within=1e-12)

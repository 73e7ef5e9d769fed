"""IFToMM benchmark A02: N four-bars in a row, windows of equal bars.

Source: IFToMM library of computational benchmark problems (González, Dopico, Lugrís, Cuadrado
2006), case A02: 2 N + 1 bars of 1 kg and 1 m, upright at the start, 1 m/s at the tops. The exact
solution has one freedom, θ̈ = (m g l / I) sin θ. Twice a turn all bars lie on one line: there the
mechanism is singular, and couplers could fold over into antiparallelograms; the branch taken is
that of parallelograms. With fixed steps of 1 ms and projection the run steps over these positions;
error control with tight tolerances stops at them instead, where the branch isn't determined.
Closure errors prove little here, since parallelograms are linear in relative angles; the motion
does.
"""

import numpy as np
import pytest

import touchback as tb
from validation.reference import numbers


def row_of_four_bars(count: int) -> tb.Model:
    m = tb.Model(f"{count} four-bars", gravity=(0, 0, -9.81))
    thin = (1 / 12, 1 / 12, 0)

    def upright(i: int) -> object:
        bar = m.body(f"crank {i}", 1.0, (0, 0, 0.5), thin)
        m.joint(f"crank {i}", tb.Revolute("y"), m.ground.at(float(i), 0, 0), bar)
        return bar

    cranks = [upright(i) for i in range(count + 1)]
    for i in range(count):
        coupler = m.body(f"coupler {i}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
        m.joint(f"coupler {i}", tb.Revolute("y"), cranks[i].at(0, 0, 1), coupler)
        m.close(f"pin {i}", tb.PointInPlane("xz"), cranks[i + 1].at(0, 0, 1), coupler.at(1, 0, 0))
    m.sensor("energy", tb.Energy())
    return m


@pytest.mark.parametrize("count", [1, 2, 40])
def test_row_of(count: int, agreement) -> None:  # type: ignore[no-untyped-def]
    case = numbers("iftomm")["four_bars"][str(count)]
    system = row_of_four_bars(count).compile()
    x0 = system.assemble(rates={"crank 0": 1.0}, **{"crank 0": 0.0})
    run = tb.simulate(
        system, x0, 10.0, method="rk4", constraints="projection", output_step=1.0, progress=False
    )
    at = np.array([t for t in case["t"] if t <= 10.0], dtype=int)
    turn, rate = np.asarray(run["crank 0"])[at], np.asarray(run["crank 0 rate"])[at]
    exact = {name: np.array(case[name])[: len(at)] for name in ("theta", "x", "y", "vx", "vy")}
    # Passing the singular positions magnifies rounding, the more the more bars there are: rows of
    # 40 differ by 1e-9 to 6e-8 rad, and by 1e-8 to 6e-7 of some 1000 J, between processors.
    close = 1e-8 * count
    agreement.compare("turn [rad]", turn, exact["theta"], within=close)
    agreement.compare("x of the first top [m]", np.sin(turn), exact["x"], within=close)
    agreement.compare("y of the first top [m]", np.cos(turn), exact["y"], within=close)
    agreement.compare("x rate [m/s]", rate * np.cos(turn), exact["vx"], within=10 * close)
    agreement.compare("y rate [m/s]", -rate * np.sin(turn), exact["vy"], within=10 * close)
    agreement.compare("last crank less first [rad]", run[f"crank {count}"][-1], turn[-1], 1e-8)
    agreement.compare("drift of energy [J]", np.ptp(run["energy"]), 0.0, within=5 * close)
    assert run.metadata["statistics"]["not_converged"] == 0

"""Car axis: two masses on springs over a bumpy road, the left one guided, a rod between them.

Source: IVP test set (Bari/CWI), case "car axis" (Schneider; Hairer, Lubich, Roche 1989, index 3),
reference solution at 3 s of its R edition (the older Fortran edition's digits are wrong beyond
1e-10). Built as a mechanism: the axle turns by a drive, the left mass keeps to a plane of the axle,
a rod joins the masses. The drive's own effort isn't published.
"""

import touchback as tb
from validation.reference import numbers


def car_axis(M: float, eps: float, L: float, L0: float, r: float, w: float, g: float) -> tb.Model:
    m = tb.Model("car axis", gravity=(0, -g, 0))
    mass = M * eps**2 / 2
    axle = m.body("axle", 1.0, inertia=(1, 1, 1))
    ends = {}
    m.joint("axle", tb.Revolute("z"), m.ground, axle)
    for end, x in (("l", 0.0), ("r", L)):
        guide, ends[end] = m.body(f"guide {end}"), m.body(f"mass {end}", mass)
        m.joint(f"x{end}", tb.Prismatic("x"), m.ground, guide, position=[x])
        m.joint(f"y{end}", tb.Prismatic("y"), guide, ends[end], position=[L0])
    m.drive("axle", lambda t: tb.asin(r * tb.sin(w * t) / L), name="road")
    m.close("guide", tb.PointOnPlane("x"), axle, ends["l"])
    m.close("rod", tb.Rod(L), ends["r"], ends["l"])
    for end, foot in (("l", axle), ("r", axle.at(L, 0, 0))):
        m.force(f"spring {end}", tb.SpringDamper(foot, ends[end], stiffness=1.0, length=L0))
    return m


def test_state_at_3_s(agreement) -> None:  # type: ignore[no-untyped-def]
    case, names = numbers("car_axis"), ("xl", "yl", "xr", "yr")
    start, exact = case["start"], case["end"]
    system = car_axis(**case["parameters"]).compile()
    rates = {name: start[f"{name}_dot"] for name in names}
    x0 = system.assemble(rates=rates, **{name: start[name] for name in names})
    run = tb.simulate(system, x0, 3.0, rtol=1e-12, atol=1e-13, progress=False)
    for name in names:
        agreement.compare(f"{name} [m]", run[name][-1], exact[name], within=1e-10)
    for name in names:
        published = exact[f"{name}_dot"]
        agreement.compare(f"{name} rate [m/s]", run[f"{name} rate"][-1], published, within=1e-10)
    # The test set's constraints are xb xl + yb yl and the rod's distance squared; L = 1.
    agreement.compare("lam1", run["guide"][-1], exact["lam1"], within=1e-10)
    agreement.compare("lam2", run["rod"][-1] / 2, exact["lam2"], within=1e-10)

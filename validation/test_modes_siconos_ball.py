"""The bouncing ball as a mechanism with modes.

Source: Siconos tutorials, examples/mechanics/BouncingBallEventDriven: 1 kg dropped from 1 m,
g = 9.81 m/s², restitution 0.9, contact at z = 0, 8.5 s, bounces located.
"""

import numpy as np

import touchback as tb
from validation.reference import columns, numbers


def test_bounces_as_transitions(agreement) -> None:  # type: ignore[no-untyped-def]
    p, published = numbers("siconos")["ball"], columns("siconos_ball")
    m = tb.Model("ball", gravity=(0, 0, -p["g"]))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", p["m"]), position=p["z0"])
    z = m.coordinate("z")
    m.constrain("floor", z, unit="m")
    m.mode("flight")
    m.transition("bounce", "flight", "flight", when=z, impact=["floor"], restitution=p["e"])
    system = m.compile()
    settings = {
        "located": {"rtol": 1e-12, "atol": 1e-14},
        "compensated": {"method": "rk4", "step": p["h"]},
    }
    first = np.sqrt(2 * p["g"] * p["z0"])
    for name, options in settings.items():
        run = tb.simulate(system, None, p["T"], output_step=p["h"], progress=False, **options)
        found = np.array([each.time for each in run.transitions])
        speeds = first * p["e"] ** np.arange(1, len(found))
        times = first / p["g"] + np.concatenate([[0.0], np.cumsum(2 * speeds / p["g"])])
        agreement.compare(f"times of bounces, {name} [s]", found, times, within=1e-10)
        t = published["t"]
        far = np.abs(t[:, None] - times).min(axis=1) > 1e-9  # at a bounce both sides are published
        at = np.searchsorted(run.time, t[far] - 1e-9)
        agreement.compare(f"z, {name} [m]", run["z"][at], published["z"][far], within=1e-9)
        agreement.compare(f"v, {name} [m/s]", run["z rate"][at], published["v"][far], within=1e-9)

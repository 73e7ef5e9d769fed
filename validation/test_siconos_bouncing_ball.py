"""The bouncing ball.

Source: Siconos tutorials, examples/mechanics/BouncingBallEventDriven: 1 kg dropped from 1 m,
g = 9.81 m/s², restitution 0.9, contact at z = 0, 8.5 s, bounces located. Between bounces the motion
is exact in closed form: the k-th flight lasts 2 eᵏ v₁/g with v₁ = √(2 g z₀).
"""

from typing import Any

import numpy as np

import touchback as tb
from validation.reference import columns, numbers


def ball(p: dict[str, Any]) -> tuple[tb.Model, tb.System]:
    m = tb.Model("ball", gravity=(0, 0, -p["g"]))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", p["m"]), position=p["z0"])
    return m, m.compile()


def bounces(p: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Closed form: the times of impact and the speeds after them."""
    first = np.sqrt(2 * p["g"] * p["z0"])
    speeds = first * p["e"] ** np.arange(1, 80)
    times = first / p["g"] + np.concatenate([[0.0], np.cumsum(2 * speeds[:-1] / p["g"])])
    return times, speeds


def flight(p: dict[str, Any], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Closed form: height and velocity."""
    times, speeds = bounces(p)
    last = np.searchsorted(times, t, side="right") - 1
    since = t - np.where(last < 0, 0.0, times[last])
    speed, height = np.where(last < 0, 0.0, speeds[last]), np.where(last < 0, p["z0"], 0.0)
    return height + speed * since - p["g"] * since**2 / 2, speed - p["g"] * since


def test_bounces_located(agreement) -> None:  # type: ignore[no-untyped-def]
    p, published = numbers("siconos")["ball"], columns("siconos_ball")
    m, system = ball(p)
    bounce = tb.Event(
        "bounce", m.coordinate("z"), direction=-1, restart=lambda t, x: [0.0, -p["e"] * x[1]]
    )
    run = tb.simulate(
        system, duration=p["T"], step=p["h"], output_step=p["h"], events=[bounce],
        rtol=1e-12, atol=1e-14, energy_balance=True, progress=False,
    )  # fmt: skip
    found = np.array([event.time for event in run.events])
    books = run.energy_balance
    print(f"\nEnergy of the ball over {run.duration:g} s\n{books}")
    agreement.compare("energy residual [J]", books.residual, 0.0, within=1e-10)
    times, _ = bounces(p)
    agreement.compare("times of bounces [s]", found, times[: len(found)], within=1e-10)
    t = published["t"]
    near = np.abs(t[:, None] - times).min(axis=1) < 1e-9  # before or after: both are published
    at = np.searchsorted(run.time, t[~near] - 1e-9)
    agreement.compare("z [m]", run["z"][at], published["z"][~near], within=1e-9)
    agreement.compare("v [m/s]", run["z rate"][at], published["v"][~near], within=1e-9)


def test_bounces_by_time_stepping(agreement) -> None:  # type: ignore[no-untyped-def]
    """Moreau–Jean places an impact within a step, so it is of first order: each bounce may shift
    the flight by (1 + e) v h."""
    p = numbers("siconos")["ball"]
    m, system = ball(p)
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"), restitution=p["e"])}
    duration = 2.0  # three bounces
    shift = 3 * (1 + p["e"]) * np.sqrt(2 * p["g"] * p["z0"])
    for step in (4e-4, 2e-4, 1e-4):
        run = tb.simulate(
            system, method="moreau-jean", contacts=floor, duration=duration, step=step
        )
        exact = flight(p, run.time)[0]
        agreement.compare(f"z, h = {step * 1e6:.0f} µs [m]", run["z"], exact, within=shift * step)
    books = run.energy_balance
    print(f"\nEnergy of the ball over {run.duration:g} s\n{books}")
    agreement.compare("energy residual [J]", books.residual, 0.0, within=1e-10)

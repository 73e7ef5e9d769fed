"""Glocker's woodpecker toy.

Source: Siconos tutorials, examples/mechanics/Woodpecker (model: Ch. Glocker, Dynamik von
Starrkörpersystemen mit Reibung und Stössen, 1995; F. Pfeiffer and Ch. Glocker 1996): a sleeve that
jams on a pole, and a bird on a spring; three contacts with friction, restitution at the beak.
Moreau–Jean, θ = ½, h = 20 µs, 0.3 s. The published model is linear in small angles; here two screw
joints on one axis have exactly its mass matrix: turning by φ lifts what follows by l φ.
"""

from typing import Any

import numpy as np

import touchback as tb
from validation.reference import columns, numbers

STEP = 2e-5


def toy(data: dict[str, Any]) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """The mechanism and its contacts. `swing` is the bird's angle from the sleeve."""
    p, start = data, data["start"]
    m = tb.Model("woodpecker", gravity=(0, 0, -p["g"]))
    sleeve = m.body("sleeve", p["m_M"])
    tilt = m.body("tilt of the sleeve", inertia=(p["J_M"],) * 3)
    bird = m.body("bird", p["m_S"], inertia=(p["J_S"],) * 3)
    swing, swing_rate = start["phi_S"] - start["phi_M"], start["omega_S"] - start["omega_M"]
    m.joint("y", tb.Prismatic("z"), m.ground, sleeve, position=start["y"], velocity=start["v"])
    m.joint(
        "phi_M", tb.Screw("z", p["l_M"] + p["l_G"]), sleeve, tilt,
        position=start["phi_M"], velocity=start["omega_M"],
    )  # fmt: skip
    m.joint("swing", tb.Screw("z", p["l_G"]), tilt, bird, position=swing, velocity=swing_rate)
    m.force("spring", tb.TorsionSpring("swing", stiffness=p["c_phi"]))
    phi_M, v, omega_M = m.coordinate("phi_M"), m.rate("y"), m.rate("phi_M")
    phi_S, omega_S = phi_M + m.coordinate("swing"), omega_M + m.rate("swing")
    beak = p["l_M"] + p["l_G"] - p["l_S"] - p["r_O"] - p["h_S"] * phi_S
    beak_slip = v + p["l_M"] * omega_M + (p["l_G"] - p["l_S"]) * omega_S
    play, sleeve_slip = p["r_M"] - p["r_O"], v + p["r_M"] * omega_M
    e, mu = p["eps_N_23"], p["mu"]
    return m.compile(), {
        "beak": tb.contact.DescribedContact(beak, beak_slip, p["eps_N_1"], mu),
        "lower edge": tb.contact.DescribedContact(play + p["h_M"] * phi_M, sleeve_slip, e, mu),
        "upper edge": tb.contact.DescribedContact(play - p["h_M"] * phi_M, sleeve_slip, e, mu),
    }


def test_motion_of_the_toy(agreement) -> None:  # type: ignore[no-untyped-def]
    published = columns("siconos_woodpecker")
    system, contacts = toy(numbers("siconos")["woodpecker"])
    stepping = tb.MoreauJean(step=STEP, contacts=contacts)
    run = tb.simulate(system, duration=0.3, method=stepping)
    at = np.round(published["t"] / STEP).astype(int)
    ours = {
        "y": run["y"],
        "v_y": run["y rate"],
        "phi_M": run["phi_M"],
        "omega_M": run["phi_M rate"],
        "phi_S": run["phi_M"] + run["swing"],
        "omega_S": run["phi_M rate"] + run["swing rate"],
    }
    units = {"y": "m", "v_y": "m/s", "phi_M": "rad", "phi_S": "rad"}
    for name, signal in ours.items():
        unit = units.get(name, "rad/s")
        within = 1e-10 * max(1.0, np.abs(published[name]).max())  # rounding grows with the speeds
        agreement.compare(f"{name} [{unit}]", signal[at], published[name], within)
    books = run.energy_balance
    print(f"\nEnergy of the woodpecker over {run.duration:g} s\n{books}")
    agreement.compare("energy residual [J]", books.residual, 0.0, within=1e-15)

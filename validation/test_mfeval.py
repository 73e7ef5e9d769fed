"""A tyre of Magic Formula 6.1 by MFeval: 66 contacts, each of its outputs.

Source: MFeval (Furlan 2016, run under Octave, use mode 111) on its own MF61.tir; pure, combined and
cambered slips, four loads, a speed below VXLOW and a nearly locked wheel. MFeval repeats its guess
of R_e for all rows together and stops when the first of them stands still within 1e-9 m, so its
spins are off by up to 7e-5: they are compared after as many repetitions, and what depends on them
(R_e, deflection, loaded radius, vertical stiffness) is computed for MFeval's own. Its instantaneous
cornering stiffness is the quotient of differences from row to row. Differences are relative.
"""

from pathlib import Path

import numpy as np

from touchback.vehicle.tyres import Contact, MagicFormula
from validation.reference import columns, numbers

WITHIN = 1e-9


def tir_text() -> str:
    """The tyre as a property file would have it."""
    sections = numbers("mfeval_tyre")
    lines = ["[UNITS]", "LENGTH = 'meter'", "FORCE = 'newton'", "ANGLE = 'radians'", "MASS = 'kg'",
             "TIME = 'second'"]  # fmt: skip
    for section, given in sections.items():
        lines += [f"[{section}]", *(f"{name} = {number}" for name, number in given.items())]
    return "\n".join(lines) + "\n"


def truncated_spins(
    tyre: MagicFormula, load: np.ndarray, slip: np.ndarray, speed: np.ndarray
) -> np.ndarray:
    """(1 + κ) V_x/R_e, repeated until one of them stands still."""
    spin, pressure = np.zeros_like(load), tyre.inflation()
    radius = np.full_like(load, 0.965 * tyre.free_radius())
    before = np.full_like(load, tyre.free_radius())
    while (np.abs(before - radius) > 1e-9).all():
        before = radius
        spin = (1.0 + slip) * speed / radius
        radius = tyre.rolling_radius(load, spin, pressure)
    return spin


def test_mfeval_rows(agreement, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "MF61.tir"
    file.write_text(tir_text(), encoding="utf-8")
    tyre = MagicFormula.read(file)
    known = columns("mfeval")
    assert len(known["Fz"]) == 66
    # MFeval reports slips as it reduced them below VXLOW
    slip = known["kappa"] / np.minimum(known["Vx"] / tyre.slow(), 1.0)
    contact = Contact(
        known["Fz"], slip, known["alpha"], known["gamma"], known["phit"], known["Vx"],
        (1.0 + slip) * known["Vx"], known["P"],
    ).slowed(tyre.slow())  # fmt: skip
    answer = tyre.answer(contact)
    shape = tyre.carcass(contact, known["omega"])
    side = answer.forces.lateral
    ones = np.ones(len(known["Fz"]))
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.diff(answer.grip.fy) / np.diff(contact.slip_angle)
    finite = np.isfinite(quotient)
    ours = {
        "Fx": answer.grip.fx, "Fy": answer.grip.fy, "Mx": answer.grip.mx, "My": answer.grip.my,
        "Mz": answer.grip.mz, "t": answer.moments.trail, "Mzr": answer.moments.residual,
        "mux": answer.forces.friction_x, "muy": side.friction * ones,
        "Kxk": answer.forces.stiffness_x, "Kya": side.stiffness,
        "omega": truncated_spins(tyre, known["Fz"], slip, known["Vx"]),
        "Re": shape.rolling_radius, "rho": shape.deflection, "Rl": shape.loaded_radius,
        "Cz": shape.vertical_stiffness, "two_a": 2 * shape.half_length,
        "two_b": 2 * shape.half_width, "Cx": shape.stiffness_x, "Cy": shape.stiffness_y,
        "sigmax": shape.relaxation_x, "sigmay": shape.relaxation_y,
    }  # fmt: skip
    inputs = {"Fz", "kappa", "alpha", "gamma", "phit", "Vx", "P"}
    assert set(known) == set(ours) | inputs | {"instKya"}  # nothing is left out
    for name, found in ours.items():
        agreement.compare(name, found / known[name], ones, within=WITHIN)
    published = known["instKya"][:-1][finite]
    agreement.compare("instKya", quotient[finite] / published, 1.0, within=WITHIN)

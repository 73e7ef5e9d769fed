"""Magic Formula tyres against the published equations, written out once more number by number.

Sources: MF5.2 as in the manual of MF-Tyre 5.2 (Pacejka 2002, app. 3; Adams calls it PAC2002); 6.1
in the form of Besselink, Schmeitz, Pacejka 2010, (A1)–(A60); 6.2's vertical force by the equation
manual of MF-Tyre/MF-Swift 6.2. The ε = 1e-6 N of the formulas is left out here: it changes forces
of 200 N and more by less than 1e-8 of them."""

from dataclasses import dataclass
from math import atan, copysign, cos, exp, pi, sin, sqrt, tan

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from touchback.vehicle.tyres import BUGGY_TYRE, Contact, MagicFormula
from touchback.vehicle.tyres.tir_file import DEFAULTS

SHIPPED = MagicFormula.read(BUGGY_TYRE).numbers
R0 = SHIPPED["UNLOADED_RADIUS"]
# what the shipped file leaves at zero, each in its usual size; curvatures that pass 1 at some loads
OTHERS = {
    "PDX3": 0.9, "PEX1": 0.6, "PEX2": -0.7, "PEX3": 0.3, "PEX4": -0.4, "PHX1": -0.002,
    "PHX2": 7e-4, "PVX1": 0.02, "PVX2": 0.004, "PPX2": 0.6, "PPX4": -0.4, "RBX3": 5.0,
    "REX1": 0.4, "REX2": -1.0, "RHX1": 0.03, "PDY3": 2.5, "PEY2": -0.6, "PEY3": -0.3, "PEY4": -8.0,
    "PEY5": 20.0, "PKY5": 2.0, "PHY1": 0.002, "PHY2": 8e-4, "PHY3": 0.02, "PVY1": 0.02,
    "PVY2": 0.007, "PVY3": -0.4, "PVY4": -0.2, "PPY4": -0.1, "RBY3": -0.01, "RBY4": 7.0,
    "REY1": 0.5, "REY2": -0.9, "RHY1": -0.02, "RHY2": 0.01, "RVY1": 0.05, "RVY2": 0.02,
    "RVY3": 0.5, "RVY4": 12.0, "RVY5": 1.9, "RVY6": -9.0, "QSX1": 6e-4, "QSX4": 0.4, "QSX5": -0.2,
    "QSX6": 1.4, "QSX7": -0.9, "QSX8": 1.5, "QSX9": -0.3, "QSX10": 0.7, "QSX11": -1.7,
    "QSX12": 0.3, "QSX13": 0.02, "QSX14": 0.1, "PPMX1": -0.03, "QSY2": 0.01, "QSY5": 0.02,
    "QSY6": 0.01, "QBZ3": -0.6, "QBZ4": -1.3, "QBZ9": 15.0, "QDZ3": -1.0, "QDZ4": 9.0,
    "QDZ6": 0.002, "QDZ7": 0.002, "QDZ9": 0.2, "QDZ10": 1.0, "QDZ11": -2.0, "QEZ2": -1.7,
    "QEZ3": 1.4, "QEZ4": 0.4, "QEZ5": -4.0, "QHZ1": 0.002, "QHZ2": 0.002, "QHZ3": 0.28,
    "QHZ4": -0.2, "PPZ2": 0.5, "SSZ1": 0.03, "SSZ2": 0.02, "SSZ3": 0.5, "SSZ4": -0.2,
    "PTX1": 1.5, "PTX2": 0.3, "PTX3": -0.2, "PTY1": 2.0, "PTY2": 2.0,
    "Q_CAM1": 0.5, "Q_CAM2": 0.3, "Q_CAM3": 0.4, "Q_FCY2": 0.3, "Q_FYS1": 900.0, "Q_FYS2": 4000.0,
    "Q_FYS3": -3000.0,
}  # fmt: skip
SCALES = (
    "LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LHY", "LVY",
    "LTR", "LRES", "LXAL", "LYKA", "LVYKA", "LS", "LVMX", "LMX", "LMY",
)  # fmt: skip
NEW_SCALES = ("LKYC", "LKZC")  # of 6.1 and later; 5.2 scales camber itself
OLD_SCALES = ("LGAX", "LGAY", "LGAZ", "LSGKP", "LSGAL")


def random_tyre(rng: np.random.Generator, version: str, limit: bool) -> MagicFormula:
    """Every coefficient other than zero, each up to 20 % from its usual size."""
    numbers = {name: SHIPPED.get(name) or OTHERS.get(name, 0.0) for name in {**SHIPPED, **OTHERS}}
    for name in [*OTHERS, "PDX1", "PDX2", "PKX1", "PKX2", "PKX3", "PKY1", "PKY2", "PKY3", "PKY6",
                 "PKY7", "PPX1", "PPX3", "PPY1", "PPY2", "PPY3", "PPY5", "PPZ1", "RBX1", "RBX2",
                 "RBY1", "RBY2", "QBZ1", "QBZ5", "QBZ10", "QDZ1", "QDZ2", "QDZ8"]:  # fmt: skip
        numbers[name] = numbers[name] * rng.uniform(0.8, 1.2)
    for name in (*SCALES, *(OLD_SCALES if version == "5.2" else NEW_SCALES)):
        numbers[name] = rng.uniform(0.8, 1.2)
    numbers["FZMIN"] = 0.0
    if version == "5.2":  # which has neither pressure nor these
        for name in numbers:
            if name.startswith("PP") or name in ("PEY5", "PKY5", "QSX12", "QDZ10", "QDZ11",
                                                 "RBX3", "RBY4", "QSY5", "QSY6"):  # fmt: skip
                numbers[name] = 0.0
    return MagicFormula(numbers, version, limit_curvature=limit)


@dataclass(frozen=True)
class Answer:
    """What the published equations give."""

    fx: float
    fy: float
    mx: float
    my: float
    mz: float


class Published:
    """The equations for one load, slip κ, slip angle α, camber γ, speed and inflation pressure."""

    def __init__(self, tyre: MagicFormula) -> None:
        self.n = {**DEFAULTS, **tyre.numbers}
        self.old = tyre.version == "5.2"
        self.limit = tyre.limit_curvature

    def curvature(self, E: float) -> float:
        return min(E, 1.0) if self.limit else E

    def __call__(self, Fz: float, ka: float, al: float, ga: float, V: float, p: float) -> Answer:
        n = self.n
        dfz = (Fz - n["LFZO"] * n["FNOMIN"]) / (n["LFZO"] * n["FNOMIN"])
        dpi = (p - n["NOMPRES"]) / n["NOMPRES"]
        Fx, Kx = self.along(Fz, ka, al, ga, dfz, dpi)
        Fy, Fyp, side = self.across(Fz, ka, al, ga, dfz, dpi)
        R0, F0 = n["UNLOADED_RADIUS"], n["FNOMIN"]
        inner = (
            n["QSX1"] * n["LVMX"] - n["QSX2"] * ga * (1 + n["PPMX1"] * dpi)
            - n["QSX12"] * ga * abs(ga) + n["QSX3"] * Fy / F0
            + n["QSX4"] * cos(n["QSX5"] * atan((n["QSX6"] * Fz / F0) ** 2))
            * sin(n["QSX7"] * ga + n["QSX8"] * atan(n["QSX9"] * Fy / F0))
            + n["QSX10"] * atan(n["QSX11"] * Fz / F0) * ga
        )  # fmt: skip
        Mx = R0 * Fz * n["LMX"] * inner + R0 * Fy * n["LMX"] * (n["QSX13"] + n["QSX14"] * abs(ga))
        v = V / n["LONGVL"]
        drag = n["QSY1"] + n["QSY2"] * Fx / F0 + n["QSY3"] * abs(v) + n["QSY4"] * v**4
        if self.old:
            My = -R0 * Fz * drag * n["LMY"]
        else:
            drag += (n["QSY5"] + n["QSY6"] * Fz / F0) * ga**2
            carried = (Fz / F0) ** n["QSY7"] * (p / n["NOMPRES"]) ** n["QSY8"]
            My = -R0 * F0 * n["LMY"] * drag * carried
        cosine = V / (V / cos(al) + 1e-6)  # cos α′ (4.E6)
        Mz = self.aligning(Fz, ka, al, ga, dfz, dpi, cosine, Fx, Fy, Fyp, Kx, side)
        return Answer(Fx, Fy, Mx, My, Mz)

    def along(self, Fz, ka, al, ga, dfz, dpi):  # type: ignore[no-untyped-def]
        n = self.n
        gx = ga * n["LGAX"] if self.old else ga
        kx = ka + (n["PHX1"] + n["PHX2"] * dfz) * n["LHX"]
        C = n["PCX1"] * n["LCX"]
        mu = (n["PDX1"] + n["PDX2"] * dfz) * (1 + n["PPX3"] * dpi + n["PPX4"] * dpi**2)
        D = mu * (1 - n["PDX3"] * gx**2) * n["LMUX"] * Fz
        E = (n["PEX1"] + n["PEX2"] * dfz + n["PEX3"] * dfz**2) * n["LEX"]
        E = self.curvature(E * (1 - n["PEX4"] * copysign(1.0, kx)))
        K = Fz * (n["PKX1"] + n["PKX2"] * dfz) * exp(n["PKX3"] * dfz) * n["LKX"]
        K *= 1 + n["PPX1"] * dpi + n["PPX2"] * dpi**2
        B = K / (C * D)
        SV = Fz * (n["PVX1"] + n["PVX2"] * dfz) * n["LVX"] * n["LMUX"]
        F0 = D * sin(C * atan(B * kx - E * (B * kx - atan(B * kx)))) + SV
        Ba = (n["RBX1"] + n["RBX3"] * ga**2) * cos(atan(n["RBX2"] * ka)) * n["LXAL"]
        Ea = self.curvature(n["REX1"] + n["REX2"] * dfz)

        def G(a: float) -> float:
            return cos(n["RCX1"] * atan(Ba * a - Ea * (Ba * a - atan(Ba * a))))

        return F0 * G(al + n["RHX1"]) / G(n["RHX1"]), K

    def pure(self, Fz, al, ga, dfz, dpi):  # type: ignore[no-untyped-def]
        """F_y0, μ_y, K_yα, S_Hy, S_Vy, B_y C_y."""
        n = self.n
        gy = ga * n["LGAY"] if self.old else ga
        C = n["PCY1"] * n["LCY"]
        mu = (n["PDY1"] + n["PDY2"] * dfz) * (1 + n["PPY3"] * dpi + n["PPY4"] * dpi**2)
        mu *= (1 - n["PDY3"] * gy**2) * n["LMUY"]
        D = mu * Fz
        F0 = n["LFZO"] * n["FNOMIN"]
        peak = (n["PKY2"] + n["PKY5"] * gy**2) * (1 + n["PPY2"] * dpi)
        K = n["PKY1"] * F0 * (1 + n["PPY1"] * dpi) * sin(n["PKY4"] * atan(Fz / (F0 * peak)))
        K *= (1 - n["PKY3"] * abs(gy)) * n["LKY"]
        if self.old:
            SH = (n["PHY1"] + n["PHY2"] * dfz) * n["LHY"] + n["PHY3"] * gy
            SV = (n["PVY1"] + n["PVY2"] * dfz) * n["LVY"] + (n["PVY3"] + n["PVY4"] * dfz) * gy
            SV *= Fz * n["LMUY"]
        else:
            SVg = Fz * (n["PVY3"] + n["PVY4"] * dfz) * gy * n["LKYC"] * n["LMUY"]
            Kg = Fz * (n["PKY6"] + n["PKY7"] * dfz) * (1 + n["PPY5"] * dpi) * n["LKYC"]
            SH = (n["PHY1"] + n["PHY2"] * dfz) * n["LHY"] + (Kg * gy - SVg) / K
            SV = Fz * (n["PVY1"] + n["PVY2"] * dfz) * n["LVY"] * n["LMUY"] + SVg
        ay = al + SH
        lean = 1 + n["PEY5"] * gy**2 - (n["PEY3"] + n["PEY4"] * gy) * copysign(1.0, ay)
        E = self.curvature((n["PEY1"] + n["PEY2"] * dfz) * lean * n["LEY"])
        B = K / (C * D)
        F = D * sin(C * atan(B * ay - E * (B * ay - atan(B * ay)))) + SV
        return F, mu, K, SH, SV, B * C

    def across(self, Fz, ka, al, ga, dfz, dpi):  # type: ignore[no-untyped-def]
        n = self.n
        side = self.pure(Fz, al, ga, dfz, dpi)
        B = (n["RBY1"] + n["RBY4"] * ga**2) * cos(atan(n["RBY2"] * (al - n["RBY3"]))) * n["LYKA"]
        E = self.curvature(n["REY1"] + n["REY2"] * dfz)
        SH = n["RHY1"] + n["RHY2"] * dfz

        def G(k: float) -> float:
            return cos(n["RCY1"] * atan(B * k - E * (B * k - atan(B * k))))

        share = G(ka + SH) / G(SH)
        DV = side[1] * Fz * (n["RVY1"] + n["RVY2"] * dfz + n["RVY3"] * ga)
        DV *= cos(atan(n["RVY4"] * al))
        SV = DV * sin(n["RVY5"] * atan(n["RVY6"] * ka)) * n["LVYKA"]
        Fy = share * side[0] + SV
        if self.old:
            return Fy, Fy - SV, side  # F_y′ = F_y − S_Vyκ, of the actual wheel
        return Fy, share * self.pure(Fz, al, 0.0, dfz, dpi)[0], side

    def aligning(  # type: ignore[no-untyped-def]
        self, Fz, ka, al, ga, dfz, dpi, cosine, Fx, Fy, Fyp, Kx, side
    ):
        n = self.n
        _, _, Ky, SHy, SVy, BC = side
        gz = ga * n["LGAZ"] if self.old else ga
        R0, F0 = n["UNLOADED_RADIUS"], n["FNOMIN"]
        at = al + n["QHZ1"] + n["QHZ2"] * dfz + (n["QHZ3"] + n["QHZ4"] * dfz) * gz
        ar = al + SHy + SVy / Ky

        def equivalent(a: float) -> float:
            return copysign(atan(sqrt(tan(a) ** 2 + (Kx / Ky * ka) ** 2)), a)

        B = (n["QBZ1"] + n["QBZ2"] * dfz + n["QBZ3"] * dfz**2) * n["LKY"] / n["LMUY"]
        B *= 1 + n["QBZ4"] * gz + n["QBZ5"] * abs(gz)
        D = Fz * (n["QDZ1"] + n["QDZ2"] * dfz) * (1 - n["PPZ1"] * dpi) * n["LTR"]
        D *= (1 + n["QDZ3"] * gz + n["QDZ4"] * gz**2) * R0 / F0
        E = n["QEZ1"] + n["QEZ2"] * dfz + n["QEZ3"] * dfz**2
        E *= 1 + (n["QEZ4"] + n["QEZ5"] * gz) * 2 / pi * atan(B * n["QCZ1"] * at)
        E = self.curvature(E)
        te = equivalent(at)
        t = D * cos(n["QCZ1"] * atan(B * te - E * (B * te - atan(B * te)))) * cosine
        Br = n["QBZ9"] * n["LKY"] / n["LMUY"] + n["QBZ10"] * BC
        Dr = (n["QDZ8"] + n["QDZ9"] * dfz) * (1 + n["PPZ2"] * dpi)
        Dr = (Dr + (n["QDZ10"] + n["QDZ11"] * dfz) * abs(gz)) * gz
        Dr = (n["QDZ6"] + n["QDZ7"] * dfz) * n["LRES"] + Dr * (1.0 if self.old else n["LKZC"])
        Mzr = Fz * R0 * Dr * n["LMUY"] * cos(atan(Br * equivalent(ar))) * cos(al)
        s = n["SSZ1"] + n["SSZ2"] * Fy / F0 + (n["SSZ3"] + n["SSZ4"] * dfz) * ga
        return -t * Fyp + Mzr + R0 * s * n["LS"] * Fx


def points(rng: np.random.Generator, tyre: MagicFormula) -> list[tuple[float, ...]]:
    """Random contacts within the file's ranges, and its edges: load, κ, α, γ, V, p."""
    c = tyre.known
    found = [
        (rng.uniform(200.0, c.FZMAX), rng.uniform(-1.0, 1.0), rng.uniform(-0.6, 0.6),
         rng.uniform(c.CAMMIN, c.CAMMAX), rng.uniform(2.0, 50.0),
         rng.uniform(c.PRESMIN, c.PRESMAX))
        for _ in range(40)
    ]  # fmt: skip
    for load in (200.0, c.FZMAX):
        for slip, alpha in ((0.0, 0.0), (-1.0, 0.0), (0.3, 0.0), (0.0, 0.2), (c.KPUMAX, -0.5)):
            for camber in (c.CAMMIN, 0.0, c.CAMMAX):
                found.append((load, slip, alpha, camber, 16.7, c.PRESMIN))
    return found


@pytest.mark.parametrize("limit", [True, False], ids=["limited", "as given"])
@pytest.mark.parametrize("version", ["5.2", "6.1", "6.2"])
def test_forces_and_moments_are_those_of_the_published_equations(version: str, limit: bool) -> None:
    rng = np.random.default_rng(52)
    for _ in range(8):
        tyre = random_tyre(rng, version, limit)
        published, at = Published(tyre), points(rng, tyre)
        load, slip, alpha, camber, speed, pressure = np.array(at).T
        found = tyre.grip(
            Contact(load, slip, alpha, camber, 0.0, speed, rolling=speed, pressure=pressure)
        )
        known = [published(*each) for each in at]
        for name, arm in (("fx", 1.0), ("fy", 1.0), ("mx", R0), ("my", R0), ("mz", R0)):
            off = getattr(found, name) - [getattr(each, name) for each in known]
            worst = int(np.argmax(abs(off) / load))
            assert abs(off[worst]) < 2e-8 * load[worst] * arm, f"{name} at {at[worst]}"


def test_a_trail_of_5_2_acts_on_the_side_force_less_what_slip_induces() -> None:
    """With no residual moment and no lever of F_x, −M_z/t is F_y at κ = 0 of the wheel as it is
    cambered, times what slip leaves of it: F_y − S_Vyκ, S_Vyκ with the friction at this camber."""
    still = {"QDZ6": 0.0, "QDZ7": 0.0, "QDZ8": 0.0, "QDZ9": 0.0, "SSZ1": 0.0, "SSZ2": 0.0,
             "SSZ3": 0.0, "SSZ4": 0.0, "RVY3": 0.0}  # fmt: skip
    numbers = {**random_tyre(np.random.default_rng(4), "5.2", True).numbers, **still}
    with_shift = MagicFormula(numbers, "5.2")
    without = MagicFormula({**numbers, "RVY1": 0.0, "RVY2": 0.0}, "5.2")
    for camber in (-0.3, -0.1, 0.2, 0.3):
        at = Contact(3000.0, -0.08, 0.06, camber)
        one, other = with_shift.answer(at), without.answer(at)
        assert abs(one.grip.fy - other.grip.fy) > 20.0  # what slip induces
        assert_allclose(one.grip.mz, other.grip.mz, rtol=1e-12)
        assert_allclose(one.grip.mz, -one.moments.trail * other.grip.fy, rtol=1e-12)


def test_curvature_factors_end_at_one_unless_the_file_shall_count_as_it_is() -> None:
    """At 300 N E_x = 0.6 − 0.7 df_z passes 1; the pure force is D sin(C atan(Bκ − E(Bκ − atan Bκ)))
    by hand."""
    plain = {"PDX2": 0.0, "PPX3": 0.0, "PKX2": 0.0, "PKX3": 0.0, "PEX1": 0.6, "PEX2": -0.7}
    slip, load = 0.3, 300.0
    c = {**SHIPPED, **plain}
    B = c["PKX1"] / (c["PCX1"] * c["PDX1"])
    given = 0.6 - 0.7 * (load / c["FNOMIN"] - 1.0)
    assert given > 1.2
    for limit, E in ((True, 1.0), (False, given)):
        tyre = MagicFormula(c, "6.1", limit_curvature=limit)
        bent = B * slip - E * (B * slip - atan(B * slip))
        force = c["PDX1"] * load * sin(c["PCX1"] * atan(bent))
        assert_allclose(tyre.grip(Contact(load, slip)).fx, force, rtol=1e-8)


def published_excess(
    loaded: float, tyre: MagicFormula, spin: float, ga: float, p: float, fx: float, fy: float,
    load: float,
) -> float:  # fmt: skip
    """F_z of a loaded radius R_l by the equation manual of MF-Tyre 6.2, above a load [N]."""
    n = {**DEFAULTS, **tyre.numbers}
    R0, F0 = n["UNLOADED_RADIUS"], n["FNOMIN"]
    free = R0 * (n["Q_RE0"] + n["Q_V1"] * (spin * R0 / n["LONGVL"]) ** 2)  # R_Ω
    deep = max(free - loaded, 0.0)
    tread = (1.075 - 0.5 * n["ASPECT_RATIO"]) * n["WIDTH"]
    share = (n["Q_CAM1"] * loaded + n["Q_CAM2"] * loaded**2) / (
        n["Q_CAM1"] * free + n["Q_CAM2"] * free**2
    )
    rho = deep + share**2 * tread / 8 * abs(tan(ga)) - n["Q_CAM3"] * deep * abs(ga)
    ratio = loaded / free
    SF = (n["Q_FYS1"] + n["Q_FYS2"] * ratio + n["Q_FYS3"] * ratio**2) * ga  # S_FYγ
    softened = 1 + n["Q_V2"] * R0 / n["LONGVL"] * abs(spin) - (n["Q_FCX"] * fx / F0) ** 2
    softened -= ((rho / R0) ** n["Q_FCY2"] * n["Q_FCY"] * (fy - SF) / F0) ** 2
    softened *= 1 + n["PFZ1"] * (p - n["NOMPRES"]) / n["NOMPRES"]
    bend = sqrt((n["VERTICAL_STIFFNESS"] * R0 / F0) ** 2 - 4 * n["Q_FZ2"])
    return float(softened * (bend * rho / R0 + n["Q_FZ2"] * (rho / R0) ** 2) * F0) - load


def test_the_loaded_radius_of_6_2_solves_the_published_vertical_force() -> None:
    rng = np.random.default_rng(62)
    for _ in range(4):
        tyre = random_tyre(rng, "6.2", True)
        c = tyre.known
        for _ in range(8):
            load, pressure = rng.uniform(800.0, 6000.0), rng.uniform(150e3, 220e3)
            camber = rng.choice([c.CAMMIN, 0.0, c.CAMMAX, rng.uniform(-0.2, 0.2)])
            spin = rng.choice([0.0, rng.uniform(5.0, 150.0), -40.0])
            at = Contact(load, rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), camber,
                         pressure=pressure)  # fmt: skip
            grip, found = tyre.grip(at), tyre.carcass(at, spin).loaded_radius
            free = float(tyre.radius(spin))
            rest = (spin, camber, pressure, grip.fx, grip.fy, load)
            known = brentq(published_excess, 0.6 * free, free, (tyre, *rest), xtol=1e-13)
            assert_allclose(found, known, rtol=0.0, atol=1e-9, err_msg=f"{at}, spin {spin}")

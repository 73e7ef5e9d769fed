"""Forces of the Magic Formula at pure and combined slip (Pacejka 2012, 4.E9–4.E30, 4.E50–4.E67).

The letters are the book's: stiffness factor B, shape C, peak D, curvature E, shifts S_H, S_V."""

from dataclasses import dataclass

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import atan, cos, sign, sin, sqrt, tan
from touchback.vehicle.tyres.base import away_from_zero, bent, sign_of
from touchback.vehicle.tyres.mf_carcass import cornering_stiffness, slip_stiffness
from touchback.vehicle.tyres.mf_numbers import Numbers, Point


@dataclass(frozen=True)
class Lateral:
    """The side force at pure slip, and what moments ask of it."""

    force: Scalar
    friction: Scalar  # μ_y
    stiffness: Scalar  # K_yα
    horizontal: Scalar  # S_Hy
    vertical: Scalar  # S_Vy
    slope: Scalar  # B_y C_y
    peak: Scalar  # ζ₂, by which spin lowers the peak


@dataclass(frozen=True)
class Forces:
    """Combined forces F_x, F_y [N]; the side force F_y′ on which the trail acts; peak friction;
    stiffness per slip K_xκ [N]; the side force at pure slip; and G_yκ."""

    fx: Scalar
    fy: Scalar
    on_trail: Scalar
    friction_x: Scalar
    stiffness_x: Scalar
    lateral: Lateral
    share: Scalar


def forces(c: Numbers, at: Point) -> Forces:
    """F_x = G_xα F_x0, F_y = G_yκ F_y0 + S_Vyκ."""
    fx0, mux, Kxk = longitudinal(c, at)
    side = lateral(c, at, at.camber, at.spin)
    Gxa, Gyk = _share_x(c, at), _share_y(c, at)
    # F_y′ is F_y − S_Vyκ in 5.2, and that of the same wheel without camber and spin from 6.1 on,
    # there with G_yκ of the cambered one: so does MF-Tyre (MFeval's note at 4.E74)
    pure = side if c.old else lateral(c, at, 0.0, None)
    fy = Gyk * side.force + _induced(c, at, side.friction) * side.peak
    return Forces(Gxa * fx0, fy, Gyk * pure.force, mux, Kxk, side, Gyk)


def longitudinal(c: Numbers, at: Point) -> tuple[Scalar, Scalar, Scalar]:
    """F_x0 [N], μ_x and K_xκ [N] (4.E9–4.E18)."""
    dfz, dpi = at.dfz, at.dpi
    camber = at.camber * c.LGAX if c.old else at.camber
    zeta1: Scalar = 1.0
    if at.spin is not None:  # (4.105–106)
        B = c.PDXP1 * (1.0 + c.PDXP2 * dfz) * cos(atan(c.PDXP3 * at.slip))
        zeta1 = cos(atan(B * c.UNLOADED_RADIUS * at.spin))
    C = c.PCX1 * c.LCX
    mu = (c.PDX1 + c.PDX2 * dfz) * (1.0 + c.PPX3 * dpi + c.PPX4 * dpi * dpi)
    mu = mu * (1.0 - c.PDX3 * camber * camber) * (c.LMUX * at.grip)
    D = mu * at.load * zeta1
    K = slip_stiffness(c, at)
    B = K / away_from_zero(C * D)
    SH = (c.PHX1 + c.PHX2 * dfz) * c.LHX * at.fade
    SV = at.load * (c.PVX1 + c.PVX2 * dfz) * (c.LVX * c.LMUX) * at.grip * zeta1 * at.fade
    x = at.slip + SH
    E = (c.PEX1 + c.PEX2 * dfz + c.PEX3 * dfz * dfz) * (1.0 - c.PEX4 * sign(x)) * c.LEX
    return D * sin(C * bent(B, c.curvature(E), x)) + SV, mu, K


def lateral(c: Numbers, at: Point, camber: Scalar, spin: Scalar | None) -> Lateral:
    """F_y0 with this camber and spin (4.E19–4.E30; spin by 4.77–4.90)."""
    dfz, dpi = at.dfz, at.dpi
    gamma = camber * c.LGAY if c.old else camber
    zeta2, zeta3 = _spun(c, at, spin)
    K = cornering_stiffness(c, at, gamma, zeta3)
    mu_scale = c.LMUY * at.grip
    camber_scale = 1.0 if c.old else c.LKYC
    SVg = at.load * (c.PVY3 + c.PVY4 * dfz) * gamma * camber_scale * mu_scale * zeta2
    SH = (c.PHY1 + c.PHY2 * dfz) * c.LHY
    if c.old:
        SH = SH + c.PHY3 * gamma
    elif spin is None:
        SH = SH + (_camber_stiffness(c, at) * gamma - SVg) / away_from_zero(K)
    else:
        SH = SH + _spin_shift(c, at, spin, zeta3) - SVg / away_from_zero(K)
    SV = at.load * (c.PVY1 + c.PVY2 * dfz) * c.LVY * mu_scale * zeta2 + SVg
    SH, SV = SH * at.fade, SV * at.fade
    x = at.alpha + SH
    mu = (c.PDY1 + c.PDY2 * dfz) * (1.0 + c.PPY3 * dpi + c.PPY4 * dpi * dpi)
    mu = mu * (1.0 - c.PDY3 * gamma * gamma) * mu_scale
    C, D = c.PCY1 * c.LCY, mu * at.load * zeta2
    lean = 1.0 + c.PEY5 * gamma * gamma - (c.PEY3 + c.PEY4 * gamma) * sign_of(x)
    E = c.curvature((c.PEY1 + c.PEY2 * dfz) * lean * c.LEY)
    B = K / away_from_zero(C * D)
    return Lateral(D * sin(C * bent(B, E, x)) + SV, mu, K, SH, SV, B * C, zeta2)


def _spun(c: Numbers, at: Point, spin: Scalar | None) -> tuple[Scalar, Scalar]:
    """ζ₂ and ζ₃: what spin leaves of peak and stiffness (4.77–4.79)."""
    if spin is None:
        return 1.0, 1.0
    turned = c.UNLOADED_RADIUS * abs(spin)
    B = c.PDYP1 * (1.0 + c.PDYP2 * at.dfz) * cos(atan(c.PDYP3 * tan(at.alpha)))
    rooted = turned + c.PDYP4 * sqrt(turned) if c.PDYP4 else turned
    return cos(atan(B * rooted)), cos(atan(c.PKYP1 * turned * turned))


def _camber_stiffness(c: Numbers, at: Point) -> Scalar:
    """K_yγ0 (4.E30) [N]."""
    return at.load * (c.PKY6 + c.PKY7 * at.dfz) * (1.0 + c.PPY5 * at.dpi) * c.LKYC


def _spin_shift(c: Numbers, at: Point, spin: Scalar, zeta3: Scalar) -> Scalar:
    """S_Hyφ, the slip angle that spin is worth (4.80–4.89)."""
    D = (c.PHYP2 + c.PHYP3 * at.dfz) * at.forward
    K0 = away_from_zero(cornering_stiffness(c, at, 0.0, zeta3))
    kept = 1.0 - c.PECP1 * (1.0 + c.PECP2 * at.dfz)  # 1 − ε_γ
    B = _camber_stiffness(c, at) / kept / (c.PHYP1 * D * K0)
    E = c.curvature(c.PHYP4)
    return D * sin(c.PHYP1 * bent(B, E, c.UNLOADED_RADIUS * spin)) * at.forward


def _share_x(c: Numbers, at: Point) -> Scalar:
    """G_xα (4.E51–4.E57): what a slip angle leaves of F_x."""
    E = c.curvature(c.REX1 + c.REX2 * at.dfz)
    B = (c.RBX1 + c.RBX3 * at.camber * at.camber) * cos(atan(c.RBX2 * at.slip)) * c.LXAL
    at_none = cos(c.RCX1 * bent(B, E, c.RHX1))
    return cos(c.RCX1 * bent(B, E, at.alpha + c.RHX1)) / at_none


def _share_y(c: Numbers, at: Point) -> Scalar:
    """G_yκ (4.E59–4.E65): what slip leaves of F_y."""
    E = c.curvature(c.REY1 + c.REY2 * at.dfz)
    SH = c.RHY1 + c.RHY2 * at.dfz
    B = (c.RBY1 + c.RBY4 * at.camber * at.camber) * cos(atan(c.RBY2 * (at.alpha - c.RBY3)))
    B = B * c.LYKA
    return cos(c.RCY1 * bent(B, E, at.slip + SH)) / cos(c.RCY1 * bent(B, E, SH))


def _induced(c: Numbers, at: Point, mu: Scalar) -> Scalar:
    """S_Vyκ, the side force that slip causes (4.E66–4.E67) [N]."""
    D = mu * at.load * (c.RVY1 + c.RVY2 * at.dfz + c.RVY3 * at.camber)
    D = D * cos(atan(c.RVY4 * at.alpha))
    return D * sin(c.RVY5 * atan(c.RVY6 * at.slip)) * c.LVYKA * at.fade

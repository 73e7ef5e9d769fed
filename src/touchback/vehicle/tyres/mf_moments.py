"""Moments of the Magic Formula (Pacejka 2012, 4.E31–4.E49, 4.E69–4.E78, spin by 4.91–4.103), where
MF-Tyre differs in the form of Besselink, Schmeitz, Pacejka 2010 (A47–A60)."""

from dataclasses import dataclass
from math import pi

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import acos, atan, cos, maximum, select, sign, sin, sqrt
from touchback.symbolic.functions import tan as tangent
from touchback.vehicle.tyres.base import away_from_zero, bent, between, sense
from touchback.vehicle.tyres.mf_forces import Forces
from touchback.vehicle.tyres.mf_numbers import Numbers, Point


@dataclass(frozen=True)
class Moments:
    """Overturning, rolling resistance and aligning moment [N m]; pneumatic trail t [m] and the
    residual moment M_zr [N m] that the last is made of."""

    mx: Scalar
    my: Scalar
    mz: Scalar
    trail: Scalar
    residual: Scalar


def moments(c: Numbers, at: Point, found: Forces) -> Moments:
    """M_z = −t F_y′ + M_zr + s F_x, and the others."""
    trail, residual = _trail(c, at, found), _residual(c, at, found)
    arm = c.SSZ1 + c.SSZ2 * found.fy / c.FNOMIN + (c.SSZ3 + c.SSZ4 * at.dfz) * at.camber
    lever = c.UNLOADED_RADIUS * arm * c.LS
    mz = residual - trail * found.on_trail + lever * found.fx
    return Moments(overturning(c, at, found.fy), rolling(c, at, found.fx), mz, trail, residual)


def overturning(c: Numbers, at: Point, fy: Scalar) -> Scalar:
    """M_x (eq. 49 of the paper's draft, which MF-Tyre has)."""
    R0, gamma, side = c.UNLOADED_RADIUS, at.camber, fy / c.FNOMIN
    load = _faded_load(c, at.load, 3)
    share = load / c.FNOMIN
    leaning = c.QSX2 * gamma * (1.0 + c.PPMX1 * at.dpi) + c.QSX12 * gamma * abs(gamma)
    squared = c.QSX6 * share * (c.QSX6 * share)
    waves = cos(c.QSX5 * atan(squared)) * sin(c.QSX7 * gamma + c.QSX8 * atan(c.QSX9 * side))
    inner = c.QSX1 * c.LVMX - leaning + c.QSX3 * side + c.QSX4 * waves
    inner = inner + c.QSX10 * atan(c.QSX11 * share) * gamma
    direct = R0 * fy * c.LMX * (c.QSX13 + c.QSX14 * abs(gamma))
    return R0 * load * c.LMX * inner + direct


def rolling(c: Numbers, at: Point, fx: Scalar) -> Scalar:
    """M_y, against the rolling (A48); it fades below VXLOW, where a wheel stands."""
    load = _faded_load(c, at.full_load, 2)
    share, pace = load / c.FNOMIN, at.speed / c.LONGVL
    drag = c.QSY1 + c.QSY2 * fx / c.FNOMIN + c.QSY3 * abs(pace) + c.QSY4 * pace * pace * pace * pace
    if c.old:
        size = load * drag
    else:
        tilt = (c.QSY5 + c.QSY6 * share) * at.camber * at.camber
        carried = select(share > 0.0, maximum(share, 1e-12) ** c.QSY7, 0.0)  # of finite slope
        pressed = carried * (at.pressure / c.NOMPRES) ** c.QSY8
        size = c.FNOMIN * (drag + tilt) * pressed
    return -c.UNLOADED_RADIUS * c.LMY * size * sense(at.rolling, c.VXLOW)


def _faded_load(c: Numbers, load: Scalar, power: int) -> Scalar:
    """The load; below FZMIN it falls faster than in proportion, as MFeval found of MF-Tyre."""
    if not c.FZMIN:
        return load
    share = load / c.FZMIN
    fading = load * share if power == 2 else load * share * share
    return select(load < c.FZMIN, fading, load)


def _aligning_load(c: Numbers, at: Point) -> Scalar:
    """The load of the aligning moment, from FZMIN on."""
    return select(at.load > 0.0, maximum(at.load, c.FZMIN), 0.0) if c.FZMIN else at.load


def _equivalent(alpha: Scalar, at: Point, found: Forces) -> Scalar:
    """α_eq of a slip angle and slip together (A54–A55)."""
    slip = found.stiffness_x / away_from_zero(found.lateral.stiffness) * at.slip
    slope = tangent(alpha)
    return atan(sqrt(slope * slope + slip * slip + 1e-300)) * sign(alpha)


def _trail(c: Numbers, at: Point, found: Forces) -> Scalar:
    """t (4.E73, A58–A60) [m]."""
    dfz, gamma = at.dfz, at.camber * c.LGAZ if c.old else at.camber
    shift = c.QHZ1 + c.QHZ2 * dfz + (c.QHZ3 + c.QHZ4 * dfz) * gamma
    alpha = at.alpha + shift
    B = (c.QBZ1 + c.QBZ2 * dfz + c.QBZ3 * dfz * dfz) * (1.0 + c.QBZ4 * gamma + c.QBZ5 * abs(gamma))
    B = B * c.LKY / (c.LMUY * at.grip)
    D = (c.QDZ1 + c.QDZ2 * dfz) * (1.0 - c.PPZ1 * at.dpi)
    D = D * (1.0 + c.QDZ3 * gamma + c.QDZ4 * gamma * gamma) * c.LTR
    D = D * _aligning_load(c, at) * (c.UNLOADED_RADIUS / (c.LFZO * c.FNOMIN))
    if at.spin is not None:
        D = D * cos(atan(c.QDTP1 * c.UNLOADED_RADIUS * at.spin))  # ζ₅ (4.91)
    lean = 1.0 + (c.QEZ4 + c.QEZ5 * gamma) * (2.0 / pi) * atan(B * c.QCZ1 * alpha)
    E = c.curvature((c.QEZ1 + c.QEZ2 * dfz + c.QEZ3 * dfz * dfz) * lean)
    wave = cos(c.QCZ1 * bent(B, E, _equivalent(alpha, at, found)))
    return D * wave * at.cos_alpha * c.LFZO * at.fade


def _residual(c: Numbers, at: Point, found: Forces) -> Scalar:
    """M_zr (4.E75, 4.E45–4.E47) [N m]."""
    dfz, side = at.dfz, found.lateral
    gamma = at.camber * c.LGAZ if c.old else at.camber
    alpha = at.alpha + side.horizontal + side.vertical / away_from_zero(side.stiffness)
    load, scale = _aligning_load(c, at), c.LMUY * at.grip
    D = (c.QDZ6 + c.QDZ7 * dfz) * c.LRES * side.peak
    shape: Scalar = 1.0
    turned: Scalar = 0.0
    slope: Scalar = 1.0
    if at.spin is None:
        leaning = (c.QDZ8 + c.QDZ9 * dfz) * (1.0 + c.PPZ2 * at.dpi)
        leaning = leaning + (c.QDZ10 + c.QDZ11 * dfz) * abs(gamma)
        D = D + leaning * gamma * (1.0 if c.old else c.LKZC)
    else:
        slope = cos(atan(c.QBRP1 * c.UNLOADED_RADIUS * at.spin))  # ζ₆ (4.102)
        turned, shape = _turning(c, at, found, load)
    D = load * c.UNLOADED_RADIUS * D * scale * at.forward * cos(at.alpha) + turned
    B = (c.QBZ9 * c.LKY / scale + c.QBZ10 * side.slope) * slope
    return D * cos(shape * atan(B * _equivalent(alpha, at, found))) * at.fade


def _turning(c: Numbers, at: Point, found: Forces, load: Scalar) -> tuple[Scalar, Scalar]:
    """D_rφ and ζ₇ = C_r: the moment of spin and how a slip angle lets it fall (4.92–4.103)."""
    R0, spin = c.UNLOADED_RADIUS, at.spin
    share = load / (c.LFZO * c.FNOMIN)
    most = c.QCRP1 * found.lateral.friction * R0 * load * sqrt(share + 1e-300) * c.LMP
    D = most / sin(0.5 * pi * c.QDRP1)
    tilt = c.QDZ8 + c.QDZ9 * at.dfz + (c.QDZ10 + c.QDZ11 * at.dfz) * abs(at.camber)
    kept = 1.0 - c.PECP1 * (1.0 + c.PECP2 * at.dfz)
    B = load * R0 * tilt * c.LKZC / away_from_zero(c.QDRP1 * D * kept)
    turned = D * sin(c.QDRP1 * atan(B * R0 * spin))
    sideways = most * (2.0 / pi) * atan(c.QCRP2 * R0 * abs(at.turn_slip)) * found.share
    ratio = between(sideways / maximum(abs(turned), 1e-9), 0.0, 1.0)
    return turned, (2.0 / pi) * acos(ratio)

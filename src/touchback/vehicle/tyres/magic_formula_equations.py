"""The equations of the Magic Formula: a contact limited and normalised, the carcass, forces and
moments.

The carcass (stiffness, radii, deflection, contact patch, relaxation lengths) is that of Besselink,
Schmeitz, Pacejka 2010, eq. 1–19; 6.2's vertical force is by MF-Tyre's equation manual. Forces at
pure and combined slip are Pacejka 2012, 4.E9–4.E30, 4.E50–4.E67. Moments are 4.E31–4.E49,
4.E69–4.E78, spin by 4.91–4.103, where MF-Tyre differs in the form of Besselink, Schmeitz, Pacejka
2010 (A47–A60).

The letters are the book's: stiffness factor B, shape C, peak D, curvature E, shifts S_H, S_V."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10, pi

from touchback import (
    acos,
    atan,
    cos,
    exp,
    maximum,
    minimum,
    select,
    sign,
    sin,
    sqrt,
    tan,
    tan as tangent,
)
from touchback.numbers import Scalar
from touchback.vehicle.tyres.base import (
    Contact,
    away_from_zero,
    between,
    magic_formula_arctangent,
    rolling_direction,
    sign_of,
)

SMALLEST = 1e-6  # ε of (4.E6a), m/s and N
_STEPS = 40  # each leaves less than half of the error


class Numbers:
    """Coefficients as attributes, by their names in the file."""

    def __init__(self, numbers: Mapping[str, float], version: str, limit_curvature: bool) -> None:
        self._numbers = numbers
        self.version = version
        self.limit_curvature = limit_curvature

    def __getattr__(self, name: str) -> float:
        try:
            return self._numbers[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def old(self) -> bool:
        """Whether the formula is of 5.2, before inflation pressure."""
        return self.version == "5.2"

    def curvature(self, factor: Scalar) -> Scalar:
        """A curvature factor E as the formulas take it: at most 1 where it is limited."""
        return minimum(factor, 1.0) if self.limit_curvature else factor


@dataclass(frozen=True)
class Point:
    """A contact within the file's ranges: load F_z, slips κ, α, camber γ, spin φ and turn slip φ_t;
    df_z and dp_i (4.E2); how much of the shifts is left at this speed; sgn V_x; cos α′ (4.E6)."""

    load: Scalar
    slip: Scalar
    alpha: Scalar
    camber: Scalar
    turn_slip: Scalar
    spin: Scalar | None
    dfz: Scalar
    dpi: Scalar
    fade: Scalar
    forward: Scalar
    cos_alpha: Scalar
    speed: Scalar
    rolling: Scalar
    pressure: Scalar
    full_load: Scalar
    grip: Scalar


def point(c: Numbers, contact: Contact, turn_slip: bool) -> Point:
    """The contact, limited and normalised."""
    full = maximum(contact.load, 0.0)
    load = minimum(full, c.FZMAX)
    given = c.INFLPRES if contact.pressure is None else contact.pressure
    pressure = between(given, c.PRESMIN, c.PRESMAX)
    alpha = between(contact.slip_angle, c.ALPMIN, c.ALPMAX)
    camber = between(contact.camber, c.CAMMIN, c.CAMMAX)
    dfz = load / (c.LFZO * c.FNOMIN) - 1.0
    v = contact.speed
    # 1 − ½(1 + cos(π V/V_low)): MF-Tyre's shifts vanish at standstill, where nothing rolls.
    fade = 0.5 - 0.5 * cos(pi * minimum(abs(v) / c.VXLOW, 1.0))
    spin = None
    if turn_slip:
        reduced = 1.0 - c.PECP1 * (1.0 + c.PECP2 * dfz)  # 1 − ε_γ (4.90)
        # Ω R₀ for R_e Ω, so that a small camber is the same as spin and as camber (4.89)
        rolled = contact.rolling / (c.UNLOADED_RADIUS * maximum(abs(v), c.VXLOW))
        spin = contact.turn_slip + reduced * rolled * sin(camber)  # (4.76), z up
    return Point(
        load, between(contact.slip, c.KPUMIN, c.KPUMAX), alpha, camber, contact.turn_slip, spin,
        dfz, pressure / c.NOMPRES - 1.0, fade, sign_of(v), v / (abs(v) / cos(alpha) + SMALLEST),
        v, contact.rolling, pressure, full, contact.grip,
    )  # fmt: skip


def slip_stiffness(c: Numbers, at: Point) -> Scalar:
    """K_xκ = ∂F_x/∂κ (4.E15) [N]."""
    K = at.load * (c.PKX1 + c.PKX2 * at.dfz) * exp(c.PKX3 * at.dfz)
    return K * (1.0 + c.PPX1 * at.dpi + c.PPX2 * at.dpi * at.dpi) * c.LKX


def cornering_stiffness(c: Numbers, at: Point, gamma: Scalar, zeta3: Scalar) -> Scalar:
    """K_yα = ∂F_y/∂α (4.E25) [N], negative as PKY1 is."""
    nominal = c.LFZO * c.FNOMIN
    highest = (c.PKY2 + c.PKY5 * gamma * gamma) * (1.0 + c.PPY2 * at.dpi)
    bend = sin(c.PKY4 * atan(at.load / nominal / highest))
    K = c.PKY1 * nominal * (1.0 + c.PPY1 * at.dpi) * (1.0 - c.PKY3 * abs(gamma)) * bend
    return K * zeta3 * c.LKY


def spinning_radius(c: Numbers, spin: Scalar) -> Scalar:
    """R_Ω (eq. 1): the free radius with centrifugal growth [m]."""
    turned = spin * (c.UNLOADED_RADIUS / c.LONGVL)
    return c.UNLOADED_RADIUS * (c.Q_RE0 + c.Q_V1 * turned * turned)


def _softened(c: Numbers, pressure: Scalar) -> Scalar:
    """1 + p_Fz1 dp_i (eq. 5)."""
    return 1.0 + c.PFZ1 * (pressure / c.NOMPRES - 1.0)


def rolling_radius(c: Numbers, load: Scalar, spin: Scalar, pressure: Scalar) -> Scalar:
    """R_e (eq. 7) [m]."""
    share = load / c.FNOMIN
    flat = c.DREFF * atan(c.BREFF * share) + c.FREFF * share
    return spinning_radius(c, spin) - c.FNOMIN / c.VERTICAL_STIFFNESS * flat / _softened(
        c, pressure
    )


def free_spin(c: Numbers, load: float, slip: float, speed: float, pressure: float) -> float:
    """The spin Ω = (1 + κ) V_x/R_e(Ω) of a wheel with a slip [rad/s]: found by repetition, since
    R_e hardly depends on Ω."""
    spin = 0.0
    for _ in range(30):
        radius = float(rolling_radius(c, load, spin, pressure))
        spin = (1.0 + slip) * speed / radius
    return spin


def _bend(c: Numbers) -> float:
    """q_Fz1, which makes VERTICAL_STIFFNESS that at the nominal load (eq. 4)."""
    return float(sqrt((c.VERTICAL_STIFFNESS * c.UNLOADED_RADIUS / c.FNOMIN) ** 2 - 4.0 * c.Q_FZ2))


def load(
    c: Numbers,
    deflection: Scalar,
    spin: Scalar,
    camber: Scalar,
    pressure: Scalar,
    fx: Scalar,
    fy: Scalar,
) -> Scalar:
    """F_z of a deflection R_Ω − R_l, and of the forces that soften the tyre (eq. 3; 6.2: with
    camber) [N]; zero off the road, stiff where the rim bottoms."""
    R0, free = c.UNLOADED_RADIUS, maximum(deflection, 0.0)
    depth = free
    sideways = c.Q_FCY * fy / c.FNOMIN
    if c.version == "6.2":
        radius = spinning_radius(c, spin)
        loaded = radius - free
        depth = maximum(free + _cambered(c, loaded, radius, camber, free), 0.0)
        depth = select(deflection > 0.0, depth, 0.0)
        left = loaded / radius
        offset = c.Q_FYS1 + (c.Q_FYS2 + c.Q_FYS3 * left) * left  # S_FYγ/γ
        sideways = c.Q_FCY * (fy - offset * camber) / c.FNOMIN
        if c.Q_FCY2:
            sideways = (maximum(depth, 1e-9) / R0) ** c.Q_FCY2 * sideways
    fore = c.Q_FCX * fx / c.FNOMIN
    share = depth / R0
    grown = 1.0 + c.Q_V2 * (R0 / c.LONGVL) * abs(spin) - fore * fore - sideways * sideways
    elastic = grown * _softened(c, pressure) * (_bend(c) + c.Q_FZ2 * share) * share * c.FNOMIN
    if not (c.BOTTOM_STIFF and c.RIM_RADIUS):
        return elastic
    rim = maximum(depth - (R0 - c.RIM_RADIUS - c.BOTTOM_OFFST), 0.0)
    return elastic + c.BOTTOM_STIFF * rim


def _cambered(c: Numbers, loaded: Scalar, radius: Scalar, camber: Scalar, free: Scalar) -> Scalar:
    """ρ_zγ: how much deeper the shoulder of a cambered 6.2 tyre is pressed [m]."""
    tread = (1.075 - 0.5 * c.ASPECT_RATIO) * c.WIDTH
    whole = (c.Q_CAM1 + c.Q_CAM2 * radius) * radius
    if not (c.Q_CAM1 or c.Q_CAM2):
        return -c.Q_CAM3 * free * abs(camber)
    share = (c.Q_CAM1 + c.Q_CAM2 * loaded) * loaded / whole
    return share * share * (tread / 8.0) * abs(tan(camber)) - c.Q_CAM3 * free * abs(camber)


@dataclass(frozen=True)
class Carcass:
    """How a loaded tyre stands: its deflection and loaded radius [m], load over deflection [N/m],
    effective rolling radius [m], half length and half width of the patch [m], stiffness of the
    standing tyre along and across [N/m], relaxation lengths [m]."""

    deflection: Scalar
    loaded_radius: Scalar
    vertical_stiffness: Scalar
    rolling_radius: Scalar
    half_length: Scalar
    half_width: Scalar
    stiffness_x: Scalar
    stiffness_y: Scalar
    relaxation_x: Scalar
    relaxation_y: Scalar


def carcass(c: Numbers, at: Point, spin: Scalar, fx: Scalar, fy: Scalar) -> Carcass:
    """All of it for a load, a spin [rad/s], and the forces that soften the tyre [N]."""
    depth = deflection(c, at, spin, fx, fy)
    return Carcass(
        depth,
        maximum(spinning_radius(c, spin) - depth, 0.0),
        at.load / select(at.load > 0.0, depth, 1e-6),
        rolling_radius(c, at.full_load, spin, at.pressure),
        *patch(c, at),
        *overall_stiffness(c, at),
        *relaxation(c, at),
    )


def deflection(c: Numbers, at: Point, spin: Scalar, fx: Scalar, fy: Scalar) -> Scalar:
    """`load` the other way round [m]: eq. 3 solved; 6.2's equation, which has no such solution, by
    steps of its nominal stiffness."""
    fore, sideways = c.Q_FCX * fx / c.FNOMIN, c.Q_FCY * fy / c.FNOMIN
    speed = c.Q_V2 * (c.UNLOADED_RADIUS / c.LONGVL) * abs(spin)
    outside = (1.0 + speed - fore * fore - sideways * sideways) * _softened(c, at.pressure)
    a, b = c.Q_FZ2, _bend(c)
    rest = at.load / (outside * c.FNOMIN)
    # the root written so that it holds for a = 0, a linear tyre, too
    share = 2.0 * rest / (b + sqrt(b * b + 4.0 * a * rest))
    depth = maximum(share * c.UNLOADED_RADIUS, 0.0)
    if c.version == "6.2":
        for _ in range(_STEPS):
            off = at.load - load(c, depth, spin, at.camber, at.pressure, fx, fy)
            depth = maximum(depth + off / (1.3 * c.VERTICAL_STIFFNESS), 0.0)
    return depth


def patch(c: Numbers, at: Point) -> tuple[Scalar, Scalar]:
    """Half length a and half width b of the contact patch (eq. 9–10; 5.2 by its manual) [m]."""
    R0 = c.UNLOADED_RADIUS
    stiff = c.VERTICAL_STIFFNESS * _softened(c, at.pressure)
    most = (R0 - c.RIM_RADIUS - c.BOTTOM_OFFST) * stiff  # a bottomed tyre's patch grows no more
    pressed = minimum(at.full_load, most)
    if c.old:
        root, line = _old_patch(c)
        share = pressed / c.FNOMIN
        return R0 * (line * share + root * sqrt(share)), c.WIDTH / 2.0
    share = pressed / (stiff * R0)
    width = c.Q_RB2 * share + c.Q_RB1 * share ** (1.0 / 3.0)
    return R0 * (c.Q_RA2 * share + c.Q_RA1 * sqrt(share)), c.WIDTH * width


def _old_patch(c: Numbers) -> tuple[float, float]:
    if c.Q_A1 or c.Q_A2:
        return c.Q_A1, c.Q_A2
    y = log10(c.UNLOADED_RADIUS * c.VERTICAL_STIFFNESS / c.FNOMIN)
    root = -0.0388 * y**3 + 0.2509 * y**2 - 0.6283 * y + 0.6279  # MFeval's fit of MF-Tyre's default
    return root, 1.693 * root * root


def overall_stiffness(c: Numbers, at: Point) -> tuple[Scalar, Scalar]:
    """C_x, C_y of the standing tyre along and across (eq. 17–18) [N/m]."""
    dfz, dpi = at.dfz, at.dpi
    along = (1.0 + c.PCFX1 * dfz + c.PCFX2 * dfz * dfz) * (1.0 + c.PCFX3 * dpi)
    across = (1.0 + c.PCFY1 * dfz + c.PCFY2 * dfz * dfz) * (1.0 + c.PCFY3 * dpi)
    return c.LONGITUDINAL_STIFFNESS * along, c.LATERAL_STIFFNESS * across


def relaxation(c: Numbers, at: Point) -> tuple[Scalar, Scalar]:
    """σ_x = |K_xκ/C_x|, σ_y = |K_yα/C_y| (eq. 19); 5.2 has formulas of its own [m]."""
    if c.old:
        growth = (c.PTX1 + c.PTX2 * at.dfz) * exp(-c.PTX3 * at.dfz)
        along = growth * (c.LSGKP * c.UNLOADED_RADIUS / c.FNOMIN) * at.load
        bend = sin(2.0 * atan(at.load / (c.PTY2 * c.LFZO * c.FNOMIN))) if c.PTY2 else 0.0
        camber = 1.0 - c.PKY3 * abs(at.camber)
        return along, c.PTY1 * bend * camber * (c.UNLOADED_RADIUS * c.LFZO * c.LSGAL)
    along, across = overall_stiffness(c, at)
    if not (c.LONGITUDINAL_STIFFNESS and c.LATERAL_STIFFNESS):
        return 0.0, 0.0
    return (
        abs(slip_stiffness(c, at) / along),
        abs(cornering_stiffness(c, at, at.camber, 1.0) / across),
    )


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
    return D * sin(C * magic_formula_arctangent(B, c.curvature(E), x)) + SV, mu, K


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
    return Lateral(D * sin(C * magic_formula_arctangent(B, E, x)) + SV, mu, K, SH, SV, B * C, zeta2)


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
    return D * sin(c.PHYP1 * magic_formula_arctangent(B, E, c.UNLOADED_RADIUS * spin)) * at.forward


def _share_x(c: Numbers, at: Point) -> Scalar:
    """G_xα (4.E51–4.E57): what a slip angle leaves of F_x."""
    E = c.curvature(c.REX1 + c.REX2 * at.dfz)
    B = (c.RBX1 + c.RBX3 * at.camber * at.camber) * cos(atan(c.RBX2 * at.slip)) * c.LXAL
    at_none = cos(c.RCX1 * magic_formula_arctangent(B, E, c.RHX1))
    return cos(c.RCX1 * magic_formula_arctangent(B, E, at.alpha + c.RHX1)) / at_none


def _share_y(c: Numbers, at: Point) -> Scalar:
    """G_yκ (4.E59–4.E65): what slip leaves of F_y."""
    E = c.curvature(c.REY1 + c.REY2 * at.dfz)
    SH = c.RHY1 + c.RHY2 * at.dfz
    B = (c.RBY1 + c.RBY4 * at.camber * at.camber) * cos(atan(c.RBY2 * (at.alpha - c.RBY3)))
    B = B * c.LYKA
    return cos(c.RCY1 * magic_formula_arctangent(B, E, at.slip + SH)) / cos(
        c.RCY1 * magic_formula_arctangent(B, E, SH)
    )


def _induced(c: Numbers, at: Point, mu: Scalar) -> Scalar:
    """S_Vyκ, the side force that slip causes (4.E66–4.E67) [N]."""
    D = mu * at.load * (c.RVY1 + c.RVY2 * at.dfz + c.RVY3 * at.camber)
    D = D * cos(atan(c.RVY4 * at.alpha))
    return D * sin(c.RVY5 * atan(c.RVY6 * at.slip)) * c.LVYKA * at.fade


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
    return -c.UNLOADED_RADIUS * c.LMY * size * rolling_direction(at.rolling, c.VXLOW)


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
    wave = cos(c.QCZ1 * magic_formula_arctangent(B, E, _equivalent(alpha, at, found)))
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

"""The carcass of the Magic Formula: stiffness, radii, deflection, contact patch, relaxation lengths
(Besselink, Schmeitz, Pacejka 2010, eq. 1–19; 6.2's vertical force by MF-Tyre's equation manual)."""

from dataclasses import dataclass
from math import log10

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import atan, exp, maximum, minimum, select, sin, sqrt, tan
from touchback.vehicle.tyres.mf_numbers import Numbers, Point

_STEPS = 40  # each leaves less than half of the error


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

"""The numbers of a tyre, and a contact as the Magic Formula sees it: limited, normalised."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import cos, maximum, minimum, sin
from touchback.vehicle.tyres.base import Contact, between, sign_of

SMALLEST = 1e-6  # ε of (4.E6a), m/s and N


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

"""What a grand piano action is made of: lengths, masses, felts, frictions and springs, in SI.

Sources, by short name: **ref** is the project's collection of published regulation figures
(technicians' specifications, Askenfelt & Jansson 1990, Goebl, Bresin & Galembo 2005); **Gil96** is
Gillespie 1996, tables 3.3 to 3.5; **Doc21** is Docquier, Timmermans & Fisette 2021. What no source
gives is *chosen*: taken from the proportions of drawings, or regulated as a technician would. What
is chosen, and where in their spans the others lie, was found together: so that a key that is
pressed once sounds once, however it is pressed, with every figure of docs/piano.md in its span. By
evolution of a covariance matrix (CMA-ES) over 76 numbers and a sequence of linear programs, whose
cost is how near to the string the hammer of each of some 600 presses comes again, how far figures
are out of their spans, and how far the two models of the action are apart (docs/piano.md).

From these data follow the placements of every hinge and surface while the action rests
(`find_placements`), and what differs from bass to treble as values of live parameters
(`graded_parameters`).
"""

from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.instruments.sound.vibrating_strings import (
    HAMMER_HEAD,
    HIGHEST,
    LOWEST,
    SHANK,
    UNA_CORDA,
    along,
    by_ratios,
)


@dataclass(frozen=True)
class Dimensions:
    """Lengths [m] and angles [rad] in the x–z plane: x to the back, z up, the key's balance point
    at the origin. They hold for the action at rest unless said otherwise."""

    # ---- key
    key_front: float = 0.2595  # balance point to key front (ref: Reyburn)
    key_capstan: float = 0.124  # balance point to capstan: a key ratio of 0.48 (ref: 0.47–0.60)
    key_tail: float = 0.285  # balance point to where the damper is lifted (chosen)
    key_height: float = 0.022  # chosen
    punching: float = 0.245  # balance point to front-rail punching (chosen)
    back_rail: float = 0.262  # balance point to back-rail cloth (chosen)
    capstan_radius: float = 0.006  # of its domed head (chosen)
    # ---- whippen
    capstan_height: float = 0.044  # of the whippen's heel over the balance point: the capstan meets
    # it on the line of centres at half travel (chosen)
    whippen_arm: float = 0.0605  # heel to whippen pin; gives the hammer/key ratio 5 (chosen)
    whippen_height: float = 0.070  # of its pin (chosen)
    spread_x: float = 0.100  # whippen pin to hammer pin: 111.8 mm over all (ref: 111.9 Steinway B)
    spread_z: float = 0.050
    # ---- hammer, in the pose in which it strikes
    shank: float = 0.131  # pin to strike point (ref: 130–133)
    knuckle_x: float = 0.0177  # pin to knuckle along the shank (ref: 16–18)
    knuckle_z: float = 0.00583  # knuckle centre below the shank's axis (chosen)
    knuckle_radius: float = 0.004  # chosen
    crown: float = 0.050  # of the head over the shank's axis (chosen: the bore of a medium hammer)
    crown_radius: float = 0.010  # chosen
    tail_x: float = 0.128  # centre of the tail's rounding (chosen)
    tail_z: float = -0.018
    tail_radius: float = 0.008
    rest_rail: float = 0.080  # pin to rest cushion (chosen)
    rest_rail_gap: float = 0.003  # of the resting shank over the cushion (ref: "1/8 inch" practice)
    # ---- jack
    jack_length: float = 0.0533  # pin to top (Gil96 L9 = 50.8 mm)
    jack_tilt: float = 0.35  # of its axis, top to the back (chosen: a more even hammer/key ratio)
    jack_front: float = 0.004  # top face in front of the knuckle's line (chosen)
    jack_back: float = 0.00109  # top face behind it: what must slip before the hammer is free
    toe_x: float = -0.0178  # toe from the jack's pin (chosen: the jack is clear of the knuckle when
    # the key is down and the hammer in check)
    toe_z: float = 0.0029
    toe_radius: float = 0.002
    jack_stop: float = 0.020  # stop button above the jack's pin (chosen)
    jack_window: float = 0.0045  # travel of the jack at its stop until the window ends (chosen)
    # ---- repetition lever
    lever_x: float = -0.0454  # its pin from the whippen's (chosen)
    lever_z: float = 0.0208
    lever_tilt: float = 0.326  # of its upper face's normal, to the back (chosen)
    lever_over_jack: float = 0.111e-3  # unloaded (ref: 0.2, Yamaha)
    lever_reach: float = 0.040  # its pin to the knuckle's line, about (chosen)
    lever_stop: float = 0.0164  # its pin to the regulating button, on its back arm (chosen)
    drop_screw: float = 0.00868  # in front of the knuckle's line (chosen)
    # ---- damper
    damper_pin_x: float = 0.345  # chosen
    damper_pin_z: float = 0.040
    damper_head: float = 0.045  # pin to the head's wire (chosen)
    damper_travel: float = 0.012  # of the key's lifting point until the stop rail (chosen)


@dataclass(frozen=True)
class ActionRegulation:
    """What a technician sets: distances [m] and the angle of the backcheck [rad]."""

    dip: float = 9.5e-3  # at the key front (Doc21; ref: 9.5–10.3)
    aftertouch: float = 0.8e-3  # of the key front behind let-off, as intended (ref: 0.8–1.2)
    blow: float = 42.6e-3  # crown to string at rest, such that aftertouch is left (ref: 42–49)
    let_off: float = 1.99e-3  # hammer below string when the jack lets go (ref: 1–2)
    drop: float = 1.61e-3  # and then below that (ref: 1–2)
    check: float = 13.6e-3  # tail meets backcheck with the hammer this far below the string; it is
    # then caught some 11 mm below after a soft and 15 mm after a hard blow (ref: 12–16)
    check_angle: float = 1.222  # face of the backcheck to the key: 70° (ref: 68–72)
    damper: float = 23e-3  # hammer travel at which the damper starts (ref: half of the blow)
    # What cloth gives under the action's own weight, taken up by the screws (regulated):
    capstan_sag: float = 0.279e-3  # brings the blow to its value
    button_sag: float = 0.231e-3  # brings the let-off to its value


@dataclass(frozen=True)
class Masses:
    """Masses [kg], their centres from the body's pin [m] and moments about those centres [kg m²].
    Those of the hammer are in the pose in which it strikes."""

    key: float = 0.080  # with its leads 0.13 (Gil96: 0.120)
    key_centre: tuple[float, float] = (0.005, 0.011)
    key_moment: float = 1.5e-3
    leads: float = 0.0388  # (ref: none to 4 leads of some 14 g)
    lead_distance: float = 0.131  # in front of the balance point
    whippen: float = 0.020
    whippen_centre: tuple[float, float] = (-0.055, -0.012)
    whippen_moment: float = 1.8e-5
    jack: float = 0.006
    jack_centre: tuple[float, float] = (0.003, 0.020)
    jack_moment: float = 1.6e-6
    lever: float = 0.009
    lever_centre: tuple[float, float] = (-0.020, 0.006)
    lever_moment: float = 4.0e-6
    head: float = 0.00511  # hammer head (ref: 11 bass … 3.5 treble)
    head_centre: tuple[float, float] = (0.131, 0.010)
    head_moment: float = 1.5e-6
    shank: float = 0.0045  # with knuckle (ref: 2 g of it count at the head)
    shank_centre: tuple[float, float] = (0.050, -0.001)
    shank_moment: float = 5.0e-6
    damper: float = 0.030
    damper_moment: float = 4e-6


@dataclass(frozen=True)
class Cloth:
    """A felt, leather or cloth between two parts: the force at 1 mm of quick compression [N], the
    exponent p, the hysteresis α [s] of F = K (ξᵖ + α d(ξᵖ)/dt), and a coefficient of friction."""

    force: float
    exponent: float = 2.0
    hysteresis: float = 2e-4
    friction: float = 0.0

    @property
    def stiffness(self) -> float:
        """K [N/mᵖ]."""
        return float(self.force / 1e-3**self.exponent)


@dataclass(frozen=True)
class Felts:
    """Every contact of the action. Forces are chosen so that the loads of a resting action (1 to
    3 N) press a tenth or two of a millimetre and a forte blow half a millimetre or more; frictions
    are those of polished leather (knuckle), graphite (capstan) and roughened leather (check)."""

    key_bed: Cloth = Cloth(60.0, 2.0, 1e-3)
    back_rail: Cloth = Cloth(60.0, 2.0, 1e-3)
    capstan: Cloth = Cloth(13.8, 2.0, 8e-3, 0.196)
    jack: Cloth = Cloth(54.0, 2.0, 6e-3, 0.148)
    button: Cloth = Cloth(14.4, 2.0, 1.72e-3, 0.15)
    jack_stop: Cloth = Cloth(100.0, 2.0, 1.03e-3)
    window: Cloth = Cloth(60.0, 2.0, 5e-4)
    lever: Cloth = Cloth(30.3, 2.0, 6e-3, 0.148)
    drop_screw: Cloth = Cloth(87.1, 2.0, 5e-4)
    lever_stop: Cloth = Cloth(400.0, 2.0, 5e-4)
    check: Cloth = Cloth(18.6, 1.5, 1e-3, 0.7)
    string: Cloth = Cloth(20.3, 2.5, 3.01e-4)  # felt and string in series: 1 to 2 ms of contact
    rest_rail: Cloth = Cloth(20.0, 2.0, 2e-3)
    damper_lift: Cloth = Cloth(60.0, 2.0, 1e-3, 0.15)
    damper_seat: Cloth = Cloth(30.0, 2.0, 2e-3)
    damper_stop: Cloth = Cloth(60.0, 2.0, 2e-3)
    slip_speed: float = 5e-3  # below which friction gives way [m/s]


@dataclass(frozen=True)
class Centres:
    """Friction in the hinges [N m], regularised over a speed [rad/s]. Those of key, whippen and
    hammer together make half of (down weight − up weight)."""

    key: tuple[float, float] = (5.31e-3, 5e-3)  # balance pin and front pin
    whippen: tuple[float, float] = (1.74e-3, 1e-2)
    jack: tuple[float, float] = (2e-4, 1e-1)
    lever: tuple[float, float] = (4.5e-3, 5e-2)  # (ref: up to 9 g at its end, 4.5e-3)
    hammer: tuple[float, float] = (2.2e-3, 5e-2)
    damper: tuple[float, float] = (1e-3, 1e-2)


@dataclass(frozen=True)
class Springs:
    """The two arms of the repetition spring, as torques at rest [N m] and rates [N m/rad]."""

    lever: float = 0.0276  # just lifts the hammer (ref: "slower than is felt in the key")
    lever_rate: float = 0.154
    jack: float = 0.00707  # with the toe's arm it presses the let-off button with 0.7 N (chosen)
    jack_rate: float = 0.0369


@dataclass(frozen=True)
class PedalEffects:
    """What pedals do to one action (all chosen)."""

    tray: tuple[float, float] = (130.0, 2.8)  # [N/m], [N s/m]: give of cloth and trapwork between
    # the pedal and a damper, so that its felt leaves the string over 2 mm: half-pedal
    una_corda: float = UNA_CORDA  # of the string felt's stiffness that is left: hammers meet fewer

    # strings, with felt that no string has hardened


@dataclass(frozen=True)
class Specification:
    """Everything that describes one action."""

    dimensions: Dimensions = field(default_factory=Dimensions)
    regulation: ActionRegulation = field(default_factory=ActionRegulation)
    masses: Masses = field(default_factory=Masses)
    felts: Felts = field(default_factory=Felts)
    centres: Centres = field(default_factory=Centres)
    springs: Springs = field(default_factory=Springs)
    pedals: PedalEffects = field(default_factory=PedalEffects)


# ---- geometry ------------------------------------------------------------------------------------

# All bodies are described in the pose of rest, with axes along the world's and origins at their
# hinges, so that every joint angle is zero there. Screws are then small shifts of these placements.
# The equations below treat felt as rigid; what it gives under load is regulated away by the screws.

Point = np.ndarray  # (x, z) [m]


def rotate_in_plane(angle: float, point: Point | tuple[float, float]) -> Point:
    """A vector turned from x towards z by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    x, z = point
    return np.array([c * x - s * z, s * x + c * z])


@dataclass(frozen=True)
class Surface:
    """A flat face of a body: the middle of the contact, and the angle of its outward normal from
    z towards x [rad]."""

    at: Point
    lean: float

    @property
    def normal(self) -> Point:
        return np.array([np.sin(self.lean), np.cos(self.lean)])

    @property
    def along(self) -> Point:
        """The direction of the face: x for a face that looks up."""
        return np.array([np.cos(self.lean), -np.sin(self.lean)])


@dataclass(frozen=True)
class Placements:
    """World coordinates at rest [m]. `rest_angle` is the hammer's, from the pose of the strike."""

    key: Point
    whippen: Point
    jack: Point
    lever: Point
    hammer: Point
    damper: Point
    rest_angle: float
    capstan: Point
    heel: Surface
    knuckle: Point
    jack_top: Surface
    jack_corner: Point
    toe: Point
    lever_top: Surface
    crown: Point
    tail: Point
    string: float
    button: float
    drop_screw: Point
    backcheck: Surface
    damper_gap: float


def find_placements(d: Dimensions, r: ActionRegulation) -> Placements:
    """The action at rest for some dimensions and a regulation."""
    whippen = np.array([d.key_capstan + d.whippen_arm, d.whippen_height])
    hammer = whippen + [-d.spread_x, d.spread_z]
    angle = rest_angle(d, r.blow)
    knuckle = hammer + rotate_in_plane(angle, (d.knuckle_x, -d.knuckle_z))
    top = _below(knuckle, d.knuckle_radius + d.lever_over_jack, d.jack_tilt)
    face = _below(knuckle, d.knuckle_radius, d.lever_tilt)
    jack = top.at - d.jack_length * top.normal
    linkage = Linkage(d, whippen, hammer, top, jack, whippen + [d.lever_x, d.lever_z])
    phi, psi = linkage.at_let_off(r.let_off)
    toe = jack + [d.toe_x, d.toe_z]
    lifted = linkage.on_jack(toe, phi, psi)
    return Placements(
        key=np.zeros(2), whippen=whippen, jack=jack, lever=linkage.lever, hammer=hammer,
        damper=np.array([d.damper_pin_x, d.damper_pin_z]), rest_angle=angle,
        capstan=np.array([d.key_capstan, d.capstan_height - d.capstan_radius + r.capstan_sag]),
        heel=Surface(np.array([d.key_capstan, d.capstan_height]), np.pi),
        knuckle=knuckle, jack_top=top, jack_corner=top.at + d.jack_back * top.along,
        toe=toe, lever_top=face,
        crown=hammer + rotate_in_plane(angle, (d.shank, d.crown - d.crown_radius)),
        tail=hammer + rotate_in_plane(angle, (d.tail_x, d.tail_z)),
        string=float(hammer[1] + d.crown), button=float(lifted[1] + d.toe_radius - r.button_sag),
        drop_screw=linkage.drop_screw(phi, r.let_off + r.drop, face),
        backcheck=_backcheck(d, r, hammer),
        damper_gap=_damper_gap(d, r),
    )  # fmt: skip


def rest_angle(d: Dimensions, blow: float) -> float:
    """The hammer's angle at which its crown is `blow` below the string; zero at the string."""
    from scipy.optimize import brentq  # only where an action is made: SciPy takes long to import

    centre = d.crown - d.crown_radius

    def miss(angle: float) -> float:
        return float(centre - rotate_in_plane(angle, (d.shank, centre))[1]) - blow

    return float(brentq(miss, -0.8, 0.0))


def _below(centre: Point, distance: float, lean: float) -> Surface:
    """A face that is some distance below a centre, along its own normal."""
    return Surface(centre - distance * Surface(centre, lean).normal, lean)


@dataclass(frozen=True)
class Linkage:
    """Whippen, jack, lever and hammer as rigid bodies, from their places at rest. Whippen and lever
    angles count up where their fronts rise, the others from x to z."""

    d: Dimensions
    whippen: Point
    hammer: Point
    top: Surface
    jack: Point
    lever: Point

    def on_whippen(self, point: Point, phi: float) -> Point:
        """Where a point of the whippen is when its front has risen by the angle phi."""
        return self.whippen + rotate_in_plane(-phi, point - self.whippen)

    def on_jack(self, point: Point, phi: float, psi: float) -> Point:
        """The same for a point of the jack, which has turned by psi on the whippen."""
        return self.on_whippen(self.jack + rotate_in_plane(psi, point - self.jack), phi)

    def knuckle_at(self, below: float) -> Point:
        """The knuckle's centre when the crown is `below` the string."""
        angle = rest_angle(self.d, below)
        return self.hammer + rotate_in_plane(angle, (self.d.knuckle_x, -self.d.knuckle_z))

    def at_let_off(self, below: float) -> tuple[float, float]:
        """Whippen and jack angles at which the jack's back edge is about to leave the knuckle."""
        from scipy.optimize import fsolve

        d, knuckle = self.d, self.knuckle_at(below)
        corner = self.top.at + d.jack_back * self.top.along

        def miss(angles: Point) -> list[float]:
            phi, psi = angles
            edge = self.on_jack(corner, phi, psi)
            face = rotate_in_plane(psi - phi, self.top.along)
            apart = knuckle - edge
            return [float(apart @ face), float(apart @ apart) ** 0.5 - d.knuckle_radius]

        found = fsolve(lambda angles: 1e3 * np.array(miss(angles)), [0.065, 0.03])
        return float(found[0]), float(found[1])

    def drop_screw(self, phi: float, below: float, face: Surface) -> Point:
        """The screw's tip: where it meets the lever that carries the hammer `below` the string."""
        from scipy.optimize import brentq

        knuckle = self.knuckle_at(below)

        def gap(angle: float) -> float:
            normal = rotate_in_plane(-phi - angle, face.normal)
            point = self.on_whippen(self.lever + rotate_in_plane(-angle, face.at - self.lever), phi)
            return float(normal @ (knuckle - point)) - self.d.knuckle_radius

        angle = brentq(gap, -0.3, 0.3)
        front = face.at - self.d.drop_screw * face.along
        return self.on_whippen(self.lever + rotate_in_plane(-angle, front - self.lever), phi)


def _backcheck(d: Dimensions, r: ActionRegulation, hammer: Point) -> Surface:
    """The face of the backcheck, in the pose of rest: with the key down it touches the tail of a
    hammer that is `check` below the string."""
    key = np.arcsin(r.dip / d.key_front)
    tail = hammer + rotate_in_plane(rest_angle(d, r.check), (d.tail_x, d.tail_z))
    # Looks to the front and up: its normal leans from z to −x by the angle of its face to the key.
    down = Surface(tail, -r.check_angle - key)
    at = rotate_in_plane(-key, tail - d.tail_radius * down.normal)
    return Surface(at, -r.check_angle)


def _damper_gap(d: Dimensions, r: ActionRegulation) -> float:
    """Travel of the key's tail until it lifts the damper."""
    return damper_depth(r) * d.key_tail / d.key_front


def damper_depth(r: ActionRegulation) -> float:
    """Of the key front where the damper starts [m], with a constant hammer/key ratio."""
    return (r.dip - r.aftertouch) * r.damper / (r.blow - r.let_off)


# Eighty-eight actions from one: everything is derived from the specification of the key of middle
# C, which it leaves as it is. Sources as above and in `instruments.sound`, whose hammer heads these
# are, in proportion.

# ---- grading from bass to treble -----------------------------------------------------------------

MIDDLE = 60  # MIDI note whose key the specification describes
LAST_DAMPED = 89  # F6: on grands dampers end between D6 and G6 (PTG, Blees; Shockley, App. C)
# Contact of hammer and string, of that of the middle key: some 4 ms in the lowest bass, 2 ms in the
# middle, under 1 ms at the top (ref: Askenfelt & Jansson 1990).
CONTACT = {LOWEST: 2.0, MIDDLE: 1.0, HIGHEST: 0.45}
DAMPER = {LOWEST: 1.4, MIDDLE: 1.0, LAST_DAMPED: 0.7}  # of the middle one's mass (chosen)
MOST_LEAD = 0.056  # kg: four leads (ref: "A13: 4 key leads"); what lacks is made up by distance


def graded_parameters(note: int, specification: Specification | None = None) -> dict[str, float]:
    """The live parameters of the action of a MIDI note that aren't those of the middle key: hammer
    head, leads that balance it, repetition spring that just lifts it, felt and string, damper."""
    if not LOWEST <= note <= HIGHEST:
        raise InputError(f"Note {note} has no key: a piano's are the MIDI notes 21 to 108.")
    if note == MIDDLE:
        return {}
    spec = specification or Specification()
    masses = spec.masses
    head = masses.head * along(note, HAMMER_HEAD) / along(MIDDLE, HAMMER_HEAD)
    lead, distance = _leads(spec, head - masses.head)
    lifted = _hammer_moment(spec, head) / _hammer_moment(spec, masses.head)
    # Where more weight lies on knuckle and capstan they are eased: keys must come up (ref: 20 g).
    eased = min(1.0, 1.0 / lifted)
    longer = by_ratios(note, CONTACT)
    # Felt F = K ξᵖ on a mass m: contact lasts as (m/K)^(1/(p + 1)) at one speed.
    heavier = (head + SHANK) / (masses.head + SHANK)
    return {
        "hammer mass": head,
        "key lead mass": lead,
        "key lead distance": distance,
        "repetition spring": spec.springs.lever * lifted,
        "knuckle friction": spec.felts.jack.friction * eased,
        "capstan friction": spec.felts.capstan.friction * eased,
        "string stiffness": heavier / longer ** (spec.felts.string.exponent + 1.0),
        "string hysteresis": spec.felts.string.hysteresis * longer,
        "damper mass": masses.damper * along(min(note, LAST_DAMPED), DAMPER),
    }


def has_damper(note: int) -> bool:
    """Whether the strings of a MIDI note have a damper."""
    return note <= LAST_DAMPED


def _hammer_moment(spec: Specification, head: float) -> float:
    """Of the hammer's weight about its pin, over gravity [kg m]."""
    masses = spec.masses
    return head * masses.head_centre[0] + masses.shank * masses.shank_centre[0]


def _leads(spec: Specification, more: float) -> tuple[float, float]:
    """Mass [kg] and distance [m] of leads that balance so much more hammer head [kg], half-way down
    the key's dip: a head rises less and less on its way."""
    masses = spec.masses
    at = find_placements(spec.dimensions, spec.regulation)
    half = spec.regulation.dip / spec.dimensions.key_front / 2
    moment = masses.leads * masses.lead_distance + more * head_rise(spec, at, half)
    mass = min(moment / masses.lead_distance, MOST_LEAD)
    return mass, moment / mass


def head_rise(spec: Specification, at: Placements, key: float = 0.0) -> float:
    """How much the hammer head rises for a small turn of a key that has turned by `key` [m/rad],
    within the first order of that angle [rad]."""
    whippen, hammer = (key * rate for rate in _rates(at, 0.0, 0.0, 0.0))
    head = rotate_in_plane(at.rest_angle + hammer, spec.masses.head_centre)
    return _rates(at, key, whippen, hammer)[1] * float(head[0])


def _rates(at: Placements, key: float, whippen: float, hammer: float) -> tuple[float, float]:
    """How much whippen and hammer turn with the key in a pose: capstan and heel, then jack and
    knuckle, move alike along their common normals."""
    capstan, knuckle = (
        rotate_in_plane(key, at.capstan),
        rotate_in_plane(hammer, at.knuckle - at.hammer),
    )
    n = rotate_in_plane(-whippen, at.heel.normal)
    lifted = float(n @ _turning(1.0, capstan) / (n @ _turning(-1.0, capstan - at.whippen)))
    n = rotate_in_plane(-whippen, at.jack_top.normal)
    touch = at.hammer + knuckle
    thrown = float(n @ _turning(-1.0, touch - at.whippen) / (n @ _turning(1.0, knuckle)))
    return lifted, lifted * thrown


def _turning(sense: float, arm: np.ndarray) -> np.ndarray:
    """Velocity of the end of an arm for a unit rate from x to z (sense 1) or back."""
    return sense * np.array([-arm[1], arm[0]])

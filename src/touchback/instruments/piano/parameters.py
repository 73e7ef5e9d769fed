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
"""

from dataclasses import dataclass, field

from touchback.instruments.sound.vibrating_strings import UNA_CORDA


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
class Regulation:
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
class Pedals:
    """What pedals do to one action (all chosen)."""

    tray: tuple[float, float] = (130.0, 2.8)  # [N/m], [N s/m]: give of cloth and trapwork between
    # the pedal and a damper, so that its felt leaves the string over 2 mm: half-pedal
    una_corda: float = UNA_CORDA  # of the string felt's stiffness that is left: hammers meet fewer
    # strings, with felt that no string has hardened


@dataclass(frozen=True)
class Specification:
    """Everything that describes one action."""

    dimensions: Dimensions = field(default_factory=Dimensions)
    regulation: Regulation = field(default_factory=Regulation)
    masses: Masses = field(default_factory=Masses)
    felts: Felts = field(default_factory=Felts)
    centres: Centres = field(default_factory=Centres)
    springs: Springs = field(default_factory=Springs)
    pedals: Pedals = field(default_factory=Pedals)

"""From regulation data to placements: where every hinge and surface is while the action rests.

All bodies are described in the pose of rest, with axes along the world's and origins at their
hinges, so that every joint angle is zero there. Screws are then small shifts of these placements.
The equations below treat felt as rigid; what it gives under load is regulated away by the screws.
"""

from dataclasses import dataclass

import numpy as np

from touchback.instruments.piano.parameters import Dimensions, Regulation

Point = np.ndarray  # (x, z) [m]


def turned(angle: float, point: Point | tuple[float, float]) -> Point:
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


def placements(d: Dimensions, r: Regulation) -> Placements:
    """The action at rest for some dimensions and a regulation."""
    whippen = np.array([d.key_capstan + d.whippen_arm, d.whippen_height])
    hammer = whippen + [-d.spread_x, d.spread_z]
    angle = rest_angle(d, r.blow)
    knuckle = hammer + turned(angle, (d.knuckle_x, -d.knuckle_z))
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
        crown=hammer + turned(angle, (d.shank, d.crown - d.crown_radius)),
        tail=hammer + turned(angle, (d.tail_x, d.tail_z)),
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
        return float(centre - turned(angle, (d.shank, centre))[1]) - blow

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
        return self.whippen + turned(-phi, point - self.whippen)

    def on_jack(self, point: Point, phi: float, psi: float) -> Point:
        """The same for a point of the jack, which has turned by psi on the whippen."""
        return self.on_whippen(self.jack + turned(psi, point - self.jack), phi)

    def knuckle_at(self, below: float) -> Point:
        """The knuckle's centre when the crown is `below` the string."""
        angle = rest_angle(self.d, below)
        return self.hammer + turned(angle, (self.d.knuckle_x, -self.d.knuckle_z))

    def at_let_off(self, below: float) -> tuple[float, float]:
        """Whippen and jack angles at which the jack's back edge is about to leave the knuckle."""
        from scipy.optimize import fsolve

        d, knuckle = self.d, self.knuckle_at(below)
        corner = self.top.at + d.jack_back * self.top.along

        def miss(angles: Point) -> list[float]:
            phi, psi = angles
            edge = self.on_jack(corner, phi, psi)
            face = turned(psi - phi, self.top.along)
            apart = knuckle - edge
            return [float(apart @ face), float(apart @ apart) ** 0.5 - d.knuckle_radius]

        found = fsolve(lambda angles: 1e3 * np.array(miss(angles)), [0.065, 0.03])
        return float(found[0]), float(found[1])

    def drop_screw(self, phi: float, below: float, face: Surface) -> Point:
        """The screw's tip: where it meets the lever that carries the hammer `below` the string."""
        from scipy.optimize import brentq

        knuckle = self.knuckle_at(below)

        def gap(angle: float) -> float:
            normal = turned(-phi - angle, face.normal)
            point = self.on_whippen(self.lever + turned(-angle, face.at - self.lever), phi)
            return float(normal @ (knuckle - point)) - self.d.knuckle_radius

        angle = brentq(gap, -0.3, 0.3)
        front = face.at - self.d.drop_screw * face.along
        return self.on_whippen(self.lever + turned(-angle, front - self.lever), phi)


def _backcheck(d: Dimensions, r: Regulation, hammer: Point) -> Surface:
    """The face of the backcheck, in the pose of rest: with the key down it touches the tail of a
    hammer that is `check` below the string."""
    key = np.arcsin(r.dip / d.key_front)
    tail = hammer + turned(rest_angle(d, r.check), (d.tail_x, d.tail_z))
    # Looks to the front and up: its normal leans from z to −x by the angle of its face to the key.
    down = Surface(tail, -r.check_angle - key)
    at = turned(-key, tail - d.tail_radius * down.normal)
    return Surface(at, -r.check_angle)


def _damper_gap(d: Dimensions, r: Regulation) -> float:
    """Travel of the key's tail until it lifts the damper."""
    return damper_depth(r) * d.key_tail / d.key_front


def damper_depth(r: Regulation) -> float:
    """Of the key front where the damper starts [m], with a constant hammer/key ratio."""
    return (r.dip - r.aftertouch) * r.damper / (r.blow - r.let_off)

"""The full-contact model of the grand piano action: six hinged bodies and sixteen felts.

Nothing here knows of modes: what follows what is decided by which surfaces touch (Docquier 2021,
§5.1). Angles of key, jack and hammer count from x (to the back) to z (up), those of whippen,
repetition lever and damper the other way, so that key, whippen, hammer and damper all rise in a
stroke, the jack's angle rises where it lets go, and the lever's falls where it gives way. All are
zero at rest.

Beside the model: what it reports (`add_sensors`), how its key is moved (`add_drive`: by a force, by
a prescribed motion, through a finger or by a press), and what can be turned on it (`add_screws`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import touchback as tb
from touchback import (
    ContactForce,
    Direction,
    Expr,
    Fixed,
    Frame,
    Gap,
    JointEffort,
    Model,
    Multiplier,
    Position,
    Revolute,
    Signal,
    Velocity,
    asin,
    maximum,
    select,
    sin,
)
from touchback.errors import InputError
from touchback.instruments.piano.action_specification import (
    Cloth,
    Placements,
    Point,
    Specification,
    Surface,
    find_placements,
    rotate_in_plane,
)
from touchback.model import BodyHandle, Value
from touchback.names import unknown

# ---- sensors -------------------------------------------------------------------------------------

CONTACTS = (
    "key bed", "back rail", "capstan", "jack", "lever", "button", "jack stop", "window",
    "drop screw", "lever stop", "check", "string", "rest rail", "damper lift", "damper seat",
    "damper stop",
)  # fmt: skip


def add_sensors(
    m: Model,
    spec: Specification,
    on: Callable[..., Frame],
    at: Placements,
    reported: Sequence[str] = CONTACTS,
) -> None:
    """Sensors by name: "… gap" [m] and "… force" [N] of each reported contact; "key depth" [m] and
    "key speed" [m/s] of the key front; "hammer velocity" [m/s] and "crown" [m] of the middle of the
    crown's rounding; with the jack, "jack overlap" [m], by which its back edge is behind the middle
    of the knuckle: negative where it has slipped out."""
    for name in reported:
        if name not in CONTACTS:
            raise unknown("contact", name, CONTACTS)
        m.sensor(f"{name} gap", Gap(name))
        m.sensor(f"{name} force", ContactForce(name))
    front = spec.dimensions.key_front
    m.sensor("key depth", Signal(front * sin(m.coordinate("key")), "m"))
    m.sensor("key speed", Signal(front * m.rate("key"), "m/s"))
    m.sensor("hammer velocity", Velocity(on("hammer", at.crown)))
    m.sensor("crown", Position(on("hammer", at.crown)))
    if "jack" in reported:
        edge = on("jack", at.jack_corner, turn=("y", at.jack_top.lean))
        knuckle, corner = Position(on("hammer", at.knuckle)), Position(edge)
        m.sensor("jack overlap", Signal(_along(m, knuckle, corner, Direction(edge, "x")), "m"))


def _along(m: Model, start: Position, end: Position, axis: Direction) -> Value:
    """The distance from one point to another along an axis."""
    first = m.sensor("knuckle", start)
    second = m.sensor("jack edge", end)
    direction = m.sensor("jack face", axis)
    return sum((b - a) * e for a, b, e in zip(first, second, direction, strict=True))


# ---- drives of the key ---------------------------------------------------------------------------

Touch = Callable[[Model], Value]  # gives the depth of the key front [m]
FINGER_STIFFNESS = 1500.0  # of fingertip and joints [N/m], and damping [N s/m] (ref: a fingertip
FINGER_DAMPING = 5.0  # alone has 200 to 800 N/m, more at high forces, and a few N s/m)
PRESS_STIFFNESS = 2e4  # of a press's load cell and the pad under it [N/m] (chosen)


def add_drive(m: Model, front: float, driven: str, touch: Touch | None) -> None:
    """Drive the key, whose front is `front` [m] from the balance point (see
    `grand_piano_action`)."""
    if (driven == "motion") != (touch is not None):
        raise InputError(
            f"grand_piano_action: driven={driven!r} with touch={touch!r}; a touch such as "
            "PressedTouch() goes with driven='motion', and with nothing else."
        )
    if driven == "motion" and touch is not None:
        m.drive("key", asin(touch(m) / front), name="touch")
        m.sensor("touch effort", Multiplier("touch"))
    elif driven == "finger":
        m.force("finger", JointEffort("key", _finger(m) * front))
    elif driven == "press":
        m.force("press", JointEffort("key", _press(m) * front))
    elif driven == "force":
        m.force("key force", JointEffort("key", m.input("key force", unit="N") * front))
    else:
        raise InputError(
            f"grand_piano_action: driven={driven!r}; give 'force', 'motion', 'finger' or 'press'."
        )


def _finger(m: Model) -> Value:
    """The push of a finger [N] that may leave the key but not pull it."""
    depth = m.input("finger depth", unit="m", default=-5e-3)
    speed = m.input("finger speed", unit="m/s")
    stiffness = m.parameter("finger stiffness", FINGER_STIFFNESS, unit="N/m", min=0.0)
    damping = m.parameter("finger damping", FINGER_DAMPING, unit="N s/m", min=0.0)
    inside = depth - m.signal("key depth")
    push = stiffness * inside + damping * (speed - m.signal("key speed"))
    return select(inside > 0.0, maximum(push, 0.0), 0.0)


def _press(m: Model) -> Value:
    """The push [N] of a load cell that a press moves onto the key, which it can't pull."""
    travel = m.input("key travel", unit="m", default=-5e-3, min=-5e-3, max=0.015)
    stiffness = m.parameter("press stiffness", PRESS_STIFFNESS, unit="N/m", min=1e3, max=1e6)
    push = maximum(stiffness * (travel - m.signal("key depth")), 0.0)
    return m.sensor("key force", Signal(push, "N"))


# ---- screws --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Screws:
    """Shifts of placements [m], where not said otherwise; positive is up or out of the material."""

    dip: Expr  # of the key front until the front-rail punching [m]
    blow: Expr  # crown to string [m]
    capstan: Expr
    button: Expr
    drop_screw: Expr
    lever_height: Expr
    jack_position: Expr  # to the front
    check_distance: Expr  # to the front
    check_angle: Expr  # [rad]
    spring: Expr  # torque on the repetition lever at rest [N m]
    jack_spring: Expr  # [N m]
    hammer_mass: Expr  # [kg]
    lead_mass: Expr  # [kg]
    lead_distance: Expr  # in front of the balance point [m]
    knuckle_friction: Expr
    capstan_friction: Expr
    check_friction: Expr
    centres: Expr  # factor on the friction of all hinges
    pedal: Expr  # height of the tray under the damper's head [m]
    una_corda: Expr  # how far the hammer is shifted, 0 to 1
    string: Expr  # factor on the stiffness of felt and string
    string_hysteresis: Expr  # [s]
    damper_mass: Expr  # [kg]


def add_screws(m: Model, spec: Specification) -> Screws:
    """The live parameters of an action."""
    r, masses, felts = spec.regulation, spec.masses, spec.felts

    def shift(name: str, most: float = 3e-3) -> Expr:
        return m.parameter(name, 0.0, unit="m", min=-most, max=most)

    return Screws(
        dip=m.parameter("key dip", r.dip, unit="m", min=6e-3, max=13e-3),
        blow=m.parameter("blow distance", r.blow, unit="m", min=35e-3, max=55e-3),
        capstan=shift("capstan height"),
        button=shift("let-off button height"),
        drop_screw=shift("drop screw height"),
        lever_height=shift("repetition lever height"),
        jack_position=shift("jack position"),
        check_distance=shift("backcheck distance", 10e-3),
        check_angle=m.parameter("backcheck angle", 0.0, unit="rad", min=-0.2, max=0.2),
        spring=m.parameter("repetition spring", spec.springs.lever, unit="N m", min=0.0, max=0.2),
        jack_spring=m.parameter("jack spring", spec.springs.jack, unit="N m", min=0.0, max=0.05),
        hammer_mass=m.parameter("hammer mass", masses.head, unit="kg", min=1e-3, max=0.03),
        lead_mass=m.parameter("key lead mass", masses.leads, unit="kg", min=0.0, max=0.1),
        lead_distance=m.parameter(
            "key lead distance", masses.lead_distance, unit="m", min=-0.2, max=0.25
        ),
        knuckle_friction=m.parameter("knuckle friction", felts.jack.friction, min=0.0, max=1.0),
        capstan_friction=m.parameter("capstan friction", felts.capstan.friction, min=0.0, max=1.0),
        check_friction=m.parameter("backcheck friction", felts.check.friction, min=0.0, max=2.0),
        centres=m.parameter("centre friction", 1.0, min=0.0, max=10.0),
        pedal=m.parameter("pedal lift", 0.0, unit="m", min=0.0, max=0.012),
        una_corda=m.parameter("una corda", 0.0, min=0.0, max=1.0),
        string=m.parameter("string stiffness", 1.0, min=0.02, max=50.0),
        string_hysteresis=m.parameter(
            "string hysteresis", felts.string.hysteresis, unit="s", min=0.0, max=2e-3
        ),
        damper_mass=m.parameter("damper mass", masses.damper, unit="kg", min=1e-3, max=0.1),
    )  # fmt: skip


# ---- the action ----------------------------------------------------------------------------------

RISING, FALLING = Revolute("-y"), Revolute("y")  # from x to z, and from z to x
DOWN, BACK = math.pi, math.pi / 2  # lean of faces that look down or to the back
_RADIUS = 2e-3  # of rounded edges of the key [m]


def grand_piano_action(
    driven: str = "force",
    touch: Touch | None = None,
    specification: Specification | None = None,
    reported: Sequence[str] = CONTACTS,
) -> Model:
    """The action of one key, at rest where all angles are zero.

    `driven="force"`: the input "key force" [N] presses the key front down. `driven="motion"`: the
    depth of the key front [m] is that of a `touch`, such as `PressedTouch()`; what it takes is the
    sensor "touch effort" [N m], about the balance point. `driven="finger"`: a spring and damper
    press the front towards the inputs "finger depth" [m] and "finger speed" [m/s] and never pull.
    `driven="press"`: a load cell, which gives by its "press stiffness" [N/m], is moved to the input
    "key travel" [m]; what it reads is the sensor "key force" [N].

    `reported` are the contacts whose gaps and forces are sensed: a live run that needs only the
    string's is the quicker for it.
    """
    spec = specification or Specification()
    m = Model("grand piano action")
    at = find_placements(spec.dimensions, spec.regulation)
    builder = Builder(m, spec, at, add_screws(m, spec))
    builder.bodies()
    builder.joints()
    builder.contacts()
    add_sensors(m, spec, builder.on, at, reported)
    add_drive(m, spec.dimensions.key_front, driven, touch)
    return m


class Builder:
    """Puts the bodies, hinges and felts of an action into a model."""

    def __init__(self, m: Model, spec: Specification, at: Placements, screws: Screws) -> None:
        self.m, self.spec, self.at, self.screws = m, spec, at, screws
        self.origins = {
            "ground": at.key, "key": at.key, "whippen": at.whippen, "jack": at.jack,
            "lever": at.lever, "hammer": at.hammer, "damper": at.damper,
        }  # fmt: skip

    # ---- bodies and hinges -----------------------------------------------------------------------

    def bodies(self) -> None:
        """Six bodies, and two that are screwed to them: hammer head and key leads."""
        masses, screws, lean = self.spec.masses, self.screws, self.at.rest_angle
        for name in ("key", "whippen", "jack", "lever"):
            centre = getattr(masses, f"{name}_centre")
            self._body(name, getattr(masses, name), centre, getattr(masses, f"{name}_moment"))
        self._body(
            "hammer", masses.shank, rotate_in_plane(lean, masses.shank_centre), masses.shank_moment
        )
        self._body("hammer head", screws.hammer_mass, (0.0, 0.0), masses.head_moment)
        self._body("key leads", screws.lead_mass, (0.0, 0.0), 0.0)
        centre = (-self.spec.dimensions.damper_head, 0.0)
        self._body("damper", screws.damper_mass, centre, masses.damper_moment)
        x, z = rotate_in_plane(lean, masses.head_centre)
        head = BodyHandle("hammer").at(float(x), 0, float(z))
        self.m.joint("hammer head", Fixed(), head, "hammer head")
        leads = BodyHandle("key").at(-screws.lead_distance, 0, self.spec.dimensions.key_height / 2)
        self.m.joint("key leads", Fixed(), leads, "key leads")

    def _body(self, name: str, mass: Any, centre: Any, moment: float) -> None:
        inertia = (moment / 2, moment, moment / 2)  # of which only that about y takes part
        self.m.body(name, mass=mass, com=(centre[0], 0, centre[1]), inertia=inertia)

    def joints(self) -> None:
        """Six hinges with friction, two of them with an arm of the repetition spring."""
        at, springs = self.at, self.spec.springs
        lever = {"spring": springs.lever_rate, "rest": self.screws.spring / springs.lever_rate}
        jack = {"spring": springs.jack_rate, "rest": -self.screws.jack_spring / springs.jack_rate}
        self._hinge("key", RISING, "ground", at.key)
        self._hinge("whippen", FALLING, "ground", at.whippen)
        self._hinge("jack", RISING, "whippen", at.jack, **jack)
        self._hinge("lever", FALLING, "whippen", at.lever, **lever)
        self._hinge("hammer", RISING, "ground", at.hammer)
        self._hinge("damper", FALLING, "ground", at.damper)

    def _hinge(self, name: str, kind: Revolute, parent: str, at: Point, **spring: Any) -> None:
        torque, speed = getattr(self.spec.centres, name)
        friction = torque * self.screws.centres
        options = {"friction": friction, "friction_speed": speed, **spring}
        self.m.joint(name, kind, self.on(parent, at), name, **options)

    # ---- contacts --------------------------------------------------------------------------------

    def contacts(self) -> None:
        """Everything that can touch."""
        self._key_contacts()
        self._knuckle_contacts()
        self._jack_contacts()
        self._lever_contacts()
        self._hammer_contacts()
        self._damper_contacts()

    def _key_contacts(self) -> None:
        d, at, s = self.spec.dimensions, self.at, self.screws
        front, back = _point(-d.punching, 0.0), _point(d.back_rail, 0.0)
        depth = s.dip * (d.punching / d.key_front)
        self._touch("key bed", self._edge("key", front), self._face("ground", front, z=-depth))
        self._touch("back rail", self._edge("key", back), self._face("ground", back))
        capstan = self._circle("key", at.capstan, d.capstan_radius, z=s.capstan)
        self._touch("capstan", capstan, self._face("whippen", at.heel), s.capstan_friction)

    def _knuckle_contacts(self) -> None:
        """The knuckle rests on the jack's top, which has an edge to slip from, and on the lever."""
        d, at = self.spec.dimensions, self.at
        knuckle = self._circle("hammer", at.knuckle, d.knuckle_radius)
        width = d.jack_front + d.jack_back
        top = Surface(at.jack_corner - width * at.jack_top.along, at.jack_top.lean)
        friction = self.screws.knuckle_friction
        self._touch("jack", knuckle, self._face("jack", top, width), friction)
        self._touch("lever", knuckle, self._face("lever", at.lever_top), friction)

    def _jack_contacts(self) -> None:
        """The toe under its button; and the jack's back against its stop, its front against the end
        of the window in the lever, which are taken as parts of the whippen."""
        d, at, s = self.spec.dimensions, self.at, self.screws
        button = Surface(_point(at.toe[0], at.button), DOWN)
        toe = self._circle("jack", at.toe, d.toe_radius)
        self._touch("button", toe, self._face("ground", button, z=s.button))
        middle = at.jack + d.jack_stop * at.jack_top.normal
        edge = self._circle("jack", middle, 0.0)
        stop = Surface(middle, at.jack_top.lean - BACK)
        self._touch("jack stop", edge, self._face("whippen", stop, slide=s.jack_position))
        end = Surface(middle - d.jack_window * at.jack_top.along, at.jack_top.lean + BACK)
        self._touch("window", edge, self._face("whippen", end))

    def _lever_contacts(self) -> None:
        d, at, s = self.spec.dimensions, self.at, self.screws
        front = self._circle("lever", at.lever_top.at - d.drop_screw * at.lever_top.along, 0.0)
        screw = Surface(at.drop_screw, DOWN)
        self._touch("drop screw", front, self._face("ground", screw, z=s.drop_screw))
        back = at.lever + [d.lever_stop, 0.0]
        stop = self._face("whippen", back, z=-s.lever_height * (d.lever_stop / d.lever_reach))
        self._touch("lever stop", self._circle("lever", back, 0.0), stop)

    def _hammer_contacts(self) -> None:
        d, at, s = self.spec.dimensions, self.at, self.screws
        check = self._face("key", at.backcheck, slide=s.check_distance, turn=s.check_angle)
        tail = self._circle("hammer", at.tail, d.tail_radius)
        self._touch("check", tail, check, s.check_friction)
        string = Surface(_point(at.crown[0], at.string), DOWN)
        higher = s.blow - self.spec.regulation.blow
        crown = self._circle("hammer", at.crown, d.crown_radius)
        cloth, softer = self.spec.felts.string, 1.0 - self.spec.pedals.una_corda
        stiffness = cloth.stiffness * s.string * (1.0 - softer * s.una_corda)
        felt = tb.contact.Felt(stiffness, cloth.exponent, s.string_hysteresis)
        self._touch("string", crown, self._face("ground", string, z=higher), felt=felt)
        shank = at.hammer + rotate_in_plane(at.rest_angle, (d.rest_rail, 0.0))
        cushion = self._face("ground", shank - [0.0, d.rest_rail_gap])
        self._touch("rest rail", self._circle("hammer", shank, 0.0), cushion)

    def _damper_contacts(self) -> None:
        """The key's tail lifts the damper's lever from its seat on the string, up to a stop; so
        does the tray of the pedal, with what cloth and trapwork give."""
        d, at = self.spec.dimensions, self.at
        tail = _point(d.key_tail, d.key_height)
        lever = Surface(tail + [0.0, at.damper_gap], DOWN)
        self._touch("damper lift", self._edge("key", tail, -1.0), self._face("damper", lever))
        head = at.damper - [d.damper_head, 0.0]
        wire = self._circle("damper", head, 0.0)
        self._touch("damper seat", wire, self._face("ground", head))
        share = d.damper_head / (at.damper[0] - d.key_tail)
        stop = Surface(head + [0.0, d.damper_travel * share], DOWN)
        self._touch("damper stop", wire, self._face("ground", stop))
        stiffness, damping = self.spec.pedals.tray
        below = self.screws.pedal - d.damper_head * self.m.coordinate("damper")
        push = maximum(stiffness * below - damping * d.damper_head * self.m.rate("damper"), 0.0)
        lifted = select(below > 0.0, push * d.damper_head, 0.0)
        self.m.force("pedal", JointEffort("damper", lifted))

    def _touch(
        self,
        name: str,
        circle: tb.contact.Circle,
        face: tb.contact.Line,
        friction: Any = None,
        felt: tb.contact.Felt | None = None,
    ) -> None:
        cloth: Cloth = getattr(self.spec.felts, name.replace(" ", "_"))
        felt = felt or tb.contact.Felt(cloth.stiffness, cloth.exponent, cloth.hysteresis)
        coefficient = cloth.friction if friction is None else friction
        slip = self.spec.felts.slip_speed
        contact = tb.contact.ProfileContact(
            circle, face, felt, friction=coefficient, slip_speed=slip
        )
        self.m.force(name, contact)

    def _circle(self, body: str, centre: Point, radius: float, z: Any = 0.0) -> tb.contact.Circle:
        return tb.contact.Circle(self.on(body, centre, z=z), radius)

    def _edge(self, body: str, at: Point, side: float = 1.0) -> tb.contact.Circle:
        """A rounded edge whose surface passes through a point, with material above (1) or below."""
        return self._circle(body, at + [0.0, side * _RADIUS], _RADIUS)

    def _face(
        self, body: str, face: Surface | Point, length: float | None = None, *, z: Any = 0.0,
        slide: Any = 0.0, turn: Any = 0.0,
    ) -> tb.contact.Line:  # fmt: skip
        """A face, level if only a point is given; screws shift it up by z, along its own normal by
        `slide`, and turn it."""
        surface = face if isinstance(face, Surface) else Surface(face, 0.0)
        n_x, n_z = map(float, surface.normal)
        lean = ("y", surface.lean + turn)
        return tb.contact.Line(
            self.on(body, surface.at, slide * n_x, z + slide * n_z, lean), length
        )

    def on(self, body: str, at: Point, x: Any = 0.0, z: Any = 0.0, turn: Any = None) -> Frame:
        """A frame of a body at a place of the resting action, shifted by x and z."""
        dx, dz = map(float, at - self.origins[body])
        return BodyHandle(body).at(dx + x, 0, dz + z, turn)


def _point(x: float, z: float) -> Point:
    return np.array([x, z])

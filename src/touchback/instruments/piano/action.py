"""The full-contact model of the grand piano action: six hinged bodies and sixteen felts.

Nothing here knows of modes: what follows what is decided by which surfaces touch (Docquier 2021,
§5.1). Angles of key, jack and hammer count from x (to the back) to z (up), those of whippen,
repetition lever and damper the other way, so that key, whippen, hammer and damper all rise in a
stroke, the jack's angle rises where it lets go, and the lever's falls where it gives way. All are
zero at rest.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from touchback import Fixed, Frame, JointEffort, Model, Revolute, maximum, select
from touchback.contact import ProfileContact
from touchback.contact.contact_laws import Felt
from touchback.contact.profiles import Circle, Line
from touchback.instruments.piano.driving import Touch, add_drive
from touchback.instruments.piano.geometry import Placements, Point, Surface, placements, turned
from touchback.instruments.piano.parameters import Cloth, Specification
from touchback.instruments.piano.screws import Screws, add_screws
from touchback.instruments.piano.sensing import CONTACTS, add_sensors
from touchback.model.frame import BodyHandle

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
    depth of the key front [m] is that of a `touch`, such as `Pressed()`; what it takes is the
    sensor "touch effort" [N m], about the balance point. `driven="finger"`: a spring and damper
    press the front towards the inputs "finger depth" [m] and "finger speed" [m/s] and never pull.
    `driven="press"`: a load cell, which gives by its "press stiffness" [N/m], is moved to the input
    "key travel" [m]; what it reads is the sensor "key force" [N].

    `reported` are the contacts whose gaps and forces are sensed: a live run that needs only the
    string's is the quicker for it.
    """
    spec = specification or Specification()
    m = Model("grand piano action")
    at = placements(spec.dimensions, spec.regulation)
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
        self._body("hammer", masses.shank, turned(lean, masses.shank_centre), masses.shank_moment)
        self._body("hammer head", screws.hammer_mass, (0.0, 0.0), masses.head_moment)
        self._body("key leads", screws.lead_mass, (0.0, 0.0), 0.0)
        centre = (-self.spec.dimensions.damper_head, 0.0)
        self._body("damper", screws.damper_mass, centre, masses.damper_moment)
        x, z = turned(lean, masses.head_centre)
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
        felt = Felt(stiffness, cloth.exponent, s.string_hysteresis)
        self._touch("string", crown, self._face("ground", string, z=higher), felt=felt)
        shank = at.hammer + turned(at.rest_angle, (d.rest_rail, 0.0))
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
        self, name: str, circle: Circle, face: Line, friction: Any = None, felt: Felt | None = None
    ) -> None:
        cloth: Cloth = getattr(self.spec.felts, name.replace(" ", "_"))
        felt = felt or Felt(cloth.stiffness, cloth.exponent, cloth.hysteresis)
        coefficient = cloth.friction if friction is None else friction
        slip = self.spec.felts.slip_speed
        contact = ProfileContact(circle, face, felt, friction=coefficient, slip_speed=slip)
        self.m.force(name, contact)

    def _circle(self, body: str, centre: Point, radius: float, z: Any = 0.0) -> Circle:
        return Circle(self.on(body, centre, z=z), radius)

    def _edge(self, body: str, at: Point, side: float = 1.0) -> Circle:
        """A rounded edge whose surface passes through a point, with material above (1) or below."""
        return self._circle(body, at + [0.0, side * _RADIUS], _RADIUS)

    def _face(
        self, body: str, face: Surface | Point, length: float | None = None, *, z: Any = 0.0,
        slide: Any = 0.0, turn: Any = 0.0,
    ) -> Line:  # fmt: skip
        """A face, level if only a point is given; screws shift it up by z, along its own normal by
        `slide`, and turn it."""
        surface = face if isinstance(face, Surface) else Surface(face, 0.0)
        n_x, n_z = map(float, surface.normal)
        lean = ("y", surface.lean + turn)
        return Line(self.on(body, surface.at, slide * n_x, z + slide * n_z, lean), length)

    def on(self, body: str, at: Point, x: Any = 0.0, z: Any = 0.0, turn: Any = None) -> Frame:
        """A frame of a body at a place of the resting action, shifted by x and z."""
        dx, dz = map(float, at - self.origins[body])
        return BodyHandle(body).at(dx + x, 0, dz + z, turn)


def _point(x: float, z: float) -> Point:
    return np.array([x, z])

"""The grand piano action with modes after Gillespie (1996, §3.5), on the geometry,
masses, screws and felts of the full-contact model.

Where the full-contact model has felt, this one has rigid contacts that are made and broken: capstan
and whippen, jack and knuckle, toe and let-off button, jack and its stop. They are constraints of
some modes (`MODES`), with friction. The string is met in an instant. Repetition lever,
backcheck, rails and damper are felts here, too, as Gillespie's springs k₂, k₃ and k₆ are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import touchback as tb
from touchback import (
    ContactForce,
    Energy,
    Expr,
    Frame,
    Gap,
    Model,
    Multiplier,
    Position,
    Readout,
    Signal,
    Velocity,
    cos,
    maximum,
    minimum,
    select,
    sin,
    sqrt,
)
from touchback.instruments.piano.action_specification import (
    Placements,
    Point,
    Specification,
    Surface,
    find_placements,
)
from touchback.instruments.piano.piano_action import (
    CONTACTS,
    Builder,
    Screws,
    Touch,
    add_drive,
    add_screws,
)
from touchback.model import Value

# ---- kinematics of the action in its plane, written in its angles --------------------------------

Pair = tuple[Any, Any]  # x and z, numbers or expressions


@dataclass(frozen=True)
class Hinge:
    """A joint at a place of the resting action [m]; its angle counts from x to z (1) or back."""

    joint: str
    at: Point
    sense: float


@dataclass(frozen=True)
class Round:
    """A round surface: a centre on a body, as it rests [m], shifted up by a screw, and a radius."""

    body: str
    centre: Point
    radius: float
    z: Any = 0.0


@dataclass(frozen=True)
class Flat:
    """A flat surface of a body, as it rests, shifted by screws: up, and along its own normal. With
    an `edge` it ends `edge` metres behind its point, in a corner."""

    body: str
    face: Surface
    z: Any = 0.0
    slide: Any = 0.0
    edge: float | None = None


@dataclass(frozen=True)
class SurfacePair:
    """A round surface over a flat one: distance [m]; `past`, how far the round one's middle is
    beyond the flat one's edge [m]; the normal, towards the round one, and its point that is nearest
    [m]; the speed with which the round surface slides over the other there [m/s]."""

    gap: Any
    past: Any
    normal: Pair
    touch: Pair
    slides: Any


class ActionPlane:
    """The plane of one action."""

    def __init__(self, m: Model, at: Placements) -> None:
        whippen = Hinge("whippen", at.whippen, -1.0)
        self.chains: dict[str, tuple[Hinge, ...]] = {  # the joint nearest to the body first
            "ground": (),
            "key": (Hinge("key", at.key, 1.0),),
            "whippen": (whippen,),
            "jack": (Hinge("jack", at.jack, 1.0), whippen),
            "hammer": (Hinge("hammer", at.hammer, 1.0),),
        }
        joints = {hinge.joint: hinge for chain in self.chains.values() for hinge in chain}
        self._turns = {
            name: (cos(m.coordinate(name)), hinge.sense * sin(m.coordinate(name)))
            for name, hinge in joints.items()
        }
        self._spins = {name: hinge.sense * m.rate(name) for name, hinge in joints.items()}

    def vector(self, body: str, given: Pair) -> Pair:
        """A vector of a body, given as it rests, in the present pose."""
        x, z = given
        for hinge in self.chains[body]:
            c, s = self._turns[hinge.joint]
            x, z = c * x - s * z, s * x + c * z
        return x, z

    def point(self, body: str, given: Pair) -> Pair:
        """A point of a body, given as it rests, in the present pose [m]."""
        return self._carried(self.chains[body], given)

    def _carried(self, chain: Sequence[Hinge], given: Pair) -> Pair:
        x, z = given
        for hinge in chain:
            c, s = self._turns[hinge.joint]
            pin_x, pin_z = map(float, hinge.at)
            x, z = x - pin_x, z - pin_z
            x, z = pin_x + c * x - s * z, pin_z + s * x + c * z
        return x, z

    def velocity(self, body: str, at: Pair) -> Pair:
        """The velocity of a body where it passes a place of the present pose [m/s]."""
        x, z = 0.0, 0.0
        chain = self.chains[body]
        for i, hinge in enumerate(chain):
            pin = self._carried(chain[i + 1 :], _pair(hinge.at))
            (dx, dz), spin = _minus(at, pin), self._spins[hinge.joint]
            x, z = x - spin * dz, z + spin * dx
        return x, z

    def meeting(self, first: Round, second: Flat) -> SurfacePair:
        """How a round surface is to a flat one."""
        x, z = map(float, first.centre)
        centre = self.point(first.body, (x, z + first.z))
        up = self.vector(second.body, _pair(second.face.normal))
        along = (up[1], -up[0])
        n_x, n_z = _pair(second.face.normal)
        x, z = _pair(second.face.at)
        middle = (x + second.slide * n_x, z + second.z + second.slide * n_z)
        apart = _minus(centre, self.point(second.body, middle))
        height = _dot(apart, up)
        if second.edge is None:
            normal, gap, past = up, height - first.radius, None
        else:
            past = _dot(apart, along) - second.edge
            above, beyond = maximum(height, 0.0), past > 0.0
            corner = sqrt(past * past + above * above)
            share = 1.0 / select(beyond, corner, 1.0)
            normal = (
                select(beyond, share * (past * along[0] + above * up[0]), up[0]),
                select(beyond, share * (past * along[1] + above * up[1]), up[1]),
            )
            gap = select(beyond, corner, height) - first.radius
        touch = _minus(centre, (first.radius * normal[0], first.radius * normal[1]))
        velocities = (self.velocity(body, touch) for body in (first.body, second.body))
        slides = _dot(_minus(*velocities), (normal[1], -normal[0]))
        return SurfacePair(gap, past, normal, touch, slides)


def _pair(point: Point) -> Pair:
    return float(point[0]), float(point[1])


def _minus(a: Pair, b: Pair) -> Pair:
    return a[0] - b[0], a[1] - b[1]


def _dot(a: Pair, b: Pair) -> Any:
    return a[0] * b[0] + a[1] * b[1]


# ---- rigid contacts ------------------------------------------------------------------------------

DOWN, FRONT = np.pi, -np.pi / 2  # lean of faces that look down or, from upright, to the front
RIGID = ("capstan", "jack", "button", "jack stop")
ROUNDED = 0.2e-3  # of the jack's top before its edge, over which the knuckle's friction ends [m]:


# rigid and rubbing, a corner that leans on the knuckle would wedge the light jack (Painlevé)


@dataclass(frozen=True)
class RigidContacts:
    """Where the rigid surfaces are to each other, by name, and the lever [m] by which the knuckle
    turns the jack: positive where it turns it out of its way."""

    meetings: dict[str, SurfacePair]
    turning: Expr


def add_rigid_contacts(
    m: Model, plane: ActionPlane, spec: Specification, at: Placements, s: Screws
) -> RigidContacts:
    """The constraints "capstan", "jack", "button" and "jack stop": gaps [m] of the surfaces that
    the full-contact model covers with felt, by the names and with the friction of those felts."""
    d = spec.dimensions
    middle = at.jack + d.jack_stop * at.jack_top.normal
    button = Surface(np.array([at.toe[0], at.button]), DOWN)
    stop = Surface(middle, at.jack_top.lean + FRONT)
    pairs = {
        "capstan": (
            Round("key", at.capstan, d.capstan_radius, s.capstan), Flat("whippen", at.heel)
        ),
        "jack": (
            Round("hammer", at.knuckle, d.knuckle_radius),
            Flat("jack", at.jack_top, edge=d.jack_back),
        ),
        "button": (Round("jack", at.toe, d.toe_radius), Flat("ground", button, s.button)),
        "jack stop": (Round("jack", middle, 0.0), Flat("whippen", stop, slide=s.jack_position)),
    }  # fmt: skip
    found = {name: plane.meeting(*pair) for name, pair in pairs.items()}
    felts = spec.felts
    over = minimum(maximum(-found["jack"].past / ROUNDED, 0.0), 1.0)
    frictions = {
        "capstan": s.capstan_friction, "jack": s.knuckle_friction * over,
        "button": felts.button.friction,
    }  # fmt: skip
    for name in RIGID:
        rubbing = {
            "friction": frictions[name], "slides": found[name].slides,
            "slip_speed": felts.slip_speed,
        } if name in frictions else {}  # fmt: skip
        m.constrain(name, found[name].gap, unit="m", **rubbing)
    knuckle = found["jack"]
    (x, z), (n_x, n_z) = knuckle.touch, knuckle.normal
    pin_x, pin_z = plane.point("whippen", (float(at.jack[0]), float(at.jack[1])))
    return RigidContacts(found, (z - pin_z) * n_x - (x - pin_x) * n_z)


# ---- sensors, by the names of the full-contact model ---------------------------------------------

READOUT = "action force"


def add_sensors_with_modes(
    m: Model, spec: Specification, crown: Frame, found: Mapping[str, SurfacePair]
) -> None:
    """As `add_sensors`, with multipliers for the forces of rigid contacts; besides, "energy" [J]
    and the readout "action force" [N]: what the action behind the capstan puts on the key front, in
    modes in which the capstan carries it."""
    for name in CONTACTS:
        if name in found:
            m.sensor(f"{name} gap", Signal(found[name].gap, "m"))
            m.sensor(f"{name} force", Multiplier(name))
        else:
            m.sensor(f"{name} gap", Gap(name))
            m.sensor(f"{name} force", ContactForce(name))
    front = spec.dimensions.key_front
    m.sensor("key depth", Signal(front * sin(m.coordinate("key")), "m"))
    m.sensor("key speed", Signal(front * m.rate("key"), "m/s"))
    m.sensor("hammer velocity", Velocity(crown))
    m.sensor("crown", Position(crown))
    m.sensor("jack overlap", Signal(-found["jack"].past, "m"))
    m.sensor(READOUT, Readout("N"))
    m.sensor("energy", Energy())


def action_load(m: Model, spec: Specification, capstan: SurfacePair) -> Expr:
    """What the whippen on the capstan puts on the key front [N]: its force, and its lever about the
    balance point."""
    (x, z), (n_x, n_z) = capstan.touch, capstan.normal
    lever = z * n_x - x * n_z
    return m.signal("capstan force") * lever / spec.dimensions.key_front


# Three questions tell the modes apart: does the capstan carry the whippen; is the jack at its stop,
# at the let-off button or at neither; is the hammer on the jack. With the capstan below the whippen
# four of the six answers are Gillespie's modes (1996, table 3.1, its sliders put right): A,
# acceleration: at the stop, hammer on it; B, let-off: at the button, hammer on it; C, catch: at the
# button, hammer free; D, reset: at the stop, hammer free. In the other two the jack swings between
# stop and button. Nothing says in which order they come: every answer changes where a gap closes or
# a force has vanished.

# ---- modes and transitions -----------------------------------------------------------------------

STOP, SWINGS, BUTTON = "stop", "swings", "button"
NAMES = {
    (STOP, True): "A acceleration",
    (BUTTON, True): "B let-off",
    (BUTTON, False): "C catch",
    (STOP, False): "D reset",
    (SWINGS, True): "E jack swings, loaded",
    (SWINGS, False): "F jack swings, free",
}
ALOFT = ", whippen aloft"
STRIKES = "hammer strikes string"
NAP = 1e-7  # surfaces that have parted meet again so much deeper [m]: no rattling below it
ROOM = 50e-6  # that a knuckle needs below it to rebound from the string at once [m]: a hammer that


# jack or lever hold up to the string would be thrown back and forth without end


@dataclass(frozen=True)
class ContactState:
    """What touches in a mode."""

    carried: bool  # the whippen by the capstan
    jack: str
    loaded: bool  # the jack by the hammer

    @property
    def name(self) -> str:
        return NAMES[self.jack, self.loaded] + ("" if self.carried else ALOFT)

    @property
    def constraints(self) -> list[str]:
        """Those that act."""
        names = {"capstan": self.carried, "jack": self.loaded}
        places = {"button": self.jack == BUTTON, "jack stop": self.jack == STOP}
        return [name for name, acts in {**names, **places}.items() if acts]


MODES = tuple(
    ContactState(carried, jack, loaded) for carried in (True, False) for jack, loaded in NAMES
)


@dataclass(frozen=True)
class ContactChange:
    """A cause, what it makes of the answers, and the contact whose gap closes or whose force
    vanishes. `turning` wants the knuckle to turn the jack out of its way (1) or in (−1)."""

    cause: str
    after: ContactState
    contact: str
    closes: bool
    turning: int = 0


def contact_changes(now: ContactState) -> Iterator[ContactChange]:
    """The ways out of a mode, from the hammer to the key: of forces that have vanished together
    the first one here counts, and the others may be there again without it."""
    if now.loaded:
        yield ContactChange("hammer leaves jack", replace(now, loaded=False), "jack", False)
    elif now.jack == BUTTON:  # which stops a jack that is pushed in, and can't hold one pushed out
        for jack, turning in ((BUTTON, -1), (SWINGS, 1)):
            after = replace(now, loaded=True, jack=jack)
            yield ContactChange("hammer meets jack", after, "jack", True, turning)
    else:
        yield ContactChange("hammer meets jack", replace(now, loaded=True), "jack", True)
    if now.jack == STOP:
        yield ContactChange("jack leaves stop", replace(now, jack=SWINGS), "jack stop", False)
    if now.jack == BUTTON:
        yield ContactChange("jack leaves button", replace(now, jack=SWINGS), "button", False)
    if now.jack != STOP:
        yield ContactChange("jack meets stop", replace(now, jack=STOP), "jack stop", True)
    if now.jack != BUTTON:
        yield ContactChange("toe meets button", replace(now, jack=BUTTON), "button", True)
    if now.carried:
        yield ContactChange("whippen leaves capstan", replace(now, carried=False), "capstan", False)
    else:
        yield ContactChange("whippen meets capstan", replace(now, carried=True), "capstan", True)


def add_modes(m: Model, contacts: RigidContacts, load: Expr) -> None:
    """The modes and transitions of an action with these rigid contacts; `load` [N] is read out
    where the capstan carries the whippen."""
    for mode in MODES:
        shown = {READOUT: load} if mode.carried else {}
        m.mode(mode.name, active=mode.constraints, readouts=shown)
    for mode in MODES:
        for change in contact_changes(mode):
            name = f"{change.cause}{_SIDES[change.turning]}; {mode.name}"
            when = _indicator(m, contacts, change)
            m.transition(name, mode.name, change.after.name, when)


_SIDES = {0: "", 1: " from behind", -1: " from above"}


def _indicator(m: Model, contacts: RigidContacts, change: ContactChange) -> Value:
    """What is positive until a change."""
    if not change.closes:
        return m.signal(f"{change.contact} force")
    left = contacts.meetings[change.contact].gap + NAP
    if not change.turning:
        return left
    return select(change.turning * contacts.turning > 0.0, left, 1.0)


def add_rigid_string(m: Model, gap: Expr, restitution: Expr) -> None:
    """A string that gives a free hammer back at once; one that jack or lever push, or are about to
    push, is met by felt."""
    m.constrain("rigid string", gap, unit="m")
    room = minimum(m.signal("jack gap"), m.signal("lever gap"))
    when = select(room > ROOM, gap + NAP, 1.0)
    for mode in MODES:
        if not mode.loaded:
            m.transition(
                f"{STRIKES}; {mode.name}", mode.name, mode.name, when,
                impact=["rigid string"], restitution=restitution,
            )  # fmt: skip


# ---- the action ----------------------------------------------------------------------------------

# Rigid contacts give nothing, so that three screws stand otherwise than over cloth:
CAPSTAN_SAG = -0.005e-3  # only cloth of back rail and lever gives: brings the blow to its value [m]
BUTTON_SAG = 0.165e-3  # the jack's corner lifts the knuckle on: brings the let-off to its value [m]
DEEPER = 0.19e-3  # the drop: quick presses of soft fingers would graze the string once more [m]
RESTITUTION = 0.42  # of hammer and string; felt gives 0.52 at 0.7 m/s and 0.32 at 3.5 m/s


def piano_action_with_modes(
    driven: str = "force",
    touch: Touch | None = None,
    specification: Specification | None = None,
    felt_string: bool = False,
) -> Model:
    """The action of one key with modes, driven as `grand_piano_action` is.

    A free hammer rebounds from the string at once, by the parameter "string restitution", as in
    Gillespie's simulator. With a `felt_string`, felt holds it for a millisecond or two, as in the
    full-contact model; so it does in either case where the jack pushes the hammer on."""
    spec = regulate_for_modes(specification or Specification())
    m = Model("grand piano action with modes")
    at = find_placements(spec.dimensions, spec.regulation)
    screws = add_screws(m, spec)
    builder = _Felts(m, spec, at, screws)
    builder.bodies()
    builder.joints()
    builder.contacts()
    plane = ActionPlane(m, at)
    contacts = add_rigid_contacts(m, plane, spec, at, screws)
    found = contacts.meetings
    add_sensors_with_modes(m, spec, builder.on("hammer", at.crown), found)
    add_modes(m, contacts, action_load(m, spec, found["capstan"]))
    if not felt_string:
        string = Surface(np.array([at.crown[0], at.string]), DOWN)
        crown = Round("hammer", at.crown, spec.dimensions.crown_radius)
        higher = screws.blow - spec.regulation.blow
        restitution = m.parameter("string restitution", RESTITUTION, min=0.0, max=1.0)
        add_rigid_string(m, plane.meeting(crown, Flat("ground", string, higher)).gap, restitution)
    add_drive(m, spec.dimensions.key_front, driven, touch)
    return m


def regulate_for_modes(given: Specification) -> Specification:
    """The specification with the three screws that rigid contacts need set otherwise."""
    ours = given.regulation
    screws = {"capstan_sag": CAPSTAN_SAG, "button_sag": BUTTON_SAG, "drop": ours.drop + DEEPER}
    return replace(given, regulation=replace(ours, **screws))


class _Felts(Builder):
    """Bodies, hinges and those felts that no rigid contact stands for."""

    def _touch(
        self,
        name: str,
        circle: tb.contact.Circle,
        face: tb.contact.Line,
        friction: Any = None,
        felt: tb.contact.Felt | None = None,
    ) -> None:
        if name not in RIGID:
            super()._touch(name, circle, face, friction, felt)

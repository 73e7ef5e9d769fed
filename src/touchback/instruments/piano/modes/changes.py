"""The modes of the action and what leads from one to another.

Three questions tell the modes apart: does the capstan carry the whippen; is the jack at its stop,
at the let-off button or at neither; is the hammer on the jack. With the capstan below the whippen
four of the six answers are Gillespie's modes (1996, table 3.1, its sliders put right): A,
acceleration: at the stop, hammer on it; B, let-off: at the button, hammer on it; C, catch: at the
button, hammer free; D, reset: at the stop, hammer free. In the other two the jack swings between
stop and button. Nothing says in which order they come: every answer changes where a gap closes or
a force has vanished.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from touchback import Expr, Model, minimum, select
from touchback.instruments.piano.modes.contacts import RigidContacts
from touchback.instruments.piano.modes.sensing import READOUT
from touchback.model.value import Value

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
class Answers:
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


MODES = tuple(Answers(carried, jack, loaded) for carried in (True, False) for jack, loaded in NAMES)


@dataclass(frozen=True)
class Change:
    """A cause, what it makes of the answers, and the contact whose gap closes or whose force
    vanishes. `turning` wants the knuckle to turn the jack out of its way (1) or in (−1)."""

    cause: str
    after: Answers
    contact: str
    closes: bool
    turning: int = 0


def changes(now: Answers) -> Iterator[Change]:
    """The ways out of a mode, from the hammer to the key: of forces that have vanished together
    the first one here counts, and the others may be there again without it."""
    if now.loaded:
        yield Change("hammer leaves jack", replace(now, loaded=False), "jack", False)
    elif now.jack == BUTTON:  # which stops a jack that is pushed in, and can't hold one pushed out
        for jack, turning in ((BUTTON, -1), (SWINGS, 1)):
            after = replace(now, loaded=True, jack=jack)
            yield Change("hammer meets jack", after, "jack", True, turning)
    else:
        yield Change("hammer meets jack", replace(now, loaded=True), "jack", True)
    if now.jack == STOP:
        yield Change("jack leaves stop", replace(now, jack=SWINGS), "jack stop", False)
    if now.jack == BUTTON:
        yield Change("jack leaves button", replace(now, jack=SWINGS), "button", False)
    if now.jack != STOP:
        yield Change("jack meets stop", replace(now, jack=STOP), "jack stop", True)
    if now.jack != BUTTON:
        yield Change("toe meets button", replace(now, jack=BUTTON), "button", True)
    if now.carried:
        yield Change("whippen leaves capstan", replace(now, carried=False), "capstan", False)
    else:
        yield Change("whippen meets capstan", replace(now, carried=True), "capstan", True)


def add_modes(m: Model, contacts: RigidContacts, load: Expr) -> None:
    """The modes and transitions of an action with these rigid contacts; `load` [N] is read out
    where the capstan carries the whippen."""
    for mode in MODES:
        shown = {READOUT: load} if mode.carried else {}
        m.mode(mode.name, active=mode.constraints, readouts=shown)
    for mode in MODES:
        for change in changes(mode):
            name = f"{change.cause}{_SIDES[change.turning]}; {mode.name}"
            when = _indicator(m, contacts, change)
            m.transition(name, mode.name, change.after.name, when)


_SIDES = {0: "", 1: " from behind", -1: " from above"}


def _indicator(m: Model, contacts: RigidContacts, change: Change) -> Value:
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

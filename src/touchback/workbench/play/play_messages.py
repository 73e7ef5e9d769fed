"""What play pages ask for, beside what every command server knows."""

from typing import Annotated, Literal

import msgspec

from touchback.realtime.control import Message
from touchback.realtime.control.control_messages import Name

Note = Annotated[int, msgspec.Meta(ge=0, le=127)]
Depth = Annotated[float, msgspec.Meta(ge=0.0, le=0.1)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Velocity = Annotated[int, msgspec.Meta(ge=1, le=127)]


class Board(Message, frozen=True):
    """Asks for everything that a piano page draws: keys, action, screws, instruments."""


class Press(Message, frozen=True):
    """Where a pointer wants the finger on a key: a depth [m]; 0 lets go."""

    note: Note
    depth: Depth


class Stroke(Message, frozen=True):
    """A finger sets out on a key at once and stays until it is lifted: with an effort from 0 to 1,
    or as a MIDI velocity asks."""

    note: Note
    effort: Share | None = None
    velocity: Velocity | None = None


class Lift(Message, frozen=True):
    """The finger leaves a key."""

    note: Note


class Pedal(Message, frozen=True):
    """How far a pedal is down, 0 to 1."""

    pedal: Literal["sustain pedal", "sostenuto pedal", "una corda pedal"]
    place: Share


class Instrument(Message, frozen=True):
    """What all keys feel and sound like."""

    name: Name


class Screw(Message, frozen=True):
    """A screw of the piano action, turned on all keys or on one; without a value it is put back as
    the key was made."""

    name: Name
    value: float | None = None
    note: Note | None = None


class Regulation(Message, frozen=True):
    """Asks for the text of a file with what was turned, for `touchback play --set`, and for the
    screws of a key, that in focus unless told."""

    note: Note | None = None


class Passage(Message, frozen=True):
    """Lets the scripted finger play, or stop."""

    play: bool = True


class Focus(Message, frozen=True):
    """The key whose action and force are shown."""

    note: Note


class Last(Message, frozen=True):
    """Asks for the last stroke of the key that is shown, as it was recorded."""


class Clock(Message, frozen=True):
    """Asks for the time of the server's monotonic clock, so that a page can tell latencies."""


class Strings(Message, frozen=True):
    """Asks for the modes of a note's string."""

    note: Note
    kind: Literal["struck", "una corda", "plucked", "blown"] = "struck"


class Visit(Message, frozen=True):
    """Opens a play page or a mechanism of the gallery on this server."""

    what: Name


class Zoo(Message, frozen=True):
    """Asks for what can be visited: play pages, and mechanisms with their three sentences."""


class About(Message, frozen=True):
    """Asks what the mechanism on the page says of itself."""


class Wall(Message, frozen=True):
    """Another controller, stiffness [N/m] or rate [1/s] of the virtual wall; what isn't given
    stays."""

    controller: Name | None = None
    stiffness: Annotated[float, msgspec.Meta(ge=10.0, le=1e6)] | None = None
    rate: Annotated[float, msgspec.Meta(ge=100.0, le=4000.0)] | None = None


class Push(Message, frozen=True):
    """Where the hand on the virtual wall's handle wishes to be [m]; the wall is below zero."""

    to: Annotated[float, msgspec.Meta(ge=-0.2, le=0.2)]


class Trial(Message, frozen=True):
    """Asks where the blind trial stands."""


class Again(Message, frozen=True):
    """Begins another session of a trial that is done, in a file of its own."""


class Onward(Message, frozen=True):
    """Goes on to the next touch of a trial with several."""


class Reply(Message, frozen=True):
    """What the person felt in a trial, by its number from 1 on; a second answer to one that is
    answered, as of a double click, changes nothing."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    trial: Annotated[int, msgspec.Meta(ge=1)]

"""What can be asked of a live run: a type for each message, JSON on the wire.

`{"do": "set", "name": "length", "value": 0.12}` is `Set("length", 0.12)`. A message says what it is
in its field "do"; an `id` of whoever asks comes back with the answer. Fields that a type doesn't
have, or of another kind, are refused when a message is read. Other rooms have types of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

LONGEST = 64 * 1024  # bytes of a message
_EXACT = 1 << 53  # up to which every reader of JSON counts

Name = Annotated[str, msgspec.Meta(max_length=200)]
Names = Annotated[tuple[Name, ...], msgspec.Meta(max_length=1000)]
Number = Annotated[int, msgspec.Meta(ge=-_EXACT, le=_EXACT)]
Id = Number | Annotated[str, msgspec.Meta(max_length=64)] | None
Facts = Mapping[str, object]
"""What an answer tells, by name: plain data."""


class Message(
    msgspec.Struct,
    tag=str.lower,
    tag_field="do",
    forbid_unknown_fields=True,
    frozen=True,
    kw_only=True,
):
    """What every message has. A type of message is a frozen subclass, its name what it does."""

    id: Id = None


class Set(Message, frozen=True):
    """An input or a live parameter, from the next tick on; a parameter along a `ramp` of so many
    seconds, if one is given."""

    name: Name
    value: float
    ramp: float | None = None


class Choose(Message, frozen=True):
    """Lets an alternative of a control act."""

    control: Name
    alternative: Name


class Switch(Message, frozen=True):
    """Lets constraints act or rest."""

    activate: Names = ()
    deactivate: Names = ()


class Pause(Message, frozen=True):
    """The model rests and outputs are safe, until `go`."""


class Go(Message, frozen=True):
    """Goes on after a pause."""


class Step(Message, frozen=True):
    """Single ticks of a paused run."""

    ticks: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class Speed(Message, frozen=True):
    """How fast the model's time goes: 1 is real time, 0.1 a tenth of it."""

    value: float


class Reset(Message, frozen=True):
    """Back to the state that the run started from; a model that its state holds goes on."""


class Resume(Message, frozen=True):
    """Clears faults that last."""


class Stop(Message, frozen=True):
    """Emergency stop: outputs safe and the model held, until `resume`."""


class Describe(Message, tag="what", frozen=True):
    """Asks for everything that is exposed; its word on the wire is "what"."""


class Read(Message, frozen=True):
    """Asks for outputs, states and energies of the last tick: those named, or all."""

    names: Names = ()


class Addressed(msgspec.Struct):
    """Of a message that can't be read otherwise: whose answer it waits for."""

    id: Id = None


class Answer(msgspec.Struct, frozen=True):
    """What came of a message: facts, or our words about why not."""

    id: Id
    ok: bool
    facts: Facts = msgspec.field(default_factory=dict)
    error: str = ""

    def as_dict(self) -> dict[str, object]:
        """As it goes over a wire: {"id", "ok", then the facts or "error"}."""
        told = self.facts if self.ok else {"error": self.error}
        return {"id": self.id, "ok": self.ok, **told}

    def encode(self) -> bytes:
        """The same as JSON."""
        return msgspec.json.encode(self.as_dict())

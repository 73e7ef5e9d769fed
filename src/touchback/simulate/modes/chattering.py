"""Chattering: transitions that crowd without end (Zeno), noticed and named."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from touchback.recording.transitions import TransitionRecord

CROWD = 64  # transitions
LONGEST, PART = 1e-4, 1e-5  # seconds, and part of a run


def instant(duration: float) -> float:
    """Seconds in which a crowd of transitions is chattering, where steps adapt: what switches every
    microsecond by nature is looked at for milliseconds, not for minutes."""
    return min(LONGEST, PART * duration)


class Chattering:
    """Watches transitions: `CROWD` of them within `span` seconds are too many."""

    def __init__(self, span: float) -> None:
        self.span = span
        self._recent: deque[TransitionRecord] = deque(maxlen=CROWD)

    def note(self, record: TransitionRecord) -> None:
        """One more."""
        self._recent.append(record)

    @property
    def found(self) -> bool:
        """Whether they crowd."""
        recent = self._recent
        return len(recent) == CROWD and recent[-1].time - recent[0].time <= self.span

    def calm(self) -> None:
        """What came before doesn't count any more."""
        self._recent.clear()

    def what(self) -> str:
        """Who alternates, how often, and within which time."""
        return described(list(self._recent))


def described(recent: Sequence[TransitionRecord]) -> str:
    """The modes that alternate, in words."""
    names = sorted({name for each in recent for name in (each.source, each.target)})
    span = recent[-1].time - recent[0].time
    causes = list(dict.fromkeys(each.cause for each in recent))
    if len(names) == 1:
        who = f"mode '{names[0]}' is left and entered again"
    else:
        who = f"modes {' and '.join(repr(name) for name in names)} alternate"
    by = " and ".join(repr(cause) for cause in causes)
    return f"{who} {len(recent)} times within {span:.2g} s, by {by}"


MEND = (
    "give the transition a `rest` mode that follows when nothing rebounds any more, or let the way "
    "back have another threshold than the way there"
)

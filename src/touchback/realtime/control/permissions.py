"""What a live run lets others do."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields

from touchback.errors import InputError
from touchback.model import Hand
from touchback.system import System

Allowed = bool | Collection[str]


"""Everything (True), nothing (False), or what is named."""


@dataclass(frozen=True)
class Exposed:
    """What the command server of a run lets through, each everything (True), a list of names or
    nothing.

    `inputs` and `parameters` by their names (a control by its own: who may choose among its
    alternatives); `hands` by the bodies that may be pulled (all of them, for a hand's own inputs);
    `structure` by what is to change: constraints, joints and controls that may be switched, edited
    and rewritten, and bodies for icons; `transport` by words: "pause", "go", "step", "speed",
    "reset", "resume", and for pages "record", "open" (a recording, for all to see), "seek" in it,
    "fork". Anybody may ask what there is, and stop."""

    inputs: Allowed = True
    parameters: Allowed = True
    hands: Allowed = True
    structure: Allowed = True
    transport: Allowed = True

    def __post_init__(self) -> None:
        for each in fields(self):
            given = getattr(self, each.name)
            if isinstance(given, bool):
                continue
            if isinstance(given, str) or not all(isinstance(name, str) for name in given):
                raise InputError(
                    f"Exposed: {each.name} is True, False or a list of names, got {given!r}."
                )
            object.__setattr__(self, each.name, tuple(given))

    def allows(self, kind: str, name: str) -> bool:
        """Whether a name of a kind ("inputs", …) is exposed."""
        allowed = getattr(self, kind)
        return allowed if isinstance(allowed, bool) else name in allowed

    def check(self, kind: str, name: str) -> None:
        """Refuses what isn't exposed."""
        if not self.allows(kind, name):
            raise InputError(
                f"'{name}' isn't among the {kind} that this run exposes; whoever started it "
                f"decides (Exposed(…, {kind}=…))."
            )


NOTHING = Exposed(inputs=False, parameters=False, hands=False, structure=False, transport=False)


"""Only looking, and the emergency stop."""


def of_a_hand(system: System, name: str) -> bool:
    """Whether an input or a parameter is one of a hand's, which all begin with its name."""
    if system.names:  # a row of copies, which no hand can hold
        return False
    forces = system.model.forces.items()
    return any(isinstance(force, Hand) and name.startswith(f"{hand} ") for hand, force in forces)


_REMEMBERED = 4096  # buckets; those that are full again are forgotten first


@dataclass(frozen=True)
class Rate:
    """So many messages a second in the long run, and so many at once. All clients together may ask
    four times as often as one, so that a hundred of them are no way around it."""

    per_second: float
    at_once: int

    def of_all(self) -> Rate:
        """For all clients together."""
        return Rate(4.0 * self.per_second, 4 * self.at_once)


@dataclass
class _Bucket:
    level: float
    since: float


class Rates:
    """The buckets of one command server. A bucket that is full again is as good as none: it is
    forgotten, so that whoever connects again and again fills no memory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._buckets: OrderedDict[tuple[str | None, str], _Bucket] = OrderedDict()

    def take(self, client: str, kind: str, rate: Rate) -> float:
        """A token for a message; gives 0.0, or without one how many seconds to wait."""
        with self._lock:
            now = self._clock()
            both = [
                (self._filled(client, kind, rate, now), rate),
                (self._filled(None, kind, rate.of_all(), now), rate.of_all()),
            ]
            short = max((1.0 - bucket.level) / each.per_second for bucket, each in both)
            if short <= 0.0:
                for bucket, _ in both:
                    bucket.level -= 1.0
            return max(short, 0.0)

    def _filled(self, client: str | None, kind: str, rate: Rate, now: float) -> _Bucket:
        key = client, kind
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(float(rate.at_once), now)
            self._forget()
        self._buckets.move_to_end(key)
        gained = rate.per_second * (now - bucket.since)
        bucket.level, bucket.since = min(bucket.level + gained, float(rate.at_once)), now
        return bucket

    def _forget(self) -> None:
        """The bucket that was asked least recently, which is likely full again."""
        while len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)

    def __len__(self) -> int:
        return len(self._buckets)

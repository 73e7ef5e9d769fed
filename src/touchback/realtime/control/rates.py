"""How often a client may ask: a token bucket for each client and kind of message."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

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
    """The buckets of one desk. A bucket that is full again is as good as none: it is forgotten, so
    that whoever connects again and again fills no memory."""

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

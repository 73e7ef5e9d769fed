"""What a motor makes of the force that is asked for."""

import math
from dataclasses import dataclass

from touchback.errors import InputError


@dataclass(frozen=True)
class Motor:
    """At most `limit` [N], in whole steps of `step` [N] (0: none), times `gain` (its constant over
    the one that is believed in)."""

    limit: float = math.inf
    gain: float = 1.0
    step: float = 0.0

    def __post_init__(self) -> None:
        if not (self.limit > 0.0 and self.gain > 0.0 and self.step >= 0.0):
            raise InputError(
                f"A motor's limit ({self.limit} N) and gain ({self.gain}) must be positive, its "
                f"step ({self.step} N) zero or more."
            )

    def force(self, asked: float) -> float:
        """What acts when this is asked for [N]."""
        given = min(max(asked, -self.limit), self.limit)
        if self.step:
            given = self.step * round(given / self.step)
        return self.gain * given


IDEAL_MOTOR = Motor()

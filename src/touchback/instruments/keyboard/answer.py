"""What a voice says to its key, and what a voice is."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback import Model
from touchback.instruments.keyboard.device import Sensed
from touchback.model.value import Value


@dataclass(frozen=True)
class Answer:
    """What a voice says at a tick: the force at the key front [N], upwards; whether the string (or
    pipe) is being sounded, how loudly (a hammer's speed [m/s], a plectrum's force [N]), and whether
    it may ring: 1, or less as far as a damper lies on it. `held`, where that isn't the same, says
    whether the key itself lets it ring."""

    force: Value
    sounding: Value
    loudness: Value
    ringing: Value
    held: Value | None = None

    @property
    def down(self) -> Value:
        """Whether the key is held."""
        return self.ringing if self.held is None else self.held


Voice = Callable[[Model, Sensed], Answer]

LEVERAGE = 5.0  # how much faster than a key front the hammer of a grand action is

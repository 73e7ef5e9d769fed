"""Which level comes next: the method of constant stimuli, and transformed up-down staircases.

A level is by how much the one touch differs from the others, in the unit of what is varied."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from touchback.errors import InputError
from touchback.numbers import check_fields

_LONGEST = 20_000  # trials of a session


@dataclass(frozen=True)
class NextStimulus:
    """The level of a trial, and which track it belongs to."""

    level: float
    track: int = 0


@dataclass(frozen=True)
class Constant:
    """The method of constant stimuli: every level `repeats` times, shuffled as one."""

    levels: tuple[float, ...]
    repeats: int = 20

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "levels", tuple(float(level) for level in self.levels))
        good = all(math.isfinite(level) and level > 0.0 for level in self.levels)
        if len(set(self.levels)) != len(self.levels) or len(self.levels) < 2 or not good:
            raise InputError(
                f"Constant: levels {list(self.levels)}; give two or more, each once, all above "
                "zero."
            )
        if not (isinstance(self.repeats, int) and 1 <= self.repeats * len(self.levels) <= _LONGEST):
            raise InputError(
                f"Constant: {self.repeats} repeats; each level comes once at least, and a session "
                f"has {_LONGEST} trials at most."
            )

    @property
    def most(self) -> int:
        """Trials of a session."""
        return len(self.levels) * self.repeats

    def next(self, answers: Sequence[tuple[int, bool]], seed: int) -> NextStimulus | None:
        """What comes after answers (track, right), or None at the end."""
        if len(answers) >= self.most:
            return None
        return NextStimulus(_shuffled(self.levels, self.repeats, seed)[len(answers)])


@lru_cache(8)
def _shuffled(levels: tuple[float, ...], repeats: int, seed: int) -> tuple[float, ...]:
    order = list(levels) * repeats
    random.Random(f"order {seed}").shuffle(order)
    return tuple(order)


@dataclass
class Track:
    """One staircase on its way: where it is, and at which levels it turned round."""

    place: int = 0
    streak: int = 0
    direction: int = 0
    answered: int = 0
    turns: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Staircase:
    """A transformed up-down staircase (Levitt 1971): `down` right answers in a row make the level
    smaller by a `factor`, one wrong answer makes it larger. It settles where a step down is as
    likely as one up, p^down = 1/2: 70.7 % right for 2, 79.4 % for 3. Steps are `coarse` ones at
    once until the track has turned round twice; it ends after `reversals`, or `limit` trials.
    Several `tracks` run side by side, by chance, so that nobody can follow one. None climbs above
    the `largest` level that there can be."""

    start: float
    down: int = 2
    factor: float = 1.25
    coarse: int = 3
    reversals: int = 12
    tracks: int = 2
    limit: int = 200
    largest: float = math.inf

    def __post_init__(self) -> None:
        check_fields(self)
        if not (math.isfinite(self.start) and self.start > 0.0):
            raise InputError(f"Staircase: it starts at {self.start}; levels are above zero.")
        if not self.start <= self.largest:
            raise InputError(
                f"Staircase: it starts at {self.start:g}, above the largest level that there can "
                f"be, {self.largest:g}; start lower."
            )
        if not (math.isfinite(self.factor) and 1.0 < self.factor <= 10.0):
            raise InputError(
                f"Staircase: steps by a factor of {self.factor:g}; give one above 1, 10 at most."
            )
        for name, least, most in (
            ("down", 1, 10), ("coarse", 1, 20), ("reversals", 4, 1000), ("tracks", 1, 10),
            ("limit", 10, _LONGEST // self.tracks if self.tracks > 0 else _LONGEST),
        ):  # fmt: skip
            value = getattr(self, name)
            if not (isinstance(value, int) and least <= value <= most):
                raise InputError(f"Staircase: {name} is {value}; give {least} to {most}.")

    @property
    def most(self) -> int:
        """Trials of a session, at most."""
        return self.tracks * self.limit

    @property
    def settles(self) -> float:
        """The share of right answers that it settles at."""
        return float(0.5 ** (1.0 / self.down))

    def level(self, place: int) -> float:
        """That of a place: the start, times a power of the factor."""
        return float(self.start * self.factor**place)

    def track_states(self, answers: Sequence[tuple[int, bool]]) -> list[Track]:
        """The tracks after answers (track, right)."""
        found = [Track() for _ in range(self.tracks)]
        for number, right in answers:
            self._step(found[number], right)
        return found

    def _step(self, track: Track, right: bool) -> None:
        track.answered += 1
        track.streak = track.streak + 1 if right else 0
        if right and track.streak < self.down:
            return
        direction = -1 if right else 1
        track.streak = 0
        if track.direction and direction != track.direction:
            track.turns.append(self.level(track.place))
        track.direction = direction
        track.place += direction * (self.coarse if len(track.turns) < 2 else 1)
        track.place = min(max(track.place, -self._far), self._highest)

    @property
    def _highest(self) -> int:
        if math.isinf(self.largest):
            return self._far
        steps = math.floor(math.log(self.largest / self.start) / math.log(self.factor) + 1e-9)
        return min(self._far, steps)

    @property
    def _far(self) -> int:
        """Places from the start, beyond which nothing is tried: a thousandfold."""
        return math.ceil(3.0 / math.log10(self.factor))

    def next(self, answers: Sequence[tuple[int, bool]], seed: int) -> NextStimulus | None:
        """What comes after answers (track, right), or None at the end."""
        found = self.track_states(answers)
        open_ = [
            i
            for i, track in enumerate(found)
            if len(track.turns) < self.reversals and track.answered < self.limit
        ]
        if not open_:
            return None
        chosen = random.Random(f"track {seed} {len(answers)}").choice(open_)
        return NextStimulus(self.level(found[chosen].place), chosen)

    def middle(self, answers: Sequence[tuple[int, bool]]) -> float:
        """The geometric mean of the levels at which tracks turned round, the first two or three of
        each left out so that as many lie above as below; NaN where there are none."""
        logs = []
        for track in self.track_states(answers):
            turns = track.turns[2 + len(track.turns) % 2 :]
            logs += [math.log(level) for level in turns]
        return math.exp(sum(logs) / len(logs)) if logs else math.nan


Method = Constant | Staircase

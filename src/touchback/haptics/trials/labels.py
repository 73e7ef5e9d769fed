"""What trials are called in front of a person."""

import random
from functools import lru_cache

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


@lru_cache(8)
def fresh_labels(count: int, seed: int | None) -> tuple[str, ...]:
    """A name for each of so many trials, such as "K3": each comes once, so that none reminds of
    what was felt under it before, and their order tells nothing."""
    numbers = range(1, 2 + 2 * count // len(_LETTERS))
    names = [f"{letter}{number}" for number in numbers for letter in _LETTERS]
    return tuple(random.Random(f"labels {seed}").sample(names, count))

"""How long the fixed steps of generated programs may be."""

from touchback.numbers import LEAST, number_within

_LONGEST = 1.0  # [s]


def checked_step(kind: str, step: float) -> float:
    """A step of what is generated [s]."""
    return number_within(f"{kind}: step is in seconds", step, LEAST, _LONGEST)

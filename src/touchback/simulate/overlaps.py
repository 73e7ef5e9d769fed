"""What to say of rigid contacts that overlap where a run begins."""

from collections.abc import Iterable

TOUCHING = 1e-9  # m: deeper is an overlap


def overlaps(names: Iterable[str], gaps: Iterable[float], outcome: str) -> list[str]:
    """A remark for each contact that overlaps at the start: which, how deep, what becomes of it."""
    return [
        f"At the start contact '{name}' overlaps by {-gap:.3g} m; {outcome}"
        for name, gap in zip(names, gaps, strict=True)
        if gap < -TOUCHING
    ]

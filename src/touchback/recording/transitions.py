"""Changes of mode that a run met."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from touchback.recording.plain_data import checked


@dataclass(frozen=True)
class TransitionRecord:
    """A change of mode: its time [s], the mode before and the one after, the transition that caused
    it, and by how much the energy jumped [J] (negative: it was lost). `error` is that of locating
    it, as a multiple of the run's tolerances; None with fixed steps."""

    time: float
    source: str
    target: str
    cause: str
    energy: float
    error: float | None = None

    def as_data(self) -> dict[str, object]:
        """Plain data, for a run's description."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: object) -> TransitionRecord:
        """The record from plain data."""
        return checked(data, cls, "A change of mode of the run", strict=False)

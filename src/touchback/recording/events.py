"""Events that a run met."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from touchback.recording.plain_data import checked


@dataclass(frozen=True)
class EventRecord:
    """What happened when: the event's name, its time [s], +1 rising or −1 falling, and the state by
    name at it; where the state jumped there, also the state `after`.

    `error` compares the dense output, on which the event was located, with the state, which the
    method's own step to that time gave: as a multiple of the run's tolerances."""

    name: str
    time: float
    direction: int
    state: dict[str, float]
    error: float
    after: dict[str, float] | None = None

    def as_data(self) -> dict[str, object]:
        """Plain data, for a run's description."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: object) -> EventRecord:
        """The record from plain data."""
        return checked(data, cls, "An event of the run", strict=False)

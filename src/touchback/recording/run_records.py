"""Records of a run: energy balance (work in = stored + dissipated + impacts), events,
transitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from touchback.json_validation import checked

Lines = Mapping[str, float]


@dataclass(frozen=True)
class EnergyBalance:
    """Where the energy of a whole run came from and went to [J], line by line.

    `work` that came in by inputs, drives, what follows the time, and a moving ground. Change of the
    energy `stored` as kinetic energy, in gravity and in springs. Energy `dissipated`: what forces
    took beyond what their potentials explain (negative: gave). Energy lost in `impacts`, switches
    and restarts. What the balance leaves is the error of the integrator.
    """

    work: Lines = field(default_factory=dict)
    stored: Lines = field(default_factory=dict)
    dissipated: Lines = field(default_factory=dict)
    impacts: Lines = field(default_factory=dict)

    def total(self, section: str) -> float:
        """The sum of a section, "work", "stored", "dissipated" or "impacts" [J]."""
        return float(sum(getattr(self, section).values()))

    @property
    def residual(self) -> float:
        """Work in less all that it became: the error of the method [J]."""
        return (
            self.total("work")
            - self.total("stored")
            - self.total("dissipated")
            - self.total("impacts")
        )

    @property
    def turnover(self) -> float:
        """The largest amount in the balance: what `residual` is to be compared with."""
        sections = (self.work, self.stored, self.dissipated, self.impacts)
        return max((abs(joules) for lines in sections for joules in lines.values()), default=0.0)

    def as_data(self) -> dict[str, dict[str, float]]:
        """Plain data, for a run's description."""
        return {section: dict(lines) for section, lines in asdict(self).items()}

    @classmethod
    def from_data(cls, data: object) -> EnergyBalance:
        """The balance from plain data."""
        return checked(data, cls, "The run's energy balance", strict=False)

    @classmethod
    def joined(cls, balances: Iterable[EnergyBalance]) -> EnergyBalance:
        """The balance of runs that follow each other."""
        sums: dict[str, dict[str, float]] = {}
        for each in balances:
            for section, lines in each.as_data().items():
                total = sums.setdefault(section, {})
                for name, joules in lines.items():
                    total[name] = total.get(name, 0.0) + joules
        return cls(**sums)

    def __str__(self) -> str:
        titles = {"work": "work in", "stored": "stored", "dissipated": "dissipated",
                  "impacts": "impacts"}  # fmt: skip
        rows: list[tuple[str, float]] = []
        for section, title in titles.items():
            lines = getattr(self, section)
            rows.append((title, self.total(section)))
            rows += [(f"  {name}", joules) for name, joules in lines.items()]
        rows.append(("residual", self.residual))
        width = max(14, *(len(name) for name, _ in rows))
        return "\n".join(f"{name:<{width}} {joules:>+14.6e} J" for name, joules in rows)


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

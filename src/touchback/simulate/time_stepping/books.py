"""Energy books of a run with contacts: work in = stored + friction + impacts."""

from dataclasses import dataclass

from touchback.recording import Run


@dataclass(frozen=True)
class EnergyBooks:
    """Work of forces that store no energy (drives positive, dampers negative), change of stored
    energy, losses by friction and by impacts over a whole run [J]."""

    work: float
    stored: float
    friction: float
    impacts: float

    @property
    def open(self) -> float:
        """What the books don't explain: the error of the method."""
        return self.work - self.stored - self.friction - self.impacts

    def __str__(self) -> str:
        rows = [
            ("work in", self.work), ("stored", self.stored), ("friction", self.friction),
            ("impacts", self.impacts), ("unexplained", self.open),
        ]  # fmt: skip
        return "\n".join(f"{name:<12} {joules:>+14.6e} J" for name, joules in rows)


def energy_books(run: Run) -> EnergyBooks:
    """The books of a run by `step_contacts`."""
    energy = run["energy"]
    return EnergyBooks(
        float(run["work"][-1]),
        float(energy[-1] - energy[0]),
        float(run["friction loss"][-1]),
        float(run["impact loss"][-1]),
    )

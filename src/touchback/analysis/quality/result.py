"""What the laboratory hands back: rows, limits, and the ways to read them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.analysis.quality.export import save
from touchback.analysis.quality.picture import draw
from touchback.analysis.quality.recommendation import Demand, Recommendation, recommend
from touchback.analysis.quality.row import Limit, Row
from touchback.analysis.quality.table import table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


@dataclass(frozen=True)
class Quality:
    """The measures of one mechanism.

    rows         one a setting, by candidate, coarse settings first
    limits       largest bounded step of each fixed-step candidate, by its label
    uncertainty  of the reference [m, rad]; errors below it can't be told apart
    conserved    whether energy is a measure at all; `losses` names what spoils it
    """

    model: str
    duration: float
    constrained: bool
    rows: tuple[Row, ...]
    limits: Mapping[str, Limit]
    uncertainty: float
    conserved: bool
    losses: tuple[str, ...]
    time_limit: float

    @property
    def labels(self) -> list[str]:
        """The candidates in order."""
        return list(dict.fromkeys(row.candidate.label for row in self.rows))

    def of(self, label: str) -> list[Row]:
        """The rows of one candidate, as "partitioning rk4"."""
        return [row for row in self.rows if row.candidate.label == label]

    def recommend(self, demand: Demand | None = None) -> Recommendation:
        """What to use for a demand."""
        return recommend(self, demand or Demand())

    @property
    def recommendation(self) -> str:
        """What to use for the usual demand (1 kHz, error 1e-6, |h| 1e-10), in words."""
        return self.recommend().text

    def table(self) -> Table:
        """The rows, for a terminal."""
        return table_of(self)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Work against precision, and drift (without constraints: energy or error) against step."""
        return draw(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Everything as .json, or the rows as .csv."""
        save(self, path)

    def __str__(self) -> str:
        return f"{self.model}, {self.duration:g} s\n{self.recommendation}"

"""Agreement tables: each published case compares by name, prints what it found, and asserts it."""

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike


@dataclass
class Row:
    """One quantity: the largest published number, how far ours is off, and how far it may be."""

    quantity: str
    largest: float
    difference: float
    allowed: float


@dataclass
class Agreement:
    """The table of one case."""

    case: str
    rows: list[Row] = field(default_factory=list)

    def compare(self, quantity: str, ours: ArrayLike, published: ArrayLike, within: float) -> None:
        """Note the largest difference and refuse one above `within` (in the quantity's unit)."""
        found, expected = np.asarray(ours, dtype=float), np.asarray(published, dtype=float)
        difference = float(np.abs(found - expected).max())
        largest = float(np.abs(expected).max())
        self.rows.append(Row(quantity, largest, difference, float(within)))
        assert difference <= within, f"{self.case}, {quantity}: {difference:.3g} off"

    def __str__(self) -> str:
        head = f"\n{self.case}\n{'quantity':<28} {'largest':>11} {'difference':>11} {'allowed':>9}"
        rows = [
            f"{row.quantity:<28} {row.largest:>11.5g} {row.difference:>11.2e} {row.allowed:>9.1e}"
            for row in self.rows
        ]
        return "\n".join([head, *rows])


@pytest.fixture
def agreement(request: pytest.FixtureRequest) -> Iterator[Agreement]:
    """A table that is printed (`pytest -s`) and travels with the test's report."""
    table = Agreement(request.node.name.removeprefix("test_").replace("_", " "))
    yield table
    print(table)
    module = request.node.module
    request.node.user_properties.append(("agreement", {"about": module.__doc__, **asdict(table)}))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Every case has what it needs in the repository: one that is skipped has failed."""
    report = yield
    if report.skipped and item.path.is_relative_to(Path(__file__).parent):
        report.outcome, report.longrepr = "failed", f"Skipped: {report.longrepr}"
    return report

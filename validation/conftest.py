"""Agreement tables: each published case compares by name, prints what it found, and asserts it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"


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


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of published data, which is not part of the project."""
    if not REFERENCE.is_dir():
        pytest.skip("the folder ../shared/reference with published data is not here")
    return REFERENCE

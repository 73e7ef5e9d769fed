"""Growth tests see work of a higher power, however little, and nothing else."""

import itertools
from collections.abc import Callable

import pytest

import growth
from growth import assert_linear

LONGEST = 1 << 12
SLOW: dict[str, Callable[[float], float]] = {  # seconds at a length from 0 to 1, the longest
    "a square": lambda n: 0.04 * n**2,
    "a small square": lambda n: 0.004 * n**2,
    "a square beside as much in proportion": lambda n: 0.005 * (n + n**2),
    "a cube beside half as much in proportion": lambda n: 0.01 * (n + 2 * n**3),
    "a square from some length on": lambda n: 0.01 * (n if n < 0.6 else 40 * n**2),
    "a power of 1.5": lambda n: 0.01 * n**1.5,
}
FAST: dict[str, Callable[[float], float]] = {
    "nothing": lambda n: 0.0,
    "in proportion": lambda n: 0.01 * n,
    "a cache that is outgrown": lambda n: 0.004 * n * (1.0 if n < 0.6 else 1.3),
    "a square that hangs nobody": lambda n: 0.001 * n**2,
    "a beginning": lambda n: 0.004 + 0.004 * n,
    "two caches that are outgrown": lambda n: 0.004 * n * (1 + 0.2 * (n > 0.3) + 0.3 * (n > 0.6)),
}


@pytest.fixture
def spend(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock of the processor which readings move, and other programs by up to a tenth more."""
    spent, noise = [0.0], itertools.cycle((1.1, 1.0, 1.04, 1.0, 1.07, 1.02, 1.0))

    def spend(seconds: float) -> None:
        spent[0] += seconds * next(noise)

    monkeypatch.setattr(growth.time, "thread_time", lambda: spent[0])
    return spend


@pytest.mark.parametrize("what", SLOW)
def test_what_grows_faster_than_in_proportion_fails(
    what: str, spend: Callable[[float], None]
) -> None:
    with pytest.raises(AssertionError, match="times as long"):
        assert_linear(lambda n: spend(SLOW[what](n / LONGEST)), int, LONGEST)


@pytest.mark.parametrize("what", FAST)
def test_what_grows_in_proportion_passes(what: str, spend: Callable[[float], None]) -> None:
    assert_linear(lambda n: spend(FAST[what](n / LONGEST)), int, LONGEST)


def test_a_search_through_a_list_for_each_of_its_names_fails() -> None:
    def read(names: list[str]) -> object:
        return [name for k, name in enumerate(names) if name in names[:k]]

    with pytest.raises(AssertionError, match="times as long"):
        assert_linear(read, lambda n: [f"{k:x}" for k in range(n)], 1 << 12, 64)

"""What holds for every test."""

import pytest


@pytest.fixture(autouse=True)
def nothing_is_kept_between_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is emitted anew: no cache in somebody's home folder decides a test."""
    monkeypatch.setenv("TOUCHBACK_CACHE", "off")

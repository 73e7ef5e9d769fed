"""What holds for every test."""

import os

import pytest
from hypothesis import settings

# A landing is judged on the same examples every time; at a desk each run looks for new ones.
settings.register_profile("landing", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("landing")


@pytest.fixture(autouse=True)
def nothing_is_kept_between_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is emitted anew: no cache in somebody's home folder decides a test."""
    monkeypatch.setenv("TOUCHBACK_CACHE", "off")

"""A pytest plugin for a round of the search: an order of its own, notes on each test, an end."""

import json
import os
import random
import time
from pathlib import Path

import pytest

NOTES = Path(os.environ["TOUCHBACK_SEARCH_NOTES"])
UNTIL = float(os.environ["TOUCHBACK_SEARCH_UNTIL"])


def note(**what: object) -> None:
    """Adds a line that survives the process, should a test bring it down."""
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffles by the seed: a search that ends amid a round has not always left out the same."""
    random.Random(config.getoption("--hypothesis-seed")).shuffle(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    note(what="collected", count=len(session.items))


def pytest_runtest_logstart(nodeid: str) -> None:
    note(what="began", test=nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        note(what="failed", test=report.nodeid, failed=True, text=report.longreprtext)


def pytest_runtest_protocol(item: pytest.Item) -> None:
    if time.time() > UNTIL:
        item.session.shouldstop = "time is up"


def pytest_runtest_logfinish(nodeid: str) -> None:
    note(what="ended", test=nodeid)

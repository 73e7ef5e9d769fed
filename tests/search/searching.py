"""A pytest plugin for a round of the search: an order of its own, notes on each test, an end."""

import json
import os
import random
import time
from pathlib import Path

import pytest

NOTES = Path(os.environ["TOUCHBACK_SEARCH_NOTES"])
UNTIL = float(os.environ["TOUCHBACK_SEARCH_UNTIL"])
LEFT_OUT = set(os.environ["TOUCHBACK_SEARCH_LEFT_OUT"].splitlines())
ADDRESSES: dict[str, str] = {}  # node id → what to tell pytest in the folder of the search


def note(**what: object) -> None:
    """Adds a line that survives the process, should a test bring it down."""
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


def address(item: pytest.Item) -> str:
    """The test as pytest takes it in this folder. Node ids are relative to a root that pytest
    chooses, which is another folder where clone and tests lie beside one another."""
    path = item.path
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"{path}::{item.nodeid.partition('::')[2]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what failed before, and shuffles by the seed: a search that ends amid a round has
    not always left out the same."""
    ADDRESSES.update({item.nodeid: address(item) for item in items})
    failed = [item for item in items if ADDRESSES[item.nodeid] in LEFT_OUT]
    config.hook.pytest_deselected(items=failed)
    items[:] = [item for item in items if item not in failed]
    random.Random(config.getoption("--hypothesis-seed")).shuffle(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    note(what="collected", count=len(session.items))


def pytest_runtest_logstart(nodeid: str) -> None:
    note(what="began", test=ADDRESSES[nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        note(what="failed", test=ADDRESSES[report.nodeid], failed=True, text=report.longreprtext)


def pytest_runtest_protocol(item: pytest.Item) -> None:
    if time.time() > UNTIL:
        item.session.shouldstop = "time is up"


def pytest_runtest_logfinish(nodeid: str) -> None:
    note(what="ended", test=ADDRESSES[nodeid])

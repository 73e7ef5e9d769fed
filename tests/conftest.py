"""What holds for every test."""

import gc
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# `make test` judges every copy of a change on the same examples, whatever the machine is doing:
# nothing is drawn by chance, nothing is remembered from earlier runs, and no clock decides.
# `make search` is for finding new examples, so it draws more, from the seed it is given.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", derandomize=True, max_examples=30, **PATIENT)
settings.register_profile(
    "search", derandomize=False, database=None, print_blob=True, max_examples=150, **PATIENT
)
settings.load_profile("fixed")

# Hypothesis also draws numbers that it finds in the modules imported so far. They depend on which
# tests ran before in the process, so that neither examples nor seeds would mean the same twice.
NOTHING_FOUND = providers.Constants()
providers._get_local_constants = lambda: NOTHING_FOUND


# Rooms whose tests run beside a clock, a page, a line or a process of their own: a machine that
# stands still for a second can make them miss what they wait for. They are looked at twice, the
# second time after a breath, and the summary names those that needed it. Mechanics, equations and
# numbers have one look.
AGAINST_A_CLOCK = {
    "batch", "cli", "devices", "firmware", "gallery", "haptics", "instruments", "planning",
    "realtime", "recording", "ros2", "sweeps", "workbench",
}  # fmt: skip
TESTS = Path(__file__).parent


def pytest_configure() -> None:
    """A shell in the background, or nohup, lets SIGINT and SIGHUP be ignored, and children inherit
    that; tests of signals, and the processes that they start, need the usual handling."""
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a browser are run by themselves: its event loop and its weight leave room for no
    others."""
    for item in items:
        if AGAINST_A_CLOCK.intersection(item.path.parts[len(TESTS.parts) : -1]):
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=2))
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays: the collector need not look at it again and again
    while they run, nor after every few hundred nodes of a derivation, a tenth of its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(autouse=True)
def nothing_is_kept_between_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code is emitted anew: no cache in somebody's home folder decides a test."""
    monkeypatch.setenv("TOUCHBACK_CACHE", "off")


# Taken away: tests start pytest, too, and what fails there is none of `make test`'s.
_FAILED_TESTS = os.environ.pop("TOUCHBACK_FAILED_TESTS", None)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Notes what failed where `make test` lists it at its end; workers leave it to their master."""
    file = _FAILED_TESTS
    reports = [r for kind in ("failed", "error") for r in terminalreporter.stats.get(kind, ())]
    if file and reports and not hasattr(config, "workerinput"):
        with open(file, "a", encoding="utf-8") as failed:
            failed.writelines(f"{report.nodeid}\n" for report in reports)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected outputs in tests/golden"
    )


@pytest.fixture
def matches_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """A check that a text equals the golden file of that name, or its update."""

    def check(text: str, name: str) -> None:
        file = TESTS / "golden" / name
        if request.config.getoption("--update-golden", default=False):
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), (
            f"{name}: run with --update-golden if meant"
        )

    return check

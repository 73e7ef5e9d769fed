"""Golden files, which `--update-golden` rewrites, and the program that they show."""

from collections.abc import Callable
from pathlib import Path

import pytest

from touchback.symbolic import Program, Table, Tape, lower

TESTS = Path(__file__).parents[2]


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


@pytest.fixture
def pendulum() -> Program:
    """A pendulum's q̇ and v̇ = −(g/l) sin q − friction(v) + u, and its energy; p = (l, g)."""
    tape = Tape()
    q, v, torque, length, g = (tape.symbol(name) for name in ("q", "v", "torque", "length", "g"))
    friction = tape.lookup(Table(x=(-1.0, 0.0, 1.0), values=(-0.5, 0.0, 0.5)), v)
    s, c = tape.sincos(q)
    a = tape.sub(tape.sub(torque, tape.mul(tape.div(g, length), s)), friction)
    height = tape.mul(length, tape.sub(1, c))
    energy = tape.add(tape.mul(g, height), tape.mul(tape.const(0.5), tape.mul(v, v)))
    stopped = tape.select(tape.less(torque, v), a, -a)
    places = {q: ("x", 0), v: ("x", 1), torque: ("u", 0), length: ("p", 0), g: ("p", 1)}
    return lower(tape, [v, stopped, -energy], places)

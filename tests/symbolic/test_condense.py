"""Trigonometric condensation, with the printed example of its source."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchback.symbolic import Operators, Tape, condense, parse, replay


def robotran_names(tape: Tape) -> dict[str, int]:
    """C2, S56 …: cosine and sine of coordinates and of sums of them, as ROBOTRAN prints them."""
    q = {i: tape.symbol(f"q{i}") for i in range(1, 9)}
    names = {}
    for digits in ("2", "4", "56", "8", "24"):
        angle = 0
        for digit in digits:
            angle = tape.add(angle, q[int(digit)])
        names[f"S{digits}"], names[f"C{digits}"] = tape.sincos(angle)
    return names


def test_the_printed_example_comes_out_exactly() -> None:
    """Docquier 2021, the example of trigonometric simplification after eq. 14."""
    tape = Tape()
    find = robotran_names(tape).__getitem__
    written = parse(
        "C2*C4*C56*C56*S8 + C2*C4*S56*S56*S8 + C2*S4*S56*C8"
        "+ S2*C4*S56*C8 - S2*S4*C56*C56*S8 - S2*S4*S56*S56*S8",
        tape,
        find,
    )
    assert condense(tape, written) == parse("C24*S8 + S24*S56*C8", tape, find)


@pytest.mark.parametrize(
    "text, shorter",
    [
        ("cos(a) * cos(b) - sin(a) * sin(b)", "cos(a + b)"),
        ("cos(a) * cos(b) + sin(a) * sin(b)", "cos(a - b)"),
        ("sin(a) * cos(b) + cos(a) * sin(b)", "sin(a + b)"),
        ("sin(a) * cos(b) - cos(a) * sin(b)", "sin(a - b)"),
        ("cos(a) * sin(b) - sin(a) * cos(b)", "sin(b - a)"),
        ("-cos(a) * cos(b) + sin(a) * sin(b)", "-cos(a + b)"),
        ("sin(a + b) * cos(b) - cos(a + b) * sin(b)", "sin(a)"),
        ("m * cos(a) ** 2 + m * sin(a) ** 2", "m"),
        ("2 * m * (cos(a) * cos(b) - sin(a) * sin(b)) * r", "2 * (m * r * cos(a + b))"),
        ("cos(a + b) * cos(c) - (sin(a) * cos(b) + cos(a) * sin(b)) * sin(c)", "cos(a + b + c)"),
        ("sin(a + 1) * cos(a) - cos(a + 1) * sin(a)", "sin(1)"),
        ("cos(a) ** 2 + sin(a) ** 2 - 1", "0"),
    ],
)  # fmt: skip
def test_identities_contract(text: str, shorter: str) -> None:
    tape = Tape()
    for name in "mrabc":
        tape.symbol(name)
    condensed = condense(tape, parse(text, tape, tape.symbol))
    assert condensed == parse(shorter, tape, tape.symbol)


@pytest.mark.parametrize(
    "text",
    [
        "a * b + c",
        "(a + b) * (c + d)",
        "cos(a) * cos(b) - 2 * sin(a) * sin(b)",
        "sin(a) * cos(b)",
        "3",
        "a",
        "sqrt(a * a + b)",
    ],
)
def test_what_gets_no_shorter_stays_as_it_is(text: str) -> None:
    tape = Tape()
    node = parse(text, tape, tape.symbol)
    assert condense(tape, node) == node


def test_a_product_with_too_many_terms_stays_as_it_is() -> None:
    tape = Tape()
    node = 1
    for i in range(10):
        node = tape.mul(node, tape.add(tape.symbol(f"a{i}"), tape.symbol(f"b{i}")))
    assert condense(tape, node) == node


@given(st.integers(0, 10**6))
def test_condensation_changes_no_value(seed: int) -> None:
    random = Random(seed)
    tape = Tape()
    angles = [tape.symbol(f"q{i}") for i in range(3)]
    factors = [f for angle in angles for f in tape.sincos(angle)] + [
        tape.symbol("m"),
        tape.const(0.5),
    ]
    total = 0
    for _ in range(random.randint(1, 8)):
        term = 1
        for _ in range(random.randint(1, 5)):
            term = tape.mul(term, random.choice(factors))
        total = tape.add(total, random.choice((1, -1)) * term)
    total = tape.mul(total, tape.add(random.choice(factors), random.choice(factors)))
    point = {name: random.uniform(-3.0, 3.0) for name in tape.symbols}
    before, after = replay(tape, [total, condense(tape, total)], Operators(), point)
    # At most 80 terms, each of at most 3^6 in size, rounded to 1e-16 of it.
    assert after == pytest.approx(before, rel=1e-12, abs=80 * 3.0**6 * 1e-15)
    assert math.isfinite(before)

"""The parser of expressions: Python's precedences, errors that point, and no surprises."""

import ast
import math

import pytest
from hypothesis import example, given, strategies as st

from random_programs import GRID, LINE
from touchback.errors import ModelError
from touchback.symbolic import Operators, Tape, parse
from touchback.symbolic.expression_parser import DEEPEST, LONGEST

TABLES = {"a line": LINE, "grid": GRID}
VALUES = {"a": 1.3, "b": -0.7, "c": 2.9, "crank radius": 0.1}


def number(text: str) -> float:
    return float(parse(text, Operators(), VALUES.__getitem__, TABLES.__getitem__))


def complaint(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        number(text)
    return str(caught.value)


OPERANDS = st.sampled_from(["a", "b", "c", "2.5", "3", "-a", "(b)", "-(c)"])
SIGNS = st.sampled_from(["+", "-", "*", "/", " - ", "**"])


@example([("3", "**")] * 6, "3")  # would take Python's whole numbers longer than there is time
@given(st.lists(st.tuples(OPERANDS, SIGNS), min_size=1, max_size=6), OPERANDS)
def test_arithmetic_means_what_it_means_in_python(parts: list[tuple[str, str]], last: str) -> None:
    text = "".join(operand + sign for operand, sign in parts) + last
    in_floats = text.replace("3", "3.0")
    try:
        expected = eval(compile(ast.parse(in_floats, mode="eval"), "", "eval"), dict(VALUES))
    except (OverflowError, ZeroDivisionError):
        return
    if isinstance(expected, float) and math.isfinite(expected):  # powers of negatives are complex
        assert number(text) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a < c", 1.0),
        ("a >= c", 0.0),
        ("a + 1 <= c - 0.6", 1.0),
        ("3 == 2 + 1", 1.0),
        ("2 > 1", 1.0),
        ("select(a < b, 1, c)", 2.9),
        ("'crank radius' / 2", 0.05),
        ("'crank radius' * inf", math.inf),
        ("min(a, b) + max(a, b)", 0.6),
        ("lookup('a line', 0)", 0.5),
        ("lookup(grid, -1, -2)", 1.0),
        (".5 + 5. + 1E1 + 1e+1 + 1e-1", 25.6),
    ],
)
def test_comparisons_functions_names_and_tables(text: str, expected: float) -> None:
    assert number(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text, column, message",
    [
        ("", 1, "expected a number, a name, a function or '(', found the end"),
        ("a + * b", 5, "expected a number, a name, a function or '(', found '*'"),
        ("a b", 3, "expected an operator or the end, found 'b'"),
        ("2a", 2, "expected an operator or the end, found 'a'"),
        ("1.2.3", 4, "expected an operator or the end, found '.3'"),
        ("(a + b", 7, "expected ')', found the end"),
        ("a)", 2, "expected an operator or the end, found ')'"),
        ("sin(a, b)", 1, "sin takes 1 argument(s), got 2"),
        ("select(a, b)", 1, "select takes 3 argument(s), got 2"),
        ("sin()", 5, "expected a number, a name, a function or '('"),
        ("sine(a)", 1, "there is no function 'sine'; the functions are sin, cos"),
        ("a < b < c", 7, "comparisons can't be chained"),
        ("a = b", 3, "expected an operator or the end, found '='"),
        ("a @ b", 3, "found '@'"),
        ("a ^ b", 3, "found '^'"),
        ("'open", 1, 'found "\'"'),
        ("a + d", 5, "there is no name 'd'"),
        ("a + $3", 5, "there is no definition '$3'"),
        ("lookup(other, a)", 8, "there is no table 'other'"),
        ("lookup(2, a)", 8, "expected the name of a table, found '2'"),
        ("lookup(grid, a)", 8, "table 'grid' has 2 variable(s), got 1"),
        ("1e999", 1, "too large"),
        ("__import__('os')", 1, "there is no function '__import__'"),
        ("a.real", 2, "found '.'"),
        ("(" * (DEEPEST + 1), DEEPEST + 2, f"more than {DEEPEST} levels deep"),
        ("a" + "**a" * (DEEPEST + 1), 3 * DEEPEST + 4, f"more than {DEEPEST} levels deep"),
    ],
)
def test_an_error_points_at_its_place_and_says_what_was_expected(
    text: str, column: int, message: str
) -> None:
    error = complaint(text)
    first, window, caret = error.split("\n")
    assert first.startswith(f"Expression, column {column}: ")
    assert message in first
    pointed = window[caret.index("^") :]
    assert pointed == text[column - 1 :][: len(pointed)]


def test_a_text_that_is_too_long_is_refused() -> None:
    assert f"at most {LONGEST}" in complaint("a" * (LONGEST + 1))


def test_long_chains_need_no_depth() -> None:
    assert number("a" + " + a" * 4000) == pytest.approx(1.3 * 4001, rel=1e-12)
    assert number("-" * 5001 + "a") == -1.3


ALPHABET = "abc019.e+-*/()<>=,'$ \\\n_σ"


@given(st.one_of(st.text(), st.text(ALPHABET), st.text(ALPHABET, max_size=8)))
@example("sin(")
@example("'\\")
@example("lookup(")
@example("$")
@example("٣")
@example("1e5_0")
def test_any_text_gives_an_expression_or_a_model_error(text: str) -> None:
    tape = Tape()
    try:
        node = parse(text, tape, tape.symbol, TABLES.__getitem__)
    except ModelError as error:
        assert "^" in str(error)
    else:
        assert abs(node) < len(tape)


PIECES = st.sampled_from(
    ["sin(", "select(", "lookup(", "'a line'", "grid", "(", ")", ",", "a", "'b c'", "2", "-", "**",
     "+", "*", "/", "<", "==", "$1", " ", "inf", "nan"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25))
def test_any_mix_of_pieces_gives_an_expression_or_a_model_error(pieces: list[str]) -> None:
    tape = Tape()
    try:
        parse("".join(pieces), tape, tape.symbol, TABLES.__getitem__, {"$1": 1})
    except ModelError as error:
        assert "column" in str(error)

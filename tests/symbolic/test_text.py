"""Expressions as text: readable, with few parentheses, and read back exactly."""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest
from hypothesis import example, given, strategies as st

from random_programs import GRID, LINE, random_tape
from touchback.errors import InputError
from touchback.symbolic import Operators, Table, Tape, Want, parse, replay, to_text
from touchback.symbolic.ops import ATAN2, DIV, POW

TABLES = {"a line": LINE, "grid": GRID}


def parse_all(
    definitions: Mapping[str, str],
    texts: Sequence[str],
    tape: Tape,
    symbol: Callable[[str], int],
    table: Callable[[str], Table] | None = None,
) -> list[int]:
    """The nodes that texts with shared definitions describe: what `to_text` writes."""
    known: dict[str, int] = {}
    for name, text in definitions.items():
        known[name] = parse(text, tape, symbol, table, known)
    return [parse(text, tape, symbol, table, known) for text in texts]


def table_name(table: Table) -> str:
    return next(name for name, known in TABLES.items() if known == table)


def written(text: str) -> str:
    """A text after reading it onto a tape."""
    tape = Tape()
    definitions, texts = to_text(
        tape, [parse(text, tape, tape.symbol, TABLES.__getitem__)], table=table_name
    )
    assert not definitions
    return texts[0]


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "-x",
        "0",
        "-2.5",
        "0.1",
        "1e-300",
        "a + b + c",
        "a - b - c",
        "a * b * c",
        "a / b / c",
        "a / (b * c)",
        "(a + b) * c",
        "2 * (a - b)",
        "-a * b",
        "-(a + b)",
        "b - a",
        "1 - a",
        "a ** b ** c",
        "(a ** b) ** c",
        "(-2) ** x",
        "-x ** y",
        "x ** -y",
        "(a + b) ** 2.3",
        "a < b",
        "(a < b) * c",
        "a <= b + 1",
        "a == b",
        "sin(a - b) * cos(c)",
        "select(0 < x, sqrt(x), -exp(-x))",
        "min(a, max(b, 3))",
        "atan2(y, x) + abs(z) - floor(w)",
        "acos(-x) * asin(x) / log(y)",
        "tanh(a - b) * sinh(x) + cosh(y)",
        "lookup('a line', x) * lookup(grid, x, -y)",
        "lookup_dx('a line', x) + lookup_dxy(grid, x, y)",
        "0.5 * 'crank radius' + q",
        "max(x, nan) - nan * y",
        "'back\\\\slash' + 'it\\'s' + 'inf'",
    ],
)
def test_tidy_text_stays_as_it_is(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize(
    "text, tidy",
    [
        ("'crank radius' / 2 + q", "0.5 * 'crank radius' + q"),
        ("((a)) + (b + c)", "b + c + a"),
        ("a - (b - c)", "c - b + a"),
        ("a > b", "b < a"),
        ("a >= b", "b <= a"),
        ("- - a", "a"),
        ("2 * 3 + x ** 2", "x * x + 6"),
        ("x*1.50e0", "1.5 * x"),
        ("tan(x)", "sin(x) / cos(x)"),
        ("max(x, -(0 / 0))", "max(x, nan)"),
        ("min(-x, nan)", "-max(x, nan)"),
        ("select(nan < -x, -y, -nan)", "-select(x < nan, y, nan)"),
        ("minimum(a, b) + maximum(a, b)", "max(a, b) + min(a, b)"),
        ("'x' + y", "x + y"),
        ("\n a+\t b ", "a + b"),
    ],
)
def test_other_text_comes_out_tidy(text: str, tidy: str) -> None:
    assert written(text) == tidy


@given(st.floats(allow_nan=False))
def test_numbers_read_back_exactly(number: float) -> None:
    tape = Tape()
    text = to_text(tape, [tape.const(number)])[1][0]
    assert tape.value(parse(text, tape, tape.symbol)) == number


@example("A·")
@given(st.text())
def test_symbols_of_any_name_read_back(name: str) -> None:
    tape = Tape()
    symbol = tape.symbol(name)
    assert parse(to_text(tape, [-symbol])[1][0], tape, tape.symbol) == -symbol


def test_names_come_from_the_callback() -> None:
    tape = Tape()
    node = tape.add(tape.symbol(("joint", 3)), tape.symbol(("parameter", "r")))
    names = {("joint", 3): "q3", ("parameter", "r"): "crank radius"}
    assert to_text(tape, [node], names.__getitem__) == ({}, ["'crank radius' + q3"])


def test_what_is_shared_is_defined_once() -> None:
    tape = Tape()
    shared = parse("sin(alpha + beta) * sqrt(gamma)", tape, tape.symbol)
    short = parse("cos(alpha)", tape, tape.symbol)
    outputs = [tape.add(shared, short), tape.mul(shared, short), -shared]
    assert to_text(tape, outputs) == (
        {"$1": "sin(alpha + beta) * sqrt(gamma)"},
        ["$1 + cos(alpha)", "$1 * cos(alpha)", "-$1"],
    )


def test_text_grows_no_faster_than_the_graph() -> None:
    tape = Tape()
    node = tape.symbol("x")
    for i in range(200):
        node = tape.add(tape.mul(tape.sin(node), tape.cos(node)), tape.const(i + 0.5))
    definitions, texts = to_text(tape, [node])
    assert sum(map(len, [*definitions.values(), *texts])) < 60 * len(tape)
    assert parse_all(definitions, texts, tape, tape.symbol) == [node]


@pytest.mark.parametrize("wrap", ["sqrt", "atan", "neg", "log"])
def test_deep_and_long_expressions_are_split_so_that_they_can_be_read(wrap: str) -> None:
    tape = Tape()
    deep, long = tape.symbol("x"), tape.symbol("y")
    for i in range(500):
        deep = getattr(tape, wrap)(tape.sub(tape.const(i + 2.0), deep))
        long = tape.add(long, tape.mul(tape.symbol(f"parameter {i}"), tape.const(0.1 + i)))
    definitions, texts = to_text(tape, [deep, long])
    assert max(map(len, definitions.values())) < 2000
    assert parse_all(definitions, texts, tape, tape.symbol) == [deep, long]


def test_a_table_without_a_name_is_refused() -> None:
    tape = Tape()
    with pytest.raises(InputError, match="names of tables"):
        to_text(tape, [tape.lookup(LINE, tape.symbol("x"), want=Want.DX)])


@example(8358)  # the greater of something and −(0 / 0)
@given(st.integers(0, 10**6))
def test_a_random_graph_reads_back_with_the_same_values_and_the_same_text(seed: int) -> None:
    random = Random(seed)
    tape, symbols, nodes = random_tape(random, 40)
    outputs = nodes[-6:]
    first = to_text(tape, outputs, table=table_name)
    other = Tape()
    for name in random.sample(sorted(tape.symbols), len(symbols)):
        other.symbol(name)  # in another order, so that nothing can hang on the age of nodes
    copies = parse_all(*first, other, other.symbol, TABLES.__getitem__)
    assert to_text(other, copies, table=table_name) == first
    for _ in range(3):
        point = {name: random.uniform(-2.0, 2.0) for name in tape.symbols}
        if hangs_on_the_sign_of_a_zero(tape, outputs, point):
            continue
        before = replay(tape, outputs, Operators(), point)
        after = replay(other, copies, Operators(), point)
        for a, b in zip(before, after, strict=True):
            assert a == b or (math.isnan(a) and math.isnan(b))


def hangs_on_the_sign_of_a_zero(tape: Tape, outputs: list[int], point: dict[str, float]) -> bool:
    """Whether a zero is divided by or has its direction taken."""
    live = tape.live(outputs)
    operands = [
        operand
        for node in range(len(live))
        if live[node] and tape.op[node] in (DIV, ATAN2, POW)
        for operand in tape.operands(node)
    ]
    return 0.0 in replay(tape, operands, Operators(), point)


@given(st.integers(0, 10**6))
def test_two_tapes_read_from_one_text_are_equal_node_by_node(seed: int) -> None:
    tape, _, nodes = random_tape(Random(seed), 40)
    first, second = Tape(), Tape()
    text = to_text(tape, nodes[-6:], table=table_name)
    copies = parse_all(*text, first, first.symbol, TABLES.__getitem__)
    again = to_text(first, copies, table=table_name)
    assert parse_all(*again, second, second.symbol, TABLES.__getitem__) == copies
    assert (first.op, first.a, first.b, first.c) == (second.op, second.a, second.b, second.c)

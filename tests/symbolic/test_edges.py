"""Simplification changes no value: not at zeros of either sign, huge or denormal numbers, nor NaN.

What comes out is held to plain evaluation of the expression as written, and, where that loses the
value on its way (log(exp(1000)), sqrt(x²) at 1e200), to mpmath with 700 digits.
"""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from touchback.codegen import compile_program
from touchback.symbolic import Operators, Tape, replay
from touchback.symbolic.ops import ADD, SUB
from touchback.symbolic.program import lower
from touchback.symbolic.simplification_rules import RULES, Rule
from touchback.symbolic.tape_replay import Translator

EXACT = mpmath.mp.clone()
EXACT.dps = 700
FINITE = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e200, -1e200, 1e-200, -1e-200, 5e-324, -1e-310)
SPECIAL = (*FINITE, 1.7e308, -1.7e308, math.inf, -math.inf, math.nan)
PAIRS = list(itertools.product(SPECIAL, repeat=2))

Formula = Callable[[Any, Any, Any], Any]


class Exact:
    """The scalars interface on mpmath's numbers, for those operations that the tests below use."""

    const = staticmethod(EXACT.mpf)
    add, sub = staticmethod(lambda a, b: a + b), staticmethod(lambda a, b: a - b)
    mul, div = staticmethod(lambda a, b: a * b), staticmethod(lambda a, b: a / b)
    neg, abs = staticmethod(lambda a: -a), staticmethod(abs)
    sin, cos = staticmethod(EXACT.sin), staticmethod(EXACT.cos)
    exp, atan2 = staticmethod(functools.cache(EXACT.exp)), staticmethod(EXACT.atan2)
    minimum, maximum = staticmethod(min), staticmethod(max)
    less = staticmethod(lambda a, b: EXACT.mpf(a < b))
    select = staticmethod(lambda c, yes, no: yes if c else no)

    @staticmethod
    def tan(a: Any) -> Any:
        return EXACT.sin(a) / EXACT.cos(a)

    @staticmethod
    def sqrt(a: Any) -> Any:
        return EXACT.sqrt(a) if a >= 0 else EXACT.nan

    @staticmethod
    @functools.cache
    def log(a: Any) -> Any:
        return EXACT.log(a) if a > 0 else EXACT.nan

    @staticmethod
    def pow(a: Any, b: Any) -> Any:
        return EXACT.power(a, b) if a > 0 or b == EXACT.floor(b) else EXACT.nan

    asin = staticmethod(lambda a: EXACT.asin(a) if abs(a) <= 1 else EXACT.nan)
    acos = staticmethod(lambda a: EXACT.acos(a) if abs(a) <= 1 else EXACT.nan)


def exactly(formula: Formula, x: float, y: float) -> float:
    """The formula without rounding or overflow; NaN where it has no value."""
    try:
        return float(formula(Exact, EXACT.mpf(x), EXACT.mpf(y)))
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan


def simplified(formula: Formula, backend: Any) -> Callable[[float, float], float]:
    """The formula by way of the tape and a back end."""
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    program = lower(tape, [formula(tape, x, y)], {x: ("x", 0), y: ("x", 1)})
    compiled = compile_program(program, backend=backend)
    return lambda *arguments: float(compiled.call(arguments)[0])


def agree(got: float, wanted: float) -> bool:
    """Within a few roundings, gradual underflow included; zeros have no sign here."""
    if math.isnan(wanted) or math.isinf(wanted) or math.isinf(got):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    return abs(got - wanted) <= 4e-15 * abs(wanted) + 5e-323


def check(formula: Formula, got: Callable[[float, float], float], x: float, y: float) -> None:
    plain = formula(Operators(), x, y)
    value = got(x, y)
    if not agree(value, plain):
        exact = exactly(formula, x, y)
        assert agree(value, exact) and not math.isnan(exact), (
            f"x = {x}, y = {y}: {value} instead of {plain} (exactly {exact})"
        )


@pytest.mark.parametrize("backend", ["machine", "interpreter"])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_rule_changes_a_value(rule: Rule, backend: str) -> None:
    formula: Formula = lambda k, x, y: rule.example(k, x, y)[0]  # noqa: E731
    got = simplified(formula, backend)
    for x, y in PAIRS:
        if not _excepted(rule.name, x, y):
            check(formula, got, x, y)


def _excepted(rule: str, x: float, y: float) -> bool:
    """The exceptions of docs/formulation.md: what cancels does so for infinities and NaN too."""
    if rule == "half power":
        return x == -math.inf
    return rule in ("cancel", "pythagoras") and not (math.isfinite(x) and math.isfinite(y))


FORMULAS: dict[str, Formula] = {
    "sin atan2": lambda k, x, y: k.sin(k.atan2(y, x)),
    "cos atan2": lambda k, x, y: k.cos(k.atan2(y, x)),
    "tan atan2": lambda k, x, y: k.tan(k.atan2(y, x)),
    "atan2 of differences": lambda k, x, y: k.atan2(k.sub(x, y), k.sub(y, x)),
    "atan2 of a difference": lambda k, x, y: k.atan2(k.sub(y, x), x),
    "atan2 to a difference": lambda k, x, y: k.atan2(x, k.sub(y, x)),
    "atan2 of a sum of negatives": lambda k, x, y: k.atan2(k.sub(k.neg(x), y), k.const(-1.0)),
    "atan2 of negatives": lambda k, x, y: k.atan2(k.neg(x), k.neg(y)),
    "atan2 of a product": lambda k, x, y: k.atan2(k.mul(k.neg(x), y), k.neg(y)),
    "atan2 of a minimum": lambda k, x, y: k.atan2(k.minimum(k.const(0.0), k.sub(y, x)), x),
    "root times root": lambda k, x, y: k.mul(k.sqrt(x), k.sqrt(x)),
    "quotient times divisor": lambda k, x, y: k.mul(k.div(x, y), y),
    "same over same": lambda k, x, y: k.div(x, x),
    "same over its negative": lambda k, x, y: k.div(x, k.neg(x)),
    "product over factor": lambda k, x, y: k.div(k.mul(x, y), y),
    "exp log": lambda k, x, y: k.exp(k.log(x)),
    "sin asin": lambda k, x, y: k.sin(k.asin(x)),
    "cos acos": lambda k, x, y: k.cos(k.acos(x)),
    "tan": lambda k, x, y: k.tan(x),
    "abs root": lambda k, x, y: k.div(k.const(1.0), k.abs(k.sqrt(x))),
    "one over a product": lambda k, x, y: k.div(k.const(1.0), k.mul(k.neg(x), y)),
    "least of negatives": lambda k, x, y: k.minimum(k.neg(x), k.neg(y)),
    "greatest of negatives": lambda k, x, y: k.maximum(k.neg(x), k.neg(y)),
    "select of negatives": lambda k, x, y: k.select(k.less(k.neg(x), k.neg(y)), k.neg(x), y),
    **{
        f"over {c}": (lambda k, x, y, c=c: k.div(x, k.const(c)))
        for c in (0.0, 3.0, -1e308, 1.7e308, 5e-324, 1e-310, math.inf, math.nan)
    },
    **{
        f"{c} over": (lambda k, x, y, c=c: k.div(k.const(c), x))
        for c in (-1.0, 1e308, math.inf, math.nan)
    },
    **{
        f"{c} times {d} times": (lambda k, x, y, c=c, d=d: k.mul(k.const(c), k.mul(k.const(d), x)))
        for c, d in [(1e200, 1e200), (1e-200, 1e-200), (1e200, 1e-200), (2.0, math.inf), (3.0, 7.0)]
    },
    **{
        f"{c} times plus {d} times": (
            lambda k, x, y, c=c, d=d: k.add(k.mul(k.const(c), x), k.mul(k.const(d), x))
        )
        for c, d in [(1.2e308, 1.3e308), (-1.2e308, -1.3e308), (math.inf, 1.0), (0.1, 0.2)]
    },
    **{
        f"to the {n}": (lambda k, x, y, n=n: k.pow(x, k.const(n)))
        for n in (*map(float, range(-2, 9)), 0.3)
    },
}  # fmt: skip


@pytest.mark.parametrize("backend", ["machine", "interpreter"])
@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_written_is_what_comes_out(name: str, backend: str) -> None:
    got = simplified(FORMULAS[name], backend)
    for x, y in PAIRS:
        check(FORMULAS[name], got, x, y)


@pytest.mark.parametrize("name", [name for name in FORMULAS if "atan2" in name])
def test_directions_hold_where_a_tape_runs_on_plain_numbers(name: str) -> None:
    tape = Tape()
    node = FORMULAS[name](tape, tape.symbol("x"), tape.symbol("y"))
    for x, y in PAIRS:
        env = {"x": x, "y": y}
        check(FORMULAS[name], lambda *_: replay(tape, [node], Operators(), env)[0], x, y)  # noqa: B023
        check(FORMULAS[name], lambda *_: Translator(tape, Operators(), env.get)(node), x, y)  # noqa: B023


LITERALS: dict[str, tuple[str, float, float]] = {
    "0/0": ("div", 0.0, 0.0),
    "0/nan": ("div", 0.0, math.nan),
    "inf/inf": ("div", math.inf, math.inf),
    "inf - inf": ("sub", math.inf, math.inf),
    "-inf + inf": ("add", -math.inf, math.inf),
    "nan - nan": ("sub", math.nan, math.nan),
    "0 inf": ("mul", 0.0, math.inf),
    "-inf 0": ("mul", -math.inf, 0.0),
    "nan 0": ("mul", math.nan, 0.0),
}


@pytest.mark.parametrize("name", LITERALS)
def test_numbers_without_a_value_do_not_fold_to_zero(name: str) -> None:
    operation, a, b = LITERALS[name]
    got = simplified(lambda k, x, y: getattr(k, operation)(k.const(a), k.const(b)), "interpreter")
    assert math.isnan(got(1.0, 2.0))
    expression = {"div": "/", "sub": "-", "add": "+", "mul": "*"}[operation]
    with np.errstate(all="ignore"):
        assert math.isnan(eval(f"a {expression} b", {"a": np.float64(a), "b": np.float64(b)}))


def test_zero_over_zero_is_nan_on_plain_numbers_too() -> None:
    k = Operators()
    assert math.isnan(k.div(k.const(0.0), k.const(0.0)))


UNARY = ("neg", "abs")
BINARY = ("add", "sub", "mul", "minimum", "maximum")
steps = st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 99), st.integers(0, 99))
small = st.sampled_from((0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0))


def _graph(k: Any, rows: list[tuple[str, int, int]], x: Any, y: Any) -> tuple[Any, Any]:
    """The last two nodes of a graph of operations on earlier nodes."""
    nodes = [x, y, k.const(-2.0), k.const(0.0)]
    for name, a, b in rows:
        operands = [nodes[-1 - a % len(nodes)], nodes[-1 - b % len(nodes)]]
        nodes.append(getattr(k, name)(*operands[: 1 if name in UNARY else 2]))
    return nodes[-1], nodes[-2]


class Followed:
    """Plain numbers beside the nodes of a tape, by which the exceptions of docs/formulation.md are
    known. A scalar is a node and the values that it may have: one, or a zero of either sign."""

    def __init__(self) -> None:
        self.tape = Tape()

    def const(self, value: float) -> tuple[int, list[Any]]:
        return self.tape.const(value), [Operators().const(value)]

    def __getattr__(self, name: str) -> Callable[..., tuple[int, list[Any]]]:
        return functools.partial(self._apply, name)

    def _apply(self, name: str, *operands: tuple[int, list[Any]]) -> tuple[int, list[Any]]:
        nodes, values = zip(*operands, strict=True)
        node = getattr(self.tape, name)(*nodes)
        number = self.tape.value(node)
        if number is not None:  # a zero that numbers make, or x − x, is structural
            return self.const(number)
        found = [getattr(Operators(), name)(*each) for each in itertools.product(*values)]
        shrunk = name in ("add", "sub") and self.tape.op[abs(node)] not in (ADD, SUB)
        if shrunk and all(nodes) and 0.0 in found:  # to one term, whose zero it has
            return node, [0.0, -0.0]
        return node, found


@example([("sub", 1, 2), ("sub", 0, 32)], [(0.0, 0.0)])  # (−2 − y) + 2 is −y
@example([("abs", 0, 0), ("add", 0, 98), ("neg", 0, 0)], [(0.0, -0.0)])  # |0| + y is y
@given(st.lists(steps, min_size=1, max_size=5), st.lists(st.tuples(small, small), max_size=10))
def test_directions_by_any_sums_and_products_point_where_they_did(
    rows: list[tuple[str, int, int]], arguments: list[tuple[float, float]]
) -> None:
    """All is exact here, so only zeros could go astray. A −0 from a sum's negative may count as +0,
    since −(x − y) and y − x are one; a +0 must stay one, unless a single term is left of a sum."""
    got = simplified(lambda k, x, y: k.atan2(*_graph(k, rows, x, y)), "interpreter")
    for x, y in arguments:
        k = Followed()
        inputs = (k.tape.symbol("x"), [x]), (k.tape.symbol("y"), [y])
        sides = (
            [z for each in side for z in (each, each + 0.0)] for _, side in _graph(k, rows, *inputs)
        )
        allowed = {math.atan2(*each) for each in itertools.product(*sides)}
        assert any(agree(got(x, y), angle) for angle in allowed), (x, y)

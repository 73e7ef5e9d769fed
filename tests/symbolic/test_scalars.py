"""Scalars: mechanics written once runs on the tape, on numbers, on duals and on expressions."""

import math
from random import Random
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dual_numbers import Dual
from random_programs import GRID, LINE, random_tape
from touchback.errors import InputError
from touchback.symbolic import Expr, Operators, Scalars, Tape, Want, replay

T = TypeVar("T")


def law(k: Scalars[T], x: T, y: T) -> T:
    """Something of everything."""
    s, c = k.sincos(k.mul(k.const(2.0), x))
    smooth = k.add(k.mul(s, k.exp(k.neg(y))), k.div(c, k.sqrt(k.add(k.const(2.0), k.mul(x, x)))))
    angle = k.sub(k.atan2(y, k.add(x, k.const(3.0))), k.atan(k.asin(k.mul(k.const(0.5), x))))
    power = k.mul(k.pow(k.add(k.abs(x), k.const(1.5)), y), k.log(k.add(k.abs(y), k.const(1.0))))
    bent = k.select(k.less(x, y), k.minimum(x, k.tan(y)), k.maximum(k.acos(x), y))
    stepped = k.add(k.mul(k.sign(x), k.floor(k.mul(y, k.const(3.0)))), k.less_equal(x, y))
    return k.add(k.add(k.add(smooth, angle), k.add(power, bent)), k.add(stepped, k.equal(x, y)))


def plain(x: float, y: float) -> float:
    """The same in Python."""
    smooth = math.sin(2 * x) * math.exp(-y) + math.cos(2 * x) / math.sqrt(2 + x * x)
    angle = math.atan2(y, x + 3) - math.atan(math.asin(0.5 * x))
    power = (abs(x) + 1.5) ** y * math.log(abs(y) + 1)
    bent = min(x, math.tan(y)) if x < y else max(math.acos(x), y)
    stepped = math.copysign(1, x) * math.floor(3 * y) + (x <= y)
    return smooth + angle + power + bent + stepped


POINTS = [(0.3, 0.8), (-0.7, 0.2), (0.9, -1.3), (0.1, -0.2)]


@pytest.mark.parametrize("x, y", POINTS)
def test_floats_duals_and_tapes_agree_with_python(x: float, y: float) -> None:
    k = Operators()
    expected = pytest.approx(plain(x, y), rel=1e-14)
    assert law(k, x, y) == expected
    assert law(k, Dual(x), Dual(y)).value == expected
    tape = Tape()
    output = law(tape, tape.symbol("x"), tape.symbol("y"))
    assert replay(tape, [output], k, {"x": x, "y": y}) == [expected]


def test_arrays_agree_with_floats_element_by_element() -> None:
    x, y = (np.array(side) for side in zip(*POINTS, strict=True))
    expected = [law(Operators(), a, b) for a, b in POINTS]
    assert law(Operators(), x, y) == pytest.approx(expected, rel=1e-14)


def test_expressions_give_the_node_that_the_tape_gives() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    assert law(Operators(), Expr(tape, x), Expr(tape, y)).id == law(tape, x, y)


@pytest.mark.parametrize("x, y", POINTS)
def test_tangents_of_duals_are_complex_steps(x: float, y: float) -> None:
    dual = law(Operators(), Dual(x, 1.0), Dual(y, -0.5))
    step = 1e-30
    complex_step = law(Operators(), complex(x, step), complex(y, -0.5 * step))
    # The step is so small that both are exact up to rounding.
    assert dual.tangent == pytest.approx(complex_step.imag / step, rel=1e-13)


def test_structural_zero_and_one_take_everything_else_away() -> None:
    k = Operators()
    for x in (math.nan, math.inf, np.array([math.nan, 1.0]), Dual(math.inf, 1.0), 1j):
        zero: Any = k.mul(0, x)
        assert zero == 0 and type(zero) is int
        assert k.add(0, x) is x and k.sub(x, 0) is x and k.mul(x, 1) is x and k.div(x, 1) is x
    assert k.const(0.0) == 0 and type(k.const(0.0)) is int
    assert k.const(1.0) == 1 and type(k.const(1.0)) is int
    assert k.mul(-1, 2.5) == -2.5 and k.sub(0, 2.5) == -2.5
    assert k.sincos(0) == (0, 1)


def test_division_by_zero_gives_infinity_as_on_the_machine() -> None:
    k = Operators()
    assert k.div(1.0, 0.0) == math.inf and k.div(-1.0, 0.0) == -math.inf
    assert math.isnan(k.div(0.0, 0.0))
    assert list(k.div(np.array([1.0, -1.0]), np.array([0.0, 0.0]))) == [math.inf, -math.inf]


def test_replay_takes_known_nodes_and_computes_nothing_below_them() -> None:
    tape = Tape()
    x = tape.symbol("x")
    inner = tape.sin(x)
    outer = tape.add(tape.mul(inner, inner), inner)
    assert replay(tape, [outer, -inner], Operators(), {inner: 3.0}) == [12.0, -3.0]


def test_replay_names_the_symbol_that_has_no_value() -> None:
    tape = Tape()
    with pytest.raises(InputError, match="No value was given for 'crank radius'"):
        replay(tape, [tape.sin(tape.symbol("crank radius"))], Operators(), {})


def test_replay_imports_expressions_onto_another_tape() -> None:
    source, target = Tape(), Tape()
    output = law(source, source.symbol("x"), source.symbol("y"))
    a, b = target.symbol("a"), target.symbol("b")
    assert replay(source, [-output], target, {"x": a, "y": b}) == [-law(target, a, b)]


def test_lookups_replay_on_every_kind_of_number() -> None:
    k = Operators()
    assert (
        k.lookup(LINE, 1.0) == k.lookup(LINE, np.array([1.0]))[0] == k.lookup(LINE, Dual(1.0)).value
    )
    assert k.lookup(LINE, Dual(1.0, 2.0)).tangent == 2.0 * k.lookup(LINE, 1.0, None, Want.DX)
    dual = k.lookup(GRID, Dual(1.0, 2.0), Dual(0.05, 3.0))
    slopes = [k.lookup(GRID, 1.0, 0.05, want) for want in (Want.DX, Want.DY)]
    assert dual.tangent == pytest.approx(2.0 * slopes[0] + 3.0 * slopes[1], rel=1e-15)


@given(st.integers(0, 10**6))
def test_a_dual_with_no_tangent_has_the_value_of_the_float(seed: int) -> None:
    random = Random(seed)
    tape, symbols, nodes = random_tape(random, 30)
    point = {tape.names[s]: random.uniform(-2.0, 2.0) for s in symbols.values()}
    floats = replay(tape, nodes, Operators(), point)
    duals = replay(tape, nodes, Operators(), {name: Dual(x) for name, x in point.items()})
    for a, b in zip(floats, duals, strict=True):
        value = b.value if isinstance(b, Dual) else b
        assert a == value or (math.isnan(a) and math.isnan(value))
        assert not isinstance(b, Dual) or b.tangent == 0.0


def test_python_operators_of_duals_carry_the_sign() -> None:
    x = Dual(-2.0, 1.0)
    assert (abs(x).value, abs(x).tangent) == (2.0, -1.0)
    assert ((-x).value, (-x).tangent) == (2.0, -1.0)

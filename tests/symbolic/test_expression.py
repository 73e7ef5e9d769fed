"""Expressions are written with Python's operators and NumPy's functions."""

import math

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.symbolic import Expr, Operators, Table, Tape, math_functions, replay

POINT = {"x": 0.3, "y": -1.7}


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def x(tape: Tape) -> Expr:
    return Expr(tape, tape.symbol("x"))


@pytest.fixture
def y(tape: Tape) -> Expr:
    return Expr(tape, tape.symbol("y"))


def value(expression: Expr) -> float:
    return float(replay(expression.tape, [expression.id], Operators(), POINT)[0])


def test_operators_mean_what_they_mean_for_numbers(x: Expr, y: Expr) -> None:
    a, b = POINT["x"], POINT["y"]
    cases = [
        (x + y, a + b), (x + 2, a + 2), (2 + x, 2 + a), (x - y, a - b), (1 - y, 1 - b),
        (x * y, a * b), (3 * x, 3 * a), (x / y, a / b), (1 / x, 1 / a), (x**y, a**b),
        (2**y, 2**b), (x**3, a**3), (-x, -a), (+x, a), (abs(y), abs(b)),
        (x < y, 0.0), (x > y, 1.0), (x <= 0.3, 1.0), (y >= 0, 0.0), (x > 0, 1.0),
        (x.equals(0.3), 1.0), (x.equals(y), 0.0),
    ]  # fmt: skip
    for expression, expected in cases:
        assert value(expression) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "number", [2, 2.0, True, np.float64(2.0), np.float32(2.0), np.int64(2), np.array(2.0)]
)
def test_numbers_of_every_kind_mix_in_from_both_sides(x: Expr, number: float) -> None:
    n = float(number)
    for expression, expected in [
        (x + number, 0.3 + n), (number + x, n + 0.3), (number - x, n - 0.3), (x * number, 0.3 * n),
        (number / x, n / 0.3), (number**x, n**0.3),
    ]:  # fmt: skip
        assert value(np.asarray(expression)[()]) == pytest.approx(expected, rel=1e-15)


def test_numbers_on_the_left_of_a_comparison_from_numpy(x: Expr) -> None:
    assert (np.float64(1.0) < x) == (x > 1.0)
    assert (np.float64(1.0) >= x) == (x <= 1.0)


def test_equality_is_identity_of_the_node(x: Expr, y: Expr) -> None:
    assert x + y == y + x
    assert x != y
    assert x != 0.3
    assert np.float64(0.3) != x
    assert len({x + y, y + x, x}) == 2
    assert x in [y, x]
    assert Expr(Tape(), x.id) != x


def test_a_condition_has_no_truth_value(x: Expr) -> None:
    with pytest.raises(InputError, match=r"0 < x has no truth value.*tb\.select"):
        bool(x > 0)
    with pytest.raises(InputError, match=r"tb\.select"):
        max(x, 1.0)


def test_an_expression_is_no_number_for_math(x: Expr) -> None:
    with pytest.raises(
        InputError, match=r"x is no number yet.*tb\.sin.*instead of those of `math`"
    ):
        math.sin(x)


def test_expressions_of_two_tapes_do_not_mix(x: Expr) -> None:
    tape = Tape()
    other = Expr(tape, tape.symbol("z"))
    with pytest.raises(InputError, match="x and z belong to different models"):
        x + other


def test_what_is_no_real_number_is_refused(x: Expr) -> None:
    with pytest.raises(InputError, match="real numbers"):
        x + 1j
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(InputError, match="no number"):
        math_functions.atan2(x, "1")


@pytest.mark.parametrize(
    "ufunc", [np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sqrt, np.exp, np.log,
              np.sinh, np.cosh, np.tanh, np.absolute, np.fabs, np.negative, np.sign, np.floor],
    ids=lambda ufunc: ufunc.__name__,
)  # fmt: skip
def test_numpy_functions_of_one_argument_give_expressions(x: Expr, ufunc: np.ufunc) -> None:
    assert value(ufunc(x)) == pytest.approx(float(ufunc(0.3)), rel=1e-15)


@pytest.mark.parametrize(
    "ufunc", [np.add, np.subtract, np.multiply, np.true_divide, np.arctan2, np.minimum, np.maximum,
              np.less, np.less_equal, np.greater, np.greater_equal, np.power, np.hypot,
              np.logical_and, np.logical_or],
    ids=lambda ufunc: ufunc.__name__,
)  # fmt: skip
def test_numpy_functions_of_two_arguments_give_expressions(x: Expr, ufunc: np.ufunc) -> None:
    assert value(ufunc(x, 1.2)) == pytest.approx(float(ufunc(0.3, 1.2)), rel=1e-15)
    assert value(ufunc(1.2, x)) == pytest.approx(float(ufunc(1.2, 0.3)), rel=1e-15)


def test_numpy_functions_without_an_operation_are_refused(x: Expr) -> None:
    with pytest.raises(TypeError):
        np.gcd(x, 2)
    with pytest.raises(TypeError):
        np.add.reduce(x)


def test_np_where_picks_a_side_when_the_model_runs(x: Expr, y: Expr) -> None:
    for condition, expected in ((x > y, 0.3), (x < y, -1.7), (x > 1.0, -1.7)):
        assert value(np.where(condition, x, y)) == expected
    sides = np.where(x > y, np.array([x, 2.0]), y)
    assert [value(side) for side in sides] == [0.3, 2.0]
    assert list(np.where([True, False], x, y)) == [x, y]
    assert list(np.stack([x, y])) == [x, y]  # NumPy's other functions go on as before


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (0.5, 1.0), (-1.0, 0.2), (None, 0.2), (0.5, None)])
def test_np_clip_holds_an_expression_between_bounds(
    x: Expr, bounds: tuple[float | None, float | None]
) -> None:
    low, high = bounds
    assert value(np.clip(x, low, high)) == float(np.clip(0.3, low, high))
    assert value(np.clip(x, a_min=low, a_max=high)) == float(np.clip(0.3, low, high))


def test_clip_acts_on_each_expression_of_an_array(x: Expr, y: Expr) -> None:
    assert [value(e) for e in math_functions.clip(np.array([x, y]), -1.0, 0.2)] == [0.2, -1.0]
    assert [value(e) for e in np.clip(x, [0.0, 0.5], 1.0)] == [0.3, 0.5]
    with pytest.raises(InputError, match=r"tb\.clip"):  # NumPy asks no element of an array
        np.clip(np.array([x, y]), -1.0, 0.2)


def test_clip_takes_expressions_as_bounds(x: Expr, y: Expr) -> None:
    assert value(math_functions.clip(2.0, y, x)) == 0.3
    assert value(np.clip(-3.0, y, x)) == -1.7
    assert math_functions.clip(2.0, 0.0, 1.0) == 1.0


def test_conditions_are_joined_by_operators_and_by_numpy(x: Expr, y: Expr) -> None:
    yes, no = x > 0, y > 0
    for joined, expected in (
        (yes & ~no, 1.0), (yes & no, 0.0), (no | yes, 1.0), (no | ~yes, 0.0), (True & no, 0.0),
        (np.logical_and(yes, no), 0.0), (np.logical_or(no, yes), 1.0), (np.logical_not(no), 1.0),
        (x & 3.0, 1.0), (no | x, 1.0),
    ):  # fmt: skip
        assert value(joined) == expected


def test_the_hypotenuse_is_that_of_its_legs(x: Expr, y: Expr) -> None:
    assert value(math_functions.hypot(x, y)) == pytest.approx(math.hypot(0.3, -1.7), rel=2e-16)
    assert math_functions.hypot(3.0, 4.0) == 5.0
    assert list(math_functions.hypot(np.array([3.0, 5.0]), np.array([4.0, 12.0]))) == [5.0, 13.0]


@pytest.mark.parametrize("name", ["sinh", "tanh"])
@pytest.mark.parametrize("small", [1e-3, 1e-10, 1e-300, -1e-12])
def test_hyperbolic_functions_keep_every_digit_near_zero(name: str, small: float) -> None:
    """A difference of exponentials would keep none below 1e-16."""
    assert getattr(math_functions, name)(small) == pytest.approx(
        getattr(math, name)(small), rel=3e-16
    )


def test_arrays_of_expressions_do_linear_algebra(x: Expr, y: Expr) -> None:
    vector = np.array([x, y])
    assert vector @ np.array([2.0, 3.0]) == 2 * x + 3 * y
    assert np.dot(vector, vector) == x * x + y * y
    assert list(np.array([[0.0, 1.0], [1.0, 0.0]]) @ vector) == [
        0.0 * x + y,
        x + 0.0 * y,
    ]
    product = np.cross([x, y, 0.5], [y, x, y])  # of numbers alone old versions of NumPy refuse one
    assert list(product) == [y * y - 0.5 * x, 0.5 * y - x * y, x * x - y * y]
    assert list(2.0 * vector) == [2 * x, 2 * y]
    assert list(x * np.array([1.0, 2.0])) == list(np.array([1.0, 2.0]) * x) == [x, 2 * x]


def test_functions_of_arrays_of_expressions_act_on_each(x: Expr, y: Expr) -> None:
    vector = np.array([x, y])
    assert list(np.sin(vector)) == [np.sin(x), np.sin(y)]
    assert list(np.arctan2(vector, vector[::-1])) == [np.arctan2(x, y), np.arctan2(y, x)]
    assert list(math_functions.sin(np.array([x, 0.5], dtype=object))) == [np.sin(x), math.sin(0.5)]
    assert list(math_functions.minimum(vector, 1.0)) == [np.minimum(x, 1.0), np.minimum(y, 1.0)]
    chosen = math_functions.select(np.array([x > 0.0, y > 0.0]), vector, -vector)
    assert [value(e) for e in chosen] == [0.3, 1.7]


def test_functions_of_floats_and_arrays_are_those_of_the_mathematics_library() -> None:
    grid = np.array([0.1, 0.4, 0.9])
    for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "sinh", "cosh", "tanh",
    ):  # fmt: skip
        ours, theirs = getattr(math_functions, name), getattr(math, name)
        assert ours(0.4) == pytest.approx(theirs(0.4), rel=2.3e-16)
        assert ours(grid) == pytest.approx([theirs(v) for v in grid], rel=4e-16)
    assert math_functions.atan2(1.0, -1.0) == math.atan2(1.0, -1.0)
    assert math_functions.floor(-0.5) == -1.0
    assert [math_functions.sign(v) for v in (-2.0, 0.0, 3.0)] == [-1.0, 0.0, 1.0]
    assert math_functions.maximum(1.0, 2.0) == 2.0
    assert list(math_functions.select(grid < 0.5, grid, 0.0)) == [0.1, 0.4, 0.0]
    assert math.isnan(math_functions.sqrt(-1.0)) and math.isnan(math_functions.log(-1.0))


def test_lookups_work_on_expressions_numbers_and_arrays(x: Expr) -> None:
    table = Table((0.0, 1.0), (10.0, 20.0))
    grid = Table((0.0, 1.0), (0.0, 1.0, 10.0, 11.0), y=(0.0, 1.0))
    assert value(math_functions.lookup(table, x)) == 13.0
    assert math_functions.lookup(table, 0.5) == 15.0
    assert list(math_functions.lookup(table, np.array([0.25, 2.0]))) == [12.5, 20.0]
    assert value(math_functions.lookup(grid, x, 0.5)) == pytest.approx(3.5, rel=1e-15)
    assert list(math_functions.lookup(table, np.array([x, 0.5], dtype=object))) == [
        math_functions.lookup(table, x),
        15.0,
    ]


def test_expressions_print_as_text(x: Expr, y: Expr) -> None:
    assert str(2 * (x - y) / (1 + x)) == "2 * (x - y) / (x + 1)"
    assert repr(-x) == "Expr(-x)"
    assert (x - x + 3).value == 3.0 and x.value is None


def test_long_expressions_print_in_short(x: Expr) -> None:
    total = x
    for i in range(1000):
        total = np.sin(total * (i + 2)) + x
    assert len(str(total)) <= 200

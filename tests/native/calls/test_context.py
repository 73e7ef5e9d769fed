"""A context has its functions and tables where generated code looks for them."""

import ctypes
import math

import pytest
from hypothesis import given, strategies as st

from touchback.native import Context
from touchback.symbolic import Lookup, Table, Want
from touchback.symbolic.lookup_table import lookup1, lookup2

LINE = Table(x=(-1.0, 0.0, 0.5, 3.0), values=(2.0, -1.0, 0.25, 7.0))
GRID = Table(x=(-1.0, 0.0, 2.0), y=(0.0, 1.0), values=(1.0, 2.0, -3.0, 0.5, 4.0, 0.1))
CONTEXT = Context([Lookup(LINE), Lookup(GRID), Lookup(LINE, Want.DX)])
D = ctypes.c_double


def slot(offset: int) -> int:
    return ctypes.c_uint64.from_address(CONTEXT.address + offset).value


@pytest.mark.parametrize(
    ("offset", "name"),
    [
        (0, "asin"), (8, "acos"), (16, "exp"), (48, "sin"), (56, "cos"), (80, "sinh"),
        (88, "cosh"), (96, "tanh"),
    ],
)  # fmt: skip
def test_functions_of_one_argument_are_in_their_slots(offset: int, name: str) -> None:
    function = ctypes.CFUNCTYPE(D, D)(slot(offset))
    assert function(0.3) == pytest.approx(getattr(math, name)(0.3), rel=1e-15)


@pytest.mark.parametrize(("offset", "name"), [(32, "atan2"), (40, "pow")])
def test_functions_of_two_arguments_are_in_their_slots(offset: int, name: str) -> None:
    function = ctypes.CFUNCTYPE(D, D, D)(slot(offset))
    assert function(0.3, 2.5) == pytest.approx(getattr(math, name)(0.3, 2.5), rel=1e-15)


def test_the_logarithm_is_in_its_slot() -> None:
    assert ctypes.CFUNCTYPE(D, D)(slot(24))(0.0) == -math.inf


def test_uses_of_one_table_share_it() -> None:
    assert slot(104) == slot(120) != slot(112)


@given(st.floats(allow_nan=False), st.sampled_from([Want.VALUE, Want.DX]))
def test_one_dimensional_lookups_have_the_bits_of_the_python_ones(x: float, want: Want) -> None:
    function = ctypes.CFUNCTYPE(D, ctypes.c_void_p, D, ctypes.c_long)(slot(64))
    assert function(slot(104), x, want) == lookup1(LINE, x, want)


@given(st.floats(-3, 3), st.floats(allow_nan=False), st.sampled_from(list(Want)))
def test_two_dimensional_lookups_have_the_bits_of_the_python_ones(
    x: float, y: float, want: Want
) -> None:
    function = ctypes.CFUNCTYPE(D, ctypes.c_void_p, D, D, ctypes.c_long)(slot(72))
    assert function(slot(112), x, y, want) == lookup2(GRID, x, y, want)

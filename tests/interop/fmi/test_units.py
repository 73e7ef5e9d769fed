"""Units as exponents of base units."""

import pytest

from touchback.interop.fmi.fmu_writer import BaseUnit, base_unit


@pytest.mark.parametrize(
    ("text", "exponents"),
    [
        ("N m", {"kg": 1, "m": 2, "s": -2}),
        ("N s/m", {"kg": 1, "s": -1}),
        ("N·m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("kg m²", {"kg": 1, "m": 2}),
        ("m/s^2", {"m": 1, "s": -2}),
        ("rad/s/s", {"rad": 1, "s": -2}),
        ("V", {"kg": 1, "m": 2, "s": -3, "A": -1}),
        ("W/A V", {"kg": 2, "m": 4, "s": -6, "A": -2}),  # a stroke divides by what follows it alone
        ("s⁻¹", {"s": -1}),
        ("1", {}),
    ],
)
def test_products_of_si_units_are_taken_apart(text: str, exponents: dict[str, int]) -> None:
    """By the SI brochure's table of derived units."""
    assert base_unit(text) == BaseUnit(exponents)


def test_other_units_have_a_factor_and_those_that_nobody_knows_have_none() -> None:
    assert base_unit("mm") == BaseUnit({"m": 1}, 1e-3)
    assert base_unit("degC") == BaseUnit({"K": 1}, 1.0, 273.15)
    assert base_unit("furlong") is None

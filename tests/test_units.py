"""Units of numbers: what they are in SI, by CODATA's and NIST's numbers as SciPy has them."""

import math

import pytest
from scipy import constants

from touchback import units
from touchback.units import (
    NONE,
    dimension_of,
    is_unknown,
    read_quantity,
    same_dimension,
    text_of,
    unit_of,
)


@pytest.mark.parametrize(
    ("text", "si", "factor"),
    [
        ("mm", "m", constants.milli),
        ("µm", "m", constants.micro),
        ("inch", "m", constants.inch),
        ("ft", "m", constants.foot),
        ("g", "kg", constants.gram),
        ("t", "kg", constants.metric_ton),
        ("lb", "kg", constants.pound),
        ("ms", "s", constants.milli),
        ("min", "s", constants.minute),
        ("deg", "rad", constants.degree),
        ("°", "rad", constants.degree),
        ("rpm", "rad/s", 2 * math.pi / constants.minute),
        ("U/min", "rad/s", 2 * math.pi / constants.minute),
        ("1/min", "1/s", 1 / constants.minute),
        ("min^-1", "s^-1", 1 / constants.minute),
        ("km/h", "m/s", constants.kmh),
        ("mph", "m/s", constants.mph),
        ("lbf", "N", constants.pound_force),
        ("kgf", "N", constants.kgf),
        ("kp", "N", constants.kgf),
        ("dyn", "N", constants.dyn),
        ("psi", "Pa", constants.psi),
        ("atm", "Pa", constants.atm),
        ("torr", "Pa", constants.torr),
        ("Torr", "Pa", constants.torr),
        ("mmHg", "Pa", 133.322387415),  # 13.5951 g/cm³ · 9.80665 m/s² · 1 mm
        ("yd", "m", constants.yard),
        ("mi", "m", constants.mile),
        ("tonne", "kg", constants.metric_ton),
        ("lbm", "kg", constants.lb),
        ("oz", "kg", constants.oz),
        ("l", "m³", constants.litre),
        ("L", "m³", constants.liter),
        ("ml", "m³", constants.litre * constants.milli),
        ("mL", "m³", constants.litre * constants.milli),
        ("hp", "W", constants.hp),
        ("PS", "W", 75 * constants.kgf),
        ("Wh", "J", constants.hour),
        ("kWh", "J", constants.kilo * constants.hour),
        ("d", "s", constants.day),
        ("day", "s", constants.day),
        ("gon", "rad", math.pi / 200),
        ("arcmin", "rad", constants.arcmin),
        ("arcsec", "rad", constants.arcsec),
        ("turn", "rad", 2 * math.pi),
        ("rev", "rad", 2 * math.pi),
        ("pF", "F", constants.pico),
        ("kΩ", "Ω", constants.kilo),
        ("l/min", "m³/s", constants.litre / constants.minute),
        ("kg/l", "kg/m³", 1 / constants.litre),
        ("l^2", "m^6", constants.litre**2),
        ("W/rpm", "W/(rad/s)", constants.minute / (2 * math.pi)),
        ("W/rpm²", "W/(rad²/s²)", (constants.minute / (2 * math.pi)) ** 2),
        ("deg/Nmm", "rad/(N m)", constants.degree / constants.milli),
        ("bar", "Pa", constants.bar),
        ("N/mm", "N/m", 1e3),
        ("N mm/deg", "N m/rad", 1e-3 / constants.degree),
        ("kg cm²", "kg m²", 1e-4),
        ("g·mm^2", "kg·m²", 1e-9),
        ("mN m s/rad", "N m s/rad", 1e-3),
        ("kN/mm^1.5", "N/m^1.5", 1e3 * 1e-3**-1.5),
        ("V/(rad ms)", "V/(rad s)", 1e3),
        ("%", "1", 1e-2),
    ],
)
def test_a_unit_is_a_factor_of_one_of_si(text: str, si: str, factor: float) -> None:
    """To a few roundings: prefixes are multiplied, and powers taken."""
    found = unit_of(text)
    assert found is not None and found.si == si
    assert found.factor == pytest.approx(factor, rel=1e-14)
    assert found.in_si(3.0) == pytest.approx(3.0 * factor, rel=1e-14)
    of_si = unit_of(si)
    assert of_si is not None and of_si.is_si
    assert of_si.dimension == found.dimension


@pytest.mark.parametrize("text", [*units._SI, *units._OTHERS])
def test_every_unit_of_the_tables_is_read_in_products_and_powers(text: str) -> None:
    """The unit of SI that a text is told to be in reads back with the same dimension."""
    forms = ["{}"] if text == "degC" else ["{}", "{}/s", "1/{}", "{}^2", "m/{}²", "N {}^-1"]
    for form in [form for form in forms if text != "1" or "1" not in form]:
        found = unit_of(form.format(text))
        assert found is not None, form
        of_si = unit_of(found.si)
        assert of_si is not None and of_si.is_si and of_si.exponents == found.exponents, form
    assert not is_unknown(text)


def test_every_prefix_goes_with_every_unit_that_takes_them() -> None:
    """Where the word isn't a unit of its own, as "cd" and "min" are."""
    for prefix, factor in units._PREFIXES.items():
        for base in units._PREFIXED:
            if prefix + base not in (*units._SI, *units._OTHERS):
                found, alone = unit_of(prefix + base), unit_of(base)
                assert found is not None and alone is not None
                assert found.si == alone.si and found.exponents == alone.exponents
                assert found.factor == pytest.approx(factor * alone.factor, rel=1e-15)


def test_labels_are_no_unknown_units() -> None:
    assert not any(is_unknown(text) for text in ("", " ", "-", "1", "%", "dB", "counts", "note"))
    assert all(is_unknown(text) for text in ("furlong", "N m)", "Kg", "degF"))


def test_degrees_celsius_have_their_zero_and_no_products() -> None:
    found = unit_of("°C")
    assert found is not None and found.in_si(20.0) == constants.convert_temperature(20.0, "C", "K")
    assert unit_of("degC/s") is None and unit_of("degC²") is None and unit_of("1/degC") is None


@pytest.mark.parametrize(
    "text", ["", "furlong", "dB", "N m)", "(N m", "m//", "5", "m + s", "x" * 99]
)
def test_what_nobody_knows_is_no_unit(text: str) -> None:
    assert unit_of(text) is None and dimension_of(text) is None


def test_dimensions_go_together_whatever_they_are_called_and_angles_have_none() -> None:
    for one, other in (
        ("N m", "J"), ("N m/rad", "N m"), ("Pa s", "kg/(m s)"), ("rad", "1"), ("rpm", "Hz"),
        ("V A", "W"), ("N/m^1.5", "kg m^-0.5 s^-2"),
    ):  # fmt: skip
        a, b = dimension_of(one), dimension_of(other)
        assert a is not None and b is not None and same_dimension(a, b), (one, other)
    assert dimension_of("deg") == NONE
    assert dimension_of("mm") != dimension_of("N m")


@pytest.mark.parametrize(
    "text", ["1", "m", "kg m²", "N/m", "N s/m", "Pa", "kg/m³", "kg/(m^0.5 s^2)", "kg m^2/(s^4 A)"]
)
def test_the_text_of_a_dimension_reads_back_as_it(text: str) -> None:
    dimension = dimension_of(text)
    assert dimension is not None and text_of(dimension) == text


def test_a_quantity_is_a_number_and_a_unit_and_no_expression() -> None:
    for text, number in (
        ("35 mm", 0.035), ("-90deg", -math.pi / 2), ("2.5e3 N/mm", 2.5e6), (" .5 kg m^2", 0.5),
        ("0.5 1/ms", 500.0),
    ):  # fmt: skip
        found = read_quantity(text)
        assert found is not None and found[1].in_si(found[0]) == pytest.approx(number, rel=1e-15)
    for text in (
        "35",
        "5 - 1",
        "5 m - 1",
        "2 * m",
        "mm",
        "5 furlong",
        "3 x",
        "2 + 3 mm",
        "0.51/s",
        "5 1",
    ):
        assert read_quantity(text) is None, text


@pytest.mark.parametrize("text", ["mm^-400", "g^400", "min^300", "mm^30 g^-30", "deg^-900"])
def test_powers_that_no_number_holds_are_no_units(text: str) -> None:
    assert unit_of(text) is None and read_quantity(f"1 {text}") is None


def test_powers_up_to_sixty_decades_are_units() -> None:
    assert unit_of("mm^-20") is not None
    assert unit_of("mm^-20").factor == pytest.approx(1e60, rel=1e-12)

"""Whatever is given to `tb.live` and `tb.simulate` where a number belongs: it is taken, or refused
in our words, never by Python's own errors, and never by a crash."""

import inspect
import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.errors import TouchbackError
from touchback.gallery import make
from touchback.simulate.solvers import METHODS

WRONG = (
    "fast", b"1", [1, 2], {}, object(), float, 1j, np.array([1.0]), True, math.nan, math.inf,
    -math.inf, 1e308, 5e-324, -1.0, 0, 1.5, 2**63, 2**64, -(2**63), 10**400,
)  # fmt: skip
NO_NUMBERS = ("fast", b"1", [1, 2], {}, object(), float, 1j, np.array([1.0]))
LIVE = [name for name in inspect.signature(tb.live).parameters if name not in ("system", "record")]
RUN = [
    name for name in inspect.signature(tb.simulate).parameters if name not in ("system", "options")
]
OPTIONS = [
    (word, each.name) for word in ("dopri5", "radau5", "rk4", "implicit-euler", "LSODA")
    for each in fields(METHODS[word])
]  # fmt: skip


@pytest.fixture(scope="module")
def system() -> tb.System:
    return make("pendulum").compile()


def taken_or_refused(call: Callable[[Any], object]) -> None:
    for wrong in WRONG:
        try:
            call(wrong)
        except TouchbackError as error:
            assert str(error)


@pytest.mark.parametrize("name", LIVE)
def test_a_live_run_takes_or_refuses_in_our_words(name: str, system: tb.System) -> None:
    taken_or_refused(lambda wrong: tb.live(system, **{name: wrong}))


@pytest.mark.parametrize("name", RUN)
def test_a_run_takes_or_refuses_in_our_words(name: str, system: tb.System) -> None:
    taken_or_refused(lambda wrong: tb.simulate(system, **{"duration": 0.002, name: wrong}))


@pytest.mark.parametrize(("method", "option"), OPTIONS)
def test_options_of_solvers_do_too(method: str, option: str, system: tb.System) -> None:
    given = {"duration": 0.002, "method": method}
    taken_or_refused(lambda wrong: tb.simulate(system, **given, **{option: wrong}))


@pytest.mark.parametrize("kind", [tb.Baumgarte, tb.AugmentedLagrangian])
def test_settings_of_formulations_do_too(kind: Callable[..., object]) -> None:
    for each in fields(kind):  # type: ignore[arg-type]
        taken_or_refused(lambda wrong, name=each.name: kind(**{name: wrong}))


@pytest.mark.parametrize(
    "name", ["rate", "speed", "substeps", "max_speed", "priority", "cpu", "spin"]
)
def test_what_is_no_number_is_refused_by_name_where_a_number_belongs(
    name: str, system: tb.System
) -> None:
    for wrong in NO_NUMBERS:
        with pytest.raises(tb.InputError, match=rf"{name}.*, got "):
            tb.live(system, **{name: wrong})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"speed": 1e308}, r"speed is 1\.0 for real time, 1e-06 to 1e\+06 of it.*, got 1e\+308"),
        ({"cpu": 1.5}, "cpu is the number of a processor"),
        ({"cpu": -1}, "cpu is the number of a processor"),
        ({"substeps": 2.0}, "A tick has 1 to 100000 substeps, got 2.0"),
        ({"rate": 10**5000}, "ticks a second, got a number of too many digits"),
    ],
)
def test_numbers_that_no_clock_can_have_are_refused(
    given: dict[str, Any], told: str, system: tb.System
) -> None:
    with pytest.raises(tb.InputError, match=told):
        tb.live(system, **given)


def test_limits_that_would_wrap_around_are_refused(system: tb.System) -> None:
    for limit in (2**63, 2**64, 1e6, "many"):
        with pytest.raises(tb.InputError, match="step_limit must be at least 1, and whole"):
            tb.simulate(system, duration=0.1, step_limit=limit)


def test_an_output_step_beyond_the_end_records_the_ends_only(system: tb.System) -> None:
    """C counts steps between outputs in 64 bits: one more would be none."""
    run = tb.simulate(system, duration=0.1, method="rk4", step=1e-2, output_step=2.0**64)
    np.testing.assert_allclose(run.time, [0.0, 0.1])

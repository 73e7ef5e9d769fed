"""Constraints in descriptions: what is refused, and what becomes of them in parts and files."""

import contextlib
import io
import re

import numpy as np
import pytest

import touchback as tb
import update_docs  # noqa: F401  (fills the tables)
from constraint_faults import CONSTRAINT_FAULTS, four_bar, slider_crank, two_arms
from faults import FAULTS, Fault
from touchback.errors import TouchbackError
from touchback.model.io import model_from_text, to_text


@pytest.mark.parametrize("fault", CONSTRAINT_FAULTS, ids=lambda fault: fault.title)
def test_a_faulty_constraint_gets_its_message(fault: Fault) -> None:
    if fault.is_said:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            fault.run()
        assert printed.getvalue().strip() == fault.message
        return
    with pytest.raises(TouchbackError) as caught:
        fault.run()
    words, numbers = _read(str(caught.value))
    expected_words, expected_numbers = _read(fault.message)
    assert words == expected_words
    # where a search ends at best depends on the last bits, and those on the machine
    assert numbers == pytest.approx(expected_numbers, rel=0.1)


def _read(message: str) -> tuple[str, list[float]]:
    """The text of a message, and the decimal fractions in it."""
    fraction = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
    return fraction.sub("#", message), [float(found) for found in fraction.findall(message)]


def test_faulty_constraints_are_many_and_told_apart() -> None:
    assert len(CONSTRAINT_FAULTS) >= 60
    for told in ("title", "shown"):
        both = [getattr(fault, told) for fault in (*CONSTRAINT_FAULTS, *FAULTS)]
        assert len(set(both)) == len(both)


def test_the_models_that_faults_are_put_into_have_none() -> None:
    two_arms().compile()
    for make in (slider_crank, four_bar):
        assert make().compile().freedoms().freedoms == 1


def legs() -> tb.Model:
    """Two copies of a geared pair of arms, tied to each other."""
    leg = two_arms()
    ratio = leg.parameter("ratio", -2.0)
    leg.couple("gears", tb.Gear("left", "right", ratio))
    leg.constrain("hold", position=leg.coordinate("left") - 0.1 * leg.time, through="right")
    leg.close("rod", tb.Rod(leg.parameter("length", 1.0)), "left", "right", active=False)
    leg.sensor("effort", tb.Multiplier("gears"))
    leg.sensor("pull", tb.Reaction("rod"))
    m = tb.Model("walker")
    for name, y in (("a", 0.0), ("b", 1.0)):
        m.add(leg, at=m.ground.at(0, y, 0), name=name, bind={"ratio": -1.0} if name == "b" else {})
    m.drive("b/left", tb.Sine(0.2), name="swing", active=False)
    m.couple("step", tb.Gear("a/right", "b/right", active=False))
    return m


def test_constraints_of_parts_keep_to_their_part() -> None:
    system = legs().compile()
    assert system.active == ("a/gears", "b/gears", "a/hold", "b/hold")
    J = system.terms(None, None).J
    assert system.velocities == ("a/left", "a/right", "b/left", "b/right")
    np.testing.assert_array_equal(J[0], [2.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(J[1], [0.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(system.terms(None, None).W[3], [0.0, 0.0, 0.0, 1.0])


def test_parts_with_constraints_are_written_and_read_back() -> None:
    text = to_text(legs())
    again = model_from_text(text)
    assert to_text(again) == text
    start = legs().compile().initial_state()
    systems = legs().compile(), again.compile()
    rates = [system.forward_dynamics(start.q, start.v + 0.1) for system in systems]
    assert np.array_equal(*rates)


def test_what_is_described_as_inactive_stays_so_in_a_file() -> None:
    again = model_from_text(to_text(legs()))
    assert not again.drives["swing"].active and not again.couplings["step"].active
    assert not again.parts["a"].model.closures["rod"].active

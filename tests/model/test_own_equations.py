"""An equation of a closure that somebody adds is refused by name where nothing treats it yet."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.dynamics import loop_closures
from touchback.errors import InputError, ModelError
from touchback.interop.export_targets import generate
from touchback.model import JointKind, TurnAbout
from touchback.model.closure_equations import ClosureEquation


@dataclass(frozen=True)
class OwnOffset(ClosureEquation):
    """As `ZeroOffsetAlong`, but unknown to the package."""

    direction: tuple[float, float, float]


class OwnHinge(JointKind, frozen=True, tag="own-hinge"):
    def steps(self) -> list[TurnAbout]:
        return [TurnAbout(1)]

    def equations(self) -> tuple[OwnOffset, ...]:
        return OwnOffset((1.0, 0.0, 0.0)), OwnOffset((0.0, 0.0, 1.0))


def slider_crank() -> tb.Model:
    m = tb.Model("slider-crank")
    crank, rod, slider = (m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in "abc")
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=0.3)
    m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.5)
    m.close("pin", OwnHinge(), slider, rod.at(0.4, 0, 0))
    return m


def test_it_needs_a_writer_of_its_row() -> None:
    with pytest.raises(ModelError, match=r"pin.*OwnOffset.*_WRITERS"):
        slider_crank().compile()


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> tb.Model:
    writers = loop_closures._WRITERS
    monkeypatch.setitem(writers, OwnOffset, loop_closures._zero_offset_row)
    return slider_crank()


def test_it_then_closes_loops(known: tb.Model) -> None:
    system = known.compile()
    run = tb.simulate(system, system.assemble(), duration=0.2)
    crank, rod, slider = (run[name][-1] for name in ("crank", "rod", "slider"))
    end = np.array([0.1 * np.cos(crank), -0.1 * np.sin(crank)])
    end += 0.4 * np.array([np.cos(crank + rod), -np.sin(crank + rod)])
    assert np.allclose(end, [slider, 0.0], atol=1e-9)


def test_modelica_names_it(known: tb.Model, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="OwnOffset"):
        generate(known, "modelica", tmp_path / "own.mo")


def test_natural_coordinates_name_it(known: tb.Model) -> None:
    system = known.compile()
    with pytest.raises(InputError, match=r"'pin': its equation OwnOffset"):
        tb.quality(system, system.assemble(), 0.1, steps=(1e-3,), natural=True, progress=False)

"""A key's balance, friction and damper are found from its forces, and curves of nothing refused."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import fitted_piano
from touchback.gallery.fitted_piano import BUILT, LOAD_CELL, SCALE
from touchback.instruments.piano.action_specification import Specification
from touchback.system import System

SHALLOW = 6.5e-3  # m: above the let-off
BEFORE_LET_OFF = ("key lead mass", "centre friction", "damper mass")
KEYS = (
    BUILT,
    {"key lead mass": 0.045, "centre friction": 0.7, "let-off button height": -0.3e-3,
     "jack spring": 0.006, "damper mass": 0.025, "key dip": 9.3e-3},
    {"key lead mass": 0.030, "centre friction": 1.0, "let-off button height": 0.4e-3,
     "jack spring": 0.0075, "damper mass": 0.030, "key dip": 10e-3},
)  # fmt: skip
# What the scale's steps of q are as noise, q/√12, through the load cell's 20 N/mm.
NOISE = float(np.hypot(LOAD_CELL, 2e4 * SCALE / np.sqrt(12)))


@pytest.fixture(scope="module")
def system() -> System:
    return fitted_piano.make().compile()


def test_a_press_above_the_let_off_tells_balance_friction_and_damper(system: System) -> None:
    curve = fitted_piano.log(bottom=SHALLOW)
    known = {name: value for name, value in BUILT.items() if name not in BEFORE_LET_OFF}
    found = fitted_piano.fit(system, curve, at=known)
    for name in BEFORE_LET_OFF:  # each outside of 3.5 errors in one of 2000 logs
        assert abs(found[name] - BUILT[name]) < 3.5 * found.errors[name]
        assert found.errors[name] < 0.02 * BUILT[name]
    # 300 samples tell a standard deviation to 4 %
    assert found.noise["key force"] == pytest.approx(NOISE, rel=0.2)
    assert not any("white noise" in said for said in found.cautions)
    balance, _ = _weighed(curve)
    drawn = {name: value.default for name, value in fitted_piano.drawn().items()}
    usual, _ = _weighed(_pressed(system, drawn, SHALLOW))
    spec = Specification()
    arm = spec.masses.lead_distance / spec.dimensions.key_front
    # What a technician would say of the two balance weights (Stanwood: half of down and up weight):
    # that a lead at its place is lighter by so much. 40 samples each leave 0.2 g.
    lighter = (balance - usual) / 9.81 / arm
    assert spec.masses.leads - found["key lead mass"] == pytest.approx(lighter, abs=0.8e-3)


@pytest.mark.soak
@pytest.mark.parametrize("key", KEYS, ids=["usual", "early let-off", "late let-off"])
def test_all_that_a_whole_curve_tells_is_found(system: System, key: dict[str, float]) -> None:
    curve = fitted_piano.log(built=key)
    found = fitted_piano.fit(system, curve)
    for name, value in key.items():
        assert abs(found[name] - value) < 3.5 * found.errors[name]
        if key is BUILT:
            assert found[name] == pytest.approx(fitted_piano.FOUND[name], abs=found.errors[name])
    assert found.noise["key force"] == pytest.approx(NOISE, rel=0.2)
    foretold = np.isnan(fitted_piano.counted(curve)["key force"])
    run = _pressed(system, found.parameters, fitted_piano.BELOW)
    left = (curve["key force"] - run["key force"])[foretold]
    assert foretold.sum() > 100 and np.sqrt(np.mean(left**2)) < 2.0 * NOISE


def test_a_curve_in_other_units_is_the_same_curve(tmp_path: Path) -> None:
    file = tmp_path / "key.csv"
    rows = "0;0;0", "0.5;5;0.5", "1;10;4", "1.4;6;0.9", "1.7;3;0.2", "2;0;0"
    file.write_text("\n".join(("time [s];key travel [mm];key force [N]", *rows, "")))
    curve = fitted_piano.in_si(tb.open(file))
    np.testing.assert_allclose(curve["key travel"], [0, 5e-3, 10e-3, 6e-3, 3e-3, 0], rtol=1e-15)
    assert curve.units == {"key travel": "m", "key force": "N"}
    left_out = np.isnan(fitted_piano.counted(curve)["key force"])
    assert np.flatnonzero(left_out).tolist() == [3]  # where the jack comes back under the knuckle


@pytest.mark.parametrize(
    ("header", "row", "why"),
    [
        ("depth [mm];key force [N]", "5;1", "no 'key travel'; it has depth, key force"),
        ("key travel [mm];key force", "5;1", "'key force' is in '', which isn't a unit of N"),
        ("key travel [mm];key force [g]", "5;50", "1 gram of weight is 0.00980665 N"),
        ("key travel [m];key force [N]", "5;1", "'key travel' reaches 5 m"),
        ("key travel [mm];key force [N]", "-5;1", "downwards is positive"),
        ("key travel [mm];key force [N]", "5;-1", "pushing down is positive"),
        ("key travel [mm];key force [N]", "5;300", "'key force' is 300 N on average"),
    ],
)
def test_a_table_that_can_t_be_a_key_s_curve_is_refused(
    tmp_path: Path, header: str, row: str, why: str
) -> None:
    file = tmp_path / "key.csv"
    file.write_text(f"time [s];{header}\n0;0;0\n1;{row}\n2;{row}\n3;0;0\n")
    with pytest.raises(tb.InputError) as refused:
        fitted_piano.in_si(tb.open(file))
    assert why in str(refused.value)


def test_a_press_whose_travel_is_missing_is_refused() -> None:
    t = np.arange(5.0)
    travel = np.array([0.0, 0.005, np.nan, 0.005, 0.0])
    curve = tb.Run(t, {"key travel": travel, "key force": t}, fitted_piano.MEASURED)
    with pytest.raises(tb.InputError, match="'key travel' has no number at 2 s"):
        fitted_piano.in_si(curve)


def test_a_curve_that_begins_with_the_key_held_down_is_refused() -> None:
    t = np.arange(5.0)
    curve = tb.Run(t, {"key travel": np.full(5, 0.005), "key force": t}, fitted_piano.MEASURED)
    with pytest.raises(tb.InputError, match=r"begins at 0\.005 m; begin with the key at rest"):
        fitted_piano.in_si(curve)


def _pressed(system: System, parameters: Mapping[str, float], bottom: float) -> tb.Run:
    times, travel = fitted_piano.press(bottom)
    return tb.simulate(
        system, duration=times[-1], parameters=parameters, inputs={"key travel": (times, travel)},
        output_step=fitted_piano.SAMPLE, progress=False,
    )  # fmt: skip


def _weighed(curve: tb.Run) -> tuple[float, float]:
    """Balance and friction [N]: half the sum and half the difference of the forces on the way down
    and up, between 2 and 4 mm."""
    within = (curve["key travel"] > 2e-3) & (curve["key travel"] < 4e-3)
    down = np.arange(len(curve)) < np.argmax(curve["key travel"])
    going, coming = (float(curve["key force"][within & way].mean()) for way in (down, ~down))
    return (going + coming) / 2, (going - coming) / 2

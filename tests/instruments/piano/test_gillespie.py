"""Gillespie's own action: nine coordinates, six equations in each phase, his order of events."""

import numpy as np
import pytest

from touchback.instruments.piano.gillespie_action import (
    ASSIGNED,
    INITIAL,
    LENGTHS,
    PHASES,
    STRIKES,
    gain,
    gillespie_specification,
    left_out,
    nine_coordinate_action,
    start,
    stroke,
)
from touchback.recording import Run

SPEC = gillespie_specification()


@pytest.fixture(scope="module")
def run() -> Run:
    return stroke(SPEC)


def moments(run: Run) -> dict[str, float]:
    return {each.cause: each.time for each in run.transitions}


def test_every_phase_has_the_sliders_and_artificial_constraints_of_his_table() -> None:
    """Table 3.1: equations of sliders 4, 6, 4, 2 and artificial ones 2, 0, 2, 4; three freedoms."""
    m = nine_coordinate_action(SPEC)
    counts = []
    for phase in PHASES:
        active = m.modes[phase].active
        artificial = sum("tracks" in name for name in active)
        counts.append((len(active) - artificial, artificial))
    assert counts == [(4, 2), (6, 0), (4, 2), (2, 4)]
    system = m.compile()
    assert len(system.coordinates) == 9 and "3 freedoms" in str(system)


def test_all_three_sliders_close_at_his_initial_values() -> None:
    """Table 3.5; where the pins come to lie is the usual 112 to 112.5 mm apart, within 1 mm."""
    system = nine_coordinate_action(SPEC).compile()
    closed = dict(zip(system.coordinates, system.assemble().q, strict=True))
    assert closed == pytest.approx(start(SPEC), abs=1e-9)
    at = SPEC.points
    assert np.hypot(*(at.p3 - at.p2)) == pytest.approx(0.1125, abs=1e-3)
    assert gain(SPEC) == pytest.approx(5.0, abs=0.1)  # "the 5 times mechanical advantage"


def test_each_length_is_taken_once_and_the_others_are_named() -> None:
    taken = [each.length for each in ASSIGNED]
    assert len(set(taken)) == len(taken) == 15
    assert all(getattr(SPEC, each.role) == LENGTHS[each.length] for each in ASSIGNED)
    assert sorted(left_out() + taken) == sorted(LENGTHS)
    assert set(INITIAL) == {f"q{i}" for i in range(1, 10)}


def test_his_ramp_gives_let_off_slip_and_strike_in_his_order_near_his_times(run: Run) -> None:
    """0.1334 s (his text), 0.181 s, about 0.2 s."""
    when = moments(run)
    let_off, slip, strike = (when[each] for each in ("toe meets dolly", "jack slips", STRIKES))
    assert let_off == pytest.approx(0.1334, abs=3e-3)
    assert slip == pytest.approx(0.181, abs=20e-3)
    assert strike == pytest.approx(0.2, abs=12e-3)
    assert let_off < slip < strike
    assert "hammer leaves jack" not in when  # "remained compressive throughout the entire run"
    loaded = (run.time > 0.02) & (run.time < slip)
    assert run["q4"][loaded].min() > 0.0
    assert run["gAB"][run.time > let_off + 1e-3].max() < 1e-9  # "remains at zero during B and C"


def test_jack_and_lever_fall_together_and_part_at_let_off(run: Run) -> None:
    when = moments(run)
    rising = (run.time > 0.105) & (run.time < when["toe meets dolly"])
    letting = (run.time > when["toe meets dolly"]) & (run.time < when["jack slips"])

    def gone(name: str, span: np.ndarray) -> float:
        return float(run[name][span][-1] - run[name][span][0])

    assert gone("q3", rising) < 0.0 and gone("q6", rising) < 0.0
    assert gone("q3", letting) < 0.0 < gone("q6", letting)
    assert gone("q2", rising) > 5.0 * gone("q1", rising) > 0.0


def test_the_string_gives_the_hammer_back_its_speed(run: Run) -> None:
    strike = moments(run)[STRIKES]
    before, after = (
        np.polyfit(run.time[span] - strike, run["q2"][span], 2)[1]
        for span in (
            (run.time > strike - 4e-3) & (run.time < strike),
            (run.time > strike) & (run.time < strike + 4e-3),
        )
    )
    assert before > 1.0 and after == pytest.approx(-before, rel=0.02)  # rad/s
    assert run["q2"].max() < 1e-6


def test_read_as_newtons_a_metre_the_coupler_does_not_carry_the_action() -> None:
    """At rest it bears k₁ (D − q₁): torsional 0.25 N m, about what the parts weigh; else 0.013."""
    arm = {
        "key": SPEC.m2 * SPEC.key_mass,
        "whippen": SPEC.m4 * SPEC.jack_pin * SPEC.capstan / INITIAL["q7"],
        "hammer": SPEC.m1 * gain(SPEC) * SPEC.front * np.cos(INITIAL["q2"]),
    }
    weight = 9.81 * sum(arm.values())  # N m about the key's pin, the lever's 10 g left out
    stiff, soft = gillespie_specification().coupler[0], gillespie_specification(False).coupler[0]
    assert stiff * (-0.0335 - INITIAL["q1"]) == pytest.approx(weight, rel=0.35)
    assert soft * (-0.0335 - INITIAL["q1"]) < 0.05 * weight
    run = stroke(gillespie_specification(torsional=False), duration=0.25)
    assert run["q2"].min() < INITIAL["q2"] - 0.2  # rad: it sinks before the ramp
    assert STRIKES not in moments(run)

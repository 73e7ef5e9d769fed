"""The harpsichord's pluck: on the way up only, when the plectrum gives way, and by what screws."""

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.instruments import harpsichord

DOWN_AND_UP = ([0.0, 0.3, 0.5, 0.8, 1.2], [0.0, 2.0, 2.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def system():
    return harpsichord.harpsichord_key().compile()


def causes(run):
    return [found.cause for found in run.transitions]


def test_a_stroke_plucks_once_and_the_jack_comes_home_in_silence(system):
    run = tb.simulate(system, duration=1.2, inputs={"key force": DOWN_AND_UP})
    assert causes(run) == ["meets", "plucks", "passes"]
    falling = run.time > run.transitions[1].time + 1e-9
    assert np.all(run["string force"][falling] == 0.0)


def test_the_plectrum_gives_way_at_its_strength(system):
    run = tb.simulate(system, duration=1.2, inputs={"key force": DOWN_AND_UP}, output_step=1e-4)
    assert run["string force"].max() == pytest.approx(1.0, rel=0.02)  # sampled every 0.1 ms
    pluck = run.transitions[1].time
    jack = np.interp(pluck, run.time, run["jack"])
    assert jack == pytest.approx(3.2e-3 + 1.0 / 700.0, rel=1e-4)  # where the force is 1 N


def test_a_stronger_plectrum_plucks_later_and_a_press_that_is_too_soft_not_at_all(system):
    times = []
    for strength in (0.5, 1.0, 1.5):
        run = tb.simulate(
            system, duration=0.6, inputs={"key force": DOWN_AND_UP},
            parameters={"plectrum strength": strength},
        )  # fmt: skip
        times.append(run.transitions[1].time)
    assert times == sorted(times)
    soft = tb.simulate(system, duration=2.0, inputs={"key force": ([0, 1, 2], [0, 0.5, 0.5])})
    assert "plucks" not in causes(soft)


def test_a_finger_that_turns_back_before_the_pluck_sounds_nothing(system):
    inputs = {"key force": ([0.0, 0.5, 1.0, 1.5], [0.0, 0.4, 0.0, 0.0])}
    run = tb.simulate(system, duration=1.5, inputs=inputs)
    assert causes(run)[-1] == "gives up"  # after some bounces on the plectrum
    assert "plucks" not in causes(run)


def test_a_second_stroke_before_the_jack_is_home_is_silent(system):
    run = gallery.entry("harpsichord").experiment.run(system)
    assert causes(run).count("plucks") == 2  # of three strokes


def test_the_force_felt_is_the_string_s_through_the_lever(system):
    run = gallery.entry("harpsichord").experiment.run(system)
    lever = harpsichord.BACK / harpsichord.FRONT
    weight = harpsichord.JACK_MASS * harpsichord.GRAVITY
    np.testing.assert_allclose(run["felt force"], (run["string force"] + weight) * lever)

"""What else integrates with error control, or beside records, ends steps at the same knots:
batches, the quality laboratory, sensitivities and fits; and the gallery's mechanisms move when they
are pushed for a moment."""

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.analysis.quality.quality_result import Candidate
from touchback.analysis.quality.quality_sweep import Bench, Clock
from touchback.progress import Progress
from touchback.simulate.run_spec import RunSpec

PULSE = np.array([2.0, 2.0005, 2.001]), np.array([0.0, 1000.0, 0.0])
IMPULSE = 0.5  # N s
DURATION = 5.0
SOAK = pytest.mark.soak


@pytest.fixture(scope="module")
def pushed():
    m = tb.Model("mass", gravity=(0, 0, 0))
    gain = m.parameter("gain", 1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0))
    m.force("push", tb.JointEffort("x", gain * m.input("force", unit="N")))
    m.force("late", tb.JointEffort("x", m.parameter("kick", 0.0) * tb.select(
        m.time < 2.0, 0.0, tb.select(m.time < 2.001, 1000.0, 0.0))))  # fmt: skip
    return m.compile()


@pytest.mark.parametrize("given", [{"inputs": {"force": PULSE}}, {"at": {"kick": 0.5}}])
def test_sensitivities_see_a_pulse(pushed, given):
    name = "gain" if "inputs" in given else "kick"
    found = tb.sensitivity(
        pushed, duration=DURATION, parameters=[name], outputs=["x rate"], **given
    )
    slope = IMPULSE if name == "gain" else 1.0  # of the speed by the parameter
    assert abs(found.run["x rate"][-1] - 0.5) < 1e-7
    assert abs(found["x rate", name][-1] - slope) < 1e-7
    assert abs(found["x rate", name][found.time < 2.0]).max() == 0.0


BUMP = DURATION * 2e-4  # s: half the time within which it rises and falls to 1/e


@pytest.fixture(scope="module")
def bumped():
    """A free mass, pushed by `gain` N s in a smooth bump of a thousandth of the run at `centre`."""
    m = tb.Model("bumped", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0))
    width = m.parameter("width", BUMP)
    s = (m.time - m.parameter("centre", 3.3)) / width
    law = m.parameter("gain", 1.0) * tb.exp(-s * s) / (width * np.sqrt(np.pi))
    m.force("push", tb.JointEffort("x", law))
    return m.compile()


@pytest.mark.parametrize(
    "options", [{"step": DURATION / 100, "at": {"width": 0.01}}, pytest.param({}, marks=SOAK)]
)
def test_sensitivities_see_a_short_smooth_bump_of_a_law(bumped, options):
    """v = gain and x = gain (T − centre) at the end, in closed form. A thousand steps, as they are
    without one that is asked for, take ten seconds."""
    found = tb.sensitivity(
        bumped, duration=DURATION, parameters=["gain", "centre"], rtol=1e-7, atol=1e-9, **options
    )
    wanted = {
        ("x rate", "gain"): 1.0, ("x rate", "centre"): 0.0,
        ("x", "gain"): DURATION - 3.3, ("x", "centre"): -1.0,
    }  # fmt: skip
    assert found.run["x rate"][-1] == pytest.approx(1.0, abs=1e-6)
    for pair, slope in wanted.items():
        assert found[pair][-1] == pytest.approx(slope, abs=1e-5), pair


def test_a_longer_step_can_be_asked_of_sensitivities(bumped):
    """As of a run: it then steps over what is shorter, and takes a small part of the time."""
    found = tb.sensitivity(bumped, duration=DURATION, parameters=["gain"], step=1.0)
    assert abs(found.run["x rate"][-1]) < 1e-3


def fit(system, parameters, speeds, **options):
    """By speeds of a mass that are measured every 0.1 s, in steps of 0.1 s."""
    time = np.linspace(0.0, DURATION, 51)
    run = tb.Run(time, {"x rate": speeds(time)}, {"x rate": "m/s"}, {})
    return tb.identify(
        system, run, parameters=parameters, signals=["x rate"], x0=np.zeros(2), step=0.1,
        noise={"x rate": 1e-3}, **options,
    )  # fmt: skip


def test_fits_see_a_short_smooth_bump_of_a_law(bumped):
    found = fit(bumped, ["gain"], lambda t: 1.7 * (t > 3.4), at={"centre": 3.35})
    assert abs(found["gain"] - 1.7) < 1e-4


def test_fits_read_nothing_of_a_law_beyond_the_jump_at_which_a_step_ends(pushed):
    """A rectangle of 1 ms: RK4 is exact within each of its parts, but for rounding."""
    found = fit(pushed, {"kick": 0.1}, lambda t: 0.7 * (t > 2.05), inputs={"force": 0.0})
    assert abs(found["kick"] - 0.7) < 1e-9


def test_fits_end_steps_at_kinks_of_samples_and_where_functions_say(pushed):
    rectangle = tb.TimeFunction(
        lambda t: 500.0 if 1.2345 <= t < 1.2355 else 0.0, knots=[1.2345, 1.2355]
    )
    triangle = [1.2345, 1.2346, 1.2355], [0.0, 1000.0, 0.0]
    for force in (rectangle, triangle):
        found = fit(pushed, ["gain"], lambda t: 0.65 * (t > 1.24), inputs={"force": force})
        assert abs(found["gain"] - 1.3) < 1e-9


def test_batches_with_adaptive_steps_see_pulses_of_each_instance(pushed):
    """Samples are 5 s / 5000 apart; each instance has its peak of 500 N elsewhere."""
    places = [1203, 2500, 4711]
    force = np.zeros((3, 5001))
    force[range(3), places] = 500.0
    found = pushed.batch(3).run(
        duration=DURATION, method="dopri5", output_step=0.5, inputs={"force": force}
    )
    assert np.abs(found.last("x rate") - 0.5).max() < 1e-7


@pytest.mark.parametrize("method", ["dopri5", "radau5", "RK45"])
def test_the_quality_laboratory_and_its_reference_see_a_pulse(pushed, method):
    with Progress("bench", False) as shown:
        spec = RunSpec.read(pushed, DURATION, inputs={"force": PULSE}).from_state(np.zeros(2))
        bench = Bench(spec, Clock(60.0, shown))
        run = bench.run(Candidate(None, method, False), DURATION)
    assert abs(run.states[-1, 1] - IMPULSE) < 1e-7


def test_fits_see_a_pulse_between_measured_instants(pushed):
    """A gain of 1.3 from speeds measured every 0.1 s, though the pulse lasts 1 ms between two of
    them and steps are 10 ms long."""
    time = np.linspace(0.0, DURATION, 51)
    pulse = PULSE[0] + 0.0333, PULSE[1]
    speed = 1.3 * IMPULSE * (time > 2.03)
    run = tb.Run(time, {"x rate": speed}, {"x rate": "m/s"}, {})
    found = tb.identify(
        pushed, run, parameters=["gain"], signals=["x rate"], x0=np.zeros(2),
        inputs={"force": pulse}, step=0.01, noise={"x rate": 1e-3},
    )  # fmt: skip
    assert abs(found["gain"] - 1.3) < 1e-9


def test_the_motor_arm_moves_by_a_pulse_of_voltage():
    system = gallery.make("motor-arm").compile()
    rest = {"voltage": 0.0}
    pulse = {"voltage": ([2.0, 2.01, 2.02], [0.0, 24.0, 0.0])}
    runs = [
        tb.simulate(system, system.assemble(), 2.2, inputs=pulse, progress=False, **options)
        for options in ({}, {"method": "radau5"}, {"method": "rk4", "step": 1e-5})
    ]
    still = tb.simulate(system, system.assemble(), 2.2, inputs=rest, progress=False)
    assert np.ptp(still["shoulder"]) == 0.0
    fine = runs[2]["shoulder"][-1]
    assert abs(fine) > 0.01  # rad
    for run in runs[:2]:
        assert abs(run["shoulder"][-1] - fine) < 1e-6


@pytest.fixture(scope="module")
def omni_wheel():
    return gallery.make("omni-wheel").compile()


def test_the_omni_wheel_moves_by_a_pulse_on_its_axle(omni_wheel):
    pulse = {"axle torque": ([0.5, 0.51, 0.52], [0.0, 0.2, 0.0])}
    adaptive = tb.simulate(omni_wheel, duration=0.7, inputs=pulse, progress=False)
    fixed = tb.simulate(
        omni_wheel, duration=0.7, inputs=pulse, method="rk4", step=1e-4, progress=False
    )
    assert abs(fixed["centre.x"][-1]) > 1e-3  # m
    assert abs(adaptive["centre.x"][-1] - fixed["centre.x"][-1]) < 1e-5

"""What else integrates with error control, or beside records, ends steps at the same knots:
batches, the quality laboratory, sensitivities and fits; and the gallery's mechanisms move when they
are pushed for a moment."""

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.analysis.quality.bench import Bench, Clock
from touchback.analysis.quality.row import Candidate
from touchback.simulate.progress import Progress

PULSE = np.array([2.0, 2.0005, 2.001]), np.array([0.0, 1000.0, 0.0])
IMPULSE = 0.5  # N s
DURATION = 5.0


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
        bench = Bench(pushed, np.zeros(2), DURATION, {"force": PULSE}, Clock(60.0, shown))
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

"""Batches of mechanisms with rigid contacts by time stepping: each instance as if it ran alone,
though equations are derived once and one thread runs many of them in the same memory."""

import os
import signal
import threading

import numpy as np
import pytest

import touchback as tb
from featured_models import FEATURES, cart_and_pendulum
from tests.batch.own_runs import alone, assert_same_bits, assert_same_end
from touchback.batch import native_per_thread, threaded_simulate
from touchback.simulate import time_stepping_contact

STEP, RADIUS = 1e-3, 0.05
GRID = {"method": "moreau-jean", "step": STEP}


def balls() -> tb.Model:
    """Three balls that lie on each other, fall and roll: impulses hang together and are swept. A
    mark on the last lies where a parameter says."""
    m = tb.Model("balls")
    friction, bounce = m.parameter("friction", 0.4, min=0.0), m.parameter("bounce", 0.3, max=1.0)
    others: list[tb.Frame] = []
    for i in range(3):
        body = m.body(f"ball{i}", 1.0, inertia=(1e-3,) * 3)
        at = (0.02 * i, 0.01 * i, 0.05 + 0.095 * i, 1, 0, 0, 0)
        m.joint(f"ball{i}", tb.Free(), m.ground, body, position=at)
        ball, floor = body.at(0, 0, 0), m.ground.at(0, 0, 0)
        laws = {"friction": friction, "restitution": bounce}
        m.contact(f"floor{i}", tb.contact.SpherePlaneContact(ball, floor, RADIUS, **laws))
        for k, other in enumerate(others):
            touch = tb.contact.SphereSphereContact(ball, other, RADIUS, RADIUS, friction=friction)
            m.contact(f"{i} on {k}", touch)
        others.append(ball)
    m.sensor("mark", tb.Position(tb.Frame("ball2", at=(m.parameter("place", 0.01), 0, 0))))
    return m


def cart(tied: bool) -> tb.System:
    """A pendulum on a cart whose tip meets a floor, pushed; tied: with a constraint besides."""
    m = cart_and_pendulum("cart on a floor")
    FEATURES["rigid contacts"](m)
    if tied:
        FEATURES["written constraints"](m)
    return m.compile()


@pytest.fixture(scope="module")
def heap() -> tb.System:
    return balls().compile()


def states(heap: tb.System, count: int) -> np.ndarray:
    """Falls of each."""
    x, nq = np.tile(heap.initial_state().x, (count, 1)), heap.sizes[0]
    x[:, nq:] = np.random.default_rng(5).normal(size=(count, x.shape[1] - nq))
    return x


@pytest.mark.parametrize("threads", [1, 2])
def test_each_instance_has_the_bits_of_a_run_of_its_own(heap, threads) -> None:
    """States and sensors, with friction and restitution of each. Impulses are guessed from the last
    two steps: of this instance, and not of the one before it."""
    x = states(heap, 5)
    given = {"friction": np.linspace(0.0, 0.8, 5), "bounce": np.linspace(0.0, 0.9, 5)}
    given["place"] = np.linspace(0.0, 0.05, 5)
    ran = heap.batch(5).run(x, 0.3, parameters=given, threads=threads, **GRID)
    assert ran.whole.all() and ran.threads == threads and len(ran.time) == 301
    for i in range(5):
        run = alone(heap, x, {"parameters": given}, i, 0.3, **GRID)[0]
        assert run.metadata["statistics"]["swept"] > 5 or i == 0
        assert_same_bits(ran, i, run)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("duration", [0.2, 0.2004, 0.2006, 0.0006])
def test_inputs_constraints_and_ends_are_those_of_runs_of_their_own(tied, duration) -> None:
    """Forces along samples of each; a run ends with the step nearest to its duration, be it a
    little later, and that is recorded."""
    system, push = cart(tied), np.random.default_rng(3).normal(size=(3, 5))
    given = {"inputs": {"push": push}, "parameters": {"stiffness": np.array([20.0, 40.0, 80.0])}}
    ran = system.batch(3).run(None, duration, start=0.5, theta=0.7, threads=1, **given, **GRID)
    times = np.linspace(0.5, 0.5 + duration, 5)
    own = {**given, "inputs": {"push": [(times, each) for each in push]}}
    for i in range(3):
        run = alone(system, None, own, i, duration, start=0.5, theta=0.7, **GRID)[0]
        assert ran.ended[i] == run.time[-1] and np.array_equal(ran.time, run.time)
        assert_same_bits(ran, i, run)


@pytest.mark.filterwarnings("ignore:(invalid value|overflow):RuntimeWarning")  # of energies
@pytest.mark.parametrize("threads", [1, 2])
def test_those_that_fail_say_what_runs_of_their_own_say(threads) -> None:
    """Speeds beyond all numbers at once, and torques that lead to such; the others don't notice."""
    system, torque = cart(tied=False), np.zeros((5, 3))
    x = np.tile(system.initial_state().x, (5, 1))
    x[1, 3], torque[3, 2] = 1e200, 1e308
    given = {"inputs": {"torque": torque}}
    ran = system.batch(5).run(x, 0.05, threads=threads, **given, **GRID)
    assert list(ran.failed) == [1, 3] == sorted(ran.reasons)
    assert ran.ended[1] == 0.0 and 0.02 < ran.ended[3] < 0.05
    times = np.linspace(0.0, 0.05, 3)
    own = {"inputs": {"torque": [(times, each) for each in torque]}}
    for i in range(5):
        assert_same_end(ran, i, *alone(system, x, own, i, 0.05, **GRID))
    assert np.array_equal(ran.record[0], ran.record[2]) and np.array_equal(ran.x[0], ran.x[4])


def shaft() -> tb.Model:
    """Two balls above each other in a square shaft that is a little too narrow, with friction by
    which they jam."""
    m = tb.Model("shaft")
    friction, balls = m.parameter("friction", 0.4, min=0.0), []
    walls = [
        m.ground.at(*at, turn=(axis, 1.5 * sign))
        for sign in (1, -1)
        for axis, at in (("y", (-0.0499 * sign, 0, 0)), ("x", (0, 0.0499 * sign, 0)))
    ]
    for i in range(2):
        body = m.body(f"ball{i}", 1.0, inertia=(1e-3,) * 3)
        m.joint(
            f"ball{i}", tb.Free(), m.ground, body, position=(0, 0, 0.05 + 0.0999 * i, 1, 0, 0, 0)
        )
        balls.append(body.at(0, 0, 0))
        for k, plane in enumerate((m.ground.at(0, 0, 0), *walls)):
            touch = tb.contact.SpherePlaneContact(balls[i], plane, RADIUS, friction=friction)
            m.contact(f"{i} at {k}", touch)
    m.contact("both", tb.contact.SphereSphereContact(*balls, RADIUS, RADIUS, friction=friction))
    return m


def test_impulses_that_do_not_settle_are_told_of_with_the_whole_run() -> None:
    """Of forty that are thrown about in the shaft, some steps of which have no impulses."""
    system = shaft().compile()
    x, given = states(system, 40), {"friction": np.repeat([30.0, 100.0, 300.0, 1000.0], 10)}
    x[:20, system.sizes[0] :] *= 100.0
    ran = system.batch(40).run(x, 0.01, parameters=given, **GRID)
    unsettled = [i for i, why in ran.reasons.items() if "did not settle" in why]
    assert unsettled and len(ran.reasons) < 40
    for i in (*ran.reasons, 20, 30):
        assert_same_end(ran, i, *alone(system, x, {"parameters": given}, i, 0.01, **GRID))
    assert np.allclose(ran.ended[unsettled], 0.01) and np.isfinite(ran.record[unsettled]).all()


def test_equations_are_derived_once_for_all(heap, monkeypatch) -> None:
    made: list[object] = []
    usual = time_stepping_contact.MoreauJeanStepper.__init__
    monkeypatch.setattr(
        time_stepping_contact.MoreauJeanStepper,
        "__init__",
        lambda *given: (made.append(1), usual(*given))[1],
    )
    asked: list[int] = []
    once_more = native_per_thread.run_alone

    def noted(*given: object) -> dict[int, str]:
        asked.extend(given[1])
        return once_more(*given)

    monkeypatch.setattr(native_per_thread, "run_alone", noted)
    heap.batch(4).run(None, 0.01, threads=2, **GRID)
    assert len(made) == 1 and asked == []


def test_sensors_of_accelerations_are_refused_by_name() -> None:
    m = balls()
    m.sensor("felt", tb.Accelerometer(tb.Frame("ball0")))
    with pytest.raises(tb.InputError, match=r"balls: sensor 'felt\.x' depends on accelerations"):
        m.compile().batch(2).run(None, 0.01, **GRID)


def test_ctrl_c_ends_a_batch_and_keeps_what_is_done(heap) -> None:
    batch, x = heap.batch(1 << 10), heap.initial_state().x
    pressed = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    pressed.start()
    with pytest.raises(tb.batch.BatchInterrupted, match="interrupted; of 1024 instances") as told:
        batch.run(x, 5.0, record=["mark.x"], **GRID)
    pressed.join()
    ran = told.value.run
    assert ran.whole.sum() < len(ran) and not ran.reasons
    assert np.isfinite(ran.record[ran.whole]).all() and np.isnan(ran.record[ran.failed]).all()
    assert np.isnan(ran.ended[ran.failed]).all() and (ran.x[ran.failed] == x).all()


def test_ctrl_c_is_heard_while_one_that_failed_is_asked_why(monkeypatch) -> None:
    """Though it is the last one: the run that would tell, here one of a million steps, ends at
    once."""
    system, usual = cart(tied=False), threaded_simulate.simulate
    x = system.initial_state().x
    x[3] = 1e200

    def pressed(system: tb.System, x0: np.ndarray, duration: float, **given: object) -> tb.Run:
        os.kill(os.getpid(), signal.SIGINT)
        return usual(system, None, 1e3, **given)

    monkeypatch.setattr(threaded_simulate, "simulate", pressed)
    with pytest.raises(tb.batch.BatchInterrupted, match="of 1 instances 0 were done") as told:
        system.batch(1).run(x, 0.05, **GRID)
    ran = told.value.run
    assert not ran.reasons and np.isnan(ran.record).all() and np.isnan(ran.ended).all()
    assert (ran.x == x).all()

"""Batches of mechanisms with modes on the processor: each instance as if it ran alone, though one
thread runs many of them in the same memory."""

import os
import signal
import threading

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bouncing_ball, pegged_pendulum
from tests.batch.own_runs import alone, assert_same_bits, assert_same_end
from tests.batch.yard import COUNT, STEP, arguments, assert_closed_forms, drawn, ending, made, run
from touchback.batch import native_per_thread


@pytest.fixture(scope="module")
def yard() -> tb.System:
    return made().compile()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("method", "every"), [("rk4", 1), ("rk4", 5), ("euler", 3)])
def test_each_instance_has_the_bits_of_a_run_of_its_own(yard, method, every, threads) -> None:
    """With parameters, modes and a push of each, which follows samples; 128 steps are no multiple
    of 5 and 3, so that the end isn't recorded."""
    x, given = arguments(yard, drawn())
    push = given["inputs"]["block/push"]
    given["inputs"]["block/push"] = push[:, None] * np.linspace(0.5, 1.5, 7)
    grid = {"method": method, "step": STEP, "output_step": every * STEP}
    ran = yard.batch(COUNT).run(x, 1.0, threads=threads, **given, **grid)
    assert ran.whole.all() and ran.threads == threads and ran.lanes == 1
    assert len(np.unique(ran.x[:, -3:], axis=0)) > 3  # they end in different modes
    for i in range(COUNT):
        assert_same_bits(ran, i, alone(yard, x, given, i, 1.0, **grid)[0])


def test_heights_stops_and_ways_are_those_of_closed_forms(yard) -> None:
    assert_closed_forms(drawn(), run(yard, "cpu", **drawn()))


def test_dependent_coordinates_are_chosen_as_in_runs_of_their_own() -> None:
    """A pendulum winds on its peg, from above its pivot, from below and almost at rest, one after
    the other on one thread: each chooses anew and remembers nothing of those before. Ticks count
    for each."""
    m = pegged_pendulum()
    m.memory("ticks", update=lambda before: before + 1.0)
    system = m.compile()
    first = [
        system.assemble({"bob.z": -np.cos(angle), "bob.x": -np.sin(angle)}).x
        for angle in (1.2, 1.7, 1e-3, 0.6)
    ]
    grid = {"method": "rk4", "step": 2e-3, "rate": 250.0}
    ran = system.batch(4).run(first, 3.0, threads=1, **grid)
    assert ran.whole.all() and np.ptp(ran["bob.z"][1]) > 1.0 and np.ptp(ran["bob.z"][2]) < 1e-5
    for i in range(4):
        assert_same_bits(ran, i, tb.simulate(system, first[i], 3.0, **grid))
    assert np.array_equal(ran.last("ticks"), [750.0] * 4)


def strung() -> tb.Model:
    """A bob on a string, whose equation has a factor, until it is cut after 0.2 s."""
    m = tb.Model("strung", gravity=(0, 0, -9.81))
    length, factor = m.parameter("length", 1.0), m.parameter("factor", 1.0)
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("bob", tb.Planar("y"), m.ground, bob, position=(-0.8, -0.6, 0.0))
    z, x = m.coordinate("bob", 0), m.coordinate("bob", 1)
    m.constrain("upright", m.coordinate("bob", 2))
    m.constrain("string", factor * (z * z + x * x - length * length) / 2.0, unit="m")
    m.mode("hangs", active=["upright", "string"])
    m.mode("flies")
    m.transition("cut", "hangs", "flies", when=0.2 - m.time)
    return m


def test_what_counts_as_redundant_is_not_judged_by_instances_before() -> None:
    """A constraint that has become a 1e9th of what it was is left out as redundant: of one run, not
    of those of a thread."""
    system, factors = strung().compile(), np.array([1.0, 1e-9, 1.0])
    grid = {"method": "rk4", "step": 1e-3}
    ran = system.batch(3).run(None, 0.19, parameters={"factor": factors}, threads=1, **grid)
    assert np.abs(np.hypot(ran["bob.z"], ran["bob.x"]) - 1.0).max() < 1e-4  # 1e-13 of h / factor
    for i, factor in enumerate(factors):
        own = tb.simulate(system, None, 0.19, parameters={"factor": factor}, **grid)
        assert_same_bits(ran, i, own)


def test_starts_that_follow_parameters_are_found_of_each() -> None:
    """A bob begins on a string of its own length; a state for all is found once."""
    system, lengths = strung().compile(), np.array([0.5, 1.0, 1.5])
    grid = {"method": "rk4", "step": 1e-3}
    ran = system.batch(3).run(None, 0.4, parameters={"length": lengths}, **grid)
    begun = np.hypot(ran["bob.z"][:, 0], ran["bob.x"][:, 0])
    assert np.abs(begun - lengths).max() < 1e-12
    for i, each in enumerate(lengths):
        own = tb.simulate(system, None, 0.4, parameters={"length": each}, **grid)
        assert_same_bits(ran, i, own)
    same = system.batch(3).run(None, 0.4, **grid)
    assert np.array_equal(same.x, np.tile(ran.x[1], (3, 1)))


@pytest.mark.parametrize("threads", [1, 2])
def test_those_that_modes_end_say_what_runs_of_their_own_say(yard, threads) -> None:
    """Two chatter, a mode of one can't begin, and causes of two are no numbers, of the last at the
    end only, after what is recorded; the others don't notice."""
    x, given = arguments(yard, ending())
    given["parameters"]["mark/patience"][6] = 126.5 * STEP
    grid = {"method": "rk4", "step": STEP, "output_step": 5 * STEP}
    ran = yard.batch(COUNT).run(x, 1.0, threads=threads, **given, **grid)
    assert list(ran.failed) == [1, 2, 3, 4, 6] == sorted(ran.reasons)
    for i in range(COUNT):
        assert_same_end(ran, i, *alone(yard, x, given, i, 1.0, **grid))


def test_a_crowd_of_transitions_is_of_one_instance(yard) -> None:
    """One chatters until 0.5 s; the next on its thread is set back four times until then. Balls,
    whose bounces would end a crowd, come from high above."""
    speeds = np.where(np.arange(COUNT) == 0, 126.72, 2.0)
    ran = run(yard, "cpu", **{"mark/s rate": speeds, "ball/height": 50.0})
    assert list(ran.failed) == [0]


def test_one_that_becomes_no_number_says_so() -> None:
    """A push beyond the largest number divided by a step and a mass of 1 kg."""
    m = bouncing_ball(rest=True)
    m.force("push", tb.JointEffort("height", m.input("push", unit="N")))
    system, push = m.compile(), np.array([0.0, 1e308, 0.0])
    ran = system.batch(3).run(None, 100.0, inputs={"push": push}, step=1.0)
    with pytest.raises(tb.RunFailed, match="stopped at t") as own:
        tb.simulate(system, None, 100.0, inputs={"push": push[1]}, method="rk4", step=1.0)
    assert ran.reasons == {1: str(own.value)} and ran.ended[1] == own.value.run.time[-1]
    assert np.array_equal(ran["height"][0], ran["height"][2])


def test_starts_and_runs_that_leave_their_constraints_are_warned_of() -> None:
    """Once for all; a bob 1 cm off its string, and one whose string is only kept in its second
    derivative, by long steps."""
    system = pegged_pendulum().compile()
    x = np.tile(system.assemble({"bob.z": -0.8, "bob.x": -0.6}).x, (3, 1))
    x[1, 0] -= 0.01
    with pytest.warns(RuntimeWarning) as told:
        system.batch(3).run(x, 0.1, step=1e-3)
    assert len(told) == 1 and told[0].filename == __file__
    assert "the initial state breaks the constraints by up to 0.00" in str(told[0].message)
    with pytest.warns(RuntimeWarning, match="'multipliers' left the constraints by up to") as told:
        system.batch(3).run(x[:1], 2.0, step=2e-2, constraints="multipliers")
    assert len(told) == 1 and told[0].filename == __file__


def test_modes_that_are_not_there_and_runs_of_no_step_or_too_many_are_refused(yard) -> None:
    with pytest.raises(tb.InputError, match="'block/mode' is 2 in this state"):
        run(yard, "cpu", **{"block/mode": np.where(np.arange(COUNT) == 7, 2.0, 0.0)})
    with pytest.raises(tb.InputError, match=r"duration 0\.001 s holds no step of 0\.0078125"):
        run(yard, "cpu", duration=1e-3)
    with pytest.raises(tb.InputError, match="at most 100000000 numbers are kept"):
        yard.batch(2).run(None, 2e5, step=1e-2, step_limit=10**9, record=[])
    with pytest.raises(tb.InputError, match="no room for the states of 1000000000000 instances"):
        yard.batch(10**12).run(None, 1.0, step=STEP, output_step=1.0, record=[])


def test_nothing_but_states_and_no_signal_at_all_may_be_recorded(yard) -> None:
    x, given = arguments(yard, drawn())
    whole = yard.batch(COUNT).run(x, 1.0, step=STEP, **given)
    states = yard.batch(COUNT).run(x, 1.0, step=STEP, record=["mark/s"], **given)
    nothing = yard.batch(COUNT).run(x, 1.0, step=STEP, record=[], **given)
    assert np.array_equal(states["mark/s"], whole["mark/s"])
    assert nothing.record.shape == (COUNT, 129, 0)
    assert np.array_equal(nothing.x, whole.x) and np.array_equal(states.x, whole.x)


def test_progress_is_told_to_the_end_where_some_fail_too(yard) -> None:
    told: list[float] = []
    x, given = arguments(yard, ending())
    yard.batch(COUNT).run(x, 1.0, step=STEP, threads=1, progress=told.append, **given)
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 1


def test_ctrl_c_ends_a_batch_and_keeps_what_is_done(yard) -> None:
    """Pressed while it runs: what was done is there, the rest not begun."""
    batch = yard.batch(1 << 14)
    pressed = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    pressed.start()
    with pytest.raises(tb.batch.BatchInterrupted, match=r"interrupted; of 16384 instances") as told:
        batch.run(yard.initial_state().x, 60.0, step=STEP, output_step=60.0, record=["mark/s"])
    pressed.join()
    ran = told.value.run
    done = np.flatnonzero(ran.whole)
    assert 10_000 < len(ran.failed) < len(ran)
    assert np.isfinite(ran.record[done]).all() and np.isnan(ran.record[ran.failed]).all()
    assert np.isnan(ran.ended[ran.failed]).all() and not ran.reasons
    assert (ran.x[ran.failed] == yard.initial_state().x).all()


def test_only_those_that_fail_are_run_twice(yard, monkeypatch) -> None:
    """Setting a run up takes much longer than its steps."""
    asked: list[int] = []
    usual = native_per_thread.run_alone

    def noted(*given: object) -> dict[int, str]:
        asked.extend(given[1])
        return usual(*given)

    monkeypatch.setattr(native_per_thread, "run_alone", noted)
    run(yard, "cpu", **drawn())
    assert asked == []
    run(yard, "cpu", **ending())
    assert asked == [1, 2, 3, 4]

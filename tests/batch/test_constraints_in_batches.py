"""Batches of mechanisms whose constraints stay, on the processor: each instance as if it ran alone,
though one thread runs many of them in the same memory."""

import os
import signal
import threading

import numpy as np
import pytest

import touchback as tb
from featured_models import TIP, cart_and_pendulum, compiled
from rubbing_models import rod
from tests.batch.own_runs import alone, assert_same_bits, assert_same_end
from touchback.batch import native_per_thread

STEP = 2.0**-8
CONSTRAINTS = (
    "partitioning", "multipliers", "baumgarte", "penalty", "projection", "linear-implicit",
    "augmented-lagrangian",
)  # fmt: skip
KINDS = (
    "closures", "couplings", "written constraints", "velocity constraints", "servo constraints",
    "friction of constraints", "drives",
)  # fmt: skip


def linkage(name: str = "linkage", loops: int = 1) -> tb.Model:
    """Four-bars beside each other, each pulled along by the one before: a crank of a parameter's
    length, which moves its pin, a coupler and a rocker. Sensors read the pin's force and the
    coupler's acceleration; a memory counts ticks."""
    m = tb.Model(name)
    length = m.parameter("crank", 0.1, unit="m")
    for k in range(loops):
        bars = [
            m.body(f"{word}{k}", mass=1.0, com=(0.15, 0, 0), inertia=(1e-3, 1e-2, 1e-2))
            for word in ("crank", "coupler", "rocker")
        ]
        crank, coupler, rocker = bars
        m.joint(f"crank{k}", tb.Revolute("y"), m.ground, crank, position=0.3, velocity=6.0)
        m.joint(f"coupler{k}", tb.Revolute("y"), crank.at(length, 0, 0), coupler, position=-1.2)
        m.joint(f"rocker{k}", tb.Revolute("y"), m.ground.at(0.35, 0, 0), rocker, position=-1.5)
        m.close(f"pin{k}", tb.PointInPlane("xz"), coupler.at(0.4, 0, 0), rocker.at(0.3, 0, 0))
        if k:
            apart = m.coordinate(f"crank{k - 1}") - m.coordinate(f"crank{k}")
            m.force(f"pull{k}", tb.JointEffort(f"crank{k}", 3.0 * apart))
    m.force("motor", tb.JointEffort("crank0", m.input("torque", unit="N m")))
    m.sensor("force", tb.Multiplier("pin0.1"))
    m.sensor("felt", tb.Accelerometer(tb.Frame("coupler0", at=(0.4, 0, 0))))
    m.memory("ticks", update=lambda before: before + 1.0)
    return m


@pytest.fixture(scope="module")
def four_bar() -> tb.System:
    return linkage().compile()


def given_to(count: int) -> dict[str, dict[str, np.ndarray]]:
    """Lengths and samples of the torque of each."""
    rng = np.random.default_rng(11)
    torque = rng.normal(size=(count, 5))
    return {
        "parameters": {"crank": np.linspace(0.08, 0.12, count)},
        "inputs": {"torque": torque},
    }


def grid_of(constraints: str, method: str = "rk4") -> dict[str, object]:
    step = constraints in ("linear-implicit", "augmented-lagrangian")
    return {
        "constraints": constraints, "method": constraints if step else method, "step": STEP,
        "output_step": 3 * STEP, "rate": 0.5 / STEP,
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*left the constraints:RuntimeWarning")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_each_instance_has_the_bits_of_a_run_of_its_own(four_bar, constraints, threads) -> None:
    """States, forces and accelerations, from closures of each, under a torque of each; 50 steps are
    no multiple of 3, so that the end isn't recorded, and a part of a step is left out."""
    given = given_to(5)
    for method in ("rk4", "euler"):
        grid = grid_of(constraints, method)
        ran = four_bar.batch(5).run(None, 50.4 * STEP, threads=threads, **given, **grid)
        assert ran.whole.all() and ran.threads == threads and ran.lanes == 1
        assert np.allclose(ran.ended, 50 * STEP, rtol=1e-15) and (ran.last("ticks") == 25.0).all()
        assert np.ptp(ran["rocker0"][:, 0]) > 0.05  # loops closed anew
        times = np.linspace(0.0, 50.4 * STEP, 5)
        own = {**given, "inputs": {"torque": [(times, e) for e in given["inputs"]["torque"]]}}
        for i in range(5):
            assert_same_bits(ran, i, alone(four_bar, None, own, i, 50 * STEP, **grid)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_constraint_is_that_of_a_run_of_its_own(kind) -> None:
    system, push = compiled(kind), np.array([-3.0, 0.0, 3.0])
    given = {"inputs": {"push": push, "torque": 0.1 * push}}
    given["parameters"] = {"stiffness": np.array([20.0, 40.0, 80.0])}
    grid = {"method": "rk4", "step": STEP}
    ran = system.batch(3).run(None, 0.2, threads=1, **given, **grid)
    assert np.ptp(ran.x, axis=0).max() > 1e-3
    for i in range(3):
        assert_same_bits(ran, i, alone(system, None, given, i, 51 * STEP, **grid)[0])


def test_many_loops_which_are_eliminated_sparsely_are_too() -> None:
    system, given = linkage("row of four-bars", loops=9).compile(), given_to(3)
    given["inputs"] = {"torque": np.array([-1.0, 0.0, 2.0])}
    grid = {"method": "rk4", "step": STEP, "rate": 1.0 / STEP}
    ran = system.batch(3).run(None, 0.2, threads=1, **given, **grid)
    assert system.problem().solving.sparse and ran.whole.all()
    for i in range(3):
        assert_same_bits(ran, i, alone(system, None, given, i, 51 * STEP, **grid)[0])


def parallelogram() -> tb.Model:
    """It may lie flat, where its constraints have a direction less and nobody can tell which way it
    goes on."""
    m = tb.Model("parallelogram", gravity=(0, 0, 0))
    for name, length, at in (("left", 0.2, 0.0), ("right", 0.2, 0.4)):
        bar = m.body(name, mass=1.0, com=(length / 2, 0, 0), inertia=(1e-3, 1e-2, 1e-2))
        m.joint(name, tb.Revolute("y"), m.ground.at(at, 0, 0), bar)
    coupler = m.body("coupler", mass=1.0, com=(0.2, 0, 0), inertia=(1e-3, 1e-2, 1e-2))
    m.joint("coupler", tb.Revolute("y"), tb.Frame("left", at=(0.2, 0, 0)), coupler)
    m.close("pin", tb.PointInPlane("xz"), coupler.at(0.4, 0, 0), tb.Frame("right", at=(0.2, 0, 0)))
    m.sensor("force", tb.Multiplier("pin.2"))
    return m


@pytest.mark.parametrize("constraints", ["partitioning", "projection", "augmented-lagrangian"])
def test_singular_starts_are_those_of_runs_of_their_own_and_leave_nothing_behind(
    constraints,
) -> None:
    """Flat ones between open ones, which pass flat positions; all on one thread."""
    system = parallelogram().compile()
    angles = np.array([0.7, 0.0, 0.7, 0.1, 0.0, 0.7])
    x = np.zeros((6, 6))
    x[:, :3] = np.stack([angles, angles, -angles], axis=1)
    x[:, 3:] = 5.0 * np.array([1.0, 1.0, -1.0])  # a parallelogram of 5 rad/s
    grid = {"constraints": constraints, "step": 1e-3}
    grid["method"] = constraints if constraints == "augmented-lagrangian" else "rk4"
    ran = system.batch(6).run(x, 0.4, threads=1, **grid)
    assert np.array_equal(ran.record[0], ran.record[2]) and np.abs(ran["force"]).max() > 1.0
    for i in range(6):
        assert_same_bits(ran, i, alone(system, x, {}, i, 0.4, **grid)[0])


def strung() -> tb.Model:
    """A bob on a string, whose equation has a factor."""
    m = tb.Model("strung", gravity=(0, 0, -9.81))
    factor = m.parameter("factor", 1.0)
    m.joint("bob", tb.Planar("y"), m.ground, m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1)),
            position=(-0.8, -0.6, 0.0))  # fmt: skip
    z, x = m.coordinate("bob", 0), m.coordinate("bob", 1)
    m.constrain("upright", m.coordinate("bob", 2))
    m.constrain("string", factor * (z * z + x * x - 1.0) / 2.0, unit="m")
    return m


def test_what_counts_as_redundant_is_not_judged_by_instances_before() -> None:
    """A constraint that has become a 1e9th of what it was is left out as redundant: of one run, not
    of those of a thread."""
    system, factors = strung().compile(), np.array([1.0, 1e-9, 1.0])
    given, grid = {"parameters": {"factor": factors}}, {"method": "rk4", "step": 1e-3}
    ran = system.batch(3).run(None, 0.19, threads=1, **given, **grid)
    assert np.abs(np.hypot(ran["bob.z"], ran["bob.x"]) - 1.0).max() < 1e-4  # 1e-13 of h / factor
    for i in range(3):
        assert_same_bits(ran, i, alone(system, None, given, i, 0.19, **grid)[0])


@pytest.mark.filterwarnings("ignore:.*left the constraints:RuntimeWarning")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_those_that_fail_say_what_runs_of_their_own_say(four_bar, constraints, threads) -> None:
    """A torque beyond all numbers, at once and after a while, and speeds beyond them, which one way
    takes until the end; those that follow on the same thread don't notice."""
    huge, late = np.full(3, 1e308), np.array([0.0, 0.0, 1e308])
    torque = np.stack([np.zeros(3), huge, np.zeros(3), late, np.zeros(3), np.zeros(3)])
    x = np.tile(four_bar.assemble().x, (6, 1))
    x[4, 3:6] *= 1e200
    grid = grid_of(constraints)
    given = {"inputs": {"torque": torque}}
    ran = four_bar.batch(6).run(x, 40 * STEP, threads=threads, **given, **grid)
    fail = [1] if constraints == "linear-implicit" else [1, 3, 4]
    assert list(ran.failed) == fail == sorted(ran.reasons)
    times = np.linspace(0.0, 40 * STEP, 3)
    own = {"inputs": {"torque": [(times, each) for each in torque]}}
    for i in range(6):
        assert_same_end(ran, i, *alone(four_bar, x, own, i, 40 * STEP, **grid))
    assert np.array_equal(ran.record[0], ran.record[2]) and np.array_equal(ran.x[0], ran.x[5])


def test_starts_that_break_constraints_are_moved_onto_them_with_one_warning_for_all() -> None:
    system = compiled("closures")
    x = np.tile(system.assemble().x, (3, 1))
    x[1, 0] += 0.01
    x[2, system.sizes[0]] += 0.5
    with pytest.warns(RuntimeWarning) as told:
        ran = system.batch(3).run(x, 0.1, step=STEP)
    assert len(told) == 1 and told[0].filename == __file__
    assert "the initial state breaks the constraints by up to 0.0098 m" in str(told[0].message)
    assert (np.abs(ran.record[1:, 0, :4] - x[1:]).max(axis=1) > 1e-3).all()
    with pytest.warns(RuntimeWarning, match=r"breaks the constraints by up to 0\.0098 m"):
        assert_same_bits(ran, 1, tb.simulate(system, x[1], 25 * STEP, method="rk4", step=STEP))


def test_constraints_that_are_left_or_cannot_be_kept_are_told_of_once_for_all() -> None:
    """Kept only in their second derivative, by long steps; and pulled apart."""
    loose, x = compiled("closures"), compiled("closures").assemble().x
    apart = cart_and_pendulum("pulled apart")
    apart.close("rod", tb.Rod(0.7), apart.ground.at(0.6, 0, -0.4), TIP)
    apart.drive("x", lambda t: 40.0 * t)
    for system, start, said, options in (
        (loose, x, "'multipliers' left the constraints by up to", {"constraints": "multipliers"}),
        (apart.compile(), None, "the position constraints could not be solved", {}),
    ):
        with pytest.warns(RuntimeWarning, match=said) as told:
            system.batch(3).run(start, 2.0, step=0.05, **options)
        assert len(told) == 1 and told[0].filename == __file__


def test_friction_without_an_answer_is_told_of_as_by_a_run_of_its_own() -> None:
    """Painlevé's rod: pushed into the table by its own friction where its tip goes ahead."""
    system = rod(2.0)
    x = np.array([system.assemble(rates={"x": v, "lean": 0.0}).x for v in (3.0, -3.0)])
    grid = {"method": "rk4", "step": 1e-3}
    with pytest.warns(RuntimeWarning, match="the friction of 'tip' was so strong") as told:
        ran = system.batch(2).run(x, 0.02, threads=1, **grid)
    assert len(told) == 1
    with pytest.warns(RuntimeWarning) as own:
        run = tb.simulate(system, x[0], 0.02, **grid)
    assert str(told[0].message) == str(own[0].message)  # how often, too
    assert_same_bits(ran, 0, run)
    assert_same_bits(ran, 1, tb.simulate(system, x[1], 0.02, **grid))


def test_loops_that_cannot_be_closed_are_refused_as_by_a_run_of_its_own(four_bar) -> None:
    lengths = np.array([0.1, 2.0])
    with pytest.raises(tb.SolveError) as told:
        four_bar.batch(2).run(None, 0.1, step=STEP, rate=1.0 / STEP, parameters={"crank": lengths})
    with pytest.raises(tb.SolveError) as own:
        tb.simulate(four_bar, None, 0.1, method="rk4", step=STEP, rate=1.0 / STEP,
                    parameters={"crank": 2.0})  # fmt: skip
    assert str(told.value) == str(own.value)


def test_formulations_that_are_steps_tell_the_method_that_batches_take(four_bar) -> None:
    """A batch's is "rk4" where none is given, so that there is none to leave away."""
    grid = {"constraints": "augmented-lagrangian", "step": STEP, "rate": 0.5 / STEP}
    with pytest.raises(tb.InputError, match="or give method='augmented-lagrangian', and give"):
        four_bar.batch(2).run(None, 4 * STEP, **grid)
    ran = four_bar.batch(2).run(None, 4 * STEP, method="augmented-lagrangian", **grid)
    assert ran.whole.all()


def test_nothing_but_states_and_no_signal_at_all_may_be_recorded(four_bar) -> None:
    given = {"step": STEP, "rate": 1.0 / STEP, "inputs": {"torque": np.arange(4.0)}}
    whole = four_bar.batch(4).run(None, 0.1, **given)
    states = four_bar.batch(4).run(None, 0.1, record=["rocker0"], **given)
    nothing = four_bar.batch(4).run(None, 0.1, record=[], **given)
    assert np.array_equal(states["rocker0"], whole["rocker0"])
    assert nothing.record.shape == (4, 26, 0)
    assert np.array_equal(nothing.x, whole.x) and np.array_equal(states.x, whole.x)


def test_only_those_that_fail_are_run_by_tb_simulate(four_bar, monkeypatch) -> None:
    asked: list[int] = []
    usual = native_per_thread.run_alone

    def noted(*given: object) -> dict[int, str]:
        asked.extend(given[1])
        return usual(*given)

    monkeypatch.setattr(native_per_thread, "run_alone", noted)
    torque = np.array([0.0, 1e308, 0.0])
    given = {"step": STEP, "rate": 1.0 / STEP, "inputs": {"torque": torque}}
    four_bar.batch(3).run(None, 0.1, **given)
    assert asked == [1]


def test_ctrl_c_ends_a_batch_and_keeps_what_is_done(four_bar) -> None:
    batch, x = four_bar.batch(1 << 12), four_bar.assemble().x
    pressed = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    pressed.start()
    with pytest.raises(tb.batch.BatchInterrupted, match="interrupted; of 4096 instances") as told:
        batch.run(x, 20.0, step=STEP, rate=1.0 / STEP, output_step=20.0, record=["force"])
    pressed.join()
    ran = told.value.run
    assert 1 < ran.whole.sum() < len(ran) and not ran.reasons
    assert np.isfinite(ran.record[ran.whole]).all() and np.isnan(ran.record[ran.failed]).all()
    assert np.isnan(ran.ended[ran.failed]).all() and (ran.x[ran.failed] == x).all()

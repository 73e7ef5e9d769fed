"""Many instances at once: each is as if it ran alone."""

import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb
from featured_models import COPIES, FEATURES, compiled
from touchback.codegen import native_lanes, native_widths

COUNT = 11  # no multiple of a vector's width


def pendulum() -> tb.System:
    """A rod on a hinge with a live length, a torque, and a ball joint's rotor at its end."""
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.0, unit="m", min=0.2, max=5.0)
    torque = m.input("torque", unit="N m")
    rod = m.body("rod", mass=1.0, com=(0, 0, -length), inertia=(0.1, 0.1, 0.02))
    m.joint("hinge", tb.Revolute("y"), m.ground, rod)
    rotor = m.body("rotor", mass=0.3, inertia=(0.02, 0.03, 0.04))
    m.joint("ball", tb.Spherical(), rod.at(0, 0, -1.0), rotor)
    m.force("motor", tb.JointEffort("hinge", torque))
    m.sensor("height", tb.Position(rotor))
    return m.compile()


@pytest.fixture(scope="module")
def system() -> tb.System:
    return pendulum()


def starts(system: tb.System, count: int = COUNT) -> np.ndarray:
    draw = np.random.default_rng(3)
    x = np.tile(system.initial_state().x, (count, 1))
    x[:, 0] = draw.uniform(-2.0, 2.0, count)
    nq = system.sizes[0]
    x[:, nq:] = draw.normal(size=x[:, nq:].shape)
    return x


@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize(
    ("lanes", "threads"), [(native_lanes(), 1), *((n, 3) for n in native_widths())]
)
def test_each_instance_has_the_bits_of_a_run_of_its_own(
    system, method, lanes, threads, monkeypatch
) -> None:
    monkeypatch.setattr("touchback.batch.simd.native_lanes", lambda: lanes)
    x, draw = starts(system), np.random.default_rng(4)
    lengths, torques = draw.uniform(0.5, 2.0, COUNT), draw.normal(size=(COUNT, 9))
    ran = system.batch(COUNT).run(
        x, 0.08, method=method, step=1e-3, output_step=4e-3, threads=threads,
        parameters={"length": lengths}, inputs={"torque": torques},
    )  # fmt: skip
    assert ran.whole.all() and len(ran) == COUNT and ran.threads <= threads and ran.lanes == lanes
    for i in range(COUNT):
        alone = tb.simulate(
            system, x[i], 0.08, method=method, step=1e-3, output_step=4e-3,
            parameters={"length": lengths[i]}, inputs={"torque": torques[i]},
        )  # fmt: skip
        for name in (*system.state_names, "height.z"):
            assert np.array_equal(ran[name][i], alone[name]), (i, name)
        assert [*ran.x[i]] == [alone[name][-1] for name in system.state_names]


def test_a_batch_of_pendulums_keeps_its_energy_and_has_the_closed_form_of_small_swings() -> None:
    """ω = √(g / l) of a point mass: phase after two seconds at 7 lengths, amplitude 1 mrad."""
    m = tb.Model("point", gravity=(0, 0, -9.81))
    length = m.parameter("length", 1.0, min=0.1, max=9.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -length))
    m.joint("hinge", tb.Revolute("y"), m.ground, bob)
    lengths = np.linspace(0.3, 3.0, 7)
    ran = m.compile().batch(7).run(
        {"hinge": 1e-3}, 2.0, step=1e-3, output_step=0.5, parameters={"length": lengths}
    )  # fmt: skip
    wanted = 1e-3 * np.cos(np.sqrt(9.81 / lengths)[:, None] * ran.time)
    # amplitude slows a swing by θ²/16 of its phase, RK4 by (ωh)⁴/120
    assert np.abs(ran["hinge"] - wanted).max() < 1e-3 * (1e-6 / 16 * 12 + 1e-8)


def test_each_input_bends_at_its_own_samples() -> None:
    """A push that rises and falls has moved 1 kg by 0.25 m after a second, another one of four
    samples by 1/9 m, however many samples others have."""
    m = tb.Model("two carts", gravity=(0, 0, 0))
    for name in ("left", "right"):
        m.joint(name, tb.Prismatic("x"), m.ground, m.body(name, mass=1.0))
        m.force(name, tb.JointEffort(name, m.input(f"{name} push", unit="N")))
    push = {"left push": [[0, 1.0, 0]], "right push": np.tile([0, 1.0, -1.0, 0], (3, 1))}
    system = m.compile()
    ran = system.batch(3).run(None, 1.0, step=1e-3, start=2.0, inputs=push, record=[])
    assert np.allclose(ran.x, [0.25, 1 / 9, 0.5, 0.0], atol=1e-9)  # RK4 strides over the bends


def bounced(height: float, restitution: float, t: np.ndarray) -> np.ndarray:
    """Heights of a ball let go, in closed form: it falls for √(2 h / g), and flies e times as long
    after each bounce as before."""
    g, found, begun = 9.81, np.empty(len(t)), -np.sqrt(2 * height / 9.81)
    speed = -g * begun
    while begun <= t[-1]:
        s = t - begun
        found = np.where(s >= 0, speed * s - g * s**2 / 2, found)
        begun, speed = begun + 2 * speed / g, restitution * speed
    return found


@pytest.mark.parametrize("grid", [{"method": "dopri5"}, {"step": 1e-2}])
def test_rows_of_balls_that_bounce_at_other_times_are_at_the_same_instants(grid) -> None:
    """A run of its own has rows at its bounces too, which others don't have."""
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    m.constrain("floor", m.coordinate("height"), unit="m")
    m.mode("flight")
    when = {"when": m.coordinate("height"), "impact": ["floor"], "restitution": 0.8}
    m.transition("bounce", "flight", "flight", **when)
    system, heights = m.compile(), np.array([1.0, 0.5, 0.2])
    x = np.tile(system.initial_state().x, (3, 1))
    x[:, 0] = heights
    ran = system.batch(3).run(x, 1.02, output_step=0.05, **grid)
    assert np.array_equal(ran.time, np.arange(21) * 0.05)
    assert np.allclose(ran.ended, 1.02) and ran.whole.all()
    for height, row in zip(heights, ran["height"], strict=True):
        assert np.allclose(row, bounced(height, 0.8, ran.time), atol=1e-9)


def test_one_that_becomes_no_number_stops_and_the_others_do_not_know(system) -> None:
    x = starts(system)
    ran = system.batch(COUNT).run(x, 0.05, step=1e-3, record=["hinge"])
    wild = x.copy()
    wild[5, system.sizes[0]] = 1e200
    held = system.batch(COUNT).run(wild, 0.05, step=1e-3, record=["hinge"])
    others = np.arange(COUNT) != 5
    assert list(held.failed) == [5] and "1 didn't reach the end, the first is 5" in str(held)
    assert np.array_equal(held.x[others], ran.x[others])
    assert np.array_equal(held["hinge"][others], ran["hinge"][others])
    assert held.ended[5] < 0.05 and np.isfinite(held.x[5]).all()
    reached = held.time <= held.ended[5]
    assert np.array_equal(np.isfinite(held["hinge"][5]), reached) and reached.any()


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 19), st.integers(1, 30), st.integers(1, 4), st.integers(1, 4))
def test_any_count_of_instances_and_steps_gives_the_same(system, count, steps, every, threads):
    """Against one instance at a time."""
    x = starts(system, count)
    grid = {"step": 2e-3, "output_step": 2e-3 * every, "record": ["hinge", "height.x"]}
    ran = system.batch(count).run(x, (steps + 0.5) * 2e-3, threads=threads, **grid)
    alone = [system.batch(1).run(each, (steps + 0.5) * 2e-3, **grid) for each in x]
    assert np.array_equal(ran.x, np.vstack([each.x for each in alone]))
    assert np.array_equal(ran.record, np.vstack([each.record for each in alone]))
    assert ran.record.shape == (count, steps // every + 1, 2)


@pytest.mark.parametrize("feature", ["", *FEATURES])
def test_every_feature_of_models_counts_in_each_instance(feature) -> None:
    """Five instances, which fill every lane, with their own stiffness and push against runs of
    their own."""
    system = compiled(feature)
    grid = {"rate": 100.0} if feature == "memories" else {}
    grid |= {"step": 2e-3} if feature != "rigid contacts" else {"method": None, "output_step": 0.01}
    inputs, given = np.linspace(-2.0, 2.0, 5), {"stiffness": np.linspace(20.0, 80.0, 5)}
    ran = system.batch(5).run(None, 0.1, inputs={"push": inputs}, parameters=given, **grid)
    for i in range(5):
        own = {"method": "rk4", "inputs": {"push": inputs[i]}}
        own["parameters"] = {"stiffness": given["stiffness"][i]}
        alone = tb.simulate(system, None, 0.1, **{**own, **grid})
        for name in (*system.state_names, "tip.z"):
            assert np.array_equal(ran[name][i], alone[name]), name


def test_functions_are_evaluated_at_states_by_name_as_runs_begin_there(system) -> None:
    """Of a start given by name the energy is that of the run's first instant."""
    x0 = {"hinge": np.linspace(-1.0, 1.0, COUNT), "hinge rate": 2.0}
    many = system.batch(COUNT)
    begun = many.run(x0, 1e-3, record=system.state_names)
    rows = np.array([begun[name][:, 0] for name in system.state_names]).T
    found = many.evaluate("energy", x0, {"torque": 3.0})
    assert np.array_equal(found, many.evaluate("energy", rows))
    assert not np.array_equal(found, many.evaluate("energy", {}))
    one = system.assemble(hinge=0.4)
    assert np.array_equal(many.evaluate("energy", one), many.evaluate("energy", {"hinge": 0.4}))
    for wrong, words in (({"hing": 0.0}, "hing"), ({"hinge": np.zeros(4)}, "'hinge': .* 11 of")):
        with pytest.raises(tb.InputError, match=words):
            many.evaluate("energy", wrong)


def test_a_batch_of_copies_is_refused() -> None:
    with pytest.raises(tb.InputError, match=r"a batch is of one mechanism; pass `\.replica`"):
        compiled(COPIES).batch(2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x0": np.zeros((4, 9))}, "3 states, or one for all, are expected, got .* \\(4, 9\\)"),
        ({"x0": np.full((3, 9), np.nan)}, "initial value of 'hinge' of instance 0 is nan"),
        ({"x0": {"hing": 0.0}}, "hing"),
        ({"inputs": {"torque": [1.0, 2.0]}}, "Input 'torque': a number, or 3 of them"),
        ({"inputs": {"torque": np.zeros((2, 5))}}, r"\(1, samples\) or \(3, samples\)"),
        ({"inputs": {"torque": np.sin}}, "no function of time"),
        ({"inputs": {"torqe": 1.0}}, "torqe"),
        ({"inputs": {"torque": np.inf}}, "Input 'torque': finite numbers are expected, got inf"),
        ({"inputs": {"torque": [0.0, 0.0, -np.inf]}}, "'torque' of instance 2: finite.* got -inf"),
        ({"parameters": {"length": np.nan}}, "Parameter 'length': finite numbers .* got nan"),
        ({"parameters": {"length": [1.0, 2.0, 9.0]}}, "9.0 lies outside its range"),
        (
            {"parameters": {"length": [1.0, np.nan, 2.0]}},
            "'length' of instance 1: finite.* got nan",
        ),
        ({"parameters": {"length": [1.0, 2.0]}}, "Parameter 'length': a number, or 3 of them"),
        ({"record": "hinge"}, r"record: names are expected, as \['hinge'\]"),
        ({"record": 5}, r"record: names are expected, as \['name'\], got 5"),
        ({"record": ["hnge"]}, "hnge"),
        ({"threads": 0}, "threads must be a whole number from 1 to 65536, got 0"),
        ({"threads": 65537}, "threads must be a whole number from 1 to 65536, got 65537"),
        ({"duration": 9e3, "output_step": 1e-3}, "at most 100000000 numbers are kept"),
        ({"method": "dopri5"}, "give output_step"),
        ({"step": 1.0}, "duration 0.01 s holds no step of 1 s; give a shorter step"),
        ({"x0": {"hinge": [0.1, 0.2]}}, r"'hinge': a number, or 3 of them, .* shape \(2,\)"),
    ],
)
def test_what_a_batch_cannot_take_is_refused_by_name(system, given, words) -> None:
    with pytest.raises(tb.InputError, match=words):
        system.batch(3).run(**{"duration": 0.01, **given})


@pytest.mark.parametrize("count", [0, -1, 2.5, "3", None, True])
def test_a_number_of_instances_is_a_whole_one(system, count) -> None:
    with pytest.raises(tb.InputError, match="A batch has a whole number of instances"):
        system.batch(count)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])  # in lanes, and one by one
def test_more_instances_than_memory_holds_are_refused_at_once(system, method) -> None:
    with pytest.raises(tb.InputError, match="no room for the states of 1000000000000 instances"):
        system.batch(10**12).run(None, 0.01, method=method, output_step=0.01, record=[])


def test_ctrl_c_ends_a_batch_and_keeps_what_is_done(system) -> None:
    """Pressed while the first part runs: its groups are whole, the others not begun."""
    batch, wait = system.batch(1 << 16), threading.Event()
    pressed = threading.Timer(0.3, lambda: (wait.set(), os.kill(os.getpid(), signal.SIGINT)))
    pressed.start()
    with pytest.raises(tb.batch.BatchInterrupted, match=r"interrupted; of 65536 instances") as told:
        batch.run(None, 60.0, record=["hinge"], output_step=60.0)
    pressed.join()
    ran = told.value.run
    assert wait.is_set() and len(ran.failed) > 60_000
    done = np.flatnonzero(ran.whole)
    assert np.isfinite(ran.record[done]).all() and np.isnan(ran.record[ran.failed]).all()
    assert np.isnan(ran.ended[ran.failed]).all()


def pressed_soon(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_a_batch_one_by_one_and_keeps_what_is_done(system) -> None:
    """Pressed when some of many short runs are done; those have the bits of runs of their own."""
    settings = {"method": "dopri5", "output_step": 0.01}
    pressed = pressed_soon(0.5)
    with pytest.raises(tb.batch.BatchInterrupted, match=r"interrupted; of 65536 instances") as told:
        system.batch(1 << 16).run(None, 0.01, record=["hinge"], threads=2, **settings)
    pressed.join()
    ran, alone = told.value.run, tb.simulate(system, None, 0.01, **settings)
    done = np.flatnonzero(ran.whole)
    assert len(done) > 0 and len(ran.failed) > 10_000
    assert (ran["hinge"][done] == alone["hinge"]).all() and (ran.ended[done] == 0.01).all()
    for rest in (ran.record, ran.x, ran.ended):
        assert np.isnan(rest[ran.failed]).all()
    assert not ran.reasons


def test_ctrl_c_ends_runs_of_a_batch_one_by_one_within_them(system) -> None:
    """Each would take hours, and none is done."""
    pressed = pressed_soon(0.3)
    with pytest.raises(tb.batch.BatchInterrupted, match="of 3 instances 0 were done") as told:
        system.batch(3).run(starts(system, 3), 1e7, method="dopri5", output_step=1e6, threads=2)
    pressed.join()
    assert np.isnan(told.value.run.ended).all()


def test_progress_is_told_to_the_end(system) -> None:
    told: list[float] = []
    system.batch(40).run(None, 0.01, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0

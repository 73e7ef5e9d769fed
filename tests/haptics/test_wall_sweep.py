"""The battery in machine code presses as the laboratory does; others' cures; published bounds."""

from dataclasses import replace

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.haptics.wall import (
    Bench,
    DifferenceSensing,
    Encoder,
    Finger,
    Motor,
    Plant,
    State,
    Target,
    deviation,
    hand_work,
    is_passive,
    kind,
    largest_passive_stiffness,
)
from touchback.haptics.wall.laws import (
    Adaptive,
    AsMeasured,
    CountIntervalEstimator,
    Deadbeat,
    Differences,
    Dithered,
    DryFrictionLaw,
    EnergyBalanced,
    HalfSample,
    KalmanEstimator,
    Law,
    Motion,
    PassivityControlled,
    PolePlacement,
    Standard,
    WallSample,
    WaveVariables,
    Window,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, BENCH_FINGER, Press, presses
from touchback.haptics.wall.stability_limits import abbott_okamura, colgate, diolaiti
from touchback.haptics.wall.wall_sweep import (
    DEEP,
    FAR,
    LARGEST,
    LEAST,
    PressSetup,
    PressSimulation,
    WallSweep,
    find_stiffest_wall,
    press_walls,
)

SIZE, RATE = 4.15e-6, 500.0
LIGHT = Finger(0.01, 2.0, 120.0)
COUNTED = PressSetup(encoder=Encoder(SIZE), sense=Differences())


def in_laboratory(name: str, stiffness: float, bench: Bench) -> float:
    """The least work over the largest, in any press."""
    works = (
        hand_work(bench.press(each, kind(name), Target(stiffness), RATE)) for each in presses()
    )
    return float(min(work.min() / np.abs(work).max() for work in works))


@pytest.mark.parametrize(
    ("setting", "bench"),
    [
        (PressSetup(), Bench()),
        (PressSetup(delay=0.4), Bench(delay=0.4)),
        (PressSetup(motor=Motor(2.0, 1.1, 0.01)), Bench(motor=Motor(2.0, 1.1, 0.01))),
        (PressSetup(assumed_finger=LIGHT), Bench(assumed_finger=LIGHT)),
        (COUNTED, Bench(sensing=DifferenceSensing(Encoder(SIZE)))),
    ],
    ids=["exact", "late", "motor", "finger", "counts"],
)
def test_the_work_of_the_hand_is_booked_as_in_the_laboratory(
    setting: PressSetup, bench: Bench
) -> None:
    stiffnesses = (1500.0, 9000.0, 40e3)
    found = press_walls(HalfSample(), stiffnesses, RATE, setting).least_work
    due = [in_laboratory("half-sample", each, bench) for each in stiffnesses]
    np.testing.assert_allclose(found, due, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    ("law", "setting"),
    [
        (Standard(), PressSetup(motor=Motor(2.0, 1.1, 0.01), delay=0.3)),
        (Deadbeat(throughout=True), PressSetup()),
        (Adaptive(Deadbeat(), BENCH_DEVICE, Finger(0.01, 2.0, 120.0)), PressSetup()),
        (PassivityControlled(), COUNTED),
        (Dithered(WaveVariables(), 0.01), COUNTED),
        (PolePlacement(), PressSetup(encoder=Encoder(SIZE), sense=Window(SIZE))),
        (
            HalfSample(),
            PressSetup(encoder=Encoder(SIZE), sense=KalmanEstimator(SIZE, feeds=True), stamps=True),
        ),
        (
            EnergyBalanced(HalfSample(), SIZE),
            PressSetup(encoder=Encoder(SIZE), sense=CountIntervalEstimator(SIZE), stamps=True),
        ),
        (
            EnergyBalanced(PolePlacement(), SIZE),
            PressSetup(encoder=Encoder(SIZE), sense=CountIntervalEstimator(SIZE, noise=SIZE)),
        ),
    ],
    ids=[
        "standard",
        "deadbeat",
        "adaptive",
        "watched",
        "waves",
        "window",
        "stamped",
        "balanced",
        "noisy",
    ],
)
def test_machine_code_presses_as_the_same_lines_do_on_floats(law: Law, setting: PressSetup) -> None:
    """Taps twice, so that what is learnt in the first contact is used in the second."""
    press, stiffness, rate = Press(3.0, 0.05, 1e-5), 3000.0, 500.0
    setting = replace(setting, presses=(press,))
    battery = WallSweep(law, rate, setting, follow=True)
    pressing = battery.pressing
    state: list[float] = list(pressing.start)
    for i in pressing.gaps:
        state[i] = press.gap
    for push in press.force(1.0 / rate, 38):
        state = list(pressing.step(state, stiffness, press.gap, float(push), 0.0))
    found = battery.press([stiffness])
    assert state[LEAST] / state[LARGEST] == pytest.approx(found.least_work[0], rel=1e-9, abs=1e-12)
    assert state[FAR] / state[DEEP] == pytest.approx(found.deviation[0], rel=1e-9)
    assert state[LARGEST] > 1e-4


def test_stamps_tell_when_and_where_the_count_changed() -> None:
    """A handle thrown outwards, without a wall: the edge is where its closed form says."""
    setting = PressSetup(encoder=Encoder(SIZE), sense=AsMeasured(), stamps=True)
    pressing, period = PressSimulation(Standard(), setting, 1e-3), 1e-3
    y, v = 1.3e-6, 9e-3
    state = [y, v, *pressing.start[2:]]
    after = pressing.step(state, 1000.0, 0.0, 0.0, 0.0)
    changed, edge, ago = after[7:10]
    motion = Plant(BENCH_DEVICE, BENCH_FINGER).motion
    assert changed == 1.0 and edge == pytest.approx(1.5 * SIZE)
    assert motion.after(State(y, v), period - ago, 0.0).y == pytest.approx(edge, abs=1e-15)
    resting = pressing.step([y, 0.0, *pressing.start[2:]], 1000.0, 0.0, 0.0, 0.0)
    assert resting[7] == 0.0


def test_the_deviation_is_the_laboratory_s() -> None:
    """Its continuous wall is one of 64 samples a period, good to a few thousandths."""
    found = press_walls(PolePlacement(), [3000.0], RATE, follow=True).deviation[0]
    assert found == pytest.approx(deviation(kind("z-plane"), 3000.0, RATE), abs=5e-3)
    assert np.isnan(press_walls(PolePlacement(), [3000.0], RATE).deviation[0])


def test_the_ladder_ends_where_the_laboratory_s_search_does() -> None:
    found, astray = find_stiffest_wall(Standard(), RATE)
    assert found == pytest.approx(largest_passive_stiffness(kind("standard"), RATE), rel=0.02)
    assert is_passive(kind("standard"), found, RATE) and 0.0 < astray < 0.5


def test_an_observer_gives_back_what_counts_take_from_a_deadbeat_wall() -> None:
    """At 250 Hz: many walls from 1500 N/m on fail with differences, none with the observer."""
    observed = PressSetup(encoder=Encoder(SIZE), sense=KalmanEstimator(SIZE))
    stiffnesses = np.linspace(1500.0, 6000.0, 20)
    counted, known = (
        press_walls(Deadbeat(), stiffnesses, 250.0, each).passive for each in (COUNTED, observed)
    )
    assert np.count_nonzero(counted) < 15 and known.all()


def test_a_window_errs_by_a_count_over_its_length_at_constant_speed() -> None:
    window, speed, period = Window(SIZE), 7.3e-3, 1e-3
    memory, errors = window.start, []
    for sample in range(60):
        y = SIZE * np.floor(speed * sample * period / SIZE + 0.5)
        told = WallSample(y, 0.0, 0.0, Motion(0.32, 4.75, 257.0), 0.0, 1e3, 0.0, period)
        memory, known = window.step(memory, told)
        errors.append(known.v - speed)
    assert np.abs(errors[17:]).max() <= SIZE / (16 * period) * (1 + 1e-6)
    assert errors[0] == -speed  # the first sample tells no speed


@pytest.mark.parametrize("bounded", [False, True])
def test_watching_energy_makes_the_standard_wall_passive_but_no_wall(bounded: bool) -> None:
    """At 1 kHz and 5000 N/m, two and a half times Colgate's bound."""
    watched = press_walls(PassivityControlled(bounded=bounded), [5000.0], 1000.0, follow=True)
    plain, ahead = (press_walls(law, [5000.0], 1000.0, follow=True)
                    for law in (Standard(), HalfSample()))  # fmt: skip
    assert not plain.passive[0] and watched.passive[0] and ahead.passive[0]
    assert watched.deviation[0] > 10.0 * ahead.deviation[0]


def test_waves_press_back_with_the_spring_behind_the_line_s_own() -> None:
    """Held at a depth for long: springs of K and 2b/T in series."""
    law, depth, b, T, K = WaveVariables(2.0), 1e-3, 2.0, 1e-3, 800.0
    memory, force = law.start, 0.0
    told = WallSample(-depth, 0.0, 0.0, Motion(0.32, 4.75, 257.0), 0.0, K, 0.0, T)
    for _ in range(80):
        memory, force = law.step(memory, told)
    assert force == pytest.approx(depth / (1.0 / K + T / (2.0 * b)), rel=1e-6)


def test_rubbing_takes_its_friction_s_work_and_never_pulls() -> None:
    """Slowly 40 counts in and out again: twice the friction times the way, less where it turns."""
    K, T, deep = 10e3, 1e-3, 40.0 * SIZE
    law = DryFrictionLaw(Standard(), SIZE, friction=0.5, give=2.0)
    way = np.concatenate([np.linspace(0.0, -deep, 401), np.linspace(-deep, 0.0, 401)[1:]])
    memory, forces = law.start, []
    for y in way:
        told = WallSample(y, 0.0, 0.0, Motion(0.32, 4.75, 257.0), 0.0, K, 0.0, T)
        memory, force = law.step(memory, told)
        forces.append(float(force))
    mean = 0.5 * (np.array(forces)[1:] + np.array(forces)[:-1])
    taken = -np.sum(mean * np.diff(way))
    most = 0.5 * SIZE * K
    assert taken == pytest.approx(2.0 * most * deep, rel=0.15)
    assert min(forces) >= 0.0 and forces[200] == pytest.approx(K * 0.5 * deep + most, rel=1e-6)


def test_dither_shakes_inside_the_wall_alone() -> None:
    law = Dithered(Standard(), 0.25)
    plant, memory, forces = Motion(0.32, 4.75, 257.0), law.start, []
    for y in (1e-3, -1e-3, -1e-3):
        told = WallSample(y, 0.0, 0.0, plant, 0.0, 1000.0, 0.0, 1e-3)
        memory, force = law.step(memory, told)
        forces.append(force)
    assert forces == pytest.approx([0.0, 0.75, 1.25])


@pytest.mark.parametrize(
    "law",
    [
        PassivityControlled(HalfSample()),
        WaveVariables(),
        Dithered(PolePlacement(), 1),
        DryFrictionLaw(PolePlacement(), SIZE),
        EnergyBalanced(PolePlacement(), SIZE),
    ],
)
def test_an_idle_law_keeps_the_length_of_its_memory(law: Law) -> None:
    told = WallSample(-1e-3, 0.1, 0.2, Motion(0.32, 4.75, 257.0), 0.0, 1000.0, 0.0, 1e-3)
    assert len(law.idle(law.start, told)) == len(law.step(law.start, told)[0]) == len(law.start)


def test_published_bounds_weigh_hold_delay_and_counts() -> None:
    assert colgate(1.0, 1e-3) == 2000.0
    assert colgate(1.0, 1e-3, wall_damping=-0.5) == 1000.0
    assert colgate(1.0, 1e-3, wall_damping=2.0) == 0.0
    assert abbott_okamura(1.0, 1e-3, 2e-3, 4e-6) == pytest.approx(1000.0)
    assert abbott_okamura(1.0, 1e-3, 1.0, 4e-6) == 2000.0
    assert abbott_okamura(1.0, 1e-3, 0.0, 0.0) == 2000.0
    assert diolaiti(1.0, 1e-3, 1.0, 4e-6, delay=0.5e-3) == pytest.approx(1000.0)
    assert diolaiti(1.0, 1e-3, 2e-3, 4e-6) == abbott_okamura(1.0, 1e-3, 2e-3, 4e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: colgate(1.0, 0.0),
        lambda: colgate(-1.0, 1e-3),
        lambda: abbott_okamura(1.0, 1e-3, -1.0, 1e-6),
        lambda: diolaiti(1.0, 1e-3, 1.0, 1e-6, delay=float("nan")),
        lambda: WaveVariables(0.0),
        lambda: DryFrictionLaw(Standard(), 0.0),
        lambda: KalmanEstimator(1e-6, slack=0.7),
        lambda: find_stiffest_wall(Standard(), 0.0),
        lambda: PressSetup(delay=1.5),
        lambda: PressSetup(stamps=True),
    ],
)
def test_what_no_device_has_is_refused(make: object) -> None:
    with pytest.raises(InputError):
        make()  # type: ignore[operator]

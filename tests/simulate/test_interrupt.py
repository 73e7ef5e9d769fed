"""Ctrl-C ends any run at its next step, and what was computed is kept."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.simulate import RunFailed, RunInterrupted
from touchback.simulate.solvers import integrators

LOOPS = ("linear-implicit", "augmented-lagrangian")


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def pendulum(loop: bool = False) -> tb.System:
    m = tb.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.body("bob", 1.0, com=(0, 0, -0.5), inertia=(0.01, 0.01, 0.01))
    m.joint("q", tb.Revolute("y"), m.ground, bob, position=1.0)
    push = m.input("push", unit="N m")
    m.force("push", tb.JointEffort("q", push))
    m.sensor("energy", tb.Energy())
    if loop:
        slider = m.body("slider", 0.5)
        m.joint("x", tb.Prismatic("x"), m.ground, slider)
        m.close("rod", tb.Rod(1.0), bob.at(0, 0, -0.5), slider)
    return m.compile()


def at(instant: float) -> Callable[[float], float]:
    """An input during which Ctrl-C is pressed, once."""
    pressed: list[float] = []

    def push(t: float) -> float:
        if t > instant and not pressed:
            pressed.append(t)
            press()
        return 0.1

    return push


def bouncing() -> tb.System:
    """A ball with two modes, in the air and at rest."""
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 1.0), position=0.5)
    push = m.input("push", unit="N")
    m.force("push", tb.JointEffort("z", push))
    m.constrain("floor", position=m.coordinate("z"))
    m.mode("air")
    m.mode("ground", active=["floor"])
    m.transition("lands", "air", "ground", when=m.coordinate("z"))
    return m.compile()


@pytest.mark.parametrize("method", [m for m in integrators() if m not in LOOPS])
def test_ctrl_c_ends_a_run_by_any_method_and_keeps_it(method: str) -> None:
    system = pendulum()
    with pytest.raises(RunInterrupted, match=r"pendulum: interrupted at t = .* kept in") as caught:
        tb.simulate(
            system, duration=1.0, method=method, inputs={"push": at(0.2)}, step=0.01, rtol=1e-5,
            output_step=0.01, progress=False,
        )  # fmt: skip
    run = caught.value.run
    assert 0.15 < run.time[-1] < 0.25
    whole = tb.simulate(
        system, duration=1.0, method=method, inputs={"push": 0.1}, step=0.01, output_step=0.01,
        rtol=1e-5, progress=False,
    )  # fmt: skip
    count = len(run) - 1  # the last may lie between two recorded instants
    np.testing.assert_array_equal(run["q"][:count], whole["q"][:count])
    np.testing.assert_allclose(run["energy"][:count], whole["energy"][:count], rtol=1e-12)


@pytest.mark.parametrize("constraints", ["partitioning", "multipliers", "projection", *LOOPS])
def test_loops_are_interrupted_in_every_formulation(constraints: str) -> None:
    system = pendulum(loop=True)
    start = system.assemble()
    with pytest.raises(RunInterrupted) as caught:
        tb.simulate(
            system, start, 10.0, constraints=constraints, step=0.01, inputs={"push": at(0.5)},
            progress=False,
        )  # fmt: skip
    assert 0.4 < caught.value.run.time[-1] < 0.6
    assert np.isfinite(caught.value.run["energy"]).all()


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_runs_with_modes_are_interrupted(method: str) -> None:
    with pytest.raises(RunInterrupted) as caught:
        tb.simulate(
            bouncing(), duration=5.0, method=method, inputs={"push": at(1.0)}, progress=False,
            step=0.01,
        )  # fmt: skip
    run = caught.value.run
    assert 0.9 < run.time[-1] < 1.1
    assert abs(run["z"][-1]) < 1e-9


def test_ctrl_c_reaches_loops_that_never_return_to_python() -> None:
    """Minutes of steps inside C, without a function of Python's."""
    system, timer = pendulum(), threading.Timer(0.1, press)
    began = time.monotonic()

    def going(fraction: float) -> None:
        if not timer.ident:
            timer.start()

    with pytest.raises(RunInterrupted) as caught:
        tb.simulate(
            system, duration=1e6, method="rk4", step=1e-3, output_step=10.0, step_limit=10**10,
            progress=going,
        )  # fmt: skip
    assert time.monotonic() - began < 60.0  # of about half an hour
    assert len(caught.value.run) > 1


def test_ctrl_c_ends_an_unclocked_live_run_and_keeps_its_ticks() -> None:
    def press_when_going() -> None:
        while not live.ticks:
            time.sleep(0.01)
        press()

    with tb.live(pendulum(), speed=None, record=True) as live:
        thread = threading.Thread(target=press_when_going)
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            live.run(7000.0)
        thread.join()
        assert len(live.recorded()) == live.ticks > 0


def test_a_run_within_an_input_function_is_interrupted_with_the_outer_one() -> None:
    inner = pendulum()

    def push(t: float) -> float:
        if t > 0.5:
            tb.simulate(inner, duration=10.0, inputs={"push": at(1.0)}, progress=False)
        return 0.0

    with pytest.raises(RunInterrupted) as caught:
        tb.simulate(pendulum(), duration=1.0, method="rk4", inputs={"push": push}, progress=False)
    assert caught.value.run.time[-1] == pytest.approx(0.5, abs=2e-3)


def test_somebody_else_s_handler_keeps_ctrl_c() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        run = tb.simulate(pendulum(), duration=1.0, inputs={"push": at(0.5)}, progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT] and run.time[-1] == 1.0


def test_ctrl_c_is_python_s_again_after_a_run() -> None:
    tb.simulate(pendulum(), duration=0.1, progress=False)
    with pytest.raises(KeyboardInterrupt) as caught:
        press()
        time.sleep(1.0)
    assert not isinstance(caught.value, RunInterrupted)


@pytest.mark.parametrize("ending", ["failure", "interrupt"])
def test_a_run_with_switches_keeps_the_parts_before_the_last(ending: str) -> None:
    system = pendulum(loop=True)
    switch = [tb.Switch(0.3, deactivate=["rod"])]
    given: dict[str, Any] = {"push": at(0.6)}
    if ending == "failure":
        given = {"push": lambda t: 0.1 if t < 0.6 else float("nan")}
    with pytest.raises((RunFailed, RunInterrupted)) as caught:
        tb.simulate(system, system.assemble(), 2.0, events=switch, inputs=given, progress=False)
    run = caught.value.run  # type: ignore[attr-defined]
    assert run.time[0] == 0.0 and run.time[-1] > 0.5

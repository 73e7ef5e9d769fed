"""Calls with many states let go of what the rest of a program needs: Ctrl-C, and forks."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make

PATIENCE = 30.0  # seconds
PARAMETERS = {"pendulum": "length", "slider-crank": "crank radius"}


def batch(name: str, count: int) -> tuple[tb.System, Callable[[int], np.ndarray]]:
    """Accelerations of so many states."""
    system = make(name).compile()
    q = np.tile(system.assemble().q, (count, 1))
    v = np.zeros((count, len(system.layout.v)))
    system.forward_dynamics(q[:300], v[:300])  # derived, and in both widths
    return system, lambda rows: system.forward_dynamics(q[:rows], v[:rows])


@pytest.mark.parametrize(
    ("name", "count"), [("seven-joint-arm", 1_000_000), ("stewart-platform", 200_000)]
)
def test_ctrl_c_is_heard_while_many_states_are_computed(name: str, count: int) -> None:
    _, call = batch(name, count)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.1, press).start()
    with pytest.raises(KeyboardInterrupt):
        while True:  # a quick machine computes them more than once
            call(count)
    assert time.process_time() - pressed[0] < 1.0  # second of work, however busy the machine is


@pytest.mark.parametrize("name", ["pendulum", "slider-crank"])
def test_chunks_of_states_have_the_bits_of_all_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = make(name).compile()
    v = np.random.default_rng(1).normal(size=(1100, len(system.layout.v)))
    q = system.assemble().q
    varied = {PARAMETERS[name]: np.linspace(0.1, 0.2, 1100)}

    def found() -> list[np.ndarray]:
        rows = np.tile(q, (1100, 1))
        return [
            system.forward_dynamics(rows, v),
            system.forward_dynamics(q, v),
            system.forward_dynamics(q, v, parameters=varied),
        ]

    wanted = found()
    monkeypatch.setattr("touchback.system.compiled_function._AT_A_TIME", 1)
    for one, other in zip(found(), wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["seven-joint-arm", "stewart-platform"])
def test_a_child_forked_during_a_call_with_many_states_can_call_too(name: str) -> None:
    _, call = batch(name, 20_000)
    wanted, over = call(300), threading.Event()

    def go_on() -> None:
        while not over.is_set():
            call(20_000)

    busy = threading.Thread(target=go_on)
    busy.start()
    time.sleep(0.05)
    child = os.fork()
    if not child:
        os._exit(3 if np.array_equal(call(300), wanted) else 4)
    over.set()
    exited = os.pidfd_open(child)
    heard = select.select([exited], [], [], PATIENCE)[0]
    os.close(exited)
    if not heard:
        os.kill(child, signal.SIGKILL)
    busy.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3

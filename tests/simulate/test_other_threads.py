"""Other threads of Python go on while C works: it lets go of the interpreter's lock."""

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make

_FEW = 5  # more looks than a thread gets when others hold the lock all the time


class Ticking:
    """A thread that counts as long as it may."""

    def __init__(self) -> None:
        self.count, self._ended = 0, threading.Event()
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    def _count(self) -> None:
        while not self._ended.wait(1e-3):
            self.count += 1

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@pytest.fixture
def ticking() -> Iterator[Ticking]:
    thread = Ticking()
    yield thread
    thread.end()


@pytest.mark.parametrize(
    ("name", "method"),
    [("motor-arm", tb.RK4(step=2e-6)), ("slider-crank", tb.Dopri5(step=2e-5, output_step=0.1))],
)
def test_during_a_run(name: str, method: object, ticking: Ticking) -> None:
    """Within one chunk of steps, of which progress tells the ends."""
    system, ends = make(name).compile(), list[int]()

    def looked(done: float) -> None:
        ends.append(ticking.count)

    begun = time.monotonic()
    while max(np.diff(ends), default=0) <= _FEW:
        assert time.monotonic() - begun < 30.0
        tb.simulate(system, duration=1.0, method=method, progress=looked)  # type: ignore[arg-type]


def test_during_a_call_on_many_states(ticking: Ticking) -> None:
    system = make("seven-joint-arm").compile()
    q = np.random.default_rng(1).normal(size=(400_000, 7))
    out = np.empty_like(q)
    begun = time.monotonic()
    most = 0
    while most <= _FEW:
        assert time.monotonic() - begun < 30.0
        before = ticking.count
        system.forward_dynamics(q, q, out=out)
        most = max(most, ticking.count - before)

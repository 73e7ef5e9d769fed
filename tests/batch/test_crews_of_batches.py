"""The threads of a batch: how many there are, and that they hear Ctrl-C to the end."""

import os
import signal

import numpy as np
import pytest

import touchback as tb
from touchback.native.batch.native_batch import MOST_WORKERS

LANES = {"step": 1e-3}
ONE_AT_A_TIME = {"step": 1e-3}
ONE_BY_ONE = {"method": "dopri5", "output_step": 1e-3}
WAYS = pytest.mark.parametrize(
    ("mechanism", "grid"),
    [("pendulum", LANES), ("crank-rocker", ONE_AT_A_TIME), ("pendulum", ONE_BY_ONE)],
)


@WAYS
def test_no_more_threads_are_told_than_worked(mechanism: str, grid: dict) -> None:
    """One for each instance, or group of lanes, does all there is to do."""
    ran = tb.gallery.make(mechanism).compile().batch(2).run(None, 2e-3, threads=50, **grid)
    assert ran.threads == -(-2 // ran.lanes)


@pytest.mark.parametrize("mechanism", ["pendulum", "crank-rocker"])
def test_c_keeps_so_many_workers_and_tells_of_no_more(mechanism: str) -> None:
    system, count = tb.gallery.make(mechanism).compile(), 10 * MOST_WORKERS  # in lanes too
    ran = system.batch(count).run(None, 1e-3, threads=1000, record=[], **LANES)
    assert ran.threads == MOST_WORKERS and ran.whole.all()


@WAYS
def test_ctrl_c_is_heard_though_all_instances_are_done(mechanism: str, grid: dict) -> None:
    """Who runs batch after batch would else get the next one; what is done is kept."""

    def press(done: float) -> None:
        if done == 1.0:
            os.kill(os.getpid(), signal.SIGINT)

    system = tb.gallery.make(mechanism).compile()
    with pytest.raises(tb.batch.BatchInterrupted, match="of 3 instances 3 were done") as told:
        system.batch(3).run(None, 2e-3, progress=press, **grid)
    assert told.value.run.whole.all() and np.isfinite(told.value.run.record).all()

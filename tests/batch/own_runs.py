"""Instances of a batch beside runs of their own by `tb.simulate`."""

import numpy as np

import touchback as tb
from touchback.batch import BatchRun


def alone(
    system: tb.System, x: np.ndarray | None, given: dict, i: int, duration: float, **grid: object
) -> tuple[tb.Run, str]:
    """The run of an instance by `tb.simulate`, and what it says when it fails."""
    own = {kind: {name: each[i] for name, each in named.items()} for kind, named in given.items()}
    try:
        return tb.simulate(system, None if x is None else x[i], duration, **own, **grid), ""
    except tb.RunFailed as error:
        return error.run, str(error)


def assert_same_bits(ran: BatchRun, i: int, run: tb.Run) -> None:
    """States and sensors at every instant that is recorded, and the end."""
    assert [*ran.x[i]] == [run[name][-1] for name in ran.state_names]
    for name in ran.signals:
        assert np.array_equal(ran[name][i], run[name][: len(ran.time)]), (i, name)


def assert_same_end(ran: BatchRun, i: int, run: tb.Run, why: str) -> None:
    """States up to where it ended, and why, if it failed; what it didn't reach is NaN."""
    assert ran.reasons.get(i, "") == why and ran.ended[i] == run.time[-1]
    assert [*ran.x[i]] == [run[name][-1] for name in ran.state_names]
    reached = ran.time <= run.time[-1]
    for name in ran.state_names:
        assert np.array_equal(ran[name][i][reached], run[name][: reached.sum()]), (i, name)
        assert np.isnan(ran[name][i][~reached]).all()

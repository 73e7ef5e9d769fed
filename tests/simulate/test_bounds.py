"""What would never end or never fit is refused before the work starts, with number and limit."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import tick_recorder


def ball() -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", m.parameter("m", 1.0)), position=0.1)
    return m.compile(), {"floor": tb.contact.DescribedContact(m.coordinate("z"))}


SYSTEM, FLOOR = ball()
RUN = tb.simulate
CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "fixed steps": (
        lambda: RUN(SYSTEM, duration=1e9, method="rk4"),
        r"1e\+09 s takes 1e\+12 steps of at most 0.001 s, but step_limit is 10000000",
    ),
    "the longest step": (lambda: RUN(SYSTEM, step=1e-12), r"takes 1e\+12 steps .* step_limit"),
    "rows of dopri5": (
        lambda: RUN(SYSTEM, output_step=1e-12),
        r"every 1e-12 s, gives 1e\+12 rows of 2 numbers; at most 100000000 numbers .* 2e-08 s",
    ),
    "rows of radau5": (lambda: RUN(SYSTEM, output_step=1e-12, method="radau5"), "gives 1e.12 rows"),
    "rows of SciPy": (lambda: RUN(SYSTEM, output_step=1e-12, method="RK45"), "gives 1e.12 rows"),
    "rows of fixed steps": (
        lambda: RUN(SYSTEM, duration=1e6, method="rk4", step_limit=10**10),
        r"every 0.001 s, gives 1e\+09 rows",
    ),
    "steps with contacts": (
        lambda: RUN(SYSTEM, duration=1e9, method="moreau-jean", step=1e-3, contacts=FLOOR),
        r"gives 1e\+12 rows of 5 numbers",
    ),
    "events with contacts": (
        lambda: tb.simulate(SYSTEM, contacts=FLOOR, output_step=1e-12), "gives 1e.12 rows"
    ),
    "a laboratory": (
        lambda: tb.quality(SYSTEM, steps=[1e-3, 1e-12]), r"1e\+12 steps of 1e-12 s; at most"
    ),
    "sensitivities": (
        lambda: tb.sensitivity(SYSTEM, parameters=["m"], output_step=1e-13), "gives 1e.13 rows"
    ),
    "substeps of a tick": (
        lambda: tb.live(SYSTEM, substeps=10**9), "1 to 100000 substeps, got 1000000000"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CALLS)
def test_what_never_ends_or_fits_is_refused_at_once(what: str) -> None:
    call, message = CALLS[what]
    began = time.process_time()
    with pytest.raises(tb.InputError, match=message):
        call()
    assert time.process_time() - began < 5.0  # seconds of work, where it would take days


def test_a_long_run_with_few_rows_is_no_excess() -> None:
    run = tb.simulate(SYSTEM, duration=1e5, output_step=1e3, progress=False)
    assert run.time[-1] == 1e5
    np.testing.assert_allclose(run["z"][-1], 0.1 - 0.5 * 9.81 * 1e10, rtol=1e-9)


def test_ticks_that_memory_does_not_take_are_refused() -> None:
    with tb.live(SYSTEM, speed=None, record=True) as live:
        with pytest.raises(
            tb.InputError, match=r"1000000000000 more ticks .*100000000 numbers in all"
        ):
            live.run(1e9)
        for endless in (np.inf, np.nan, -1.0):
            with pytest.raises(tb.InputError, match="goes on for a finite time"):
                live.run(endless)
        live.run(0.01)
    assert len(live.recorded()) == 10


def test_a_recording_in_memory_ends_where_its_room_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clocked run doesn't know how long it will last: what fits is kept, the rest is said."""
    about = {"input_names": [], "state_names": ["z", "z rate"], "output_names": []}
    kept = tick_recorder.TickRecorder({**about, "energy_names": []}, True)
    width = len(kept.columns)
    monkeypatch.setattr(kept, "_room", 25 * width)
    for _ in range(4):
        kept.keep(np.ones((10, width)), {})
    assert sum(map(len, kept._parts[0][1])) == 25  # type: ignore[index]
    assert kept.status.startswith("kept in memory until")
    with pytest.raises(tb.InputError, match="takes 0 more"):
        kept.refuse_excess(1)

"""What a live run keeps in memory stays small, however long it is and however often it changes."""

import gc
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.records import Statistics

import touchback as tb
from touchback.native.live import locked_arena as live_memory
from touchback.native.live.locked_arena import LockedArrays

LIVE = import_module("touchback.realtime.live")  # the module: the room has a function of its name


def swinging(*latches: str) -> tb.Model:
    """A pendulum with latches that rest."""
    m = tb.Model("pendulum", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.5, unit="m", min=0.1, max=2.0)
    arm = m.body("arm", mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.01))
    m.joint("hinge", tb.Cylindrical("y"), m.ground, arm)
    for name in latches:
        m.constrain(name, m.coordinate("hinge", 0), active=False)
    return m


def statistics(path: Path) -> Statistics:
    """What a recording's file tells of itself."""
    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None and summary.statistics is not None
    return summary.statistics


def chunks(path: Path) -> int:
    """How many chunks a recording has."""
    return statistics(path).chunk_count


def test_changes_go_into_the_chunk_of_their_ticks(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    system, other = swinging().compile(), swinging("latch").compile()
    with tb.live(system, rate=1000, speed=None, record=path) as live:
        for structure in (other, system, other):
            for k in range(50):
                live["length"] = 0.5 + 0.01 * k
            live.swap(structure)
            live.run(0.01)
    assert len(live.structures) == 3
    assert chunks(path) <= 7  # the head, a run of the loop before each change, and one after it
    assert tb.replay(path).same


def test_waiting_for_a_structure_makes_no_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIVE, "_DRAIN", 600.0)  # s: none that the clock asks for
    path = tmp_path / "run.mcap"
    system, other = swinging().compile(), swinging("latch").compile()
    with tb.live(system, rate=1000, record=path) as live:
        for k in range(10):
            live.swap((other, system)[k % 2])
    assert chunks(path) <= 2  # the head, and all else
    assert statistics(path).schema_count == 2  # of bits and of JSON: both have the same columns
    assert tb.replay(path).same


def test_chunks_grow_with_a_long_recording(
    cart: tb.System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIVE, "_CHUNKS", 2)  # as if days old
    path, began = tmp_path / "run.mcap", time.monotonic()
    with tb.live(cart, rate=1000, record=path) as live:
        live.run(0.7)
    seconds = time.monotonic() - began  # the head, after 0.1, 0.2, 0.4 (…) s, and the end; not 8
    assert 2 <= chunks(path) <= 3 + np.log2(seconds / 0.1)
    assert tb.replay(path).same


def test_ticks_kept_in_memory_take_their_own_size(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, record=True) as live:
        for _ in range(5):
            live.run(0.01)
    rows = [rows for _, blocks in live._recorder._parts or [] for rows in blocks]
    held = sum((each if each.base is None else each.base).nbytes for each in rows)
    assert held == 50 * 8 * len(live._recorder.columns)


def test_the_last_sets_of_active_constraints_stay_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIVE, "_MODES", 2)
    with tb.live(swinging("a", "b", "c").compile(), rate=1000, speed=None) as live:

        def latched(name: str) -> tb.System:
            live.switch(activate=[name], deactivate=[each for each in "abc" if each != name])
            live.run(0.002)
            return live.system

        first, second = latched("a"), latched("b")
        assert (latched("a"), latched("b")) == (first, second)
        latched("c")
        assert latched("b") is second and len(live._modes) == 2
        assert latched("a") is not first


def test_old_changes_are_forgotten_while_a_structure_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("touchback.realtime.live_parameters._REMEMBERED", 10)
    path = tmp_path / "run.mcap"
    with tb.live(swinging().compile(), rate=1000, speed=None, record=path) as live:
        change = live.swap(swinging("latch"), at=0.05)
        for k in range(60):
            live["length"] = 0.5 + 0.01 * k
            live.run(0.001)
        live.report()
        for k in range(60):  # between two drains, more than are remembered
            live["length"] = 0.5 + 0.01 * k
            live.report()
        live.run(0.001)
    assert change.state == "taken"
    assert len(live._parameters.changes) <= 12
    assert tb.replay(path).same


# ---- locks --------------------------------------------------------------------------------------


def test_pages_are_unlocked_by_their_last_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int, int]] = []
    for word in ("lock", "unlock"):

        def noted(start: int, size: int, word: str = word) -> int:
            calls.append((word, start, size))
            return 0

        monkeypatch.setattr(live_memory.LIB, f"tb_memory_{word}", noted)
    page = live_memory._PAGE
    whole = np.zeros(8 * page, dtype=np.uint8)
    start = whole.ctypes.data // page * page + page
    skip = start - whole.ctypes.data
    first, second = whole[skip : skip + page + 1], whole[skip + page + 64 : skip + page + 128]
    a, b = LockedArrays([first, "no array"]), LockedArrays([second])
    assert calls == [("lock", start, 2 * page), ("lock", start + page, page)]
    calls.clear()
    del a
    assert calls == [("unlock", start, page)]  # the other page is b's, too
    del b
    assert calls[1:] == [("unlock", start + page, page)]
    assert not {start, start + page} & live_memory._holders.keys()


def test_structures_that_are_gone_lock_nothing() -> None:
    system, other = swinging().compile(), swinging("latch").compile()
    gc.collect()
    before = len(live_memory._holders)
    with tb.live(system, rate=1000, speed=None) as live:
        held = []
        for k in range(12):
            live.swap((other, system)[k % 2])
            live.run(0.002)
            held.append(len(live_memory._holders))
    assert max(held[6:]) <= max(held[:6]) + 4  # heaps place arrays here and there
    del live
    gc.collect()
    assert len(live_memory._holders) <= before

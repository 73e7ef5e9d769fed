"""The keyboard's benchmark: what it says of a run that is kept, and of one that is not."""

import json
import os
from dataclasses import replace
from functools import partialmethod

import numpy as np
import pytest

from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_player import Keyboard, make_keyboard
from touchback.realtime.latency_attribution import Histogram

bench = pytest.importorskip("benchmarks.keyboard")
quiet = pytest.importorskip("benchmarks.quiet")
report = pytest.importorskip("benchmarks.report")


@pytest.fixture(scope="module")
def section():
    """As fast as it goes: then no stroke comes late, whatever else the machine does."""
    made = report.Section("keyboard", list(bench.COLUMNS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Keyboard, "perform", partialmethod(Keyboard.perform, speed=None))
        bench._row(made, 7, 250.0, 1.6, "7 keys")
    return made


def test_a_row_says_deadlines_and_notes(section):
    (row,), (record,) = section.rows, section.records
    assert len(row) == len(bench.COLUMNS)
    assert record["report"]["ticks"] == 400
    assert 0 < record["notes"] <= record["strokes"] + 1
    assert json.loads(json.dumps(section.records))[0]["rate"] == 250.0


def test_a_run_against_the_clock_says_how_late_its_ticks_began():
    found, _ = make_keyboard([60], "wall", rate=1000.0).perform([], 0.01)
    lateness = found.as_dict()["lateness"]
    assert 0.0 <= lateness["p50"] <= lateness["p99"] <= lateness["p99.9"]
    assert lateness["max"] >= lateness["p50"]


def slow(seconds, ticks=100):
    """A histogram of ticks that all took so long."""
    counts = np.zeros(640, dtype=np.int64)
    nanoseconds = round(seconds * 1e9)
    octave = int(np.log2(nanoseconds))
    counts[(octave - 3) * 16 + int(nanoseconds / 2.0 ** (octave - 4)) - 16] = ticks
    return Histogram(counts, nanoseconds)


def test_what_was_not_kept_has_a_reason():
    found, _ = make_keyboard([60], "wall", rate=1000.0).perform([], 0.01, speed=None)
    fine = {"step_time": slow(1e-4), "lateness": slow(1e-3)}
    own = replace(found, scheduling="SCHED_FIFO 70", histograms={**found.histograms, **fine})
    assert "away, for 1.0 ms" in bench._reason(own)
    assert "come first" in bench._reason(replace(own, scheduling="ordinary: not permitted"))
    long = {**own.histograms, "step_time": slow(2e-3)}
    assert "longer than its period" in bench._reason(replace(own, histograms=long))


@pytest.mark.parametrize("clocked", [False, True])
def test_repeated_runs_tell_the_least_that_each_tick_took(clocked):
    keys = make_keyboard([60], "wall", rate=500.0)
    found = quiet.repeated(keys, [Stroke.of(0.02, 60, effort=0.3)], 0.1, 2, clocked)
    assert found.spent.shape == (2, 50)
    assert (found.least > 0.0).all()
    np.testing.assert_array_equal(found.least, np.fmin(*found.spent))
    record = json.loads(json.dumps(found.as_dict()))
    assert record["least"]["p50"] <= record["least"]["p99.9"] <= record["least"]["max"]
    assert record["least"]["p99.9"] <= record["all"]["max"]
    assert "least of 2 runs" in found.told()


def test_a_tick_that_was_not_told_in_one_run_counts_in_the_others():
    told = quiet.Quiet(np.array([[1e-4, np.nan, 3e-4], [2e-4, 5e-4, 1e-4]]), "", 0, None)
    np.testing.assert_array_equal(told.least, [1e-4, 5e-4, 1e-4])


def test_busy_processes_end_with_their_load():
    with bench.loaded() as hogs:
        assert len(hogs) == os.cpu_count()
        assert all(hog.poll() is None for hog in hogs)
    assert all(hog.poll() is not None for hog in hogs)

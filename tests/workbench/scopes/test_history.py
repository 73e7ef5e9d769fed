"""What scopes tell of the past: nothing that stuck out is ever smoothed away."""

import numpy as np
import pytest

from touchback.errors import InputError, ModelError
from touchback.workbench.scopes import Buckets, History, Stream, bucketed

RATE = 1000.0
COLUMNS = ("tick", "time", "angle", "felt force")


def rows_of(first: int, count: int, spike: int | None = None) -> np.ndarray:
    """Ticks with angle = sin t and a force that is −1 but for one tick."""
    tick = np.arange(first, first + count)
    time = tick / RATE
    force = np.where(tick == spike, 7.5, -1.0)
    return np.stack([tick, time, np.sin(time), force], axis=1)


def fed(seconds: float, spike: int | None = None, kept: float = 2.0) -> History:
    history = History(RATE, seconds=kept)
    for first in range(1, int(seconds * RATE) + 1, 17):  # as a drain at 60 Hz gives them
        count = min(17, int(seconds * RATE) + 1 - first)
        history.take(COLUMNS, rows_of(first, count, spike), {"angle": "rad", "felt force": "N"})
    return history


def test_a_spike_of_one_tick_is_as_high_in_a_bucket_of_a_second_as_it_was() -> None:
    rows = rows_of(1, 5000, spike=2345)
    found = bucketed(rows[:, 1], rows[:, 3:], 1.0)
    assert len(found) == 6  # the first ends before 1 s, the last begins at 5 s
    assert found.high[:, 0].tolist() == [-1, -1, 7.5, -1, -1, -1]
    assert (found.low == -1.0).all()


def test_a_spike_long_before_what_is_kept_in_full_stays_in_the_zoomed_out_past() -> None:
    history = fed(40.0, spike=5000)
    assert history.full_since > 37.0
    whole = history.past(["felt force"], 0.0, 40.0, 200)
    assert 100 <= len(whole) <= 220
    assert whole.high.max() == 7.5
    highest = whole.time[int(whole.high[:, 0].argmax())]
    assert highest <= 5.0 < highest + 2 * 40.0 / 200


def test_zooming_into_what_is_kept_gives_every_tick_as_it_was() -> None:
    found = fed(3.0).past(["angle"], 2.5, 2.6, 1000)
    assert len(found) == 101
    np.testing.assert_array_equal(found.low, found.high)
    np.testing.assert_allclose(found.low[:, 0], np.sin(found.time), rtol=0, atol=1e-15)


def test_the_past_since_the_start_is_there_and_its_memory_stays_bounded() -> None:
    """Ten times as long a run has at most two levels more, of the same size."""
    sizes = []
    for seconds in (30, 300):
        history = History(RATE, seconds=1.0)
        for first in range(1, seconds * 1000, 1000):
            history.take(COLUMNS, rows_of(first, 1000), {})
        assert history.past(["angle"], 0.0, seconds, 300).time[0] == pytest.approx(1 / RATE)
        past = history._spans[0].past
        sizes.append(sum(level.low.nbytes + level.high.nbytes for level in past.levels))
        assert sum(c.rows.nbytes for c in history._samples._chunks) < 1.5e6
    assert sizes[1] <= sizes[0] + 2 * 2 * 4 * 1024 * len(COLUMNS)


def test_what_is_remembered_bounds_what_was_at_every_zoom() -> None:
    """Every sample lies between the least and greatest values of its bucket, whatever its level."""
    history = fed(40.0)
    time = rows_of(1, 40_000)[:, 1]
    for start, end, count in ((0.0, 40.0, 100), (0.0, 40.0, 1000), (10.0, 30.0, 400)):
        found = history.past(["angle"], start, end, count)
        assert found.time[0] <= start + 1 / RATE
        inside = time[(time >= start) & (time <= end)]
        place = np.searchsorted(found.time, inside, "right") - 1
        # float32 has 24 bits: 6e-8 of the value
        assert (np.sin(inside) >= found.low[place, 0] - 1e-7).all()
        assert (np.sin(inside) <= found.high[place, 0] + 1e-7).all()


def test_an_expression_is_read_as_in_model_files_and_computed_at_full_rate() -> None:
    history = fed(3.0, spike=2345)
    found = history.past(["2 * angle + max('felt force', 0)"], 2.3, 2.4, 1000)
    at = int(np.searchsorted(found.time, 2.345 - 1e-9))
    assert found.low[at, 0] == pytest.approx(2 * np.sin(2.345) + 7.5, abs=1e-12)
    assert found.low[at + 1, 0] == pytest.approx(2 * np.sin(2.346), abs=1e-12)


def test_an_expression_asked_for_once_is_remembered_longer_than_full_rows_are() -> None:
    history = fed(1.0)
    history.check(["'felt force' * 2"])
    for first in range(1001, 20_001, 1000):
        history.take(COLUMNS, rows_of(first, 1000, spike=1500), {})
    found = history.past(["'felt force' * 2"], 0.0, 20.0, 100)
    assert found.time[0] < 0.3 and np.nanmax(found.high) == 15.0


def test_a_signal_that_vanished_in_a_swap_is_a_gap_and_comes_back() -> None:
    history = fed(1.0)
    other = ("tick", "time", "angle")
    history.take(other, rows_of(1001, 500)[:, :3], {})
    history.take(COLUMNS, rows_of(1501, 500), {})
    found = history.past(["angle", "felt force"], 0.0, 2.0, 2000)
    gone = (found.time > 1.0005) & (found.time < 1.5005)
    assert np.isnan(found.low[gone, 1]).all() and np.isfinite(found.low[~gone, 1][:-1]).any()
    assert np.isfinite(found.low[gone, 0]).sum() == 500
    assert found.low[-1, 1] == -1.0
    # between two structures there is a gap even of what both have
    assert np.isnan(found.low[:, 0]).sum() == 2


def test_unknown_signals_and_bad_expressions_are_refused_in_our_words() -> None:
    history = fed(0.1)
    with pytest.raises(InputError, match="did you mean 'angle'"):
        history.check(["angel"])
    with pytest.raises(ModelError, match="column 8"):
        history.check(["angle +"])
    with pytest.raises(ModelError, match="there is no function 'open'"):
        history.check(["open('/etc/passwd')"])
    with pytest.raises(InputError, match="at most 16"):
        history.check(["angle"] * 17)


def test_when_the_models_time_goes_back_the_past_begins_anew() -> None:
    history = fed(1.0, spike=500)
    history.take(COLUMNS, rows_of(1, 100), {})
    assert history.span == (pytest.approx(0.001), pytest.approx(0.1))
    assert history.past(["felt force"], 0.0, 1.0, 100).high.max() == -1.0


def unpacked(frame: bytes, traces: int) -> tuple[int, Buckets, np.ndarray]:
    """A frame as the page reads it: its number, its buckets, the newest tick's values."""
    head = np.frombuffer(frame[:8], "<u4")
    assert frame[0] == 2 and frame[1] == 1
    since = float(np.frombuffer(frame[8:16], "<f8")[0])
    number = int(np.frombuffer(frame[16:20], "<u4")[0])
    numbers = np.frombuffer(frame[20:], "<f4").astype(float)
    rows = numbers[:-traces].reshape(int(head[1]), 1 + 2 * traces)
    return number, Buckets(since + rows[:, 0], rows[:, 1::2], rows[:, 2::2]), numbers[-traces:]


def test_a_streams_frames_joined_are_the_buckets_of_all_rows() -> None:
    """However rows come in blocks: the page replaces the bucket that was not finished."""
    frames: list[bytes] = []
    stream = Stream(7, ["felt force", "angle"], 50.0, frames.append)
    rows = rows_of(1, 1000, spike=333)
    for first in range(0, 1000, 17):
        stream.take(COLUMNS, rows[first : first + 17])
        newest = rows[first : first + 17][-1, [3, 2]]
        np.testing.assert_allclose(unpacked(frames[-1], 2)[2], newest, rtol=1e-7, atol=1e-7)
    seen: dict[float, tuple[np.ndarray, np.ndarray]] = {}
    for frame in frames:
        number, found, _ = unpacked(frame, 2)
        assert number == 7
        for time, low, high in zip(found.time, found.low, found.high):
            seen[round(time, 6)] = low, high
    expected = bucketed(rows[:, 1], rows[:, [3, 2]], 1 / 50)
    np.testing.assert_allclose(list(seen), expected.time, atol=1e-6)
    np.testing.assert_allclose([x[0] for x in seen.values()], expected.low, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose([x[1] for x in seen.values()], expected.high, rtol=1e-7, atol=1e-7)
    assert max(x[1][0] for x in seen.values()) == 7.5


def test_a_stream_shows_a_gap_where_the_structure_changed() -> None:
    frames: list[bytes] = []
    stream = Stream(1, ["felt force"], 50.0, frames.append)
    stream.take(COLUMNS, rows_of(1, 10))
    stream.take(COLUMNS[:3], rows_of(11, 10)[:, :3])
    stream.take(COLUMNS, rows_of(21, 10))
    found = [unpacked(frame, 1)[1] for frame in frames]
    assert np.isfinite(found[0].low).all()
    assert np.isnan(found[1].low).all()
    assert np.isnan(found[2].low[0]) and found[2].low[1] == -1.0

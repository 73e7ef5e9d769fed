"""What stands between an output and its device, tick by tick; and what ticks count."""

import ctypes

import numpy as np
import pytest

from touchback.native.live.tick_layout import BUCKETS
from touchback.native.shared_library import LIB
from touchback.realtime.latency_attribution import lower_edges


class Guard:
    """A guard of C, of which fields are given by name."""

    def __init__(self, **fields: float) -> None:
        self.data = LIB.struct("tb_guard")()
        usual = {"low": -1e9, "high": 1e9, "slew": 1e9, "fall": 1.0, "rise": 1.0}
        for name, value in (usual | fields).items():
            setattr(self.data, name, value)

    def deliver(self, value: float, healthy: bool = True) -> float:
        given = ctypes.c_double()
        at = ctypes.addressof(self.data), ctypes.addressof(given)
        self.limited = bool(LIB.tb_guard_deliver(at[0], value, int(healthy), at[1]))
        return given.value

    def trips(self, value: float) -> bool:
        return bool(LIB.tb_guard_trips(ctypes.addressof(self.data), value))


def test_values_beyond_limits_trip_or_are_clipped() -> None:
    trip = Guard(low=-1.0, high=2.0, at_limit=LIB.constant("TB_TRIP"))
    assert [trip.trips(value) for value in (-1.0, 0.0, 2.0)] == [False] * 3
    assert trip.trips(-1.001) and trip.trips(2.001)
    clip = Guard(low=-1.0, high=2.0, at_limit=LIB.constant("TB_CLIP"))
    assert not clip.trips(5.0)
    assert [(clip.deliver(value), clip.limited) for value in (2.0, 2.5, -1.5, 1.0)] == [
        (2.0, False), (2.0, True), (-1.0, True), (1.0, False),
    ]  # fmt: skip


def test_changes_are_as_fast_as_the_slew_while_all_is_well() -> None:
    guard = Guard(slew=0.5, safe=1.0)
    assert [(guard.deliver(3.0), guard.limited) for _ in range(5)] == [
        (1.5, True), (2.0, True), (2.5, True), (3.0, False), (3.0, False),
    ]  # fmt: skip
    assert guard.deliver(0.0) == 2.5 and guard.deliver(0.0, healthy=False) == 1.0


def test_outputs_come_and_go_along_ramps() -> None:
    guard = Guard(rise=0.25, fall=0.5, safe=1.0)
    assert [guard.deliver(3.0) for _ in range(5)] == [1.5, 2.0, 2.5, 3.0, 3.0]
    assert [guard.deliver(3.0, healthy=False) for _ in range(3)] == [2.0, 1.0, 1.0]
    assert [guard.deliver(5.0) for _ in range(2)] == [2.0, 3.0]
    assert guard.data.blend == 0.5 and guard.deliver(5.0, healthy=False) == 1.0


def test_a_held_output_stays_where_it_was_while_all_was_well() -> None:
    hold = LIB.constant("TB_HOLD")
    guard = Guard(safe_kind=hold, low=-1.0, high=2.0)
    assert guard.deliver(5.0, healthy=False) == 2.0  # before anything: the first, within limits
    guard = Guard(safe_kind=hold, rise=0.5, fall=1.0)
    assert [guard.deliver(value) for value in (1.0, 2.0)] == [1.0, 2.0]
    assert guard.deliver(7.0, healthy=False) == 2.0
    assert guard.deliver(6.0) == 4.0 and guard.data.safe == 2.0  # not all the way back
    assert guard.deliver(6.0) == 6.0 and guard.data.safe == 6.0


def test_safe_values_are_delivered_as_declared() -> None:
    guard = Guard(low=1.0, high=2.0, safe=0.0, slew=0.1)
    assert guard.deliver(1.5, healthy=False) == 0.0 and not guard.limited


# ---- statistics ----------------------------------------------------------------------------------


def counted(*durations: int) -> tuple[np.ndarray, int]:
    counts, largest = np.zeros(BUCKETS, dtype=np.int64), ctypes.c_int64()
    for each in durations:
        LIB.tb_count(counts.ctypes.data, ctypes.addressof(largest), each)
    return counts, largest.value


@pytest.mark.parametrize("place", [0, 1, 15, 16, 17, 31, 32, 47, 48, 100, 300, BUCKETS - 1])
def test_durations_are_counted_from_the_edge_of_their_bucket(place: int) -> None:
    edges = lower_edges(BUCKETS + 1)
    low, high = int(edges[place]), int(edges[place + 1])
    counts, largest = counted(low, high - 1)
    assert counts[place] == 2 == counts.sum() and largest == high - 1


def test_the_last_bucket_takes_all_above_and_the_first_all_below() -> None:
    counts, largest = counted(2**62, -5)
    assert counts[-1] == 1 == counts[0] and largest == 2**62


def test_the_hundred_worst_ticks_are_kept_whatever_their_order() -> None:
    statistics = LIB.struct("tb_live_statistics")()
    drawn = np.random.default_rng(2).permutation(300)
    for number, bad in enumerate(drawn.tolist()):
        trace = LIB.struct("tb_trace")(number, bad // 3, bad - bad // 3, 0, 0)
        LIB.tb_note_trace(ctypes.addressof(statistics), ctypes.addressof(trace))
        kept = [statistics.worst[i] for i in range(statistics.worst_count)]
        badness = sorted(each.lateness + each.step_time for each in kept)
        assert badness == sorted(drawn[: number + 1].tolist())[-100:]
        mildest = kept[statistics.worst_mildest]
        assert mildest.lateness + mildest.step_time == badness[0]

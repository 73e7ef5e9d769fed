"""The report counts what happened, and percentiles come from the histogram."""

import json

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.tick_layout import BUCKETS
from touchback.realtime import WatchedInput
from touchback.realtime.latency_attribution import Histogram, duration, lower_edges

CONTRACT = {
    "rate", "ticks", "late", "overruns", "lateness", "step_time", "input_age", "scheduling",
    "memory", "processor", "worst", "histograms",
}  # fmt: skip


def test_a_report_has_what_was_promised_as_plain_data(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=5.0) as live:
        live["force"] = 1.0
        live.run(0.3)
    plain = live.report().as_dict()
    assert set(plain) >= CONTRACT
    assert json.loads(json.dumps(plain))["ticks"] == plain["ticks"] >= 300
    for name in ("lateness", "step_time", "input_age"):
        p50, p99, p999, most = (plain[name][key] for key in ("p50", "p99", "p99.9", "max"))
        assert 0.0 <= p50 <= p99 <= p999 <= most
    assert plain["lost_rows"] == 0


@pytest.mark.parametrize("record", [True, False])
def test_rows_are_lost_only_where_they_were_to_be_kept(cart: tb.System, record: bool) -> None:
    with tb.live(cart, rate=1000, speed=None, record=record) as live:
        capacity = int(live._loop.struct.ring.capacity)
        for _ in range(2):  # without draining the ring
            live._loop.advance(capacity)
        assert live._loop.statistics.lost_rows == capacity
        assert live.report().counts["lost_rows"] == (capacity if record else 0)


def test_the_worst_hundred_are_the_worst_and_sorted(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, record=True) as live:
        live.run(0.5)
    report, run = live.report(), live.recorded()
    durations = np.sort(run["step time"])[::-1]
    assert len(report.worst) == 100
    assert [each.step_time for each in report.worst] == pytest.approx(1e-9 * durations[:100])
    assert report.worst[0].step_time == report.histograms["step_time"].summary()["max"]
    lines = report.trace(7).splitlines()
    assert len(lines) == 8 and len(report.trace().splitlines()) == 101
    assert [int(line.split()[0]) for line in lines[1:]] == [tick.tick for tick in report.worst[:7]]
    named = {each.tick for each in report.worst}
    assert run["step time"][[tick - 1 for tick in named]].min() >= durations[100]


def test_percentiles_agree_with_numpy_to_a_bucket(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, record=True) as live:
        live.run(1.0)
    histogram, times = live.report().histograms["step_time"], live.recorded()["step time"]
    assert histogram.total == len(times) == 1000
    for percent in (50.0, 99.0, 99.9):
        exact = 1e-9 * np.percentile(times, percent, method="inverted_cdf")
        found = histogram.percentile(percent)
        assert found is not None
        assert exact <= found * (1 + 1e-12) and found <= exact * (1 + 1 / 16) + 1e-9


def test_buckets_follow_each_other_without_gaps() -> None:
    edges = lower_edges(BUCKETS)
    assert (np.diff(edges) > 0).all()
    assert (np.diff(edges)[16:] / edges[16:-1] <= 1 / 16).all()
    assert edges[:33].tolist() == list(range(33))


def test_an_empty_histogram_says_so() -> None:
    empty = Histogram(np.zeros(BUCKETS, dtype=np.int64), 0)
    assert empty.summary() == {"p50": None, "p99": None, "p99.9": None, "max": None}
    assert empty.bars() == ""
    assert duration(None) == "—"


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.0015, "1.5 ms"), (2.5e-5, "25 µs"), (3e-8, "30 ns")]
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_text_names_rate_percentiles_and_what_the_machine_granted(cart: tb.System) -> None:
    with tb.live(cart, rate=2000, cpu=0) as live:
        live.run(0.05)
    text = str(live.report())
    assert "Live run of 'cart': 2000 Hz, 1 × real time" in text
    assert "p99.9" in text
    assert "SCHED_FIFO 70" in text  # granted, or said why not
    assert "processor" in text
    assert "locked" in text


def test_a_processor_that_is_not_there_is_said_and_not_fatal(cart: tb.System) -> None:
    with tb.live(cart, rate=2000, cpu=1000, priority=0) as live:
        live.run(0.01)
    assert "1000 was refused" in live.report().processor
    assert live.report().scheduling == "ordinary (as asked)"


def test_the_age_of_inputs_is_that_of_the_oldest_message_in_use(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, record=True) as live:
        live.run(0.02)
        live["force"] = 1.0
        live.run(0.05)
    ages = live.recorded()["input age"]
    assert (ages[:20] == -1).all()  # nothing came yet
    known = ages[ages >= 0]
    assert (np.diff(known) > 0).all()
    assert known[-1] * 1e-9 == live.report().histograms["input_age"].summary()["max"]


def test_the_age_of_inputs_is_that_of_watched_ones_where_there_are_some() -> None:
    """A pedal that is set once holds however old it is, and hid how old the positions were."""
    m = tb.Model("key", gravity=(0, 0, 0))
    m.sensor("felt", tb.Signal(m.input("position") + m.input("pedal")))
    with tb.live(
        m.compile(), rate=1000, record=True, inputs={"position": WatchedInput(max_age=1.0)}
    ) as live:
        live["pedal"] = 1.0
        live.run(0.1)
        live["position"] = 1.0
        live.run(0.02)
    ages = live.recorded()["input age"]
    came = int(np.argmax(ages >= 0))  # it may take a tick or two
    assert 100 <= came < len(ages) - 1 and (ages[:came] == -1).all()
    assert (np.diff(ages[came:]) > 0).all() and ages[came] >= 0
    pedal = live.report().ports["pedal"]
    assert pedal["messages"] == 1

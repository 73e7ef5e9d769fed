"""What a live run says, counts and converts, part by part: without a clock, to the last digit."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native import (
    AT_REST,
    BAD_NUMBER,
    OVERLOADED,
    ROW_HEAD,
    STALE,
    EnergyPort,
    Guard,
    Watch,
)
from touchback.realtime import live_report
from touchback.realtime.control.control_messages import Answer
from touchback.realtime.control.control_port import Address
from touchback.realtime.control.permissions import NOTHING, Exposed, Rate, Rates
from touchback.realtime.fault_log import Faults, _mend, words
from touchback.realtime.latency_attribution import (
    Histogram,
    LatencyAttribution,
    MachineTimes,
    duration,
    lower_edges,
    machine_times,
)
from touchback.realtime.latency_benchmark import (
    Punctuality,
    governor,
    idle_states,
    isolated,
    preemption,
    quota,
)
from touchback.realtime.live_parameters import Ramp, Ramps, read_seconds
from touchback.realtime.live_report import FLAG_NAMES, Report, flag_names, memory_of, scheduling_of
from touchback.realtime.live_spec import own_thread, read_speed, read_substeps
from touchback.realtime.model_swap import SwapReport
from touchback.realtime.pause_control import Transport
from touchback.realtime.port_guards import (
    EnergyObserver,
    GuardedOutput,
    WatchedInput,
    number_of,
)
from touchback.realtime.shared_memory import _Room
from touchback.realtime.udp_signals import Datagram, Receiver, unpack

# ---- ports ---------------------------------------------------------------------------------------


def test_watched_inputs_count_their_age_in_ticks() -> None:
    assert WatchedInput().watch(1000.0) == Watch()
    watch = WatchedInput(max_age=0.05, safe=0.25, high=1.0).watch(1000.0)
    assert (watch.quiet_limit, watch.safe) == (50, 0.25)
    assert WatchedInput(max_age=1e-6).watch(1000.0).quiet_limit == 1
    assert math.isnan(WatchedInput(max_age=0.05).watch(1000.0).safe)
    assert WatchedInput(max_age=1e9).max_age == 1e9
    for age in (0.0, -1.0, 1.0001e9):
        with pytest.raises(tb.InputError, match="max_age must be a positive number of seconds"):
            WatchedInput(max_age=age)


def test_ports_take_what_lies_within_their_limits_ends_included() -> None:
    bounded = WatchedInput(low=-1.0, high=2.0)
    for good in (-1.0, 0.0, 2.0):
        bounded.check("push", good)
    for bad in (-1.0001, 2.0001, math.nan):
        with pytest.raises(tb.InputError, match=r"'push': .* lies outside its range \[-1.0, 2.0\]"):
            bounded.check("push", bad)
    with pytest.raises(tb.InputError, match="outside its range"):
        WatchedInput().check("push", math.inf)
    assert WatchedInput(low=1.0, high=1.0).low == 1.0
    assert WatchedInput(max_age=1.0, low=0.0, high=1.0, safe=1.0).safe == 1.0
    assert WatchedInput(max_age=1.0, low=0.0, high=1.0, safe=0.0).safe == 0.0
    for safe in (-0.1, 1.1, math.inf):
        with pytest.raises(tb.InputError, match="must lie within"):
            WatchedInput(max_age=1.0, low=0.0, high=1.0, safe=safe)
        with pytest.raises(tb.InputError, match="must lie within"):
            GuardedOutput(low=0.0, high=1.0, safe=safe)
    with pytest.raises(tb.InputError, match=r"low 2\.0 must not lie above its high 1\.0"):
        GuardedOutput(low=2.0, high=1.0, safe="hold")
    assert GuardedOutput(low=1.0, high=2.0, safe=1.0).safe == 1.0
    assert GuardedOutput(low=1.0, high=2.0, safe=2.0).safe == 2.0
    assert GuardedOutput(ramp=10.0).ramp == 10.0
    for wrong, text in (
        ({"ramp": 10.1}, "at most 10 s, .*; got 10.1"), ({"ramp": -0.1}, "ramp must be seconds"),
        ({"soft_start": math.inf}, "soft_start must be seconds"), ({"slew": 0.0}, "slew must be"),
        ({"at_limit": "stop"}, "at_limit is 'safe' or 'clip', not 'stop'"),
        ({"safe": "stay"}, "safe must be a number or 'hold'"),
        ({"low": "0"}, "low must be a number,"),
    ):  # fmt: skip
        with pytest.raises(tb.InputError, match=text):
            GuardedOutput(**wrong)


def test_guards_are_in_ticks() -> None:
    guard = GuardedOutput(0.5, -1.0, 2.0, slew=100.0, ramp=0.2, soft_start=0.05).guard(3, 1000.0)
    assert guard == Guard(3, -1.0, 2.0, 0.1, 0.5, 1 / 200, 1 / 50, True)
    plain = GuardedOutput("hold", at_limit="clip").guard(0, 1000.0)
    assert plain == Guard(0, safe=None)


def test_energy_ports_are_places_of_forces_and_motions() -> None:
    observer = EnergyObserver({"f1": "x2", "f0": "x1"}, 0.5, "position", "damp", 3.0, 2.0)
    port = observer.port(["x0", "x1", "x2"], ["f0", "f1"])
    assert port == EnergyPort([1, 0], [3, 2], 0.5, True, 3.0, 2.0)
    assert not EnergyObserver({"f0": "x0"}).port(["x0"], ["f0"]).by_position
    assert EnergyObserver({"f": "x"}, limit=1.0, trip=1.0).trip == 1.0
    for wrong, text in (
        ({"limit": 1.0, "trip": 0.9}, r"trip 0.9 J must not lie below the limit 1.0 J"),
        ({"limit": -0.1}, "joules from 0 on"), ({"damping": 1.0}, "only there"),
        ({"at_limit": "damp"}, "only there"), ({"at_limit": "damp", "damping": math.inf}, "there"),
        ({"motion": "angle"}, "motion is 'velocity' or 'position'"),
        ({"at_limit": "clip"}, "at_limit is 'safe' or 'damp'"),
    ):  # fmt: skip
        with pytest.raises(tb.InputError, match=text):
            EnergyObserver({"f": "x"}, **wrong)


def test_numbers_of_ports_are_plain() -> None:
    assert type(number_of("a", np.float32(1.5))) is float and number_of("a", 2) == 2.0
    assert number_of("a", np.array(3.0)) == 3.0
    for wrong in (np.array([1.0]), "1", None, True):
        with pytest.raises(tb.InputError, match="'a' must be a number"):
            number_of("a", wrong)


def test_limits_of_a_run_belong_to_what_is_allowed() -> None:
    assert [read_speed(speed) for speed in (1e-6, 1.0, 1e6)] == [1e-6, 1.0, 1e6]
    for speed in (0.99e-6, 1.01e6):
        with pytest.raises(tb.InputError, match="1e-06 to 1e"):
            read_speed(speed)
    assert read_substeps(1) == 1 and read_substeps(100_000) == 100_000
    for substeps in (0, 100_001):
        with pytest.raises(tb.InputError, match="1 to 100000 substeps"):
            read_substeps(substeps)
    assert own_thread(0) == (0, -1) and own_thread(99, 0) == (99, 0)
    assert own_thread(1, 65_535) == (1, 65_535)
    for priority, cpu in ((-1, None), (100, None), (1, -1), (1, 65_536)):
        with pytest.raises(tb.InputError, match=r"priority is 0 to 99|cpu is the number"):
            own_thread(priority, cpu)
    assert read_seconds("a", 0.0) == 0.0 and read_seconds("a", 600.0) == 600.0
    for seconds in (-0.001, 600.001):
        with pytest.raises(tb.InputError, match="'a': a ramp takes 0 to 600 s"):
            read_seconds("a", seconds)


def test_places_of_ports_are_free_and_aligned() -> None:
    room = _Room(512, [(64, 40), (256, 64)])
    assert [room.find(100), room.find(64), room.find(128)] == [128, 320, 384]
    with pytest.raises(tb.InputError, match="need 1 bytes more than the 512"):
        room.find(1)


# ---- ramps ---------------------------------------------------------------------------------------


def test_ramps_go_in_equal_steps_to_their_very_end() -> None:
    ramp = Ramp(1.0, 2.0, 4)
    values = [ramp.value]
    for _ in range(4):
        ramp = ramp.stepped()
        values.append(ramp.value)
    assert values == [1.0, 1.25, 1.5, 1.75, 2.0]
    assert Ramp(0.1, 0.3, 3, 3).value == 0.3 and Ramp(0.0, 0.3, 3, 4).value == 0.3
    assert [Ramps.stride(rate) for rate in (100.0, 1000.0, 1001.0, 4000.0)] == [1, 1, 2, 4]


def test_ramps_of_several_parameters_end_one_by_one() -> None:
    ramps = Ramps()
    values = {"a": 0.0, "b": 0.0, "c": 5.0}
    ramps.begin(values, {"a": 1.0}, 0.002, 1000.0)
    ramps.begin(values, {"b": 4.0}, 0.004, 1000.0)
    assert ramps.targets == {"a": 1.0, "b": 4.0} == ramps.recent()
    seen = []
    for _ in range(4):
        values = ramps.next(values)
        seen.append((values["a"], values["b"], values["c"]))
    assert seen == [(0.5, 1.0, 5.0), (1.0, 2.0, 5.0), (1.0, 3.0, 5.0), (1.0, 4.0, 5.0)]
    assert ramps.active == {} and ramps.next(values) is values
    assert ramps.recent() == {"a": 1.0, "b": 4.0}
    taken_back: Any = SimpleNamespace(withdraw=lambda: 3)  # of the steps, one was taken
    assert ramps.pull_back(taken_back, values) == {"a": 0.5, "b": 1.0, "c": 5.0}
    assert {name: ramp.done for name, ramp in ramps.active.items()} == {"a": 1, "b": 1}
    assert ramps.pull_back(taken_back, values) is values  # nothing waits any more
    ramps.begin(values, {"a": 0.0}, 0.0, 1000.0)
    assert ramps.active["a"].steps == 1
    ramps.end()
    assert ramps.active == {} and ramps.recent() == {}


# ---- what is told --------------------------------------------------------------------------------


def test_flags_are_told_by_their_names() -> None:
    assert flag_names(0) == () and flag_names(STALE | AT_REST) == ("stale input", "paused")
    assert len(set(FLAG_NAMES.values())) == len(FLAG_NAMES)
    assert all(bit.bit_count() == 1 for bit in FLAG_NAMES)


def histogram(*durations: int) -> Histogram:
    """Of durations in ns, which are bucket edges."""
    edges = lower_edges(640)
    counts = np.zeros(640, dtype=np.int64)
    for each in durations:
        counts[int(np.searchsorted(edges, each, "right")) - 1] += 1
    return Histogram(counts, max(durations, default=0))


def test_histograms_give_percentiles_octaves_and_bars() -> None:
    assert lower_edges(50)[[16, 17, 32, 33, 48]].tolist() == [16, 17, 32, 34, 64]
    found = histogram(1, 1, 2, 1000)
    assert found.total == 4
    assert found.percentile(50.0) == pytest.approx(2e-9)  # the end of the bucket of 1 ns
    assert found.percentile(75.0) == pytest.approx(3e-9)
    assert found.percentile(99.0) == pytest.approx(1e-6)  # not beyond the largest
    assert found.summary()["max"] == pytest.approx(1e-6)
    octaves = found.octaves()
    assert [count for *_, count in octaves] == [3, *[0] * (len(octaves) - 2), 1]
    assert octaves[0][:2] == (0.0, pytest.approx(16e-9))
    assert octaves[-1][0] == pytest.approx(512e-9) and octaves[-1][1] == pytest.approx(1024e-9)
    bars = found.bars(width=4).splitlines()
    assert bars[0].count("█") == 4 and bars[-1].count("█") == 2 and bars[1].count("█") == 0
    assert found.bars(width=3).splitlines()[-1].count("█") == 1


def test_durations_are_told_in_the_unit_that_fits() -> None:
    told = {1.0: "1 s", 0.999: "999 ms", 1e-3: "1 ms", 1e-6: "1 µs", 9e-7: "900 ns", 0.0: "0 ns"}
    assert {seconds: duration(seconds) for seconds in told} == told
    assert duration(1.2345e-5) == "12.3 µs"


def test_shares_of_the_machine_are_of_the_time_since(tmp_path: Path) -> None:
    first, last = MachineTimes(1.0, 2.0, 3.0), MachineTimes(3.0, 8.0, 5.0)
    assert last.share(first) == (0.2, 0.2)
    assert first.share(first) == (0.0, 0.0)
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 200 300 400 500 600 700 800 9 9\ncpu0 1\n")
    found = machine_times(stat)
    assert found is not None
    whole = found.busy + found.idle + found.stolen
    assert found.busy / whole == pytest.approx(1900 / 3600)
    assert found.idle / whole == pytest.approx(900 / 3600)
    assert found.stolen / whole == pytest.approx(800 / 3600)
    for text in ("cpu 1 2 3 4 5 6 7\n", "intr 1 2 3 4 5 6 7 8\n", "cpu a b\n", ""):
        stat.write_text(text)
        assert machine_times(stat) is None
    assert machine_times(tmp_path / "none") is None


def test_lateness_is_laid_at_its_doors_in_words() -> None:
    told = LatencyAttribution(
        7, 3, 0.003, 0.001, 0.004, histogram(1000, 2000), 1, 0.0123, 0.5, 11, 2
    )
    lines = told.lines()
    assert lines[0] == (
        "delays: 8 ms in all: the machine's pauses 3 ms (38 %), other threads 1 ms (12 %), "
        "our steps 4 ms (50 %)"
    )
    assert lines[1].startswith(
        "late by our steps 3 of 7; an idle clock beside them was late 1 of 2"
    )
    assert lines[1].endswith("(p99 2 µs, max 2 µs)")
    assert lines[2] == (
        "machine: stolen 1.2 %, busy 50.0 %; context switches: asked for 11, forced 2"
    )
    plain = told.as_dict()
    assert plain["idle_wakes"] == 2 and plain["by_steps"] == 0.004
    unknown = LatencyAttribution(0, 0, 0.0, None, 0.0, histogram(), 0, None, None, 0, 0).lines()
    assert unknown[0] == "delays: 0 ns in all" and "stolen unknown, busy unknown" in unknown[2]
    some = LatencyAttribution(0, 0, 0.001, None, 0.0, histogram(), 0, None, None, 0, 0).lines()
    assert some[0] == "delays: 1 ms in all: the machine's pauses 1 ms (100 %), our steps 0 ns (0 %)"


def report(**more: Any) -> Report:
    counts = {name: 10 + i for i, name in enumerate(live_report.COUNTS)}
    counts |= {"places": 0, "places_refused": 0}
    given: dict[str, Any] = {
        "model": "cart", "rate": 1000.0, "speed": 1.0, "substeps": 2, "counts": counts,
        "histograms": {name: histogram(1000) for name in live_report.HISTOGRAMS}, "worst": [],
        "scheduling": "S", "processor": "P", "memory": "M", "page_faults": 4, "recording": "R",
        "ports": {}, "parameter_energy": 0.25,
    }  # fmt: skip
    return Report(**(given | more))


def test_a_report_prints_every_count_once() -> None:
    lines = str(report()).splitlines()
    of = report().counts
    assert lines[0] == f"Live run of 'cart': 1000 Hz, 1 × real time, {of['ticks']} ticks"
    assert lines[1] == (
        f"  late {of['late']}, overruns {of['overruns']}, slipped {of['slipped']}, "
        f"rows lost {of['lost_rows']}"
    )
    text = "\n".join(lines)
    for word, name in (
        ("stale ticks", "stale"), ("limited", "limited"), ("not finite", "not_finite"),
        ("diverged", "diverged"), ("loops open", "open_loops"), ("chattering", "chattering"),
        ("paradoxes", "paradoxes"), ("stops", "stops"), ("taken", "swaps"),
        ("refused", "swaps_refused"),
    ):  # fmt: skip
        assert f"{word} {of[name]}" in text
    assert "energy 0.25 J" in text and "page faults after the first tick: 4" in text
    assert "states:" not in text and "structures:" not in text and "fault at" not in text
    assert "as fast as possible" in str(report(speed=None))
    assert "not counted yet" in str(report(page_faults=None))
    assert "  lateness:" not in str(report(histograms={"lateness": histogram()}))


def test_a_report_tells_of_states_ports_structures_and_faults() -> None:
    places = [{"tick": 1, "time": 0.1, "energy": 0.5}, {"tick": 2, "time": 0.2, "energy": -0.125}]
    counts = report().counts | {"places": 2, "places_refused": 1}
    taken = {"state": "taken", "lateness": [2e-4, 0.5e-4], "duration": 3e-6, "energy_lost": 0.5}
    more = {"state": "taken", "lateness": [1.5e-4], "duration": 5e-6, "energy_lost": 0.25}
    refused = {"state": "refused: no", "lateness": [9.0], "duration": 9.0, "energy_lost": 9.0}
    faults = [{"tick": k, "time": 0.5 * k, "text": f"fault {k}"} for k in range(12)]
    energies = {"hand": {"energy": 0.1, "largest": 0.2, "taken": 0.3, "damped": 4}}
    text = str(report(
        places=places, counts=counts, structures=[taken, refused, more], faults=faults,
        energies=energies,
    ))  # fmt: skip
    assert "states: taken 2, refused 1, energy 0.375 J" in text
    assert (
        "structures: taken 2, refused 1, longest change 5 µs, late ticks at them 2, "
        "energy lost 0.75 J"
    ) in text
    assert "hand: 0.1 J left, at most 0.2 J; damping took 0.3 J in 4 ticks" in text
    assert "fault at 1 s (tick 2): fault 2" in text and "fault at 5.5 s (tick 11): fault 11" in text
    assert "fault 1\n" not in text
    assert text.splitlines().index("  ticks: R") > text.splitlines().index(
        next(line for line in text.splitlines() if "structures:" in line)
    )
    only_refused = report(counts=report().counts | {"places": 0, "places_refused": 1})
    assert "states: taken 0, refused 1" in str(only_refused)


def test_the_worst_ticks_come_worst_first() -> None:
    def tick(number: int, lateness: int, step: int, age: int) -> SimpleNamespace:
        return SimpleNamespace(
            tick=number, lateness=lateness, step_time=step, input_age=age, flags=int(STALE)
        )

    worst = [tick(1, 100, 50, -1), tick(2, 10, 500, 0), tick(3, 120, 10, 2000)]
    loop: Any = SimpleNamespace(statistics=SimpleNamespace(worst=worst, worst_count=3))
    found = live_report.worst_of(loop)
    assert [each.tick for each in found] == [2, 1, 3]
    assert (found[0].lateness, found[0].step_time) == (pytest.approx(1e-8), pytest.approx(5e-7))
    assert [each.input_age for each in found] == [0.0, None, pytest.approx(2e-6)]
    assert found[0].flags == ("stale input",)
    trace = report(worst=found).trace(2).splitlines()
    assert len(trace) == 3 and trace[1].split() == [
        "2",
        "10",
        "ns",
        "500",
        "ns",
        "0",
        "ns",
        "stale",
        "input",
    ]


def test_what_the_machine_granted_is_said() -> None:
    def told(speed: float | None = 1.0, **given: int) -> tuple[str, str]:
        known = {"priority": 70, "priority_error": 0, "cpu": -1, "pin_error": 0} | given
        loop: Any = SimpleNamespace(
            pace=SimpleNamespace(speed=speed), struct=SimpleNamespace(**known)
        )
        return scheduling_of(loop)

    assert told() == ("SCHED_FIFO 70", "any processor")
    assert told(cpu=0)[1] == "processor 0"
    assert told(cpu=3, pin_error=22)[1] == "any processor: 3 was refused (Invalid argument)"
    assert told(priority=0)[0] == "ordinary (as asked)"
    assert told(priority_error=1)[0].startswith("ordinary: SCHED_FIFO 70 was not permitted (Op")
    assert told(None) == ("that of the caller (unclocked)", "no thread of its own")
    assert memory_of(4096, (0, 0)) == "4 KiB locked"
    assert memory_of(4096, (0, 12)) == "memory not locked (Cannot allocate memory)"
    struct = SimpleNamespace(thread=0, page_faults=0)
    loop: Any = SimpleNamespace(pace=SimpleNamespace(speed=1.0), struct=struct)
    assert live_report.page_faults_of(loop) == 0
    struct.page_faults = -1
    assert live_report.page_faults_of(loop) is None
    struct.page_faults, struct.thread = 5, 1
    assert live_report.page_faults_of(loop) is None


def test_what_a_change_of_structure_took_is_a_difference() -> None:
    told = SwapReport("m", 0.1, energy_before=3.0, energy_after=1.0)
    assert told.energy_lost == 2.0 and told.as_dict()["energy_lost"] == 2.0
    assert SwapReport("m", 0.1, energy_before=3.0).energy_lost is None


# ---- faults --------------------------------------------------------------------------------------


def test_a_fault_that_comes_again_and_again_is_one() -> None:
    faults = Faults()
    for tick, text in ((1, "a"), (2, "a"), (3, "b"), (4, "a")):
        faults.note(tick, 0.1 * tick, text)
    assert [(each.tick, each.text) for each in faults.latest] == [(1, "a"), (3, "b"), (4, "a")]
    assert [each.tick for each in faults.take()] == [1, 3, 4] and faults.take() == []
    for k in range(1100):
        faults.note(k, 0.0, f"fault {k}")
    assert len(faults.latest) == 1000 and faults.latest[-1].text == "fault 1099"
    faults.note(0, 0.0, "x" * 500)
    assert faults.latest[-1].text == "x" * 500
    faults.note(0, 0.0, "y" * 501)
    assert faults.latest[-1].text == "y" * 499 + "…"
    faults.note(0, 0.0, "\ud800")
    assert faults.latest[-1].text == "\\ud800"


def test_flags_begin_a_fault_once() -> None:
    faults = Faults()
    system: Any = SimpleNamespace(input_names=["push"], input_units=["N"])
    loop: Any = SimpleNamespace(pace=SimpleNamespace(rate=1000.0, max_slip=1.0))
    rows = np.zeros((4, ROW_HEAD + 1))
    rows[:, 0], rows[:, 1], rows[:, 5] = [5, 6, 7, 8], [0.5, 0.6, 0.7, 0.8], 3
    rows[1:3, 2] = BAD_NUMBER
    faults.see(rows, system, loop)
    rows[:, 2] = [BAD_NUMBER, 0, OVERLOADED, OVERLOADED]
    rows[0, 2] = 0
    faults.see(rows[:0], system, loop)
    faults.see(rows, system, loop)
    found = faults.take()
    assert [(each.tick, each.time) for each in found] == [(6, 0.6), (7, 0.7)]
    assert found[0].text.startswith("not finite") and "max_slip=1 s" in found[1].text
    assert "(1000 a second) or the substeps (3)" in found[1].text


def test_the_largest_input_is_named_where_there_is_any() -> None:
    system: Any = SimpleNamespace(input_names=["a", "b", "c"], input_units=["N", "N m", ""])
    row = np.zeros(ROW_HEAD + 5)
    assert _mend(row, system).startswith("take shorter steps")
    row[ROW_HEAD : ROW_HEAD + 5] = 1.0, -3.0, 2.0, 99.0, 99.0  # those behind are states
    assert _mend(row, system).startswith("set the input 'b' to less than -3 N m, or")
    row[ROW_HEAD + 2] = 7.0
    assert _mend(row, system).startswith("set the input 'c' to less than 7, or")
    assert words(ValueError("no")) == "ValueError: no" and words(ValueError()) == "ValueError"


# ---- pauses, permissions, messages ---------------------------------------------------------------


def test_a_run_rests_while_anybody_needs_it() -> None:
    class Rested:
        def __init__(self) -> None:
            self.said: list[bool] = []

        def _apply_rest(self, resting: bool) -> None:
            self.said.append(resting)

    run = Rested()
    transport = Transport(run)
    transport.pause()
    transport.go()
    with transport.resting(), transport.resting():
        transport.go()
    assert run.said == [True, False, True, True, True, True, False]
    transport.pause()
    with transport.resting():
        pass
    assert run.said[7:] == [True, True, True]


def test_messages_are_rationed_by_client_and_together() -> None:
    now = [100.0]
    rates, rate = Rates(lambda: now[0]), Rate(2.0, 3)
    assert rate.of_all() == Rate(8.0, 12)
    assert [rates.take("a", "set", rate) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert rates.take("b", "set", rate) == 0.0 and rates.take("a", "stop", rate) == 0.0
    now[0] += 0.25
    assert rates.take("a", "set", rate) == pytest.approx(0.25)
    now[0] += 0.25
    assert rates.take("a", "set", rate) == 0.0
    now[0] += 100.0  # no more than so many at once
    assert [rates.take("a", "set", rate) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    clients = [rates.take(f"c{k}", "set", rate) for k in range(10)]
    assert clients[:9] == [0.0] * 9 and clients[9] == pytest.approx(0.125)
    many = Rates(lambda: now[0])
    for k in range(5000):
        many.take(f"c{k}", "set", Rate(1e9, 10**9))
    assert len(many) == 4096


def test_what_is_exposed_is_named_or_all_or_nothing() -> None:
    exposed = Exposed(inputs=["push"], parameters=False)
    assert exposed.allows("inputs", "push") and not exposed.allows("inputs", "pull")
    assert not exposed.allows("parameters", "push") and exposed.allows("hands", "any")
    exposed.check("inputs", "push")
    with pytest.raises(tb.InputError, match=r"'pull' isn't among the inputs .*\(…, inputs=…\)"):
        exposed.check("inputs", "pull")
    with pytest.raises(tb.InputError, match="inputs is True, False or a list"):
        Exposed(inputs="push")
    assert not any(NOTHING.allows(kind, "x") for kind in ("inputs", "hands", "transport"))


def test_answers_tell_facts_or_errors() -> None:
    assert Answer(3, True, {"a": 1}).as_dict() == {"id": 3, "ok": True, "a": 1}
    assert Answer("x", False, {"a": 1}, "no").as_dict() == {"id": "x", "ok": False, "error": "no"}
    assert Answer(None, True).encode() == b'{"id":null,"ok":true}'


def test_addresses_are_read_from_words() -> None:
    tcp = Address.of("127.0.0.1:9100?token=a-b")
    assert (tcp.host, tcp.port, tcp.token, str(tcp)) == ("127.0.0.1", 9100, "a-b", "127.0.0.1:9100")
    assert tcp.local and tcp.target == ("127.0.0.1", 9100)
    assert Address.of(":0").host == "127.0.0.1" and Address.of("[::1]:80").local
    assert Address.of("localhost:80").local and not Address.of("10.0.0.1:80").local
    assert not Address.of("example.org:80").local
    path = Address.of("/tmp/rig.sock")
    assert path.local and path.target == "/tmp/rig.sock" == str(path)
    assert Address.of("a:65535").port == 65_535
    for wrong in ("a:65536", "a:-1", "a:1x"):
        with pytest.raises(tb.InputError, match="a port is 0 to 65535"):
            Address.of(wrong)
    assert Address.of("/" + 99 * "a").path == "/" + 99 * "a"
    for wrong in ("", "/" + 200 * "a", "a\0b"):
        with pytest.raises(tb.InputError, match="at most 1"):
            Address.of(wrong)


def test_datagrams_are_taken_whole_or_not_at_all() -> None:
    datagram = Datagram("push", 1.5, 7, 123)
    data = datagram.pack()
    assert unpack(data) == datagram and len(data) == 32 + 4
    assert data[:4] == b"TBK1" and struct.unpack_from("<BBHIq", data, 4) == (1, 4, 0, 7, 123)
    assert unpack(Datagram("n", -2.0, 1 << 32 | 5, type="int64").pack()) == Datagram(
        "n", -2.0, 5, 0, "int64"
    )
    assert unpack(Datagram("n", 0.5, 1, type="float").pack()) == Datagram("n", 0.5, 1, 0, "float")
    assert unpack(Datagram("", 0.0, 0).pack()) == Datagram("", 0.0, 0)  # the shortest
    assert len(Datagram("x" * 255, 0.0, 0).pack()) == 255 + 32
    with pytest.raises(tb.InputError, match=r"at most 255 bytes, 'x{20}…' has more"):
        Datagram("x" * 256, 0.0, 0).pack()
    assert unpack(data[:-1]) == "malformed" and unpack(b"") == "malformed"
    assert unpack(data[:30] + b"?" + data[31:]) == "damaged"

    def sealed(body: bytes) -> bytes:
        return body + struct.pack("<I", zlib.crc32(body))

    assert unpack(sealed(b"TBK2" + data[4:-4])) == "malformed"
    assert unpack(sealed(data[:4] + b"\x04" + data[5:-4])) == "malformed"
    assert unpack(sealed(data[:28] + b"\xff\xff\xff\xff")) == "malformed"


def test_messages_of_a_sender_count_forward() -> None:
    got: list[tuple[str, float, int]] = []

    def deliver(name: str, value: float, arrival: int) -> None:
        if name == "bad":
            raise tb.InputError("no")
        got.append((name, value, arrival))

    receiver = Receiver(deliver)
    receiver.close()
    sender, second, now = ("h", 1), 1_000_000_000, 5_000_000_000

    def take(sequence: int, at: int, name: str = "a", who: tuple[str, int] = sender) -> str:
        return receiver._take(Datagram(name, 1.0, sequence).pack(), who, at)

    assert take(5, now) == "accepted" and take(5, now) == "repeated"
    assert take(4, now) == "reordered" and take(6, now) == "accepted"
    assert take(6 + (1 << 31) - 1, now) == "accepted"
    assert take(5, now, who=("h", 2)) == "accepted" and take(1, now, "b") == "accepted"
    assert take(1, now, "bad") == "refused" and take(1, now, "bad") == "refused"
    assert take(3, now + second - 1) == "accepted"  # half the numbers further back is ahead
    assert take(2, now + 2 * second - 2) == "reordered"
    assert take(2, now + 2 * second - 1) == "accepted"  # after a second of silence
    assert receiver._take(b"", sender, now) == "malformed"
    for k in range(1100):
        take(1, now, f"n{k}")
    assert len(receiver._last) == 1024
    assert (sender, "a") not in receiver._last


# ---- what a computer can promise -----------------------------------------------------------------


@pytest.mark.parametrize(
    "late, largest, verdict",
    [
        (0, 999_000, "yes"), (9, 999_000, "yes"), (10, 999_000, "nearly"),
        (0, 1_000_000, "nearly"), (99, 9_990_000, "nearly"), (100, 999_000, "no"),
        (0, 10_000_000, "no"),
    ],
)  # fmt: skip
def test_verdicts_are_by_shares_and_periods(late: int, largest: int, verdict: str) -> None:
    counts = np.zeros(640, dtype=np.int64)
    counts[0] = 10_000
    assert Punctuality(1000.0, Histogram(counts, largest), late).verdict == verdict
    assert Punctuality(1000.0, Histogram(0 * counts, 0), 0).verdict == "no"


def test_findings_are_read_from_the_kernels_files(tmp_path: Path) -> None:
    def put(path: str, text: str) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    assert [each(tmp_path).good for each in (quota, governor, idle_states, isolated)] == [None] * 4
    assert preemption(tmp_path).good is None
    put("proc/version", "Linux 6.1 SMP PREEMPT_DYNAMIC")
    assert preemption(tmp_path).value == "dynamic: unknown mode"
    put("proc/cmdline", "quiet preempt=none preempt=full")
    assert (preemption(tmp_path).value, preemption(tmp_path).good) == ("dynamic: full", True)
    put("sys/kernel/debug/sched/preempt", "none (voluntary) full")
    assert (preemption(tmp_path).value, preemption(tmp_path).good) == ("dynamic: voluntary", False)
    put("proc/version", "Linux 6.1 SMP PREEMPT")
    assert (preemption(tmp_path).value, preemption(tmp_path).good) == ("full", True)
    put("proc/version", "Linux 6.1 SMP")
    assert preemption(tmp_path).good is False
    put("sys/kernel/realtime", "1\n")
    assert preemption(tmp_path).good is True
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
    assert (quota(tmp_path).value, quota(tmp_path).good) == ("none", True)
    put("sys/fs/cgroup/cpu.max", "50000 100000")
    assert (quota(tmp_path).value, quota(tmp_path).good) == ("50000 100000 µs", False)
    cpu = "sys/devices/system/cpu"
    put(f"{cpu}/cpu0/cpufreq/scaling_governor", "performance")
    assert governor(tmp_path).good is True
    put(f"{cpu}/cpu1/cpufreq/scaling_governor", "powersave")
    assert (governor(tmp_path).value, governor(tmp_path).good) == ("performance, powersave", False)
    put(f"{cpu}/cpuidle/current_driver", "none")
    assert idle_states(tmp_path).good is True
    put(f"{cpu}/cpu0/cpuidle/state0/latency", "50")
    assert (idle_states(tmp_path).value, idle_states(tmp_path).good) == (
        "up to 50 µs to wake",
        True,
    )
    put(f"{cpu}/cpu0/cpuidle/state1/latency", "51")
    assert idle_states(tmp_path).good is False
    put(f"{cpu}/cpu0/cpuidle/state1/disable", "1")
    assert idle_states(tmp_path).good is True
    put(f"{cpu}/isolated", "")
    assert (isolated(tmp_path).value, isolated(tmp_path).good) == ("none", False)
    put(f"{cpu}/isolated", "2-3")
    assert (isolated(tmp_path).value, isolated(tmp_path).good) == ("2-3", True)

"""What `touchback machine` finds, also where a container hides the kernel's files."""

import errno
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback.native.live.tick_layout import BUCKETS
from touchback.native.shared_library import LIB
from touchback.realtime import latency_benchmark
from touchback.realtime.latency_attribution import Histogram
from touchback.realtime.latency_benchmark import Finding, Punctuality, findings, measure

CPU = "sys/devices/system/cpu"
CASES = [  # files, what is found, whether it is good
    ({"sys/kernel/realtime": "1"}, "kernel preemption", "real-time (PREEMPT_RT)", True),
    ({"proc/version": "#1 SMP PREEMPT"}, "kernel preemption", "full", True),
    ({"proc/version": "#1 SMP"}, "kernel preemption", "none or voluntary", False),
    ({"proc/version": "PREEMPT_DYNAMIC"}, "kernel preemption", "dynamic: unknown mode", None),
    ({"proc/version": "PREEMPT_DYNAMIC", "proc/cmdline": "quiet preempt=full"},
     "kernel preemption", "dynamic: full", True),
    ({"proc/version": "PREEMPT_DYNAMIC", "sys/kernel/debug/sched/preempt": "none (voluntary) full"},
     "kernel preemption", "dynamic: voluntary", False),
    ({"sys/fs/cgroup/cpu.max": "max 100000"}, "processor quota", "none", True),
    ({"sys/fs/cgroup/cpu.max": "50000 100000"}, "processor quota", "50000 100000 µs", False),
    ({"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1"}, "processor quota", "none", True),
    ({f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"}, "frequency governor",
     "performance", True),
    ({f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
      f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave"},
     "frequency governor", "performance, powersave", False),
    ({f"{CPU}/cpu0/cpuidle/state2/latency": "133"}, "idle states", "up to 133 µs to wake", False),
    ({f"{CPU}/cpu0/cpuidle/state2/latency": "133", f"{CPU}/cpu0/cpuidle/state2/disable": "1",
      f"{CPU}/cpu0/cpuidle/state1/latency": "2"}, "idle states", "up to 2 µs to wake", True),
    ({f"{CPU}/cpuidle/current_driver": "none"}, "idle states", "none that the kernel chooses",
     True),
    ({f"{CPU}/isolated": "2-3\n"}, "isolated processors", "2-3", True),
    ({f"{CPU}/isolated": "\n"}, "isolated processors", "none", False),
]  # fmt: skip


def _named(root: Path) -> dict[str, Finding]:
    return {each.what: each for each in findings(root)}


@pytest.mark.parametrize(("files", "what", "value", "good"), CASES)
def test_each_file_of_the_kernel_is_understood(
    tmp_path: Path, files: dict[str, str], what: str, value: str, good: bool | None
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = _named(tmp_path)[what]
    assert (found.value, found.good) == (value, good)


def test_what_a_container_hides_is_unknown_and_nothing_fails(tmp_path: Path) -> None:
    found = _named(tmp_path)
    tried = {"real-time priority", "locked memory"}
    assert {each.value for name, each in found.items() if name not in tried} == {"unknown"}
    assert all(each.mend for each in found.values() if not each.good)


def test_rights_that_are_refused_are_told_with_their_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIB, "tb_clock_priority", lambda priority: errno.EPERM)
    found = latency_benchmark.scheduling()
    assert found.good is False and "Operation not permitted" in found.value
    assert "limits.conf" in found.mend and "--cap-add=sys_nice" in found.mend
    monkeypatch.setattr(LIB, "tb_memory_lock", lambda start, size: errno.ENOMEM)
    found = latency_benchmark.memory()
    assert found.good is False and "Cannot allocate memory" in found.value
    assert "memlock" in found.mend


@pytest.mark.parametrize(
    ("late", "largest", "verdict"),
    [(0, 900_000, "yes"), (1, 1_100_000, "nearly"), (9, 900_000, "nearly"), (11, 900_000, "no"),
     (1, 10_100_000, "no")],
)  # fmt: skip
def test_a_verdict_follows_from_late_ticks_and_the_worst(
    late: int, largest: int, verdict: str
) -> None:
    counts = np.zeros(BUCKETS, dtype=np.int64)
    counts[0] = 1001
    assert Punctuality(1000.0, Histogram(counts, largest), late).verdict == verdict


def test_nothing_measured_is_no_promise() -> None:
    empty = Histogram(np.zeros(BUCKETS, dtype=np.int64), 0)
    assert Punctuality(1000.0, empty, 0).verdict == "no"


def test_empty_ticks_are_measured_at_each_rate_with_progress() -> None:
    told: list[float] = []
    kept, meanwhile = measure(0.3, progress=told.append)
    assert [each.rate for each in kept] == [1000.0, 4000.0, 10_000.0]
    assert all(each.lateness.total > 0 and each.late <= each.lateness.total for each in kept)
    assert told == sorted(told) and told[-1] == 0.3 and len(told) > 3
    assert {each.what for each in meanwhile} == {"stolen time", "busy"}


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(tb.InputError, match=r"Measure for 0\.3 to 86400 s"):
        measure(seconds)


def test_a_processor_that_is_not_there_is_refused() -> None:
    with pytest.raises(tb.InputError, match="no processor 4096 for us"):
        measure(1.0, cpu=4096)


def test_the_command_says_it_all_within_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency_benchmark, "RATES", (1000.0, 10_000.0))
    done = touchback("machine", "--seconds", "0.3")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for words in ("kernel preemption", "real-time priority", "stolen time", "10 kHz", "kept?"):
        assert words in done.stdout

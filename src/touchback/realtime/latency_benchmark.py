"""Can this computer keep a promise? Empty ticks at 1, 4 and 10 kHz, and a verdict for each."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from touchback.errors import InputError
from touchback.native import LIB, Pace, copied_counts
from touchback.native.live.locked_arena import Arena
from touchback.native.live.wakeup_latency import IdleClock
from touchback.numbers import number_within
from touchback.realtime.latency_attribution import Histogram, MachineWatch

PRIORITY = 70  # what live runs ask for


_MEMORY = 8 << 20  # bytes: a large live run


_SLOW = 50  # µs: a processor that takes longer to wake is felt at 1 kHz


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `good` is None where the machine doesn't tell."""

    what: str
    value: str
    good: bool | None
    mend: str


def _text(path: Path) -> str | None:
    """What a file of the kernel says; None where it isn't there, or not for us."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def preemption(root: Path) -> Finding:
    """How soon the kernel leaves its own work for a thread that is due."""
    mend = "boot with preempt=full, or take a kernel with PREEMPT_RT"
    version = _text(root / "proc/version") or ""
    mode = _text(root / "sys/kernel/debug/sched/preempt") or ""
    command = (_text(root / "proc/cmdline") or "").split()
    asked = [word.removeprefix("preempt=") for word in command if word.startswith("preempt=")]
    if _text(root / "sys/kernel/realtime") == "1" or "PREEMPT_RT" in version:
        return Finding("kernel preemption", "real-time (PREEMPT_RT)", True, mend)
    if "PREEMPT_DYNAMIC" in version:
        chosen = next((word.strip("()") for word in mode.split() if "(" in word), None)
        chosen = chosen or (asked[-1] if asked else None)
        told = f"dynamic: {chosen or 'unknown mode'}"
        good = chosen in ("full", "lazy") if chosen else None
        return Finding("kernel preemption", told, good, mend)
    if "PREEMPT" in version:
        return Finding("kernel preemption", "full", True, mend)
    told = "none or voluntary" if version else "unknown"
    return Finding("kernel preemption", told, False if version else None, mend)


def scheduling() -> Finding:
    """Whether a thread of ours gets SCHED_FIFO: tried in one that ends afterwards."""
    errors: list[int] = []
    thread = threading.Thread(target=lambda: errors.append(LIB.tb_clock_priority(PRIORITY)))
    thread.start()
    thread.join()
    limit = resource.getrlimit(resource.RLIMIT_RTPRIO)[0]
    told = "unlimited" if limit == resource.RLIM_INFINITY else str(limit)
    if not errors[0]:
        return Finding("real-time priority", f"SCHED_FIFO {PRIORITY} granted", True, "")
    return Finding(
        "real-time priority", f"refused ({os.strerror(errors[0])}; limit {told})", False,
        "a line '@audio - rtprio 80' in /etc/security/limits.conf, "
        "in a container --cap-add=sys_nice --ulimit rtprio=80",
    )  # fmt: skip


def memory() -> Finding:
    """Whether as much memory as a large run takes can be locked."""
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    told = "unlimited" if limit == resource.RLIM_INFINITY else f"{limit >> 10} KiB"
    error = Arena(_MEMORY).lock_error
    if not error:
        return Finding("locked memory", f"{_MEMORY >> 20} MiB granted", True, "")
    return Finding(
        "locked memory", f"refused ({os.strerror(error)}; limit {told})", False,
        "a line '@audio - memlock unlimited' in /etc/security/limits.conf, "
        "in a container --ulimit memlock=-1",
    )  # fmt: skip


def quota(root: Path) -> Finding:
    """Whether a control group halts us once we have used our share of a period."""
    mend = "start the container without --cpus, or give it whole processors by --cpuset-cpus"
    limit = _text(root / "sys/fs/cgroup/cpu.max")
    if limit is None:
        old = _text(root / "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        limit = "max" if old == "-1" else old
    if limit is None or not limit.split():
        return Finding("processor quota", "unknown", None, mend)
    free = limit.split()[0] == "max"
    return Finding("processor quota", "none" if free else f"{limit} µs", free, mend)


def governor(root: Path) -> Finding:
    """Whether processors keep their frequency."""
    found = {
        text
        for path in sorted(root.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"))
        if (text := _text(path))
    }
    told = ", ".join(sorted(found)) or "unknown"
    good = found == {"performance"} if found else None
    return Finding("frequency governor", told, good, "cpupower frequency-set -g performance")


def idle_states(root: Path) -> Finding:
    """How long a processor may take to wake [µs]."""
    mend = f"cpupower idle-set -D {_SLOW}, or hold /dev/cpu_dma_latency open at 0"
    latencies = []
    for state in sorted(root.glob("sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*")):
        latency = _text(state / "latency")
        if latency and latency.isdigit() and _text(state / "disable") != "1":
            latencies.append(int(latency))
    if latencies:
        told = f"up to {max(latencies)} µs to wake"
        return Finding("idle states", told, max(latencies) <= _SLOW, mend)
    if _text(root / "sys/devices/system/cpu/cpuidle/current_driver") == "none":
        return Finding("idle states", "none that the kernel chooses", True, mend)
    return Finding("idle states", "unknown", None, mend)


def isolated(root: Path) -> Finding:
    """Processors that nobody else uses."""
    mend = "boot with isolcpus=N, then give live runs cpu=N"
    cores = _text(root / "sys/devices/system/cpu/isolated")
    if cores is None:
        return Finding("isolated processors", "unknown", None, mend)
    return Finding("isolated processors", cores or "none", bool(cores), mend)


def findings(root: Path = Path("/")) -> Iterator[Finding]:
    """What can be told without measuring; `root` is where the kernel's files are."""
    yield preemption(root)
    yield scheduling()
    yield memory()
    yield quota(root)
    yield governor(root)
    yield idle_states(root)
    yield isolated(root)


RATES = (1000.0, 4000.0, 10_000.0)


_SHORTEST, _LONGEST = 0.3, 86_400.0  # s


_LOOK = 0.05  # s between reports of progress


_RARE, _SOMETIMES = 1e-3, 1e-2  # shares of late ticks


_SLIP = 10.0  # periods: live runs give up what is later


_STOLEN, _BUSY = 1e-3, 0.8  # shares of processor time that are felt


@dataclass(frozen=True)
class Punctuality:
    """How punctual empty ticks at a rate were."""

    rate: float
    lateness: Histogram
    late: int  # by more than a tenth of a period

    @property
    def verdict(self) -> str:
        """*yes*: no tick was a period late, and fewer than 1 in 1000 late at all. *nearly*: fewer
        than 1 in 100 late, none by ten periods. Otherwise *no*."""
        share, worst = self.late / max(self.lateness.total, 1), 1e-9 * self.lateness.largest
        if self.lateness.total and share < _RARE and worst < 1.0 / self.rate:
            return "yes"
        if self.lateness.total and share < _SOMETIMES and worst < _SLIP / self.rate:
            return "nearly"
        return "no"


def measure(
    seconds: float, cpu: int | None = None, progress: Callable[[float], None] = lambda done: None
) -> tuple[list[Punctuality], list[Finding]]:
    """Empty ticks at each rate in turn, `seconds` in all, and what the machine did meanwhile;
    `progress` is told the seconds that have passed."""
    sentence = f"Measure for {_SHORTEST:g} to {_LONGEST:g} s"
    seconds = number_within(sentence, seconds, _SHORTEST, _LONGEST)
    known = os.sched_getaffinity(0)
    if cpu is not None and cpu not in known:
        raise InputError(f"There is no processor {cpu} for us; we may use {sorted(known)}.")
    watch, began = MachineWatch(), time.monotonic()
    watch.start()
    kept = []
    for rate in RATES:
        end = time.monotonic() + seconds / len(RATES)
        pace = Pace(rate, priority=PRIORITY, cpu=-1 if cpu is None else cpu)
        with IdleClock(pace) as clock:
            # A pause may be longer than all of it: a rate has at least one tick.
            while (now := time.monotonic()) < end or not clock.struct.wakes:
                progress(min(now - began, seconds))
                time.sleep(min(_LOOK, max(end - now, 1e-3)))
        counts = copied_counts(clock.struct.counts)
        kept.append(
            Punctuality(rate, Histogram(counts, int(clock.struct.largest)), clock.struct.late)
        )
    progress(seconds)
    return kept, _meanwhile(watch)


def _meanwhile(watch: MachineWatch) -> list[Finding]:
    busy, stolen = watch.shares()
    return [
        Finding(
            "stolen time", _percent(stolen), None if stolen is None else stolen < _STOLEN,
            "processors of one's own: a dedicated host, or vCPUs pinned by it",
        ),
        Finding(
            "busy", _percent(busy), None if busy is None else busy < _BUSY,
            "end what else runs here, or move it to other processors",
        ),
    ]  # fmt: skip


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.2f} % of all processors"

"""Deadlines of a live run without a page, with one that nobody looks at, and with three clients,
one of which hardly reads; the clients are processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median

from benchmarks.report import Section, microseconds
from touchback import gallery, workbench
from touchback.realtime import Report, live
from touchback.system import System

COLUMNS = [
    "what looks on", "ticks", "late ‰", "overruns ‰", "lateness p50", "p99", "p99.9", "max",
    "step p50", "p99.9",
]  # fmt: skip
_ROUNDS, _SECONDS = 3, 10.0
_PAUSES = (0.0, 0.0, 1.0)  # s that each client sleeps after each message
_CLIENT = """
import asyncio, json, sys
from websockets.asyncio.client import connect

async def look(url, pause):
    async with connect(url, compression=None, max_queue=1, ping_timeout=None) as wire:
        await wire.send(json.dumps({"do": "watch", "poses": 60}))
        print("looking", flush=True)
        while True:
            await wire.recv()
            if pause:
                await asyncio.sleep(pause)

asyncio.run(look(sys.argv[1], float(sys.argv[2])))
"""


def run(seconds: float = _SECONDS, rounds: int = _ROUNDS) -> Section:
    """A suspension at 1 kHz; rounds take turns, and medians of them count."""
    section = Section("Deadlines of a live run at 1 kHz, times in µs", list(COLUMNS))
    system = gallery.make("suspension").compile()
    kinds: dict[str, Sequence[float] | None] = {
        "nobody, no page": None,
        "a page without clients": (),
        "three clients, one slow": _PAUSES,
    }
    found: dict[str, list[Report]] = defaultdict(list)
    for _ in range(rounds):
        for name, pauses in kinds.items():
            found[name].append(measured(system, pauses, seconds))
    for name, reports in found.items():
        row_of(section, name, reports)
    section.remark(
        "late: begun more than a tenth of a period after it was due. Medians of "
        f"{rounds} rounds of {seconds:g} s that took turns; clients take 60 frames a second, the "
        "slow one reads a message a second."
    )
    return section


def measured(system: System, pauses: Sequence[float] | None, seconds: float) -> Report:
    """The report of a run beside which clients look on; None: there is no page."""
    with ExitStack() as stack:
        going = stack.enter_context(live(system, rate=1000.0))
        if pauses is not None:
            page = stack.enter_context(workbench.open(going))
            for pause in pauses:
                stack.enter_context(looking(page.url, pause))
        going.run(seconds)
        return going.report()


@contextmanager
def looking(url: str, pause: float = 0.0) -> Iterator[None]:
    """A process that takes what a page at this address shows, and sleeps so many seconds after each
    message."""
    wire = url.replace("http", "ws", 1).replace("/?", "/wire?")
    process = subprocess.Popen(
        [sys.executable, "-c", _CLIENT, wire, str(pause)], stdout=subprocess.PIPE, text=True
    )
    try:
        if process.stdout is None or process.stdout.readline() != "looking\n":
            raise RuntimeError("a client can't connect")
        yield
    finally:
        process.kill()
        process.communicate()


def row_of(section: Section, name: str, reports: list[Report]) -> None:
    """A row of `COLUMNS`: medians of runs beside which the same looked on."""
    counts = [
        median(1e3 * each.counts[word] / each.counts["ticks"] for each in reports)
        for word in ("late", "overruns")
    ]
    lateness = [each.histograms["lateness"].summary() for each in reports]
    steps = [each.histograms["step_time"].summary() for each in reports]
    when = {word: median(x[word] or 0.0 for x in lateness) for word in lateness[0]}
    work = {word: median(x[word] or 0.0 for x in steps) for word in ("p50", "p99.9")}
    ticks = sum(each.counts["ticks"] for each in reports)
    section.rows.append(
        [name, str(ticks), *(f"{x:.2f}" for x in counts), *map(microseconds, when.values()),
         *map(microseconds, work.values())]
    )  # fmt: skip
    section.records.append(
        {"looking on": name, "ticks": ticks, "late": counts[0], "lateness": when, "step": work}
    )

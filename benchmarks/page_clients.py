"""Deadlines of a live run without a page, with one that nobody looks at, and with three clients,
one of which hardly reads; the clients are processes of their own. And the poses of a hundred
bodies, sixty times a second: how many come to a client and to Chromium, and are painted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from statistics import median

from benchmarks import mechanisms
from benchmarks.report import Section, Target, microseconds
from benchmarks.view import opened_page, software_chromium
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


_BODIES, _POSES = 100, 60
_ENOUGH = 0.98  # of the poses that were asked for
_COUNTER = """
import json, sys, time
from websockets.sync.client import connect

with connect(sys.argv[1], compression=None) as wire:
    wire.send(json.dumps({"do": "watch", "poses": int(sys.argv[3])}))
    came, end = [], time.perf_counter() + float(sys.argv[2])
    while time.perf_counter() < end:
        if isinstance(told := wire.recv(), bytes) and told[0] == 1:
            came.append(1e3 * time.perf_counter())
print(json.dumps({"came": came}))
"""
# When poses came [ms], and of which instants those were that frames of the screen showed.
_TOLD = """() => { const told = window.told = { came: [], painted: [] };
  bench.on("poses", () => told.came.push(performance.now()));
  const frame = () => {
    const { painted } = bench.view;
    if (told.painted.at(-1) !== painted) told.painted.push(painted);
    requestAnimationFrame(frame); };
  requestAnimationFrame(frame); }"""


def poses(seconds: float = _SECONDS, rounds: int = _ROUNDS) -> Section:
    """A chain of a hundred bodies at 1 kHz; rounds take turns, and medians of them count."""
    from playwright.sync_api import sync_playwright

    section = Section(
        f"Poses of {_BODIES} bodies, {_POSES} a second, in a live run at 1 kHz",
        ["who looks", "came a second", "dropped by the server", "apart p50 [ms]", "p99",
         "asked for", "painted a second", "late ticks [‰]", "overruns [‰]"],
    )  # fmt: skip
    system = mechanisms.make("chain", _BODIES).model().compile()
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    with sync_playwright() as started, software_chromium(started) as browser:
        for _ in range(rounds):
            found["nobody, no page"].append(_late(measured(system, None, seconds)))
            with live(system, rate=1000.0) as going, workbench.open(going) as bench:
                wire = bench.url.replace("http", "ws", 1).replace("/?", "/wire?")
                words = [sys.executable, "-c", _COUNTER, wire, str(seconds), str(_POSES)]
                told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
                found["a client that reads"].append(_come(told["came"]) | _late(going.report()))
            with (
                live(system, rate=1000.0) as going,
                workbench.open(going) as bench,
                opened_page(browser, bench.url) as page,
            ):
                page.wait_for_function("window.bench?.view?.painted > 2")
                page.evaluate(_TOLD)
                dropped = sum(each.dropped for each in bench.hub.clients)
                page.wait_for_timeout(1000 * seconds)
                told = page.evaluate("told")
                (client,) = bench.hub.clients
                found["the page in Chromium"].append(
                    _come(told["came"]) | _late(going.report())
                    | {"dropped": client.dropped - dropped, "asked for": client.poses,
                       "painted": 1e3 * len(told["painted"]) / (told["came"][-1] - told["came"][0])}
                )  # fmt: skip
    for name, rows in found.items():
        middle = {word: median(row[word] for row in rows) for word in rows[0]}
        shown = ["came", "dropped", "p50", "p99", "asked for", "painted", "late", "overruns"]
        section.rows.append([name, *(f"{middle[x]:.1f}" if x in middle else "" for x in shown)])
        section.records.append({"looking on": name, "rounds": rows})
        if "came" in middle:
            asked = middle.get("asked for", _POSES)
            section.targets.append(
                Target(
                    f"poses of {_BODIES} bodies, {name}", f"{_POSES} a second, where it can",
                    f"{middle['came']:.1f} of {asked:.0f} that it asked for",
                    middle["came"] >= _ENOUGH * asked,
                )
            )  # fmt: skip
    section.remark(
        f"Medians of {rounds} rounds of {seconds:g} s that took turns. The page asks for fewer "
        "where it is behind; WebGL in software."
    )
    return section


def _come(times: list[float]) -> dict[str, float]:
    """Of instants [ms] at which poses came."""
    apart = sorted(b - a for a, b in pairwise(times))
    rate = 1e3 * len(apart) / (times[-1] - times[0])
    return {"came": rate, "p50": median(apart), "p99": apart[int(0.99 * len(apart))]}


def _late(report: Report) -> dict[str, float]:
    """Of a run's ticks, in thousandths."""
    ticks = report.counts["ticks"]
    return {word: 1e3 * report.counts[word] / ticks for word in ("late", "overruns")}

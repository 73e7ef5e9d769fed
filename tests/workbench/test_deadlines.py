"""Pages that look on change nothing of a live run: not one tick, not one bit."""

import asyncio
import json

import numpy as np

import touchback as tb
from page_client import Page, connect, run_async, wire_of
from touchback import gallery, workbench
from touchback.realtime import Report
from touchback.workbench import Workbench

SECONDS = 0.5


async def looked_at(bench: Workbench, live: tb.Live) -> int:
    """Two pages that take every frame, and one that takes none; how many frames came."""
    frames = 0

    async def look(page: Page) -> None:
        nonlocal frames
        while True:
            await page.frame()
            frames += 1

    url = wire_of(bench)
    async with (
        connect(url, compression=None) as first,
        connect(url, compression=None) as second,
        connect(url, compression=None, max_queue=1) as slow,
    ):
        for wire in (first, second, slow):
            await wire.send(json.dumps({"do": "watch", "poses": 60}))
        looking = [asyncio.create_task(look(Page(wire))) for wire in (first, second)]
        await asyncio.to_thread(live.run, SECONDS)
        async with asyncio.timeout(20):  # where the machine had no time for them
            while frames < 4:
                await asyncio.sleep(0.01)
        for task in looking:
            task.cancel()
        slow.transport.abort()  # it wouldn't take the farewell either
    return frames


def told(report: Report) -> str:
    late = report.histograms["lateness"].summary()
    shown = ", ".join(f"{name} {1e6 * (x or 0.0):.1f} µs" for name, x in late.items())
    return f"{report.counts['ticks']} ticks, {report.counts['late']} late: {shown}"


def test_three_clients_one_of_them_slow_change_no_tick_and_no_bit() -> None:
    system = gallery.make("double-pendulum").compile()
    start = system.assemble({system.coordinates[0]: 1.0})
    with tb.live(system, start, rate=1000, record=True) as live:
        live.run(SECONDS)
        before = live.report()
        with workbench.open(live) as bench:
            frames = run_async(looked_at(bench, live))
            assert live.state == "running"
        after = live.report()
    print(f"before: {told(before)}\nafter:  {told(after)}")
    assert frames >= 4
    assert after.counts["ticks"] >= before.counts["ticks"] + round(1000 * SECONDS)
    assert after.counts["lost_rows"] == 0 and not after.faults

    run = live.recorded()
    assert np.allclose(np.diff(run.time), 1e-3, rtol=0, atol=1e-12)  # every tick is there
    with tb.live(system, start, rate=1000, speed=None, record=True) as alone:
        alone.run(run.time[-1])
    same = alone.recorded()
    for name in system.state_names:
        assert np.array_equal(run[name], same[name][: len(run[name])]), name

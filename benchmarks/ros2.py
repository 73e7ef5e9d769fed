"""A model's node at 1 kHz without a node, with one that nobody hears, and with another process that
hears every tick and commands it a thousand times a second: deadlines, loss and latencies."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any

import touchback as tb
from benchmarks.page_clients import COLUMNS, row_of
from benchmarks.report import Section
from touchback.interop.ros2 import ModelNode
from touchback.interop.ros2.zenoh_transport import ZenohTransport
from touchback.realtime import Report

_ROUNDS, _SECONDS, _DOMAIN = 3, 10.0, 91
_CLIENT = """
import json, sys, threading, time
import numpy as np
from touchback.interop.ros2.zenoh_transport import ZenohTransport
from touchback.recording.ros2.messages import header_of
from touchback.recording.ros2.types import JOINT_STATE, NUMBERS, decode, encode, make

transport = ZenohTransport("other", 91, connect=[sys.argv[1]])
none, sent, trips, ended = np.empty(0), {}, [], threading.Event()

def back(data):
    now, value = time.monotonic_ns(), decode(NUMBERS, data).data[-1]
    if value in sent:
        trips.append(now - sent.pop(value))

transport.subscribe("/joint_states", JOINT_STATE, lambda data: None, print)
transport.subscribe("/cart/outputs", NUMBERS, back, print)
command = transport.advertise("/joint_commands", JOINT_STATE)
threading.Thread(target=lambda: (sys.stdin.readline(), ended.set()), daemon=True).start()
while not transport.heard["/joint_states"].messages:
    time.sleep(0.01)
print("hearing", flush=True)
number, due = 0, time.monotonic()
while not ended.is_set():
    number, due = number + 1, due + 1e-3
    value = 1e-6 * number
    told = make(JOINT_STATE, header_of(0.0), ["force"], none, none, np.array([value]))
    sent[value] = time.monotonic_ns()
    command(encode(JOINT_STATE, told))
    time.sleep(max(0.0, due - time.monotonic()))
heard = transport.heard["/joint_states"]
transport.close()
print(json.dumps({
    "messages": heard.messages, "lost": heard.lost, "sent": number,
    "one way": np.percentile(heard.latencies, [50, 99]).tolist(),
    "there and back": np.percentile(trips, [50, 99]).tolist(),
}))
"""


def cart() -> tb.Model:
    """A cart on a spring that tells the force which it is commanded."""
    m = tb.Model("cart")
    body = m.body("cart", mass=2.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    force = m.input("force", unit="N")
    m.force("push", tb.JointEffort("slide", force - 8.0 * m.coordinate("slide")))
    m.sensor("echo", tb.Signal(force, "N"))
    return m


def run(seconds: float = _SECONDS, rounds: int = _ROUNDS) -> Section:
    """Rounds take turns, and medians of them count."""
    columns = ["who hears", *COLUMNS[1:]]
    section = Section("A node of ROS 2 at 1 kHz (rmw_zenoh's wire), times in µs", columns)
    system, kinds = cart().compile(), ("no node", "a node, nobody", "a node, another process")
    found: dict[str, list[Report]] = defaultdict(list)
    exchanged: list[dict[str, Any]] = []
    for _ in range(rounds):
        for kind in kinds:
            found[kind].append(_measured(system, kinds.index(kind), seconds, exchanged))
    for kind, reports in found.items():
        row_of(section, kind, reports)
    told = {
        way: [median(each[way][i] for each in exchanged) / 1e3 for i in (0, 1)]
        for way in ("one way", "there and back")
    }
    section.records.append({"exchanged": exchanged})
    section.remark(
        f"The other process heard {sum(e['messages'] for e in exchanged)} ticks, "
        f"{sum(e['lost'] for e in exchanged)} lost, and sent "
        f"{sum(e['sent'] for e in exchanged)} commands. Latency p50 and p99 [µs]: "
        f"{told['one way'][0]:.0f} and {told['one way'][1]:.0f} from publishing to hearing, "
        f"{told['there and back'][0]:.0f} and {told['there and back'][1]:.0f} from a command to "
        "the tick that tells it."
    )
    return section


def _measured(
    system: tb.System, kind: int, seconds: float, exchanged: list[dict[str, Any]]
) -> Report:
    with ExitStack() as stack:
        going = stack.enter_context(tb.live(system, rate=1000.0))
        if kind:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                endpoint = f"tcp/127.0.0.1:{probe.getsockname()[1]}"
            transport = ZenohTransport("cart", _DOMAIN, listen=[endpoint])
            stack.enter_context(ModelNode(going, transport, "cart"))
        if kind == 2:
            stack.enter_context(_hearing(endpoint, exchanged))
        going.run(seconds)
        return going.report()


@contextmanager
def _hearing(endpoint: str, exchanged: list[dict[str, Any]]) -> Iterator[None]:
    """A process that hears every tick and commands at 1 kHz; what it found is among `exchanged`."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CLIENT, endpoint],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if process.stdout is None or process.stdout.readline() != "hearing\n":
            raise RuntimeError("the other node hears nothing")
        yield
        said, _ = process.communicate("enough\n", timeout=60)
        exchanged.append(json.loads(said.splitlines()[-1]))
    finally:
        process.kill()
        process.communicate()

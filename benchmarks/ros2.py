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
from touchback.interop.ros2 import ModelNode, open_transport
from touchback.interop.ros2.middleware import Middleware
from touchback.realtime import Report

_ROUNDS, _SECONDS, _DOMAIN = 3, 10.0, 91
_ZENOH, _DDS = Middleware.ZENOH, Middleware.DDS
_KINDS: dict[str, tuple[Middleware | None, bool]] = {  # the node's, and whether it is heard
    "no node": (None, False),
    "Zenoh, nobody": (_ZENOH, False),
    "Zenoh, another process": (_ZENOH, True),
    "DDS, nobody": (_DDS, False),
    "DDS, another process": (_DDS, True),
}
_CLIENT = """
import json, sys, threading, time
import numpy as np
from touchback.interop.ros2 import open_transport
from touchback.recording.ros2.ros2_messages import header_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, NUMBERS, decode, encode, make

transport = open_transport("other", 91, sys.argv[2:], [], sys.argv[1])
ticks, none, sent, trips, ended = [], np.empty(0), {}, [], threading.Event()

def back(data):
    now, value = time.monotonic_ns(), decode(NUMBERS, data).data[-1]
    if value in sent:
        trips.append(now - sent.pop(value))

def tick(data):
    stamp = decode(JOINT_STATE, data).header.stamp
    ticks.append(round(1e3 * stamp.sec + 1e-6 * stamp.nanosec))

transport.subscribe("/joint_states", JOINT_STATE, tick, print)
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
    "messages": heard.messages, "sent": number,
    "lost": ticks[-1] - ticks[100] - len(ticks[101:]),  # once both know each other
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
    section = Section("A node of ROS 2 at 1 kHz, times in µs", columns)
    system = cart().compile()
    found: dict[str, list[Report]] = defaultdict(list)
    exchanged: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _ in range(rounds):
        for kind in _KINDS:
            found[kind].append(_measured(system, kind, seconds, exchanged[kind]))
    for kind, reports in found.items():
        row_of(section, kind, reports)
    for kind, (_, heard) in _KINDS.items():
        if heard:
            _tell(section, kind, exchanged[kind])
    return section


def _tell(section: Section, kind: str, exchanged: list[dict[str, Any]]) -> None:
    told = {
        way: [median(each[way][i] for each in exchanged) / 1e3 for i in (0, 1)]
        for way in ("one way", "there and back")
    }
    section.records.append({kind: exchanged})
    section.remark(
        f"{kind}: it heard {sum(e['messages'] for e in exchanged)} ticks, "
        f"{sum(e['lost'] for e in exchanged)} lost, and sent "
        f"{sum(e['sent'] for e in exchanged)} commands. Latency p50 and p99 [µs]: "
        f"{told['one way'][0]:.0f} and {told['one way'][1]:.0f} from publishing to hearing, "
        f"{told['there and back'][0]:.0f} and {told['there and back'][1]:.0f} from a command to "
        "the tick that tells it."
    )


def _measured(
    system: tb.System, kind: str, seconds: float, exchanged: list[dict[str, Any]]
) -> Report:
    middleware, heard = _KINDS[kind]
    with ExitStack() as stack:
        going = stack.enter_context(tb.live(system, rate=1000.0))
        if middleware is not None:
            endpoints = _free_endpoint() if middleware == _ZENOH else []
            transport = open_transport("cart", _DOMAIN, [], endpoints, middleware)
            stack.enter_context(ModelNode(going, transport, "cart"))
            if heard:
                stack.enter_context(_hearing([middleware, *endpoints], exchanged))
        going.run(seconds)
        return going.report()


def _free_endpoint() -> list[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return [f"tcp/127.0.0.1:{probe.getsockname()[1]}"]


@contextmanager
def _hearing(words: list[str], exchanged: list[dict[str, Any]]) -> Iterator[None]:
    """A process that hears every tick and commands at 1 kHz; what it found is among `exchanged`."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CLIENT, *words],
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

"""How soon an emergency stop is done, while other pages and clients send the messages that take
longest: a client of its own process stops, and the run itself tells when."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import numpy as np

import touchback as tb
from benchmarks.report import Section, Target
from touchback import workbench
from touchback.realtime import Live
from touchback.workbench.manipulate import model_with_hands

COLUMNS = [
    "what others send meanwhile",
    "stops",
    "done p50, ms",
    "p99",
    "max",
    "answered p99",
    "max",
]
ASKED_P99, ASKED_MOST = 50e-3, 200e-3  # s
STOPS = 100  # of each kind
_EVERY = 0.02  # s between stops
_SIGNALS = [f"joint {k}" for k in range(8)]
# What takes the server longest of each kind of message, as far as we know.
WORST: dict[str, list[dict[str, object]]] = {
    "nothing": [],
    "law: spaces": [{"do": "law", "control": "hold", "text": " " * 19_998 + "x"}],
    "law: a long sum": [
        {"do": "law", "control": "hold", "text": "time" + "+sin(time)*time" * 1200},
        {"do": "law", "control": "hold", "text": "1 + " * 4900 + "1"},
    ],
    "law: wrong names": [{"do": "law", "control": "hold", "text": "q" * 200 + " + 1"}],
    "edit": [
        {"do": "edit", "change": "weld", "joint": "joint 3"},
        {"do": "edit", "change": "free", "joint": "joint 3"},
        {"do": "undo"},
    ],
    "icon": [
        {"do": "icon", "name": "push", "kind": "force", "on": "link 5", "value": [1, 0, 0]},
        {"do": "remove", "icon": "push"},
    ],
    "what": [{"do": "what"}],
    "read and set": [
        {"do": "read"},
        {"do": "read", "names": ["q" * 200] * 300},
        {"do": "set", "name": "n" * 200, "value": 1.0},
    ],
    "pose and grab": [
        {"do": "grab", "body": "link 5"},
        {"do": "pull", "to": [1, 2, 3]},
        {"do": "pose", "body": "link 5", "to": [1, 0, 1]},
    ],
    "scopes": [
        {"do": "past", "signals": _SIGNALS, "start": 0.0, "end": 1e6, "buckets": 2000},
        {"do": "spectra", "signals": _SIGNALS, "start": 0.0, "end": 1e6},
        {"do": "pairs", "x": "joint 0", "y": "joint 1", "start": 0.0, "end": 1e6},
        {"do": "signals"},
        {"do": "graph"},
    ],
    "laws and joints": [{"do": "laws"}, {"do": "joint", "joint": "joint 4"}],
    "transport": [{"do": "reset"}, {"do": "speed", "value": 0.5}, {"do": "speed", "value": 1.0}],
    "not to be read": [{"do": "[" * 60_000}, {"do": "set", "id": [[[[]]]] * 5000}],
}
_FLOOD = """
import json, sys, time
from websockets.sync.client import connect
url, messages = sys.argv[1], json.loads(sys.stdin.readline())
with connect(url, compression=None, max_size=None, ping_timeout=None) as wire:
    print("there", flush=True)
    while True:
        for k, each in enumerate(messages):
            wire.send(json.dumps(each))
            wire.send(json.dumps({"do": "watch", "id": "done", "poses": 60}))
            while True:
                told = wire.recv()
                if isinstance(told, str) and '"id":"done"' in told.replace(" ", ""):
                    break
"""
_STOPPER = """
import json, sys, time
from websockets.sync.client import connect
with connect(sys.argv[1], compression=None, max_size=None, ping_timeout=None) as wire:
    print("there", flush=True)
    for line in sys.stdin:
        sent = time.monotonic_ns()
        wire.send('{"do":"stop","id":' + line.strip() + "}")
        while True:
            told = wire.recv()
            if isinstance(told, str) and '"answer"' in told:
                found = json.loads(told)
                if str(found.get("id")) == line.strip():
                    break
        print(sent, time.monotonic_ns(), flush=True)
"""


def run(stops: int = STOPS) -> Section:
    """A row for each kind of message, which two other pages send without a pause."""
    section = Section("Emergency stops beside pages that keep the server busy", list(COLUMNS))
    worst_p99 = worst = 0.0
    with tb.live(model_with_hands(_mechanism()).compile(), rate=1000.0) as live:
        for name, messages in WORST.items():
            done, answered = measured(live, messages, stops)
            p99, most = float(np.quantile(done, 0.99)), float(np.max(done))
            worst_p99, worst = max(worst_p99, p99), max(worst, most)
            figures = [np.median(done), p99, most, np.quantile(answered, 0.99), np.max(answered)]
            section.rows.append([name, str(len(done)), *(f"{1e3 * x:.2f}" for x in figures)])
            section.records.append(
                {"sent": name, "stops": len(done), "done": [float(x) for x in figures[:3]],
                 "answered": [float(x) for x in figures[3:]]}
            )  # fmt: skip
    section.targets += [
        Target("stop done, p99", "< 50 ms", f"{1e3 * worst_p99:.2f} ms", worst_p99 < ASKED_P99),
        Target("stop done, longest", "< 200 ms", f"{1e3 * worst:.2f} ms", worst < ASKED_MOST),
    ]
    section.remark(
        "done: from the client's send to the tick of 1 ms that made outputs safe; answered: until "
        "the client has read the server's words. Two pages send the messages as fast as they are "
        "answered, each a process of its own, and so is the client who stops."
    )
    return section


def _mechanism() -> tb.Model:
    """A chain of eight links with a motor and a law."""
    m = tb.Model("chain", gravity=(0, 0, -9.81))
    last = m.ground
    for i in range(8):
        link = m.body(f"link {i}", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
        m.joint(f"joint {i}", tb.Revolute("xyz"[i % 3]), last.at(0.2 * (i > 0), 0.0, 0.0), link)
        last = link
    m.force("motor", tb.JointEffort("joint 0", m.input("torque", unit="N m")))
    m.control("hold", lambda q, v: -4 * q - v, of=["q:joint 0", "v:joint 0"], to="torque")
    return m


def measured(
    live: Live, messages: list[dict[str, object]], stops: int
) -> tuple[np.ndarray, np.ndarray]:
    """Seconds until each stop is done, and until it is answered."""
    done, answered = [], []
    with ExitStack() as stack:
        bench = stack.enter_context(workbench.open(live))
        server, query = bench.url.replace("http", "ws", 1).split("?")
        url = f"{server.rsplit('/', 1)[0]}/wire?{query}"
        for _ in range(2 if messages else 0):
            flood = stack.enter_context(_process(_FLOOD, url))
            _say(flood, json.dumps(messages))
            _hear(flood)
        stopper = stack.enter_context(_process(_STOPPER, url))
        _hear(stopper)
        for k in range(stops):
            _go_on(live)
            _say(stopper, str(k))
            sent, heard = (int(word) for word in _hear(stopper).split())
            while (taken := int(live._loop.commands.halt_time)) < sent:
                time.sleep(0.001)  # answered, and no tick since
            done.append(1e-9 * (taken - sent))
            answered.append(1e-9 * (heard - sent))
        _go_on(live)
    return np.array(done), np.array(answered)


def _go_on(live: Live) -> None:
    """Lets a stopped run go on, and for a while."""
    while "stopped" in live.faults:
        live.resume()
        time.sleep(0.002)
    time.sleep(_EVERY)


@contextmanager
def _process(script: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    made = subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield made
    finally:
        made.kill()
        with suppress(OSError):
            made.communicate()


def _say(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    found = process.stdout.readline()
    if not found:
        raise RuntimeError("a client ended")
    return found

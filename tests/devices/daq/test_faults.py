"""What stops, is garbage, or can't be dated takes a car to its safe state; the log says why, and
nothing that was recorded is lost."""

import itertools
import signal
import socket
import time
from contextlib import ExitStack, contextmanager

import can
import numpy as np
import pytest

import touchback as tb
from car_bus import DBC, pedals, wheel, write_dbc
from touchback.devices import GuardedOutput, WatchedInput
from touchback.devices.daq import (
    GALLO,
    CanBoard,
    Daq,
    Script,
    SimulatedBoard,
    UdpBoard,
    can_layout,
    pack_block,
    read_dbc,
)
from touchback.model.constraint_kinds import Ramp
from touchback.vehicle import by_wire_car
from waiting import until

NAMES = ("throttle", "brake", "steering")
SAFE = {"throttle": 0.0, "brake": 4000.0, "steering": "hold"}  # roll out, straight on or round
DRIVING = {"throttle": Ramp(0.0, 200.0), "brake": Ramp(0.0, 0.0), "steering": Ramp(0.0, 90.0)}
_channels = itertools.count()


@pytest.fixture(scope="module")
def rider():
    m = tb.Model("rider")
    for name in NAMES:
        m.sensor(f"{name} command", tb.Signal(1.0 * m.input(name), ""))
    return m.compile()


@contextmanager
def riding(rider, board, path):
    """A live run that hands a board's counts on to actuators, recorded into a file."""
    with (
        Daq(board) as daq,
        tb.live(
            rider, rate=200, record=path,
            inputs={name: WatchedInput(max_age=0.3) for name in NAMES},
            outputs={f"{name} command": GuardedOutput(safe=SAFE[name]) for name in NAMES},
        ) as live,
    ):  # fmt: skip
        for name in NAMES:
            live.connect(name, daq)
        yield live, daq


def commands(live) -> dict[str, float]:
    return {name: live.read(f"{name} command") for name in NAMES}


def is_safe(live) -> bool:
    """Whether the throttle is released and the brake on: no throttle is both."""
    found = commands(live)
    return found["throttle"] == 0.0 and found["brake"] == 4000.0


def why(live, text: str) -> None:
    until(lambda: any(text in fault["text"] for fault in live.report().faults))


def check_kept(live, daq, path) -> None:
    """Every tick is in the file, every block that came was kept."""
    run = tb.open(path)
    assert len(run.time) == live.report().counts["ticks"]
    assert daq.counts["unlogged"] == 0
    assert len(daq.blocks()["number"]) == daq.counts["received"]


def test_a_board_that_is_unplugged(rider, tmp_path) -> None:
    path = tmp_path / "ride.mcap"
    with (
        SimulatedBoard(Script(duration=60.0, signals=DRIVING)) as board,
        riding(rider, board, path) as (live, daq),
    ):
        until(lambda: commands(live) == {"throttle": 200.0, "brake": 0.0, "steering": 90.0})
        board.kill()
        until(lambda: is_safe(live))
        assert live.faults == ("stale input",) and commands(live)["steering"] == 90.0
        why(live, "The board is gone")
    check_kept(live, daq, path)


def test_a_board_that_is_stuck_and_comes_back(rider, tmp_path) -> None:
    path = tmp_path / "ride.mcap"
    with (
        SimulatedBoard(Script(duration=60.0, signals=DRIVING)) as board,
        riding(rider, board, path) as (live, daq),
    ):
        until(lambda: commands(live) == {"throttle": 200.0, "brake": 0.0, "steering": 90.0})
        board.process.send_signal(signal.SIGSTOP)  # its pipe stays open
        until(lambda: is_safe(live))
        why(live, "The board is there, but no block came for 0.5 s")
        board.process.send_signal(signal.SIGCONT)
        until(lambda: commands(live)["throttle"] == 200.0)
        why(live, "Blocks come again.")
    check_kept(live, daq, path)


def test_a_board_whose_clock_is_set_while_it_runs(rider, tmp_path) -> None:
    path = tmp_path / "ride.mcap"
    script = Script(duration=60.0, signals=DRIVING)
    with SimulatedBoard(script) as board, riding(rider, board, path) as (live, daq):
        until(lambda: daq.clock.exchanges and commands(live)["throttle"] == 200.0)
        board.set_clock(-2.5)
        why(live, "The board's clock jumped by -2.")  # .49 or .51: as well as it is known
        until(lambda: is_safe(live))
        before = daq.counts["received"]
        until(lambda: daq.counts["received"] > before + 50)  # they come, and are kept …
        assert is_safe(live)  # … but aren't used
        daq.trust()
        until(lambda: commands(live)["throttle"] == 200.0)
        check = daq.counts["undated"]
        until(lambda: daq.counts["undated"] > check)  # by arrival from now on
    check_kept(live, daq, path)


def test_a_source_that_sends_garbage(rider, tmp_path) -> None:
    path = tmp_path / "ride.mcap"
    block = np.zeros(1, dtype=GALLO.dtype)
    block["throttle"], block["steering"] = 200, 90
    with (
        UdpBoard(GALLO) as board,
        riding(rider, board, path) as (live, daq),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):

        def driving() -> bool:
            k = time.monotonic_ns() // 1_000_000  # a source that keeps time, however busy we are
            packet = pack_block(GALLO, k, 1_000_000 * k, block.tobytes())
            sender.sendto(packet, ("127.0.0.1", board.port))
            return commands(live)["throttle"] == 200.0

        until(driving)
        draw = np.random.default_rng(1)

        def garbled() -> bool:
            sender.sendto(draw.bytes(28), ("127.0.0.1", board.port))
            return is_safe(live)

        until(garbled)
        why(live, "are no packet, or a damaged one")
        assert commands(live)["steering"] == 90.0
        until(driving)  # and comes back with the next that is whole
    check_kept(live, daq, path)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (("BO_ 256", "BO_ 257"), "missing throttle (message Pedals, 0x101)"),  # another bus
        (("(0.1,0)", "(10,0)"), "signal throttle is 2000, outside [-5, 110]"),  # another scale
        (("BO_ 512 Wheel: 4", "BO_ 512 Wheel: 8"), "has 4 bytes, but 8 by the DBC"),
    ],
    ids=["another identifier", "another scale", "another length"],
)
def test_a_wrong_dbc(rider, tmp_path, edit, reason) -> None:
    channel, path = f"faults {next(_channels)}", tmp_path / "ride.mcap"
    wrong = read_dbc(write_dbc(tmp_path, DBC.replace(*edit)))
    with ExitStack() as stack:
        here, there = (stack.enter_context(can.Bus(channel, interface="virtual")) for _ in range(2))
        board = stack.enter_context(CanBoard(can_layout(wrong, NAMES, 5e-3), here, wrong))
        live, daq = stack.enter_context(riding(rider, board, path))

        def sent() -> bool:
            there.send(pedals(200, 0))
            there.send(wheel(90))
            return any(reason in fault["text"] for fault in live.report().faults)

        until(sent)
        until(lambda: is_safe(live))
        assert daq.counts["received"] == 0
    check_kept(live, daq, path)


def test_with_these_commands_the_car_rolls_to_a_stop() -> None:
    """What the actuators do with safe commands at 12 m/s: 4000 counts are 4.9 bar."""
    system = by_wire_car(1000.0, speed=12.0).compile()
    found = tb.simulate(
        system, duration=9.0, method="rk4", step=1e-3, rate=1000.0,
        inputs={"throttle": 0.0, "brake": 4000.0, "steering": 0.0},
    )  # fmt: skip
    assert abs(found["speed"][-1]) < 0.05 and np.diff(found["speed"]).max() < 1e-6
    # Never more than the discs, the engine's drag at the start and air together: a gentle stop.
    assert -3.5 < np.gradient(found["speed"], found.time).min() < -1.0
    assert abs(found["y"]).max() < 0.05

"""Signals reach the tick from Python, shared memory, UDP and devices; none is ever torn."""

import math
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from touchback.native.shared_library import LIB
from touchback.realtime import Receiver, Sender, attach
from touchback.realtime.udp_signals import Datagram, unpack
from waiting import until

RATE = 1000.0


# ---- in process ---------------------------------------------------------------------------------


def test_an_input_is_used_in_the_next_tick(cart: tb.System) -> None:
    with tb.live(cart, rate=RATE, speed=None) as live:
        assert live["force"] == 0.0
        live["force"] = 2.0
        live.run(1 / RATE)
        assert live.read("echo") == 2.0
        assert live["force"] == 2.0
        assert live.report().ports["force"] == {"messages": 1, "contended": 0}


def test_a_snapshot_is_of_one_tick(cart: tb.System) -> None:
    with tb.live(cart, rate=5000) as live:
        for k in range(300):
            live["force"] = float(k)
            now = live.snapshot()
            assert now["second echo"] == 2.0 * now["echo"]
            assert now["time"] == pytest.approx(now["tick"] / 5000, rel=1e-12)


def test_unknown_ports_are_named(cart: tb.System) -> None:
    with tb.live(cart, rate=RATE, speed=None) as live:
        with pytest.raises(tb.InputError, match="did you mean 'force'"):
            live["forse"] = 1.0
        with pytest.raises(tb.InputError, match="did you mean 'echo'"):
            live.read("ecco")
        with pytest.raises(tb.InputError, match="There is no output"):
            live.set_gain("force", 1.0)


def test_a_writer_that_died_leaves_the_value_before_and_grows_stale(cart: tb.System) -> None:
    with tb.live(
        cart, rate=RATE, speed=None, inputs={"force": tb.devices.WatchedInput(max_age=3 / RATE)},
        outputs={"echo": tb.devices.GuardedOutput(safe=-0.5)},
    ) as live:  # fmt: skip
        live["force"] = 2.0
        live.run(1 / RATE)
        box = live._ports.mailboxes["force"]
        word = np.ctypeslib.as_array(_uint64.from_address(box.address))
        word[0] += 1  # as if killed in the middle of a message
        seen = []
        for _ in range(5):
            live.run(1 / RATE)
            seen.append(live.read("echo"))
        assert seen == [2.0] * 3 + [-0.5] * 2
        assert live.report().counts["contended"] == 5
        with pytest.raises(tb.SolveError, match="doesn't let go"):
            live["force"] = 3.0


_uint64 = np.ctypeslib.ctypes.c_uint64 * 1


# ---- shared memory ------------------------------------------------------------------------------

OTHER_PROCESS = """
import sys, time
from touchback.realtime import attach
ports = attach(sys.argv[1])
end = time.monotonic() + 60
ports.write("force", 3.0)
while ports.read("second echo") != 6.0 and time.monotonic() < end:
    time.sleep(0.001)
values, message = ports.published()
print(values["echo"], values["second echo"], values["tick"] > 0, sorted(ports.inputs))
ports.write("emergency stop", 1.0)
"""


def shared_name() -> str:
    return f"touchback-test-{clock_now()}"


def test_another_process_reads_writes_and_stops_over_shared_memory(cart: tb.System) -> None:
    name = shared_name()
    with tb.live(cart, rate=500, share=name) as live:
        done = subprocess.run(
            [sys.executable, "-c", OTHER_PROCESS, name], capture_output=True, text=True, timeout=60
        )
        assert done.stdout == "3.0 6.0 True ['emergency stop', 'force', 'level']\n", done.stderr
        until(lambda: live.faults == ("stopped",))
    assert not Path("/dev/shm", name).exists()


STORM = """
import os, sys, time
from touchback.realtime import attach
ports = attach(sys.argv[1])
print("ready", flush=True)
k = 1.0 if os.fork() else 2.0
end = time.monotonic() + 0.6
while time.monotonic() < end:
    for _ in range(200):
        ports.write("force", k, int(k))
        k += 2.0
"""


def test_messages_from_two_processes_are_never_torn(cart: tb.System) -> None:
    name = shared_name()
    with tb.live(cart, rate=10_000, speed=0.5, share=name, record=True) as live:
        writers = subprocess.Popen(
            [sys.executable, "-c", STORM, name], stdout=subprocess.PIPE, text=True
        )
        assert writers.stdout is not None and writers.stdout.readline() == "ready\n"
        box = live._ports.mailboxes["force"]
        read = 0
        while writers.poll() is None or read < 1000:
            message = box.read()
            assert message.stamp == message.values[0]  # both belong to the same message
            read += 1
        assert writers.wait() == 0
        writers.stdout.close()
    assert live.report().ports["force"]["messages"] > 1000
    run = live.recorded()
    assert np.array_equal(run["second echo"], 2.0 * run["echo"])


def test_ports_that_are_not_there_are_named() -> None:
    with pytest.raises(tb.InputError, match="There is no live run that shares 'nobody'"):
        attach("nobody")
    with pytest.raises(tb.InputError, match="has letters"):
        attach("../etc/passwd")


def test_a_name_that_is_taken_is_refused(cart: tb.System) -> None:
    name = shared_name()
    with (
        tb.live(cart, rate=RATE, speed=None, share=name),
        pytest.raises(tb.InputError, match="exists already"),
    ):
        tb.live(cart, rate=RATE, speed=None, share=name)


def test_shared_memory_of_something_else_is_refused() -> None:
    path = Path("/dev/shm", shared_name())
    path.write_bytes(bytes(4096))
    try:
        with pytest.raises(tb.InputError, match="isn't that of a live run"):
            attach(path.name)
    finally:
        path.unlink()


# ---- UDP ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("type", "value"), [("double", 0.1), ("float", 0.5), ("int64", -3.0)])
def test_a_datagram_is_what_was_packed(type: str, value: float) -> None:
    datagram = Datagram("motor torque", value, 7, 123456789, type)
    assert unpack(datagram.pack()) == datagram


def test_the_bytes_of_a_datagram_are_as_documented() -> None:
    data = Datagram("u", 1.5, 2, 3).pack()
    assert data.hex() == (
        "54424b31" "01" "01" "0000" "02000000" "0300000000000000" "000000000000f83f" "75" "6a96ee83"
    )  # fmt: skip


def test_every_damaged_bit_of_a_datagram_is_noticed() -> None:
    data = Datagram("force", 1.5, 2, 3).pack()
    for place in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        assert unpack(bytes(damaged)) in ("malformed", "damaged")
    assert unpack(data[:-1]) == unpack(b"") == "malformed"


def test_udp_takes_good_datagrams_and_counts_the_others(cart: tb.System) -> None:
    with tb.live(cart, rate=500) as live:
        receiver = live.listen()
        wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for datagram in (
            Datagram("force", 1.0, 1), Datagram("force", 2.0, 5), Datagram("force", 9.0, 5),
            Datagram("force", 9.0, 4), Datagram("nobody", 9.0, 1),
            Datagram("force", float("nan"), 6),
        ):  # fmt: skip
            wire.sendto(datagram.pack(), receiver.address)
        wire.sendto(b"TBK1 nonsense", receiver.address)
        wire.sendto(Datagram("force", 9.0, 7).pack()[:-1] + b"?", receiver.address)
        until(lambda: sum(receiver.counts.values()) == 8)
        wire.close()
        assert receiver.counts == {
            "accepted": 2, "repeated": 1, "reordered": 1, "refused": 2, "malformed": 1,
            "damaged": 1,
        }  # fmt: skip
        until(lambda: live.read("echo") == 2.0)


def test_a_device_that_comes_back_over_udp_is_heard_at_once(cart: tb.System) -> None:
    with tb.live(cart, rate=500) as live:
        receiver = live.listen()
        first = Sender(*receiver.address)
        for k in range(50):
            first.send("force", 1.0 + k)
        until(lambda: live.read("echo") == 50.0)
        first.close()
        again = Sender(*receiver.address)  # counts from one
        again.send("force", 7.0)
        until(lambda: live.read("echo") == 7.0)
        again.close()


def test_a_device_that_comes_back_at_the_same_port_is_heard_after_a_silence() -> None:
    heard: list[float] = []
    receiver = Receiver(lambda name, value, arrival: heard.append(value))
    try:
        sender, second = ("127.0.0.1", 5000), 1_000_000_000

        def take(value: float, sequence: int, arrival: float) -> str:
            data = Datagram("force", value, sequence).pack()
            return receiver._take(data, sender, int(arrival * second))

        assert take(1.0, 700, 10.0) == "accepted"
        assert take(2.0, 1, 10.9) == "reordered"
        assert take(3.0, 1, 11.1) == "accepted"  # more than a second after the last
        assert take(4.0, 1, 11.2) == "repeated"
        assert take(5.0, 2, 11.3) == "accepted"
    finally:
        receiver.close()
    assert heard == [1.0, 3.0, 5.0]


def test_udp_carries_outputs_from_one_run_to_the_input_of_another(cart: tb.System) -> None:
    with tb.live(cart, rate=500) as first, tb.live(cart, rate=500) as second:
        receiver = second.listen()
        got: list[tuple[str, float]] = []
        other = Receiver(lambda name, value, _: got.append((name, value)))
        first.send(*other.address, "second echo", rate=500)
        first["force"] = 3.0
        until(lambda: ("second echo", 6.0) in got)
        sender = Sender(*receiver.address)
        sender.send("force", got[-1][1])
        until(lambda: second.read("echo") == 6.0)
        sender.send("emergency stop", 1.0)
        until(lambda: second.faults == ("stopped",))
        sender.close()
        other.close()


# ---- devices ------------------------------------------------------------------------------------


class Motor:
    """Gives a rising force, remembers what it gets, and fails when told."""

    def __init__(self) -> None:
        self.reads, self.written, self.broken = 0, list[float](), False

    def read(self) -> float | None:
        if self.broken:
            raise OSError("unplugged")
        self.reads += 1
        return float(self.reads)

    def write(self, value: float) -> None:
        self.written.append(value)


def test_a_device_is_served_outside_the_tick_and_its_loss_makes_outputs_safe(
    cart: tb.System,
) -> None:
    motor = Motor()
    with tb.live(
        cart, rate=500, inputs={"force": tb.devices.WatchedInput(max_age=0.2)},
        outputs={"echo": tb.devices.GuardedOutput(safe=-0.5)},
    ) as live:  # fmt: skip
        live.connect("echo", motor)
        service = live.connect("force", motor)
        until(lambda: len(motor.written) > 20 and motor.written[-1] > 10.0)
        assert live.faults == ()
        motor.broken = True
        until(lambda: motor.written[-1] == -0.5)
        until(lambda: live.faults == ("stale input", "device failed"))
        assert isinstance(service.failure, OSError)


def test_a_run_that_ends_leaves_devices_safe(cart: tb.System) -> None:
    motor = Motor()
    with tb.live(cart, rate=500, outputs={"echo": tb.devices.GuardedOutput(safe=-0.5)}) as live:
        live.connect("echo", motor)
        live["force"] = 3.0
        until(lambda: motor.written[-1:] == [3.0])
    assert motor.written[-1] == live.read("echo") == -0.5


def test_what_can_not_be_connected_is_refused(cart: tb.System) -> None:
    with tb.live(cart, rate=RATE, speed=None) as live:
        with pytest.raises(tb.InputError, match="isn't guarded: say what is safe"):
            live.connect("echo", Motor())
        with pytest.raises(tb.InputError, match="needs a device with read"):
            live.connect("force", object())
        with pytest.raises(tb.InputError, match="There is no port"):
            live.connect("nothing", Motor())


def test_the_clock_is_the_monotonic_one() -> None:
    assert clock_now() <= time.monotonic_ns() <= clock_now()
    assert LIB.tb_clock_now() > 0


# ---- what would stall or break a run later ------------------------------------------------------


@pytest.mark.parametrize("rate", [math.nan, -1.0, 0, math.inf, 1e300, 1e-300, "x", True])
def test_rates_that_no_device_can_be_served_at_are_refused(cart: tb.System, rate: Any) -> None:
    class Still:
        def read(self) -> float:
            return 0.0

    with tb.live(cart, speed=None) as live:
        with pytest.raises(tb.InputError, match=r"'force' is served .* got rate="):
            live.connect("force", Still(), rate=rate)
        with pytest.raises(tb.InputError, match=r"'udp' is served .* got rate="):
            live.send("127.0.0.1", 9, "echo", rate=rate)


@pytest.mark.parametrize("speed", [1e-300, 1e-14, 0.0, -1.0, math.nan])
def test_a_speed_whose_ticks_never_come_is_refused(cart: tb.System, speed: float) -> None:
    with pytest.raises(tb.InputError, match=r"speed is .* 1e-06 to 1e\+06 of it"):
        tb.live(cart, speed=speed)


def test_a_ramp_that_keeps_a_run_from_ending_is_refused() -> None:
    tb.devices.GuardedOutput(ramp=10.0)
    with pytest.raises(tb.InputError, match=r"at most 10 s.*got 10.5"):
        tb.devices.GuardedOutput(ramp=10.5)


@pytest.mark.parametrize("record", ["", "\0.mcap", "run.csv", 5, None, b"run.mcap"])
def test_what_is_not_the_path_of_a_recording_is_refused(cart: tb.System, record: Any) -> None:
    with pytest.raises(tb.InputError, match=r"record"):
        tb.live(cart, record=record)


def test_a_fifo_is_refused_for_it_waits_for_a_reader(cart: tb.System, tmp_path: Path) -> None:
    fifo = tmp_path / "run.mcap"
    os.mkfifo(fifo)
    with pytest.raises(tb.InputError, match=r"run.mcap' is no regular file"):
        tb.live(cart, record=fifo)

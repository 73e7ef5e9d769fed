"""A device in another process that speaks UDP, lost and found again."""

import subprocess
import sys

import touchback as tb
from touchback.realtime.udp_signals import Receiver
from waiting import until

DEVICE = """
import itertools, sys, time
from touchback.realtime.udp_signals import Sender
sender = Sender("127.0.0.1", int(sys.argv[1]))
for k in itertools.count(1):
    sender.send("force", float(k))
    time.sleep(2e-3)
"""
SAFE = -0.5


def echo():
    m = tb.Model("echo")
    m.sensor("echo", tb.Signal(2.0 * m.input("force", unit="N"), "N"))
    return m.compile()


def test_the_loss_of_a_device_in_another_process_is_seen_at_the_output_and_so_is_its_return():
    got = []
    actuator = Receiver(lambda name, value, _: got.append(value))
    with tb.live(
        echo(), rate=500, inputs={"force": tb.devices.WatchedInput(max_age=0.2)},
        outputs={"echo": tb.devices.GuardedOutput(safe=SAFE)},
    ) as live:  # fmt: skip
        port = live.listen().address[1]
        live.send(*actuator.address, "echo", rate=500)
        for _ in range(2):
            device = subprocess.Popen([sys.executable, "-c", DEVICE, str(port)])
            until(lambda: len(set(got[-40:])) > 8 and live.faults == ())  # what it sends goes on
            assert all(value == SAFE or value % 2 == 0 for value in got)
            device.kill()
            device.wait()
            until(lambda: live.faults == ("stale input",))
            until(lambda: set(got[-20:]) == {SAFE})
    actuator.close()

"""The other processes: devices that send a torque over UDP and a hand over shared memory.

    python device.py

Each line that comes in, "PORTS UDP-PORT", starts a device, a process of its own whose number is
told; so a device that was killed has a successor at once, without another start of Python. A device
strikes a wall three times a second; it lives until it is killed, or until its host is gone.
"""

import math
import os
import signal
import sys
import time

from touchback.realtime import Sender, attach

STRIKES, DEPTH = 3.0, 0.01  # Hz, m


def live(shared: str, port: int, host: int) -> None:
    ports, sender = attach(shared), Sender("127.0.0.1", port)
    turn = 2.0 * math.pi * STRIKES
    while os.getppid() == host:
        t = time.monotonic()
        ports.write("hand position", DEPTH * math.sin(turn * t))
        ports.write("hand velocity", DEPTH * turn * math.cos(turn * t))
        sender.send("motor torque", 0.3 + 0.2 * math.sin(t))
        time.sleep(0.004)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who died is gone
    host = os.getpid()
    for line in sys.stdin:
        shared, port = line.split()
        device = os.fork()
        if not device:
            live(shared, int(port), host)
            os._exit(0)
        print(device, flush=True)


if __name__ == "__main__":
    main()

"""The other process: a device that sends its torque over UDP and its hand over shared memory.

    python device.py PORTS UDP-PORT

Strikes a wall three times a second; lives until it is killed.
"""

import math
import sys
import time

from touchback.realtime import Sender, attach

STRIKES, DEPTH = 3.0, 0.01  # Hz, m


def main() -> None:
    ports, sender = attach(sys.argv[1]), Sender("127.0.0.1", int(sys.argv[2]))
    print("ready", flush=True)
    turn = 2.0 * math.pi * STRIKES
    while True:
        t = time.monotonic()
        ports.write("hand position", DEPTH * math.sin(turn * t))
        ports.write("hand velocity", DEPTH * turn * math.cos(turn * t))
        sender.send("motor torque", 0.3 + 0.2 * math.sin(t))
        time.sleep(0.004)


if __name__ == "__main__":
    main()

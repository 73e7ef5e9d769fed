"""A simulated device on a line: python -m touchback.devices.serial_line PATH [SECONDS [FORCE …]].

With the torque of a finger [N m], or none, it is a key; with two to six forces of a hand [N,
N m] a stage of as many axes."""

import sys

from touchback.devices.serial_line.simulated import serve

if __name__ == "__main__":
    path, *numbers = sys.argv[1:]
    seconds, *hands = map(float, numbers or ["inf"])
    serve(path, seconds, *(hands or [0.0]))

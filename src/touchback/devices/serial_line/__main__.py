"""A simulated key on a line: python -m touchback.devices.serial_line PATH [SECONDS [N m]]."""

import sys

from touchback.devices.serial_line.simulated import serve

if __name__ == "__main__":
    path, *numbers = sys.argv[1:]
    seconds, torque = (*map(float, numbers), *(float("inf"), 0.0)[len(numbers) :])
    serve(path, seconds, torque)

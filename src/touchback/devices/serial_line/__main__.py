"""A simulated device: python -m touchback.devices.serial_line [PATH|pty [SECONDS [FORCE …]]].

On the line at a path or, as "pty", on a pseudo-terminal of its own, whose path it prints. With the
torque of a finger [N m], or none, it is a key; with two to six forces of a hand [N, N m] a stage of
as many axes."""

import contextlib
import sys

from touchback.devices.serial_line.simulated_serial_device import serve
from touchback.errors import TouchbackError


def main(words: list[str]) -> str | None:
    """Serves until the seconds are over or Ctrl-C comes; gives what was wrong."""
    path, *numbers = words or ["pty"]
    try:
        seconds, *hands = map(float, numbers or ["inf"])
    except ValueError:
        return f"error: {' '.join(numbers)}: give seconds, then forces, as numbers.\n\n{__doc__}"
    try:
        with contextlib.suppress(KeyboardInterrupt):
            serve(path, seconds, *(hands or [0.0]))
    except TouchbackError as error:
        return f"error: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A simulated wheel: python -m touchback.devices.evdev SOCKET [SECONDS [ANGLE [THROTTLE BRAKE]]].

At a socket of that path, which a driver opens as evdev:SOCKET: a wheel of 900° and 2.5 N m in arms
that hold it at an angle [rad, to the left], with feet on two pedals (0 to 1)."""

import contextlib
import sys

from touchback.devices.evdev.simulated_wheel import serve


def main(words: list[str]) -> str | None:
    """Serves until the seconds are over or Ctrl-C comes; gives what was wrong."""
    try:
        path, *rest = words
        numbers = [float(word) for word in rest]
        seconds, angle, throttle, brake = numbers + [float("inf"), 0.0, 0.0, 0.0][len(numbers) :]
    except ValueError:
        return f"error: {' '.join(words)}: give a path, then numbers.\n\n{__doc__}"
    try:
        with contextlib.suppress(KeyboardInterrupt):
            serve(path, seconds, angle, throttle, brake)
    except OSError as error:
        return f"error: {path}: {error.strerror or error}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A recording of the soak, checked tick by tick and replayed.

    python check.py RECORDING TICKS

Prints what was replayed and which promises were broken, as JSON.
"""

import json
import sys

import numpy as np

import touchback as tb
from touchback.realtime import Recording, open_recording

SAFE, LIMIT = 0.0, 30.0  # N, of the felt force
UNHEALTHY = 1 | 2 | 4 | 8 | 256 | 512  # flags with which outputs are safe


def broken(recording: Recording, ticks: int) -> list[str]:
    """Every tick is there, loops are closed, and outputs were safe whenever they had to be."""
    flags = recording.column("flags").astype(int)
    felt = recording.column("felt force")
    promises = {
        "a recording isn't complete": recording.complete,
        "ticks are missing": np.array_equal(recording.column("tick"), np.arange(1, ticks + 1)),
        "an output wasn't safe in a fault": (felt[flags & UNHEALTHY != 0] == SAFE).all(),
        "an output went beyond its limit": np.abs(felt).max() <= LIMIT,
        "a loop is open": gap(recording) <= 1e-10,
    }
    return [what for what, kept in promises.items() if not kept]


def gap(recording: Recording) -> float:
    """How far the rod's end was from the slider at most, with the radius of each tick [m]."""
    largest = 0.0
    for part in recording.parts:
        versions = part.column("version").astype(int)
        r = np.array([recording.parameters[version]["crank radius"] for version in versions])
        a, b, x = (part.column(name) for name in ("crank", "rod", "slider"))
        along = r * np.cos(a) + 0.4 * np.cos(a + b) - x
        across = r * np.sin(a) + 0.4 * np.sin(a + b)
        largest = max(largest, float(np.hypot(along, across).max(initial=0.0)))
    return largest


def main() -> None:
    recording = open_recording(sys.argv[1])
    found = broken(recording, int(sys.argv[2]))
    again = tb.replay(sys.argv[1])
    if not again.same:
        found.append(f"a replay differs from tick {again.first_difference} on")
    print(json.dumps({"replayed": again.ticks, "broken": found}))


if __name__ == "__main__":
    main()

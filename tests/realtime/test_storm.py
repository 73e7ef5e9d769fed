"""Everything at once: bad inputs, stops, changes of parameters and steps, at random instants."""

import random
import time
from pathlib import Path

import numpy as np
import pytest

import touchback as tb

SECONDS = 1.5


def disturb(live: tb.Live, chance: random.Random) -> int:
    """One random disturbance; returns 1 when it was refused."""
    draw = chance.random()
    try:
        if draw < 0.5:
            live["motor torque"] = chance.random()
        elif draw < 0.7:
            live["crank radius"] = chance.uniform(0.05, 0.15)
        elif draw < 0.76:
            live["motor torque"] = -1.0  # its root is NaN
        elif draw < 0.82:
            live.emergency_stop()
        elif draw < 0.91:
            live.resume()
        elif draw < 0.95:
            live.set_substeps(chance.randint(1, 4))
        elif draw < 0.97:
            time.sleep(0.03)  # longer than the input may be away
        else:
            live["crank radius"] = 0.9  # beyond its range
    except tb.InputError:
        return 1
    return 0


@pytest.mark.parametrize("seed", [1, 2])
def test_loops_stay_closed_outputs_stay_guarded_and_the_recording_replays(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path, seed: int
) -> None:
    path, chance = tmp_path / "storm.mcap", random.Random(seed)
    guard = tb.devices.GuardedOutput(safe=0.0, low=-0.45, high=0.45)
    with tb.live(
        slider_crank, turning, rate=4000, record=path,
        inputs={"motor torque": tb.devices.WatchedInput(max_age=0.02)},
        outputs={"slider position.x": guard},
    ) as live:  # fmt: skip
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or live.ticks <= 1000:
            disturb(live, chance)
            time.sleep(0.002 * chance.random())
    again = tb.replay(path, slider_crank)
    assert again.first_difference is None
    recording = again.recording
    assert len(recording.rows) == live.report().counts["ticks"] > 1000
    # r cos a + 0.4 cos (a + b) = x and the same for z, with the radius of each tick
    radius = np.array(
        [recording.parameters[int(v)]["crank radius"] for v in recording.column("version")]
    )
    a, b, x = recording.states[:, :3].T
    assert np.abs(radius * np.cos(a) + 0.4 * np.cos(a + b) - x).max() <= 1e-10
    assert np.abs(radius * np.sin(a) + 0.4 * np.sin(a + b)).max() <= 1e-10
    delivered, flags = recording.column("slider position.x"), recording.column("flags").astype(int)
    faulty = flags & (1 | 2 | 4) != 0
    assert 0 < np.count_nonzero(faulty) < len(flags)
    assert (delivered[faulty] == 0.0).all()
    assert np.abs(delivered[~faulty]).max() <= 0.45

"""A string that is struck again while its damper comes down: live ears and files obey one law."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from touchback.gallery.keyboard.listener import Ear, Hearing
from touchback.gallery.keyboard.strikes import REPORTED
from touchback.gallery.keyboard.strokes import FADED, heard_of
from touchback.realtime import Live
from touchback.recording import Run

TICK, TICKS = 1e-3, 400


def signals(seed: int) -> dict[str, np.ndarray]:
    """A key's signals over ticks: a damper that comes and goes by any shares, now and then a
    strike, also under the damper."""
    random = np.random.default_rng(seed)
    struck = random.random(TICKS) < 0.03
    struck[0] = False
    time = TICK * np.arange(TICKS)
    steps = np.where(random.random(TICKS) < 0.1, random.integers(0, 17, TICKS) / 16.0, np.nan)
    ringing, now = np.ones(TICKS), 1.0
    for i, step in enumerate(steps):
        ringing[i] = now = now if np.isnan(step) else step
    found = {
        "notes": np.cumsum(struck).astype(float), "loudness": np.ones(TICKS), "note time": time,
        "ringing": ringing, "held": np.ones(TICKS), "una corda": np.zeros(TICKS), "time": time,
    }  # fmt: skip
    assert set(REPORTED) <= set(found)
    return found


def as_heard_live(found: dict[str, np.ndarray]) -> list[np.ndarray]:
    """For each note the share of damping at every tick since, as an ear is told tick by tick."""
    now = {"tick": 0}

    def latest() -> tuple[tuple[str, ...], SimpleNamespace]:
        values = np.array([each[now["tick"]] for each in found.values()])
        return tuple(found), SimpleNamespace(values=values, stamp=0)

    run = SimpleNamespace(latest=latest, plan=SimpleNamespace(rate=1.0 / TICK))
    shares, begins, share = np.zeros(TICKS), [], [0.0]

    def began(note: object) -> None:
        begins.append(now["tick"])
        share[0] = 0.0  # what a stream and the page's strings do at a strike

    ear = Ear(began, damped=lambda note, time, new: share.__setitem__(0, new))
    hearing = Hearing(cast(Live, run), [60], [""], ear)
    for now["tick"] in range(TICKS):
        hearing.look()
        shares[now["tick"]] = share[0]
    return [shares[begin:] for begin in begins]


def as_in_a_file(found: dict[str, np.ndarray]) -> list[np.ndarray]:
    class Recorded(dict[str, np.ndarray]):
        time = found["time"]

    notes = []
    for note in heard_of(cast(Run, Recorded(found)), 60):
        since = Recorded.time[Recorded.time >= note.time - TICK / 2]
        shares = np.zeros(len(since))
        for time, share in note.damping:
            shares[since >= time - TICK / 2] = share
        notes.append(shares)
    return notes


@pytest.mark.parametrize("seed", range(8))
def test_a_file_damps_each_note_as_an_ear_is_told_while_it_plays(seed: int) -> None:
    found = signals(seed)
    live, kept = as_heard_live(found), as_in_a_file(found)
    assert len(live) == len(kept) > 3
    for ear, file in zip(live, kept, strict=True):
        sounds = np.cumsum(ear) * TICK < 0.9 * FADED  # after which both may leave it
        np.testing.assert_array_equal(file[sounds], ear[sounds])

"""A string that is struck again while its damper comes down: live ears and files obey one law."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from touchback.instruments.keyboard.key_device import REPORTED
from touchback.instruments.keyboard.key_strokes import FADED, HeardNote, find_heard_notes_of
from touchback.instruments.keyboard.keyboard_player import NoteCallbacks, NoteDetector, NoteLog
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
    held = np.cumsum(random.random(TICKS) < 0.02) % 2.0
    found = {
        "notes": np.cumsum(struck).astype(float), "loudness": np.ones(TICKS), "note time": time,
        "ringing": ringing, "held": held, "una corda": np.zeros(TICKS), "time": time,
    }  # fmt: skip
    assert set(REPORTED) <= set(found)
    return found


def looks(found: dict[str, np.ndarray], ear: NoteCallbacks) -> Iterator[int]:
    """The ticks, each after an ear was told of it."""
    now = {"tick": 0}

    def latest() -> tuple[tuple[str, ...], SimpleNamespace]:
        values = np.array([each[now["tick"]] for each in found.values()])
        return tuple(found), SimpleNamespace(values=values, stamp=0)

    run = SimpleNamespace(latest=latest, spec=SimpleNamespace(rate=1.0 / TICK))
    hearing = NoteDetector(cast(Live, run), [60], [""], ear)
    for now["tick"] in range(TICKS):
        hearing.look()
        yield now["tick"]


def as_heard_live(found: dict[str, np.ndarray]) -> list[np.ndarray]:
    """For each note the share of damping at every tick since, as an ear is told tick by tick."""
    shares, begins, share = np.zeros(TICKS), [], [0.0]

    def began(note: HeardNote) -> None:
        begins.append(round(note.time / TICK))
        share[0] = 0.0  # what a stream and the page's strings do at a strike

    ear = NoteCallbacks(began, damped=lambda note, time, new: share.__setitem__(0, new))
    for tick in looks(found, ear):
        shares[tick] = share[0]
    return [shares[begin:] for begin in begins]


def shares_over_time(note: HeardNote, time: np.ndarray) -> np.ndarray:
    """The share of damping at every tick since a note began."""
    since = time[time >= note.time - TICK / 2]
    shares = np.zeros(len(since))
    for when, share in note.damping:
        shares[since >= when - TICK / 2] = share
    return shares


def in_a_file(found: dict[str, np.ndarray]) -> list[HeardNote]:
    class Recorded(dict[str, np.ndarray]):
        time = found["time"]

    return find_heard_notes_of(cast(Run, Recorded(found)), 60)


@pytest.mark.parametrize("seed", range(8))
def test_a_file_damps_each_note_as_an_ear_is_told_while_it_plays(seed: int) -> None:
    found = signals(seed)
    live, kept = as_heard_live(found), in_a_file(found)
    assert len(live) == len(kept) > 3
    for ear, note in zip(live, kept, strict=True):
        sounds = np.cumsum(ear) * TICK < 0.9 * FADED  # after which both may leave it
        np.testing.assert_array_equal(shares_over_time(note, found["time"])[sounds], ear[sounds])


@pytest.mark.parametrize("seed", range(8))
def test_a_notebook_has_what_a_recording_has_without_one(seed: int) -> None:
    found, told = signals(seed), list[HeardNote]()
    notebook = NoteLog(NoteCallbacks(told.append))
    list(looks(found, notebook.ear))
    kept = in_a_file(found)
    assert [each.time for each in notebook.notes] == [each.time for each in kept]
    assert [each.time for each in told] == [each.time for each in kept]
    for own, note in zip(notebook.notes, kept, strict=True):
        shares, own_shares = (shares_over_time(each, found["time"]) for each in (note, own))
        sounds = np.cumsum(shares) * TICK < 0.9 * FADED
        np.testing.assert_array_equal(own_shares[sounds], shares[sounds])
        # a tick later where the key is up as it strikes again: an ear takes it for held then
        assert own.released == pytest.approx(note.released, abs=1.01 * TICK)

"""A live run that goes on from an instant of what is shown."""

from __future__ import annotations

from touchback.realtime.fork import Fork, fork
from touchback.realtime.live import live as live_run
from touchback.workbench.playback.track import RecordedTrack, Track


def forked_at(track: Track, time: float, rate: float) -> Fork:
    """Of a recording, or of a run that was computed, at a rate [Hz]; not yet started."""
    if isinstance(track, RecordedTrack):
        return fork(track.recording, time)
    return _fork_run(track, time, rate)


def _fork_run(track: Track, time: float, rate: float) -> Fork:
    """A live run that begins as a run was at an instant. A run that was computed offline has steps
    of its own, so that nothing can be compared to the bit."""
    at = track.at(time)
    system = track.system(at.structure)
    rate = min(max(round(rate), 100.0), 10_000.0)
    made = live_run(system, at.state, rate=rate, parameters=dict(at.parameters))
    for name, value in zip(system.input_names, at.inputs, strict=True):
        made[name] = float(value)
    method = track.run.metadata.get("method", "another program")
    why = (
        f"It goes on live from {at.time:g} s of the run, at time 0; its steps are those of a clock "
        f"({rate:g} Hz, {made.plan.solver.word}), the run's were {method}'s: the bits may differ."
    )
    return Fork(made, 0, at.time, 0, False, why)

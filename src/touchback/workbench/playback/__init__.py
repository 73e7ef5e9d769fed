"""Recordings on the page: played, scrubbed, laid over a run, forked; made, listed and exported."""

from touchback.workbench.playback.playback import Playback
from touchback.workbench.playback.shelf import Shelf
from touchback.workbench.playback.studio import Studio
from touchback.workbench.playback.track import RecordedTrack, RunTrack, Track, track_of

__all__ = ["Playback", "RecordedTrack", "RunTrack", "Shelf", "Studio", "Track", "track_of"]

"""Recordings on the page: played, scrubbed, laid over a run, forked; made, listed and exported."""

from touchback.workbench.playback.page_recordings import PageRecordings
from touchback.workbench.playback.playback import Playback
from touchback.workbench.playback.playback_track import RecordedTrack, RunTrack, Track, track_of
from touchback.workbench.playback.recording_folder import RecordingFolder
from touchback.workbench.playback.shared_page import share

__all__ = [
    "PageRecordings",
    "Playback",
    "RecordedTrack",
    "RecordingFolder",
    "RunTrack",
    "Track",
    "share",
    "track_of",
]

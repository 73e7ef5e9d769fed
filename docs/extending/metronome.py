"""A device of one's own: a square wave on the computer's clock, for an input."""

import time


class Metronome:
    """Changes between 1 and −1, so many times a second: its place is that number."""

    def __init__(self, place: str) -> None:
        self.beats, self.closed = float(place), False

    def read(self) -> float:
        """1 or −1."""
        return 1.0 if int(time.monotonic() * self.beats) % 2 else -1.0

    def close(self) -> None:
        """Called by who opened it, as `touchback live --connect` does when the run is over."""
        self.closed = True

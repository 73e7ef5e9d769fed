"""The desk of what doesn't run: the same reading, rates and words as that of a live run."""

from touchback.realtime.control import Desk
from touchback.realtime.control.exposed import Exposed
from touchback.realtime.control.rates import Rates


class PlaybackDesk(Desk):
    """Answers only the messages that are added to it, at any time: there is no run to ask."""

    def __init__(self) -> None:
        self.exposed, self.rates = Exposed(), Rates()
        self._known = {}

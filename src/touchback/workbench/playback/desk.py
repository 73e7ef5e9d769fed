"""The desk of what doesn't run: the same reading, rates and words as that of a live run."""

import msgspec

from touchback.errors import NO_JSON, InputError
from touchback.realtime.control import Desk, Message
from touchback.realtime.control.exposed import Exposed
from touchback.realtime.control.rates import Rates


class _Asked(msgspec.Struct):
    do: str = ""


class PlaybackDesk(Desk):
    """Answers only the messages that are added to it, at any time: there is no run to ask."""

    def __init__(self) -> None:
        self.exposed, self.rates = Exposed(), Rates()
        self._known = {}

    def _read(self, text: bytes | str) -> Message:
        try:
            return super()._read(text)
        except InputError:
            asked = _do(text)
            if asked and asked not in {kind.__struct_config__.tag for kind in self._known}:
                raise InputError(
                    f"'{asked}' isn't for a recording, which can't be changed: go on live from an "
                    "instant of it first (`fork`)."
                ) from None
            raise


def _do(text: bytes | str) -> str:
    try:
        return msgspec.json.decode(text, type=_Asked).do[:40]
    except NO_JSON:
        return ""

"""What an FMU logs: why it refuses a call is told there, and by its status not at all."""

from __future__ import annotations

import ctypes
from collections import deque

from touchback.native.foreign_log import ForeignLog

NEWEST = 8
REASONS = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal")  # FMI's own


class Log:
    """The newest texts of an instance; to be kept as long as it is."""

    def __init__(self, version: str) -> None:
        self._three: deque[str] = deque(maxlen=NEWEST)
        self._two = ForeignLog() if version == "2.0" else None

    def wanted(self) -> dict[str, object]:
        """What FMPy makes an instance with that logs here."""
        if self._two is None:
            return {"logMessage": self._take}
        from fmpy import fmi2

        calls = fmi2.fmi2CallbackFunctions()
        ctypes.memmove(
            ctypes.byref(calls), ctypes.byref(fmi2.defaultCallbacks), ctypes.sizeof(calls)
        )
        calls.logger = fmi2.fmi2CallbackLoggerTYPE(self._two.teller)
        calls.componentEnvironment = self._two.address
        return {"callbacks": calls}

    def _take(self, environment: object, status: int, category: bytes, text: bytes | None) -> None:
        self._three.append((text or b"").decode("utf-8", "replace"))

    @property
    def texts(self) -> list[str]:
        """Each once, in one line."""
        found = self._three if self._two is None else self._two.texts
        return list(dict.fromkeys(" ".join(text.split()) for text in found if text.strip()))

"""What was refused, told without flooding a log: the first of a kind, the tenth, …"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable

_KINDS = 100  # that are counted apart
_LONGEST = 300  # letters of a line


class Complaints:
    """Lines that differ by numbers alone are of one kind; `count` of all of them."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note, self._kinds, self._lock = note, Counter[str](), threading.Lock()
        self.count = 0

    def __call__(self, text: str) -> None:
        text = text[:_LONGEST]
        kind = re.sub(r"[0-9.e+-]+|'[^']*'?", "#", text)
        with self._lock:
            self.count += 1
            if kind not in self._kinds and len(self._kinds) >= _KINDS:
                kind = "others"
            self._kinds[kind] += 1
            times = self._kinds[kind]
        if times in (1, 10, 100, 1000) or times % 10_000 == 0:
            self._note(f"ROS 2: {text}" + (f" ({times} times)" if times > 1 else ""))

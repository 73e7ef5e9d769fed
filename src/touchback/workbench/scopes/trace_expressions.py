"""What a scope can show: a signal by its name, or an expression of signals as model files write it.

A text that is a signal's name is that signal, whatever letters it has ("hand.x", "felt force"); in
an expression such a name stands in single quotes: `'hand.x' * 2 - abs(shoulder)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.model import Operators, parse
from touchback.names import unknown_name

Floats = np.ndarray
LONGEST = 500  # letters of an expression
MOST = 16  # traces of a scope


def values_of(text: str, signals: Mapping[str, Floats], count: int) -> Floats:
    """The values of a trace at `count` instants, of signals at the same; NaN, which a page shows as
    a gap, where it speaks of a signal that isn't there."""
    if text in signals:
        return signals[text]
    gap = np.full(count, np.nan)
    missing: list[str] = []

    def symbol(name: str) -> Floats:
        if name not in signals:
            missing.append(name)
        return signals.get(name, gap)

    try:
        with np.errstate(all="ignore"):  # what isn't finite is a gap
            found = parse(text, Operators(), symbol)
    except ModelError:  # texts were checked: this one was the name of a signal that vanished
        return gap
    if missing:
        return gap
    return np.broadcast_to(np.asarray(found, dtype=float), (count,))


def check_traces(texts: Sequence[str], known: Iterable[str]) -> None:
    """Refuses what can't be shown: an unknown name, an expression that can't be read."""
    names = list(known)
    if len(texts) > MOST:
        raise InputError(f"A scope shows at most {MOST} traces, got {len(texts)}; open another.")
    for text in texts:
        if text in names:
            continue
        if len(text) > LONGEST:
            raise InputError(
                f"A trace of {len(text)} letters is too long: at most {LONGEST}; make it a sensor "
                "of the model."
            )
        met: list[str] = []
        parse(text, Operators(), partial(_note_name, met=met))
        for name in met:
            if name not in names:
                raise unknown_name("signal", name, names)


def _note_name(name: str, met: list[str]) -> Floats:
    met.append(name)
    return np.ones(1)


def unit_of(text: str, units: Mapping[str, str]) -> str:
    """The unit of a trace: a signal's own; of an expression nobody knows it."""
    return units.get(text, "")

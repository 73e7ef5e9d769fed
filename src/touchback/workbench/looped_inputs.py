"""What an experiment gives its inputs over time, on a page: again and again, until somebody takes
an input over."""

from __future__ import annotations

import weakref
from collections.abc import Mapping

import numpy as np

import touchback as tb
from touchback import Live
from touchback.numbers import is_real
from touchback.simulate import Inputs, read_inputs

RATE = 250.0  # values a second: as fine as a hand moves


class LoopedInput:
    """An input that follows samples or a function of the model's time and begins anew after each
    `period` [s]. Whoever sets it otherwise has it from then on."""

    def __init__(self, live: Live, name: str, given: Inputs, period: float) -> None:
        self._live, self._name = weakref.ref(live), name  # no circle: see `Live`
        self._given, self._period = given, period
        self._place = 1 + list(live.system.input_names).index(name)
        self._last: float = live[name]
        self.taken = False

    def read(self) -> float | None:
        """Its value now; None when it is another's, or stays."""
        live = self._live()
        if live is None or self.taken or self._name not in live.system.input_names:
            return None
        if live[self._name] != self._last:
            self.taken = True
            return None
        at = live.read("time") % self._period
        value = float(self._given.at(at, np.empty(0))[self._place])
        if value == self._last:
            return None
        self._last = value
        return value


def feed(live: Live, experiment: tb.gallery.Experiment) -> dict[str, LoopedInput]:
    """Gives a live run the inputs of an experiment: sets what is constant, and lets the others
    follow it, over and over; gives those."""
    inputs: Mapping[str, object] = experiment.inputs
    system = live.system
    given = read_inputs(system, experiment.inputs, experiment.duration)
    fed = dict[str, LoopedInput]()
    for name, value in inputs.items():
        if is_real(value):
            live[name] = value
        else:
            fed[name] = LoopedInput(live, name, given, experiment.duration)
            live.connect(name, fed[name], RATE)
    return fed

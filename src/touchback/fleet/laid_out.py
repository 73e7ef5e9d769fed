"""What instances are given, as arrays that kernels of any machine read."""

from __future__ import annotations

import numpy as np

from touchback.fleet.given import Floats, Given
from touchback.native.fleet.batch import BatchSeries
from touchback.simulate.span import Span
from touchback.system import System


def constants_of(system: System, given: Given) -> Floats:
    """[t, inputs…], a row of each or one for all."""
    names = system.input_names
    several = any(len(each) > 1 for each in given.constants.values())
    u = np.empty((given.count if several else 1, 1 + len(names)))
    u[:, 0], u[:, 1:] = 0.0, system.input_defaults
    for name, each in given.constants.items():
        u[:, 1 + list(names).index(name)] = each
    return u if several else u[0]


def blocks_of(system: System, given: Given) -> Floats:
    """Parameter blocks, a row of each or one for all."""
    several = {name: each for name, each in given.parameters.items() if len(each) > 1}
    single = {name: float(each[0]) for name, each in given.parameters.items() if len(each) == 1}
    values = system.parameter_values(single)
    varied = system.layout.varied(values, several) if several else values
    own = system.motion.acting(system.key).functions
    return np.ascontiguousarray(own.block_for(varied), dtype=float)


def series_of(system: System, given: Given, span: Span) -> BatchSeries:
    """All on the finest grid that one of them has."""
    names = list(system.input_names)
    places = [1 + names.index(name) for name in given.samples]
    most = max((each.shape[1] for each in given.samples.values()), default=2)
    times = np.linspace(span.start, span.end, most)
    several = any(len(each) > 1 for each in given.samples.values())
    values = np.empty((given.count if several else 1, len(places), most))
    for k, each in enumerate(given.samples.values()):
        own = np.linspace(span.start, span.end, each.shape[1])
        for i in range(len(values)):
            row = each[i if len(each) > 1 else 0]
            values[i, k] = row if len(row) == most else np.interp(times, own, row)
    return BatchSeries(places, times, values if several else values[0])

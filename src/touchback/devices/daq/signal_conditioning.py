"""From a block's numbers to quantities: sensors, counters that go round, filters, prediction.

What is written here once over any scalar is compiled, and runs block by block: in the thread that
drains a board's pipe, or over blocks that were recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback import Expr, Model
from touchback.devices.daq.block_layout import BlockLayout, check_layout
from touchback.errors import InputError
from touchback.model import Value
from touchback.names import unknown_name
from touchback.native.daq.daq_stream import Quantities
from touchback.numbers import number_within

_LONGEST = 1e6  # s that a filter may be late by
_SETTLE = 1000  # blocks like the first that filters see before it (SETTLE of daq/blocks.c)


@dataclass(frozen=True)
class Quantity:
    """A quantity that blocks give: where it stands among the states, the channel that dates it, and
    by how much it is older than that [s]."""

    name: str
    channel: str
    place: int
    delay: float


class Conditioning:
    """Quantities of blocks of a layout, given one after another. A channel's newest number is a
    quantity by the channel's own name."""

    def __init__(self, layout: BlockLayout) -> None:
        check_layout("Conditioning", layout)
        self.layout = layout
        self._model = m = Model("conditioning")
        self._raw = {
            c.name: tuple(m.input(f"{c.name}.{i}") for i in range(c.samples))
            for c in layout.channels
        }
        self._ages = {c.name: m.input(f"{c.name} age", unit="s") for c in layout.channels}
        self._given: dict[str, tuple[str, float]] = {}
        self._filters = 0
        for name, numbers in self._raw.items():
            self.give(name, numbers[-1], of=name)

    def samples(self, channel: str) -> tuple[Expr, ...]:
        """A channel's numbers in a block, oldest first."""
        self.layout.place(channel)
        return self._raw[channel]

    def __getitem__(self, channel: str) -> Expr:
        """A channel's newest number in a block."""
        return self.samples(channel)[-1]

    def age(self, channel: str) -> Expr:
        """How old a channel's newest number is when its block is handed over [s]."""
        self.layout.place(channel)
        return self._ages[channel]

    def filtered(self, filter: tb.estimate.Filter, signal: Value | Sequence[Value]) -> Value:
        """A filter's estimate at a block; of several samples a block, at the newest. It has seen
        the first block for ever."""
        signals: Sequence[Value] = signal if isinstance(signal, Sequence) else [signal]
        period, due = getattr(filter, "period", None), self.layout.period / len(signals)
        if period is not None and not math.isclose(period, due, rel_tol=1e-9):
            raise InputError(
                f"{type(filter).__name__}: its period is {period:g} s, but {len(signals)} samples "
                f"a block come every {due:g} s."
            )
        self._filters += 1
        return tb.estimate.filter_block(self._model, f"filter {self._filters}", filter, signals)

    def give(self, name: str, value: Value, of: str, delay: float = 0.0) -> Value:
        """Makes a value a quantity, dated by the channel that it is `of`, less a filter's delay
        [s]. Gives the value, to go on with."""
        self.layout.place(of)
        if name in self._given:
            raise InputError(f"There is a quantity '{name}' already; give this one another name.")
        said = f"Quantity '{name}': its delay must be 0 to {_LONGEST:g} s"
        delay = number_within(said, delay, 0.0, _LONGEST)
        self._given[name] = of, delay
        self._model.memory(name, 0.0, update=value)
        return value

    def now(self, value: Value, rate: Value, of: str, ahead: float = 0.0) -> Value:
        """A value of a channel predicted by its rate to the instant of handing over, or so many
        seconds ahead of it."""
        return value + rate * (self.age(of) + ahead)

    def compile(self) -> Conditioned:
        """The quantities as machine code; more can't be given to it."""
        return Conditioned(self.layout, self._model, self._given)


class Conditioned:
    """Compiled quantities."""

    def __init__(
        self, layout: BlockLayout, model: Model, given: dict[str, tuple[str, float]]
    ) -> None:
        self.layout, system = layout, model.compile()
        self._function = system.function("updates")
        names = list(system.state_names)
        self.quantities = {
            name: Quantity(name, of, names.index(name), delay)
            for name, (of, delay) in given.items()
        }
        parameters = self._function.block_for(np.zeros(0))
        self._start = np.array(system.initial_state().z, dtype=float)
        self.native = Quantities(self._function.compiled, parameters, self._start)

    def find(self, name: str) -> Quantity:
        """A quantity by its name."""
        if name not in self.quantities:
            raise unknown_name("quantity", name, self.quantities)
        return self.quantities[name]

    def run(self, blocks: np.ndarray, ages: float = 0.0) -> dict[str, np.ndarray]:
        """All quantities at each of some recorded blocks (a structured array), every channel's age
        being so many seconds, and what it is behind its block; NaN where a block has a number that
        isn't finite, which no filter sees."""
        names = [channel.name for channel in self.layout.channels]
        raw = np.hstack([np.asarray(blocks[n], float).reshape(len(blocks), -1) for n in names])
        zeros = np.zeros(len(blocks))
        behind = [blocks[c.behind] if c.behind else zeros for c in self.layout.channels]
        rows = np.hstack([raw, ages + np.stack(behind, axis=1)])
        x, states = self._start, np.full((len(blocks), len(self._start)), np.nan)
        primed = False
        for k, row in enumerate(rows):
            if not np.isfinite(raw[k]).all():
                continue
            u = np.concatenate([[k * self.layout.period], row])
            for _ in range(1 if primed else 1 + _SETTLE):
                x = self._function.at(x, u, self.native.parameters)
            states[k], primed = x, True
        return {name: states[:, q.place] for name, q in self.quantities.items()}

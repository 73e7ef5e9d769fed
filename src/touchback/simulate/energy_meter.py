"""The energy balance of a run: what the powers of its lines did, what jumps did to the stored
energy, and what impulses took at contacts.

How a run tells of its powers is the business of a *meter*: most integrate them along accepted steps
(`IntegratedPowers`), time stepping takes them at the middle of each step (`StepMeter`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from touchback.native import NativeEnergyBalance, Powers, Problem, evaluate_rows
from touchback.numbers import Floats
from touchback.recording import EnergyBalance, EventRecord
from touchback.simulate.run_protocols import Settle
from touchback.system import (
    BASE,
    DISSIPATED,
    KINETIC,
    WORK,
    ContactLayout,
    Function,
    Line,
    PowerSet,
    System,
)


class PowerLines:
    """The powers of lines and the energies stored, with the parameters `given` for a run."""

    def __init__(
        self, system: System, lines: PowerSet, given: Mapping[str, float] | None = None
    ) -> None:
        self.set, self.state_names = lines, system.state_names
        self.block = lines.powers.block_for(system.parameter_values(given))

    def powers(self, states: Floats, inputs: Floats) -> Floats:
        """Of all lines at states with u = [t, inputs…, rates of x…, multipliers…], rows [W]."""
        return self._rows(self.set.powers, states, inputs)

    def levels(self, states: Floats, inputs: Floats) -> Floats:
        """Energies stored at states with u = [t, inputs…], rows [J]."""
        return self._rows(self.set.levels, states, inputs)

    def _rows(self, function: Function, states: Floats, inputs: Floats) -> Floats:
        compiled = function.compiled
        return evaluate_rows(
            compiled.address, states, inputs, self.block, function.out_size, compiled.work_size,
            compiled.context_address,
        )  # fmt: skip


class Meter(Protocol):
    """What a run tells of its powers."""

    @property
    def work(self) -> Floats:
        """What each line did so far [J]."""

    def inputs(self, times: Floats, states: Floats) -> Floats:
        """u = [t, inputs…] at which energies stored at states are read, rows."""


M = TypeVar("M", bound=Meter)


class IntegratedPowers:
    """A meter that integrates powers along the accepted steps of a run, as well as its `method`
    does. `own`, a problem beside the run, gives rates and leaves `multipliers`; `settle` makes it
    ready at a state."""

    def __init__(
        self,
        lines: PowerLines,
        own: Problem,
        method: str,
        multipliers: Floats | None = None,
        settle: Settle | None = None,
    ) -> None:
        powers = Powers(
            lines.set.powers.compiled, lines.block, len(lines.set.lines), lines.set.with_rates
        )
        self.native = NativeEnergyBalance(powers, own, method, multipliers)
        self.own = own
        self._settle = settle or (lambda t, x: own.settle(t, x, accepted=True))
        self._first: tuple[float, Floats] | None = None

    @property
    def work(self) -> Floats:
        """The integrals so far [J]."""
        return self.native.work

    def inputs(self, times: Floats, states: Floats) -> Floats:
        """As the run sees them."""
        return self.own.input_rows(times, states)

    def begin(self, t: float, x: Floats) -> None:
        """Goes on from a state: that of the start, or where the run goes on after a transition."""
        self.native.start_at(t, self._settle(t, x))
        self._first = self._first or self.native.end

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The times and the states (rows) from where to where steps were added."""
        (t, x), (t_end, x_end) = self._first or self.native.end, self.native.end
        return np.array([t, t_end]), np.array([x, x_end])


@dataclass(frozen=True)
class ContactRowEnergies:
    """What impulses took at each row of contacts, with what friction took in them, and what moving
    surfaces gave through it; and the work of impulses of the mechanism's own rows, such as drives,
    where powers of lines don't hold it [J]."""

    names: Sequence[str]
    layout: ContactLayout
    losses: Floats
    moved: Floats
    own_work: Floats

    def balance(self, row_lines: Sequence[Line]) -> EnergyBalance:
        """By contact; work of own rows counts in their lines."""
        impacts: dict[str, float] = {}
        sides: dict[str, dict[str, float]] = {WORK: {}, DISSIPATED: {}}
        for i, (name, normal) in enumerate(zip(self.names, self.layout.normals, strict=True)):
            friction_rows = [
                row for rows, contact in self.layout.groups if contact == i for row in rows
            ]
            impacts[name] = float(self.losses[normal])
            if friction_rows:
                sides[DISSIPATED][f"{name} friction"] = float(self.losses[friction_rows].sum())
            if moved := float(self.moved[[normal, *friction_rows]].sum()):
                sides[WORK][f"{name} moving"] = moved
        for line, joules in zip(row_lines, map(float, self.own_work), strict=True):
            if joules:
                given = joules if line.side == WORK else -joules
                sides[line.side][line.name] = sides[line.side].get(line.name, 0.0) + given
        return EnergyBalance(sides[WORK], {}, sides[DISSIPATED], impacts)


class EnergyAccount(Generic[M]):
    """Keeps the energy balance of one run: of `lines`, as a `meter` tells of them, and of the rows
    of contacts, where there are any."""

    def __init__(self, lines: PowerLines, meter: M, rows: ContactRowEnergies | None = None) -> None:
        self.meter, self._lines, self._rows = meter, lines, rows
        self._jumps: Floats = np.zeros(len(lines.set.stored))
        self._impacts: dict[str, float] = {}
        self._ground_moves = any(line.name == BASE for line in lines.set.lines)
        self._ground_work = 0.0

    def note(self, event: EventRecord) -> None:
        """Counts an event that changed the state as an impact."""
        if event.after is None:
            return
        before, after = (
            np.array([state[name] for name in self._lines.state_names])
            for state in (event.state, event.after)
        )
        self.jump(event.name, event.time, np.array([before, after]))

    def jump(self, name: str, t: float, states: Floats) -> None:
        """Counts what a jump between two states (rows) did to the stored energy as an impact."""
        before, after = self._levels(np.full(2, t), states)
        self._jumps += after - before
        self._impacts[name] = self._impacts.get(name, 0.0) + float((before - after).sum())

    def impact(self, t: float, states: Floats, given: float) -> None:
        """Counts an impact between two states (rows), to which the impulses of its rows gave so
        much energy [J], as seen from the ground. Where that moves, it gives the rest of what the
        kinetic energy gained."""
        if not self._ground_moves:
            return
        before, after = self._levels(np.full(2, t), states)
        place = self._lines.set.stored.index(KINETIC)
        self._ground_work += float(after[place] - before[place]) - given

    def energy_balance(self, times: Floats, states: Floats) -> EnergyBalance:
        """The balance from the first to the last of two states (rows)."""
        first, last = self._levels(times, states)
        change = last - first
        sides: dict[str, dict[str, float]] = {WORK: {}, DISSIPATED: {}}
        for line, joules in zip(self._lines.set.lines, map(float, self.meter.work), strict=True):
            if line.stored >= 0:
                moved = float(change[line.stored] - self._jumps[line.stored])
                joules += moved if line.side == WORK else -moved
            sides[line.side][line.name] = joules
        if self._ground_work:
            sides[WORK][BASE] += self._ground_work
        stored = dict(zip(self._lines.set.stored, map(float, change), strict=True))
        balance = EnergyBalance(sides[WORK], stored, sides[DISSIPATED], dict(self._impacts))
        return (
            EnergyBalance.joined([balance, self._rows.balance(self._lines.set.row_lines)])
            if self._rows
            else balance
        )

    def _levels(self, times: Floats, states: Floats) -> Floats:
        return self._lines.levels(states, self.meter.inputs(times, states))

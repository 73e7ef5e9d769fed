"""What the energy balance is made of: for each line a power, and the energies stored at an instant.

A line's power is what is left of a force beyond what its potential explains, F·v + dV/dt, so that
an ideal spring has none. The rate of a potential along the motion comes from the tape, except where
it follows an input, whose rate nobody knows, or has a kink, as that of a stop has: there its rate
may jump where the motion is smooth (a stop that has ceased to push still springs back), and no step
would be short enough for it. Such a line takes the potential's difference over the run instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from touchback.dynamics import (
    base_power,
    configuration_rate,
    constraint_rows,
    force_meter,
    gravity_power,
    joint_potential,
    joint_power,
    kinetic_energy,
    potential_energy,
    row_power,
    rubbing_powers,
)
from touchback.model import (
    ContactKind,
    JointEffort,
    LinkForce,
    Model,
    Wrench,
    expressions_of,
    switch_constraints,
)
from touchback.symbolic import Expr, Tape, jvp, ops
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation, rate_arguments

if TYPE_CHECKING:
    from touchback.system.system import System

WORK, DISSIPATED = "work", "dissipated"
_PIECES = (ops.ABS, ops.FLOOR, ops.MIN, ops.MAX, ops.SELECT)
KINETIC, GRAVITY, BASE, DRIFT = "kinetic", "gravity", "moving ground", "constraints"


@dataclass(frozen=True)
class Line:
    """A line of the energy balance: what it is called, on which side its energy counts, and the
    stored energy whose difference belongs to it (−1: none)."""

    name: str
    side: str
    stored: int = -1


@dataclass(frozen=True)
class PowerSet:
    """The powers of `lines` and the energies `stored` under names, as compiled functions of x and
    u = [t, inputs…, rates of x…, multipliers…]; `with_rates` tells whether powers read the last
    two. `row_lines` are those in which each constraint row counts."""

    lines: tuple[Line, ...]
    stored: tuple[str, ...]
    powers: Function
    levels: Function
    with_rates: bool
    row_lines: tuple[Line, ...]


def power_set(system: System) -> PowerSet:
    """The powers of a system with what acts; derived once for each key."""
    return system.dynamics.derive_once(("powers", system.key), lambda: _derive(system))


def power_set_of_modes(system: System) -> PowerSet:
    """The powers of a system with modes, in all of them: of multipliers of all constraint rows,
    which are zero where a constraint rests."""
    motion = system.dynamics
    every = switch_constraints(motion.whole, set(motion.whole.constraint_rows()), True)
    return motion.derive_once(
        "powers of all modes",
        lambda: _derive_from(system, every, motion.modes.row_names, {}, True),
    )


def power_set_with(system: System, contacts: Mapping[str, ContactKind]) -> PowerSet:
    """The powers of a system with rigid contacts, whose forces follow the multipliers of the
    constraints: of each contact the normal's, the tangents' and those of rolling."""
    return _derive(system, contacts)


def _derive(system: System, contacts: Mapping[str, ContactKind] | None = None) -> PowerSet:
    return _derive_from(system, system.model, system.constraint_names, contacts or {}, False)


def _derive_from(
    system: System,
    model: Model,
    rows: Sequence[str],
    contacts: Mapping[str, ContactKind],
    rates_vary: bool,
) -> PowerSet:
    """Powers of a model with constraint rows; `rates_vary` tells that extra states have rates that
    depend on the mode, so that they are asked for."""
    layout = system.layout
    d = system.derive(rate_arguments(layout, rows), model)
    account = _Account(d, model, rates_vary)
    account.forces()
    account.joints()
    account.constraints_and_ground()
    account.contacts(contacts)
    functions = d.functions({"powers": account.powers, "levels": account.levels})
    known = 1 + len(layout.inputs)
    return PowerSet(
        tuple(account.lines), tuple(account.stored), functions["powers"], functions["levels"],
        functions["powers"].second.size("u") > known, tuple(account.row_lines),
    )  # fmt: skip


class _Account:
    """Lines as they are found."""

    def __init__(self, d: Derivation, model: Model, rates_vary: bool) -> None:
        self.d, self.instant, self.tape = d, d.instant, d.tape
        self.lines: list[Line] = []
        self.powers: list[int] = []
        self.row_lines: list[Line] = []
        self.stored: list[str] = [KINETIC, GRAVITY]
        self.levels: list[int] = [kinetic_energy(self.instant), potential_energy(self.instant)]
        self._driven = _driven_names(model)
        self._model = model
        z_rates = (
            d.z_rates
            if rates_vary
            else [self.instant.value(state.rate) for state in model.states.values()]
        )
        self._flow = dict(zip(d.q, configuration_rate(self.instant), strict=True))
        self._flow |= dict(zip(d.z, z_rates, strict=True)) | {d.time: 1}

    def forces(self) -> None:
        for name, kind in self._model.forces.items():
            power = force_meter(self.instant, kind).power
            side = WORK if self._is_given(kind) else self._side(kind)
            self._add(name, power, kind.potential(self.instant), side)

    def joints(self) -> None:
        for name, joint in self._model.joints.items():
            potential = joint_potential(self.instant, name, joint)
            self._add(f"joint {name}", joint_power(self.instant, name), potential,
                      self._side(joint))  # fmt: skip

    def constraints_and_ground(self) -> None:
        """Rows that move by themselves or act as motors do work, rows that rub take it; ideal ones
        that stand still only where the motion has left them."""
        instant, d = self.instant, self.d
        rows = constraint_rows(instant)
        multipliers = d.multipliers(rows)
        names = {row: name for name, own in self._model.constraint_rows().items() for row in own}
        at_work: dict[Line, int] = {}
        drift = 0
        for row, multiplier in zip(rows, multipliers, strict=True):
            power = row_power(instant, row, multiplier)
            rubbed, moved = rubbing_powers(instant, row, multiplier)
            self._line(Line(f"{row.name} friction", DISSIPATED), rubbed)
            self._line(Line(f"{row.name} moving", WORK), moved)
            if row.b or row.through:
                line = Line(self._kind_of(names[row.name]), WORK)
                at_work[line] = self.tape.add(at_work.get(line, 0), power)
            else:
                line = Line(DRIFT, DISSIPATED)
                drift = self.tape.add(drift, power)
            self.row_lines.append(line)
        for line, power in at_work.items():
            self._line(line, power)
        self._line(Line(DRIFT, DISSIPATED), -drift)
        self._ground(rows, multipliers)

    def contacts(self, kinds: Mapping[str, ContactKind]) -> None:
        """Friction takes λ·u of the slip; surfaces that move by themselves do λ·(W v − u). A closed
        normal does no work."""
        instant, d, tape = self.instant, self.d, self.tape
        along = dict(zip(d.v, d.v, strict=True))
        for name, kind in kinds.items():
            moved, rubbed = 0, 0
            normal = jvp(tape, [kind.gap(instant)], {x: self._flow[x] for x in (*d.q, d.time)})
            sliding_speeds = [*kind.slip(instant), *kind.roll(instant)]
            for i, speed in enumerate([*normal, *sliding_speeds]):
                force = d.argument(f"contact:{name}.{i}")
                own = jvp(tape, [speed], along)[0]
                moved = tape.add(moved, tape.mul(force, tape.sub(own, speed)))
                if i:
                    rubbed = tape.add(rubbed, tape.mul(force, speed))
            self._line(Line(f"{name} moving", WORK), moved)
            self._line(Line(f"{name} friction", DISSIPATED), -rubbed)

    def _ground(self, rows: list[Any], multipliers: Sequence[int]) -> None:
        """What a moving ground does, and gravity that isn't just a potential."""
        instant, d = self.instant, self.d
        if instant.ground.moves:
            instant.efforts()  # applied forces first, then those of closures
            d.solved(rows)
            self._line(Line(BASE, WORK), base_power(instant, rows, multipliers))
        varies = _depends(self.tape, self.levels[1], [d.time, *d.z, *d.u])
        if varies:
            self._add(GRAVITY, gravity_power(instant), self.levels[1], WORK, stored=1)

    def _add(self, name: str, power: int, potential: int, side: str, stored: int = -1) -> None:
        """A line with what the potential leaves of a power."""
        if potential and stored < 0:
            stored = len(self.levels)
            self.stored.append(name)
            self.levels.append(potential)
        sign = 1 if side == WORK else -1
        if potential and (
            _depends(self.tape, potential, self.d.u) or _kinked(self.tape, potential)
        ):
            self._line(Line(name, side, stored), sign * power)
            return
        if potential:
            power = self.tape.add(power, jvp(self.tape, [potential], self._flow)[0])
        self._line(Line(name, side), sign * power)

    def _line(self, line: Line, power: int) -> None:
        if power or line.stored >= 0:
            self.lines.append(line)
            self.powers.append(power)

    def _is_given(self, kind: Any) -> bool:
        """Whether a force is what its description says, whatever moves: a motor or a weight."""
        if not isinstance(kind, (JointEffort, LinkForce, Wrench)):
            return False
        tape, parameters = self._model.tape, set(self._model.parameters)
        moving = {str(name) for name in tape.names.values()} - parameters
        return not _reads(self._model, expressions_of(kind), moving)

    def _side(self, data: Any) -> str:
        """Work comes in where a description reads an input, the time or what is held between ticks;
        the rest is lost."""
        return WORK if _reads(self._model, expressions_of(data), self._driven) else DISSIPATED

    def _kind_of(self, name: str) -> str:
        sections = ("closure", "coupling", "constraint", "drive")
        kind = next(x for x in sections if name in getattr(self._model, f"{x}s"))
        return f"{kind} {name}"


def _driven_names(model: Model) -> set[str]:
    """Inputs (controlled or not), the time, memories, which hold what a device was told, and
    states whose rates read any of these."""
    driven = {"time", *model.inputs, *model.memories}
    while True:
        more = {
            name
            for name, state in model.states.items()
            if name not in driven and _reads(model, expressions_of(state), driven)
        }
        if not more:
            return driven
        driven |= more


def _reads(model: Model, expressions: Iterable[Expr], names: set[str]) -> bool:
    symbols = [node for node, name in model.tape.names.items() if str(name) in names]
    return any(_depends(model.tape, expression.id, symbols) for expression in expressions)


def _depends(tape: Tape, node: int, symbols: Sequence[int]) -> bool:
    """Whether a node reads any of the symbols, looked for in what it is made of only."""
    wanted = set(symbols)
    return bool(wanted) and any(part in wanted for part in _parts(tape, node))


def _kinked(tape: Tape, node: int) -> bool:
    """Whether a node is put together of pieces."""
    return any(tape.op[part] in _PIECES for part in _parts(tape, node))


def _parts(tape: Tape, node: int) -> Iterator[int]:
    """A node and all that it is made of."""
    seen, waiting = {abs(node)}, [abs(node)]
    while waiting:
        yield (part := waiting.pop())
        fresh = {abs(operand) for operand in tape.operands(part)} - seen
        seen |= fresh
        waiting += fresh

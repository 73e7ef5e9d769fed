"""Transitions between modes: one `when` clause with a branch for each, in which modes and states
change and impulses let velocities jump."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from touchback.dynamics import Instant
from touchback.dynamics.constraints import constraint_rows
from touchback.dynamics.forward import configuration_rate, entries
from touchback.interop.modelica.expressions import number, texts
from touchback.interop.modelica.names import Names, quoted
from touchback.interop.modelica.sheet import Sheet, vector
from touchback.model.mode_groups import ModeGroup, in_modes
from touchback.model.modes import Transition
from touchback.symbolic.differentiate import jvp

_ZERO = "1e-12"  # of an indicator: what can't be told from nothing [SI], as in our runs
_FALLS = {-1: f"{{}} < -{_ZERO}", 1: f"{{}} > {_ZERO}"}


@dataclass(frozen=True)
class _Exit:
    """A transition with its group, and what its variables are called."""

    name: str
    given: Transition
    place: int  # of its group
    group: ModeGroup
    when: str
    take: str


class Transitions:
    """Those of a model, as lines of its package."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.exits = [
            _Exit(
                name, each, place, group,
                sheet.names.of("when", name, True), sheet.names.of("take", name, True),
            )
            for place, group in enumerate(sheet.modes.groups)
            for name, each in group.transitions.items()
        ]  # fmt: skip
        self._impacts = _Impacts(sheet)
        self._due = sheet.names.fresh("due")

    def indicators(self) -> list[tuple[str, int]]:
        """What passes zero, and how fast where a blow ends it: variables and their nodes."""
        named = []
        for exit in self.exits:
            self.sheet.lines.declarations.append(f'Real {exit.when} "ends by passing zero";')
            named.append((exit.when, int(self.sheet.instant.value(exit.given.when))))
            if exit.given.impact and exit.given.direction:
                self.sheet.lines.declarations.append(f"Real {exit.when}_rate;")
                named.append((f"{exit.when}_rate", self._rate(exit)))
        return named

    def _rate(self, exit: _Exit) -> int:
        """Of an indicator by velocities. What is held at zero by a blow parts from there: else a
        bounce that doesn't come up again would go unnoticed."""
        instant = self.sheet.by_coordinates
        instant.solved = True
        flow = dict(zip(instant.at.q, configuration_rate(instant), strict=True))
        flow |= {instant.at.time: 1}
        return jvp(self.sheet.tape, [int(instant.value(exit.given.when))], flow)[0]

    def add(self) -> None:
        """Booleans that say which transition is due, and the clause that takes it."""
        if not self.exits:
            return
        lines = self.sheet.lines
        for exit in self.exits:
            lines.declarations.append(f"Boolean {exit.take}(start = false, fixed = true);")
            lines.equations += self._taken(exit)
        lines.declarations.append(
            f'Integer {self._due}(start = 0, fixed = true) "number of the transition to take";'
        )
        chain = [f"if {exit.take} then {i + 1}" for i, exit in enumerate(self.exits)]
        lines.equations.append(f"{self._due} = {' else '.join(chain)} else 0;")
        lines.classes += self._impacts.classes()
        lines.declarations += self._impacts.declarations()
        for i, exit in enumerate(self.exits):
            word = "elsewhen" if i else "when"
            lines.equations.append(f"{word} {self._due} == {i + 1} then // {quoted(exit.name)}")
            lines.equations += (f"  {line}" for line in self._branch(exit))
        lines.equations.append("end when;")

    def _taken(self, exit: _Exit) -> Iterator[str]:
        """In a mode that it leaves, with its indicator beyond zero. One that may pass to either
        side remembers where it was: nowhere, once it was taken."""
        mode, given = f"pre({self.sheet.mode_names[exit.place]})", exit.given
        sources = [f"{mode} == {exit.group.modes.index(name)}" for name in given.source]
        present = f"({' or '.join(sources)})" if sources[1:] else sources[0]
        if given.direction:
            passed = _FALLS[given.direction].format(exit.when)
            rate = f"{exit.when}_rate"
            parts = f" and {rate} {'<' if given.direction < 0 else '>'} 0.0"
            yield f"{exit.take} = {present} and {passed}{parts if given.impact else ''};"
            return
        side = self.sheet.names.fresh(f"side_{exit.when}")
        self.sheet.lines.declarations.append(f"Integer {side}(start = 0, fixed = true);")
        falls, rises = (_FALLS[way].format(exit.when) for way in (-1, 1))
        crossed = f"({falls} and pre({side}) == 1 or {rises} and pre({side}) == -1)"
        yield f"{exit.take} = {present} and {crossed};"
        yield f"when {exit.take} then"
        yield f"  {side} = 0;"
        for passed, value in ((rises, 1), (falls, -1)):
            yield f"elsewhen {{initial(), {passed}}} then"
            yield f"  {side} = {value};"
        yield "end when;"

    def _branch(self, exit: _Exit) -> Iterator[str]:
        """What happens: all from values before it."""
        sheet, given, group = self.sheet, exit.given, exit.group
        reset = self._resets(exit)
        names = [*sheet.mode_names]
        target = None if given.target is None else group.modes.index(given.target)
        rest = None if given.rest is None else group.modes.index(given.rest)
        after: list[str | int] = [f"pre({name})" for name in names]
        after[exit.place] = f"pre({names[exit.place]})" if target is None else target
        at_rest = [*after]
        at_rest[exit.place] = after[exit.place] if rest is None else rest
        impacts = self._impacts
        jumps = self._jumps(exit, reset)
        if impacts.rows and jumps:
            yield f"{impacts.result} = {impacts.call(given, reset, after, at_rest)};"
        elif impacts.rows:
            yield f"{impacts.result} = pre({impacts.result});"
        for name, number_after in zip(names, after, strict=True):
            if name == names[exit.place] and rest is not None:
                rests = f"{impacts.result}[{impacts.freedoms + 1}] > 0.5"
                yield f"{name} = if {rests} then {rest} else {number_after};"
            else:
                yield f"{name} = {number_after};"
        yield from self._reinit("q", reset)
        if impacts.rows and jumps:
            yield from impacts.reinit()
        else:
            yield from self._reinit("v", reset)
        for state in sheet.states.values():
            if state in reset:
                yield f"reinit({state}, {reset[state]});"

    def _jumps(self, exit: _Exit, reset: dict[str, str]) -> bool:
        """Whether velocities may have to jump: at a blow, where rows begin to act, or where a
        position or velocity is reset."""
        given, modes = exit.given, exit.group.modes
        if given.impact or any(name not in self.sheet.states.values() for name in reset):
            return True
        return given.target is not None and any(
            self.sheet.modes.begun(row, exit.place, modes.index(x), modes.index(given.target))
            for row in self._impacts.rows
            for x in given.source
        )  # fmt: skip

    def _resets(self, exit: _Exit) -> dict[str, str]:
        """Expressions of states that are reset, by the states' names."""
        sheet = self.sheet
        places = next(
            own.reset_places
            for mode in sheet.system.motion.modes.every
            for own in mode.exits
            if own.name == exit.name
        )
        nodes = [int(sheet.instant.value(x)) for x in exit.given.reset.values()]
        names = [*sheet.coordinate_names("q"), *sheet.coordinate_names("v"), *sheet.states.values()]
        written = texts(sheet.tape, nodes, sheet.before, inline=True).each
        return {names[place]: text for place, text in zip(places, written, strict=True)}

    def _reinit(self, word: str, reset: dict[str, str]) -> Iterator[str]:
        """Joints of which a coordinate is reset."""
        for joint in self.sheet.model.joints:
            owner = self.sheet.joint(joint)
            own = [x for x in self.sheet.coordinate_names(word) if x.startswith(f"{owner}.")]
            if any(name in reset for name in own):
                values = [reset.get(name, f"pre({name})") for name in own]
                yield f"reinit({owner}.{word}, {vector(values)});"


class _Impacts:
    """The function that gives velocities after a transition, from M, J, W and b of all rows that
    modes keep or blows stop."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        whole = sheet.system.motion.whole
        struck = {name for each in whole.transitions.values() for name in each.impact}
        kept = {name for mode in whole.modes.values() for name in mode.active}
        model = in_modes(whole, (), sorted(struck | kept))
        instant = Instant(model, sheet.tape, sheet.by_coordinates.at, merge_fixed=False)
        rows = [row for row in constraint_rows(instant) if row.name not in sheet.redundant]
        self.rows = [row.name for row in rows]
        self.owners = {row: name for name, own in model.constraint_rows().items() for row in own}
        self.freedoms = n = len(sheet.system.layout.v)
        M = entries(instant)
        through = [row.through or row.J for row in rows]
        self._parts = {
            "M": [[M.get((i, j), 0) for j in range(n)] for i in range(n)],
            "J": [[row.J.get(j, 0) for j in range(n)] for row in rows],
            "W": [[row.get(j, 0) for j in range(n)] for row in through],
            "b": [[row.b for row in rows]],
        }
        self.function = sheet.names.fresh("velocities_after")
        self.result = sheet.names.fresh("jump")
        self._own = Names(["s", "M", "J", "W", "b", "v", "x", "y", "e"])
        self._used: dict[str, str] = {}
        nodes = [int(x) for part in self._parts.values() for row in part for x in row]
        self._written = texts(sheet.tape, nodes, self._symbol)

    def _symbol(self, symbol: Hashable) -> str:
        name = str(symbol)
        if name not in self._used:
            self._used[name] = self._own.fresh(name)
        return self._used[name]

    def classes(self) -> Iterator[str]:
        """The function's text, where rows are there at all."""
        if self.rows:
            yield "\n".join(self._function())

    def declarations(self) -> Iterator[str]:
        """What it gave last."""
        if self.rows:
            yield (
                f"discrete Real {self.result}[{self.freedoms + 1}](each start = 0.0, each fixed = "
                'true) "velocities after the last blow, and 1 where it came to rest";'
            )

    def _function(self) -> Iterator[str]:
        n, m = self.freedoms, len(self.rows)
        title = f"and whether contacts come to rest; rows: {quoted(', '.join(self.rows))}"
        yield f'  function {self.function} "{title}"'
        yield from (f"    input Real {own};" for own in self._used.values())
        yield f"    input Real v[{n}];"
        yield f"    input Boolean kept[{m}], hit[{m}];"
        yield f"    input Real e[{m}];"
        yield "    input Boolean poisson;"
        yield "    input Real rest_speed;"
        yield f"    input Boolean kept_at_rest[{m}];"
        yield f"    output Real after[{n + 1}];"
        yield "  protected"
        yield f"    Real M[{n}, {n}], J[{m}, {n}], W[{m}, {n}], b[{m}], x[{n}], y[{n}], slow;"
        yield from (f"    Real {name};" for name in self._written.shared)
        yield "  algorithm"
        yield from (f"    {name} := {text};" for name, text in self._written.shared.items())
        items = iter(self._written.each)
        for word, part in self._parts.items():
            rows = [vector([next(items) for _ in row]) for row in part]
            yield f"    {word} := {rows[0] if word == 'b' else vector(rows)};"
        yield "    x := struck(M, J, W, b, v, kept, hit, e, poisson);"
        yield f"    y := struck(M, J, W, b, v, kept_at_rest, hit, zeros({m}), false);"
        yield "    slow := if rebound(J, b, x, hit) < rest_speed then 1.0 else 0.0;"
        yield f"    for i in 1:{n} loop"
        yield "      after[i] := if slow > 0.5 then y[i] else x[i];"
        yield "    end for;"
        yield f"    after[{n + 1}] := slow;"
        yield f"  end {self.function};"

    def call(
        self,
        given: Transition,
        reset: dict[str, str],
        after: Sequence[str | int],
        at_rest: Sequence[str | int],
    ) -> str:
        """The function at the state that resets leave, with the constraints of the next mode."""
        sheet = self.sheet
        kept = [sheet.modes.condition(row, after) for row in self.rows]
        hit = [
            _denied(own) if self.owners[row] in given.impact else "false"
            for row, own in zip(self.rows, kept, strict=True)
        ]
        rebounds = [
            int(sheet.instant.value(given.restitution.get(self.owners[row], 0.0)))
            for row in self.rows
        ]
        arguments = [
            *(reset.get(name, sheet.before(name)) for name in self._used),
            vector([reset.get(x, sheet.before(x)) for x in sheet.coordinate_names("v")]),
            vector(kept), vector(hit), vector(texts(sheet.tape, rebounds, inline=True).each),
            "true" if given.law == "poisson" else "false",
            number(given.rest_speed if given.rest is not None else 0.0),
            vector([sheet.modes.condition(row, at_rest) for row in self.rows]),
        ]  # fmt: skip
        return f"{self.function}({', '.join(arguments)})"

    def reinit(self) -> Iterator[str]:
        """All velocities become those after."""
        place = 0
        for name, joint in self.sheet.model.joints.items():
            count = joint.kind.nv
            if count:
                values = [f"{self.result}[{place + i + 1}]" for i in range(count)]
                yield f"reinit({self.sheet.joint(name)}.v, {vector(values)});"
            place += count


def _denied(condition: str) -> str:
    return {"true": "false", "false": "true"}.get(condition, f"not ({condition})")

"""Where steps that adapt end: at the knots of inputs, and where laws of time, drives and tables of
the model switch; and how long they are at most.

Error control alone steps over what is short beside a step: a pulse that no stage meets leaves no
error to notice. So these instants are found before the run, in one place for all that integrates
with error control. Functions, and expressions of time that aren't straight lines, tell of none: no
step is longer than a part of the run there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from touchback.errors import InputError
from touchback.native import Cells, Interpreter, Knots
from touchback.numbers import Floats
from touchback.simulate.input_signals import Inputs
from touchback.simulate.time_span import Span
from touchback.system import Function, Switches

MOST = 2_000_000  # knots of a run
_LOOKS = 1024  # parts of a run in each of which a condition switches at most once, unless it is
# a straight line: that is known where it switches however short it is
_MOST_STEPS = 1e7
_PARTS = 1000  # of a run: steps are no longer than one where nothing else tells what is within
_ROWS = 1 << 16  # times at which codes are computed together
_SECTIONS, _FEW = 16, 4096  # parts of an interval that are looked at together, in halves if many
_REMEMBERED = 64  # searches of a function
_LEAST = np.nextafter(0.0, 1.0)
_SAME = 4.0 * np.finfo(float).eps  # of the times of a run: knots nearer to each other are one
_SHOWN = ("outputs", "powers")  # functions that move nothing
_WITH_FORCES = ("rate", "terms", "forces")  # functions of trees, of constraints and of contacts
Places: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
Evaluated = Collection[tuple[Mapping[str, Function], Floats]]  # functions and their parameter block
# Found instants: runs of one model mostly have the same span and the same parameters of drives.
_located_before: WeakKeyDictionary[Function, dict[tuple[Any, ...], Floats]] = WeakKeyDictionary()


class TooManyKnots(InputError):
    """Steps of a run would end more often than is taken."""


class StepLimits(NamedTuple):
    """Where steps of a run end, None: nowhere; how long they are at most [s]; and at which of the
    knots inputs and laws may jump: at kinks of samples they don't."""

    knots: Knots | None
    longest: float
    jumps: Floats


def step_limits(
    span: Span,
    given: Inputs,
    evaluated: Evaluated,
    step: float | None = None,
    output_step: float | None = None,
    copies: bool = False,
) -> StepLimits:
    """The limits of steps of a run that evaluates these functions, with these inputs or, of
    `copies`, others. All that integrates over time shares them, derivatives and fits too. The
    longest step is `step` where that was asked for, else the usual part of the run. No knots: none
    of what it is given changes with time, and nothing of the model switches by it."""
    own = Inputs(np.zeros(1)) if copies else given
    jumps = np.unique(np.concatenate([given.knots_of_functions, *_switching(span, own, evaluated)]))
    jumps = jumps[(jumps > span.start) & (jumps <= span.end)]
    longest = _longest_step(span, given, evaluated, step, output_step, copies)
    if not given.changes and not len(jumps):
        return StepLimits(None, longest, jumps)
    knots = _knots(span, np.union1d(given.knots_within(span), jumps))
    places = np.unique(np.searchsorted(knots.at, jumps[jumps > knots.earliest]))
    return StepLimits(knots, longest, knots.at[places])


def _knots(span: Span, at: Floats) -> Knots:
    """Of rising times, those that rounding parts as one."""
    if len(at) > MOST:
        raise TooManyKnots(
            f"{len(at)} samples and switches in {span.duration:g} s end a step each, and at most "
            f"{MOST} are taken; give fewer samples, a shorter duration, or a method with fixed "
            "steps, such as 'rk4'."
        )
    same = _SAME * max(abs(span.start), abs(span.end), span.duration)
    begun = at[at <= span.start + same]  # what switches just after the start has switched there
    at = at[len(begun) :]
    apart = np.diff(at) > same
    first, last = np.append(True, apart)[: len(at)], np.append(apart, True)[: len(at)]
    return Knots(at[last], np.nextafter(at[first], -np.inf), max(begun, default=-np.inf))


def _longest_step(
    span: Span,
    given: Inputs,
    evaluated: Evaluated,
    step: float | None,
    output_step: float | None,
    copies: bool,
) -> float:
    """The longest step [s]: limited where functions are given without knots, or what moves reads
    time along curves."""
    usual = step or min(span.duration / _PARTS, output_step or np.inf)
    known = frozenset({0}) if copies else given.known_places
    curved = any(
        function.curves(known)
        for functions, _ in evaluated
        for name, function in functions.items()
        if name not in _SHOWN
    )
    asked = given.longest_step(usual)
    if asked < usual and span.duration / asked > _MOST_STEPS:
        raise InputError(
            f"TimeFunction: a sampling of {asked:g} s makes {span.duration / asked:.3g} steps of "
            f"{span.duration:g} s, of which {_MOST_STEPS:g} are taken at most; give a longer one, "
            "or the knots of the function."
        )
    return min(asked, usual if curved else np.inf)


def find_cells(evaluated: Evaluated, positions: int) -> Cells | None:
    """Numbers of positions that steps follow from cell to cell, of the first of these functions
    that have any; None where there are none."""
    for functions, block in evaluated:
        for name in _WITH_FORCES:
            found = functions[name].cells(positions) if name in functions else None
            if found is None:
                continue
            levels = Interpreter(found.levels).run(np.zeros(positions), np.zeros(1), block)
            own = np.asarray(found.level_of, dtype=int)
            breaks = [np.unique([*at, *levels[own == i]]) for i, at in enumerate(found.breaks)]
            return Cells(Interpreter(found.numbers), block, breaks)
    return None


def _switching(span: Span, given: Inputs, evaluated: Evaluated) -> list[Floats]:
    moving, known = frozenset({0, *given.samples}), given.known_places
    found: list[Floats] = []
    searched: list[tuple[Switches, Floats]] = []  # each once: modes of a system share their drives
    for functions, block in evaluated:
        for function in functions.values():
            switches = function.switches(moving, known)
            if switches is None:
                continue
            if not any(switches.equals(x) and np.array_equal(block, b) for x, b in searched):
                searched.append((switches, block))
                found.append(switches.times)
                before = np.unique(np.concatenate(found))
                found.append(_located(span, given, function, switches, block, before[:_LOOKS]))
    return found


def _located(
    span: Span,
    given: Inputs,
    function: Function,
    switches: Switches,
    block: Floats,
    others: Floats,
) -> Floats:
    """The first times that numbers know at which codes of a function are new. Functions share
    conditions: those `others` are looked at from both sides."""
    if not switches.breaks:
        return np.empty(0)
    read = switches.program.inputs.values()
    if any(array == "u" and index for array, index in read):  # inputs may be others the next time
        return _search(span, given, switches, block, others)
    places = sorted({index for array, index in read if array == "p"})
    inside = given.knots_within(span)
    key = span.start, span.end, *(x.tobytes() for x in (block[places], others, inside))
    before = _located_before.setdefault(function, {})
    if key not in before:
        if len(before) >= _REMEMBERED:
            before.clear()
        before[key] = _search(span, given, switches, block, others)
    return before[key]


def _search(span: Span, given: Inputs, switches: Switches, block: Floats, others: Floats) -> Floats:
    call = Interpreter(switches.program)

    def codes(times: Floats) -> Floats:
        rows = given.known_over(times, call.sizes[1])
        return switches.codes(call.run_rows(np.zeros(1), rows, block))

    inside = given.knots_within(span)
    others = others[(others > span.start) & (others < span.end)]
    sides = (np.nextafter(others, -np.inf), others, inside)
    looked = np.unique(np.concatenate([np.linspace(span.start, span.end, _LOOKS + 1), *sides]))
    seen = codes(looked)
    at, of = np.nonzero(seen[:-1] != seen[1:])
    ends = looked[at], looked[at + 1], seen[at, of], seen[at + 1, of]
    return _sectioned(*ends, of, codes, _SAME * max(abs(span.start), abs(span.end), span.duration))


def _sectioned(
    low: Floats,
    high: Floats,
    at_low: Floats,
    at_high: Floats,
    of: Places,
    codes: Callable[[Floats], Floats],
    same: float,
) -> Floats:
    """Where codes, each one of the columns `of`, change between times, to the last bit; one that is
    no number never does. All are asked together: most change where others do."""
    found: list[Floats] = []
    while True:
        changes = (at_low != at_high) & ~np.isnan(at_low) & ~np.isnan(at_high)
        low, high, at_low, at_high = (x[changes] for x in (low, high, at_low, at_high))
        of = of[changes]
        within = _between(low, high, same, _SECTIONS if len(low) < _FEW else 2)
        done = ((within <= low) | (within >= high)).all(axis=0)
        found.append(high[done])
        low, high, at_low, at_high = (x[~done] for x in (low, high, at_low, at_high))
        of, within = of[~done], within[:, ~done]
        times, place = np.unique(within, return_inverse=True)
        if not len(times) or len(times) > MOST:
            return np.concatenate([*found, times])
        place = place.reshape(within.shape)
        at_within, columns = np.empty(within.shape), np.broadcast_to(of, within.shape)
        for first in range(0, len(times), _ROWS):
            here = (place >= first) & (place < first + _ROWS)
            asked = codes(times[first : first + _ROWS])
            at_within[here] = asked[place[here] - first, columns[here]]
        of = np.tile(of, len(within) + 1)
        low, high = np.append(low, within), np.append(within, high)
        at_low, at_high = np.append(at_low, at_within), np.append(at_within, at_high)


def _between(low: Floats, high: Floats, same: float, parts: int) -> Floats:
    """Times that cut what is between each two into parts, a column for each: evenly; where the two
    are one for the run, by the numbers that there are between. By parts of time alone time 0, at
    which much begins, would be reached after all thousand powers of two."""
    cuts = np.arange(1, parts)[:, None]
    within = low + (high - low) * (cuts / parts)
    near = high - low <= same
    first, last = (np.abs(x[near]).view(np.int64) for x in (low, high))
    whole, rest = np.divmod(last - first, parts)
    bits = first + whole * cuts + rest * cuts // parts
    within[:, near] = np.copysign(bits.view(np.float64), low[near])
    within[:, near & (low < 0.0) & (high > 0.0)] = 0.0
    within[:, near & (low == 0.0)] = _LEAST
    within[:, near & (high == 0.0)] = -_LEAST
    return within

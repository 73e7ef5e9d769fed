"""Guards: the conditions under which a node counts, for derivatives that ignore sides not taken."""

from collections.abc import Iterable

from touchback.symbolic.tape import Tape

ALWAYS = 1


class Guards:
    """Conditions of a tape, nested and joined. A guard is a node, not zero where it holds."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._parts: dict[int, tuple[int, int]] = {}  # guard → (outer guard, own condition)
        self._opposite: dict[int, int] = {}  # condition → its negation, both ways
        self._members: dict[int, tuple[int, ...]] = {}  # guard → the guards that it joins

    def within(self, outer: int, condition: int, holds: bool) -> int:
        """The guard: `outer` holds, and the condition does (or does not)."""
        own = condition
        if not holds:
            own = self._tape.equal(condition, 0)
            self._opposite[own] = condition
            self._opposite[condition] = own
        guard = own if outer == ALWAYS else self._tape.select(outer, own, 0)
        self._parts[guard] = (outer, own)
        return guard

    def any_of(self, guards: Iterable[int]) -> int:
        """The guard: one of these holds. Both sides of a switch give the guard around it."""
        left = sorted({member for guard in guards for member in self._members.get(guard, (guard,))})
        position = 0
        while position < len(left):
            for other in range(position):
                joined = self._joined(left[position], left[other])
                if joined is not None:
                    del left[position], left[other]
                    left.append(joined)
                    position = 0
                    break
            else:
                position += 1
        result = left[0]
        for guard in left[1:]:
            result = self._tape.select(result, 1, guard)
        if len(left) > 1:
            self._members[result] = tuple(left)
        return result

    def _joined(self, g: int, h: int) -> int | None:
        """g or h, where that is a guard that exists already."""
        if self._inside(g, h):
            return h
        if self._inside(h, g):
            return g
        if g in self._parts and h in self._parts:
            (outer, own), (other_outer, other_own) = self._parts[g], self._parts[h]
            if outer == other_outer and self._opposite.get(own) == other_own:
                return outer
        return None

    def _inside(self, inner: int, outer: int) -> bool:
        guard: int = inner
        while guard != outer and guard in self._parts:
            guard = self._parts[guard][0]
        return guard == outer or outer == ALWAYS

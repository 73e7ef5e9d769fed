"""Guards: the conditions under which a node counts, for derivatives that ignore sides not taken."""

from collections.abc import Iterable

from touchback.symbolic.tape import Tape

ALWAYS = 1


class Guards:
    """Conditions of a tape, nested and joined. A guard is a node, not zero where it holds."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._outer: dict[int, int] = {}  # guard → the guard around it
        self._other_side: dict[int, int] = {}  # guard → that of the other side of its switch
        self._members: dict[int, tuple[int, ...]] = {}  # guard → the guards that it joins
        self._joined: dict[frozenset[int], int] = {}

    def sides(self, outer: int, condition: int) -> tuple[int, int]:
        """The guards: `outer` holds, and the condition does; `outer` holds, and it does not."""
        tape = self._tape
        yes, no = (
            side if outer == ALWAYS else tape.select(outer, side, 0)
            for side in (condition, tape.equal(condition, 0))
        )
        self._outer[yes] = self._outer[no] = outer
        self._other_side[yes], self._other_side[no] = no, yes
        return yes, no

    def merged(self, by_guard: dict[int, int]) -> dict[int, int]:
        """Adjoints by guard, with those that both sides of a switch share put before the switch:
        what they have in common may cancel there, also where a slope is infinite."""
        left = dict(by_guard)
        waiting = list(left)
        while waiting:
            guard = waiting.pop()
            other = self._other_side.get(guard)
            if guard in left and other in left and left[guard] == left[other]:
                shared = left.pop(guard)
                del left[other]
                outer = self._outer[guard]
                left[outer] = self._tape.add(left.get(outer, 0), shared)
                waiting.append(outer)
        return {guard: adjoint for guard, adjoint in left.items() if adjoint} or {ALWAYS: 0}

    def any_of(self, guards: Iterable[int]) -> int:
        """The guard: one of these holds. Both sides of a switch give the guard around it."""
        given = frozenset(guards)
        known = self._joined.get(given)
        if known is None:
            known = self._joined[given] = self._join(given)
        return known

    def _join(self, guards: Iterable[int]) -> int:
        left = {member for guard in guards for member in self._members.get(guard, (guard,))}
        waiting = sorted(left)
        while waiting:
            guard = waiting.pop()
            other = self._other_side.get(guard)
            if guard in left and other in left:
                left -= {guard, other}
                left.add(self._outer[guard])
                waiting.append(self._outer[guard])
        members = sorted(guard for guard in left if not self._lies_inside(guard, left))
        result = members[0]
        for guard in members[1:]:
            result = self._tape.select(result, 1, guard)
        if len(members) > 1:
            self._members[result] = tuple(members)
        return result

    def _lies_inside(self, guard: int, others: set[int]) -> bool:
        while guard in self._outer:
            guard = self._outer[guard]
            if guard in others:
                return True
        return False

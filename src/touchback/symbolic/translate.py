"""Translation of a growing tape onto other scalars, node by node and on demand."""

from collections.abc import Callable, Hashable
from typing import Any

from touchback.symbolic import ops
from touchback.symbolic.replay import compute_node
from touchback.symbolic.scalars import Scalars
from touchback.symbolic.tape import Tape


class Translator:
    """Scalars of nodes, computed once; `resolve` gives that of a symbol when it is first needed."""

    def __init__(self, tape: Tape, k: Scalars[Any], resolve: Callable[[Hashable], Any]) -> None:
        self._tape = tape
        self._k = k
        self._resolve = resolve
        self._known: dict[int, Any] = {}

    def __call__(self, node: int) -> Any:
        """The scalar of a signed node."""
        tape, known = self._tape, self._known
        stack = [abs(node)]
        while stack:
            top = stack[-1]
            if top in known:
                stack.pop()
                continue
            waiting = [operand for operand in tape.operands(top) if operand not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if tape.op[top] == ops.INPUT:
                known[top] = self._resolve(tape.names[top])
            else:
                known[top] = compute_node(tape, top, self._k, known)
        scalar = known[abs(node)]
        return scalar if node >= 0 else self._k.neg(scalar)

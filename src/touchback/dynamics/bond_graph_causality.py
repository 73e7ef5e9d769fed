"""Bond graphs and their causality: junctions and elements joined by bonds, and the sequential
causality assignment procedure (Karnopp, Margolis, Rosenberg, System Dynamics, ch. 5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

INERTIA, SPRING, RESISTOR, EFFORT, FLOW = "I", "C", "R", "Se", "Sf"
ONE, ZERO, TRANSFORMER = "1", "0", "TF"
_JUNCTIONS = (ONE, ZERO, TRANSFORMER)
STORES = (INERTIA, SPRING)


@dataclass(frozen=True)
class Node:
    """A junction ("1": one flow, "0": one effort), a transformer "TF" or an element: "I", "C", "R",
    "Se" (effort source), "Sf" (flow source)."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class CausalBond:
    """A bond along which power counts positive from `tail` to `head`. The causal stroke stands at
    `stroke`, the end that tells the other its flow and takes the effort."""

    tail: Node
    head: Node
    stroke: Node

    @property
    def element(self) -> Node | None:
        """The element at one end."""
        return next((x for x in (self.head, self.tail) if x.kind not in _JUNCTIONS), None)

    @property
    def causality(self) -> str:
        """ "integral" or "derivative" at a store, "resistance" or "conductance" at a resistor, else
        "flow" or "effort": what the tail gives."""
        element = self.element
        told = element is not None and self.stroke == element
        if element is not None and element.kind in STORES:
            return "integral" if told is (element.kind == INERTIA) else "derivative"
        if element is not None and element.kind == RESISTOR:
            return "conductance" if told else "resistance"
        return "flow" if self.stroke == self.tail else "effort"


@dataclass(frozen=True)
class BondGraph:
    """Nodes and bonds with their causality. `derivative` are the stores whose state follows from
    others (inertias that move with those of another), `loops` are the bonds or resistors whose
    causality had to be chosen: each closes an algebraic loop. `conflicts` are the nodes of which
    the rules can't be kept: constraints that contradict or repeat each other."""

    nodes: tuple[Node, ...]
    bonds: tuple[CausalBond, ...]
    loops: tuple[str, ...]
    conflicts: tuple[str, ...]

    @property
    def integral(self) -> tuple[str, ...]:
        """Stores with states of their own."""
        return self._stores("integral")

    @property
    def derivative(self) -> tuple[str, ...]:
        """Stores without: their efforts follow from rates of the others' states."""
        return self._stores("derivative")

    def _stores(self, word: str) -> tuple[str, ...]:
        return tuple(str(x.element) for x in self.bonds if x.causality == word)

    def as_dict(self) -> dict[str, object]:
        """All of it as lists of words, for JSON."""
        return {
            "nodes": [{"kind": x.kind, "name": x.name} for x in self.nodes],
            "bonds": [
                {
                    "from": str(x.tail), "to": str(x.head), "stroke": str(x.stroke),
                    "causality": x.causality,
                }
                for x in self.bonds
            ],
            "integral": list(self.integral), "derivative": list(self.derivative),
            "loops": list(self.loops), "conflicts": list(self.conflicts),
        }  # fmt: skip

    def __str__(self) -> str:
        """A line for each bond, its stroke as "|": "1 cart ⇀| I cart mass x: integral"."""
        lines = [
            f"{x.tail} {'|⇀' if x.stroke == x.tail else '⇀|'} {x.head}"
            + (f": {x.causality}" if x.element is not None and x.element.kind in "ICR" else "")
            for x in self.bonds
        ]
        for word in ("integral", "derivative", "loops", "conflicts"):
            lines.append(f"{word}: {', '.join(getattr(self, word)) or 'none'}")
        return "\n".join(lines)


class _Strokes:
    """A stroke at one end of every bond, so that the rules of all junctions are kept: at a
    1-junction all but one have it, at a 0-junction and a transformer one. Elements leave it open
    until it is fixed. A stroke is moved by moving others along a path, which keeps the rules
    between its ends; so it is known of each whether the others leave it a choice."""

    def __init__(self, pairs: list[tuple[Node, Node]]) -> None:
        self.pairs, self.fixed = pairs, set[int]()
        self.at: dict[Node, list[int]] = {}
        for i, pair in enumerate(pairs):
            for node in pair:
                self.at.setdefault(node, []).append(i)
        self.ends: list[Node] = [head for _, head in pairs]
        self.broken = [node for node in self.at if not self._balance(node)]

    def other(self, bond: int, node: Node) -> Node:
        tail, head = self.pairs[bond]
        return head if node == tail else tail

    def put(self, bond: int, end: Node) -> bool:
        """Fixes a stroke at an end; false where the others don't allow it, and all stay."""
        if self.ends[bond] != end and not self._turn(bond):
            return False
        self.fixed.add(bond)
        return True

    def is_chosen(self, bond: int) -> bool:
        """Whether it could be at the other end as well."""
        kept = list(self.ends)
        free = self._turn(bond)
        self.ends = kept
        return free

    def _turn(self, bond: int) -> bool:
        kept, here = list(self.ends), self.ends[bond]
        there = self.other(bond, here)
        self.ends[bond] = there
        self.fixed.add(bond)
        found = self._balance(here) and self._balance(there)
        self.fixed.discard(bond)
        if not found:
            self.ends = kept
        return found

    def _excess(self, node: Node) -> int:
        """How many strokes a junction has too many; elements take what comes."""
        wanted = {ONE: len(self.at[node]) - 1, ZERO: 1, TRANSFORMER: 1}.get(node.kind)
        if wanted is None:
            return 0
        return sum(self.ends[i] == node for i in self.at[node]) - wanted

    def _balance(self, node: Node) -> bool:
        """Moves strokes along paths until a node's rule is kept: those too many to nodes that lack
        one, or to elements; those that lack, from there."""
        while excess := self._excess(node):
            if not self._shift(node, excess > 0):
                return False
        return True

    def _shift(self, start: Node, away: bool) -> bool:
        came: dict[Node, tuple[int, Node]] = {}
        waiting, seen = deque([start]), {start}
        while waiting:
            node = waiting.popleft()
            for i in self.at[node]:
                beside = self.other(i, node)
                if i in self.fixed or beside in seen or (self.ends[i] == node) is not away:
                    continue
                came[beside] = (i, node)
                seen.add(beside)
                missing = -self._excess(beside) if away else self._excess(beside)
                if beside.kind not in _JUNCTIONS or missing > 0:
                    while beside != start:
                        i, node = came[beside]
                        self.ends[i] = beside if away else node
                        beside = node
                    return True
                waiting.append(beside)
        return False


def assign_causality(pairs: Iterable[tuple[Node, Node]]) -> BondGraph:
    """The sequential procedure: sources first, then stores in integral causality where all that is
    fixed before allows it, then resistors and bonds that are left open. A choice is taken only
    where the rules of all junctions can still be kept."""
    found = _Strokes(list(pairs))
    loops: list[str] = []
    conflicts = [str(node) for node in found.broken]
    for kinds in ((FLOW, EFFORT), STORES, (RESISTOR,), _JUNCTIONS):
        for i, (tail, head) in enumerate(found.pairs):
            own = next((x for x in (head, tail) if x.kind in kinds), None)
            if own is None or i in found.fixed:
                continue
            beside = found.other(i, own)
            if own.kind in (FLOW, EFFORT):
                if not found.put(i, own if own.kind == FLOW else beside):
                    conflicts.append(str(own))
            elif own.kind in STORES:
                first, second = (own, beside) if own.kind == INERTIA else (beside, own)
                if not found.put(i, first):
                    found.put(i, second)
            else:
                if found.is_chosen(i):
                    loops.append(str(own))
                found.fixed.add(i)
    bonds = tuple(CausalBond(*pair, end) for pair, end in zip(found.pairs, found.ends, strict=True))
    nodes = tuple(dict.fromkeys(node for pair in found.pairs for node in pair))
    return BondGraph(nodes, bonds, tuple(dict.fromkeys(loops)), tuple(dict.fromkeys(conflicts)))

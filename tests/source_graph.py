"""The package's source as a graph: modules, what each imports, classes and who makes them.

Only the text is read; lazy and type-only imports count."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import touchback

SOURCE = Path(touchback.__path__[0])


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of each module, by its dotted name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("touchback", *path.relative_to(SOURCE).with_suffix("").parts)
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Modules of the package that a module imports; it imports by whole names alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else node.module


def import_graph(reduced: Callable[[ast.Module], ast.Module]) -> dict[str, set[str]]:
    """Which modules each module imports, of what `reduced` leaves of its text."""
    return {
        name: {
            target for target in imports_of(reduced(tree)) if target in modules() and target != name
        }
        for name, tree in modules().items()
    }


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected sets of more than one module (Tarjan 1972), largest first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []

    def enter(name: str) -> tuple[str, Iterator[str]]:
        index[name] = low[name] = len(index)
        stack.append(name)
        on_stack.add(name)
        return name, iter(sorted(graph[name]))

    for start in graph:
        work = [] if start in index else [enter(start)]
        while work:
            name, targets = work[-1]
            new = next((target for target in targets if target not in index), None)
            if new is not None:
                work.append(enter(new))
                continue
            low[name] = min(
                [low[name], *(low[target] for target in graph[name] if target in on_stack)]
            )
            work.pop()
            if low[name] == index[name]:
                part = []
                while not part or part[-1] != name:
                    part.append(stack.pop())
                    on_stack.discard(part[-1])
                if len(part) > 1:
                    found.append(sorted(part))
    return sorted(found, key=len, reverse=True)


def lone_bases() -> set[str]:
    """Classes that nobody makes and that exactly one class inherits."""
    defined: Counter[str] = Counter()
    children: dict[str, set[str]] = defaultdict(set)
    called: set[str] = set()
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                defined[node.name] += 1
                for base in node.bases:
                    children[last_word(base)].add(node.name)
            elif isinstance(node, ast.Call):
                called.add(last_word(node.func))
    return {
        name
        for name, count in defined.items()
        if count == 1 and len(children[name]) == 1 and name not in called
    }


def last_word(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")

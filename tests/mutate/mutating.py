"""A pytest plugin for mutants. With "map" it notes which statements of the package each test runs,
with "select" it runs chosen tests in a given order; in both, what became of each."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import marshal
import os
import resource
import sys
import time
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

TASK: dict[str, Any] = json.loads(Path(os.environ["TOUCHBACK_MUTATE_TASK"]).read_text("utf-8"))
NOTES = Path(TASK["notes"])
MOST_TESTS = 8  # that are remembered of a line
MEMORY = 8 << 30  # bytes: a mutant must not take all of the machine's

reached: set[tuple[str, int]] = set()  # since the last test ended: file and line


class _Noting(SourceFileLoader):
    """Loads a module whose statements note that they were reached."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        kept = (
            Path(TASK["root"]).parent / "noted" / hashlib.sha256(path.encode() + data).hexdigest()
        )
        if kept.exists():  # the file of tests before has compiled it
            found: CodeType = marshal.loads(kept.read_bytes())
            return found
        tree = ast.parse(data)
        name = os.path.relpath(path, TASK["root"])
        for node in ast.walk(tree):
            for field in ("body", "orelse", "finalbody"):
                if isinstance(block := getattr(node, field, None), list):
                    setattr(node, field, list(_noted(name, block)))
        code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        kept.parent.mkdir(exist_ok=True)
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(marshal.dumps(code))
        unfinished.rename(kept)
        return code


def _noted(name: str, block: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        first = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (first or future):
            here = ast.Tuple([ast.Constant(name), ast.Constant(statement.lineno)], ast.Load())
            call = ast.Call(ast.Name("__reached__", ast.Load()), [here], [])
            yield ast.copy_location(ast.Expr(call), statement)
        yield statement


class _Finder(MetaPathFinder):
    """Finds modules of the package, to be loaded with notes."""

    def find_spec(
        self, fullname: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != TASK["package"]:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader) and spec.origin:
            spec.loader = _Noting(fullname, spec.origin)
        return spec


def note(**what: object) -> None:
    """Adds a line that survives the process, should a test bring it down."""
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


class _Mapper:
    """Which tests reach a line: the quickest of them, or -1 for the imports."""

    def __init__(self) -> None:
        self.tests: list[tuple[str, float, str]] = []
        self.lines: dict[str, dict[int, list[int]]] = {}
        self.outcome, self.began = "", 0.0

    def keep(self, test: int) -> None:
        for path, line in reached:
            self.lines.setdefault(path, {}).setdefault(line, []).append(test)
        reached.clear()

    def pytest_collection_finish(self) -> None:
        self.keep(-1)

    def pytest_runtest_logstart(self) -> None:
        self.outcome, self.began = "passed", time.perf_counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.outcome = report.outcome

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tests.append((nodeid, time.perf_counter() - self.began, self.outcome))
        self.keep(len(self.tests) - 1)

    def pytest_sessionfinish(self) -> None:
        def pace(test: int) -> float:
            return self.tests[test][1] if test >= 0 else 1e9

        lines = {
            path: {line: sorted(tests, key=pace)[:MOST_TESTS] for line, tests in found.items()}
            for path, found in self.lines.items()
        }
        note(tests=self.tests, lines=lines)


class _Selector:
    """Chosen tests in a given order, each noted when it begins, fails and ends."""

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        order = {test: i for i, test in enumerate(TASK["tests"])}
        chosen = sorted((i for i in items if i.nodeid in order), key=lambda i: order[i.nodeid])
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid not in order])
        items[:] = chosen
        note(what="collected", count=len(chosen))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        note(what="began", test=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "failed":
            note(what="failed", test=report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        note(what="ended", test=nodeid)


if TASK["mode"] == "map":
    builtins.__reached__ = reached.add  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder())


def pytest_configure(config: pytest.Config) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.RLIM_INFINITY))
    config.pluginmanager.register(_Mapper() if TASK["mode"] == "map" else _Selector())

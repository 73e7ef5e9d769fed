"""Which tests are to notice a mutant: those of its room and those that mention it, whose run
without a mutant showed which statements each of them reaches."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mutant import Mutant, room_of
from private_copy import PrivateCopy, Project

LONGEST = 900.0  # s, for one file of tests
FIRST_TESTS, FIRST_FILES = 12, 4  # of the first look at a mutant


@dataclass(frozen=True)
class FileMap:
    """The tests of a file, each with its seconds and what became of it, and which of them reach the
    lines of the package's files (-1: its imports)."""

    path: str
    tests: list[tuple[str, float, str]]
    lines: dict[str, dict[str, list[int]]]

    @cached_property
    def passing(self) -> list[tuple[str, float]]:
        return [(name, seconds) for name, seconds, outcome in self.tests if outcome == "passed"]

    @cached_property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.passing)

    def reaching(self, path: str, line: int) -> list[tuple[float, str]]:
        """Passing tests that reach a line, the quickest first."""
        found = (self.tests[i] for i in self.lines.get(path, {}).get(str(line), []) if i >= 0)
        return sorted((seconds, name) for name, seconds, outcome in found if outcome == "passed")

    def reaching_beside(self, path: str) -> list[tuple[float, str]]:
        """Passing tests that reach a line of the Python that faces a file of C, beside it."""
        folder = path.rpartition("/")[0]
        places = [
            (face, int(line))
            for face, lines in self.lines.items() if face.rpartition("/")[0] == folder
            for line in lines
        ]  # fmt: skip
        return sorted({pair for place in places for pair in self.reaching(*place)})


def test_files(project: Project) -> list[str]:
    """All files of tests."""
    named = re.compile(r"(tests|validation)/(.*/)?test_\w+\.py")
    return [name for name in project.files() if named.fullmatch(name)]


def files_of_room(project: Project, room: str) -> list[str]:
    """Files of tests in the room's folder, then those that mention the room or what users have of
    it, by themselves or by a module beside the tests that they import; of a room with C those of
    all rooms that import it, too: what acts there is called from afar."""
    package = re.escape(project.package)
    words = "|".join(map(re.escape, [room, *public_names(project, room)]))
    mention = re.compile(
        rf"\b(?:{package}|tb)\.(?:{words})\b|from {package} import .*\b(?:{words})\b"
        rf"|\b{package}/{room}\b"
    )
    texts = {name: (project.root / name).read_text("utf-8") for name in test_files(project)}
    beside = (p for p in (project.root / "tests").glob("*.py") if not p.name.startswith("test_"))
    helpers = [p.stem for p in sorted(beside) if mention.search(p.read_text("utf-8"))]
    helped = re.compile(rf"^(?:from|import) (?:{'|'.join(helpers)})\b", re.M) if helpers else None
    own = [name for name in texts if name.startswith((f"tests/{room}/", f"tests/test_{room}.py"))]
    callers = tuple(f"tests/{each}/" for each in rooms_above_c(project, room))
    others = [
        name for name, text in texts.items()
        if name not in own
        and (name.startswith(callers) or mention.search(text) or (helped and helped.search(text)))
    ]  # fmt: skip
    return own + others


def public_names(project: Project, room: str) -> list[str]:
    """What the package itself gives of a room, as its stub says."""
    stub = project.root / "src" / project.package / "__init__.pyi"
    tree = ast.parse(stub.read_text("utf-8")) if stub.exists() else ast.Module([], [])
    inside = re.compile(rf"{re.escape(project.package)}\.{room}(\.|$)")
    return [
        name.asname or name.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and inside.match(node.module or "")
        for name in node.names
    ]  # fmt: skip


def rooms_above_c(project: Project, room: str) -> list[str]:
    """Rooms that import one that is written in C."""
    base = project.root / "src" / project.package
    if not any((base / room).rglob("*.c")):
        return []
    imports = re.compile(rf"^\s*from {re.escape(project.package)}\.{room}\b", re.M)
    texts = ((path, path.read_text("utf-8")) for path in base.rglob("*.py"))
    found = {path.relative_to(base).parts[0] for path, text in texts if imports.search(text)}
    return sorted(each for each in found - {room} if not each.endswith(".py"))


def fingerprint(paths: Iterable[Path]) -> str:
    """Of files' contents."""
    found = hashlib.sha256()
    for path in paths:
        found.update(f"{path.name}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


class Maps:
    """Maps of test files, kept in a folder and made anew when the package, what stands beside the
    tests, or the file itself has changed."""

    def __init__(self, project: Project, state: Path) -> None:
        self.project, self.folder = project, state / "maps"
        self.folder.mkdir(parents=True, exist_ok=True)
        names = project.files()
        shared = [n for n in names if n.startswith("src/") or re.fullmatch(r"tests/\w+\.py", n)]
        self.shared = fingerprint(project.root / name for name in shared)
        self.found: dict[str, FileMap] = {}

    def make(
        self, room: str, files: list[str], executor: Executor, lend: Callable[[], PrivateCopy],
        say: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Those of these files and of a room's lines, on as many copies as there are."""
        missing = [name for name in files if not self._file(name).exists()]
        if missing:
            say(f"{len(missing)} files of tests run without a mutant")
        last = ""
        for said, words in executor.map(lambda name: self._make(name, lend()), missing):
            if said:
                say(said)
                last = "\n".join(words.splitlines()[-15:])
        base = f"src/{self.project.package}/{room}"
        self.found = {name: self._read(name, base) for name in files}
        if not any(each.passing for each in self.found.values()):
            raise SystemExit(f"No test passes without a mutant. Pytest said last:\n{last}")

    def _file(self, name: str) -> Path:
        own = fingerprint([self.project.root / name])
        key = hashlib.sha256(f"{self.shared}{own}{name}".encode()).hexdigest()[:16]
        return self.folder / f"{Path(name).stem}-{key}.json"

    def _read(self, name: str, base: str) -> FileMap:
        file = self._file(name)
        if not file.exists():  # it was ended amid its tests
            return FileMap(name, [], {})
        kept = json.loads(file.read_text("utf-8"))
        own = {path: each for path, each in kept["lines"].items() if path.startswith(base)}
        return FileMap(name, kept["tests"], own)

    def _make(self, name: str, copy: PrivateCopy) -> tuple[str, str]:
        """Runs a file and keeps its map; what there is to say of it, and what pytest printed."""
        outcome = copy.pytest({"mode": "map"}, [name], LONGEST)
        if not outcome.notes:
            return f"left out, since its tests didn't come to their end: {name}", outcome.words
        unfinished = self._file(name).with_suffix(".part")
        unfinished.write_text(json.dumps(outcome.notes[-1]), encoding="utf-8")
        unfinished.rename(self._file(name))
        tests = json.loads(json.dumps(outcome.notes[-1]["tests"]))
        failing = ", ".join(test for test, _, became in tests if became == "failed")
        said = f"left out, since they fail without a mutant: {failing}" if failing else ""
        return said, outcome.words


@dataclass(frozen=True)
class Look:
    """Tests to run together, in this order, and their seconds without a mutant; whether they
    reach what was broken themselves."""

    tests: list[str]
    seconds: float
    direct: bool

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(test.partition("::")[0] for test in self.tests))


def looks(mutant: Mutant, files: list[str], maps: Maps, budget: float) -> list[Look]:
    """First a few quick tests that reach the line, then all files of which one does, the room's own
    first, for as many seconds as the budget has."""
    line = statement_line(mutant)
    known = [maps.found[name] for name in files if maps.found[name].passing]
    own = f"tests/{room_of(mutant.path)}/"
    if mutant.path.endswith(".py"):
        reaching = [each for each in known if str(line) in each.lines.get(mutant.path, {})]
        quick = [(s, name) for each in reaching for s, name in each.reaching(mutant.path, line)]
    else:
        faces = {each.path: each.reaching_beside(mutant.path) for each in known}
        reaching = [each for each in known if faces[each.path]]
        quick = [pair for each in reaching for pair in faces[each.path]]
    if reaching and not quick:  # a line of the module itself: whoever runs anything of it
        quick = [
            (seconds, name)
            for each in reaching
            for number in each.lines[mutant.path]
            for seconds, name in each.reaching(mutant.path, int(number))
        ]
    found = []
    if first := _first(quick, own):
        found.append(first)
    words = set(re.findall(r"[a-z]{3,}", mutant.path.removeprefix("src/").partition("/")[2]))
    order = sorted(
        reaching or known,
        key=lambda m: (
            not m.path.startswith(own), -len(words & set(re.findall(r"[a-z]{3,}", m.path))),
            m.seconds,
        ),
    )  # fmt: skip
    done = set(found[0].tests) if found else set()
    rest: list[str] = []
    spent = 0.0
    for each in order:
        left = [(name, seconds) for name, seconds in each.passing if name not in done]
        cost = sum(seconds for _, seconds in left)
        if rest and budget and spent + cost > budget:
            continue
        rest += [name for name, _ in left]
        spent += cost
    if rest:
        found.append(Look(rest, spent, False))
    return found


def _first(quick: list[tuple[float, str]], own: str) -> Look | None:
    chosen: dict[str, float] = {}
    files: set[str] = set()
    for seconds, name in sorted(set(quick), key=lambda each: (not each[1].startswith(own), each)):
        file = name.partition("::")[0]
        if len(chosen) < FIRST_TESTS and (file in files or len(files) < FIRST_FILES):
            chosen[name] = seconds
            files.add(file)
    tests = sorted(chosen, key=lambda name: (name.partition("::")[0], chosen[name]))
    return Look(tests, sum(chosen.values()), True) if tests else None


def statement_line(mutant: Mutant) -> int:
    """The line at which the innermost statement with the mutant begins."""
    if not mutant.path.endswith(".py"):
        return mutant.line
    found = mutant.line
    widest = float("inf")
    for node in ast.walk(ast.parse(mutant.before)):
        if isinstance(node, ast.stmt) and node.lineno <= mutant.line <= (node.end_lineno or 0):
            size = (node.end_lineno or 0) - node.lineno
            if size <= widest:
                found, widest = node.lineno, size
    return found

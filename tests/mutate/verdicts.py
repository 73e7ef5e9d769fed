"""What becomes of mutants: broken in private copies, looked at by tests, counted by room."""

from __future__ import annotations

import json
import random
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from c_mutants import c_mutants
from chosen_tests import Look, Maps, fingerprint, looks
from mutant import Mutant, room_of
from private_copy import NativeBuild, PrivateCopy, Project
from python_mutants import differs, python_mutants

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: "noticed", "survived", "equivalent" or "invalid" (of C that doesn't
    compile); by what, or for which reason; after how many tests and seconds."""

    name: str
    room: str
    path: str
    line: int
    kind: str
    outcome: str
    by: str
    tests: int
    seconds: float
    source: str = ""  # fingerprints of its file and of the whole project, for which this holds
    tree: str = ""


def rooms_of(project: Project) -> list[str]:
    """Folders and modules of the package."""
    inside = (project.root / "src" / project.package).iterdir()
    named = {p.stem for p in inside if (p / "__init__.py").exists() or p.suffix == ".py"}
    return sorted(name for name in named if not name.startswith("_"))


def mutants_of(project: Project, room: str) -> list[Mutant]:
    """All mutants of a room, by file and line."""
    base = f"src/{project.package}/{room}"
    found: list[Mutant] = []
    for name in project.files():
        if name.startswith(f"{base}/") or name == f"{base}.py":
            read = {".py": python_mutants, ".c": c_mutants}.get(Path(name).suffix)
            if read is not None and "/native/python/" not in name:
                found += read(name, (project.root / name).read_text(encoding="utf-8"))
    return found


def chosen(mutants: list[Mutant], seed: str) -> Iterator[Mutant]:
    """One mutant each of random lines, as many as are asked for."""
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        lines.setdefault((mutant.path, mutant.line), []).append(mutant)
    draw = random.Random(seed)
    order = sorted(lines)
    draw.shuffle(order)
    for place in order:
        here = lines[place]
        draw.shuffle(here)
        fit = (m for m in here if m.path.endswith(".c") or differs(m))
        if (one := next(fit, None)) is not None:
            yield one


def equivalents(file: Path) -> dict[Key, str]:
    """Known mutants that change nothing, with the reason of each."""
    if not file.exists():
        return {}
    listed = tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", [])
    return {
        (each["path"], each["scope"], each["before"], each["after"]): each["reason"]
        for each in listed
    }  # fmt: skip


START = 90.0  # s that Python, pytest and the tests' modules may take on a busy machine


class Workshop:
    """The private copies, one for each thread, and what was found in earlier runs."""

    def __init__(self, project: Project, state: Path, jobs: int) -> None:
        self.project = project
        self.copies: list[PrivateCopy] = []
        self.threads = ThreadPoolExecutor(jobs)
        self.lock, self.own = threading.RLock(), threading.local()
        state.mkdir(parents=True, exist_ok=True)
        self.maps = Maps(project, state)
        self.results = state / "verdicts.jsonl"
        self.tree = fingerprint(project.root / name for name in project.files())
        self.build: NativeBuild | None = None
        self.before = self._read()

    def _read(self) -> dict[str, Verdict]:
        lines = self.results.read_text("utf-8").splitlines() if self.results.exists() else []
        return {each["name"]: Verdict(**each) for each in map(json.loads, lines)}

    def known(self, mutant: Mutant) -> Verdict | None:
        """Of an earlier run: what was noticed stays so while its file is the same; what survived
        may be noticed by tests that are new."""
        found = self.before.get(mutant.name)
        if found is None or found.source != self._source(mutant):
            return None
        lasting = found.outcome in ("noticed", "invalid")
        return found if lasting or (found.outcome, found.tree) == ("survived", self.tree) else None

    def _source(self, mutant: Mutant) -> str:
        return fingerprint([self.project.root / mutant.path])

    def copy(self) -> PrivateCopy:
        """That of the thread."""
        if not hasattr(self.own, "copy"):
            made = PrivateCopy(self.project)
            self.own.copy = made
            with self.lock:
                self.copies.append(made)
        found: PrivateCopy = self.own.copy
        return found

    def close(self) -> None:
        """Ends what runs and removes the copies."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for copy in self.copies:
            copy.stop()
        self.threads.shutdown()
        for copy in self.copies:
            copy.remove()

    def native(self) -> NativeBuild:
        with self.lock:
            if self.build is None:
                folder = self.copy().folder / "objects"
                folder.mkdir()
                self.build = NativeBuild(self.project, folder)
            return self.build

    def judge(self, mutant: Mutant, files: list[str], budget: float) -> Verdict:
        """Breaks the thread's copy, lets tests look, and mends it."""
        began, copy = time.perf_counter(), self.copy()
        of_c = mutant.path.endswith(".c")
        library = copy.root / "src" / self.project.package / "native" / "libtouchback.so"
        kept = library.read_bytes() if of_c else b""
        copy.write(mutant.path, mutant.after)
        try:
            if of_c and not self.native().library(copy, mutant):
                outcome, by, count = "invalid", "it doesn't compile", 0
            else:
                outcome, by, count = _seen(copy, looks(mutant, files, self.maps, budget))
        finally:
            copy.write(mutant.path, mutant.before)
            if of_c:
                library.unlink(missing_ok=True)
                library.write_bytes(kept)
        return self.note(mutant, outcome, by, count, time.perf_counter() - began)

    def note(
        self, mutant: Mutant, outcome: str, by: str, tests: int = 0, seconds: float = 0.0
    ) -> Verdict:
        """A verdict, kept for later runs."""
        found = Verdict(
            mutant.name, room_of(mutant.path), mutant.path, mutant.line,
            mutant.kind, outcome, by, tests, round(seconds, 1), self._source(mutant), self.tree,
        )  # fmt: skip
        with self.lock, self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found)) + "\n")
        return found


def _seen(copy: PrivateCopy, plan: list[Look]) -> tuple[str, str, int]:
    """The outcome, who noticed, and how many tests ran."""
    count = 0
    for look in plan:
        tests = look.tests
        while tests:
            outcome = copy.pytest(
                {"mode": "select", "tests": tests}, look.files, START + 5.0 * look.seconds
            )
            ran = [str(each["test"]) for each in outcome.notes if each["what"] == "began"]
            count += len(ran)
            last = ran[-1] if ran else "while the tests were read"
            if outcome.status is None:
                return "noticed", f"{last} (didn't end)", count
            if outcome.status in (0, 5):
                break
            failed = [str(each["test"]) for each in outcome.notes if each["what"] == "failed"]
            if outcome.status != 1 or not failed:
                return "noticed", f"{last} (exit status {outcome.status})", count
            if look.direct or _fails_again(copy, failed[0], look.seconds):
                return "noticed", failed[0], count
            tests = tests[tests.index(failed[0]) + 1 :]  # it fails by chance: the others go on
    return "survived", "", count


def _fails_again(copy: PrivateCopy, test: str, seconds: float) -> bool:
    task: dict[str, object] = {"mode": "select", "tests": [test]}
    return copy.pytest(task, [test.partition("::")[0]], START + 5.0 * seconds).status != 0


def table(verdicts: list[Verdict]) -> str:
    """Counts by room."""
    rows: list[tuple[str, ...]] = [
        ("room", "mutants", "noticed", "survived", "equivalent", "noticed of the others")
    ]
    rooms = sorted({each.room for each in verdicts})
    for room in [*rooms, *(["all"] if len(rooms) > 1 else [])]:
        here = [v.outcome for v in verdicts if room in (v.room, "all")]
        counts = [here.count(word) for word in ("noticed", "survived", "equivalent")]
        judged = counts[0] + counts[1]
        share = f"{100.0 * counts[0] / judged:.1f} %" if judged else "-"
        rows.append((room, str(sum(counts)), *map(str, counts), share))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def judge_all(
    shop: Workshop, room: str, candidates: Iterator[Mutant], count: int, files: list[str],
    budget: float, known: dict[Key, str], say: Callable[[str], None],
) -> Iterator[tuple[Mutant, Verdict]]:  # fmt: skip
    """`count` mutants and what becomes of them, with others for those that don't compile."""
    done = 0
    while batch := list(islice(candidates, count - done)):
        waiting = []
        for mutant in batch:
            found = shop.known(mutant)
            if mutant.key in known:
                found = shop.note(mutant, "equivalent", known[mutant.key])
            if found is None:
                waiting.append(mutant)
            elif found.outcome != "invalid":
                done += 1
                yield mutant, found
        if waiting:
            shop.maps.make(room, files, shop.threads, shop.copy, say)
        judged = {shop.threads.submit(shop.judge, m, files, budget): m for m in waiting}
        for future in as_completed(judged):
            verdict = future.result()
            if verdict.outcome != "invalid":
                done += 1
                say(
                    f"{done}/{count}: {verdict.outcome:8} {verdict.name} "
                    f"{verdict.path}:{verdict.line} {verdict.kind}, {verdict.tests} tests, "
                    f"{verdict.seconds:.0f} s{', ' if verdict.by else ''}{verdict.by}"
                )
                yield judged[future], verdict

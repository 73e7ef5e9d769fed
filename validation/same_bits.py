"""Do two trees compute the same bits? `python validation/same_bits.py OLD NEW [WORDS…]`

Each case runs in a process of its own in either tree (with C built in both): every function of the
gallery's mechanisms at random states, their experiments, unclocked live runs, the examples, the
code of the documentation, the published cases. Every run that comes about is digested signal by
signal, with its events, transitions and energy balance. Recordings that the old tree made are
replayed by the new one. A case that the old tree itself answers otherwise the next time (a clock
took part in it) says nothing, and is told as such. Words choose cases whose names contain one of
them; the word --same-starts lets the new tree begin at the states that the old one assembled, where
its own are within 1e-9 of them: what is the same then differs by its beginning only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

STATES = 8  # at which functions are evaluated
CLOCKED = {"lateness", "step time", "input age"}  # columns of live runs that no run has twice
TICKS = ["--seconds", "0.3", "--speed", "0"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RAISING_ON_PURPOSE = {"errors", "errors_constraints"}  # pages whose blocks raise what they explain
FUNCTIONS = {  # name → what it takes
    "inverse_dynamics": "qva", "bias": "qv", "mass_matrix": "q", "forward_dynamics": "qv",
    "joint_efforts": "qv", "state_rate": "qv", "sensors": "qv", "energy": "qv", "momentum": "qv",
    "centre_of_mass": "q", "multipliers": "qv", "constraint_error": "q",
}  # fmt: skip

RENAMED = {  # cases of older trees → their names now
    "piano-episodes": "piano-modes",
    "test_episodes_siconos_ball.py": "test_modes_siconos_ball.py",
}  # fmt: skip

RENAMED_KEYS = {  # of metadata of older trees → their names now, see recording/run_data.py
    "books": "energy_balance", "remarks": "diagnostics", "repeat": "repro_call",
}  # fmt: skip

RENAMED_NAMES = {  # in the code of older trees' documentation → names now, see CHANGELOG.md
    r"\bbooks=True": "energy_balance=True",
    r"\.books\b": ".energy_balance",
    r"\.unexplained\b": ".residual",
    r"\[\"repeat\"\]": '["repro_call"]',
    r"touchback\.gallery\.piano\.gillespie\b": "touchback.instruments.piano.gillespie_action",
    r"touchback\.gallery\.piano\.strike_meter\b": "touchback.instruments.piano.stroke_analysis",
    r"touchback\.gallery\.piano\.with_modes\b": "touchback.instruments.piano.piano_action_modes",
    r"touchback\.gallery\.piano\b": "touchback.instruments.piano",
    r"touchback\.gallery\.keyboard\.device\b": "touchback.instruments.keyboard.key_device",
    r"\bPressed\b": "PressedTouch",
    r"touchback\.gallery import tilting\b": "touchback.gallery import tilting_vehicle as tilting",
    r"touchback\.haptics\.operator\b": "touchback.haptics.human_operator",
    r"\bsession\.posed\b": "session.current_trial",
    r"\bPlane, Torus, Written\b": "FormulaSurface as Written, Plane, Torus",
    r"touchback\.workbench\.play\.hall import Hall\b":
        "touchback.workbench.play.play_server import PlayServer as Hall",
}  # fmt: skip

Digests = list[dict[str, str]]


# ---- one case, in the tree that is on the path ---------------------------------------------------


def digest(value: Any) -> str:
    """Of numbers by their bits, of anything else by its text."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(value.tobytes()).hexdigest()[:16]
    return hashlib.sha256(json.dumps(value, default=repr).encode()).hexdigest()[:16]


def watch_runs() -> Digests:
    """Digests of all runs that are made from now on."""
    from touchback.recording import Run

    made: Digests = []
    begin = Run.__init__

    def watched(run: Any, *given: Any, **named: Any) -> None:
        begin(run, *given, **named)
        found = {name: digest(x) for name, x in run.signals.items() if name not in CLOCKED}
        metadata = {RENAMED_KEYS.get(key, key): value for key, value in run.metadata.items()}
        told = {key: metadata[key] for key in ("events", "transitions", "energy_balance")
                if key in metadata}  # fmt: skip
        made.append({"time": digest(run.time), **found, **{k: digest(v) for k, v in told.items()}})

    Run.__init__ = watched  # type: ignore[method-assign]
    return made


class Starts:
    """States that `assemble` and `consistent` give: written down, or, where known ones are near,
    put in place of a tree's own."""

    NEAR = 1e-9

    def __init__(self, file: Path) -> None:
        self.file, self.known, self.made, self.depth = file, None, [], 0
        if file.exists():
            self.known = json.loads(file.read_text())

    def watch(self) -> None:
        """From now on."""
        from touchback.system import System

        for kind in (System, *System.__subclasses__()):
            for name in {"assemble", "consistent"} & set(vars(kind)):
                setattr(kind, name, self._watched(getattr(kind, name)))

    def _watched(self, method: Any) -> Any:
        def watched(*given: Any, **named: Any) -> Any:
            self.depth += 1
            try:
                found = method(*given, **named)
            finally:
                self.depth -= 1
            if self.depth:
                return found
            parts = [found[0]] if isinstance(found, tuple) else [found.q, found.v, found.z]
            if self.known is None:
                self.made.append([part.tolist() for part in parts])
                self.file.write_text(json.dumps(self.made))
            else:
                self._put(parts)
            return found

        return watched

    def _put(self, parts: list[Any]) -> None:
        for known in self.known:  # trees ask in different orders and not equally often
            old = [np.array(part) for part in known]
            if len(old) == len(parts) and all(
                a.shape == b.shape and np.allclose(a, b, rtol=0.0, atol=self.NEAR)
                for a, b in zip(old, parts, strict=True)
            ):
                for a, b in zip(old, parts, strict=True):
                    b[...] = a
                return


def evaluate(name: str) -> Digests:
    """Every function of a mechanism at states near its first one."""
    from touchback.gallery import make

    system = make(name).compile()
    start, draw = system.initial_state(), np.random.default_rng(1)
    found: Digests = []
    for _ in range(STATES):
        near = {"q": start.q, "v": start.v, "a": np.zeros(len(start.v))}
        given = {key: x + 0.1 * draw.standard_normal(len(x)) for key, x in near.items()}
        answers = {}
        for function, takes in FUNCTIONS.items():
            if hasattr(system, function):
                try:
                    answer = getattr(system, function)(*(given[key] for key in takes))
                except Exception as error:  # what it says is compared too
                    answer = f"{type(error).__name__}: {error}"
                answers[function] = digest(answer)
        found.append(answers)
    return found


def command(*words: str) -> None:
    """The command line, in this process."""
    from touchback.cli import main

    sys.argv = ["touchback", *words]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


def answer(kind: str, name: str, folder: Path) -> Digests:
    """What one case gives in the tree on the path; files come into `folder`."""
    made = watch_runs()
    if "STARTS" in os.environ:
        Starts(Path(os.environ["STARTS"])).watch()
    tree = Path(os.environ["TREE"])
    match kind:
        case "functions":
            return evaluate(name)
        case "simulate":
            command("simulate", name, "--csv", str(folder / "run.npz"))
        case "live":
            command("live", name, *TICKS, "--record", str(folder / f"{name}.mcap"))
            from touchback.recording import open_run

            made.clear()
            open_run(folder / f"{name}.mcap")
        case "example":
            runpy.run_path(str(tree / "examples" / name), run_name="__main__")
        case "page":
            old = Path(os.environ["OLD"])  # its pages, in both trees: the new one has others
            code = "\n\n".join(BLOCK.findall((old / name).read_text(encoding="utf-8")))
            for was, now in RENAMED_NAMES.items() if tree != old else ():
                code = re.sub(was, now, code)
            exec(compile(code, name, "exec"), {"__name__": "page"})
        case "published":
            import pytest

            pytest.main([str(tree / "validation" / name), "-q", "-p", "no:cacheprovider"])
    return made


# ---- all cases, in two trees ---------------------------------------------------------------------


def cases(tree: Path) -> Iterator[tuple[str, str]]:
    """(kind, name) of all cases that a tree knows."""
    listed = "from touchback.gallery import names; print(*names(), sep='\\n')"
    names = python(tree, "-c", listed).stdout.split()
    yield from ((kind, name) for kind in ("functions", "simulate", "live") for name in names)
    yield from (("example", path.name) for path in sorted((tree / "examples").glob("*.py")))
    for path in (tree / "README.md", *sorted((tree / "docs").glob("*.md"))):
        if path.stem not in RAISING_ON_PURPOSE and BLOCK.search(path.read_text(encoding="utf-8")):
            yield "page", str(path.relative_to(tree))
    yield from (("published", path.name) for path in sorted((tree / "validation").glob("test_*")))


def python(tree: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Python with the package of a tree."""
    own = {"PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree / 'tests'}", "TREE": str(tree)}
    settings = {**os.environ, **own, "MPLBACKEND": "Agg", "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, *words], cwd=cwd or tree, env=settings, capture_output=True, text=True
    )


def ask(tree: Path, kind: str, name: str, folder: Path) -> Digests | str:
    """The answer of a tree to a case, or what went wrong."""
    folder.mkdir(exist_ok=True)
    (folder / "answer.json").unlink(missing_ok=True)
    done = python(tree, str(Path(__file__).resolve()), "--case", kind, name, cwd=folder)
    if done.returncode:
        return (done.stderr or done.stdout).strip().splitlines()[-1]
    answered: Digests = json.loads((folder / "answer.json").read_text())
    return answered


def differences(old: Digests | str, new: Digests | str) -> str:
    """What differs, in words; empty when nothing does."""
    if isinstance(old, str) or isinstance(new, str):
        said = [each if isinstance(each, str) else "an answer" for each in (old, new)]
        return "" if old == new else f"{said[0]}, then {said[1]}"
    if len(old) != len(new):
        return f"{len(old)} runs or states, then {len(new)}"
    for number, (a, b) in enumerate(zip(old, new, strict=True)):
        if other := [key for key in a if a[key] != b.get(key)]:  # what is new says nothing
            return f"number {number}: {', '.join(other[:6])}{' …' if len(other) > 6 else ''}"
    return ""


def replayed(tree: Path, recording: Path, name: str) -> str:
    """What a tree says against a recording, which may lack its model; nothing if all is well."""
    for more in ([], ["--model", name]):
        script = ("-c", "from touchback.cli import main; main()", "replay", str(recording), *more)
        done = python(tree, *script)
        if not done.returncode:
            return ""
    return done.stderr.strip()


def compare(old: Path, new: Path, kind: str, name: str, folder: Path) -> tuple[str, str]:
    """(verdict, detail) of a case."""
    if "STARTS" in os.environ:
        os.environ["STARTS"] = str(folder / "starts.json")
    before = ask(old, kind, name, folder / "old")
    now = RENAMED.get(name, name)
    after = ask(new, kind, now, folder / "new")
    found = differences(before, after)
    if found and differences(before, ask(old, kind, name, folder / "old")):
        return "no verdict", "the old tree differs from itself"
    if kind == "live" and not found and not isinstance(before, str):
        found = replayed(new, folder / "old" / f"{name}.mcap", now)
    if isinstance(before, str) and not found:
        return "no verdict", before
    return ("DIFFERS", found) if found else ("same", "")


def main(words: list[str]) -> int:
    """Compares two trees, case by case; 1 if any differs."""
    if "--same-starts" in words:
        os.environ["STARTS"] = ""
    old, new, *chosen = (word for word in words if word != "--same-starts")
    trees = Path(old).resolve(), Path(new).resolve()
    os.environ["OLD"] = str(trees[0])
    counts: dict[str, int] = {}
    for kind, name in cases(trees[0]):
        label = f"{kind} {name}"
        if chosen and not any(word in label for word in chosen):
            continue
        with tempfile.TemporaryDirectory(prefix="same-bits-") as folder:
            verdict, detail = compare(*trees, kind, name, Path(folder))
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:<10} {label}{f': {detail}' if detail else ''}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    return int("DIFFERS" in counts)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        given = answer(*sys.argv[2:4], Path.cwd())
        Path("answer.json").write_text(json.dumps(given))
    elif len(sys.argv) < 3:
        sys.exit(__doc__)
    else:
        sys.exit(main(sys.argv[1:]))

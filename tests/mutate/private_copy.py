"""A copy of the project in which code is broken and tests run: the checkout is never touched."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutant import Mutant

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Project:
    """A checkout: its root, and its package, the only folder in src."""

    root: Path

    @property
    def package(self) -> str:
        (found,) = (p.name for p in (self.root / "src").iterdir() if (p / "__init__.py").exists())
        return found

    def files(self) -> list[str]:
        """What a fresh clone would have and what was added since; all files, without git."""
        listed = ["git", "-C", str(self.root), "ls-files", "-coz", "--exclude-standard"]
        found = subprocess.run(listed, capture_output=True, text=True)
        if found.returncode == 0:
            names = sorted(set(filter(None, found.stdout.split("\0"))))
        else:
            every = (p for p in self.root.rglob("*") if p.is_file())
            names = sorted(str(p.relative_to(self.root)) for p in every)
        hidden = ("__pycache__", ".venv", "build")
        return [
            name for name in names
            if not set(Path(name).parts) & set(hidden) and (self.root / name).is_file()
        ]  # fmt: skip


class Stopped(Exception):
    """Tests were ended because the whole command was."""


class PrivateCopy:
    """A copy of the project with its built libraries, and a home and a temporary folder of its own,
    until it is removed."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = Path(tempfile.mkdtemp(prefix="tbm-"))
        self.root = self.folder / "tree"
        for name in project.files():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project.root / name, target)
        for library in (project.root / "src").rglob("*.so"):
            shutil.copy2(library, self.root / library.relative_to(project.root))
        self._child: subprocess.Popen[str] | None = None
        self._stopped = False
        self._changed = 1_000_000_000  # a time of its own for each change, so that none is cached

    def stop(self) -> None:
        """Ends what runs in it: whoever waits for it gets `Stopped`."""
        self._stopped = True
        if self._child is not None:
            _kill_all(self._child)

    def remove(self) -> None:
        """Once nothing runs in it any more."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, path: str, text: str) -> None:
        """A file's text; compiled bytes of the one before are not taken for it."""
        file = self.root / path
        file.write_text(text, encoding="utf-8")
        self._changed += 10
        os.utime(file, (self._changed, self._changed))
        for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            cached.unlink()

    def pytest(self, task: dict[str, object], files: list[str], patience: float) -> Outcome:
        """Runs tests of files as the plugin's task says, for at most so many seconds."""
        room = Path(tempfile.mkdtemp(prefix="t", dir=self.folder))
        for name in ("home", "tmp"):
            (room / name).mkdir()
        notes, order = room / "notes.jsonl", room / "task.json"
        whole = {
            **task, "root": str(self.root), "package": self.project.package, "notes": str(notes)
        }  # fmt: skip
        order.write_text(json.dumps(whole), encoding="utf-8")
        environment = {
            **os.environ, "TOUCHBACK_MUTATE_TASK": str(order), "HOME": str(room / "home"),
            "TMPDIR": str(room / "tmp"), "OPENBLAS_NUM_THREADS": "1",
            "MPLCONFIGDIR": str(self.folder / "matplotlib"),  # fonts are looked for once
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(HERE)]),
        }  # fmt: skip
        options = ["-x", "-q", "-p", "mutating", "-p", "no:cacheprovider", "--tb=line",
                   "-m", "not soak and not browser"]  # fmt: skip
        if task["mode"] == "map":
            options.remove("-x")
        child = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *files], cwd=self.root, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            errors="replace",
        )  # fmt: skip
        self._child = child
        try:
            words, _ = child.communicate(timeout=patience)
            status: int | None = child.returncode
        except subprocess.TimeoutExpired:
            status, words = None, ""
        finally:
            _kill_all(child)
            child.communicate()
        if self._stopped:
            raise Stopped
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        shutil.rmtree(room, ignore_errors=True)
        return Outcome(status, words, [json.loads(line) for line in lines])


@dataclass(frozen=True)
class Outcome:
    """How pytest ended (None: it had to be ended), what it printed, and the plugin's notes."""

    status: int | None
    words: str
    notes: list[dict[str, object]]


def _kill_all(child: subprocess.Popen[str]) -> None:
    """The process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


class NativeBuild:
    """Object files of the C library, compiled once as setup.py says; a mutant compiles its own."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.native = project.root / "src" / project.package / "native"
        self.folder = folder
        self.flags = compiler_flags(project.root / "setup.py")
        described = folder / "description.c"
        write = [sys.executable, str(self.native / "describe_headers.py"), str(described)]
        subprocess.run(write, check=True)
        own = [path for path in self.native.rglob("*.c") if path.parent.name != "python"]
        self.sources = sorted([*own, described])
        with ThreadPoolExecutor(os.cpu_count()) as compilers:
            list(compilers.map(lambda p: self.compile(p, self.object(p)), self.sources))

    def object(self, source: Path) -> Path:
        return self.folder / (str(source).replace("/", "_") + ".o")

    def compile(self, source: Path, to: Path, *more: str) -> None:
        include = [f"-I{self.native}", f"-I{source.parent}", *more]
        command = ["gcc", "-c", "-fPIC", "-pthread", *self.flags, *include]
        subprocess.run([*command, str(source), "-o", str(to)], check=True, capture_output=True)

    def library(self, copy: PrivateCopy, mutant: Mutant) -> bool:
        """Puts the mutant's library into a copy; False where it doesn't compile."""
        changed = copy.root / mutant.path
        original = self.native.parents[2] / mutant.path
        made = copy.folder / "mutant.o"
        try:
            self.compile(changed, made)
        except subprocess.CalledProcessError:
            return False
        objects = [str(made if p == original else self.object(p)) for p in self.sources]
        target = copy.root / "src" / copy.project.package / "native" / "libtouchback.so"
        target.unlink()
        link = ["gcc", "-shared", "-pthread", *objects, "-lm", "-o", str(target)]
        return subprocess.run(link, capture_output=True).returncode == 0


def compiler_flags(setup: Path) -> list[str]:
    """FLAGS of setup.py, which may ask the environment."""
    for node in ast.parse(setup.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FLAGS":
            code = compile(ast.Expression(node.value), str(setup), "eval")
            return [str(flag) for flag in eval(code, {"os": os})]
    raise SystemExit("setup.py has no FLAGS with which the library is compiled.")

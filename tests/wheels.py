"""Installs a wheel into fresh environments of every Python found, from 3.11 on, and runs mechanisms
there: with no compiler, no source tree and nothing else installed (`make wheel-test`)."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

OLDEST = (3, 11)
CHECK = """
import shutil, sys, time
assert not any(shutil.which(name) for name in ("cc", "gcc", "clang", "tcc")), "there is a compiler"
import numpy as np, touchback as tb
from touchback import gallery
assert "site-packages" in tb.__file__, tb.__file__
system = gallery.make("slider-crank").compile()
assert system.function("terms").compiled.backend == "machine", "interpreted, not compiled"
run = tb.simulate(system, system.assemble(crank=0.3, rates={"crank": 10.0}), 0.1, progress=False)
q = [run[name][-1] for name in system.coordinates]
assert np.abs(system.constraint_error(q)).max() < 1e-12
with tb.live(gallery.make("pendulum").compile(), rate=1000) as live:
    while live.report().counts["ticks"] < 50:
        time.sleep(0.01)
print(sys.version.split()[0], sys.platform, np.__version__, "fine")
"""


def pythons() -> dict[tuple[int, int], Path]:
    """One interpreter of each version: of the path, and of pyenv where it is installed."""
    found: dict[tuple[int, int], Path] = {}
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [*map(Path, os.environ["PATH"].split(os.pathsep)), *root.glob("versions/*/bin")]
    for place in places:
        for path in sorted(place.glob("python3.*")):
            match = re.fullmatch(r"python3\.(\d+)", path.name)
            version = (3, int(match[1])) if match else (0, 0)
            if version >= OLDEST and _works(path):
                found.setdefault(version, path)
    return dict(sorted(found.items()))


def _works(python: Path) -> bool:
    done = subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True)
    return done.returncode == 0


def tried(python: Path, wheel: Path, folder: Path) -> str:
    """What the check says in a fresh environment, which has its own programs only."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    inside = folder / "bin" / "python"
    install = ["-m", "pip", "install", "-q", "--only-binary", ":all:", wheel]
    clean = {name: x for name, x in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    subprocess.run([inside, *install], check=True, env=clean, cwd=folder)
    bare = {"PATH": str(folder / "bin"), "HOME": str(folder), "LANG": "C.UTF-8"}
    said = []
    for command in ([folder / "bin" / "touchback", "check", "piano"], [inside, "-c", CHECK]):
        done = subprocess.run(command, cwd=folder, env=bare, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{python}, {Path(command[0]).name}:\n{done.stdout}{done.stderr}")
        said.append(done.stdout.strip())
    return said[-1]


if __name__ == "__main__":
    (name,) = sys.argv[1:]
    for python in pythons().values():
        with tempfile.TemporaryDirectory() as folder:
            print(tried(python, Path(name).resolve(), Path(folder) / "fresh"))

"""Tries the newest, or the oldest allowed, versions of what the library needs, in an environment of
its own under build/versions: `make newest`, `make oldest` (`python tests/versions.py newest`).

Rooms that need nothing besides are tested, with the published cases: numbers, files, equations, on
the library that is built in the source tree. The versions are printed first. `oldest` takes the
lower bound of each direct dependency.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ["tests/model", "tests/symbolic", "tests/spatial", "validation"]
TOOLS = ["pytest", "pytest-xdist", "pytest-rerunfailures", "hypothesis", "sympy", "jsonschema"]
RESOLUTION = {"newest": "highest", "oldest": "lowest-direct"}


def main(which: str) -> int:
    """The exit status of the tests."""
    folder = ROOT / "build" / "versions" / which
    venv.create(folder, clear=True, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "uv"], check=True)
    install = [python, "-m", "uv", "pip", "install", "-q", "-p", python]
    subprocess.run([*install, "--upgrade", *TOOLS], check=True)
    needed = ["--resolution", RESOLUTION[which], "-r", str(ROOT / "pyproject.toml")]
    subprocess.run([*install, *needed, "--extra", "view"], check=True)
    subprocess.run([python, "-m", "uv", "pip", "list", "-p", python], check=True)
    tests = [python, "-m", "pytest", "-n", "2", "-m", "not soak", *TESTS]
    source = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(tests, cwd=ROOT, env=source).returncode


if __name__ == "__main__":
    if sys.argv[1:] not in (["newest"], ["oldest"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

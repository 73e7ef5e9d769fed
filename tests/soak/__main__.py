"""A live run disturbed for an hour (`make soak MINUTES=60`, or `python tests/soak --seconds 12`).

Faults at random instants, each with what must follow; then everything that was recorded is checked
tick by tick and replayed. The last line says whether all promises were kept; the exit status too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

import allocation_counter

COUNTED = "TOUCHBACK_SOAK_COUNTED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, help="instead of minutes")
    parser.add_argument("--part", type=float, default=300.0, help="seconds of a recording")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    counted = os.environ.get(COUNTED) == "1"
    if not counted and shutil.which("gcc"):  # again, with malloc counted
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            library = allocation_counter.build(Path(folder))
            environment = {**os.environ, "LD_PRELOAD": str(library), COUNTED: "1"}
            return subprocess.run([sys.executable, *sys.argv], env=environment).returncode
    from parts import RATE, soak  # takes a second: not before the process is the one that stays

    tally, took = soak(given.seconds or 60.0 * given.minutes, given.part, given.seed, counted)
    print(tally.told(took, RATE))
    if given.json:
        given.json.write_text(json.dumps(tally.plain(took), indent=2), encoding="utf-8")
    return bool(tally.broken)


if __name__ == "__main__":
    raise SystemExit(main())

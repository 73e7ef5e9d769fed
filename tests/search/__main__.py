"""A search for failures at random (`make search MINUTES=60`; `python tests/search --seconds 90`).

Round after round, every property test runs on examples drawn from a fresh seed, each round in a
process of its own. A test that fails is reported after its round with the command that repeats it,
and left out of the rounds that follow, so that there is time for others to be found. The exit
status says whether any failed. Options after `--` go to pytest, to search in one folder or file.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GRACE = 600.0  # seconds that the last test may take, and be made smaller if it fails


def command(seed: int) -> list[str]:
    """How the property tests run on the examples of a seed."""
    profile = ["--hypothesis-profile=search", f"--hypothesis-seed={seed}"]
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *profile]


@dataclass
class Findings:
    """What the rounds so far have shown."""

    rounds: int = 0
    ran: int = 0
    failures: dict[str, str] = field(default_factory=dict)  # test → how to repeat it

    def failed(self, test: str, seed: int, text: str) -> None:
        words = [shlex.quote(word) for word in (*command(seed)[1:3], test, *command(seed)[-2:])]
        self.failures[test] = " ".join(["python", *words])
        print(f"\n{test} FAILED\n{text}\nRepeat with: {self.failures[test]}\n", flush=True)

    def told(self, seconds: float) -> str:
        counts = f"{self.rounds} rounds, {self.ran} tests run, {seconds / 60.0:.1f} min"
        if not self.failures:
            return f"Nothing failed: {counts}."
        listed = "".join(f"\n  {repeat}" for repeat in self.failures.values())
        return f"{len(self.failures)} tests failed ({counts}). Repeat them with:{listed}"


def search_round(seed: int, until: float, options: list[str], found: Findings) -> bool:
    """One seed: adds to `found` what failed, crashed the process, or never came to an end. False
    when no test is left to run."""
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        notes = Path(folder, "notes.jsonl")
        outer = filter(None, [os.environ.get("PYTHONPATH")])
        environment = {
            **os.environ,
            "TOUCHBACK_SEARCH_NOTES": str(notes),
            "TOUCHBACK_SEARCH_UNTIL": str(until),
            "TOUCHBACK_SEARCH_LEFT_OUT": "\n".join(found.failures),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *outer]),
        }
        chosen = ["-p", "searching", "-m", "hypothesis and not soak", *options]
        print(f"round {found.rounds + 1}, seed {seed}", flush=True)
        child = subprocess.Popen(
            [*command(seed), *chosen],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            told, _ = child.communicate(timeout=max(0.0, until - time.time()) + GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            told, _ = child.communicate()
            told += f"\n(killed: it went on for {GRACE:.0f} s after its time)"
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
    broken = "error" in told and not lines[1:] and time.time() < until  # while it was collected
    if not lines or broken:
        raise SystemExit(f"The tests could not be collected:\n{told}")
    collected, *notes_on_tests = map(json.loads, lines)
    began = None
    for note in notes_on_tests:
        began = note["test"] if note["what"] == "began" else None
        found.ran += note["what"] == "ended"
        if note.get("failed"):
            found.failed(note["test"], seed, note["text"])
    found.rounds += 1
    if began is not None:  # the process ended inside a test
        found.failed(began, seed, f"{told}\n(exit status {child.returncode})")
    return bool(collected["count"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="search", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, help="instead of minutes")
    parser.add_argument("options", nargs="*", help="for pytest, after --")
    given = parser.parse_args()
    began = time.time()
    until = began + (given.seconds or 60.0 * given.minutes)
    found = Findings()
    try:
        while time.time() < until:
            if not search_round(secrets.randbits(32), until, given.options, found):
                break
    except KeyboardInterrupt:
        print("\nstopped")
    print(found.told(time.time() - began), flush=True)
    return bool(found.failures)


if __name__ == "__main__":
    raise SystemExit(main())

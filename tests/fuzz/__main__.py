"""Fuzzes everything that reads bytes of strangers (`make fuzz MINUTES=60`; `python tests/fuzz
--minutes 5 yaml mjcf`): each target in a process of its own, guided by coverage (atheris), with at
most 1 GiB of memory and 20 s an input. What is refused by one of our errors is well read; any other
exception, a crash, a hang or more memory is a finding: its input is kept in tests/fuzz/found, and
`python tests/fuzz --repeat FILE TARGET` reads it again. The exit status says whether any was found.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

FOUND = Path(__file__).parent / "found"
sys.path.append(str(Path(__file__).parents[1]))  # modules that serve several tests
MEMORY, LONGEST = 1024, 20  # [MiB] and [s] for an input
_MOST_BYTES = 1 << 16


READERS = (  # whose branches guide the search
    "touchback.model.io", "touchback.interop", "touchback.recording",
    "touchback.realtime.udp_signals", "touchback.vehicle", "touchback.devices.gps",
    "touchback.devices.midi", "touchback.instruments.midi_file",
)  # fmt: skip


def read_one(name: str, data: bytes) -> None:
    """Reads bytes; our own errors are the right answer to bad ones."""
    from targets import TARGETS

    from touchback.errors import TouchbackError

    with contextlib.suppress(TouchbackError):
        TARGETS[name].read(data)


def fuzz(name: str, seconds: float, folder: Path) -> None:
    """In a process of its own: until the time is over, or something is found."""
    import atheris
    from targets import TARGETS

    warnings.simplefilter("ignore")
    logging.disable()
    seeds = folder / "seeds"
    seeds.mkdir()
    for i, seed in enumerate(TARGETS[name].seeds()):
        (seeds / str(i)).write_bytes(seed)
    options = [
        f"-max_total_time={seconds:.0f}", f"-rss_limit_mb={MEMORY}", f"-timeout={LONGEST}",
        f"-max_len={_MOST_BYTES}", f"-artifact_prefix={folder}/", "-print_final_stats=1",
    ]  # fmt: skip

    def read_and_keep(data: bytes) -> None:
        try:
            read_one(name, data)
        except Exception:
            (folder / "input").write_bytes(data)
            raise

    atheris.Setup([sys.argv[0], *options, str(seeds)], read_and_keep)
    atheris.Fuzz()


def apart(name: str, seconds: float, folder: Path) -> int:
    """The exit status of a forked process that fuzzes, whose words are in a file: what it reads
    with is imported once for all."""
    process = os.fork()
    if process == 0:
        words = os.open(folder / "words", os.O_WRONLY | os.O_CREAT)
        os.dup2(words, 1)
        os.dup2(words, 2)
        try:
            fuzz(name, seconds, folder)
        finally:
            os._exit(1)  # reached only where fuzzing itself failed
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def told(name: str, seconds: float) -> bool:
    """Fuzzes one target and says what came of it; False where something was found."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        status = apart(name, seconds, folder)
        words = (folder / "words").read_text(errors="replace")
        units = re.search(r"number_of_executed_units: *(\d+)", words)
        peak = re.search(r"peak_rss_mb: *(\d+)", words)
        counts = f"{units[1] if units else '?'} inputs, {peak[1] if peak else '?'} MiB at most"
        print(f"{name:14s} {counts}{'' if status == 0 else '  FOUND SOMETHING'}", flush=True)
        if status == 0:
            return True
        FOUND.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.is_file() and path.name != "words":
                (FOUND / f"{name.replace(' ', '-')}-{path.name}").write_bytes(path.read_bytes())
        print(words[-3000:])
        return False


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--repeat", type=Path, help="read this file again")
    given = parser.parse_args()
    if given.repeat:
        read_one(given.targets[0], given.repeat.read_bytes())
        return 0
    import atheris

    with atheris.instrument_imports(include=list(READERS)):
        from targets import TARGETS
    names = given.targets or list(TARGETS)
    return 0 if all([told(name, 60.0 * given.minutes / len(names)) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())

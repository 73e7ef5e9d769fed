"""The tests that work in C, with the C library watched (`make sanitize`).

    python tests/sanitize.py [address|thread] [PYTEST-OPTION ...]
    python tests/sanitize.py [address|thread] --parts [--again]

*address* finds accesses outside of arrays and of pieces of arenas (with red zones between them),
use after free, and undefined behaviour; *thread* finds data races in live runs, mailboxes, the
threads of drivers and those of batches. Each builds the library anew into a copy of the package
under build/sanitize and runs pytest on that; what a sanitizer finds ends the tests with its report.
Needs gcc with its sanitizers (Linux).

With `--parts` each file of tests is a run of its own, ended after eight minutes; what passed is
noted in build/sanitize/<kind>.passed, and the same command goes on with what isn't there yet (with
`--again`, from the beginning). A note holds as long as the sources of the library stay the same.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["-std=c11", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-Wall"]
WATCHED = {
    "address": [
        "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
    ],
    "thread": ["-fsanitize=thread"],
}  # fmt: skip
RUNTIMES = {"address": "libasan.so", "thread": "libtsan.so"}
OPTIONS = {
    # Python itself leaks at its end. Signals of tests stay those of Python. Some tests ask for more
    # memory than there is.
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": (
        "halt_on_error=1:abort_on_error=1:report_signal_unsafe=0:allocator_may_return_null=1"
    ),
}
TESTS = {
    "address": [
        "tests/native", "tests/realtime", "tests/contact", "tests/system", "tests/recording",
        "tests/simulate", "tests/devices/serial_line", "tests/devices/daq", "tests/batch",
        "tests/gallery/test_gallery.py",
    ],
    "thread": [
        "tests/native/live", "tests/native/wire", "tests/realtime", "tests/devices/serial_line",
        "tests/devices/daq", "tests/batch/test_batch.py",
    ],
}  # fmt: skip
# These preload a library of their own before Python, or let CasADi load its solvers as no
# sanitizer can watch it (RTLD_DEEPBIND).
LEFT_OUT = [
    "test_live_allocations.py", "test_live_stack.py", "test_mode_allocations.py", "test_soak.py",
    "test_optimal_plans.py",
]  # fmt: skip
# The thread sanitizer can't watch a forked child that starts threads, and takes signals before the
# handlers do whose order a test is about.
UNWATCHED = {
    "address": [],
    "thread": [
        "tests/realtime/test_shutdown.py::test_children_leave_their_parents_run_alone",
        "tests/realtime/test_shared_memory.py::"
        "test_a_bus_error_that_is_not_ours_goes_to_who_waits_for_it_and_shelters_stay",
    ],
}


LONGEST = 480.0  # s of a part


def build(kind: str, folder: Path) -> None:
    """A copy of the package, in a folder that is made anew, whose C library is watched."""
    shutil.rmtree(folder, ignore_errors=True)
    package = folder / "touchback"
    shutil.copytree(
        ROOT / "src" / "touchback", package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    native, described = package / "native", folder / "description.c"
    subprocess.run(
        [sys.executable, str(native / "describe_headers.py"), str(described)], check=True
    )
    own = [path for path in native.rglob("*.c") if path.parent.name != "python"]
    sources = sorted(str(path) for path in [*own, described])
    library = str(native / "libtouchback.so")
    command = ["gcc", "-shared", "-fPIC", "-pthread", f"-I{native}", *FLAGS, *WATCHED[kind]]
    subprocess.run([*command, *sources, "-lm", "-o", library], check=True)
    sources = sorted(str(path) for path in native.glob("python/*.c"))
    headers = [f"-I{path}" for path in (sysconfig.get_path("include"), numpy.get_include())]
    module = str(native / "_calls.abi3.so")
    subprocess.run([*command, *headers, *sources, "-o", module], check=True)


def runtime(kind: str) -> str:
    """The libraries that must be there before Python: the sanitizer's own, and that of C++, whose
    exceptions (matplotlib throws some) it must find when it starts."""
    found = []
    for name in (RUNTIMES[kind], "libstdc++.so"):
        named = ["gcc", f"-print-file-name={name}"]
        path = subprocess.run(named, capture_output=True, text=True, check=True).stdout.strip()
        if not Path(path).is_absolute():
            raise SystemExit(f"gcc has no {name}; install its sanitizers (libgcc-dev) and g++.")
        found.append(path)
    return " ".join(found)


def surroundings(kind: str, folder: Path) -> dict[str, str]:
    """The environment of a Python that takes the watched package of that folder."""
    return {
        **os.environ, **OPTIONS, "PYTHONPATH": str(folder), "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": runtime(kind),
    }  # fmt: skip


def watch(kind: str, options: list[str]) -> int:
    """Runs the tests; returns the exit status."""
    folder = ROOT / "build" / "sanitize" / kind
    build(kind, folder)
    named = any((ROOT / word.partition("::")[0]).exists() for word in options)
    chosen = [] if named else TESTS[kind]
    print(f"{kind} sanitizer: {' '.join(chosen or options)}", flush=True)
    return run_tests(kind, folder, [*chosen, *options])


def run_tests(kind: str, folder: Path, chosen: list[str], seconds: float | None = None) -> int:
    """Runs pytest on the watched package; returns its exit status, 124 when its time was up."""
    left_out = [f"--ignore-glob=*/{name}" for name in LEFT_OUT]
    left_out += [f"--deselect={test}" for test in UNWATCHED[kind]]
    # Reports go to the file of standard errors, which pytest would hide from whoever looks on.
    tests = ["-m", "pytest", "-x", "--capture=sys", "-m", "not soak", *left_out, *chosen]
    # The thread sanitizer wants memory where it expects it.
    plain = ["setarch", "-R"] if shutil.which("setarch") else []
    return run_in_group([*plain, sys.executable, *tests], surroundings(kind, folder), seconds)


def run_in_group(
    command: list[str], environment: dict[str, str], seconds: float | None = None
) -> int:
    """Runs a command in a process group of its own; returns its exit status, 124 when its time was
    up. Then, and with Ctrl-C, all that it started ends with it."""
    with subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return 124
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def parts(kind: str) -> list[str]:
    """The files of the tests of a kind, in their order."""
    found: list[Path] = []
    for name in TESTS[kind]:
        path = ROOT / name
        found += [path] if path.is_file() else sorted(path.rglob("test_*.py"))
    return [str(each.relative_to(ROOT)) for each in found if each.name not in LEFT_OUT]


def sources() -> str:
    """A digest of the library's sources."""
    native = ROOT / "src" / "touchback" / "native"
    digest = hashlib.sha256()
    for path in sorted(native.rglob("*.[ch]")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def watch_in_parts(kind: str, again: bool) -> int:
    """Runs what hasn't passed yet, file by file; returns 1 if any of them failed."""
    folder = ROOT / "build" / "sanitize" / kind
    notes = folder.with_suffix(".passed")
    mark = sources()
    lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() and not again else []
    passed = lines[1:] if lines[:1] == [mark] else []
    if not passed or not folder.exists():
        passed = []
        build(kind, folder)
        notes.write_text(mark + "\n", encoding="utf-8")
    failed = []
    left = [part for part in parts(kind) if part not in passed]
    for number, part in enumerate(left, 1):
        print(f"{kind} sanitizer, {number} of {len(left)}: {part}", flush=True)
        status = run_tests(kind, folder, [part], LONGEST)
        if status in (0, 5):  # 5: all of them take minutes, and are left to the soak
            with notes.open("a", encoding="utf-8") as file:
                file.write(part + "\n")
        else:
            failed.append(f"{part} (exit status {status})")
    for part in failed:
        print(f"{kind} sanitizer: {part} failed", flush=True)
    return int(bool(failed))


def main() -> int:
    kinds = [word for word in sys.argv[1:2] if word in WATCHED] or list(WATCHED)
    options = sys.argv[1:] if sys.argv[1:2] != kinds[:1] else sys.argv[2:]
    if "--parts" in options:
        return max([watch_in_parts(kind, "--again" in options) for kind in kinds])
    return max(watch(kind, options) for kind in kinds)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # which doesn't reach that group
    raise SystemExit(main())

"""Names for the profiler: with TOUCHBACK_PERF=1, `perf report` shows our functions by name."""

import os
import stat

FOLDER = "/tmp"  # where perf looks, whatever TMPDIR says


def name_for_perf(address: int, size: int, name: str) -> None:
    """Adds a line to /tmp/perf-PID.map, the file in which Linux perf looks for generated code.
    A link, or a file of somebody else, is passed over: everybody can put one there."""
    if os.environ.get("TOUCHBACK_PERF") != "1":
        return
    how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file = os.open(f"{FOLDER}/perf-{os.getpid()}.map", how, 0o600)
    except OSError:
        return
    with open(file, "a", encoding="ascii") as stream:
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_nlink == 1:
            stream.write(f"{address:x} {size:x} touchback:{name}\n")

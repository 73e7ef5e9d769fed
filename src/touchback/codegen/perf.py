"""Names for the profiler: with TOUCHBACK_PERF=1, `perf report` shows our functions by name."""

import os
from pathlib import Path


def name_for_perf(address: int, size: int, name: str) -> None:
    """Adds a line to /tmp/perf-PID.map, the file in which Linux perf looks for generated code."""
    if os.environ.get("TOUCHBACK_PERF") == "1":
        with Path(f"/tmp/perf-{os.getpid()}.map").open("a", encoding="ascii") as stream:
            stream.write(f"{address:x} {size:x} touchback:{name}\n")

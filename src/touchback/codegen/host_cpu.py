"""What the processor that we run on can execute."""

import functools
import platform
import sys
from pathlib import Path

from touchback.native import LIB

_NAMES = {"aarch64": "aarch64", "arm64": "aarch64", "x86_64": "x86_64", "AMD64": "x86_64"}
_REQUIRED = {"aarch64": frozenset({"fp", "asimd"}), "x86_64": frozenset({"avx2", "fma"})}
_AVX512 = frozenset({"avx512f", "avx512dq", "avx512bw", "avx512vl"})


@functools.cache
def cpu_features() -> frozenset[str]:
    """The features that the kernel lists for the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        label, _, listed = line.partition(":")
        if label.strip().lower() in ("features", "flags"):
            return frozenset(listed.split())
    return frozenset()


def host_target() -> tuple[str | None, str]:
    """The target of our emitters that runs here, or None and the reason why there is none."""
    machine = _NAMES.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        return None, f"{sys.platform} on {platform.machine()} is not Linux on x86-64 or AArch64"
    missing = _REQUIRED[machine] - cpu_features()
    if missing:
        return None, f"this processor lacks {', '.join(sorted(missing))}"
    wide = machine == "x86_64" and cpu_features() >= _AVX512 and LIB.tb_has_avx512()
    return "x86_64_v4" if wide else machine, ""

"""A trial in another process: damaged binary files end USD's library, and references that double
each other fill all memory. What ends here would have ended the program that reads the file."""

from __future__ import annotations

import os
import subprocess
import sys

from touchback.errors import ModelError

_SECONDS = 20  # of the processor
_PATIENCE = 300  # s, on a busy machine
_MEMORY = 2**30  # bytes
_LIMITED = f"""
import sys
try:
    import resource
    for what, most in (("CPU", {_SECONDS}), ("DATA", {_MEMORY}), ("CORE", 0)):
        resource.setrlimit(getattr(resource, "RLIMIT_" + what), (most, most))
except ImportError:  # not on this system
    pass
from pxr import Sdf, Usd
"""
_VALUES = """
layer = Sdf.Layer.OpenAsAnonymous(sys.argv[1])
layer.ExportToString()  # looks at all values
if not any(layer.GetCompositionAssetDependencies()):
    Usd.Stage.Open(layer)
"""
_WHOLE = """
if len(sys.argv) > 1:
    layer = Sdf.Layer.FindOrOpen(sys.argv[1])
else:
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(sys.stdin.buffer.read().decode())
Usd.Stage.Open(layer)
"""


def try_values(source: str, path: str) -> None:
    """Refuses a binary file whose values can't all be looked at."""
    _try(source, _VALUES, [path])


def try_whole(source: str, path: str | None, text: bytes) -> None:
    """Refuses a file or text whose references can't all be followed within 20 seconds and 1 GiB;
    only those that are allowed may be left."""
    _try(source, _WHOLE, [] if path is None else [path], text)


def _try(source: str, what: str, arguments: list[str], text: bytes = b"") -> None:
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _LIMITED + what, *arguments],
            input=text, capture_output=True, env=known, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ModelError(f"{source}: USD's library comes to no end with it.") from None
    if done.returncode:
        raise ModelError(
            f"{source}: USD's library breaks down over it, or needs more than {_SECONDS} s or "
            "1 GiB; it is damaged, or too large once its references are followed."
        )

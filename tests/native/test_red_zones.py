"""What runs over the end of a piece of our memory is reported by the address sanitizer, though it
stays inside of memory that is ours."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sanitize

SOLVE = """
import ctypes
import numpy as np
from touchback.native.shared_library import LIB, RED_ZONE, aligned_zeros
from touchback.native.live.locked_arena import Arena

assert RED_ZONE
arena = Arena(4096)
pieces = [arena.floats(2) for _ in range(3)]
work = aligned_zeros(2)
x = {piece}
A = np.eye(8)
solve = LIB.tb_cholesky_solve  # n, A of n x n, x of n
solve.argtypes, solve.restype = [ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p], None
solve({count}, A.ctypes.data, x.ctypes.data + {shift})
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("address")
    sanitize.build("address", folder)
    return sanitize.surroundings("address", folder)


@pytest.mark.soak  # it builds the library anew
@pytest.mark.parametrize("piece", ["pieces[1]", "work"])
@pytest.mark.parametrize(("count", "shift"), [(2, 0), (3, 0), (2, 8), (2, -8)])
def test_an_overrun_between_pieces_is_reported(
    piece: str, count: int, shift: int, watched: dict[str, str], tmp_path: Path
) -> None:
    """A solver is told of more numbers than a piece of two has, or of another place."""
    code = SOLVE.format(piece=piece, count=count, shift=shift)
    done = subprocess.run(
        [sys.executable, "-c", code], env=watched, cwd=tmp_path, capture_output=True, text=True
    )
    if (count, shift) == (2, 0):
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == -signal.SIGABRT, done.stderr
        # Arenas are of no heap that it knows; work memory may begin where that of NumPy does.
        own = "use-after-poison" if piece != "work" else "use-after-poison|heap-buffer-overflow"
        assert re.search(f"AddressSanitizer: ({own})", done.stderr)
        assert "in tb_cholesky_solve" in done.stderr


CHURN = """
import threading
import numpy as np
from touchback.native.shared_library import RED_ZONE, aligned_zeros

def churn() -> None:
    for _ in range(4000):
        work = aligned_zeros(12)
        del work
        np.zeros(12 + (64 + RED_ZONE) // 8)

threads = [threading.Thread(target=churn) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


@pytest.mark.soak
def test_memory_that_goes_back_to_numpy_is_allowed_first(
    watched: dict[str, str], tmp_path: Path
) -> None:
    """Threads drop work memory while others take arrays of the same size, which NumPy keeps at
    hand: red zones must be gone before."""
    done = subprocess.run(
        [sys.executable, "-c", CHURN], env=watched, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

"""Both ends of the wire under a flood of senseless frames, with the compiler's sanitizers."""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[2] / "src" / "touchback" / "native"
SOURCES = [
    "wire/frames.c", "wire/handshake.c", "wire/samples.c", "wire/far_end.c", "wire/clock_fit.c",
    "wire/line.c", "wire/line_exchange.c", "wire/description_checks.c", "wire/port.c",
    "live/mailbox.c", "live/ring.c", "live/clock.c", "live/publication.c",
]  # fmt: skip
WATCHED = "-fsanitize=address,undefined,float-cast-overflow"


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory):
    program = tmp_path_factory.mktemp("fuzz") / "fuzz"
    command = [
        "gcc",
        "-std=gnu11",
        "-O1",
        "-g",
        WATCHED,
        "-fno-sanitize-recover=all",
        f"-I{NATIVE}",
    ]
    sources = [str(HERE / "fuzz.c"), *(str(NATIVE / source) for source in SOURCES)]
    try:
        built = subprocess.run(
            [*command, *sources, "-lm", "-lpthread", "-o", str(program)],
            capture_output=True, text=True,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("there is no gcc")
    if "cannot find" in built.stderr:
        pytest.skip("gcc has no sanitizers here")
    assert built.returncode == 0, built.stderr
    return program


def flooded(fuzz: Path, seed: int, frames: int) -> None:
    # with its own sanitizer alone: none that these tests run with (tests/sanitize.py)
    own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([fuzz, str(seed), str(frames)], capture_output=True, text=True, env=own)
    assert done.returncode == 0, f"seed {seed}: {done.stdout}\n{done.stderr}"
    assert done.stdout == f"{frames} frames to each end\n"


def test_no_frames_make_a_force_too_large_or_too_old_or_a_value_out_of_range(fuzz) -> None:
    flooded(fuzz, 1, 20_000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_nor_do_a_million_of_them(fuzz, seed: int) -> None:
    flooded(fuzz, seed, 1_000_000)

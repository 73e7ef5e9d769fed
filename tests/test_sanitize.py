"""Parts of the watched tests end as a whole, with whatever they started."""

import os
import select
from pathlib import Path

import pytest

import sanitize


@pytest.mark.parametrize("status", [0, 3])
def test_a_command_has_its_own_exit_status(status: int) -> None:
    assert sanitize.run_in_group(["sh", "-c", f"exit {status}"], dict(os.environ), 60.0) == status


def test_what_a_part_has_started_ends_when_its_time_is_up(tmp_path: Path) -> None:
    """A grandchild holds the far end of a pipe, which its end closes for the reader."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader, told = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), b""
    command = ["sh", "-c", f"sh -c 'echo begun; sleep 600' > '{pipe}' & wait"]
    try:
        assert sanitize.run_in_group(command, dict(os.environ), 2.0) == 124
        while True:
            assert select.select([reader], [], [], 20.0)[0], "it goes on"
            if not (part := os.read(reader, 100)):
                break
            told += part
    finally:
        os.close(reader)
    assert told == b"begun\n"

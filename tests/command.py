"""The command as users run it, but in this process: to import it anew takes longer than most of its
work. Where a process matters (signals, terminals, what is imported), tests start one."""

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import typer

from studies.__main__ import app as studies_app
from touchback.cli.command_table import app, main


@dataclass(frozen=True)
class Done:
    """What a command said, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def studies(*words: str | Path, cwd: Path | None = None) -> Done:
    """Runs `python -m studies WORDS`."""
    return touchback(*words, cwd=cwd, command=studies_app)


def touchback(
    *words: str | Path,
    cwd: Path | None = None,
    answers: str = "",
    encoding: str = "utf-8",
    command: typer.Typer = app,
) -> Done:
    """Runs `touchback WORDS` in a folder, with answers to what it asks; what isn't an error of
    ours comes through, for users would see a traceback."""
    said, complained = _stream(encoding=encoding), _stream(encoding=encoding)
    with (
        mock.patch.object(sys, "argv", ["touchback", *map(str, words)]),
        mock.patch.object(sys, "stdin", _stream(answers)),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        try:
            main(command)
            code: object = 0
        except SystemExit as end:
            code = end.code
    assert code is None or isinstance(code, int), code
    return Done(code or 0, _text(said), _text(complained))


def _stream(text: str = "", encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding=encoding, write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()

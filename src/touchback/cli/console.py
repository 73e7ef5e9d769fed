"""Where the command line writes: results to stdout, messages to stderr.

Texts are shown as they are: names and units such as "[mm]" or ":x:" are neither markup nor emoji. A
terminal that can't show a character (an ASCII one) is given one that it can. Where nobody reads on
(`| head`), a command still does its work: its files are written.
"""

import atexit
import codecs
import html
import os
import sys
import tempfile
import unicodedata
import webbrowser
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.status import Status
from rich.text import Text

_PLAIN = str.maketrans({
    "─": "-", "━": "-", "│": "|", "┃": "|", "█": "#", "…": "...", "–": "-", "—": "-", "−": "-",
    "×": "x", "·": ".", "µ": "u", "μ": "mu", "°": "deg", "≤": "<=", "≥": ">=", "±": "+-", "→": "->",
    "“": '"', "”": '"', "‘": "'", "’": "'", "Δ": "D", "λ": "lambda", "ω": "omega", "•": "*",
})  # fmt: skip


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What an encoding can't express, in letters that every one has."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(map(_plain_character, text)), error.end


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if 0x2500 <= ord(character) < 0x2580:
        return "+"  # corners and crossings of boxes
    if 0x2800 <= ord(character) < 0x2900:
        return " .:*#"[min(4, (ord(character).bit_count() - 2 + 1) // 2)]  # dots of a drawing
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"


def prepare(*streams: TextIO) -> None:
    """Let streams of any encoding take every text."""
    codecs.register_error("touchback.plain", _plain)
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)  # a captured stream may have none
        if reconfigure is not None:
            reconfigure(errors="touchback.plain")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Goes on without a word; rich would end the program, before its files are written."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())  # else what is buffered fails when Python ends
        os.close(nowhere)


def _console(stderr: bool = False) -> Console:
    # Piped output keeps its lines whole: tables are read by other programs too.
    width = None if stderr or sys.stdout.isatty() else 100
    return _Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


out, err = _console(), _console(stderr=True)


def show_page(url: str) -> None:
    """Says where a page is, and what to do with the address."""
    out.print(f"page: {url}", soft_wrap=True)
    out.print("Open this address in a browser; Ctrl-C ends the command.")
    if is_attended() and has_display():
        _open_in_browser(url)


def has_display() -> bool:
    """Whether a browser could open a window here."""
    here = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in here)


def _open_in_browser(url: str) -> None:
    """By way of a file that nobody else can read: everybody sees the words of a command, and the
    address holds a token."""
    folder = tempfile.TemporaryDirectory(prefix="touchback-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    file = Path(folder.name) / "page.html"
    file.touch(0o600)
    file.write_text(f'<meta http-equiv="refresh" content="0;url={html.escape(url)}">', "utf-8")
    webbrowser.open(file.as_uri())


def is_attended() -> bool:
    """Whether somebody sits at a terminal, who can end a command by Ctrl-C."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def working(what: str) -> Status:
    """A spinner on a terminal while something takes its time."""
    return err.status(Text(what))

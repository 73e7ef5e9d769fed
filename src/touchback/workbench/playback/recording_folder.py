"""The folder in which a workbench keeps its recordings, each a file that is never written over."""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from touchback import Run
from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.recording import Recording, open_recording, open_run
from touchback.recording.recording_export import export, export_run, opened, possible
from touchback.safe_files import explain_recording_failure
from touchback.workbench.playback.playback_track import Track
from touchback.workbench.playback.shared_page import ENDING, Layouts, share
from touchback.workbench.scopes.signal_history import Recorded
from touchback.workbench.wire_format import File

_OPEN = 3  # recordings that stay read
_EXPORTS = 8  # files that stay for their download
_TYPES = {
    ".mcap": "application/octet-stream", ".csv": "text/csv; charset=utf-8",
    ".npz": "application/octet-stream", ".parquet": "application/vnd.apache.parquet",
    ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8",
    ".gif": "image/gif", ".mp4": "video/mp4", ".png": "image/png",
}  # fmt: skip


class RecordingFolder:
    """The recordings of a folder, and those that were put on it from elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._others: dict[str, Path] = {}
        self._runs: dict[str, Run] = {}  # in memory
        self._read: OrderedDict[tuple[str, int], Recorded] = OrderedDict()
        self._made: TemporaryDirectory[str] | None = None  # nobody else can enter it
        self._lock = threading.Lock()

    def put(self, name: str, shown: Path | Run) -> None:
        """A recording or a run from elsewhere, by a name."""
        if isinstance(shown, Run):
            self._runs[name] = shown
        else:
            self._others[name] = shown

    def fresh(self, title: str) -> Path:
        """The path of a new recording: of a name that no file has."""
        with explain_recording_failure(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w-]+", "-", title).strip("-") or "run"
        stamp = time.strftime("%Y%m%d-%H%M%S")
        for count in range(1000):
            path = self.folder / f"{stem}-{stamp}{f'-{count}' if count else ''}.mcap"
            if not path.exists():
                return path
        raise InputError(f"{self.folder} has a thousand recordings of this second; wait for one.")

    @property
    def paths(self) -> dict[str, Path]:
        """The files by their names, the newest last; names that are no text (of other encodings
        than UTF-8) can't be told to a page, and are left out."""
        named = [path for path in self.folder.glob("*.mcap") if _is_text(path.name)]
        dated = [(_file(path), path) for path in named]
        found = sorted((each.st_mtime, path) for each, path in dated if each is not None)
        return {**self._others, **{path.name: path for _, path in found}}

    def listing(self) -> list[dict[str, object]]:
        """Names, and how large they are."""
        sizes: dict[str, int | None] = dict.fromkeys(self._runs)
        files = {name: _file(path) for name, path in self.paths.items()}
        sizes |= {name: each.st_size for name, each in files.items() if each is not None}
        return [{"name": name, "bytes": size} for name, size in sizes.items()]

    def path(self, name: str) -> Path:
        """The file of a name; nothing outside of the folder is ever opened."""
        paths = self.paths
        if name not in paths:
            raise unknown_name("recording", name, paths)
        return paths[name]

    def run(self, name: str) -> Run:
        """Its signals."""
        return self._runs[name] if name in self._runs else open_run(self.path(name))

    def recording(self, name: str) -> Recording:
        """A live run's recording."""
        return open_recording(self.path(name))

    def opened(self, name: str) -> Recording | Run:
        """A live run's recording, or a run."""
        if name in self._runs:
            return self._runs[name]
        return opened(self.path(name))

    def traces(self, name: str) -> Recorded:
        """What scopes show of it; the last few stay read."""
        size = len(self._runs[name]) if name in self._runs else self.path(name).stat().st_size
        key = name, size
        if key not in self._read:
            self._read[key] = Recorded(self.run(name))
            while len(self._read) > _OPEN:
                self._read.popitem(last=False)
        self._read.move_to_end(key)
        return self._read[key]

    # ---- exports --------------------------------------------------------------------------------

    @property
    def kinds(self) -> list[str]:
        """What a recording can be downloaded as on this machine."""
        return [ending[1:] for ending in possible()]

    def export(self, name: str, kind: str) -> tuple[Path, list[str]]:
        """A file of another kind with what a recording holds, and what it lacks, in words."""
        if kind not in self.kinds:
            raise unknown_name("kind of file", kind, self.kinds)

        def write(path: Path) -> list[str]:
            if name not in self._runs:
                return export(self.path(name), path)
            export_run(self._runs[name], path)
            return []

        return self._download(name, f"{Path(name).stem}.{kind}", write)

    def share(self, shown: Track, signals: Layouts) -> tuple[Path, list[str]]:
        """One HTML file that plays it, with what scopes show at first, and what it lacks."""
        stem = re.sub(r"[^\w-]+", "-", shown.title).strip("-") or "run"
        return self._download(
            shown.title, f"{stem}{ENDING}", lambda path: share(shown, path, signals=signals)
        )

    def _download(
        self, name: str, file: str, write: Callable[[Path], list[str]]
    ) -> tuple[Path, list[str]]:
        with self._lock:
            if self._made is None:
                self._made = TemporaryDirectory(prefix="touchback-", ignore_cleanup_errors=True)
            path = Path(self._made.name, file)
        try:
            diagnostics = write(path)
        except OSError as error:
            raise InputError(
                f"{name} can't be exported as {path.suffix[1:]}: {error.strerror or error}. Make "
                f"room on the disk of {path.parent}."
            ) from None
        whole = [each for each in path.parent.iterdir() if not each.name.startswith(".")]
        dated = sorted((found.st_mtime, each) for each in whole if (found := _file(each)))
        for _, old in dated[:-_EXPORTS]:  # none that is under way
            old.unlink(missing_ok=True)
        return path, diagnostics

    def close(self) -> None:
        """Removes what was made for downloads; recordings stay."""
        if self._made is not None:
            self._made.cleanup()
            self._made = None


def _is_text(name: str) -> bool:
    """Whether a file's name is UTF-8; bytes of another encoding come as lone surrogates."""
    return not any("\ud800" <= each <= "\udfff" for each in name)


def _file(path: Path) -> os.stat_result | None:
    """What is known of a file; None for a link that leads nowhere, for one that went away since it
    was listed, and for what is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def file_of(path: Path) -> File:
    """The type of a file and where it is, for a server."""
    return _TYPES[path.suffix], path

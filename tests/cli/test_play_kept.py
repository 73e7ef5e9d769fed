"""What was played is kept, whatever ends it; what can't be written leaves what was there before."""

import os
import signal
from pathlib import Path

import pytest

from command import touchback
from touchback.cli import keyboard_performance
from touchback.cli.keyboard_performance import Performance
from touchback.errors import DeviceError
from touchback.instruments.keyboard.key_strokes import HeardNote
from touchback.instruments.keyboard.keyboard_regulation import Regulation, read_regulation
from touchback.instruments.midi_file import read_midi

OLDER = b"older"
NOTE = HeardNote(0.05, 60, 1.0, float("inf"))
FILES = ["x.wav", "x.mid", "x.yaml"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    found = [tmp_path / name for name in FILES]
    for path in found:
        path.write_bytes(OLDER)
    return found


def ended(files: list[Path], played: list[HeardNote], error: BaseException) -> list[str]:
    """A performance that an error ends; what was written of it."""
    performance = Performance("ball", played=played)
    with (
        pytest.raises((type(error), OSError)),
        performance.save_when_done(*files, Regulation({"hammer mass": 0.01})),
    ):
        raise error
    assert not list(files[0].parent.glob(".*"))  # nothing half written is left
    return [path.name for path in files if path.read_bytes() != OLDER]


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (KeyboardInterrupt(), FILES),
        (DeviceError("gone"), FILES[:2]),
        (OSError(5, "no terminal"), FILES[:2]),
    ],
)
def test_what_was_heard_is_kept_whatever_ends_it(files: list[Path], error, kept) -> None:
    assert ended(files, [NOTE], error) == kept
    assert [timed.message.note for timed in read_midi(files[1])][:1] == [60]
    assert files[0].read_bytes().startswith(b"RIFF")


def test_what_ends_before_its_first_note_leaves_older_files(files: list[Path]) -> None:
    assert ended(files, [], KeyboardInterrupt()) == ["x.yaml"]


@pytest.mark.parametrize("full", range(3))
def test_a_disk_that_is_full_keeps_no_other_file_from_being_written(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, full: int
) -> None:
    files[full].unlink()
    files[full].symlink_to("/dev/full")
    others = [path for path in files if path is not files[full]]
    performance = Performance("ball", played=[NOTE])
    with (
        pytest.raises(OSError, match=rf"No space left on device: '.*{FILES[full]}'"),
        performance.save_when_done(*files, Regulation({"hammer mass": 0.01})),
    ):
        pass
    assert all(path.read_bytes() != OLDER for path in others)


def test_a_terminal_that_is_gone_keeps_nothing_from_being_written(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(keyboard_performance.out, "print", gone)
    assert ended(files, [NOTE], KeyboardInterrupt()) == FILES


def test_a_performance_that_is_told_to_end_is_kept_as_by_ctrl_c(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *given: killed.append(given))
    monkeypatch.setattr(
        keyboard_performance, "show_note", lambda *_: killed or signal.raise_signal(signal.SIGTERM)
    )
    words = [word for pair in zip(["--wav", "--midi", "--save"], map(str, files)) for word in pair]
    touchback("play", "ball", "--no-page", "--keys", "2", "--seconds", "600", *words)
    assert killed == [(os.getpid(), signal.SIGTERM)]  # in the end
    assert len(read_midi(files[1])) >= 1 and files[0].read_bytes().startswith(b"RIFF")
    assert read_regulation(files[2]).count == 0

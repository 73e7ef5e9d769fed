"""Nobody else of a machine can lead what we write elsewhere, and nothing of ours stays behind in
its temporary folder."""

import ast
import os
import tempfile
from pathlib import Path

import pytest

import touchback
import touchback.codegen.program_compiler as perf
from command import touchback as command
from touchback import gallery
from touchback.errors import InputError
from touchback.realtime.control.control_port import own_folder
from touchback.recording import Run
from touchback.workbench.play.trial_pages import IdentificationPage
from touchback.workbench.playback.recording_folder import RecordingFolder
from waiting import until

SOURCES = Path(touchback.__file__).parent
FIXED = {
    "codegen/program_compiler.py",
    "realtime/control/control_port.py",
}  # which check what they find


@pytest.fixture
def everybodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that everybody can write to."""
    folder = tmp_path / "everybody's"
    folder.mkdir(mode=0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_no_file_has_a_fixed_name_in_the_temporary_folder() -> None:
    """Folders of our own come from `TemporaryDirectory`: mode 0700, a name that nobody can guess,
    and removed at the end of a block or of the process."""
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        for node in ast.walk(ast.parse(path.read_bytes())):
            named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            assert named not in ("mkdtemp", "mktemp", "NamedTemporaryFile"), where
            text = node.value if isinstance(node, ast.Constant) else ""
            fixed = named == "gettempdir" or text in ("/tmp", "/var/tmp", "/dev/shm")
            assert not fixed or where in FIXED or where == "realtime/shared_memory.py", where


def test_mechanisms_are_played_without_a_file(
    everybodys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link of the picture's former name would have led it over a file of the user."""
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    (everybodys / "touchback-play.svg").symlink_to(mine)
    monkeypatch.setattr(
        "touchback.cli.play_command._SCENES", (("double-pendulum", "Two rods.", "tip"),)
    )
    done = command("play", "mechanisms", "--seconds", "0.1")
    assert done.returncode == 0, done.stderr
    assert mine.read_text() == "mine"
    assert [each.name for each in everybodys.iterdir()] == ["touchback-play.svg"]


def test_a_trial_without_a_file_keeps_its_answers_to_itself_and_leaves_nothing(
    everybodys: Path,
) -> None:
    with IdentificationPage(voices=("organ", "wall"), repeats=1) as board:
        (folder,) = everybodys.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        for trial in (1, 2):
            board.commands.handle(b'{"do": "press", "note": 60, "depth": 0.025}', "me")
            until(lambda: board._felt)
            board.commands.handle(b'{"do": "press", "note": 60, "depth": 0}', "me")
            reply = f'{{"do": "reply", "text": "organ", "trial": {trial}}}'.encode()
            until(lambda reply=reply: board.commands.handle(reply, "me").ok)
        facts = board.commands.handle(b'{"do": "trial"}', "me").facts
        assert facts["done"] and facts["file"] is None  # there is none to look for afterwards
    assert not list(everybodys.iterdir())


def test_downloads_are_made_in_a_folder_of_their_own_that_goes(everybodys: Path) -> None:
    shelf = RecordingFolder(everybodys / "recordings")
    entry = gallery.entry("double-pendulum")
    run: Run = entry.experiment.run(entry.make().compile())
    shelf.put("run", run)
    path, _ = shelf.export("run", "csv")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    shelf.close()
    assert not list(everybodys.iterdir())


@pytest.mark.parametrize("planted", ["link", "second name", "pipe"])
def test_names_for_the_profiler_are_written_to_a_file_of_ours_only(
    planted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perf, "FOLDER", str(tmp_path))
    mine, place = tmp_path / "mine", tmp_path / f"perf-{os.getpid()}.map"
    mine.write_text("mine")
    if planted == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(mine) if planted == "link" else place.hardlink_to(mine)
    monkeypatch.setenv("TOUCHBACK_PERF", "1")  # not before: other threads would write there first
    perf.name_for_perf(4096, 16, "rate")
    assert mine.read_text() == "mine"
    place.unlink()
    perf.name_for_perf(4096, 16, "rate")
    names = place.read_text().splitlines()  # and what other threads compile meanwhile
    assert names.count("1000 10 touchback:rate") == 1
    assert place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("planted", ["file", "link", "link to nothing", "open folder"])
def test_sockets_are_put_into_a_folder_that_is_ours_alone(
    planted: str, everybodys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    place = everybodys / f"touchback-{os.getuid()}"
    if planted == "file":
        place.touch()
    elif planted == "open folder":
        place.mkdir()
        place.chmod(0o755)
    else:
        place.symlink_to(everybodys if planted == "link" else everybodys / "nowhere")
    with pytest.raises(InputError, match="must be a folder of yours"):
        own_folder()

"""Folders that are generated into more than once."""

from pathlib import Path

import pytest

from touchback.errors import InputError
from touchback.interop import generated_folder as folders
from touchback.interop.generated_folder import write_folder


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_what_an_earlier_generation_left_goes_and_what_is_the_user_s_stays(tmp_path) -> None:
    folder = tmp_path / "project"
    write_folder(folder, {"a.c": "1", "old/b.c": "2", "old/deep/c.c": "3", "mine.c": "4"})
    (folder / "mine.c").write_text("changed since")
    (folder / "old" / "notes.txt").write_text("the user's")
    assert write_folder(folder, {"a.c": "5"}) == [folder / "a.c"]
    assert listed(folder) == {".generated", "a.c", "mine.c", "old/notes.txt"}
    assert not (folder / "old" / "deep").exists()  # it had become empty
    assert (folder / "a.c").read_text() == "5"
    write_folder(folder, {})
    assert listed(folder) == {".generated", "mine.c", "old/notes.txt"}


def test_files_of_the_user_with_names_of_ours_stop_it_before_anything_is_written(tmp_path) -> None:
    (tmp_path / "Makefile").write_text("the user's")
    (tmp_path / "same.c").write_text("1")
    with pytest.raises(InputError, match="has 'Makefile', which wasn't generated there"):
        write_folder(tmp_path, {"a.c": "1", "same.c": "1", "Makefile": "2"})
    assert listed(tmp_path) == {"Makefile", "same.c"}
    assert (tmp_path / "Makefile").read_text() == "the user's"


def test_a_list_that_names_files_elsewhere_takes_none_away(tmp_path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside.c"
    write_folder(folder, {"a.c": "1"})
    checksum = (folder / ".generated").read_text().split()[0]
    outside.write_text("1")
    (folder / "link").symlink_to(tmp_path)
    names = ("../outside.c", str(outside), "link/outside.c", "")
    (folder / ".generated").write_text("".join(f"{checksum}  {name}\n" for name in names))
    write_folder(folder, {"b.c": "2"})
    assert outside.read_text() == "1"
    assert (folder / "a.c").exists()  # no longer in the list


def test_a_damaged_list_is_none(tmp_path) -> None:
    (tmp_path / ".generated").write_bytes(b"\xff\x00 \n\n  \nabc\n1  a\0\n2  " + 500 * b"n")
    (tmp_path / "abc").write_text("the user's")
    write_folder(tmp_path, {"a.c": "1"})
    assert listed(tmp_path) == {".generated", "a.c", "abc"}


def test_nothing_is_written_through_links_that_lead_out(tmp_path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside.c"
    write_folder(folder, {"a.c": "1", "inner/b.c": "2"})
    outside.write_text("the user's")
    for name in ("a.c", ".generated"):
        (folder / name).rename(folder / "kept")
        (folder / name).symlink_to(outside)
        with pytest.raises(InputError, match="out of"):
            write_folder(folder, {"a.c": "3"})
        (folder / "kept").rename(folder / name)
    assert outside.read_text() == "the user's"


def test_a_generation_that_was_cut_short_can_be_made_again(tmp_path, monkeypatch) -> None:
    write_folder(tmp_path, {"old.c": "0"})
    writing = folders.write_atomically

    def killed(path: Path, content: str | bytes) -> None:
        if path.name == "b.c":
            raise KeyboardInterrupt
        writing(path, content)

    with monkeypatch.context() as cut:
        cut.setattr(folders, "write_atomically", killed)
        with pytest.raises(KeyboardInterrupt):
            write_folder(tmp_path, {"a.c": "1", "b.c": "2"})
    write_folder(tmp_path, {"a.c": "3", "b.c": "4"})
    assert listed(tmp_path) == {".generated", "a.c", "b.c"}

"""The cache: large functions are emitted once, whatever happens to the files."""

import copy
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import pytest

from random_graphs import PLAIN, random_graph
from touchback.codegen import code_cache, emit
from touchback.codegen.code_cache import WORTHWHILE, cache_folder, emit_cached
from touchback.codegen.elf import write_elf
from touchback.codegen.emit_machine_code import TARGETS
from touchback.symbolic.program import Program


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHBACK_CACHE", str(tmp_path / "kept" / "here"))
    return tmp_path / "kept" / "here"


@pytest.fixture
def program() -> Program:
    return random_graph(np.random.default_rng(0), WORTHWHILE + 100, PLAIN)


def _emitting_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("emitted although it was kept")

    monkeypatch.setattr(code_cache, "emit", refuse)


def test_a_second_time_nothing_is_emitted(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = emit_cached(program, "f", "aarch64", 1)
    _emitting_is_an_error(monkeypatch)
    assert emit_cached(program, "f", "aarch64", 1) == first
    assert [file.suffix for file in folder.iterdir()] == [".so"]


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "a folder"])
def test_a_damaged_file_is_written_anew(folder: Path, program: Program, damage: str) -> None:
    code = emit_cached(program, "f", "x86_64", 4)
    (file,) = folder.iterdir()
    data = file.read_bytes()
    if damage == "a folder":
        file.unlink()
        file.mkdir(mode=0o700)
        with pytest.warns(RuntimeWarning, match="not kept in"):
            assert emit_cached(program, "f", "x86_64", 4) == code
        return
    flipped = bytearray(data)
    flipped[6000] ^= 4
    content = {"truncated": data[:-100], "flipped": bytes(flipped), "empty": b""}[damage]
    file.write_bytes(content)
    assert emit_cached(program, "f", "x86_64", 4) == code
    assert file.read_bytes() == data


def test_everything_that_matters_is_in_the_key(folder: Path, program: Program) -> None:
    changes = [copy.deepcopy(program) for _ in range(6)]
    changes[1].values[len(program.values) + 8] = 2.0
    changes[2].outputs[0] = 1 - abs(changes[2].outputs[0])
    changes[3].inputs[2] = ("p", 77)
    changes[4].op[-1] = changes[4].op[-1] ^ 1
    changes[5].lookups = changes[5].lookups[:1]
    keys = {code_cache._key(changed, "f", "aarch64", 1) for changed in changes}
    others = [("g", "aarch64", 1), ("f", "x86_64", 1), ("f", "aarch64", 2)]
    keys |= {code_cache._key(program, *other) for other in others}
    assert len(keys) == len(changes) + len(others)
    assert code_cache._key(changes[0], "f", "aarch64", 1) == code_cache._key(
        program, "f", "aarch64", 1
    )


def test_other_processors_and_other_emitters_have_other_files(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = code_cache._key(program, "f", "aarch64", 1)
    monkeypatch.setattr(code_cache, "cpu_features", lambda: frozenset({"sve"}))
    elsewhere = code_cache._key(program, "f", "aarch64", 1)
    monkeypatch.setattr(code_cache, "_emitter_version", lambda: "later")
    assert len({usual, elsewhere, code_cache._key(program, "f", "aarch64", 1)}) == 3


def test_small_functions_are_not_kept(folder: Path) -> None:
    small = random_graph(np.random.default_rng(1), WORTHWHILE // 2, PLAIN)
    assert emit_cached(small, "f", "aarch64", 1) == emit(small, "aarch64")
    assert not folder.exists()


@pytest.mark.parametrize("value", ["", "off"])
def test_the_cache_can_be_turned_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHBACK_CACHE", value)
    assert cache_folder() is None


def test_without_a_wish_the_folder_is_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOUCHBACK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "touchback"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "touchback"


def test_a_folder_that_cannot_be_made_is_said_and_does_no_harm(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TOUCHBACK_CACHE", str(tmp_path / "file" / "folder"))
    with pytest.warns(RuntimeWarning, match=r"not kept in .*folder .*set TOUCHBACK_CACHE"):
        code = emit_cached(program, "f", "aarch64", 1)
    assert code == emit(program, "aarch64")


def test_a_write_that_fails_half_way_leaves_nothing(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(RuntimeWarning, match="No space left"):
        emit_cached(program, "f", "aarch64", 1)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_used(
    folder: Path, program: Program, mode: int
) -> None:
    code = emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    _put_other_code_in(file, program)
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match=rf"{folder} is not used: .*{mode:o}.*chmod go-w"):
        assert emit_cached(program, "f", "aarch64", 1) == code


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_executed(
    folder: Path, program: Program, mode: int
) -> None:
    code = emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    _put_other_code_in(file, program)
    file.chmod(mode)
    with pytest.warns(RuntimeWarning, match=rf"{file} is not executed: .*mode {mode:o}"):
        assert emit_cached(program, "f", "aarch64", 1) == code
    assert file.stat().st_mode & 0o777 == 0o600
    assert emit_cached(program, "f", "aarch64", 1) == code  # mended, without a warning


def test_what_belongs_to_somebody_else_is_not_executed(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    _put_other_code_in(file, program)
    owner = file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(RuntimeWarning, match=f"belongs to user {owner}, not to you .{owner + 1}."):
        assert emit_cached(program, "f", "aarch64", 1) == code


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_links_and_pipes_are_not_followed(
    folder: Path, program: Program, tmp_path: Path, kind: str
) -> None:
    code = emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    _put_other_code_in(file, program)
    elsewhere = file.rename(tmp_path / "elsewhere.so")
    if kind == "link":
        file.symlink_to(elsewhere)
    else:
        os.mkfifo(file, 0o600)
    with pytest.warns(RuntimeWarning, match="not executed: it is (a link|no regular file)"):
        assert emit_cached(program, "f", "aarch64", 1) == code
    assert file.is_file() and not file.is_symlink()


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_under_the_name_of_another_is_not_executed(
    folder: Path, program: Program, target: str
) -> None:
    """Of another program, name or number of lanes: each file is intact, and ours."""
    widths = TARGETS[target].widths
    kinds = [("f", widths[0]), ("g", widths[0]), ("f", widths[-1])]
    every = [
        (each, *kind)
        for each in (program, random_graph(np.random.default_rng(9), WORTHWHILE + 100, PLAIN))
        for kind in dict.fromkeys(kinds)
    ]
    codes = [emit_cached(each, name, target, lanes) for each, name, lanes in every]
    files = [folder / f"{code_cache._key(p, name, target, n)}.so" for p, name, n in every]
    contents = [file.read_bytes() for file in files]
    for put, file, (each, name, lanes), code in zip(
        contents[1:] + contents[:1], files, every, codes, strict=True
    ):
        file.write_bytes(put)
        assert emit_cached(each, name, target, lanes) == code
    assert [file.read_bytes() for file in files] == contents  # written anew


@pytest.mark.parametrize("leads", ["somewhere", "nowhere"])
def test_a_folder_that_is_a_link_is_passed_over(
    folder: Path, program: Program, tmp_path: Path, leads: str
) -> None:
    code = emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    _put_other_code_in(file, program)
    elsewhere = folder.rename(tmp_path / "elsewhere")
    if leads == "nowhere":
        elsewhere = elsewhere.rename(tmp_path / "gone")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    before = {each.name: each.read_bytes() for each in elsewhere.iterdir()}
    with pytest.warns(RuntimeWarning, match=rf"{folder} is not used: it is a link.*no link"):
        assert emit_cached(program, "f", "aarch64", 1) == code
    assert {each.name: each.read_bytes() for each in elsewhere.iterdir()} == before


def test_a_folder_that_becomes_a_link_while_code_is_emitted_is_not_written(
    folder: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)

    def exchange(*given: object) -> object:
        folder.parent.mkdir()
        folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
        return emit(*given)

    monkeypatch.setattr(code_cache, "emit", exchange)
    with pytest.warns(RuntimeWarning, match="it is a link"):
        emit_cached(program, "f", "aarch64", 1)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def _fill(folder: Path, count: int, size: int) -> list[Path]:
    """Files as the cache names them, each used a day after the one before, the last one today."""
    folder.mkdir(mode=0o700, parents=True)
    files = [folder / f"{number:064x}.so" for number in range(count)]
    now = time.time()
    for days, file in enumerate(reversed(files)):
        file.write_bytes(bytes(size))
        os.utime(file, times=(now - days * 86400.0,) * 2)
    return files


def test_files_that_were_not_used_for_ninety_days_are_deleted(
    folder: Path, program: Program
) -> None:
    files = _fill(folder, 100, 10)
    strangers = [folder / "notes.txt", folder / f"{'g' * 64}.so", folder / f"{'a' * 64}.so.txt"]
    left, writing = folder / f"{'b' * 64}.01234567.part", folder / f"{'c' * 64}.89abcdef.part"
    for other in (*strangers, left, writing):
        other.write_bytes(b"kept")
    for other in (*strangers, left):
        os.utime(other, times=(0.0, 0.0))
    emit_cached(program, "f", "aarch64", 1)
    assert [file.exists() for file in files] == [number > 9 for number in range(100)]
    assert all(other.exists() for other in (*strangers, writing))
    assert not left.exists()  # by a process that ended while it wrote


def test_the_longest_unused_make_room(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = _fill(folder, 20, 10_000)
    emit_cached(program, "f", "aarch64", 1)
    (new,) = set(folder.iterdir()) - set(files)
    monkeypatch.setattr(code_cache, "LARGEST", 100_000 + new.stat().st_size)
    new.unlink()
    emit_cached(program, "f", "aarch64", 1)
    assert set(folder.iterdir()) == {*files[10:], new}
    monkeypatch.setattr(code_cache, "LARGEST", 5)
    new.unlink()
    emit_cached(program, "f", "aarch64", 1)
    assert list(folder.iterdir()) == [new]  # one that is too large alone is kept for its user


def test_what_is_used_is_kept(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit_cached(program, "f", "aarch64", 1)
    (file,) = folder.iterdir()
    os.utime(file, times=(time.time() - 2 * code_cache.OLDEST,) * 2)
    _emitting_is_an_error(monkeypatch)
    emit_cached(program, "f", "aarch64", 1)
    assert file.stat().st_mtime > time.time() - code_cache.OLDEST


def test_a_file_from_the_future_does_not_stay_for_ever(folder: Path, program: Program) -> None:
    (file,) = _fill(folder, 1, 10)
    os.utime(file, times=(time.time() + 2 * code_cache.OLDEST,) * 2)
    emit_cached(program, "f", "aarch64", 1)
    assert not file.exists()


def test_processes_that_write_and_delete_at_once_all_get_their_code(folder: Path) -> None:
    workers = multiprocessing.get_context("fork")
    processes = [workers.Process(target=_work_in_a_small_cache, args=(n,)) for n in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60.0)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert not list(folder.glob("*.part"))


def _work_in_a_small_cache(seed: int) -> None:
    """Room for two of four functions, which all processes ask for in an order of their own."""
    code_cache.LARGEST = 16_000
    programs = [random_graph(np.random.default_rng(n), WORTHWHILE, PLAIN) for n in range(4)]
    codes = [emit(each, "aarch64") for each in programs]
    for number in np.random.default_rng(seed).integers(0, 4, 12).tolist():
        assert emit_cached(programs[number], "f", "aarch64", 1) == codes[number]


def _put_other_code_in(file: Path, program: Program) -> None:
    """Well-formed code of another function, as somebody could put it there."""
    other = copy.deepcopy(program)
    other.outputs = [1] * len(other.outputs)
    file.write_bytes(write_elf(emit(other, "aarch64"), "f", file.stem))

"""The cache: large functions are emitted once, whatever happens to the files."""

import copy
import os
from pathlib import Path

import numpy as np
import pytest

from random_graphs import PLAIN, random_graph
from touchback.codegen import cache, emit
from touchback.codegen.cache import WORTHWHILE, cache_folder, emit_cached
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

    monkeypatch.setattr(cache, "emit", refuse)


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
        file.mkdir()
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
    keys = {cache._key(changed, "f", "aarch64", 1) for changed in changes}
    others = [("g", "aarch64", 1), ("f", "x86_64", 1), ("f", "aarch64", 2)]
    keys |= {cache._key(program, *other) for other in others}
    assert len(keys) == len(changes) + len(others)
    assert cache._key(changes[0], "f", "aarch64", 1) == cache._key(program, "f", "aarch64", 1)


def test_other_processors_and_other_emitters_have_other_files(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = cache._key(program, "f", "aarch64", 1)
    monkeypatch.setattr(cache, "cpu_features", lambda: frozenset({"sve"}))
    elsewhere = cache._key(program, "f", "aarch64", 1)
    monkeypatch.setattr(cache, "_emitter_version", lambda: "later")
    assert len({usual, elsewhere, cache._key(program, "f", "aarch64", 1)}) == 3


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
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(RuntimeWarning, match="No space left"):
        emit_cached(program, "f", "aarch64", 1)
    assert list(folder.iterdir()) == []

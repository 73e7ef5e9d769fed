"""Every reader opens only regular files of bounded size: no device, no FIFO, no folder, no bomb."""

import os
import stat
import zipfile
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lz4.frame
import numpy as np
import pytest
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.records import Chunk
from mcap.writer import CompressionType, Writer

import touchback as tb
from touchback.devices.daq import FileBoard, read_dbc
from touchback.devices.gps import WEEK_1886, read_almanac
from touchback.haptics.trials import Trials
from touchback.instruments.midi_file import read_midi
from touchback.realtime import open_recording
from touchback.recording import Run, mcap_records, run_formats
from touchback.safe_files import open_regular, read_regular, write_atomically

READERS: dict[str, Callable[[Path], Any]] = {
    ".yaml": tb.read, ".yml": tb.read, ".json": tb.read, ".urdf": tb.read, ".mbs": tb.read,
    ".csv": tb.open, ".npz": tb.open, ".mcap": tb.open,
    ".recording.mcap": open_recording,
    ".replay.mcap": tb.replay, ".mid": read_midi,
    ".trials": lambda path: Trials(path, ["a", "b"], "which?"),
    ".car.yaml": tb.vehicle.read_car, ".tir": tb.vehicle.read_tir,
    ".asc": tb.vehicle.read_height_map, ".obj": tb.vehicle.read_mesh_road,
    ".alm": read_almanac, ".dbc": read_dbc, ".mf4": lambda path: FileBoard(path, ["a"]),
}  # fmt: skip
LIMIT = 1 << 20


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("kind", ["folder", "FIFO", "device"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"it{suffix}"
    if kind == "folder":
        path.mkdir()
    elif kind == "FIFO":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(tb.TouchbackError, match=f"it{suffix} is a {kind}; give a file"):
        READERS[suffix](path)


@pytest.mark.parametrize("suffix", [key for key in READERS if key != ".trials"])
def test_a_file_that_is_too_large_is_refused_by_its_size_and_the_limit(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"long{suffix}"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # of no blocks on the disk
    with pytest.raises(tb.TouchbackError, match=r"has 1099511627776 bytes; at most \d+ are read"):
        READERS[suffix](path)


@pytest.mark.parametrize("suffix", [key for key in READERS if key != ".trials"])
def test_bytes_that_mean_nothing_are_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"noise{suffix}"
    for content in (b"", b"\xff\x00" * 40, b"# {}\n", b"# [[[\n\x00", b"[" * 100_000, b"PK\3\4"):
        path.write_bytes(content)
        with pytest.raises(tb.TouchbackError):
            READERS[suffix](path)


@pytest.mark.parametrize("shipped", [tb.vehicle.BUGGY_TYRE, tb.vehicle.SMALL_TRACK, WEEK_1886])
def test_a_mark_that_an_editor_puts_before_text_is_passed_over(
    shipped: Path, tmp_path: Path
) -> None:
    (tmp_path / shipped.name).write_bytes(BOM_UTF8 + shipped.read_bytes())
    read = {**READERS, ".al3": read_almanac}[shipped.suffix]
    assert repr(read(tmp_path / shipped.name)) == repr(read(shipped))


def test_a_file_of_which_no_size_is_told_is_read_up_to_the_limit() -> None:
    assert len(read_regular("/proc/self/status", LIMIT)) > 100
    with pytest.raises(tb.InputError, match="status has 101 bytes; at most 100"):
        read_regular("/proc/self/status", 100)


@pytest.mark.parametrize("path", ["a\0b", None, 0])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(tb.InputError, match="can't be read"):
        open_regular(path, 1)


# ---- bombs ---------------------------------------------------------------------------------------


def with_a_chunk(path: Path, compression: str, data: bytes, size: int) -> None:
    """An MCAP file of ours with one chunk that says it unpacks to `size` bytes."""
    with path.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.NONE)
        writer.start(profile="touchback")
        builder = RecordBuilder()
        Chunk(compression, data, 0, 0, 0, size).write(builder)
        stream.write(builder.end())
        writer.finish()


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
def test_a_chunk_that_unpacks_to_gigabytes_is_refused_by_the_number_and_the_limit(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.mcap"
    with_a_chunk(path, kind, b"whatever", 12 << 30)
    with pytest.raises(tb.InputError, match=f"unpack to {12 << 30} bytes.*at most {1 << 28}"):
        tb.open(path)


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
def test_a_chunk_that_says_less_than_it_unpacks_to_is_not_unpacked_further(kind: str) -> None:
    pack = {"zstd": zstandard.compress, "lz4": lz4.frame.compress}[kind]
    packed = pack(bytes(1 << 24))
    assert len(mcap_records._decompressed(kind, packed, 1000)) <= 1001
    assert len(mcap_records._decompressed(kind, packed, 1 << 24)) == 1 << 24


def test_compressed_chunks_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcap_records, "LARGEST_UNPACKED", LIMIT)
    path, size = tmp_path / "bombs.mcap", LIMIT - 9
    record = b"\x7f" + size.to_bytes(8, "little")
    data = zstandard.ZstdCompressor().compress(record + bytes(size))
    with_a_chunk(path, "zstd", data, size + 9)
    once = path.read_bytes()
    chunk = once[once.index(b"\x06", 40) : once.index(b"\x0f\x04\x00\x00\x00\x00\x00\x00\x00")]
    path.write_bytes(once.replace(chunk, chunk + chunk))
    assert len(chunk) < 1000
    with pytest.raises(tb.InputError, match=f"unpack to {2 * LIMIT} bytes"):
        tb.open(path)


def test_an_archive_that_unpacks_to_gigabytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.npz"
    monkeypatch.setattr(run_formats, "_LARGEST_UNPACKED", LIMIT)
    with path.open("wb") as file:
        np.savez_compressed(file, about=np.zeros(1), time=np.zeros(1 << 20), signals=np.zeros(1))
    assert path.stat().st_size < LIMIT / 50
    with pytest.raises(tb.InputError, match=rf"unpack to \d+ bytes; at most {LIMIT}"):
        tb.open(path)


def test_a_compressed_archive_of_reasonable_size_is_read(tmp_path: Path) -> None:
    run = Run([0.0, 1.0], {"a": [2.0, 3.0]})
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as archive:
        np.savez_compressed(tmp_path / "packed.npz", **archive)
    assert np.array_equal(tb.open(tmp_path / "packed.npz")["a"], run["a"])


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2**99), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "(" * 500,
        "1",
    ],
)
def test_an_array_whose_header_says_something_else_is_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    Run([0.0], {"a": [2.0]}).save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    text = header.encode()
    files["time.npy"] = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(tb.InputError, match="not a run saved by Touchback"):
        tb.open(path)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    kept, link = tmp_path / "disk" / "kept.wav", tmp_path / "link.wav"
    link.symlink_to(kept)
    for content in (b"new", b"newer"):  # the first of them makes it
        write_atomically(link, content)
        assert link.is_symlink() and kept.read_bytes() == content
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["disk", "kept.wav", "link.wav"]


def test_a_file_that_few_may_read_is_so_after_it_was_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.touch(mode=0o600)
    write_atomically(file, "mine")
    assert file.read_text() == "mine" and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_whose_folder_takes_no_other_is_written_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "out.csv"
    file.write_text("older")
    number = file.stat().st_ino
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    write_atomically(file, "new")
    assert (file.read_text(), file.stat().st_ino) == ("new", number)


@pytest.mark.parametrize("given", [5, None, b"bytes", ["a.yaml"]])
def test_what_is_no_path_is_refused_by_every_reader(given: Any) -> None:
    for reader in (tb.read, tb.open, tb.Fmu, tb.read_mesh):
        with pytest.raises(tb.TouchbackError, match="A path is expected"):
            reader(given)

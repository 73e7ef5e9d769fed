"""Files of strangers are read in a time that grows with their length and no faster, and in bounded
memory: twice the length takes at most 2.2 times the processor time, in every reader."""

from __future__ import annotations

import re
import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import zstandard
from mcap.opcode import Opcode

import touchback as tb
from fuzz.targets import TARGETS
from growth import assert_linear
from touchback import gallery
from touchback.errors import InputError, ModelError, TouchbackError
from touchback.instruments import midi_file
from touchback.instruments.midi_file import read_midi
from touchback.interop.fmi.fmu_instance import read_description
from touchback.names import near_names, unknown_name
from touchback.recording import mcap_records
from touchback.recording.live_recording import Recorder, open_recording
from touchback.recording.live_recording_metadata import HEAD
from touchback.recording.mcap_records import MAGIC
from touchback.recording.repair_recording import repair
from touchback.system.compile_model import copies
from touchback.vehicle.roads.road_files import read_height_map

SOURCE = Path(tb.__path__[0])
LONGEST = 1 << 15

# ---- any reader, whatever is repeated ---------------------------------------------------------

PIECES = (
    b"1", b"a", b" ", b"\n", b"(", b"[", b"{", b"<", b'"', b"'", b"/* ", b"# ", b"-", b"- ", b".",
    b",", b":", b"=", b"\\", b'\\"', b'""" ', b"@@@ ", b"a, ", b"1 ", b"a: ", b"a=1\n", b"<a>",
    b"<!--", b"&", b"*", b"\xff", b"\0", b") ", b"] ",
)  # fmt: skip
OF_LIBRARIES = ("parquet", "mdf", "binary usd", "bus")
"""Their bytes go to pyarrow, asammdf, USD and cantools as they are."""
READERS = {  # whatever module opens files, and what of it is tried here
    "devices/daq/can_board.py": ("bus",),
    "devices/evdev/force_wheel.py": ("wheel",),
    "devices/gps/almanac.py": ("sem almanac", "yuma almanac"),
    "instruments/midi_file.py": ("midi",),
    "model/io/model_reader.py": ("yaml", "json"),
    "sweeps/sweep_folder.py": ("sweep", "sweep part"),
    "instruments/keyboard/keyboard_regulation.py": ("regulation",),
    "haptics/trials/trial_journal.py": ("trial",),
    "interop/fmi/fmu_instance.py": ("fmu",),
    "interop/generated_folder.py": ("generated list",),
    "interop/meshes/mesh_file.py": ("stl", "obj", "collada"),
    "interop/mjcf/mjcf_document.py": ("mjcf",),
    "interop/usd/usd_stage.py": ("usd", "binary usd"),
    "interop/xml_file.py": ("urdf", "sdf", "mbs"),
    "recording/recording_export.py": ("recording",),
    "recording/mcap_run_file.py": ("recording",),
    "recording/mcap_tables.py": ("recording",),
    "recording/measured/csv_series.py": ("table",),
    "recording/measured/mcap_series.py": ("recording",),
    "recording/measured/mdf_series.py": ("mdf",),
    "recording/measured/measured_run.py": ("table",),
    "recording/measured/parquet_series.py": ("parquet",),
    "recording/repair_recording.py": ("recording",),
    "recording/run_formats.py": ("run as text", "run as arrays"),
    "vehicle/car_file.py": ("car",),
    "vehicle/roads/road_files.py": ("road",),
    "vehicle/tyres/tir_file.py": ("tyre",),
    "workbench/drawing/drawing.py": ("drawing",),
}


def test_no_reader_is_forgotten() -> None:
    calls = re.compile(r"^(?!def )[^#\n]*\b(?:read_regular|open_regular|check_file)\(", re.M)
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if calls.search(path.read_text("utf-8"))
    }
    assert found - {"safe_files.py"} == set(READERS)
    assert {name for names in READERS.values() for name in names} <= set(TARGETS)


@cache
def _seed(name: str) -> tuple[bytes, tuple[int, ...]]:
    """The shortest example of a target, and where something is put into it: at both ends, and after
    a word, a sign and a number in its middle."""
    seed = min(TARGETS[name].seeds(), key=len)
    middle = len(seed) // 3
    marks = (re.compile(mark).search(seed, middle) for mark in (rb"\b", rb"[=:>,\"]", rb"[0-9]"))
    return seed, tuple(sorted({0, len(seed), *(mark.end() for mark in marks if mark)}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(TARGETS) - set(OF_LIBRARIES)))
def test_whatever_is_repeated_in_a_file_is_read_in_linear_time(name: str) -> None:
    seed, places = _seed(name)
    for number, piece in enumerate(PIECES):
        place = places[number % len(places)]

        def made(length: int, piece: bytes = piece, place: int = place) -> bytes:
            return seed[:place] + piece * (length // len(piece)) + seed[place:]

        try:
            assert_linear(TARGETS[name].read, made, LONGEST, shortest=LONGEST // 4)
        except AssertionError as error:
            raise AssertionError(f"{name}, {piece!r} at byte {place}: {error}") from None


# ---- what was once read in the square of the time, or the cube --------------------------------


def _text(target: str, make: Callable[[int], str]) -> tuple[str, Callable[[int], bytes]]:
    return target, lambda length: make(length).encode()


ROAD = "ncols 2\nnrows 2\ncellsize 1\n"
USD = "#usda 1.0\n"
REPEATED = {
    "digits of a tyre's number": _text("tyre", lambda n: f"[A]\nFNOMIN = {'1' * n}x\n"),
    "digits of a height": _text("road", lambda n: f"{ROAD}{'1' * n}x 2\n"),
    "digits in the head of a map": _text("road", lambda n: f"ncols {'1' * n}x\n"),
    "digits of a satellite": _text("yuma almanac", lambda n: f"***\nID: {'1' * n}x\n"),
    "digits of a count": _text("sem almanac", lambda n: f"{'1' * n}x a\n"),
    "blanks in a satellite's word": _text("yuma almanac", lambda n: f"***\nI{' ' * n}D: 1\n"),
    "comments without an end": _text("usd", lambda n: USD + "/* " * (n // 3)),
    "strings without an end": _text("usd", lambda n: USD + '"' + '\\"' * (n // 2)),
    "texts without an end": _text("usd", lambda n: USD + '"""a' * (n // 4 // 2 * 2 + 1)),
    "assets without an end": _text("usd", lambda n: USD + "@@@a " * (n // 5 // 2 * 2 + 1)),
    "blanks in USD's own words": _text(
        "usd",
        lambda n: f'{USD}def Cube "a" {{\nuniform token[] xformOpOrder = ["xformOp:{" " * n}t"]}}',
    ),
    "blanks in a column's name": _text("table", lambda n: f"time,a{' ' * n}b]\n0,1\n1,2\n2,3\n"),
    "brackets in a column's name": _text("table", lambda n: f"time,{'[' * n}]\n0,1\n1,2\n2,3\n"),
    "columns": _text("table", lambda n: f"time{',a' * n}\n0{',1' * n}\n"),
    "other columns": _text(
        "table", lambda n: f"time,{','.join(map(str, range(n)))}\n0{',1' * n}\n1{',2' * n}\n"
    ),
}


@pytest.mark.parametrize("what", REPEATED)
def test_repeated_parts_are_read_in_linear_time(what: str) -> None:
    target, made = REPEATED[what]
    assert_linear(TARGETS[target].read, made, LONGEST, shortest=2048)


def test_a_recording_with_other_columns_is_refused_in_linear_time(tmp_path: Path) -> None:
    """Than its description says: the first that is missing is looked for."""
    about = {
        "model": "m", "description": None, "initial_state": [], "parameters": {}, "rate": 100.0,
        "substeps": 1, "method": "rk4", "constraints": None, "state_names": [],
        "output_names": [], "energy_names": [],
    }  # fmt: skip

    def made(length: int) -> Path:
        path = tmp_path / f"{length}.mcap"
        if not path.exists():
            told = {**about, "input_names": [f"a{i}" for i in range(length)]}
            columns = [*HEAD, *(f"b{i}" for i in range(length))]
            with Recorder(path, told, columns):  # type: ignore[arg-type]
                pass
        return path

    with pytest.raises(InputError, match="its table 265, without 'a0'"):
        open_recording(made(256))
    assert_linear(open_recording, made, 1 << 13, shortest=1 << 10)


def test_names_of_copies_are_checked_in_linear_time() -> None:
    pendulum = gallery.make("pendulum").compile()

    def made(length: int) -> list[str]:
        return [*map(str, range(length)), "0"]

    with pytest.raises(InputError, match="each once"):
        copies(pendulum, made(9))
    assert_linear(
        lambda names: copies(pendulum, names), made, LONGEST // 2, shortest=1024, most=2.6
    )
    # more than 2.2: a set that no longer fits the nearest cache


def test_near_names_are_found_among_any_number_of_long_ones() -> None:
    """By difflib alone two names of 180 letters take 0.16 s, and their number is the file's."""
    assert_linear(
        lambda names: unknown_name("signal", "abc" * 60, names),
        lambda length: [f"{'acb' * 60}{i}" for i in range(length)],
        LONGEST,
        most=2.5,  # of a few names all are compared closely, of many the 64 most similar
    )
    names = [f"joint {i}" for i in range(5000)]
    assert near_names("joimt 4711", names, 0.6)[0] == "joint 4711"


# ---- memory ---------------------------------------------------------------------------------


def _peak(read: Callable[[], object]) -> int:
    """Bytes that reading takes at most, whatever comes of it."""
    tracemalloc.start()
    try:
        with suppress(TouchbackError):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _midi(track: bytes) -> bytes:
    head = b"MThd" + struct.pack(">IHHH", 6, 0, 1, 96)
    return head + b"MTrk" + struct.pack(">I", len(track)) + track


@pytest.mark.parametrize(
    "track",
    [
        b"\0\x90\x3c\x40" + b"\1\x3c\x40" * 30_000,
        b"\0\xd0\1" + b"\1\x3c" * 30_000,
        b"\0\xff\1\0" * 30_000,
    ],
    ids=["notes", "pressures", "texts"],
)
def test_events_of_midi_are_counted_while_they_are_read(
    track: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes some 300 bytes as an object, and two in the file: 64 MB took 4.8 GiB."""
    path = tmp_path / "a.mid"
    path.write_bytes(_midi(track))
    read_midi(path)
    monkeypatch.setattr(midi_file, "MOST_EVENTS", 100)
    with pytest.raises(InputError, match=r"a.mid .*more than 100 events"):
        read_midi(path)
    assert _peak(lambda: read_midi(path)) < 2_000_000


def test_empty_tracks_of_midi_are_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mid"
    path.write_bytes(_midi(b"") + (b"MTrk" + bytes(4)) * 200)
    assert read_midi(path) == []
    monkeypatch.setattr(midi_file, "MOST_EVENTS", 100)
    with pytest.raises(InputError, match="more than 100 events"):
        read_midi(path)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("1 " * 100_000, "line 4: more than 2 heights for ncols 2"),
        ("1 2\n" * 50_000, "line 6: more rows of heights than nrows, 2"),
        ("\n" * 100_000, "0 rows of heights"),
        ("a " * 100_000, "line 4: no key 'a'"),
    ],
)
def test_a_height_map_keeps_no_more_than_its_head_says(
    rest: str, said: str, tmp_path: Path
) -> None:
    """28 MB of heights that nobody had asked for took 2.0 GiB."""
    path = tmp_path / "a.asc"
    path.write_text(ROAD + rest)
    with pytest.raises(ModelError, match=said):
        read_height_map(path)
    assert _peak(lambda: read_height_map(path)) < 3_000_000


def _packed(profile: bytes, content: bytes) -> bytes:
    """An MCAP file with one compressed chunk."""

    def record(opcode: int, body: bytes) -> bytes:
        return struct.pack("<BQ", opcode, len(body)) + body

    def text(given: bytes) -> bytes:
        return struct.pack("<I", len(given)) + given

    packed = zstandard.ZstdCompressor().compress(content)
    head = struct.pack("<QQQI", 0, 0, len(content), 0) + text(b"zstd")
    return b"".join([
        MAGIC, record(Opcode.HEADER, text(profile) + text(b"")),
        record(Opcode.CHUNK, head + struct.pack("<Q", len(packed)) + packed),
        record(Opcode.DATA_END, bytes(4)), record(Opcode.FOOTER, bytes(20)), MAGIC,
    ])  # fmt: skip


@pytest.mark.parametrize("profile", [b"touchback", b"ros2"])
def test_records_are_counted_while_a_chunk_is_unpacked(
    profile: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty records of nine bytes pack to nothing: 8 kB held 28 million, which took 29 s."""
    monkeypatch.setattr(mcap_records, "MOST_UNPACKED", 1000)
    path = tmp_path / "a.mcap"
    for count, said in ((1000, "not a run saved by Touchback"), (1001, "more than 1000 records")):
        path.write_bytes(_packed(profile, (b"\x80" + bytes(8)) * count))
        with pytest.raises(InputError, match=said):
            tb.open(path)
    if profile == b"touchback":
        with pytest.raises(InputError, match="more than 1000 records"):
            repair(path, tmp_path / "b.mcap")
        assert not (tmp_path / "b.mcap").exists()


def _zip_list(path: Path, count: int) -> None:
    """An archive that lists so many files, all in the same place and without a name."""
    with path.open("wb") as file:
        file.write((b"PK\1\2" + bytes(42)) * count)
        size = struct.pack("<HHHHIIH", 0, 0, 65535, 65535, 46 * count, 0, 0)
        file.write(b"PK\5\6" + size)


def test_an_archive_with_a_long_list_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """zipfile made 370 bytes of each file in it: 2 GiB of the 5.5 million that 256 MiB can list."""
    fmu, arrays = tmp_path / "a.fmu", tmp_path / "a.npz"
    for path in (fmu, arrays):
        _zip_list(path, 200_000)
    with pytest.raises(ModelError, match=r"a\.fmu: the list of the files in it has 9200000 bytes"):
        read_description(fmu)
    with pytest.raises(InputError, match=r"a\.npz: the list of the files in it has 9200000 bytes"):
        tb.open(arrays)

"""`touchback export`: recordings as tables, pictures and films, read by
others than who wrote them."""

import csv
import json
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from command import touchback
from parquet_reader import read_parquet
from touchback.draw import film
from touchback.realtime import Recording, open_recording
from touchback.realtime.live_replay import system_in
from touchback.recording.live_recording import Recorder


@pytest.fixture(scope="module")
def swinging(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cart on a spring, 2 s of x = 0.5 cos(2π t)."""
    m = tb.Model("cart", gravity=(0, 0, 0))
    cart = m.body("cart", mass=1.0, inertia=(0.007, 0.011, 0.011))
    m.joint("x", tb.Prismatic("x"), m.ground, cart, position=0.5)
    m.force("spring", tb.JointEffort("x", -((2 * np.pi) ** 2) * m.coordinate("x")))
    m.sensor("at", tb.Position(cart))
    path = tmp_path_factory.mktemp("export") / "cart.mcap"
    with tb.live(m.compile(), rate=500, speed=None, record=path) as live:
        live.run(2.0)
    return path


@pytest.fixture(scope="module")
def recording(swinging: Path) -> Recording:
    return open_recording(swinging)


@pytest.fixture(autouse=True)
def short_films(monkeypatch: pytest.MonkeyPatch) -> None:
    for ending in (".gif", ".mp4"):
        monkeypatch.setitem(film._MOST, ending, 20)  # pictures


def exported(swinging: Path, ending: str) -> Path:
    path = swinging.with_suffix(ending)
    done = touchback("export", swinging, path)
    assert done.returncode == 0, done.stderr
    assert f"{path.name}: {path.stat().st_size} bytes" in done.stdout.replace("\n", "")
    return path


def test_tables_hold_the_recorded_numbers(swinging: Path, recording: Recording) -> None:
    x, time = recording.column("x"), recording.column("time")
    with exported(swinging, ".csv").open(encoding="utf-8", newline="") as file:
        next(file)  # the description
        header, *rows = csv.reader(file)
    table = np.array(rows, dtype=float)
    np.testing.assert_array_equal(table[:, header.index("time [s]")], time)
    np.testing.assert_array_equal(table[:, header.index("x [m]")], x)
    with np.load(exported(swinging, ".npz"), allow_pickle=False) as archive:
        assert any(
            np.array_equal(each, x) for name in archive for each in np.atleast_2d(archive[name])
        )
    columns, _ = read_parquet(exported(swinging, ".parquet"))
    np.testing.assert_array_equal(columns["time"], time)
    np.testing.assert_array_equal(columns["x"], x)
    np.testing.assert_allclose(columns["x"], 0.5 * np.cos(2 * np.pi * time), atol=1e-6)


def test_a_copy_of_a_recording_is_one_that_replays(swinging: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.mcap"
    assert touchback("export", swinging, copy).returncode == 0
    assert copy.read_bytes() == swinging.read_bytes() and tb.replay(copy).same


def test_a_picture_shows_states_and_outputs(swinging: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    with image.open(exported(swinging, ".png")) as picture:
        assert picture.format == "PNG" and picture.width >= 800
        pixels = np.asarray(picture.convert("RGB"), dtype=int)
    coloured = np.ptp(pixels, axis=2) > 60  # curves; paper, grid and words are grey
    assert coloured.any(axis=0).mean() > 0.7  # from the left to the right
    highest = coloured.argmax(axis=0)[coloured.any(axis=0)]  # px from above, of the curves on top
    assert np.ptp(highest) > 50  # x swings


def held_to_the_recording(frames: np.ndarray, recording: Recording) -> None:
    """The cart, which is blue, goes on the pictures as it was recorded, up to a scale."""
    blue = frames[:, :, :, 2].astype(int) - frames[:, :, :, 0] > 40
    seen = np.array([np.nonzero(each)[1].mean() for each in blue])  # px from the left
    time = recording.column("time")
    x = np.interp(np.linspace(time[0], time[-1], len(frames)), time, recording.column("x"))
    scale, offset = np.polyfit(x, seen, 1)
    assert scale > 50.0  # px/m, to the right
    np.testing.assert_allclose(seen, scale * x + offset, atol=2.0)  # px


def test_a_gif_shows_the_motion(swinging: Path, recording: Recording) -> None:
    image = pytest.importorskip("PIL.Image")
    frames = []
    with image.open(exported(swinging, ".gif")) as moving:
        for k in range(moving.n_frames):
            moving.seek(k)
            frames.append(np.asarray(moving.convert("RGB")))
    held_to_the_recording(np.array(frames), recording)


def test_an_mp4_shows_the_motion(swinging: Path, recording: Recording) -> None:
    pytest.importorskip("PIL.Image")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    reader = ffmpeg.read_frames(str(exported(swinging, ".mp4")))
    width, height = next(reader)["size"]
    frames = np.array([np.frombuffer(each, np.uint8).reshape(height, width, 3) for each in reader])
    held_to_the_recording(frames, recording)


def test_a_page_holds_the_motion(swinging: Path, recording: Recording) -> None:
    text = exported(swinging, ".html").read_text(encoding="utf-8")
    found = re.search(r"const film = (\{.*\});\n", text)
    assert found is not None and not re.search(r"(?:src|href)=|https?://", text)
    held = json.loads(found[1].replace("<\\/", "</"))
    places = np.frombuffer(b64decode(held["pieces"][0]["p_"]), "<f4").reshape(-1, 3)
    time = recording.column("time")
    x = np.interp(np.linspace(time[0], time[-1], len(places)), time, recording.column("x"))
    np.testing.assert_allclose(places[:, 0], x, atol=1e-6)


def test_what_can_not_be_written_is_said(swinging: Path, tmp_path: Path) -> None:
    for words, complaint in (
        ([swinging, tmp_path / "a.xlsx"], "ends in .csv or .npz or .mcap or .parquet"),
        ([tmp_path / "none.mcap", tmp_path / "a.csv"], "There is no file"),
        ([swinging, swinging], "is the recording itself"),
        ([swinging, tmp_path / "nowhere" / "a.csv"], "there is no folder"),
    ):
        done = touchback("export", *words)
        assert done.returncode in (1, 2)
        assert complaint in done.stderr.replace("\n", " "), done.stderr
    tb.simulate(tb.gallery.make("pendulum").compile(), duration=0.1).save(tmp_path / "run.csv")
    done = touchback("export", tmp_path / "run.csv", tmp_path / "run.html")
    assert "doesn't know its mechanism" in done.stderr.replace("\n", " ")


@pytest.fixture(scope="module")
def clocked(swinging: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """0.4 s against the clock, so that it is written in several chunks."""
    path = tmp_path_factory.mktemp("clocked") / "cart.mcap"
    system = system_in(open_recording(swinging).parts[0])
    with tb.live(system, rate=500, record=path) as live:
        live.run(0.4)
    return path


def flipped(source: Path, target: Path, start: int, count: int) -> Path:
    """A copy with flipped bytes."""
    content = bytearray(source.read_bytes())
    content[start : start + count] = bytes(each ^ 0xFF for each in content[start : start + count])
    target.write_bytes(content)
    return target


def test_what_damage_took_is_said_with_what_is_left(recording: Recording, tmp_path: Path) -> None:
    """A chunk whose checksum is wrong ends what can be read."""
    whole, part = tmp_path / "whole.mcap", recording.parts[0]
    recorder = Recorder(whole, part.about, part.columns)
    recorder.write_parameters(0, part.about["parameters"])
    for start in (0, 300, 600):
        recorder.write(part.rows[start : start + 300])
        recorder.finish_chunk()
    recorder.close()
    place = whole.read_bytes().index(part.rows[400].astype("<f8").tobytes())
    bad = flipped(whole, tmp_path / "flip.mcap", place, 1)
    done = touchback("export", bad, tmp_path / "flip.csv")
    assert done.returncode == 0 and len(tb.open(bad)) == 300
    assert "flip.mcap: cut short or damaged at byte" in done.stderr
    assert "300 ticks kept" in done.stderr
    assert tb.open(bad).metadata["complete"] is False


def test_a_recording_of_which_damage_left_no_tick_is_refused(clocked: Path, tmp_path: Path) -> None:
    whole = open_recording(clocked)
    first = clocked.read_bytes().index(whole.rows[0].astype("<f8").tobytes())
    bad = flipped(clocked, tmp_path / "early.mcap", first, 200)
    for ending in ("csv", "png", "html"):
        done = touchback("export", bad, tmp_path / f"early.{ending}")
        assert done.returncode == 2 and "early.mcap holds no instant" in done.stderr
        assert not (tmp_path / f"early.{ending}").exists()


def test_a_file_that_is_not_there_is_said_to_be_missing_and_long_names_are_refused(
    swinging: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_text("before")
    done = touchback("export", tmp_path / "nothing.mcap", tmp_path / "x.csv")
    assert done.returncode == 2 and "There is no file" in done.stderr
    assert (tmp_path / "x.csv").read_text() == "before"
    long = touchback("export", swinging, tmp_path / f"{'n' * 5000}.csv")
    assert long.returncode == 2 and "a name has at most 255 bytes, got 5004" in long.stderr
    absent = touchback("export", tmp_path / f"{'n' * 5000}.mcap", tmp_path / "y.csv")
    assert absent.returncode == 2 and "can't be read: File name too long" in absent.stderr


def test_ticks_that_were_lost_are_told_by_the_recording_and_its_exports(
    swinging: Path, recording: Recording, tmp_path: Path
) -> None:
    path, part = tmp_path / "gap.mcap", recording.parts[0]
    recorder = Recorder(path, part.about, part.columns)
    recorder.write_parameters(0, part.about["parameters"])
    recorder.write(part.rows[:10])
    recorder.write(part.rows[25:])
    recorder.close()
    run = tb.open(path)
    assert open_recording(path).lost == [(11, 25)]
    assert run.metadata["lost_ticks"] == [(11, 25)] and run.metadata["complete"] is False
    assert tb.open(swinging).metadata["lost_ticks"] == []
    done = touchback("export", path, tmp_path / "gap.csv")
    assert "lacks 15 ticks that were lost while it was recorded (ticks 11 to 25)" in done.stderr


def test_a_film_says_which_structure_it_shows_when_there_were_several(tmp_path: Path) -> None:
    def arm(mass: float) -> tb.Model:
        m = tb.Model("arm", gravity=(0, 0, -9.81))
        body = m.body("arm", mass, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.joint("hinge", tb.Revolute("y"), m.ground, body)
        return m

    path = tmp_path / "two.mcap"
    with tb.live(arm(1.0).compile(), rate=500, speed=None, record=path) as live:
        live.run(0.1)
        live.swap(arm(2.0))
        live.run(0.2)
    done = touchback("export", path, tmp_path / "two.svg")
    assert done.returncode == 0 and "only structure 2 of 2" in done.stderr
    assert "from 0.102 s to 0.3 s" in done.stderr

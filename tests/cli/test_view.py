"""`touchback view` shows a mechanism on a page, and ends with its report."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

import touchback as tb
from command import touchback
from mesh_files import binary_stl
from touchback import gallery, workbench
from touchback.cli.live_commands import view
from touchback.errors import InputError
from touchback.workbench.wire_format import HEAD, POSES
from waiting import PATIENCE


@pytest.mark.parametrize("model", ["pendulum", "file"])
def test_a_mechanism_is_shown_and_reported(model: str, tmp_path: Path) -> None:
    if model == "file":
        path = tmp_path / "mine.yaml"
        gallery.make("slider-crank").save(path)
        model = str(path)
    told = touchback("view", model, "--seconds", "0.2").stdout
    assert re.search(r"page: http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", told)
    assert "Live run of" in told and "lateness" in told


def test_a_robot_is_shown_with_its_meshes(tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    (tmp_path / "arm.stl").write_bytes(binary_stl())
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia '
        'ixx="1" iyy="1" izz="1"/></inertial><visual><geometry><mesh filename="arm.stl"/>'
        '</geometry></visual></link><joint name="j" type="continuous"><parent link="base"/>'
        '<child link="arm"/></joint></robot>'
    )
    command = [sys.executable, "-m", "touchback.cli", "view", str(path), "--seconds", "60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = re.search(r"http\S+", process.stdout.readline())
        assert url is not None
        (mesh,) = [each for each in scene_at(url[0])["shapes"] if each["kind"] == "mesh"]
        place = url[0].replace("/?", f"/mesh/{mesh['mesh']}.bin?")
        with urllib.request.urlopen(place) as answer:
            assert len(answer.read()) == 4 * 9 * 4  # triangles, floats, bytes
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert mesh["body"] == "arm" and mesh["numbers"] == pytest.approx([0.3, 0.2, 0.1])


def scene_at(url: str) -> dict[str, Any]:
    """What a page is told first to draw."""
    with connect(url.replace("http", "ws").replace("/?", "/wire?"), open_timeout=PATIENCE) as wire:
        while True:
            text = wire.recv(timeout=PATIENCE)
            if isinstance(text, str) and (told := json.loads(text)).get("tell") == "scene":
                return told


def test_the_clock_stands_until_somebody_looks() -> None:
    command = [sys.executable, "-m", "touchback.cli", "view", "pendulum"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = re.search(r"http\S+", process.stdout.readline())
        assert url is not None
        time.sleep(2.0)
        place = url[0].replace("http", "ws").replace("/?", "/wire?")
        with connect(place, open_timeout=PATIENCE) as wire:
            times: list[float] = []
            while not times or times[-1] < times[0] + 0.3:
                text = wire.recv(timeout=PATIENCE)
                if isinstance(text, str) and (told := json.loads(text)).get("tell") == "status":
                    times.append(told["time"])
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert times[0] < 1.5  # s: less than it was there alone


@pytest.mark.parametrize(
    "words", [("drive", "sudden-obstacle", "--page", "0"),
              ("drive", "sudden-obstacle", "--wheel", "simulated", "--page", "0"),
              ("view", "gyroscope"), ("view", "mini-baja")],
    ids=" ".join,
)  # fmt: skip
def test_what_a_page_is_told_first_is_somewhere(words: tuple[str, ...]) -> None:
    """Pages open before their run ticks: then what is told are the bodies of its start. A number
    that is none would be null in the scene, and NaN in a frame of poses."""
    command = [sys.executable, "-m", "touchback.cli", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = re.search(r"http\S+", process.stdout.readline())
        assert url is not None
        place = url[0].replace("http", "ws").replace("/?", "/wire?")
        with connect(place, open_timeout=PATIENCE) as wire:
            wire.send('{"do": "watch", "poses": 60}')
            texts, frames = [], []
            while not (texts and len(frames) >= 3):
                told = wire.recv(timeout=PATIENCE)
                if isinstance(told, bytes) and told[0] == POSES:
                    frames.append(np.frombuffer(told[HEAD + 24 :], "<f4"))
                elif isinstance(told, str) and '"tell":"scene"' in told:
                    texts.append(told)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    scene = json.loads(texts[0])
    assert process.returncode == 0 and len(scene["shapes"]) >= 1
    for shape in scene["shapes"]:
        assert None not in (*shape["numbers"], *shape["at"], *shape["turn"]), shape["body"]
    assert None not in (*scene["bounds"][0], *scene["bounds"][1])
    assert all(np.isfinite(frame).all() for frame in frames)


def test_a_recording_is_shown_and_nothing_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(gallery.make("slider-crank").compile(), speed=None, record=path) as live:
        live.run(0.1)
    told = touchback("view", path, "--seconds", "0.2").stdout
    assert "page: http" in told and "Live run" not in told


def test_a_run_is_shown_with_its_mechanism(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    tb.simulate(gallery.make("pendulum").compile(), duration=0.1).save(path)
    assert "page: http" in touchback("view", path, "--of", "pendulum", "--seconds", "0.2").stdout


def test_ctrl_c_ends_it_with_the_report() -> None:
    command = [sys.executable, "-m", "touchback.cli", "view", "pendulum"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        page = process.stdout.readline()
        with urllib.request.urlopen(page.split()[1]) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and "Live run of 'pendulum'" in rest


def test_a_port_that_is_taken_is_said() -> None:
    with (
        workbench.open(gallery.make("pendulum").compile()) as bench,
        pytest.raises(InputError, match=f"port {bench.server.port}: .*another port"),
    ):
        view("pendulum", port=bench.server.port, seconds=0.1)


def test_what_is_neither_a_mechanism_nor_a_file_is_said() -> None:
    with pytest.raises(InputError, match="pendulum"):
        view("pendulom", seconds=0.1)


def test_a_table_of_a_run_is_shown_once_its_mechanism_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    tb.simulate(gallery.make("pendulum").compile(), duration=0.1).save(path)
    alone = touchback("view", path, "--seconds", "0.2")
    assert f"touchback view {path} --of MODEL" in alone.stderr.replace("\n", " ")
    assert "page: http" in touchback("view", path, "--of", "pendulum", "--seconds", "0.2").stdout


@pytest.mark.parametrize(
    ("name", "mend"),
    [("mine.py", r"python .*mine\.py.*\.view\(\)"), ("mine.stl", r"\.urdf.*read_mesh"),
     ("mine.blend", r"'\.blend'.*\.yaml.*\.csv"), ("mine", r"no ending.*\.yaml")],
)  # fmt: skip
def test_a_file_that_is_no_mechanism_is_told_what_to_do_with_it(
    tmp_path: Path, name: str, mend: str
) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(InputError, match=mend):
        view(str(tmp_path / name), seconds=0.1)


def test_a_mechanism_is_no_recording_of_another() -> None:
    with pytest.raises(InputError, match=r"--of cart-pole .*'pendulum' is no recording"):
        view("pendulum", of="cart-pole", seconds=0.1)


@pytest.mark.parametrize("given", [{"constraints": "projection"}, {"connect": ["push=board:x"]}])
def test_a_recording_takes_neither_constraints_nor_devices(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"--connect are for a mechanism that runs; run\.mcap is"):
        view("run.mcap", **given)

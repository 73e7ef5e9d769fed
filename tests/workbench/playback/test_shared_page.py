"""One HTML file that holds a recording: what is in it, what it lacks, and that names stay names."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import zlib
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest

import touchback as tb
from touchback import gallery, workbench
from touchback.errors import InputError
from touchback.realtime import open_recording
from touchback.workbench.page_scene import Poses
from touchback.workbench.playback import shared_page
from touchback.workbench.wire_format import unframed

needs_web_compiler = pytest.mark.skipif(
    not (shutil.which("clang") and shutil.which("wasm-ld")), reason="there is no clang or wasm-ld"
)


class Page(HTMLParser):
    """What a browser would find: elements with their attributes, and texts of scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title, self._within = "", ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._within = tag

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script":
            self.scripts.append(data)
        elif self._within == "title":
            self.title += data


def content(path: Path) -> tuple[dict, dict[str, bytes]]:
    """The header of a file, and its parts."""
    whole = zlib.decompress(base64.b64decode(Page(path).scripts[1]))
    (length,) = struct.unpack_from("<I", whole)
    about = json.loads(whole[4 : 4 + length])
    start = 4 + length
    return about, {
        name: whole[start + a : start + a + n] for name, (a, n) in about["parts"].items()
    }


def swinging(name: str = "swing") -> tb.Model:
    m = tb.Model(name)
    length = m.parameter("length", 0.6, unit="m", min=0.2, max=1.2)
    seat = m.body("seat", mass=2.0, com=(0, 0, -length), inertia=(0.02, 0.02, 0.01))
    m.joint("rope", tb.Revolute("y"), m.ground, seat, damping=0.05, position=0.8)
    m.sensor("seat", tb.Position(seat.at(0, 0, -length)))
    return m


@pytest.fixture(scope="module")
def run() -> tb.Run:
    return tb.simulate(swinging().compile(), None, 1.0, method="rk4", step=1e-3)


def test_a_file_holds_pictures_and_signals_of_the_run(run, tmp_path) -> None:
    path = tmp_path / "swing.html"
    assert workbench.share(run, path, runs=False, signals=[["rope"]]) == []
    about, parts = content(path)
    times = np.frombuffer(parts["times"])
    assert len(times) == 1001 and about["model"] is None
    (segment,) = about["segments"]
    assert (segment["count"], segment["count"] * segment["bytes"]) == (1001, len(parts["frames"]))
    system = swinging().compile()
    poses = Poses(system)
    for row in (0, 500, 1000):
        frame = parts["frames"][row * segment["bytes"] :][: segment["bytes"]]
        _, structure, bodies, time, numbers = unframed(frame)
        x = np.array([run[name][row] for name in system.state_names])
        expected = poses.at(x, time, system.input_defaults, system.parameters)
        assert (structure, bodies, time) == (segment["structure"], 2, run.time[row])
        assert np.abs(numbers - expected).max() < 1e-6  # float32
    signals = np.frombuffer(parts["signals"], "<f4").reshape(len(about["signals"]), -1)
    for name, column in zip(about["signals"], signals, strict=True):
        assert np.array_equal(column, run[name].astype("<f4")), name
    assert about["signals"]["rope"] == "rad"
    assert about["layouts"] == [{"kind": "time", "signals": ["rope"]}]


def test_a_long_recording_has_sixty_pictures_a_second_and_says_so(tmp_path) -> None:
    run = tb.simulate(swinging().compile(), None, 30.0, method="rk4", step=1e-3)
    path = tmp_path / "swing.html"
    workbench.share(run, path, runs=False)
    about, parts = content(path)
    assert len(parts["times"]) // 8 == 1800
    assert "1800 of its 30001 instants are drawn, scopes have all of them" in about["notes"][0]


def test_the_last_seconds_are_shared(run, tmp_path) -> None:
    path = tmp_path / "swing.html"
    workbench.share(run, path, runs=False, seconds=0.25)
    times = np.frombuffer(content(path)[1]["times"])
    assert (times[0], times[-1]) == (0.75, 1.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"seconds": 0}, "seconds must be a positive number, got 0"),
     ({"signals": "rope"}, r"names are expected, as \['rope'\]"),
     ({"signals": [["rpoe"]]}, "did you mean 'rope'")],
)  # fmt: skip
def test_what_is_to_be_shared_is_checked_first(run, tmp_path, given, said) -> None:
    with pytest.raises(InputError, match=said):
        workbench.share(run, tmp_path / "swing.html", **given)


def test_names_stay_names(tmp_path) -> None:
    named = "<script>hacked=1<img src=x onerror=hacked=1>&@STYLE@"
    signal = f"</script></title>{named}\"'"  # of a table from elsewhere
    run = tb.simulate(swinging(named).compile(), None, 0.1, method="rk4", step=1e-3)
    other = tb.Run(run.time, {**run.signals, signal: run.time}, {signal: signal}, run.metadata)
    path = tmp_path / "evil.html"
    workbench.share(other, path, runs=False, model=run.model)
    page = Page(path)
    assert page.title == f"{named} · Touchback"
    scripts = [attributes.get("type") for tag, attributes in page.elements if tag == "script"]
    assert scripts == ["importmap", "text/plain", "module"]
    assert not any(tag == "img" for tag, _ in page.elements)
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    policy = next(x["content"] for tag, x in page.elements if tag == "meta" and "http-equiv" in x)
    assert policy is not None and "default-src 'none'" in policy
    assert content(path)[0]["signals"][signal] == signal


def test_a_file_that_would_be_too_large_is_not_written_and_says_why(run, tmp_path, monkeypatch):
    monkeypatch.setattr(shared_page, "LARGEST", 200_000)
    path = tmp_path / "swing.html"
    with pytest.raises(InputError, match=r"pictures 0\.\d, signals .*; share fewer seconds of it"):
        workbench.share(run, path, runs=False)
    assert not path.exists()


def test_a_machine_without_a_compiler_writes_a_file_that_only_plays(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (lack,) = workbench.share(run, tmp_path / "swing.html")
    assert lack.startswith("It plays the recording only: WebAssembly: wasm-ld isn't on the PATH")
    about, _ = content(tmp_path / "swing.html")
    assert about["model"] is None and f"{lack}." in about["notes"]


@needs_web_compiler
def test_the_scene_of_the_model_follows_lengths_that_are_parameters(run, tmp_path) -> None:
    assert workbench.share(run, tmp_path / "swing.html") == []
    about, parts = content(tmp_path / "swing.html")
    model = about["model"]
    assert parts["model"][:4] == b"\0asm" and (model["step"], model["method"]) == (1e-3, "rk4")
    system = swinging().compile()
    longer = system.parameters | {"length": 0.9}
    poses = Poses(system)
    x = np.array([run[name][-1] for name in system.state_names])
    wanted = msgspec.json.decode(
        msgspec.json.encode(shared_page.make_scene(poses, 0, x, 1.0, longer))
    )
    scene = model["scene"]
    for path, slope in model["slopes"]["length"]:
        owner = scene
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] += slope * (0.9 - 0.6)
    for each, other in zip(scene["shapes"], wanted["shapes"], strict=True):
        assert each["kind"] == other["kind"]
        assert np.abs(np.subtract(each["numbers"], other["numbers"])).max(initial=0.0) < 1e-6
    assert scene["shapes"] != about["scenes"]["1"]["shapes"]  # something did change


def test_a_run_of_a_model_that_nobody_knows_is_refused(tmp_path) -> None:
    unknown = tb.Run([0.0, 1.0], {"x": [0.0, 1.0]})
    with pytest.raises(InputError, match="doesn't know its mechanism"):
        workbench.share(unknown, tmp_path / "x.html")
    with pytest.raises(InputError, match=r"'ropes'.*did you mean 'rope'"):
        run = tb.simulate(swinging().compile(), None, 0.1, method="rk4", step=1e-3)
        workbench.share(run, tmp_path / "x.html", signals=[["ropes"]], runs=False)


def test_a_recording_that_changed_its_structure_shows_each(tmp_path) -> None:
    with tb.live(
        gallery.make("pendulum").compile(), rate=500, speed=None, record=tmp_path / "p.mcap"
    ) as live:
        live.run(0.2)
        other = gallery.make("pendulum")
        other.sensor("another", tb.Energy())
        live.swap(other)
        live.run(0.2)
    path = tmp_path / "p.html"
    workbench.share(open_recording(tmp_path / "p.mcap"), path, runs=False)
    about, parts = content(path)
    assert [each["structure"] for each in about["segments"]] == [1, 2]
    assert {"1", "2"} == set(about["scenes"])
    assert sum(each["count"] * each["bytes"] for each in about["segments"]) == len(parts["frames"])


# ---- as pages ask for it -------------------------------------------------------------------------


def shared(bench: workbench.Workbench, **asked: object) -> tuple[dict, dict[str, bytes]]:
    message = json.dumps({"do": "share", "id": 1, **asked}).encode()
    answer = bench.source.handle(message, "me")
    assert answer.ok, answer.error
    _, file = bench.server.request_handler.generated_files[answer.facts["path"]]()
    assert file.stat().st_size == answer.facts["bytes"]
    return content(file)


def test_pages_share_the_last_seconds_of_a_live_run(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # in this test it only plays
    system = swinging().compile()
    with (
        tb.live(system, rate=500, speed=None) as live,
        workbench.open(live, recordings=tmp_path) as bench,
    ):
        answer = bench.source.handle(b'{"do": "share", "id": 1}', "me")
        assert not answer.ok and "nothing to share yet" in answer.error
        live.run(2.0)
        about, parts = shared(bench, seconds=0.5, scopes=[["rope"], ["seat.x", "seat.z"]])
        last = live["rope"]
    times = np.frombuffer(parts["times"])
    assert abs(times[-1] - 2.0) < 1e-9 and abs(times[0] - 1.5) < 1e-9
    assert about["layouts"][1] == {"kind": "time", "signals": ["seat.x", "seat.z"]}
    signals = np.frombuffer(parts["signals"], "<f4").reshape(len(about["signals"]), -1)
    assert signals[list(about["signals"]).index("rope"), -1] == np.float32(last)


def test_pages_share_a_drawing_that_rests(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with workbench.open_drawing(swinging(), folder=tmp_path, recordings=tmp_path) as bench:
        about, parts = shared(bench, seconds=0.5)
    run = tb.simulate(swinging().compile(), None, 0.5, method="rk4", step=1e-3)
    signals = np.frombuffer(parts["signals"], "<f4").reshape(len(about["signals"]), -1)
    rope = signals[list(about["signals"]).index("rope")]
    assert np.array_equal(rope, run["rope"].astype("<f4"))


def test_a_recording_that_is_shown_is_shared(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with workbench.open(run, recordings=tmp_path) as bench:
        _, parts = shared(bench)
    assert len(parts["times"]) // 8 == 1001

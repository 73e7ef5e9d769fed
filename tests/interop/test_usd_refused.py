"""USD files that are wrong or hostile."""

import os
from pathlib import Path

import pytest

import touchback as tb
from touchback.errors import ModelError
from touchback.interop import read_usd
from touchback.interop.usd import usd_stage
from usd_stages import RIGID, SOLID, Usd, scene


def mesh(points: str, corners: str) -> str:
    return f"""def Mesh "m" {{
    point3f[] points = [{points}]
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [{corners}]
}}"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#usda 1.0\n( nonsense", "not a USD file: 2:"),
        (scene('def Sphere "s" (references = @/etc/passwd.usda@) {}'), "not in its folder"),
        (scene("", "metersPerUnit = -1"), r"metersPerUnit is -1.0; 1e-12 to 1e\+12 it may be"),
        (
            scene('def Sphere "s" {\ndouble radius = -1\n}'),
            "/s: radius is -1.0; a finite number from 0 on",
        ),
        (
            scene('def Sphere "s" {\nstring radius = "x"\n}'),
            "/s: radius is x; 1 number is expected",
        ),
        ('#usda 1.0\n(\nupAxis = "Q"\n)\n', "upAxis is 'Q'; Y or Z is expected"),
        ("#usda 1.0\n" + 500 * 'def "a" {\n' + 500 * "}\n", "more than 200 brackets"),
        (
            '#usda 1.0\n(\n"""\\"""}"""\ncustomLayerData = ' + 500 * "{dictionary a = ",
            "more than 200 brackets",  # with a string that ends where USD has its end
        ),
        (scene(f'def "a" {{\ndouble[] b = {1000 * "["}'), "more than 200 brackets"),
        (scene(mesh("(0, 0, 0), (0, 0, 0), (0, 0, 0)", "0, 1, 2")), "/m: all its triangles are"),
        (
            scene(mesh("(0, 0, 0)", "0, 1, nan").replace("int[]", "float[]")),
            "/m: a mesh has finite points and faces",
        ),
        (
            scene(mesh("(1, 2), (3, 4)", "0, 1, 2").replace("point3f", "float2")),
            "/m: a mesh has finite points and faces",
        ),
        (
            scene(
                f'def Xform "b" ({RIGID}) {{\n{SOLID}\n'
                "quatf physics:principalAxes = (nan, 0, 0, 0)\n}"
            ),
            "/b: body 'b': its mass 2.0 kg, .* must be finite; check its sizes",
        ),
        (scene('def Sphere "b" {\ndouble radius = 1e308\n}'), r"/b: its sizes .* at most 1e\+06"),
        (scene('def Mesh "m" {}'), "/m: a mesh has finite points and faces"),
        (scene('def PhysicsFixedJoint "j" {}'), "/j: both its bodies are 'ground'"),
        (
            scene('def PhysicsFixedJoint "j" {\nrel physics:body0 = </nowhere>\n}'),
            "/j: body0 is /nowhere, which is not there",
        ),
        (
            scene(f'def Xform "b" ({RIGID}) {{\nfloat physics:mass = -2\n}}'),
            "/b: physics:mass is -2.0; a finite number from 0 on",
        ),
    ],
)
def test_what_no_scene_can_be_is_refused_by_the_name_of_its_prim(text, words) -> None:
    with pytest.raises(ModelError, match=words):
        read_usd(text)


def test_files_of_every_ending_are_read_and_layers_beside_them_only(tmp_path: Path) -> None:
    text = scene(f'def Xform "part" ({RIGID}) {{\n{SOLID}\n}}')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "part.usda").write_text(text)
    (inner / "whole.usda").write_text("#usda 1.0\n(\nsubLayers = [@part.usda@]\n)\n")
    stage = Usd.Stage.Open(str(inner / "part.usda"))
    for ending in ("usd", "usdc"):
        stage.Export(str(inner / f"part.{ending}"))
    for name in ("part.usda", "whole.usda", "part.usd", "part.usdc"):
        assert list(tb.read(inner / name).bodies) == ["part"], name
    (tmp_path / "part.usda").write_text(text)
    (inner / "out.usda").write_text("#usda 1.0\n(\nsubLayers = [@../part.usda@]\n)\n")
    with pytest.raises(ModelError, match=r"names '../part.usda', which is not in its folder"):
        tb.read(inner / "out.usda")


def test_only_what_lies_in_its_folder_is_opened_and_no_working_folder(
    tmp_path: Path, monkeypatch
) -> None:
    """USD looks for "lib/part.usda" where the program runs, too; and waits at a FIFO."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "part.usda").write_text(scene('def Xform "part" {}'))
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    os.mkfifo(inner / "fifo.usda")
    for called, words in (("lib/part.usda", "There is no file"), ("./fifo.usda", "is a FIFO")):
        (inner / "whole.usda").write_text(f"#usda 1.0\n(\nsubLayers = [@{called}@]\n)\n")
        with pytest.raises(ModelError, match=words):
            tb.read(inner / "whole.usda")


@pytest.mark.parametrize("as_file", [False, True])
def test_scenes_are_read_up_to_a_size(
    as_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in bytes, of which a letter may have two."""
    text = scene(f'def Sphere "s" ({RIGID}) {{ # ä\n{SOLID}\n}}')
    (tmp_path / "a.usda").write_text(text, encoding="utf-8")
    given = tmp_path / "a.usda" if as_file else text
    monkeypatch.setattr(usd_stage, "MAX_BYTES", len(text.encode()))
    read_usd(given)
    monkeypatch.setattr(usd_stage, "MAX_BYTES", len(text.encode()) - 1)
    with pytest.raises(ModelError, match="bytes"):
        read_usd(given)


def test_references_within_a_text_are_followed() -> None:
    part = f'def Xform "one" ({RIGID}) {{\n{SOLID}\n}}\ndef "two" (references = </one>) {{\n}}'
    assert list(read_usd(scene(part)).bodies) == ["one", "two"]


def test_what_breaks_usds_library_down_is_refused(tmp_path: Path) -> None:
    """A binary file that says that its tokens take 10¹⁶ bytes ended the program."""
    path = tmp_path / "part.usdc"
    Usd.Stage.CreateInMemory().Export(str(path))
    content = bytearray(path.read_bytes())
    content[110] = 115  # of the eight from 104 on
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"part.usdc: USD's library breaks down over it"):
        read_usd(path)


def test_bytes_that_are_no_text_are_told_in_words_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "bytes.usda"
    path.write_bytes(b"#usda 1.0\ndef Cube \xa1 {}\n")
    with pytest.raises(ModelError, match="not a USD file: it has bytes that are no UTF"):
        read_usd(path)

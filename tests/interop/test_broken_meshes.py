"""Mesh files that are broken or mean harm are refused in words of ours, and cost little."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import touchback as tb
from mesh_files import FACES, FILES, binary_stl, dae, obj
from touchback.interop import read_urdf
from touchback.interop.meshes import mesh_file as reader
from touchback.interop.meshes.mesh_file import check_collada, read_mesh
from touchback.model.solids.visual_mesh import unpacked

pytest.importorskip("trimesh", reason="trimesh is not installed")
pytest.importorskip("collada", reason="pycollada is not installed")


def _shown(number: int) -> str:
    return f'<instance_node url="#n{number}"/>'


_TEN = "".join(f'<node id="n{i}">{_shown(i + 1) * 10}</node>' for i in range(9))
_BOMB = _TEN + '<node id="n9"><instance_geometry url="#g"/></node>'
_LARGE = dae().replace(b"triangles", b"polylist")
_LARGE = _LARGE.replace(b"<p>", b"<vcount>999999999 3 3 3</vcount><p>")
HARM = {
    "bomb.dae": dae(scene=_BOMB),
    "self.dae": dae(scene='<node id="n1"><instance_node url="#n1"/></node>'),
    "entity.dae": b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + dae().partition(b"?>")[2],
    "many.dae": _LARGE,
    "index.dae": dae().replace(b"<p>0 ", b"<p>99999 "),
    "unit.dae": dae().replace(b'meter="1.0"', b'meter="1e300"'),
    "count.stl": binary_stl()[:80] + b"\xff\xff\xff\xff" + binary_stl()[84:],
    "nan.stl": binary_stl()[:96] + b"\x00\x00\xc0\x7f" + binary_stl()[100:],
    "far.obj": obj().replace(b"v 0.3", b"v 1e30"),
    "index.obj": obj().replace(b"f 1 ", b"f 99999 "),
    "empty.stl": b"", "empty.obj": b"", "empty.dae": b"", "words.stl": b"solid and nothing else",
    "points.obj": b"v 0 0 0\nv 1 0 0\n", "zeros.stl": bytes(10_000),
    "lines.obj": b"v 0 0 0\nv 1 0 0\nf 1 2 1\nf 2 1 2\n",
    "point.obj": b"v 0 0 0\nf 1 1 1\n", "flat.obj": b"v 0 0\nv 4 0\nv 4 4\nf 1 2 3\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HARM)
def test_a_file_that_is_broken_or_means_harm_is_refused_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HARM[name])
    with pytest.raises(tb.ModelError, match=name.replace(".", r"\.")):
        read_mesh(tmp_path / name)


@pytest.mark.parametrize("number", [b"-99999999999", b"-99", b"99999"])
def test_a_point_that_an_obj_lacks_is_told_in_words_of_ours(tmp_path: Path, number: bytes) -> None:
    (tmp_path / "far.obj").write_bytes(obj().replace(b"f 1 ", b"f " + number + b" "))
    with pytest.raises(tb.ModelError, match="a triangle names a point that it doesn't have"):
        read_mesh(tmp_path / "far.obj")


def test_a_broken_mesh_of_a_robot_names_line_and_link_and_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(
        '<robot name="r"><link name="l0"><visual><geometry><mesh filename="m.obj"/></geometry>'
        "</visual></link></robot>"
    )
    (tmp_path / "m.obj").write_bytes(b"nothing")
    with pytest.raises(tb.ModelError, match=r"robot.urdf, line 1: link 'l0': m.obj.*meshes=False"):
        read_urdf(file)
    assert read_urdf(file, meshes=False).shapes == {}


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.stl").write_bytes(binary_stl())
    monkeypatch.setattr(reader, "MAX_TRIANGLES", 3)
    with pytest.raises(tb.ModelError, match="4 triangles; at most 3 are read"):
        read_mesh(tmp_path / "a.stl")
    monkeypatch.setattr(reader, "MAX_BYTES", 100)
    with pytest.raises(tb.ModelError, match="at most 100 are read"):
        read_mesh(tmp_path / "a.stl")
    for scale in (0.0, np.nan, (1.0, np.inf, 1.0)):
        with pytest.raises(tb.ModelError, match="scale"):
            read_mesh(tmp_path / "a.stl", scale)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(FILES)),
    cuts=st.lists(
        st.tuples(st.integers(0, 2000), st.integers(0, 40), st.binary(max_size=20)), max_size=4
    ),
)
def test_spoilt_files_give_a_mesh_or_an_error_of_ours(
    tmp_path: Path, name: str, cuts: list[tuple[int, int, bytes]]
) -> None:
    """Pieces of good files are replaced by garbage."""
    content = FILES[name]
    for start, length, other in cuts:
        at = start % len(content) if content else 0
        content = content[:at] + other + content[at + length :]
    (tmp_path / name).write_bytes(content)
    try:
        mesh = read_mesh(tmp_path / name)
    except tb.TouchbackError as error:
        assert name in str(error)
    else:
        places, corners = unpacked(mesh.points, mesh.triangles)
        assert np.isfinite(places).all() and len(corners)


def test_files_that_a_mesh_names_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Materials may lead anywhere."""
    from trimesh.resolvers import FilePathResolver

    (tmp_path / "m.obj").write_bytes(obj())
    asked: list[str] = []
    monkeypatch.setattr(FilePathResolver, "get", lambda self, name: asked.append(name))
    read_mesh(tmp_path / "m.obj")
    assert asked == []


@pytest.mark.parametrize("times", [1, 2, 10])
def test_a_scene_may_show_so_many_numbers_and_not_one_more(times: int) -> None:
    """Whatever it shows counts as often as it is shown, not as it is written."""
    again = '<node><instance_geometry url="#g"/></node>' * (times - 1)
    content, shown = dae(unit=0.5, scene=again), times * FACES.size
    assert check_collada(content, "m.dae", shown) == 0.5
    with pytest.raises(
        tb.ModelError, match=rf"m\.dae: its scene shows {shown} numbers .* at most {shown - 1} are"
    ):
        check_collada(content, "m.dae", shown - 1)


def test_a_scene_that_is_too_large_is_refused_before_it_is_unfolded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.dae"
    path.write_bytes(HARM["bomb.dae"])

    def unfolds(*given: object, **more: object) -> None:
        raise AssertionError("the reader was asked")

    monkeypatch.setattr("trimesh.load_scene", unfolds)
    monkeypatch.setattr("collada.Collada", unfolds)
    with pytest.raises(tb.ModelError, match=r"its scene shows .* numbers of triangles"):
        read_mesh(path)

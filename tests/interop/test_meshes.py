"""Meshes are where Pinocchio has them, come from no place but the robot's, and break nothing."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from mesh_files import FACES, FILES, POINTS, binary_stl, dae
from touchback.draw.scene import Track, scene_of
from touchback.interop import ImportNotice, read_urdf
from touchback.interop.meshes.mesh_file import read_mesh, weld_points
from touchback.model.io import model_from_text, to_text
from touchback.model.solids.visual_mesh import unpacked
from touchback.model.visual_shapes import BoxShape, MeshShape

pytest.importorskip("trimesh", reason="trimesh is not installed")
pytest.importorskip("collada", reason="pycollada is not installed")

INERTIA = (
    '<inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


def robot(*meshes: str) -> str:
    """A chain of links, each with one mesh."""
    parts = []
    for number, mesh in enumerate(meshes):
        parts.append(
            f'<link name="l{number}">{INERTIA}<visual><origin xyz="0.1 {0.2 * number} -0.3" '
            f'rpy="0.3 -0.5 {number}"/><geometry>{mesh}</geometry></visual></link>'
        )
        if number:
            parts.append(
                f'<joint name="j{number}" type="continuous"><parent link="l{number - 1}"/>'
                f'<child link="l{number}"/><origin xyz="0 0.1 0.4" rpy="0.2 0 1"/>'
                '<axis xyz="0 0.6 0.8"/></joint>'
            )
    return f'<robot name="r">{"".join(parts)}</robot>'


def folder_of(place: Path, text: str) -> Path:
    """A package "pack" with a robot and all mesh files."""
    (place / "pack" / "meshes").mkdir(parents=True)
    (place / "pack" / "package.xml").write_text("<package/>")
    for name, content in FILES.items():
        (place / "pack" / "meshes" / name).write_bytes(content)
    (place / "pack" / "meshes" / "turned.dae").write_bytes(
        dae(1.0, "0 -1 0 0.5 1 0 0 0 0 0 1 0 0 0 0 1")
    )
    file = place / "pack" / "robot.urdf"
    file.write_text(text)
    return file


def triangles(mesh: tb.Mesh) -> np.ndarray:
    places, corners = unpacked(mesh.points, mesh.triangles)
    return places[corners]


def in_order(corners: np.ndarray) -> np.ndarray:
    """Triangles in an order of their own, each from its smallest corner on."""
    rows = [np.roll(t, -min(range(3), key=lambda i: tuple(t[i].round(6))), axis=0) for t in corners]
    return np.array(sorted(rows, key=lambda t: t.round(6).ravel().tolist()))


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_triangles(tmp_path: Path, name: str) -> None:
    """To the rounding of single precision; the inside stays inside."""
    (tmp_path / name).write_bytes(FILES[name])
    found = in_order(triangles(read_mesh(tmp_path / name)))
    assert found == pytest.approx(in_order(POINTS[FACES]), abs=1e-7)


def test_a_mirrored_mesh_still_has_its_outside_outside(tmp_path: Path) -> None:
    """The volume, by the divergence theorem, keeps its sign: 0.3 · 0.2 · 0.1/6 · |2 · −3 · 4|."""
    (tmp_path / "a.stl").write_bytes(binary_stl())
    a, b, c = triangles(read_mesh(tmp_path / "a.stl", (2.0, -3.0, 4.0))).transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(24e-3, rel=1e-6)


def test_the_unit_of_a_collada_file_counts_as_in_gazebo_and_rviz(tmp_path: Path) -> None:
    """Millimetres, in a node that moves it by 500 of them and turns x to y."""
    (tmp_path / "mm.dae").write_bytes(dae(0.001, "0 -1 0 500 1 0 0 0 0 0 1 0 0 0 0 1"))
    turned = POINTS @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + [0.5, 0, 0]
    found = in_order(triangles(read_mesh(tmp_path / "mm.dae", 2.0)))
    assert found == pytest.approx(in_order(2.0 * turned[FACES]), abs=1e-6)


def test_meshes_are_where_pinocchio_has_them(tmp_path: Path) -> None:
    """All formats, ways to name a file, scales and nodes, on a chain that has moved."""
    pin = pytest.importorskip("pinocchio")
    meshes = tmp_path / "pack" / "meshes"
    text = robot(
        '<mesh filename="package://pack/meshes/bin.stl" scale="1 2 3"/>',
        f'<mesh filename="file://{meshes}/text.stl"/>',
        '<mesh filename="package://pack/meshes/m.obj" scale="0.5 -0.5 0.5"/>',
        '<mesh filename="package://pack/meshes/m.dae"/>',
        '<mesh filename="package://pack/meshes/turned.dae" scale="2 2 2"/>',
    )
    file = folder_of(tmp_path, text)
    q = np.array([0.3, -1.1, 0.7, 2.0])
    theirs = pin.buildModelFromUrdf(str(file))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own binding's names
        shown = pin.buildGeomFromUrdf(theirs, str(file), pin.GeometryType.VISUAL, str(tmp_path))
    data, places = theirs.createData(), shown.createData()
    angles = np.column_stack([np.cos(q), np.sin(q)]).ravel()
    pin.updateGeometryPlacements(theirs, data, shown, places, angles)
    track = Track(np.zeros(1), {f"j{i + 1}": q[i : i + 1] for i in range(4)})
    pieces = scene_of(read_urdf(file), track).pieces
    assert [piece.kind for piece in pieces] == [MeshShape] * 5
    for piece, other, at in zip(pieces, shown.geometryObjects, places.oMg, strict=True):
        points = np.unique(np.asarray(other.geometry.vertices()), axis=0)
        points = points @ at.rotation.T + at.translation
        own = np.unique(piece.triangles.reshape(-1, 3), axis=0) @ piece.R[0].T + piece.p[0]
        assert _sorted(own) == pytest.approx(_sorted(points), abs=2e-6)  # single precision


def _sorted(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.round(4).T)]


def test_pieces_and_materials_of_an_obj_file_are_one_mesh(tmp_path: Path) -> None:
    """A file of thousands of them took minutes."""
    corners = "".join(f"v {x} {y} 0\n" for x in range(50) for y in range(50))
    pieces = "".join(
        f"o piece {i}\nusemtl m{i}\nf {i + 1} \\\n {i + 2} {i + 51}\n" for i in range(2440)
    )
    (tmp_path / "m.obj").write_text(corners + pieces)
    assert triangles(read_mesh(tmp_path / "m.obj")).shape == (2440, 3, 3)


def test_relative_paths_are_those_beside_the_file(tmp_path: Path) -> None:
    file = folder_of(tmp_path, robot('<mesh filename="meshes/m.obj"/>'))
    assert triangles(read_urdf(file).shapes["l0"].solid).shape == (4, 3, 3)


@pytest.mark.parametrize(
    ("called", "why"),
    [
        ("package://pack/meshes/none.stl", "there is no file"),
        ("package://elsewhere/a.stl", "say where it is by packages="),
        ("package://pack/../outside.stl", "out of the folders"),
        ("../outside.stl", "out of the folders"),
        ("meshes/link.stl", "out of the folders"),
        ("file:///etc/a.stl", "out of the folders"),
        ("/etc/a.stl", "out of the folders"),
        ("package://../outside.stl", "say where it is"),
        ("http://example.org/a.stl", "nothing is fetched"),
        ("meshes/a.mesh", "is no .stl, .obj, .dae"),
        ("meshes/circle.stl", "links in a circle"),
        ("meshes/" + 5000 * "a" + ".stl", "a…': can't be read: File name too long"),
    ],
)
def test_a_mesh_that_cannot_be_had_is_told_and_the_body_drawn_from_its_inertia(
    tmp_path: Path, called: str, why: str
) -> None:
    """m (b² + c²)/3 of the half sides of the cuboid is its inertia."""
    file = folder_of(tmp_path, robot(f'<mesh filename="{called}"/>'))
    (tmp_path / "outside.stl").write_bytes(binary_stl())
    (tmp_path / "pack" / "meshes" / "link.stl").symlink_to(tmp_path / "outside.stl")
    circle = tmp_path / "pack" / "meshes" / "circle.stl"
    circle.symlink_to(circle)
    with pytest.warns(ImportNotice, match=why):
        model = read_urdf(file)
    (piece,) = scene_of(model, Track(np.zeros(1), {})).pieces
    assert piece.kind is BoxShape
    x, y, z = np.square(piece.numbers)
    assert [2 * (y + z) / 3, 2 * (z + x) / 3, 2 * (x + y) / 3] == pytest.approx([0.02, 0.03, 0.04])


def test_a_mesh_with_an_empty_filename_says_so() -> None:
    with pytest.raises(tb.ModelError, match="the attribute filename of <mesh> is empty"):
        read_urdf(robot('<mesh filename=" "/>'))


def test_a_package_that_was_named_may_lie_anywhere(tmp_path: Path) -> None:
    folder_of(tmp_path / "far", "")
    text = robot('<mesh filename="package://pack/meshes/m.dae"/>')
    model = read_urdf(text, packages={"pack": tmp_path / "far" / "pack"})
    assert triangles(model.shapes["l0"].solid) == pytest.approx(POINTS[FACES], abs=1e-7)


def test_without_the_extra_a_robot_is_read_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder_of(tmp_path, robot('<mesh filename="meshes/m.obj"/>'))
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.warns(ImportNotice, match=r"needs trimesh; install it with `pip install touchback"):
        assert read_urdf(file).shapes == {}
    with pytest.raises(tb.InputError, match=r"touchback\[formats\]"):
        read_mesh(tmp_path / "pack" / "meshes" / "m.obj")


def test_large_meshes_become_coarser_and_keep_their_size(tmp_path: Path) -> None:
    """A sphere of 20 480 triangles: no point leaves it by more than a cell of the grid."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.5)
    (tmp_path / "ball.stl").write_bytes(ball.export(file_type="stl"))
    coarse = triangles(read_mesh(tmp_path / "ball.stl", most=2000))
    assert 500 < len(coarse) <= 2000
    radii = np.linalg.norm(coarse.reshape(-1, 3), axis=1)
    assert radii.max() <= 0.5 + 1e-6 and radii.min() > 0.5 * 0.95


def test_corners_at_one_place_are_one_point_and_triangles_stay_where_they_are() -> None:
    """A soup of 20 000 triangles on 1331 places, each some 45 times, a few triangles twice."""
    soup = np.random.default_rng(5).integers(-5, 6, (60_000, 3)).astype(np.float32)
    soup[:300] = soup[300:600]
    places, kept = weld_points(soup, np.arange(60_000).reshape(-1, 3))
    assert len(places) == 11**3 == len({tuple(place) for place in places})
    corners = [frozenset(map(tuple, triangle)) for triangle in soup.reshape(-1, 3, 3)]
    assert [frozenset(map(tuple, t)) for t in places[kept]] == [
        each for each in dict.fromkeys(corners) if len(each) == 3
    ]


def test_files_keep_meshes() -> None:
    m = tb.Model("m")
    m.joint("j", tb.Revolute("z"), m.ground, m.body("b", 1.0, inertia=(1, 1, 1)))
    m.shape("look", "b", tb.Mesh.of(POINTS, FACES))
    m.shape("foot", "b", tb.Capsule(0.1, 0.4))
    for ending in (".yaml", ".json"):
        again = model_from_text(to_text(m, ending), ending)
        assert again.shapes == m.shapes
    assert repr(m.shapes["look"].solid) == "Mesh(4 points, 4 triangles)"
    spoilt = to_text(m, ".json").replace(m.shapes["look"].solid.triangles, "AAAA")
    with pytest.raises(tb.ModelError, match=r"look.*its triangles have 3 bytes"):
        model_from_text(spoilt, ".json")


@pytest.mark.parametrize(
    ("points", "faces", "why"),
    [
        (POINTS, [[0, 1, 4]], "has point 4, of 4"), (POINTS, np.zeros((0, 3)), "no triangles"),
        ([[np.nan, 0, 0]] * 3, [[0, 1, 2]], "finite"), (POINTS, [[0, 1, -1]], "numbers"),
        (POINTS, [[0, 1, 0.5]], "whole numbers"), (POINTS[0], FACES, "rows of three"),
    ],
)  # fmt: skip
def test_what_is_no_mesh_is_refused(points: object, faces: object, why: str) -> None:
    with pytest.raises(tb.ModelError, match=why):
        tb.Mesh.of(points, faces)  # type: ignore[arg-type]

"""Meshes that enclose no solid are told of with what that does to their inertia, held against
closed forms, trimesh and MuJoCo."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

import touchback as tb
from touchback.interop.import_notes import ImportNotice
from touchback.interop.meshes.mesh_inertia import mesh_faults
from touchback.interop.meshes.solid_inertia import of_triangles

SIZE = (0.2, 0.3, 0.4)
BOX = trimesh.creation.box(SIZE)
BALL = trimesh.creation.icosphere(3, 0.1)


def moved(mesh: trimesh.Trimesh, x: float) -> trimesh.Trimesh:
    return mesh.copy().apply_translation((x, 0.0, 0.0))


def arrays(mesh: trimesh.Trimesh) -> tuple[np.ndarray, np.ndarray]:
    return np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)


@pytest.mark.parametrize(
    "mesh",
    [
        BOX,
        BALL,
        trimesh.creation.torus(0.3, 0.1),
        trimesh.util.concatenate([BALL, moved(BALL, 0.3)]),  # two that don't meet
        trimesh.util.concatenate(  # a box with a hollow
            [BOX, trimesh.Trimesh(0.5 * BOX.vertices, BOX.faces[:, ::-1], process=False)]
        ),
        trimesh.creation.annulus(0.05, 0.1, 0.2),
    ],
    ids=["box", "ball", "torus", "two balls", "hollow box", "tube"],
)
@pytest.mark.parametrize("way", ["exact", "legacy", "shell"])
def test_solids_have_no_faults(mesh: trimesh.Trimesh, way: str) -> None:
    points, triangles = arrays(mesh)
    assert mesh_faults(points, triangles, way) is None
    if way == "exact":
        found = of_triangles(points, triangles, way)
        assert found.mass == pytest.approx(mesh.volume, rel=1e-12)
        assert pytest.approx(mesh.moment_inertia, rel=1e-9, abs=1e-12) == found.J


def test_corners_by_themselves_as_in_stl_are_no_holes() -> None:
    points, triangles = arrays(BALL)
    loose = points[triangles].reshape(-1, 3)
    assert mesh_faults(loose, np.arange(len(loose)).reshape(-1, 3)) is None


@pytest.mark.parametrize("way", ["exact", "legacy"])
@pytest.mark.parametrize("missing", range(12))
def test_a_box_without_a_triangle_is_off_by_what_the_closed_form_says(
    way: str, missing: int
) -> None:
    """V = abc, I = m (b² + c²)/12; a hole that is flat is filled exactly, to rounding."""
    points, triangles = arrays(BOX)
    faces = np.delete(triangles, missing, axis=0)
    given = of_triangles(points, faces, way)
    volume = math.prod(SIZE)
    J = volume / 12.0 * np.diag([sum(s**2 for s in SIZE) - s**2 for s in SIZE])
    c = given.com
    about = given.J + given.mass * (c @ c * np.eye(3) - np.outer(c, c))  # about the box's middle
    faults = mesh_faults(points, faces, way)
    assert faults is not None and faults.open_edges == 3 and not faults.turned
    assert faults.volume_error == pytest.approx(abs(given.mass - volume) / volume, rel=1e-9)
    wanted = np.linalg.norm(about - J, 2) / np.linalg.norm(J, 2)
    assert faults.moment_error == pytest.approx(wanted, rel=1e-9)
    assert faults.matters and "it is open (3 edges have one triangle)" in str(faults)


def test_a_ball_without_a_triangle_is_off_by_what_the_whole_one_says() -> None:
    points, triangles = arrays(BALL)
    given = of_triangles(points, triangles[1:], "exact")
    faults = mesh_faults(points, triangles[1:])
    assert faults is not None and faults.open_edges == 3
    wanted = abs(given.mass - BALL.volume) / BALL.volume
    assert 1e-4 < wanted < 1e-2
    assert faults.volume_error == pytest.approx(wanted, rel=1e-9)


def test_several_holes_are_filled_each_by_itself() -> None:
    points, triangles = arrays(BOX)
    normals = BOX.face_normals
    open_ends = triangles[np.abs(normals[:, 2]) < 0.5]  # a tube: two square holes
    faults = mesh_faults(points, open_ends)
    assert faults is not None and faults.open_edges == 8
    given = of_triangles(points, open_ends, "exact")
    wanted = abs(given.mass - math.prod(SIZE)) / math.prod(SIZE)
    assert faults.volume_error == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("every", [2, 3, 7, 100])
def test_triangles_that_are_turned_are_counted_and_weighed(every: int) -> None:
    """Signed volumes of turned triangles are taken away instead of added."""
    points, triangles = arrays(BALL)
    faces = triangles.copy()
    faces[::every] = faces[::every, ::-1]
    faults = mesh_faults(points, faces)
    assert faults is not None and faults.open_edges == 0
    assert faults.turned == len(triangles[::every])
    given = of_triangles(points, faces, "exact").mass
    assert faults.volume_error == pytest.approx(abs(given - BALL.volume) / BALL.volume, abs=1e-9)
    of_both = mesh_faults(points, faces, "legacy")  # which counts all as positive
    assert of_both is not None and not of_both.matters


def test_a_mesh_inside_out_is_turned_as_a_whole() -> None:
    points, triangles = arrays(BOX)
    found = of_triangles(points, triangles[:, ::-1], "exact")
    assert found.mass == pytest.approx(math.prod(SIZE), rel=1e-12)
    faults = mesh_faults(points, triangles[:, ::-1])
    assert faults is not None and not faults.matters


@pytest.mark.parametrize("apart", [0.02, 0.1, 0.15])
def test_what_is_enclosed_twice_is_found(apart: float) -> None:
    """Two balls of radius r at a distance d share a lens of π (2r − d)² (d² + 4 d r)/(12 d); to a
    hundredth of the union, by a grid of 96 rays a side and 1280 triangles."""
    r = 0.1
    faults = mesh_faults(*arrays(trimesh.util.concatenate([BALL, moved(BALL, apart)])))
    lens = math.pi * (2 * r - apart) ** 2 * (apart**2 + 4 * apart * r) / (12 * apart)
    union = 8 / 3 * math.pi * r**3 - lens
    assert faults is not None and faults.overlap == pytest.approx(lens / union, abs=0.01)
    assert faults.volume_error == pytest.approx(lens / union, abs=0.01)
    assert "it passes through itself" in str(faults)


MJCF = """<mujoco><asset><mesh name="hull" file="hull.stl" {inertia}/></asset><worldbody>
<body name="boat"><freejoint/>{inertial}<geom type="mesh" mesh="hull" density="500"/></body>
</worldbody></mujoco>"""


def boat(folder: Path, faces: np.ndarray, inertia: str = "", inertial: str = "") -> Path:
    trimesh.Trimesh(BOX.vertices, faces, process=False).export(folder / "hull.stl")
    path = folder / "boat.xml"
    path.write_text(MJCF.format(inertia=inertia, inertial=inertial))
    return path


def test_mujocos_open_mesh_weighs_as_there_and_is_warned_of_by_name(tmp_path: Path) -> None:
    """The estimate is what MuJoCo's own mass is off from ρ abc."""
    path = boat(tmp_path, BOX.faces[1:])
    theirs = mujoco.MjModel.from_xml_path(str(path))
    with pytest.warns(
        ImportNotice, match=r"mesh 'hull' weighs as a solid, but it is open \(3 edges"
    ):
        model = tb.read(path)
    mass = float(model.bodies["boat"].mass)  # type: ignore[arg-type]
    assert mass == pytest.approx(theirs.body("boat").mass[0], rel=1e-6)  # in single precision there
    off = abs(theirs.body("boat").mass[0] / (500.0 * math.prod(SIZE)) - 1.0)
    (note,) = [each for each in model.imported["notes"] if "'hull'" in each]
    assert f"volume is off by about {100 * off:.2g} %" in note


def test_what_does_not_weigh_by_its_mesh_is_not_warned_of(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    told = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
    tb.read(boat(tmp_path, BOX.faces[1:], inertial=told))
    tb.read(boat(tmp_path, BOX.faces[1:], inertia='inertia="shell"'))
    tb.read(boat(tmp_path, BOX.faces))
    assert [str(each.message) for each in recwarn if "solid" in str(each.message)] == []


USDA = """#usda 1.0
(
metersPerUnit = 1
upAxis = "Z"
)
def PhysicsScene "scene" {{}}
def Xform "boat" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    {told}
    def Mesh "hull" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        int[] faceVertexCounts = [{counts}]
        int[] faceVertexIndices = [{corners}]
        point3f[] points = [{points}]
    }}
}}
"""


def usd(folder: Path, faces: np.ndarray, told: str = "") -> Path:
    path = folder / "boat.usda"
    path.write_text(USDA.format(
        told=told,
        counts=", ".join(["3"] * len(faces)), corners=", ".join(map(str, faces.ravel())),
        points=", ".join(f"({x}, {y}, {z})" for x, y, z in BOX.vertices),
    ))  # fmt: skip
    return path


def test_open_meshes_of_usd_are_warned_of_by_name(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    pytest.importorskip("pxr")
    with pytest.warns(
        ImportNotice, match=r"mesh 'hull' weighs as a solid, but it is open \(3 edges"
    ):
        tb.read(usd(tmp_path, BOX.faces[1:]))
    recwarn.clear()
    tb.read(usd(tmp_path, BOX.faces))
    known = "float physics:mass = 2\n    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)"
    tb.read(usd(tmp_path, BOX.faces[1:], known))
    assert [str(each.message) for each in recwarn if "solid" in str(each.message)] == []


SDF = """<sdf version="1.11"><model name="m"><link name="boat">
<inertial auto="true">{told}</inertial>{collisions}</link></model></sdf>"""


def collision(geometry: str, more: str = "") -> str:
    return f'<collision name="c"><geometry>{geometry}</geometry>{more}</collision>'


def test_sdf_that_leaves_inertias_to_the_reader_weighs_by_its_collisions() -> None:
    """A cube of 0.2 m and a ball of 0.1 m beside it: m a²/6 and 2 m r²/5, and m d² of each."""
    cube = collision("<box><size>.2 .2 .2</size></box>", "<density>500</density>")
    ball = collision("<sphere><radius>.1</radius></sphere>", "<pose>.3 0 0 0 0 0</pose>")
    body = tb.read_sdf(SDF.format(told="", collisions=cube + ball)).bodies["boat"]
    m, n = 500 * 0.2**3, 1000 * 4 / 3 * math.pi * 0.1**3
    x = 0.3 * n / (m + n)
    about_z = m * 0.2**2 / 6 + m * x**2 + 0.4 * n * 0.1**2 + n * (0.3 - x) ** 2
    assert (body.mass, body.com[0]) == pytest.approx((m + n, x), rel=1e-12)
    assert body.inertia[2] == pytest.approx(about_z, rel=1e-12)
    told = tb.read_sdf(SDF.format(told="<mass>3</mass>", collisions=cube + ball)).bodies["boat"]
    assert (told.mass, told.inertia[2]) == pytest.approx((3.0, 3.0 / (m + n) * about_z), rel=1e-12)


def test_open_meshes_of_sdf_are_warned_of_by_name(tmp_path: Path) -> None:
    boat(tmp_path, BOX.faces[1:])
    path = tmp_path / "boat.sdf"
    path.write_text(SDF.format(told="", collisions=collision("<mesh><uri>hull.stl</uri></mesh>")))
    with pytest.warns(
        ImportNotice, match=r"mesh 'hull.stl' of link 'boat' .* it is open \(3 edges"
    ):
        tb.read(path)
    boat(tmp_path, BOX.faces)
    assert tb.read(path).bodies["boat"].mass == pytest.approx(1000 * math.prod(SIZE), rel=1e-6)


def test_sdf_without_anything_to_weigh_is_warned_of() -> None:
    with pytest.warns(ImportNotice, match=r"'boat': <inertial auto='true'>, but it has no coll"):
        tb.read_sdf(SDF.format(told="", collisions=""))

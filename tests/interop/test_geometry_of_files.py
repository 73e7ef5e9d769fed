"""What readers of files compute of solids, poses, names and numbers, against closed forms."""

import itertools
import math
import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st

from touchback import Model, Revolute
from touchback.errors import ModelError
from touchback.interop.import_notes import ImportNotice, Notes, safe_names, unused
from touchback.interop.imported_bodies import (
    add_body,
    axis_or_letter,
    colour_of,
    is_transparent,
)
from touchback.interop.meshes.mesh_file import (
    check_collada,
    check_triangles,
    read_msh,
    simplify_mesh,
    weld_points,
)
from touchback.interop.meshes.mesh_inertia import MeshFaults, mesh_faults
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    Inertia,
    combine_inertias,
    of_triangles,
    solid,
)
from touchback.interop.rigid_pose import (
    Pose,
    about,
    at,
    of_quaternion,
    quaternion_of,
    to_z,
)
from touchback.interop.xml_file import Node, finite_numbers, parse_xml

BOX = np.array(list(itertools.product((0.0, 1.0), (0.0, 2.0), (0.0, 3.0))))
SIDES = np.array(
    [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
        (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]
)  # fmt: skip


def test_a_box_of_triangles_weighs_as_a_box_and_as_a_sheet() -> None:
    """1 × 2 × 3 m, away from the origin: V, V (b² + c²)/12; of its faces by the parallel axes."""
    points = BOX + [0.3, -0.2, 5.0]
    middle = np.array([0.5, 1.0, 1.5]) + [0.3, -0.2, 5.0]
    for way in ("exact", "legacy"):
        for triangles in (SIDES, SIDES[:, ::-1]):
            found = of_triangles(points, triangles, way)
            assert found.mass == pytest.approx(6.0)
            assert found.com == pytest.approx(middle)
            J = np.diag([6.0 * (4 + 9) / 12, 6.0 * (1 + 9) / 12, 6.0 * (1 + 4) / 12])
            assert pytest.approx(J, abs=1e-12) == found.J
    sheet = of_triangles(points, SIDES, "shell")
    a, b, c = 1.0, 2.0, 3.0
    squares = [  # ∫ x² over the six faces: those across x are a/2 away, the others spread
        2 * (w * h * (u / 2) ** 2 + u * w * u**2 / 12 + u * h * u**2 / 12)
        for u, w, h in ((a, b, c), (b, a, c), (c, a, b))
    ]
    assert sheet.mass == pytest.approx(22.0) and sheet.com == pytest.approx(middle)
    assert pytest.approx(np.diag(sum(squares) - np.array(squares)), abs=1e-11) == sheet.J
    flat = np.zeros((3, 3)), np.array([[0, 1, 2]])
    assert of_triangles(*flat, "exact") is NOTHING is of_triangles(BOX, SIDES[:1], "exact")
    one = of_triangles(np.array([[0, 0, 0], [3.0, 0, 0], [0, 3.0, 0]]), flat[1], "shell")
    assert one.mass == pytest.approx(4.5) and one.com == pytest.approx([1, 1, 0])
    # Of a right triangle of side s: A s²/18 about its middle each way, and −A s²/36 mixed.
    J = 4.5 * 9.0 * np.array([[1 / 18, 1 / 36, 0], [1 / 36, 1 / 18, 0], [0, 0, 1 / 9]])
    assert pytest.approx(J) == one.J


def test_solids_weigh_as_in_tables() -> None:
    """Of density 1, from half sizes; a capsule by slices."""
    pi = math.pi
    for kind, size, mass, J in (
        ("sphere", (2.0,), 32 * pi / 3, [32 * pi / 3 * 0.4 * 4] * 3),
        ("box", (1, 2, 3), 48.0, [48 * 13 / 3, 48 * 10 / 3, 48 * 5 / 3]),
        ("ellipsoid", (1, 2, 3), 8 * pi, [8 * pi * 13 / 5, 8 * pi * 10 / 5, 8 * pi]),
        ("cylinder", (2, 3), 24 * pi, [24 * pi * (1 + 3)] * 2 + [24 * pi * 2]),
    ):
        found = solid(kind, size)
        assert found.mass == pytest.approx(mass) and pytest.approx(np.diag(J)) == found.J
        assert not found.com.any()
    r, half = 0.7, 1.1
    z, width = np.linspace(-half - r, half + r, 400001, retstep=True)
    radius = np.sqrt(np.clip(r**2 - np.maximum(np.abs(z) - half, 0.0) ** 2, 0.0, None))
    area = pi * radius**2
    capsule = solid("capsule", (r, half))
    assert capsule.mass == pytest.approx((area * width).sum(), rel=1e-8)
    along = (area * radius**2 / 2 * width).sum()
    across = (area * (radius**2 / 4 + z**2) * width).sum()
    assert np.diag(capsule.J) == pytest.approx([across, across, along], rel=1e-7)


def test_bodies_are_put_together_by_parallel_axes() -> None:
    one = Inertia(2.0, np.array([1.0, 0.0, 0.0]), np.diag([1.0, 2.0, 3.0]))
    other = Inertia(1.0, np.array([-2.0, 3.0, 0.0]), np.eye(3))
    both = combine_inertias([one, NOTHING, other])
    assert both.mass == 3.0 and both.com == pytest.approx([0.0, 1.0, 0.0])
    # Two points 3√2 m apart of reduced mass 2/3 kg, along (1, −1)/√2.
    d, reduced = np.array([3.0, -3.0, 0.0]), 2.0 / 3.0
    points = reduced * (d @ d * np.eye(3) - np.outer(d, d))
    assert pytest.approx(np.diag([2.0, 3.0, 4.0]) + points) == both.J
    assert combine_inertias([]) is NOTHING
    turned = one.placed(Pose(np.array([0, 0, 1.0]), about((0, 0, 1.0), math.pi / 2)))
    assert turned.com == pytest.approx([0.0, 1.0, 1.0])
    assert pytest.approx(np.diag([2.0, 1.0, 3.0])) == turned.J and turned.mass == 2.0
    light = one.scaled(0.5)
    assert (light.mass, light.J[2, 2]) == (1.0, 1.5) and light.com is one.com


def test_faults_of_meshes_are_said_with_their_numbers() -> None:
    assert mesh_faults(BOX, SIDES) is None is mesh_faults(BOX, SIDES[1:], "shell")
    hole = mesh_faults(BOX, SIDES[1:])
    assert hole is not None and (hole.open_edges, hole.turned, hole.overlap) == (3, 0, 0.0)
    assert hole.matters and "it is open (3 edges have one triangle), so that its vol" in str(hole)
    turned = SIDES.copy()
    turned[5] = turned[5][::-1]
    found = mesh_faults(BOX, turned)
    assert found is not None and (found.open_edges, found.turned) == (0, 1)
    assert str(found).startswith("1 of its triangles are turned inside out, so that its volume")
    twice = MeshFaults(overlap=0.256, volume_error=0.5, moment_error=0.0123)
    assert str(twice) == (
        "it passes through itself (26 % is enclosed twice), so that its volume is off by about "
        "50 % and its moments of inertia by about 1.2 %"
    )
    for error, matters in ((1e-6, False), (1.1e-6, True)):
        assert MeshFaults(volume_error=error).matters is matters
        assert MeshFaults(moment_error=error).matters is matters


def test_a_binary_mesh_of_mujoco_is_read_number_by_number() -> None:
    points = np.arange(12.0).reshape(4, 3)
    sides = [(0, 1, 2), (3, 2, 1)]
    content = struct.pack("<4i", 4, 1, 2, 2) + points.astype("<f4").tobytes()
    content += struct.pack("<3f", 7, 8, 9) + struct.pack("<4f", 1, 2, 3, 4)
    content += np.array(sides, "<i4").tobytes()
    found, triangles = read_msh(content, "a.msh")
    assert found.tolist() == points.tolist() and triangles.tolist() == [list(s) for s in sides]
    for wrong in (
        content[:-1],
        content + b"\0",
        b"$MeshFormat\n4.1",
        struct.pack("<4i", -1, 0, 0, 0),
    ):
        with pytest.raises(ModelError, match="no binary mesh of MuJoCo"):
            read_msh(wrong, "a.msh")


def test_coarse_meshes_have_at_most_so_many_triangles_where_they_were() -> None:
    """A sheet far from the origin: each point of the coarse one is a mean of its neighbours."""
    n = 12
    x, y = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1) - [500.0, -300.0, 20.0]
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate(
        [np.stack([i, i + n, i + n + 1], 1), np.stack([i, i + n + 1, i + 1], 1)]
    )
    assert simplify_mesh(points, triangles, len(triangles))[1] is triangles
    for most in (200, 60, 20):
        found, sides = simplify_mesh(points, triangles, most)
        assert most / 6 < len(sides) <= most and sides.max() == len(found) - 1
        assert (found >= points.min(axis=0)).all() and (found <= points.max(axis=0)).all()
        corners = found[sides]
        area = (
            0.5
            * np.linalg.norm(
                np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
            ).sum()
        )
        assert 0.5 * (n - 1) ** 2 < area <= (n - 1) ** 2
    far = points[triangles].reshape(-1, 3).astype(np.float32)
    welded, sides = weld_points(far, np.arange(len(far)).reshape(-1, 3))
    assert len(welded) == n * n and welded[sides] == pytest.approx(points[triangles])


def test_triangles_are_refused_with_what_is_wrong_of_them() -> None:
    for points, sides, words in (
        (BOX, [(0, 1, 8)], "a triangle has a point 8, of 8"), (BOX, [(0, -1, 2)], "has a point 2"),
        (BOX * 1e12, SIDES, "finite and at most"), (BOX * np.nan, SIDES, "finite and at most"),
        (BOX, [(0, 1, 1), (2, 2, 3)], "all its triangles are lines or points"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            check_triangles(points, np.array(sides), "a mesh")
    assert check_triangles(BOX, np.array([(0, 0, 1), (0, 1, 2)]), "one")[0] is BOX


def test_collada_files_are_counted_before_they_are_unfolded() -> None:
    """Two instances of a geometry of 6 numbers, one of them within a node that is shown twice."""
    text = """<COLLADA><asset><unit meter="{unit}"/></asset>
    <library_geometries><geometry id="g"><p>0 1 2 2 1 3</p><vcount>3 3</vcount></geometry>
    </library_geometries><library_nodes><node id="n"><instance_geometry url="#g"/></node>
    </library_nodes><visual_scene id="s"><instance_node url="#n"/><instance_node url="#n"/>
    <instance_geometry url="#g"/></visual_scene><scene><instance_visual_scene url="#s"/></scene>
    </COLLADA>"""
    whole = text.format(unit="0.0254").encode()
    assert check_collada(whole, "a.dae", 18) == 0.0254
    assert check_collada(b"<COLLADA/>", "a.dae", 18) == 1.0
    for content, most, words in (
        (whole, 17, "shows 18 numbers of triangles; at most 17"),
        (whole, 5, "6 corners of polygons; at most 5"),
        (text.format(unit="1.1e6").encode(), 18, "a unit of 1.1e"),
        (text.format(unit="0.9e-6").encode(), 18, "a unit of 9e-07 m"),
        (whole.replace(b"3 3", b"3 -3"), 18, "'-3' is no number of corners"),
        (whole.replace(b'"#n"/></v', b'"#s"/></v').replace(b'url="#g"/></vis', b'url="#s"/></vis'),
         18, "shows itself"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            check_collada(content, "a.dae", most)
    for unit in ("1e-6", "1e6"):
        assert check_collada(text.format(unit=unit).encode(), "a.dae", 18) == float(unit)


@given(st.tuples(*4 * (st.floats(-1, 1),)).filter(lambda q: math.hypot(*q) > 0.1))
def test_quaternions_are_rotations_of_their_sandwich_and_back(q: tuple[float, ...]) -> None:
    """v' = v + 2 w (r × v) + 2 r × (r × v) of a unit quaternion (w, r)."""
    w, *r = np.array(q) / math.hypot(*q)
    for v in np.eye(3):
        expected = v + 2 * w * np.cross(r, v) + 2 * np.cross(r, np.cross(r, v))
        assert of_quaternion(q) @ v == pytest.approx(expected, abs=1e-12)
    back = np.array(quaternion_of(of_quaternion(q)))
    assert abs(back @ [w, *r]) == pytest.approx(1.0, abs=1e-9)


def test_poses_turn_and_shift() -> None:
    assert of_quaternion((0, 0, 0, 0)).tolist() == np.eye(3).tolist()
    for axis, q in (((1, 0, 0), 1), ((0, 1, 0), 2), ((0, 0, 1), 3)):
        half = quaternion_of(about(np.array(axis, dtype=float), math.pi))
        assert abs(half[q]) == pytest.approx(1.0)
        small = quaternion_of(about(np.array(axis, dtype=float), 0.2))
        assert small[0] == pytest.approx(math.cos(0.1)) and small[q] == pytest.approx(math.sin(0.1))
    for z in ((0, 0, 1.0), (0, 0, -1.0), (0.6, 0, 0.8), (0, -1.0, 0)):
        R = to_z(np.array(z))
        assert R[:, 2] == pytest.approx(z) and np.linalg.det(R) == pytest.approx(1.0)
        assert np.trace(R) == pytest.approx(1.0 + 2.0 * z[2])  # the shortest one
    assert to_z(np.array([0, 0, -1.0])).tolist() == np.diag([1.0, -1.0, -1.0]).tolist()
    outer, inner = at((1, 2, 3), about((0, 0, 1.0), math.pi / 2)), at((1, 0, 0))
    both = outer @ inner
    assert both.p == pytest.approx([1, 3, 3]) and pytest.approx(outer.R) == both.R
    gone = outer @ outer.inverse()
    assert gone.p == pytest.approx([0, 0, 0]) and pytest.approx(np.eye(3)) == gone.R
    frame = outer.frame("arm")
    assert frame.body == "arm" and frame.at == (1.0, 2.0, 3.0)
    ((axis, angle),) = frame.turn
    assert axis == "z" and angle == pytest.approx(math.pi / 2)
    assert at((0, 0, 0)).frame("arm").turn == ()


def test_names_are_cleaned_numbered_and_told() -> None:
    notes = Notes()
    found = safe_names("Body", ["arm", "a/b", "time", "", "a:b", "arm 2"], notes, taken=["arm"])
    assert found["arm"] == "arm 3" and found["a/b"] == "a_b" and found["a:b"] == "a_b 2"
    assert found["time"] == "time_" and found[""] == "_" and found["arm 2"] == "arm 2"
    assert notes.plain[0] == "Body 'arm' is called 'arm 3' here." and len(notes.plain) == 5
    assert len(safe_names("Body", ["x" * 400], notes)["x" * 400]) == 150
    used = {"leg", *(f"leg {i}" for i in range(2, 23))}
    assert unused("leg", used) == "leg 23" and unused("leg", ["leg"]) == "leg 2"
    assert unused("foot", used) == "foot"


def test_notes_warn_of_eight_and_list_all() -> None:
    notes, model = Notes(), Model("m")
    notes.say("worth knowing")
    for i in range(10):
        notes.notice(f"matter {i}")
    node = parse_xml(b"<a><b/><c/><c/></a>", "t", "a", "A")
    notes.skip_others(node, ("b",))
    with pytest.warns(ImportNotice) as caught:
        notes.finish(model, "A", "t", more=3)
    (said,) = (str(each.message) for each in caught)
    assert said.startswith("t: see model.imported['notes'].\n  matter 0\n")
    assert said.endswith("matter 7\n  … and 2 more")
    assert model.imported["format"] == "A" and model.imported["source"] == "t"
    assert model.imported["more"] == 3
    assert model.imported["notes"][9:] == ("matter 9", "worth knowing", "Not read: 2 c.")


def test_bodies_axes_and_colours_of_files() -> None:
    notes, m = Notes(), Model("m")
    add_body(m, "odd", 1.0, (0, 0, 0), (1.0, 1.0, 3.0, 0, 0, 0), "line 1", notes)
    add_body(m, "light", 0.0, (0, 0, 0), (1.0, 1.0, 1.0, 0, 0, 0), "line 2", notes)
    add_body(m, "none", 0.0, (0, 0, 0), (0,) * 6, "line 3", notes)
    assert notes.noticed[0].startswith("line 1: ") and "Taken as it stands" in notes.noticed[0]
    assert notes.noticed[-1] == (
        "line 2: body 'light' has inertia but no mass. Taken as it stands."
    )
    assert m.bodies["odd"].inertia[2] == 3.0
    with pytest.raises(ModelError, match=r"line 4: body 'bad': its mass is -0\.1 kg"):
        add_body(m, "bad", -0.1, (0, 0, 0), (0,) * 6, "line 4", notes)
    with pytest.raises(ModelError, match="must be finite"):
        add_body(m, "bad", 1.0, (0, math.inf, 0), (0,) * 6, "line 5", notes)
    for vector, axis in (
        ((2.0, 0, 0), "x"), ((0, -0.5, 0), "-y"), ((0, 0, 1.0), "z"),
        ((0, 1.0, 1e-9), (0, 1.0, 1e-9)),
    ):  # fmt: skip
        assert axis_or_letter(vector) == axis
        Revolute(axis)
    assert colour_of("1 0.5 0") == "#ff8000" and colour_of("2 -1 0.2 0.5") == "#ff0033"
    assert colour_of("1 1") == colour_of("a b c") == colour_of("nan 0 0") == ""
    assert is_transparent("1 1 1 0") and is_transparent("1 1 1 0.00")
    assert not is_transparent("1 1 1 0.1") and not is_transparent("0 0 0")


def test_elements_give_their_numbers_or_say_where_they_are_not() -> None:
    node = parse_xml(
        b"<a>\n<b n='1 2 3' one='0.5' empty=' '> text <c>2.5</c><d/> more</b></a>", "f", "a", "A"
    ).children[0]
    assert node.where == "f, line 2" and node.text == "text  more"
    assert node.triple("n", (0, 0, 0)) == (1.0, 2.0, 3.0) == node.all_numbers("n")
    assert node.triple("absent", (7.0, 8.0, 9.0)) == (7.0, 8.0, 9.0)
    assert node.number("one", 2.0) == 0.5 and node.number("absent", 2.0) == 2.0
    assert node.all_numbers("absent") == () and node.child_number("c") == 2.5
    assert node.child_number("absent") == 0.0 and node.child_number("absent", 4.0) == 4.0
    assert node.child_text("c") == "2.5" and node.first("x") is None
    assert finite_numbers("here", " 1 -2e1 ") == (1.0, -20.0)
    for call, words in (
        (lambda: node.number("n", 0.0), r"<b n='1 2 3'>: 1 numbers are expected, got 3"),
        (lambda: node.attribute("empty"), "the attribute empty of <b> is empty"),
        (lambda: node.attribute("absent"), "needs an attribute absent; it has n, one, empty"),
        (lambda: Node("q", {}, "f", 3).attribute("x"), "f, line 3: <q> needs .* it has none"),
        (lambda: node.child_text("d"), "needs a <d> with a text"),
        (lambda: node.child_text("absent"), "needs a <absent> with"),
        (lambda: finite_numbers("here", "1 inf"), "here: 'inf' is not a finite number"),
        (lambda: finite_numbers("here", "1_0"), "here: '1_0' is not a finite number"),
    ):
        with pytest.raises(ModelError, match=words):
            call()

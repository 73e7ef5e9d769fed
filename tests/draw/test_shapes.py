"""Bodies look like the solids that they are given: in films, in parts, in files and from URDF."""

import numpy as np
import pytest

import touchback as tb
from touchback.draw.flat_film import flat_film
from touchback.draw.scene import Scene, Track, scene_of
from touchback.draw.stick import axes_for
from touchback.interop import ImportNotice, read_urdf
from touchback.model.io import model_from_text, to_text
from touchback.model.visual_shapes import BoxShape, CylinderShape, SphereShape, SurfaceShape

URDF = """<robot name="r">
  <link name="base"><visual><origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>
    <geometry><box size="0.4 0.2 0.1"/></geometry></visual>
    <collision><geometry><sphere radius="9"/></geometry></collision></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><origin xyz="0.2 0 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </collision><visual><geometry><mesh filename="package://r/arm.stl"/></geometry></visual></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint></robot>"""


def plate() -> tb.Model:
    m = tb.Model("plate")
    wide = m.parameter("wide", 0.6)
    body = m.body("plate", 2.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    m.joint("turn", tb.Revolute("z"), m.ground, body)
    m.shape("top", body.at(0.3, 0, 0), tb.Box((wide, 0.2, 0.02)))
    m.shape("knob", body.at(0.6, 0, 0.05, turn=("y", 0.5)), tb.Cylinder(0.04, 0.1))
    return m


def scene(model: tb.Model, turned: float = 0.5) -> Scene:
    names = model.compile().coordinates
    return scene_of(model, Track(np.array([0.0]), {name: np.array([turned]) for name in names}))


def test_a_scene_has_the_shapes_of_bodies_instead_of_boxes_made_of_inertias() -> None:
    top, knob = scene(plate()).pieces
    assert (top.kind, top.body) == (BoxShape, "plate")
    assert top.numbers == pytest.approx((0.3, 0.1, 0.01))
    assert top.p[0] == pytest.approx([0.3 * np.cos(0.5), 0.3 * np.sin(0.5), 0.0])
    assert knob.kind is CylinderShape
    assert knob.numbers == pytest.approx((0.04, 0.05))
    axis = knob.R[0][:, 2]
    assert axis == pytest.approx(
        [np.sin(0.5) * np.cos(0.5), np.sin(0.5) * np.sin(0.5), np.cos(0.5)]
    )


def test_files_and_parts_keep_shapes() -> None:
    again = model_from_text(to_text(plate()))
    assert to_text(again) == to_text(plate())
    outer = tb.Model("outer")
    outer.add(plate(), name="left", bind={"wide": 1.0})
    pieces = scene(outer).pieces
    assert [each.body for each in pieces] == ["left/plate"] * 2
    assert pieces[0].numbers == pytest.approx((0.5, 0.1, 0.01))


def test_shapes_change_nothing_of_the_mechanics() -> None:
    bare = tb.Model("plate")
    body = bare.body("plate", 2.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    bare.joint("turn", tb.Revolute("z"), bare.ground, body)
    assert plate().compile().counts() == bare.compile().counts()


def test_urdf_links_look_like_their_visuals_else_like_what_can_be_touched() -> None:
    with pytest.warns(
        ImportNotice, match=r"link 'arm': mesh 'package://r/arm.stl'.*without this mesh"
    ):
        model = read_urdf(URDF)
    base, arm = scene(model).pieces
    assert (base.body, base.kind) == ("base", BoxShape)
    assert base.numbers == pytest.approx((0.2, 0.1, 0.05))
    assert base.R[0][:, 0] == pytest.approx([0, 1, 0], abs=1e-15)
    assert base.p[0] == pytest.approx([0, 0, 0.1])
    assert (arm.body, arm.kind) == ("arm", CylinderShape)
    assert arm.numbers == pytest.approx((0.05, 0.2))
    assert arm.p[0] == pytest.approx([0.2 * np.cos(0.5), 0.2 * np.sin(0.5), 0])
    assert SphereShape not in {each.kind for each in (base, arm)}
    assert read_urdf(URDF, meshes=False).imported["notes"][-1] == "Not read: 1 visual."


def test_wrong_shapes_are_refused_by_name() -> None:
    m = plate()
    with pytest.raises(tb.ModelError, match=r"Shape 'top': there is a shape of this name already"):
        m.shape("top", "plate", tb.Sphere(0.1))
    with pytest.raises(tb.ModelError, match=r"Shape 'ear': a solid such as tb.Box"):
        m.shape("ear", "plate", 3)  # type: ignore[arg-type]
    m.shape("ear", "head", tb.Sphere(0.1))
    with pytest.raises(tb.ModelError, match=r"Shape 'ear': there is no body 'head'"):
        m.compile()
    flat = URDF.replace('radius="0.05"', 'radius="-1"')
    with pytest.raises(tb.ModelError, match=r"'arm' has the sizes.*positive"):
        read_urdf(flat)


def raft() -> tb.Model:
    m = tb.Model("raft")
    body = m.body("raft", 100.0, inertia=(10, 10, 10))
    m.joint("heave", tb.Prismatic("z"), m.ground, body)
    m.force("water", tb.Immersed(body, tb.Box((2.0, 1.0, 0.5)), m.fluid("sea", surface=0.3)))
    return m


def test_films_show_the_free_surface_as_high_as_it_is() -> None:
    water, hull = sorted(scene(raft(), 0.1).pieces, key=lambda piece: piece.body != "ground")
    assert water.kind is SurfaceShape and water.endless
    assert water.p[0] == pytest.approx([0.0, 0.0, 0.3])
    assert water.R[0][:, 2] == pytest.approx([0.0, 0.0, 1.0])
    assert hull.p[0] == pytest.approx([0.0, 0.0, 0.1])
    moved = {"heave": np.zeros(1)}
    (higher, *_) = [
        piece
        for piece in scene_of(raft(), Track(np.zeros(1), moved, {"sea surface": 0.7})).pieces
        if piece.kind is SurfaceShape
    ]
    assert higher.p[0] == pytest.approx([0.0, 0.0, 0.7])


def test_a_surface_is_square_to_gravity_and_there_is_none_of_a_fluid_everywhere() -> None:
    slanted = tb.Model("slanted", gravity=(-6.0, 0.0, -8.0))
    ((frame, _),) = slanted.fluid("sea", surface=0.0).shapes()
    body = slanted.body("buoy", 1.0, inertia=(1, 1, 1))
    slanted.joint("x", tb.Prismatic("x"), slanted.ground, body)
    slanted.shape("level", frame, tb.Box((1, 1, 0.1)))
    (level,) = [each for each in scene(slanted, 0.0).pieces if each.body == "ground"]
    assert level.R[0][:, 2] == pytest.approx([0.6, 0.0, 0.8])
    assert tb.Model("m").fluid("air", density=1.2).shapes() == []


def test_on_paper_a_capsule_is_as_long_and_wide_as_it_is() -> None:
    """Seen from an angle its length is shorter, its radius isn't; to a chord of its outline."""
    m = tb.Model("pill")
    body = m.body("pill", 1.0, inertia=(1, 1, 1))
    m.joint("turn", tb.Revolute("y"), m.ground, body)
    m.shape("pill", body, tb.Capsule(0.1, 0.6))
    still = scene(m, 0.0)
    drawn, (_, up) = flat_film(still), axes_for(still.points)
    rim = next(
        mark.points[0] for mark in drawn.marks if mark.name == "pill" and len(mark.points[0]) > 8
    )
    wide, high = np.ptp(rim, axis=0)
    assert high / wide == pytest.approx((0.6 * up[2] + 0.2) / 0.2, rel=0.01)


@pytest.mark.parametrize(
    "solid, halves",
    [
        (tb.Box((0.4, 0.2, 0.1)), (0.1, 0.2, 0.05)),
        (tb.Cylinder(0.3, 0.1), (0.3, 0.3, 0.05)),
        (tb.Capsule(0.1, 0.6), (0.1, 0.1, 0.4)),
        (tb.Sphere(0.2), (0.2, 0.2, 0.2)),
    ],
)
def test_a_picture_is_as_large_as_its_shapes(solid: tb.Box, halves: tuple[float, ...]) -> None:
    """Turned by 90° about z: what lies flat isn't as high as it is long."""
    m = tb.Model("still")
    m.shape("it", m.ground.at(0, 0, 0, turn=("z", np.pi / 2)), solid)
    still = scene_of(m, Track(np.zeros(1), {}))
    for far in (-still.points.min(axis=0), still.points.max(axis=0)):
        assert far == pytest.approx(halves)

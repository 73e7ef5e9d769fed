"""Films show what the run says: places to the pixel, forces to the newton, in every format."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.draw.film import make_film
from touchback.draw.flat_film import SIZE, flat_film, outlines
from touchback.draw.scene import Scene, Track, scene_of
from touchback.errors import InputError
from touchback.model.forces import Hand
from touchback.model.frame import Frame

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def swinging() -> tb.Model:
    m = tb.Model("bob on a spring")
    bob = m.body("bob", mass=1.0, com=(0, 0, -0.5))
    m.joint("pivot", tb.Revolute("y"), m.ground, bob, position=0.7)
    m.force("spring", tb.SpringDamper(m.ground.at(0.6, 0, -0.2), bob.at(0, 0, -0.5), stiffness=8.0))
    m.sensor("tip", tb.Position(bob.at(0, 0, -0.5)))
    return m


@pytest.fixture(scope="module")
def run() -> tb.Run:
    return tb.simulate(swinging().compile(), duration=1.0, progress=False)


@pytest.fixture(scope="module")
def scene(run: tb.Run) -> Scene:
    return scene_of(swinging(), Track(run.time, run.signals))


def test_a_trail_is_the_way_of_the_sensor(run: tb.Run, scene: Scene) -> None:
    assert scene.trails["tip"] == pytest.approx(run["tip"], abs=1e-12)


def test_arrows_are_the_forces_on_bodies(run: tb.Run, scene: Scene) -> None:
    """Of a spring without length at rest: −k (p − a)."""
    point, force = scene.forces["spring"]
    assert point == pytest.approx(run["tip"], abs=1e-12)
    assert force == pytest.approx(-8.0 * (run["tip"] - [0.6, 0.0, -0.2]), abs=1e-9)
    assert list(scene.forces) == ["spring"]  # what the ground feels is not shown


def test_arrows_of_icons_and_hands_are_at_their_points() -> None:
    """A body that is turned by 90° about z: its point (a, b, c) is at (−b, a, c)."""
    m = tb.Model("turned", gravity=(0, 0, 0))
    body = m.body("b", 2.0, inertia=(0.1, 0.1, 0.1))
    m.joint("j", tb.Revolute("z"), m.ground, body)
    at = [m.input(f"at {c}", "m") for c in "xyz"]
    m.force("push", tb.Wrench(body, force=(1.0, 0, 0), axes="body", point=tuple(at)))
    m.force("hand", Hand((Frame("b"),), 1.0, (0, 0, 1.0), (0.3, 0.1, 0), stiffness=50.0))
    signals = {"j": np.full(2, np.pi / 2), "j rate": np.zeros(2)}
    signals |= {f"at {c}": np.array([0.0, x]) for c, x in zip("xyz", (0.2, 0.1, 0.4))}
    forces = scene_of(m, Track(np.array([0.0, 1.0]), signals)).forces
    point, force = forces["push"]
    assert point == pytest.approx(np.array([[0, 0, 0], [-0.1, 0.2, 0.4]]), abs=1e-15)
    assert force[1] == pytest.approx([0, 1.0, 0], abs=1e-15)
    point, force = forces["hand"]
    assert point[0] == pytest.approx([-0.1, 0.3, 0], abs=1e-15)
    assert force[0] == pytest.approx([5.0, -15.0, 50.0], abs=1e-12)


def test_arrows_of_contacts_are_where_surfaces_touch() -> None:
    """Of a ball in a floor by 1 mm, and of a wheel's rim on a line that leans by 30°; not in their
    middles."""
    m = tb.Model("touching", gravity=(0, 0, 0))
    ball = m.body("ball", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("fall", tb.Prismatic("z"), m.ground.at(0.3, 0.2, 0), ball)
    m.force("floor", tb.contact.SphereOnPlane(ball, m.ground, radius=0.1, stiffness=1e5))
    wheel = m.body("wheel", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("sink", tb.Prismatic("z"), m.ground, wheel)
    slope = tb.contact.Line(m.ground.at(-1, 0, 0, turn=("y", -np.pi / 6)), 4.0)
    rim = tb.contact.Circle(wheel, 0.2)
    m.force("slope", tb.contact.ProfileContact(rim, slope, tb.contact.HuntCrossley(1e5)))
    normal = np.array([-0.5, 0, np.sqrt(0.75)])
    height = (0.199 + 1.0 * 0.5) / np.sqrt(0.75)  # 1 mm deep
    signals = {"fall": np.array([0.099]), "fall rate": np.zeros(1),
               "sink": np.array([height]), "sink rate": np.zeros(1)}  # fmt: skip
    forces = scene_of(m, Track(np.zeros(1), signals)).forces
    assert forces["floor"][0][0] == pytest.approx([0.3, 0.2, -0.001], abs=1e-12)
    assert forces["slope"][0][0] == pytest.approx(np.array([0, 0, height]) - 0.2 * normal, abs=1e-9)
    assert forces["slope"][1][0] / np.linalg.norm(forces["slope"][1][0]) == pytest.approx(normal)


@pytest.mark.parametrize(
    ("kind", "rate"),
    [(tb.Prismatic("x"), "way rate"), (tb.Planar("y"), "way.x rate"), (tb.Free(), "way.vx")],
)
def test_arrows_of_dampers_go_by_the_rates(kind: tb.JointKind, rate: str) -> None:
    """−d v, whatever the position: all that acts on a body without weight."""
    m = tb.Model("damped", gravity=(0.0, 0.0, 0.0))
    body = m.body("body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.joint("way", kind, m.ground, body)
    m.force("damper", tb.SpringDamper(m.ground.at(-1, 0, 0), body, damping=10.0))
    m.sensor("all", tb.TotalForce(body))
    system = m.compile()
    x = np.array(system.assemble().x)
    x[system.state_names.index(rate)] = 2.0
    run = tb.simulate(system, x, 0.2, progress=False)
    _, force = scene_of(m, Track(run.time, run.signals)).forces["damper"]
    assert force == pytest.approx(run["all"], abs=1e-9)
    assert force[0] == pytest.approx([-20.0, 0.0, 0.0])


def test_on_paper_the_arm_keeps_its_length_and_turns_as_the_joint_does(
    run: tb.Run, scene: Scene
) -> None:
    film = flat_film(scene)
    arm = next(mark for mark in film.marks if mark.name == "bob" and mark.width == 6.0)
    right, down = (arm.points[:, 1] - arm.points[:, 0]).T
    extent = np.ptp(scene.points, axis=0).max()
    assert np.hypot(right, down) == pytest.approx(0.5 * SIZE / extent, rel=1e-12)
    # About +y the arm, which hangs along −z, turns towards −x.
    assert np.arctan2(-right, down) == pytest.approx(run["pivot"], abs=1e-12)


def test_shapes_of_contacts_are_where_their_bodies_are() -> None:
    """A ball that rolls: the rim on paper stays round and follows it, the floor stays below."""
    m = tb.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("flight", tb.Free(), m.ground, ball, position=(0, 0, 0.2, 1, 0, 0, 0))
    m.contact("floor", tb.contact.SpherePlaneContact(ball, radius=0.1))
    x = np.linspace(0.0, 1.0, 5)
    still = {f"flight.{name}": 0 * x for name in ("y", "qx", "qy", "qz")}
    moving = {"flight.x": x, "flight.z": 0.2 - 0.1 * x, "flight.qw": 1 + 0 * x}
    scene = scene_of(m, Track(x, still | moving))
    sphere = next(piece for piece in scene.pieces if piece.body == "ball")
    assert sphere.numbers == (0.1, 0.1, 0.1)
    assert sphere.p == pytest.approx(np.stack([x, 0 * x, 0.2 - 0.1 * x], axis=1))
    assert [piece.endless for piece in scene.pieces] == [True, False]
    rim = next(mark.points for mark in flat_film(scene).marks if mark.name == "ball")
    radii = np.linalg.norm(rim - rim[:, :-1].mean(axis=1, keepdims=True), axis=2)
    assert np.ptp(radii) < 1e-9 * radii.max()


def area(points: np.ndarray) -> np.ndarray:
    """Of outlines (T, P, 2), by Gauss's shoelace."""
    x, y = np.moveaxis(points, -1, 0)
    turned = np.roll(x, -1, axis=-1) * y - x * np.roll(y, -1, axis=-1)
    return np.abs(turned.sum(axis=-1)) / 2


@pytest.mark.parametrize(("axis", "kept"), [("y", 3 / 4), ("x", 1.0)])
def test_a_plate_with_a_notch_keeps_it_while_it_turns_in_its_plane(axis: str, kept: float) -> None:
    """A square of 4 m² with a triangle of 1 m² cut out of it. Turned about an axis of its plane it
    is seen from both sides, and what is convex around it is drawn."""
    corners = [(-1, -1), (1, -1), (1, 1), (0, 0), (-1, 1)]
    points = [(x, y, z) for y in (-0.001, 0.001) for x, z in corners]
    fan = [(3, 4, 0), (3, 0, 1), (3, 1, 2)]
    back = [(c + 5, b + 5, a + 5) for a, b, c in fan]
    sides = [(k, (k + 1) % 5) for k in range(5)]
    around = [each for a, b in sides for each in ((a, b + 5, b), (a, a + 5, b + 5))]
    m = tb.Model("plate")
    body = m.body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.joint("hinge", tb.Revolute(axis), m.ground, body)
    m.shape("plate", body, tb.Mesh.of(points, [*fan, *back, *around]))
    angles = np.linspace(0.0, 6.0, 25)
    film = flat_film(scene_of(m, Track(angles, {"hinge": angles})))
    (mark,) = [x for x in film.marks if x.name == "plate" and x.fill != "none" and not x.radius]
    inside = area(mark.points) / area(outlines(mark.points))
    np.testing.assert_allclose(inside, kept, rtol=0.01)  # 48 points of an outline


def test_a_body_on_feet_is_shown_as_the_cuboid_of_its_inertia() -> None:
    """Points where it touches don't show a body: m (b² + c²)/3 of the half sides is its inertia."""
    m, halves = tb.Model("box"), np.array([0.1, 0.2, 0.3])
    inertia = 6.0 * ((halves**2).sum() - halves**2) / 3
    box = m.body("box", mass=6.0, inertia=tuple(inertia))
    m.joint("slide", tb.Prismatic("z"), m.ground, box)
    for number, x in enumerate((-0.1, 0.1)):
        m.contact(f"foot {number}", tb.contact.SpherePlaneContact(box.at(x, 0, -0.3), radius=0.02))
    scene = scene_of(m, Track(np.zeros(2), {"slide": np.zeros(2)}))
    *feet, block = [piece.numbers for piece in scene.pieces if piece.body == "box"]
    assert feet == [(0.02, 0.02, 0.02)] * 2
    assert block == pytest.approx(tuple(halves))


def test_a_point_mass_on_a_bar_leaves_the_mechanism_in_sight() -> None:
    """Two kilograms of water are a cube of 0.126 m, a fifth of the bar; alone it is shown so."""
    m = tb.Model("lift")
    bar = m.body("bar", mass=1.0, inertia=(0.0, 0.03, 0.03))
    head = m.body("head", mass=2.0)
    m.joint("turn", tb.Revolute("y"), m.ground, bar.at(-0.3, 0, 0))
    m.joint("neck", tb.Fixed(), bar.at(0.3, 0, 0), head)
    scene = scene_of(m, Track(np.zeros(1), {"turn": np.zeros(1)}))
    (block,) = [piece.numbers for piece in scene.pieces if piece.body == "head"]
    assert block == pytest.approx((0.024,) * 3)  # half of 0.08 of 0.6 m
    alone = tb.Model("weight")
    alone.joint("drop", tb.Prismatic("z"), alone.ground, alone.body("head", mass=2.0))
    (piece,) = scene_of(alone, Track(np.zeros(1), {"drop": np.zeros(1)})).pieces
    assert piece.numbers == pytest.approx((0.5 * 0.002 ** (1 / 3),) * 3)


def test_a_picture_that_moves_is_valid_and_as_long_as_it_says(run: tb.Run, tmp_path: Path) -> None:
    run.film(tmp_path / "a.svg", speed=0.25)
    root = ET.parse(tmp_path / "a.svg").getroot()
    moves = root.findall(".//{*}animate")
    assert moves and {each.get("dur") for each in moves} == {"4s"}
    assert "4 times slower" in "".join(root.itertext())


def test_gif_and_mp4_have_the_pictures_that_their_length_asks_for(
    run: tb.Run, tmp_path: Path
) -> None:
    image = pytest.importorskip("PIL.Image")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    run.film(tmp_path / "a.gif", speed=1.0)
    with image.open(tmp_path / "a.gif") as gif:
        assert gif.n_frames == 21
        assert gif.info["duration"] == 50
    run.film(tmp_path / "a.mp4", speed=1.0)
    count, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))
    assert (count, seconds) == (31, pytest.approx(31 / 30, abs=0.02))


def page_data(text: str) -> dict[str, object]:
    found = re.search(r"const film = (\{.*\});\n", text)
    assert found is not None
    return json.loads(found[1].replace("<\\/", "</"))


def test_a_page_stands_alone_whatever_its_mechanism_is_called(run: tb.Run, tmp_path: Path) -> None:
    model = swinging()
    model.name = "</script><script>@DATA@ & co"
    make_film(model, run.time, run.signals, tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=|https?://""", text)
    assert text.count("<script>") == text.count("</script>") == 1
    assert text.count("@DATA@") == 3  # in its name, where the page shows it
    assert page_data(text)["times"][-1] == 1.0


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_draws_the_page(run: tb.Run, tmp_path: Path) -> None:
    """The colours of the bar and of forces are on the screen."""
    image = pytest.importorskip("PIL.Image")
    run.film(tmp_path / "a.html")
    subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--hide-scrollbars",
         "--enable-unsafe-swiftshader", "--window-size=640,480", "--virtual-time-budget=1500",
         f"--screenshot={tmp_path / 'a.png'}", f"--user-data-dir={tmp_path / 'profile'}",
         (tmp_path / "a.html").as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    with image.open(tmp_path / "a.png") as shot:
        middle = np.asarray(shot.convert("RGB"), dtype=int)[60:420]
    bluish = (middle[..., 2] - middle[..., 0] > 60).sum()
    reddish = (middle[..., 0] - middle[..., 2] > 60).sum()
    assert bluish > 300 and reddish > 20  # the arrow is short where the spring is


def test_what_cannot_be_filmed_is_refused(run: tb.Run, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"a film ends in \.svg, \.gif, \.mp4, \.html, got '\.avi'"
    ):
        run.film(tmp_path / "a.avi")
    with pytest.raises(InputError, match=r"its speed is .*; 1 is real time.*got -1\.0"):
        run.film(tmp_path / "a.svg", speed=-1.0)
    with pytest.raises(InputError, match=r"doesn't know its mechanism; give run\.film"):
        tb.Run([0.0, 1.0], {}).film(tmp_path / "a.svg")
    with pytest.raises(InputError, match=r"a film is made of a tb\.Model, got System"):
        run.film(tmp_path / "a.svg", model=swinging().compile())
    with pytest.raises(InputError, match="Model 'pendulum': the run has no signal 'axle', which"):
        other = tb.Model("pendulum")
        other.joint("axle", tb.Revolute("y"), other.ground, other.body("bob", mass=1.0))
        run.film(tmp_path / "a.svg", model=other)
    with pytest.raises(InputError, match="nothing to film, the run has 1 instants"):
        make_film(swinging(), run.time[:1], {}, tmp_path / "a.svg")


def test_a_film_of_no_place_is_refused_and_a_full_disk_leaves_the_old_one(
    run: tb.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.film(tmp_path / "a.svg")
    before = (tmp_path / "a.svg").read_bytes()
    lost = tb.Run(run.time, {**run.signals, "pivot": np.nan * run.time})
    with pytest.raises(InputError, match=r"at no place \(NaN or infinite\)"):
        lost.film(tmp_path / "a.svg", model=swinging())

    def full(path: Path, *given: object, **named: object) -> None:
        path.write_bytes(b"<svg")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left"):
        run.film(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.svg"]


def test_notebooks_show_film_plot_and_table(run: tb.Run) -> None:
    shown = run._repr_html_()
    assert "<svg" in shown and "<animate" in shown and "data:image/png" in shown
    assert f"<td>{run['pivot'].max():.6g}</td>" in shown


def test_notebooks_may_show_many_runs_whatever_their_names_are(run: tb.Run) -> None:
    """No figure stays open, and a name with dollars is no formula."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    named = tb.Run(run.time, {"$x^{$": run["pivot"]}, metadata={"model": "$y^{$"})
    before = pyplot.get_fignums()
    for _ in range(3):
        assert "data:image/png" in named._repr_html_()
    assert pyplot.get_fignums() == before

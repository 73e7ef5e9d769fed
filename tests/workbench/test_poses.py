"""Poses of all bodies come from one compiled function."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback import gallery
from touchback.system.body_poses import quaternions
from touchback.workbench.page_scene import Poses, make_scene
from touchback.workbench.wire_format import origin_of, pose_frame, unframed

ROBOT = Path(__file__).parents[2] / "examples" / "data" / "pan_tilt.urdf"


def at_start(system: tb.System) -> tuple[Poses, np.ndarray]:
    state, poses = system.initial_state(), Poses(system)
    x = np.concatenate([state.q, state.v, state.z])
    return poses, poses.at(x, 0.0, system.input_defaults, system.parameters)


def test_quaternions_are_those_of_scipy_also_after_half_a_turn() -> None:
    half = Rotation.from_rotvec(np.pi * np.array([[1, 0, 0], [0.6, -0.8, 0], [0, -0.6, 0.8]]))
    turns = Rotation.concatenate([Rotation.random(100, random_state=1), half])
    found = quaternions(turns.as_matrix())
    assert np.allclose(Rotation.from_quat(found).as_matrix(), turns.as_matrix(), atol=1e-14)
    assert (found[:, 3] >= 0.0).all()


def test_a_pendulum_is_where_its_angle_says() -> None:
    m = tb.Model("pendulum")
    length = m.parameter("length", 0.5)
    arm = m.body("arm", mass=1.0, com=(0, 0, -length))
    m.joint("pivot", tb.Revolute("y"), m.ground, arm, position=0.3)
    m.joint("end", tb.Fixed(), arm.at(0, 0, -length), m.body("tip", mass=0.1))
    m.force("spring", tb.SpringDamper(m.ground.at(1, 0, 0), "tip", stiffness=10.0, length=0.1))
    poses, numbers = at_start(m.compile())
    assert poses.bodies == ["ground", "arm", "tip"]
    tip = np.array([-0.5 * np.sin(0.3), 0.0, -0.5 * np.cos(0.3)])
    turned = [0.0, np.sin(0.15), 0.0, np.cos(0.15)]
    expected = [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, *turned], [*tip, *turned]]
    single = dict(rtol=0, atol=1e-12)
    assert np.allclose(numbers[:21].reshape(3, 7), expected, **single)
    assert np.allclose(numbers[21:27].reshape(2, 3), [[1, 0, 0], tip - [1, 0, 0]], **single)
    way = np.array([1, 0, 0]) - tip
    far = np.linalg.norm(way)
    pull = 10.0 * (far - 0.1) * way / far
    assert poses.arrows == ["spring"]
    assert np.allclose(numbers[27:].reshape(2, 3), [tip, pull], rtol=1e-12)


def test_parameters_and_inputs_move_what_depends_on_them() -> None:
    m = tb.Model("arm")
    length = m.parameter("length", 0.5)
    ends = {"com": (0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    first = m.body("first", mass=1.0, **ends)
    m.joint("a", tb.Revolute("y"), m.ground, first)
    m.joint("b", tb.Revolute("y"), first.at(length, 0, 0), m.body("second", mass=1.0, **ends))
    m.force("wind", tb.Wrench("second", (0, 0, m.input("lift"))))
    system = m.compile()
    poses = Poses(system)
    numbers = poses.at(np.zeros(4), 0.0, [3.0], {"length": 0.75})
    assert numbers[14] == 0.75
    assert numbers[-1] == 3.0
    assert poses.at(np.zeros(4), 0.0, [0.0], {"length": 0.25})[14] == 0.25


def test_a_row_of_copies_has_poses_of_each() -> None:
    row = tb.copies(gallery.make("pendulum").compile(), ["left", "right"])
    poses, _ = Poses(row), None
    nq = row.replica.sizes[0]
    x = np.zeros(sum(row.sizes))
    x[:nq], x[nq : 2 * nq] = 0.2, -0.4
    numbers = poses.at(x, 0.0, row.input_defaults, row.parameters)
    assert poses.bodies == ["ground", "left/bob", "right/bob"]
    halves = np.sin([0.1, 0.2]) * [1, -1]
    turned = numbers[7:].reshape(2, 7)[:, 3:6]
    assert np.allclose(np.abs(turned).max(axis=1), np.abs(halves), atol=1e-7)


@pytest.mark.parametrize("name", gallery.names())
def test_every_mechanism_of_the_gallery_has_poses(name: str) -> None:
    poses, numbers = at_start(gallery.make(name).compile(backend="interpreter"))
    pairs = len(poses.springs) + len(poses.arrows)
    assert len(numbers) == 7 * len(poses.bodies) + 6 * pairs
    assert np.isfinite(numbers).all()


def test_the_view_has_room_for_all_that_a_pendulum_swings_through() -> None:
    """Of 1 m about y, wherever it is when a page opens."""
    m = tb.Model("swing")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.joint("pivot", tb.Revolute("y"), m.ground, bob)
    system = m.compile()
    low, high = make_scene(Poses(system), 1, np.zeros(2), 0.0, system.parameters).bounds
    for axis in (0, 2):
        assert low[axis] <= -1.0 + 1e-12 and high[axis] >= 1.0 - 1e-12


def test_a_page_opens_on_what_moves_and_on_what_stands_beside_it() -> None:
    """A sledge of 1 m × 0.2 m × 0.2 m on a board that is 6 mm thick; a tower of 60 m, 40 m away, is
    let in by the sledge's own size only. The ground is no lower than the board. Of a camera's head
    on a mast of 0.3 m, on its foot, all is seen."""
    m = tb.Model("sledge")
    sledge = m.body("sledge", mass=1.0)
    m.joint("way", tb.Prismatic("x"), m.ground, sledge)
    m.shape("runner", sledge.at(0, 0, 0.1), tb.Box((1.0, 0.2, 0.2)))
    m.shape("board", m.ground.at(0, 0, -0.003), tb.Box((1.4, 0.6, 0.006)))
    m.shape("tower", m.ground.at(40.0, 0, 30.0), tb.Box((8.0, 8.0, 60.0)))
    system = m.compile()
    low, high = make_scene(Poses(system), 1, np.zeros(2), 0.0, system.parameters).bounds
    size = np.sqrt(1.0 + 2 * 0.2**2)
    assert low == pytest.approx([-0.7, -1.0 * size - 0.1, -0.006])
    assert high == pytest.approx([0.5 + size, 0.1 + size, 0.2 + size])
    head = tb.read_urdf(ROBOT).compile()
    low, high = make_scene(Poses(head), 1, np.zeros(6), 0.0, head.parameters).bounds
    assert low[2] == 0.0 and high[2] == pytest.approx(0.38)


def test_a_frame_tells_places_far_away_as_finely_as_near_ones() -> None:
    """Float32 leaves 6e-8 of 256 times 2 m (a power of two above its 1.3 m); its origin stays while
    the mechanism moves by a metre, and near the world's it is that."""
    far = np.array([3e6, -1e6, 2e6])
    numbers = np.zeros(3 * 7 + 6)
    numbers[7:10], numbers[14:17], numbers[21:24] = far, far + [1.3, 0.1, 0], far + 0.7
    numbers[24:27] = 5.0  # a force stays what it is
    *_, told = unframed(pose_frame(1, 3, 0.5, numbers, size=1.3))
    assert np.abs(told[7:] - numbers[7:]).max() < 6e-8 * 512
    assert (told[24:27] == 5.0).all()
    places = numbers[[7, 8, 9, 14, 15, 16]].reshape(2, 3)
    assert (origin_of(places, 1.3) == origin_of(places + 1.0, 1.3)).all()
    assert (origin_of(places - far + 100.0, 1.3) == 0.0).all()
    assert (origin_of(np.full((2, 3), np.nan), 1.3) == 0.0).all()


def test_the_view_has_room_for_the_circle_of_a_crank_in_a_loop() -> None:
    """Of 0.1 m about the origin, in a slider-crank that starts anywhere; the loop isn't opened."""
    system = gallery.make("slider-crank").compile()
    radius = system["crank radius"]
    for angle in (0.0, 1.0, 2.5):
        start = system.assemble(crank=angle)
        x = np.concatenate([start.q, start.v, start.z])
        low, high = make_scene(Poses(system), 1, x, 0.0, system.parameters).bounds
        assert low[0] <= -radius * np.cos(np.pi / 4) and low[2] <= -radius * np.cos(np.pi / 4)
        assert high[2] >= radius * np.cos(np.pi / 4) and high[2] < 3 * radius

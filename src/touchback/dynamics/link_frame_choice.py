"""The frame pass: link frames chosen so that general placements cost one or two elementary
rotations.

A link that turns may have its frame anywhere along its axis and at any angle about it (the angle is
added to the coordinate); one that slides may take over the parent's axes. As Denavit and Hartenberg
(1955) do, the x axis of a link is laid square to its own axis and to that of its main child: the
placement between them is then a shift (a, 0, d) and one turn about x. Other children need one more
turn about z. Only placements made of numbers are touched.

What is carried by nothing that turns stays near its joint, wherever on the ground that is: inertias
about a point far away along its axis would be lost in rounding."""

from dataclasses import replace

import numpy as np

from touchback.dynamics.constant_pose import Pose, identity, snapped
from touchback.dynamics.kinematic_tree import Attachment, Link, Tree
from touchback.model import SlideAlong, SlideVector
from touchback.spatial import Part, Turn
from touchback.symbolic import Scalars

_PARALLEL = 1e-9  # sine below which the common normal of two axes is left undecided
_NEARLY = 0.05  # sine below which the common normal is too far away to be used
_FARTHEST = 3.0  # times the longest placement: so far frames go along axes that nothing turns

Axis = tuple[np.ndarray, np.ndarray] | None  # direction and a point


def choose_frames(tree: Tree, k: Scalars) -> Tree:
    """The same mechanism with chosen link frames. Inertias are added afterwards."""
    main, reach = _main_children(tree), _reach(tree)
    links: list[Link] = []

    def choose(link: Link, above: Pose) -> Pose:
        placement = above.inverse(k).then(k, link.placement)
        chosen, new = _choose(tree, k, link, placement, main[link.index], reach[link.index])
        links.append(new)
        return chosen

    change = list(tree.outward(identity(), choose))  # X_LN: chosen N in the literal link frame L

    def moved(home: Attachment) -> Attachment:
        if home.link < 0:
            return home
        return Attachment(home.link, change[home.link].inverse(k).then(k, home.pose))

    return Tree(
        links,
        {name: moved(home) for name, home in tree.bodies.items()},
        tree.joint_links,
        {name: moved(home) for name, home in tree.joint_child.items()},
        tree.nq,
        tree.nv,
    )


def _main_children(tree: Tree) -> list[int | None]:
    """For each link the child with the largest subtree among those that turn at a placement made of
    numbers."""
    size = tree.inward([1] * len(tree.links), lambda link, above, own: above + own)
    main: list[int | None] = [None] * len(tree.links)
    for i, link in enumerate(tree.links):
        if link.parent >= 0 and link.placement.numeric and link.motion.turning is not None:
            best = main[link.parent]
            if best is None or size[i] > size[best]:
                main[link.parent] = i
    return main


def _reach(tree: Tree) -> list[float]:
    """How far along its axis each link's frame may go, in metres."""
    slides = (SlideAlong, SlideVector)
    turned = list(
        tree.outward(False, lambda link, above: above or not isinstance(link.motion, slides))
    )
    carried = [link.parent >= 0 and turned[link.parent] for link in tree.links]
    lengths = [
        float(np.linalg.norm(link.placement.numbers[1]))
        for link, by_turning in zip(tree.links, carried, strict=True)
        if by_turning and link.placement.numbers is not None
    ]
    near = _FARTHEST * max(lengths, default=np.inf)  # a link alone turns about its axis only
    return [np.inf if by_turning else near for by_turning in carried]


def _choose(
    tree: Tree, k: Scalars, link: Link, placement: Pose, main: int | None, reach: float
) -> tuple[Pose, Link]:
    """The chosen frame of a link, and the link as seen from the parent's chosen frame."""
    new = replace(link, placement=placement)
    if placement.numbers is None:
        return identity(), new
    R, p = placement.numbers
    if link.motion.turning is not None:
        return _choose_turn(k, link.motion.turning, new, R, p, _main_axis(tree, main), reach)
    seen = link.motion.in_parent(snapped(R))
    if seen is None:
        return identity(), new
    new.motion, new.placement = seen, identity()
    return Pose(-R.T @ p, R.T), new


def _choose_turn(
    k: Scalars, axis: int, new: Link, R: np.ndarray, p: np.ndarray, main: Axis, reach: float
) -> tuple[Pose, Link]:
    A = np.roll(np.eye(3), axis - 2, axis=0)  # cyclic: its third column is the axis
    G = R @ A
    w = G[:, 2]  # the turning axis in the parent's chosen frame
    beta_turn, alpha_turn, gamma = _zxz(G)
    shift = _shift_along(p, w)
    if abs(shift) > reach:
        shift = 0.0
    phi = _angle_to_child(A, main)
    noise = 1e-15 * (np.abs(p).max() + abs(shift))
    p = p + shift * w
    p = np.where(np.abs(p) <= noise, 0.0, p)
    new.motion = new.motion.about(2)
    new.angle = _tidy(gamma + phi)
    new.placement = Pose(p, _matrix(beta_turn, alpha_turn), tuple(_turns(k, beta_turn, alpha_turn)))
    s, c = snapped(np.array([np.sin(phi), np.cos(phi)]))
    R_LN = A @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Pose(shift * A[:, 2], R_LN), new


def _zxz(G: np.ndarray) -> tuple[tuple[float, float], tuple[float, float], float]:
    """(sin, cos) of β and of α, and γ, with G = Rz(β) Rx(α) Rz(γ); β = 0 when the axis lies in the
    y–z plane."""
    x, y, z = G[:, 2]
    r = float(np.hypot(x, y))
    if r < 1e-15:
        beta, alpha = (0.0, 1.0), (0.0, float(np.sign(z)))
    elif abs(x) <= 1e-15 * max(r, 1e-300) or abs(x) < 1e-15:
        beta, alpha = (0.0, 1.0), (float(-y), float(z))
    else:
        beta, alpha = (float(x / r), float(-y / r)), (r, float(z))
    rest = _matrix(beta, alpha).T @ G
    return beta, alpha, float(np.arctan2(rest[1, 0], rest[0, 0]))


def _matrix(beta: tuple[float, float], alpha: tuple[float, float]) -> np.ndarray:
    sb, cb = snapped(np.array(beta))
    sa, ca = snapped(np.array(alpha))
    Rz = np.array([[cb, -sb, 0.0], [sb, cb, 0.0], [0.0, 0.0, 1.0]])
    return Rz @ np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])


def _shift_along(p: np.ndarray, w: np.ndarray) -> float:
    """How far to move the origin along the axis w so that one component of p vanishes."""
    if abs(w[1]) > _NEARLY:
        return float(-p[1] / w[1])
    component = int(np.argmax(np.abs(w)))
    return float(-p[component] / w[component])


def _main_axis(tree: Tree, main: int | None) -> Axis:
    """Direction and position of the main child's axis in the literal link frame."""
    if main is None:
        return None
    child = tree.links[main]
    if child.placement.numbers is None or child.motion.turning is None:
        return None
    R, p = child.placement.numbers
    return R[:, child.motion.turning], p


def _angle_to_child(A: np.ndarray, main: Axis) -> float:
    """The angle about the own axis that lays x square to the main child's axis."""
    if main is None:
        return 0.0
    w, p = A.T @ main[0], A.T @ main[1]
    if np.hypot(w[0], w[1]) > _PARALLEL:
        return _tidy(float(np.arctan2(w[0], -w[1])))
    aside = np.hypot(p[0], p[1]) > 1e-12 * np.abs(p).max()
    return _tidy(float(np.arctan2(p[1], p[0]))) if aside else 0.0


def _tidy(angle: float) -> float:
    """An angle in (−π, π], with rounding noise around quarter turns taken off."""
    angle = float(np.remainder(angle + np.pi, 2 * np.pi) - np.pi)
    quarter = round(angle / (np.pi / 2)) * (np.pi / 2)
    return quarter if abs(angle - quarter) < 2e-15 else angle


def _turns(k: Scalars, beta: tuple[float, float], alpha: tuple[float, float]) -> list[Part]:
    return [
        Turn(axis, *(k.const(float(x)) for x in snapped(np.array(turn))))
        for axis, turn in ((2, beta), (0, alpha))
        if turn != (0.0, 1.0)
    ]

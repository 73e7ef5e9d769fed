"""The tree of links: the mechanism as the recursive algorithms see it.

Each link is carried by one elementary motion (joints with several become chains of massless links).
A link's frame is the child frame of its joint; bodies are attached to links by constant placements,
and bodies joined rigidly share a link. A link's origin sits at p (components in the parent link)
plus d (components in the link)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from touchback.dynamics.constant_pose import Pose, frame_pose, identity, turned
from touchback.dynamics.numeric_inertia import is_numeric, lifted, placed, pseudo_inertia
from touchback.errors import ModelError
from touchback.model import GROUND, Column, Frame, Model, Motion, ValueOf
from touchback.numbers import Scalar, Vector
from touchback.spatial import Articulated, Inertia, MatrixPart, Part, Rotation, Turn, Vectors
from touchback.symbolic import Scalars

T = TypeVar("T")


@dataclass
class Link:
    """One elementary motion and what it carries."""

    joint: str
    parent: int  # index of the parent link, −1 for the ground
    placement: Pose  # X_PJ: from the parent link to the motion's parent side
    motion: Motion
    q_index: int  # first position coordinate
    v_index: int  # first velocity coordinate
    index: int = -1  # its own, −1 for the ground
    angle: float = 0.0  # constant added to the coordinate of a turn (frame pass)
    numbers: np.ndarray = field(default_factory=lambda: np.zeros((4, 4)))  # numeric inertia
    live: Inertia | None = None  # inertia with live parameters in it
    inertia: Inertia = field(default_factory=Inertia.zero)  # both, as scalars
    added: Articulated | None = None  # of fluid that it carries along, which has no weight
    # filled by `Tree.place`
    p: Vector = (0, 0, 0)
    d: Vector = (0, 0, 0)
    rotation: Rotation = field(default_factory=Rotation)
    columns: list[Column] = field(default_factory=list)

    def settle(self, k: Scalars) -> None:
        """Make `inertia` from its numeric and its live part."""
        own = lifted(k, self.numbers)
        self.inertia = own if self.live is None else own.plus(k, self.live)


@dataclass
class Attachment:
    """Where a body sits: its link (−1: the ground) and X_LB."""

    link: int
    pose: Pose


@dataclass
class Tree:
    """Links, parents first and depth first; where bodies sit; which links are in each joint; what
    is fixed to the ground, as a link that no motion carries."""

    links: list[Link]
    bodies: dict[str, Attachment]
    joint_links: dict[str, list[int]]
    joint_child: dict[str, Attachment]  # the child-side joint frame
    nq: int
    nv: int
    ground: Link = field(default_factory=lambda: Link("", -1, identity(), Motion(), 0, 0))

    def place(self, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> None:
        """Fill in what depends on the coordinates."""
        for link in self.links:
            _place(link, k, q, value)

    # ---- recursion -----------------------------------------------------------------------------

    def outward(self, at_ground: T, step: Callable[[Link, T], T]) -> Iterator[T]:
        """Root to leaves, link by link: what `step` makes of what a link's parent has."""
        found: list[T] = []
        for link in self.links:
            found.append(step(link, found[link.parent] if link.parent >= 0 else at_ground))
            yield found[-1]

    def inward(
        self,
        own: Iterable[T],
        gather: Callable[[Link, T, T], T],
        settle: Callable[[Link, T], T] = lambda link, total: total,
    ) -> list[T]:
        """Leaves to root: what links have of their `own` and from their children. When all of those
        are in, a total may `settle`; `gather` gives a parent's with what a link carries up to it.
        """
        known = list(own)
        found = dict(self.gathering(lambda link: known[link.index], gather, settle))
        return [found[link.index] for link in self.links]

    def gathering(
        self,
        own: Callable[[Link], T],
        gather: Callable[[Link, T, T], T],
        settle: Callable[[Link, T], T] = lambda link, total: total,
    ) -> Iterator[tuple[int, T]]:
        """The same link by link: the index of each and its total. What a link has of its own is
        asked for when the first child's is in, so that it needn't be kept in the meantime."""
        totals: dict[int, T] = {}

        def so_far(link: Link) -> T:
            return totals.pop(link.index) if link.index in totals else own(link)

        for link in reversed(self.links):
            total = settle(link, so_far(link))
            yield link.index, total
            if link.parent >= 0:
                totals[link.parent] = gather(link, so_far(self.links[link.parent]), total)

    def path(self, index: int) -> Iterator[Link]:
        """The links from one to the ground, itself first."""
        while index >= 0:
            yield self.links[index]
            index = self.links[index].parent

    def attachment(self, k: Scalars, frame: Frame, value: ValueOf) -> Attachment:
        """Link and pose of any described frame."""
        if frame.body not in self.bodies:
            raise ModelError(f"A frame names body '{frame.body}', which the model doesn't have.")
        home = self.bodies[frame.body]
        return Attachment(home.link, home.pose.then(k, frame_pose(k, frame, value)))


def _place(link: Link, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> None:
    motion = link.motion
    own = list(q[link.q_index : link.q_index + motion.nq])
    parts = link.placement.rotation_parts(k)
    variable = _turned_further(link, k, own)
    if isinstance(variable, MatrixPart) and parts:
        # one full matrix instead of two for every vector
        variable = MatrixPart(
            Rotation([*parts, variable]).times(k, ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        )
        fixed: list[Part] = []
    else:
        fixed = parts
    link.rotation = Rotation([*fixed, variable] if variable is not None else fixed)
    base = link.placement.scalars(k)
    place = motion.place(k, own)
    link.p = (
        Vectors(k).add(base, Rotation(parts).up(k, place)) if any(map(_nonzero, place)) else base
    )
    link.d = motion.offset(k, own, value)
    link.columns = motion.columns(k, value)


def _turned_further(link: Link, k: Scalars, own: Sequence[Scalar]) -> Part | None:
    """The motion's rotation with the link's constant angle: for quarter turns sine and cosine only
    change places."""
    if not link.angle:
        return link.motion.rotation(k, own)
    quarters = link.angle / (np.pi / 2)
    if abs(quarters - round(quarters)) > 1e-15:
        return link.motion.rotation(k, [k.add(own[0], k.const(link.angle))])
    turn = link.motion.rotation(k, own)
    if not isinstance(turn, Turn):
        raise TypeError(f"Only turns take a constant angle, not {type(link.motion).__name__}.")
    s, c = [(0, 1), (1, 0), (0, -1), (-1, 0)][round(quarters) % 4]
    sine = k.add(k.mul(turn.sine, c), k.mul(turn.cosine, s))
    cosine = k.add(k.mul(turn.cosine, c), -k.mul(turn.sine, s))
    return Turn(turn.axis, sine, cosine)


def _nonzero(scalar: Scalar) -> bool:
    return not (isinstance(scalar, int) and scalar == 0)


# ---- building ----------------------------------------------------------------------------------


def build_tree(model: Model, k: Scalars, value: ValueOf, merge_fixed: bool = True) -> Tree:
    """The literal tree of a flat model: frames as described. With `merge_fixed` rigid joints
    vanish."""
    order = joint_order(model)
    q_starts, v_starts = coordinate_starts(model)
    tree = Tree([], {GROUND: Attachment(-1, identity())}, {}, {}, 0, 0)
    for name in order:
        joint = model.joints[name]
        home = tree.bodies[joint.parent.body]
        link = home.link
        pose = home.pose.then(k, frame_pose(k, joint.parent, value))
        q_index, v_index = q_starts[name], v_starts[name]
        tree.joint_links[name] = []
        steps = joint.kind.steps() or ([] if merge_fixed else [Motion()])
        for step in steps:
            if isinstance(step, np.ndarray):
                pose = pose.then(k, turned(step))
                continue
            index = len(tree.links)
            tree.links.append(Link(name, link, pose, step, q_index, v_index, index))
            link = index
            tree.joint_links[name].append(link)
            q_index, v_index = q_index + step.nq, v_index + step.nv
            pose = identity()
        tree.joint_child[name] = Attachment(link, pose)
        body_pose = pose.then(k, frame_pose(k, joint.child, value).inverse(k))
        tree.bodies[joint.child.body] = Attachment(link, body_pose)
    tree.nq = sum(joint.kind.nq for joint in model.joints.values())
    tree.nv = sum(joint.kind.nv for joint in model.joints.values())
    return tree


def add_inertias(tree: Tree, model: Model, k: Scalars, value: ValueOf) -> None:
    """Give every link, and the ground, the inertia of the bodies attached to it."""
    for name, body in model.bodies.items():
        home = tree.bodies[name]
        link = tree.links[home.link] if home.link >= 0 else tree.ground
        if is_numeric(body) and home.pose.numeric:
            link.numbers = link.numbers + placed(pseudo_inertia(body), home.pose)
            continue
        tensor = [[value(x) for x in row] for row in body.tensor()]
        own = Inertia.of_body(k, value(body.mass), [value(x) for x in body.com], tensor)
        moved = own.turned_up(k, home.pose.rotation(k)).shifted(k, home.pose.scalars(k))
        link.live = moved if link.live is None else link.live.plus(k, moved)
    for link in (*tree.links, tree.ground):
        link.settle(k)


def coordinate_starts(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    """First position and velocity index of each joint: coordinates stand in the order of
    description."""
    q_starts, v_starts, nq, nv = {}, {}, 0, 0
    for name, joint in model.joints.items():
        q_starts[name], v_starts[name] = nq, nv
        nq, nv = nq + joint.kind.nq, nv + joint.kind.nv
    return q_starts, v_starts


def joint_order(model: Model) -> list[str]:
    """Joint names depth first from the ground; refuses what is not a tree."""
    carrier: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    for name, joint in model.joints.items():
        for side, frame in (("parent", joint.parent), ("child", joint.child)):
            if frame.body != GROUND and frame.body not in model.bodies:
                raise ModelError(
                    f"Joint '{name}': its {side} body '{frame.body}' is not in the model; "
                    f"define it with model.body('{frame.body}', …) first."
                )
        child = joint.child.body
        if child == GROUND:
            raise ModelError(f"Joint '{name}': the ground can't be a child; swap parent and child.")
        if child in carrier:
            raise ModelError(
                f"Joint '{name}': body '{child}' is already carried by joint '{carrier[child]}'. "
                "A body has one carrying joint; close the loop with a closure instead."
            )
        carrier[child] = name
        below.setdefault(joint.parent.body, []).append(name)
    order: list[str] = []
    stack = list(reversed(below.get(GROUND, [])))
    while stack:
        name = stack.pop()
        order.append(name)
        stack.extend(reversed(below.get(model.joints[name].child.body, [])))
    for name in model.bodies:
        if name not in carrier:
            raise ModelError(
                f"Body '{name}' is not connected: no joint carries it. Join it to the ground or to "
                f"another body, e.g. model.joint('{name}', tb.Free(), model.ground, '{name}'), "
                "in a file a `kind: free` in `joints`."
            )
    if len(order) < len(model.joints):
        lost = [name for name in model.joints if name not in set(order)]
        raise ModelError(
            f"Joints {', '.join(map(repr, lost[:5]))} carry each other in a circle and never reach "
            "the ground; join one of their bodies to the ground."
        )
    return order


_JOINTS = 2  # that a branch has at least: single bodies side by side aren't worth it


def isomorphic_branches(model: Model) -> list[list[list[str]]]:
    """Groups of isomorphic branches, each branch as its moving joints in corresponding order.

    The branches of a group hang on one body; what branches off within them belongs to them."""
    return list(_Branches(model).groups(GROUND))


class _Branches:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.below: dict[str, list[str]] = {}  # joints on each body
        self.shape: dict[str, int] = {}  # of what a joint carries, itself included
        known: dict[tuple[object, ...], int] = {}
        for name in reversed(joint_order(model)):
            joint = model.joints[name]
            further = sorted(self.shape[each] for each in self.moving(joint.child.body))
            key = (type(joint.kind), joint.kind.nq, joint.kind.nv, *further)
            self.shape[name] = known.setdefault(key, len(known))
            self.below.setdefault(joint.parent.body, []).insert(0, name)

    def moving(self, body: str) -> Iterator[str]:
        """The joints that move on a body, or on what is joined rigidly to it."""
        for name in self.below.get(body, ()):
            if self.model.joints[name].kind.nv:
                yield name
            else:
                yield from self.moving(self.model.joints[name].child.body)

    def groups(self, body: str) -> Iterator[list[list[str]]]:
        """Those on a body and further out."""
        waiting = [body]
        while waiting:
            alike: dict[int, list[str]] = {}
            for name in self.moving(waiting.pop()):
                alike.setdefault(self.shape[name], []).append(name)
            for names in alike.values():
                if len(names) > 1 and len(self.branch(names[0])) >= _JOINTS:
                    yield [self.branch(name) for name in names]
                else:
                    waiting += [self.model.joints[name].child.body for name in names]

    def branch(self, name: str) -> list[str]:
        """The moving joints from one on."""
        found, waiting = [], [name]
        while waiting:
            found.append(waiting.pop())
            further = self.moving(self.model.joints[found[-1]].child.body)
            waiting += sorted(further, key=self.shape.__getitem__)
        return found

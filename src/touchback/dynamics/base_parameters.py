"""Base-parameter regrouping: inertial parameters that a joint's motion can't tell from its parent's
go to the parent.

Serves the mass matrix, the bias and the joint efforts only (Gautier and Khalil 1990). Mass spread
along a joint's axis moves with both links: for a turn about axis a that is the mass, h_a and E_aa;
for a slide E; for a ball the mass."""

from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.numeric_inertia import placed
from touchback.model import Entry
from touchback.spatial import Inertia
from touchback.symbolic import Scalars


def regroup(tree: Tree, k: Scalars) -> None:
    """Move what can be moved, leaves first: among numbers as long as no live parameter is met."""
    for link in reversed(tree.links):
        parent = tree.links[link.parent] if link.parent >= 0 else None
        shared = link.motion.shared()
        if link.live is None and (parent is None or link.placement.numeric):
            _move_numbers(link, parent, shared)
        else:
            _move_live(link, parent, shared, k)
    for link in tree.links:
        link.settle(k)


def _move_numbers(link: Link, parent: Link | None, shared: list[Entry]) -> None:
    own = link.numbers.copy()
    moved = own * 0.0
    for i, j in shared:
        moved[i, j] = moved[j, i] = own[i, j]
        own[i, j] = own[j, i] = 0.0
    link.numbers = own
    if parent is not None:
        parent.numbers = parent.numbers + placed(moved, link.placement)


def _move_live(link: Link, parent: Link | None, shared: list[Entry], k: Scalars) -> None:
    link.settle(k)
    own = [[*link.inertia.E[i], link.inertia.h[i]] for i in range(3)] + [
        [*link.inertia.h, link.inertia.m]
    ]
    moved = [[0] * 4 for _ in range(4)]
    for i, j in shared:
        moved[i][j] = moved[j][i] = own[i][j]
        own[i][j] = own[j][i] = 0
    link.numbers = link.numbers * 0.0
    link.live = _inertia(own)
    if parent is not None:
        turned = _inertia(moved).turned_up(k, link.placement.rotation(k))
        carried = turned.shifted(k, link.placement.scalars(k))
        parent.live = carried if parent.live is None else parent.live.plus(k, carried)


def _inertia(P: list[list[int]]) -> Inertia:
    return Inertia(P[3][3], [P[i][3] for i in range(3)], [P[i][:3] for i in range(3)])

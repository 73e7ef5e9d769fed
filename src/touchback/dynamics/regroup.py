"""Base-parameter regrouping: inertial parameters that a joint's motion can't tell from its parent's go to the parent.

Serves the mass matrix, the bias and the joint efforts only (Gautier and Khalil 1990). Mass spread along a joint's
axis moves with both links: for a turn about axis a that is the mass, h_a and E_aa; for a slide E; for a ball the mass.
"""

from touchback.dynamics.tree import Link, Tree
from touchback.model.joints.motion import Helix
from touchback.spatial import Inertia
from touchback.symbolic.scalars import Scalars


def regroup(tree: Tree, k: Scalars) -> None:
    """Move what can be moved, leaves first. Call after `Tree.place` (it needs placements, not coordinates)."""
    for link in reversed(tree.links):
        moved = _take(link, k)
        if moved is None or link.parent < 0:
            continue
        placed = moved.turned_up(k, link.placement.rotation(k)).shifted(k, link.placement.scalars(k))
        parent = tree.links[link.parent]
        parent.inertia = parent.inertia.plus(k, placed)


def _take(link: Link, k: Scalars) -> Inertia | None:
    """Remove and return what the parent can carry, in the axes of the motion's parent side."""
    own, kind = link.inertia, link.motion.regroups
    E = [list(row) for row in own.E]
    h = list(own.h)
    if kind == "turn" and not isinstance(link.motion, Helix):
        a = link.motion.axis  # type: ignore[attr-defined]
        moved = Inertia.zero()
        moved.m, moved.h[a], moved.E[a][a] = own.m, h[a], E[a][a]  # type: ignore[index]
        h[a], E[a][a] = 0, 0
        link.inertia = Inertia(0, h, E)
        return moved
    if kind == "slide":
        link.inertia = Inertia(own.m, h, [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
        return Inertia(0, [0, 0, 0], E)
    if kind == "ball":
        link.inertia = Inertia(0, h, E)
        return Inertia(own.m, [0, 0, 0], [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    if kind == "all":
        link.inertia = Inertia.zero()
        return own
    return None

"""Which colliders of USD don't touch: those of a joint's two bodies, and filtered pairs."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

from touchback.interop.usd.bodies import Scene
from touchback.interop.usd.joints import Found


def kept_apart(scene: Scene, joints: list[Found]) -> set[frozenset[str]]:
    """Pairs of names of what touches. A joint on the world itself keeps nothing apart: there is no
    body of the world; one on a prim that stands keeps this apart, and nothing else that stands."""
    below: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in scene.touching:
        path = scene.paths[each.name]
        while path not in ("", "/"):
            below[path].append((each.name, each.body))
            path = path.rpartition("/")[0]
    found = set()
    for one, two in [*_jointed(joints), *_filtered(scene)]:
        for a, b in product(_part_of(scene, below, one), _part_of(scene, below, two)):
            found.add(frozenset((a, b)))
    return found


def _part_of(scene: Scene, below: defaultdict[str, list[tuple[str, str]]], prim: Any) -> list[str]:
    """What touches of a prim: of a body, its own; else all that lies in it."""
    path = str(prim.GetPath())
    own = scene.bodies.get(path)
    return [name for name, body in below[path] if own in (None, body)]


def _jointed(joints: list[Found]) -> list[tuple[Any, Any]]:
    from pxr import UsdPhysics

    return [
        (each.ends[0], each.ends[1])
        for each in joints
        if each.ends[0] is not None
        and each.ends[1] is not None
        and not UsdPhysics.Joint(each.prim).GetCollisionEnabledAttr().Get()
    ]


def _filtered(scene: Scene) -> list[tuple[Any, Any]]:
    from pxr import UsdPhysics

    found = []
    for prim in scene.stage.prims:
        if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
            for path in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                other = scene.stage.usd.GetPrimAtPath(path)
                if other:
                    found.append((prim, other))
    return found

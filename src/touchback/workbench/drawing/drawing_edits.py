"""What the messages of a drawing do to its document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from touchback import Box, Cylinder, Mesh, Sphere
from touchback.errors import InputError, TouchbackError
from touchback.model import (
    GROUND,
    KINDS,
    AnySeen,
    JointKind,
    MassProperties,
    VisualKind,
    kinds_in,
    rotation_to,
)
from touchback.names import check_name, unknown_name
from touchback.units import unit_of
from touchback.workbench.drawing import drawing_messages as messages
from touchback.workbench.drawing.document import (
    SECTIONS,
    SINGULAR,
    Changes,
    Draft,
    Item,
    Pose,
    body_of,
    nice,
    nices,
    quoted,
    replaced_symbol,
    short,
    turn_of,
    turned_about,
)
from touchback.workbench.drawing.grouping import group, ungroup
from touchback.workbench.drawing.placement import (
    array,
    check_section,
    copy,
    direction_of,
    joint_fields,
    listed,
    mirror,
    move,
    point_of,
    standing,
    turn,
)

_SMALLEST = 1e-6  # m: nothing is drawn shorter
_AT_ZERO = 1e-8  # m, rad: a coordinate that is nearer is drawn at 0
_TOUCHING = 1e-9  # of an outline's size: nearer than this is on a side
Place = tuple[str | int, ...]
Vector = tuple[float, float, float]


class Drawn(NamedTuple):
    """What an edit asks about the drawing as it is: `value` gives the number of a number or an
    expression, `unit` the unit of the number at a place, `mesh` a mesh of the drawing's folder;
    `now` gives numbers of expressions as the draft has become."""

    value: Callable[[object], float]
    unit: Callable[[Place], str]
    mesh: Callable[[str], Mesh]
    now: Callable[[str], float]


def edit(draft: Draft, asked: messages.Edit, drawn: Drawn) -> str:
    """Changes a draft as a message asks; what was done, in words."""
    done: Callable[[Draft, Any, Drawn], str] = _EDITS[type(asked)]
    return done(draft, asked, drawn)


# ---- bodies --------------------------------------------------------------------------------------


def _name(draft: Draft, given: str, stem: str, section: str, *others: str) -> str:
    """The name that was given, checked, or the next one of its kind."""
    if given:
        return check_name(SINGULAR[section].capitalize(), given)
    return draft.new_name(stem, section, *others)


def _body(
    draft: Draft, asked: Any, stem: str, at: np.ndarray, solid: VisualKind, plain: Item,
    turn: list[list[object]],
) -> str:  # fmt: skip
    """A body with one solid about its origin, which hangs loose."""
    name = _name(draft, asked.name, stem, "bodies", "joints", "shapes")
    found = solid.mass_properties()
    if found is None or not found.volume > 0.0:
        raise InputError(
            f"Body '{name}': its surface holds no volume; give triangles that close, counter-"
            "clockwise as seen from outside."
        )
    for section in ("joints", "shapes"):
        if name in draft.items(section):
            raise InputError(f"There is a {section[:-1]} '{name}' already; choose another name.")
    R = np.eye(3)
    for axis, angle in turn:
        R = R @ turned_about(np.eye(3)["xyz".index(str(axis))], float(cast(float, angle)))
    draft.put("bodies", name, _weight(found, asked.density, R))
    draft.poses[name] = np.eye(3), at
    frame: Item = {"body": name}
    if turn:
        frame["turn"] = turn
    draft.section("shapes")[name] = {"frame": frame if turn else name, "solid": plain}
    draft.hang(name)
    return f"{stem} '{name}'"


def _weight(found: MassProperties, density: float, R: np.ndarray) -> Item:
    """Mass, centre and inertia of a body, of a solid whose axes are turned by R."""
    body: Item = {"mass": short(density * found.volume)}
    com = R @ found.centre
    if np.abs(com).max() > 1e-12:
        body["com"] = nices(com)
    body["inertia"] = _six(density * (R @ found.inertia @ R.T))
    return body


def _six(inertia: np.ndarray) -> list[float | int]:
    """Moments, and products where there are any."""
    small = 1e-11 * float(np.trace(inertia))
    products = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    found = [short(x) for x in np.diag(inertia)]
    if max(abs(x) for x in products) > small:
        found += [short(x if abs(x) > small else 0.0) for x in products]
    return found


def _tensor(inertia: Sequence[float]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = [*map(float, inertia), 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _along(way: np.ndarray) -> list[list[object]]:
    """Turns that bring x along a direction: about y alone in the x–z plane."""
    x, y, z = map(float, way / np.linalg.norm(way))
    if abs(y) < 1e-12:
        return [["y", round(math.atan2(-z, x), 12) + 0.0]]
    about_z, about_y = math.atan2(y, x), math.atan2(-z, math.hypot(x, y))
    return [["z", round(about_z, 12)], ["y", round(about_y, 12) + 0.0]]


def _bar(draft: Draft, asked: messages.Bar, drawn: Drawn) -> str:
    start, end = point_of(asked.start, "bar: from"), point_of(asked.to, "bar: to")
    length = float(np.linalg.norm(end - start))
    if length < _SMALLEST:
        raise InputError(f"A bar has two ends; these are {length:g} m apart.")
    size = [nice(length), asked.depth, asked.width]
    solid = Box((float(size[0]), asked.depth, asked.width))
    plain = {"kind": "box", "size": size}
    return _body(draft, asked, "bar", (start + end) / 2.0, solid, plain, _along(end - start))


def _box(draft: Draft, asked: messages.Box, drawn: Drawn) -> str:
    plain = {"kind": "box", "size": [short(x) for x in asked.size]}
    return _body(draft, asked, "box", point_of(asked.at, "box: at"), Box(asked.size), plain, [])


def _disc(draft: Draft, asked: messages.Disc, drawn: Drawn) -> str:
    solid = Cylinder(asked.radius, asked.thickness)
    plain = {"kind": "cylinder", "radius": asked.radius, "length": asked.thickness}
    x, y, z = map(float, direction_of(asked.axis, "disc"))
    turn: list[list[object]] = []  # z of the cylinder along the axis
    if abs(x) + abs(y) < 1e-12:
        turn = [["x", math.pi]] if z < 0.0 else []
    elif abs(x) + abs(z) < 1e-12:
        turn = [["x", math.copysign(math.pi / 2.0, -y)]]
    else:
        turn = [["z", round(math.atan2(y, x), 12) + 0.0], ["y", round(math.acos(z), 12)]]
    return _body(draft, asked, "disc", point_of(asked.at, "disc: at"), solid, plain, turn)


def _sphere(draft: Draft, asked: messages.Sphere, drawn: Drawn) -> str:
    plain = {"kind": "sphere", "radius": asked.radius}
    at = point_of(asked.at, "sphere: at")
    return _body(draft, asked, "sphere", at, Sphere(asked.radius), plain, [])


def _outline(draft: Draft, asked: messages.Outline, drawn: Drawn) -> str:
    points = np.array([point_of(each, "outline: a point") for each in asked.points])
    middle = points.mean(axis=0)
    R = _plane_of(points - middle) if draft.space else np.eye(3)
    flat = ((points - middle) @ R)[:, [0, 2]]
    apart = np.linalg.norm(flat - np.roll(flat, 1, axis=0), axis=1)
    flat = flat[apart > _SMALLEST]  # who closes it by hand ends where it began
    if len(flat) < 3:
        raise InputError(f"An outline has three corners or more; these are {len(flat)}.")
    _refuse_crossing(flat)
    if _area(flat) < 0.0:
        flat = flat[::-1]
    x, z = _centroid(flat)
    mesh = _prism(flat - (x, z), asked.depth)
    plain = {"kind": "mesh", "points": mesh.points, "triangles": mesh.triangles}
    return _body(draft, asked, "outline", middle + R @ (x, 0.0, z), mesh, plain, turn_of(R))


def _plane_of(points: np.ndarray) -> np.ndarray:
    """The rotation whose y axis is square to corners about their middle, by the area that they
    enclose; none where that is the world's y axis."""
    area = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    size, extent = float(np.linalg.norm(area)), float(np.abs(points).max())
    if not size > _SMALLEST**2 or abs(area[1]) > size * (1.0 - 1e-12):
        return np.eye(3)
    off = float(np.abs(points @ area).max()) / size
    if off > 1e-6 * extent:
        raise InputError(
            f"An outline lies in a plane; a corner of this one is {off:.3g} m beside it. Draw it "
            "in one work plane."
        )
    return np.asarray(rotation_to(area / size) @ turned_about(np.eye(3)[0], math.pi / 2.0))


def _area(flat: np.ndarray) -> float:
    x, z = flat.T
    return 0.5 * float(np.sum(x * np.roll(z, -1) - np.roll(x, -1) * z))


def _centroid(flat: np.ndarray) -> np.ndarray:
    middle = flat.mean(axis=0)
    (x, z), (x1, z1) = (flat - middle).T, np.roll(flat - middle, -1, axis=0).T
    cross = x * z1 - x1 * z
    area = 0.5 * float(cross.sum())
    if not area > _SMALLEST**2:
        raise InputError("The outline holds no area; draw its corners one after the other.")
    return middle + np.array([((x + x1) * cross).sum(), ((z + z1) * cross).sum()]) / (6.0 * area)


def _refuse_crossing(flat: np.ndarray) -> None:
    """Refuses an outline two of whose sides cross."""
    n = len(flat)
    a, b = flat, np.roll(flat, -1, axis=0)

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        along, across = q - p, r - p
        return np.asarray(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0])

    P, Q = a[:, None], b[:, None]
    crossed = (side(P, Q, a[None]) * side(P, Q, b[None]) < 0.0) & (
        side(a[None], b[None], P) * side(a[None], b[None], Q) < 0.0
    )
    found = np.argwhere(crossed)
    if len(found):
        i, j = found[0]
        raise InputError(
            f"The outline crosses itself: its side {i + 1} of {n} meets side {j + 1}; draw it "
            "without crossing."
        )
    _refuse_overlap(flat)


def _refuse_overlap(flat: np.ndarray) -> None:
    """Refuses an outline that goes round a place twice, or once the other way: its sides pass
    through a corner, or run over each other. Beside each part of a side between corners it goes
    round once or not at all; a bridge to a hole, there and back, is within it."""
    size, way = float(np.ptp(flat, axis=0).max()), -1 if _area(flat) < 0.0 else 1
    near, sides = _TOUCHING * size, np.roll(flat, -1, axis=0) - flat
    length = np.linalg.norm(sides, axis=1)
    kept = np.flatnonzero(length > near)
    if not len(kept):  # all corners are one
        return
    along = sides[kept] / length[kept, None]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    to = flat[None] - flat[kept, None]
    at, off = np.einsum("ijk,ik->ij", to, along), np.einsum("ijk,ik->ij", to, normal)
    on = (np.abs(off) <= near) & (at > 0.0) & (at < length[kept, None])
    points, of = list[np.ndarray](), list[int]()
    for row, i in enumerate(kept):
        cuts = np.unique(np.concatenate([[0.0, length[i]], at[row, on[row]]]))
        cuts = cuts[np.append(True, np.diff(cuts) > near)]
        middles = flat[i] + np.outer(0.5 * (cuts[:-1] + cuts[1:]), along[row])
        points += [middles + 1e3 * near * normal[row], middles - 1e3 * near * normal[row]]
        of += [int(i)] * (2 * len(middles))
    turns = way * _winding(flat, np.concatenate(points))
    wrong = np.flatnonzero((turns < 0) | (turns > 1))
    if len(wrong):
        raise InputError(
            f"The outline crosses or covers itself at its side {of[wrong[0]] + 1} of {len(flat)}, "
            "at a corner or along another side; draw it round once, without crossing."
        )


def _winding(flat: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How many times a figure goes round points, counter-clockwise."""
    a, b = flat[None], np.roll(flat, -1, axis=0)[None]
    along, across = b - a, points[:, None] - a
    left = along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]
    below, above = a[..., 1] <= points[:, None, 1], b[..., 1] > points[:, None, 1]
    up, down = below & above & (left > 0.0), ~below & ~above & (left < 0.0)
    return np.asarray(up.sum(axis=1) - down.sum(axis=1))


def _prism(flat: np.ndarray, depth: float) -> Mesh:
    """The figure as thick as `depth` about y = 0, its corners counter-clockwise as x goes to z."""
    n = len(flat)
    faces = _ears(flat)
    front = np.column_stack([flat[:, 0], np.full(n, -0.5 * depth), flat[:, 1]])
    back = front + (0.0, depth, 0.0)
    # x to z is clockwise about y: as seen from −y these corners are counter-clockwise
    triangles = [*faces, *((n + a, n + c, n + b) for a, b, c in faces)]
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, n + i, j), (j, n + i, n + j)]
    return Mesh.of(np.concatenate([front, back]), np.array(triangles))


def _ears(flat: np.ndarray) -> list[tuple[int, int, int]]:
    """Triangles of a figure that doesn't cross itself, by cutting ears. A cut changes only which of
    its two neighbours are ears, so that all are looked at again only where none is known."""
    n = len(flat)
    before, after = [i - 1 for i in range(n)], [i + 1 for i in range(n)]
    before[0], after[n - 1] = n - 1, 0
    here, known = np.ones(n, dtype=bool), list[int]()
    found = list[tuple[int, int, int]]()

    def is_ear(i: int) -> bool:
        corner = [before[i], i, after[i]]
        others = here.copy()
        others[corner] = False
        return _area(flat[corner]) > 0.0 and not _inside(flat[corner], flat[others]).any()

    while n - len(found) > 3:
        tip = -1
        while known and tip < 0:
            i = known.pop()
            tip = i if here[i] and is_ear(i) else -1
        if tip < 0:
            known = [int(i) for i in np.flatnonzero(here) if is_ear(int(i))]
            # nothing but corners in a line may be left
            tip = known.pop() if known else int(np.flatnonzero(here)[0])
        a, c = before[tip], after[tip]
        found.append((a, tip, c))
        here[tip], after[a], before[c] = False, c, a
        known += [a, c]
    a = int(np.flatnonzero(here)[0])
    return [*found, (a, after[a], after[after[a]])]


def _inside(corner: np.ndarray, points: np.ndarray) -> np.ndarray:
    found = np.ones(len(points), dtype=bool)
    for p, q in zip(corner, np.roll(corner, -1, axis=0)):
        along, across = q - p, points - p
        found &= along[0] * across[:, 1] - along[1] * across[:, 0] >= 0.0
    return found


def _mesh(draft: Draft, asked: messages.Mesh_, drawn: Drawn) -> str:
    if bool(asked.file) == bool(asked.vertices):
        raise InputError("A mesh is a `file` of the drawing's folder, or `vertices`.")
    if asked.file:
        mesh = drawn.mesh(asked.file)
    else:
        mesh = Mesh.of(np.array(asked.vertices), np.array(asked.triangles, dtype=int))
    plain = {"kind": "mesh", "points": mesh.points, "triangles": mesh.triangles}
    return _body(draft, asked, "mesh", point_of(asked.at, "mesh: at"), mesh, plain, [])


# ---- joints, rods, forces ------------------------------------------------------------------------


def _joint(draft: Draft, asked: messages.Joint, drawn: Drawn) -> str:
    kind = asked.kind.lower()
    name = _name(draft, asked.name, kind, "joints", "closures")
    what = f"Joint '{name}'"
    plain, R = joint_fields(kind, asked.axis, asked.pitch, what)
    at = point_of(asked.at, f"{what}: at")
    for body in (asked.a, asked.b):
        draft.check_body(body)
    draft.check_signal_free(name)
    joint: Item = {
        **plain, "parent": draft.frame(asked.a, at, R), "child": draft.frame(asked.b, at, R),
    }  # fmt: skip
    closes = draft.join(name, joint)
    if ("joints", name) not in draft.made and ("closures", name) not in draft.made:
        draft.made.append(("joints" if name in draft.items("joints") else "closures", name))
    return f"{kind} joint '{name}'" + (", which closes a loop" if closes else "")


def _ends(draft: Draft, asked: Any, what: str) -> tuple[Item, Item, float]:
    """Frames of the two ends of a line, and how far they are apart."""
    a, b = (point_of(each.at, f"{what}: at") for each in (asked.a, asked.b))
    if asked.a.body == asked.b.body:
        raise InputError(f"{what}: both ends are on '{asked.a.body}'; choose two bodies.")
    length = float(np.linalg.norm(b - a))
    return draft.frame(asked.a.body, a), draft.frame(asked.b.body, b), length


def _rod(draft: Draft, asked: messages.Rod, drawn: Drawn) -> str:
    name = _name(draft, asked.name, "rod", "joints", "closures")
    draft.check_signal_free(name)
    a, b, length = _ends(draft, asked, f"Rod '{name}'")
    if length < _SMALLEST:
        raise InputError(f"Rod '{name}': its ends are {length:g} m apart; join them by a joint.")
    draft.put("closures", name, {"kind": "rod", "length": nice(length), "a": a, "b": b})
    return f"rod '{name}'"


def _spring(draft: Draft, asked: messages.Spring, drawn: Drawn) -> str:
    name = _name(draft, asked.name, "spring", "forces")
    a, b, drawn_length = _ends(draft, asked, f"Spring '{name}'")
    force: Item = {"kind": "spring-damper", "a": a, "b": b, "stiffness": asked.stiffness}
    if asked.damping != 0.0:
        force["damping"] = asked.damping
    force["length"] = nice(drawn_length) if asked.length is None else asked.length
    draft.put("forces", name, force)
    return f"spring '{name}'"


def _damper(draft: Draft, asked: messages.Damper, drawn: Drawn) -> str:
    name = _name(draft, asked.name, "damper", "forces")
    a, b, _ = _ends(draft, asked, f"Damper '{name}'")
    force = {"kind": "spring-damper", "a": a, "b": b, "damping": asked.damping}
    draft.put("forces", name, force)
    return f"damper '{name}'"


class Coordinate(NamedTuple):
    """A coordinate of a joint: its number, its names as a position and as a rate, its unit."""

    joint: str
    number: int
    position: str
    rate: str
    unit: str  # "m" or "rad"
    plain: bool  # its rate is that of its position

    def drawn_at(self, drawn: Drawn) -> float | int:
        """Where it is as drawn, to 1e-12; 0 where that is rounding, or it has no one number."""
        q = drawn.now(quoted(f"q:{self.position}")) if self.plain else 0.0
        return nice(q) if abs(q) > _AT_ZERO else 0

    def place(self) -> Item:
        """As an item names it."""
        return {"joint": self.joint, **({"index": self.number} if self.number else {})}


def _coordinate(draft: Draft, name: str) -> Coordinate:
    """What a joint's name, or that of one of its coordinates, means to what acts in it: the first
    where nothing is said. A joint that closes a loop changes places with another."""
    known = {*draft.items("joints"), *draft.items("closures")}
    joint, wanted = (name, "") if name in known else name.rpartition(".")[::2]
    if joint in draft.items("closures") and not draft.carry(joint):
        raise InputError(
            f"Joint '{joint}' closes a loop, and no other joint of that loop can close it instead: "
            "something acts in each. Take that away first, or choose another joint."
        )
    if joint not in draft.items("joints"):
        raise unknown_name("joint", name, [*draft.items("joints"), *draft.items("closures")])
    item = draft.items("joints")[joint]
    made = KINDS["joints"][item["kind"]]
    kind = cast("JointKind", made(**{key: item[key] for key in ("normal",) if key in item}))
    names = kind.velocity_names()
    if not names:
        raise InputError(f"Joint '{joint}': it is rigid; nothing can act or be measured in it.")
    if wanted and names == ("",):
        raise unknown_name("joint", name, [joint])
    if wanted and wanted not in names:
        raise unknown_name(f"coordinate of joint '{joint}'", wanted, names)
    index = names.index(wanted) if wanted else 0
    positions = kind.position_names()
    own = positions[index] if kind.nq == kind.nv else positions[0]
    unit = kind.velocity_units()[index].removesuffix("/s")
    position, rate = (f"{joint}.{each}" if each else joint for each in (own, names[index]))
    return Coordinate(joint, index, position, rate, unit, kind.nq == kind.nv)


def _motor(draft: Draft, asked: messages.Motor, drawn: Drawn) -> str:
    at = _coordinate(draft, asked.joint)
    name = _name(draft, asked.name, "motor", "forces", "inputs", "parameters", "sensors")
    signal: Item = {"unit": "N" if at.unit == "m" else "N m"}
    if asked.most is not None:
        signal |= {"min": -asked.most, "max": asked.most}
    draft.put("inputs", name, signal)
    draft.put("forces", name, {"kind": "joint-effort", **at.place(), "effort": quoted(name)})
    return f"motor '{name}' in '{asked.joint}'"


def _drive(draft: Draft, asked: messages.Drive, drawn: Drawn) -> str:
    at = _coordinate(draft, asked.joint)
    if (asked.rate is None) == (asked.law is None):
        raise InputError("A drive has a `rate` [rad/s, m/s] or a `law` of time, one of the two.")
    name = _name(draft, asked.name, f"{at.rate} drive", "drives", "closures")
    draft.check_signal_free(name)
    position = asked.law
    if position is None:
        start, rate = at.drawn_at(drawn), nice(asked.rate or 0.0)
        position = f"{rate} * time"
        if start:
            position = f"{start} {'-' if rate < 0 else '+'} {abs(rate)} * time"
    draft.put("drives", name, {**at.place(), "position": position})
    return f"drive '{name}' of '{asked.joint}'"


def _torsion(draft: Draft, asked: messages.Torsion, drawn: Drawn) -> str:
    at = _coordinate(draft, asked.joint)
    name = _name(draft, asked.name, "torsion spring", "forces")
    rest = at.drawn_at(drawn) if asked.rest is None else asked.rest
    given = {"stiffness": asked.stiffness, "damping": asked.damping, "rest": rest}
    force = {key: each for key, each in given.items() if each != 0.0}
    draft.put("forces", name, {"kind": "torsion-spring", **at.place(), **force})
    return f"torsion spring '{name}' in '{asked.joint}'"


_AT_POINTS = (
    "position", "velocity", "acceleration", "angular-velocity", "angular-acceleration",
    "total-force", "total-torque", "accelerometer",
)  # fmt: skip
_SENSORS = (*_AT_POINTS, "angle", "speed", "force", "effort", "energy")


def _sensor(draft: Draft, asked: messages.Sensor, drawn: Drawn) -> str:
    name = _name(draft, asked.name, asked.kind, "sensors", "inputs", "parameters")
    kind, on = asked.kind, asked.on
    if kind not in _SENSORS:
        raise unknown_name("kind of sensor", kind, _SENSORS)
    if kind == "energy":
        draft.put("sensors", name, {"kind": "energy"})
    elif kind in _AT_POINTS:
        draft.check_body(on)
        at = draft.poses[on][1] if asked.at is None else point_of(asked.at, f"Sensor '{name}': at")
        draft.put("sensors", name, {"kind": kind, "frame": draft.frame(on, at)})
    elif kind == "force":  # along a rod; of a joint, closing a loop or not, all components
        if draft.items("closures").get(on, {}).get("kind") == "rod":
            draft.put("sensors", name, {"kind": "multiplier", "row": on})
        elif on in draft.items("joints") or on in draft.items("closures"):
            draft.put("sensors", name, {"kind": "reaction", "joint": on})
        else:
            raise unknown_name("joint", on, [*draft.items("joints"), *draft.items("closures")])
    elif kind == "effort":
        draft.put("sensors", name, {"kind": "effort", **_coordinate(draft, on).place()})
    else:
        at_joint = _coordinate(draft, on)
        signal = f"q:{at_joint.position}" if kind == "angle" else f"v:{at_joint.rate}"
        draft.put("sensors", name, {"kind": "signal", "expression": quoted(signal)})
    return f"{kind} sensor '{name}' on '{on}'"


def _trace(draft: Draft, asked: messages.Trace, drawn: Drawn) -> str:
    name = _name(draft, asked.name, "trace", "sensors", "inputs", "parameters")
    at = point_of(asked.at, f"Trace '{name}': at")
    draft.put("sensors", name, {"kind": "position", "frame": draft.frame(asked.body, at)})
    return f"trace '{name}' of '{asked.body}'"


def _contact(draft: Draft, asked: messages.Contact, drawn: Drawn) -> str:
    name = _name(draft, asked.name, "contact", "forces")
    found = {
        each.__struct_config__.tag: (each, pose)
        for each, pose in solids_of(draft, asked.a, drawn.value)
    }
    ball = found.get("sphere") or (None if draft.space else found.get("cylinder"))
    if asked.a == asked.b or ball is None:
        raise InputError(
            f"Contact '{name}': '{asked.a}' is no ball (nor, in a plane, a disc), which touches "
            "the ground or the upper face of a box; draw one, and name it as `a`."
        )
    solid, (_, p) = ball
    plane = draft.frame(GROUND, np.zeros(3))
    if asked.b != GROUND:
        draft.check_body(asked.b)
        box = next(
            (x for x in solids_of(draft, asked.b, drawn.value) if isinstance(x[0], Box)), None
        )
        if box is None:
            raise InputError(
                f"Contact '{name}': '{asked.b}' is neither the ground nor a box with a face."
            )
        solid_of_b, pose = box
        size = np.array([drawn.value(x) for x in cast(Box, solid_of_b).size])
        gravity = draft.data.get("gravity", (0.0, 0.0, -9.81))
        down = np.array([drawn.value(x) for x in gravity])
        down = down if float(np.linalg.norm(down)) > 0.0 else np.array([0.0, 0.0, -1.0])
        R, middle = _upper_face(size, pose, -down, p)
        plane = draft.frame(asked.b, middle, R)
    force: Item = {
        "kind": "sphere-on-plane", "frame": draft.frame(asked.a, p), "plane": plane,
        "radius": nice(drawn.value(cast(Sphere, solid).radius)), "stiffness": asked.stiffness,
        "damping": 0.5,
    }  # fmt: skip
    if asked.friction:
        force["friction"] = asked.friction
    draft.put("forces", name, force)
    return f"contact '{name}' of '{asked.a}' on '{asked.b}'"


_HALF = 0.5 * math.pi
# turns of a box's axes that bring z out of each face
_FACES = (("y", 0.0), ("y", math.pi), ("y", _HALF), ("y", -_HALF), ("x", -_HALF), ("x", _HALF))


def _upper_face(size: np.ndarray, pose: Pose, up: np.ndarray, ball: np.ndarray) -> Pose:
    """Of the faces of a box that a ball is in front of, the one that points up most: its middle,
    and axes whose z points out of it. Broad faces come first where two do alike."""
    R, p = pose
    best, found = (False, -math.inf), pose
    for axis, angle in _FACES:
        turned = R @ turned_about(np.eye(3)["xyz".index(axis)], angle)
        normal = turned[:, 2]
        middle = p + normal * 0.5 * float(size @ np.abs(R.T @ normal))
        rank = bool(normal @ (ball - middle) > 0.0), float(normal @ up)
        if rank[0] > best[0] or (rank[0] == best[0] and rank[1] > best[1] + 1e-9):
            best, found = rank, (turned, middle)
    return found


# ---- numbers -------------------------------------------------------------------------------------


def _shown(path: Place) -> str:
    return ".".join(map(str, path))


def _holder(draft: Draft, path: Place, what: str) -> tuple[Any, str | int]:
    """What holds the value at a path, to be changed, and its key there."""
    section, name, *rest = path
    if section == "model":
        if name == "name" and not rest:
            return draft.data, "name"
        if name != "gravity":
            raise unknown_name("number of the model", str(name), ["gravity", "name"])
        draft.data["gravity"] = list(draft.data.get("gravity", (0.0, 0.0, -9.81)))
        if not rest:
            return draft.data, "gravity"
        holder: Any = draft.data["gravity"]
    elif section not in SECTIONS:
        raise unknown_name("section", str(section), ["model", *SECTIONS])
    elif not rest and section == "definitions":
        return draft.section("definitions"), str(name)
    elif not rest:
        raise InputError(f"{what}: {_shown(path)} is a whole item; name a number in it.")
    else:
        holder = draft.item(str(section), str(name))
    for step in rest[:-1]:
        holder = _inside_of(holder, step, path, what)
    key = rest[-1]
    if isinstance(holder, list):
        _inside_of(holder, key, path, what)
    elif not (isinstance(holder, dict) and isinstance(key, str)):
        raise InputError(f"{what}: there is nothing at {_shown(path)}.")
    return holder, key


def _inside_of(holder: Any, step: str | int, path: Place, what: str) -> Any:
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    if isinstance(holder, list):
        raise InputError(f"{what}: {_shown(path)}: a list of {len(holder)} has no {step!r}.")
    known = holder if isinstance(holder, dict) else ()
    raise unknown_name(f"key in {_shown(path)}", str(step), list(known))


def _plain(given: Any) -> Any:
    return [_plain(each) for each in given] if isinstance(given, tuple) else given


_WEIGHTS = [("bodies", "mass"), ("bodies", "com"), ("bodies", "inertia"), ("shapes", "solid")]


def _set(draft: Draft, asked: messages.Set, drawn: Drawn) -> str:
    section, name, *rest = asked.path
    words = f"{_shown(asked.path)} = {asked.value if asked.value is not None else 'nothing'}"
    given = _plain(asked.value)
    if section == "bodies" and rest == ["colour"]:
        return _colour(draft, str(name), given)
    if section == "bodies" and rest == ["density"]:
        if not _is_positive(given):
            raise InputError(f"Body '{name}': a density is a positive number, got {given!r}.")
        _reweigh(draft, str(name), drawn, float(given))
        draft.made.append(("bodies", str(name)))
        return words
    body = str(name) if section == "bodies" else ""
    if section == "shapes" and name in draft.items("shapes"):
        body = body_of(draft.items("shapes")[str(name)]["frame"])
    density = density_of(draft, body, drawn.value)
    mass = draft.items("bodies").get(body, {}).get("mass")
    holder, key = _holder(draft, asked.path, "set")
    if given is None:
        if (section, *rest[:1]) in _WEIGHTS:
            raise InputError(  # infinity becomes null in JSON, and would take the mass away
                f"set: {_shown(asked.path)} can't be taken away, got null; give finite numbers."
            )
        if not isinstance(holder, dict) or key not in holder:
            raise InputError(f"set: there is nothing at {_shown(asked.path)} to be taken away.")
        if holder is draft.data and key == "name":
            raise InputError("set: the drawing keeps a name; give another.")
        del holder[key]
    else:
        now = holder.get(key) if isinstance(holder, dict) else holder[cast(int, key)]
        if isinstance(now, dict):
            raise InputError(
                f"set: {_shown(asked.path)} has {', '.join(map(repr, now))}; name one of these."
            )
        holder[key] = given
    if density is not None and section == "shapes" and rest[:1] == ["solid"] and rest[1:]:
        _reweigh(draft, body, drawn, density)
    elif density is not None and rest == ["mass"] and _is_positive(given):
        own = draft.item("bodies", body)
        own["inertia"] = _six(_tensor(own["inertia"]) * (float(given) / float(mass)))
    draft.made.append((str(section), str(name)))
    return words


def _colour(draft: Draft, name: str, colour: Any) -> str:
    """The colour of a body's solids."""
    draft.item("bodies", name)
    for key, look in list(draft.items("shapes").items()):
        if body_of(look["frame"]) == name:
            own = draft.item("shapes", key)
            own.pop("colour", None)
            if colour:
                own["colour"] = colour
    draft.made.append(("bodies", name))
    return f"colour of '{name}'"


def _is_positive(given: Any) -> bool:
    return not isinstance(given, bool) and isinstance(given, int | float) and given > 0.0


def solids_of(
    draft: Draft, body: str, value: Callable[[object], float]
) -> list[tuple[VisualKind, Pose]]:
    """The solids of a body, in numbers, and where they are in the world."""
    return [
        (solid, draft.world(look["frame"], value))
        for look in draft.items("shapes").values()
        if body_of(look["frame"]) == body and (solid := solid_in_numbers(look["solid"], value))
    ]


def solid_in_numbers(
    plain: Mapping[str, Any], value: Callable[[object], float]
) -> VisualKind | None:
    """A solid of a document with numbers for its expressions; None where it is none."""
    kind = kinds_in(AnySeen).get(str(plain.get("kind")))
    if kind is None:
        return None
    given = {key: each for key, each in plain.items() if key != "kind"}
    if kind is not Mesh:
        given = {
            key: tuple(map(value, each)) if isinstance(each, list) else value(each)
            for key, each in given.items()
        }
    try:
        return cast(VisualKind, kind(**given))
    except (TypeError, TouchbackError):
        return None


def density_of(draft: Draft, body: str, value: Callable[[object], float]) -> float | None:
    """The density [kg/m³] of a body that weighs what its only solid does; None where it doesn't,
    or where expressions say what it weighs."""
    plain = draft.items("bodies").get(body)
    if plain is None or "inertia" not in plain:
        return None
    if any(isinstance(x, str) for x in (plain.get("mass", 0.0), *plain["inertia"])):
        return None
    solids, mass = solids_of(draft, body, value), float(plain.get("mass", 0.0))
    found = solids[0][0].mass_properties() if len(solids) == 1 else None
    if found is None or not found.volume > 0.0 or not mass > 0.0:
        return None
    density = mass / found.volume
    own, like = (
        np.linalg.eigvalsh(each) for each in (_tensor(plain["inertia"]), density * found.inertia)
    )
    alike = float(np.abs(own - like).max()) <= 1e-5 * float(np.abs(like).max())
    return density if alike else None


def _reweigh(draft: Draft, name: str, drawn: Drawn, density: float) -> None:
    """Lets a body weigh what its solid does at a density."""
    body, solids = draft.item("bodies", name), solids_of(draft, name, drawn.value)
    found = solids[0][0].mass_properties() if len(solids) == 1 else None
    if found is None or not found.volume > 0.0:
        raise InputError(
            f"Body '{name}': it has {len(solids)} solids that say what it weighs, not one; give "
            "its mass."
        )
    R_WB, p_WB = draft.poses[name]
    R, p = solids[0][1]
    weight = _weight(found, density, R_WB.T @ R)
    com = R_WB.T @ (p - p_WB + R @ found.centre)
    weight.pop("com", None)
    if np.abs(com).max() > 1e-12:
        weight["com"] = nices(com)
    body.pop("com", None)
    body.update(weight)


def _parameter(draft: Draft, asked: messages.Parameter, drawn: Drawn) -> str:
    """A number becomes the name of a parameter, in whose unit it was."""
    name = check_name("Parameter", asked.name)
    holder, key = _holder(draft, asked.path, f"Parameter '{name}'")
    given = holder.get(key) if isinstance(holder, dict) else holder[cast(int, key)]
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(
            f"Parameter '{name}': at {_shown(asked.path)} is {given!r}; a parameter is made from a "
            "number."
        )
    text = asked.unit or drawn.unit(asked.path)
    unit = unit_of(text)
    if asked.unit and unit is None:
        raise InputError(f"Parameter '{name}': there is no unit '{asked.unit}'.")
    default = float(given) if unit is None else (float(given) - unit.zero) / unit.factor
    default = float(f"{default:.15g}") if unit is not None and unit.factor != 1.0 else default
    parameter: Item = {"default": int(default) if default.is_integer() else default}
    if text:
        parameter["unit"] = text
    for word, end in (("min", asked.min), ("max", asked.max)):
        if end is not None:
            parameter[word] = end
    holder[key] = quoted(name)
    draft.put("parameters", name, parameter)
    return f"parameter '{name}'"


def _gravity(draft: Draft, asked: messages.Gravity, drawn: Drawn) -> str:
    value = [short(x) for x in point_of(asked.value, "gravity")]
    draft.data["gravity"] = value
    if value == [0, 0, -9.81]:
        del draft.data["gravity"]
    draft.made.append(("model", ""))
    return f"gravity {value}"


def _rename(draft: Draft, asked: messages.Rename, drawn: Drawn) -> str:
    check_section(asked.section)
    check_name(SINGULAR[asked.section].capitalize(), asked.to)
    draft.rename(asked.section, asked.name, asked.to)
    return f"'{asked.name}' is '{asked.to}'"


def _remove(draft: Draft, asked: messages.Remove, drawn: Drawn) -> str:
    for each in asked.items:
        check_section(each.section)
    chosen = dict.fromkeys(standing(draft, each.section, each.name) for each in asked.items)
    for section, name in chosen:
        if name not in draft.items(section):
            raise unknown_name(SINGULAR[section], name, draft.items(section))
    for section, name in chosen:
        if section == "parameters" and name in draft.items("parameters"):
            _fix_parameter(draft, name, drawn)
    # closures first: they take no joint's place then
    others = [each for each in chosen if each[0] != "parameters"]
    draft.remove(sorted(others, key=lambda item: item[0] != "closures"))
    return f"without {listed(asked.items)}"


def _fix_parameter(draft: Draft, name: str, drawn: Drawn) -> None:
    """A parameter that goes leaves its number."""
    number = repr(short(drawn.value(quoted(name))))
    plain = draft.drop("parameters", name)
    del plain

    def text(given: str) -> str:
        return replaced_symbol(given, name, number)

    draft.map_all(Changes(text=text))


def _place(does: Callable[[Draft, Any], str]) -> Callable[[Draft, Any, Drawn], str]:
    """An edit that asks nothing about the drawing as it is."""
    return lambda draft, asked, drawn: does(draft, asked)


_EDITS: dict[type, Callable[[Draft, Any, Drawn], str]] = {
    messages.Bar: _bar, messages.Box: _box, messages.Disc: _disc, messages.Sphere: _sphere,
    messages.Outline: _outline, messages.Mesh_: _mesh, messages.Joint: _joint, messages.Rod: _rod,
    messages.Spring: _spring, messages.Damper: _damper, messages.Motor: _motor,
    messages.Drive: _drive, messages.Torsion: _torsion, messages.Sensor: _sensor,
    messages.Trace: _trace, messages.Contact: _contact, messages.Set: _set,
    messages.Parameter: _parameter, messages.Gravity: _gravity, messages.Rename: _rename,
    messages.Remove: _remove, messages.Move: _place(move), messages.Turn: _place(turn),
    messages.Copy: _place(copy), messages.Mirror: _place(mirror), messages.Array: _place(array),
    messages.Group: _place(group), messages.Ungroup: _place(ungroup),
}  # fmt: skip

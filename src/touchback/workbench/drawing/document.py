"""The document of a drawing: the plain data of a model file, and what changes it keep whole: names,
what refers to what, the tree of joints, and the loops that closures close."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple, get_args

import numpy as np
from msgspec.structs import fields

from touchback.errors import InputError
from touchback.model import (
    AXES,
    GROUND,
    KINDS,
    OPTIONS,
    Body,
    Constraint,
    Control,
    Drive,
    ExtraState,
    Frame,
    JointKind,
    Look,
    Mode,
    Transition,
    Value,
    kinds_in,
    turns_of,
)
from touchback.names import unknown_name

Item = dict[str, Any]
Document = Mapping[str, Any]
"""Plain data as a model file holds them; what is in a document is never changed, but replaced."""
Pose = tuple[np.ndarray, np.ndarray]  # R_WB and p_WB
Poses = Mapping[str, Pose]
Point = Sequence[float]

SECTIONS = (
    "parameters", "inputs", "states", "tables", "definitions", "bodies", "shapes", "joints",
    "forces", "contacts", "closures", "couplings", "constraints", "drives", "modes", "transitions",
    "controls", "sensors", "parts",
)  # fmt: skip
"""Sections of items by name, in the order of a file."""
LOOPS = tuple(
    word
    for word, kind in KINDS["joints"].items()
    if issubclass(kind, JointKind) and kind.equations is not JointKind.equations
)
"""Kinds of joints that close loops too."""
ROWS = ("joints", "closures", "couplings", "constraints", "drives", "contacts")
"""Sections of what others name by its coordinates, rows or forces."""
PIN = "point-in-plane"
LOOSE = ("free", "planar")  # kinds of joints on which bodies hang that nothing holds
_PLANES = {"xz": "y", "zx": "y", "xy": "z", "yx": "z", "yz": "x", "zy": "x"}
_AXES = {"axis", "first", "second", "normal"}  # fields of joints that are directions
SINGULAR = {
    "bodies": "body", "closures": "closure", "couplings": "coupling", "sensors": "sensor",
    "forces": "force", "joints": "joint", "shapes": "shape", "contacts": "contact",
    "drives": "drive", "parameters": "parameter", "inputs": "input", "parts": "part",
    "states": "state", "constraints": "constraint", "modes": "mode", "controls": "control",
    "transitions": "transition", "tables": "table", "definitions": "definition",
}  # fmt: skip


# ---- numbers -------------------------------------------------------------------------------------


def nice(number: float) -> float | int:
    """A length or a component of a direction as a file shows it: to 1e-12, so that what closes
    more than once as drawn does so as read; whole ones without decimals."""
    rounded = round(float(number), 12)
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def nices(numbers: Iterable[float]) -> list[float | int]:
    return [nice(each) for each in numbers]


def short(number: float) -> float | int:
    """A mass or an inertia as a file shows it: ten digits."""
    found = float(f"{float(number):.10g}")
    return int(found) if found.is_integer() and abs(found) < 1e15 else found


def add(given: object, change: float) -> object:
    """A number, or the text of an expression, with something added."""
    if abs(change) < 1e-15:
        return given
    if isinstance(given, str):
        return f"({given}) {'+' if change > 0 else '-'} {abs(nice(change))!r}"
    return nice(float(given) + change)  # type: ignore[arg-type]


def turn_of(R: np.ndarray) -> list[list[object]]:
    """Turns of a frame about its own axes; none where it isn't turned."""
    if np.abs(R - np.eye(3)).max() < 1e-12:
        return []
    return [
        [axis, round(float(angle), 12) + 0.0]
        for axis, angle in turns_of(R.tolist())
        if abs(float(angle)) > 1e-12
    ]


def rotation_of(turn: Sequence[Sequence[Any]]) -> np.ndarray:
    """The rotation of turns about a frame's own axes; refused where one is an expression."""
    R = np.eye(3)
    for axis, angle in turn:
        if isinstance(angle, str):
            raise InputError(f"A frame that is turned by the expression '{angle}' stays as it is.")
        R = R @ turned_about(np.eye(3)[AXES[axis]], float(angle))
    return R


def turned_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a direction [rad] (Rodrigues); exact for quarter turns."""
    x, y, z = axis / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    c, s = (round(each) if abs(each - round(each)) < 1e-15 else each for each in (c, s))
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


# ---- drafts --------------------------------------------------------------------------------------


class Draft:
    """A document under change: sections and items are copied when they are first changed, so that
    documents of a history share what they have in common. `poses` are of the bodies as drawn."""

    def __init__(self, document: Document, poses: Poses, space: bool) -> None:
        self.data: dict[str, Any] = dict(document)
        self.poses, self.space = dict(poses), space
        self.poses.setdefault(GROUND, (np.eye(3), np.zeros(3)))
        self._own: set[str] = set()
        self._items: set[tuple[str, str]] = set()
        self.made: list[tuple[str, str]] = []  # what is new or changed, for who chooses it

    def items(self, section: str) -> Mapping[str, Any]:
        """The items of a section, to be looked at."""
        found: Mapping[str, Any] = self.data.get(section, {})
        return found

    def section(self, section: str) -> dict[str, Any]:
        """The same, to be changed."""
        if section not in self._own:
            self.data[section] = dict(self.data.get(section, {}))
            self._own.add(section)
        found: dict[str, Any] = self.data[section]
        return found

    def item(self, section: str, name: str) -> Any:
        """An item, to be changed."""
        items = self.section(section)
        if name not in items:
            raise unknown_name(SINGULAR[section], name, items)
        if (section, name) not in self._items:
            items[name] = deepcopy(items[name])
            self._items.add((section, name))
        return items[name]

    def put(self, section: str, name: str, item: object) -> str:
        """A new item."""
        if name in self.items(section):
            raise InputError(
                f"There is a {SINGULAR[section]} '{name}' already; choose another name."
            )
        self.section(section)[name] = item
        self._items.add((section, name))
        self.made.append((section, name))
        return name

    def drop(self, section: str, name: str) -> Any:
        """Takes an item out."""
        items = self.section(section)
        if name not in items:
            raise unknown_name(SINGULAR[section], name, items)
        self._items.discard((section, name))
        return items.pop(name)

    def finished(self) -> Document:
        """The document without empty sections, those in the order of a file."""
        head = {key: given for key, given in self.data.items() if key not in SECTIONS}
        library = {"library": head.pop("library")} if head.get("library") else {}
        head.pop("library", None)
        rest = {name: self.data[name] for name in SECTIONS if self.data.get(name)}
        return {**head, **rest, **library}

    # ---- names ----------------------------------------------------------------------------------

    def bodies(self) -> list[str]:
        """The ground and all bodies, those of parts as "part/body"."""
        return list(self.poses)

    def check_body(self, name: str, what: str = "body") -> str:
        """A body, one of a part, or the ground; refused where there is none."""
        if name != GROUND and name not in self.items("bodies") and name not in self.poses:
            raise unknown_name(what, name, [GROUND, *self.items("bodies")])
        return name

    def new_name(self, stem: str, *sections: str) -> str:
        """The first of "stem 1", "stem 2", … that no item of these sections has."""
        known = {name for section in sections for name in self.items(section)}
        count = 1
        while f"{stem} {count}" in known:
            count += 1
        return f"{stem} {count}"

    # ---- frames ---------------------------------------------------------------------------------

    def frame(self, body: str, point: np.ndarray, R: np.ndarray | None = None) -> Item:
        """The frame of a body at a point of the world as drawn, along the world's axes or others
        R_WF."""
        self.check_body(body)
        R_WB, p_WB = self.poses[body]
        found: Item = {"body": body, "at": nices(R_WB.T @ (np.asarray(point) - p_WB))}
        if turn := turn_of(R_WB.T @ (np.eye(3) if R is None else R)):
            found["turn"] = turn
        return found

    def world(self, frame: str | Mapping[str, Any], value: Callable[[object], float]) -> Pose:
        """R_WF and p_WF of a frame; `value` gives the numbers of expressions."""
        if isinstance(frame, str):
            return self.poses[self.check_body(frame)]
        R, p = self.poses[self.check_body(frame["body"])]
        at = np.array([value(x) for x in frame.get("at", (0.0, 0.0, 0.0))], dtype=float)
        own = np.eye(3)
        for axis, angle in frame.get("turn", ()):
            own = own @ turned_about(np.eye(3)[AXES[axis]], value(angle))
        return R @ own, p + R @ at

    # ---- the tree -------------------------------------------------------------------------------

    def carrier(self, body: str) -> str | None:
        """The joint that carries a body; None of the ground, and of bodies of parts."""
        for name, joint in self.items("joints").items():
            if body_of(joint["child"]) == body:
                return name
        return None

    def chain(self, body: str) -> list[str]:
        """Joints from a body down to what it hangs on in the end."""
        carriers = {body_of(joint["child"]): name for name, joint in self.items("joints").items()}
        found: list[str] = []
        while body in carriers and len(found) <= len(carriers):
            found.append(carriers[body])
            body = body_of(self.items("joints")[found[-1]]["parent"])
        return found

    def is_loose(self, name: str) -> bool:
        """Whether a joint is one on which a body hangs that nothing holds: it has its name."""
        joint = self.items("joints")[name]
        return (
            joint["kind"] in LOOSE
            and body_of(joint["child"]) == name
            and body_of(joint["parent"]) == GROUND
        )

    def root(self, body: str) -> str:
        """The loose body that carries a body in the end; else the ground."""
        chain = self.chain(body)
        if chain and self.is_loose(chain[-1]):
            return chain[-1]
        return GROUND

    def hang(self, body: str) -> None:
        """Lets a body hang loose where it is: in a plane it stays in that."""
        name = body
        if name in self.items("joints"):  # somebody called another joint so
            self.rename("joints", name, self.new_name(name, "joints"))
        R, p = self.poses[body]
        joint: Item = {"kind": "free"} if self.space else {"kind": "planar", "normal": "y"}
        if not self.space and np.abs(R[:, 1] - (0.0, 1.0, 0.0)).max() > 1e-9:
            joint = {"kind": "free"}
        joint["parent"] = self.frame(GROUND, p, R)
        joint["child"] = {"body": body, "at": [0, 0, 0]}
        self.section("joints")[name] = joint
        self._items.add(("joints", name))

    def release(self, body: str) -> None:
        """Takes away the joint on which a loose body hangs."""
        self.drop("joints", body)

    def reroot(self, body: str) -> None:
        """Lets a loose tree hang on another of its bodies: joints on the way are reversed. The
        joint on which it hung is gone afterwards."""
        chain = self.chain(body)
        self.release(body_of(self.items("joints")[chain[-1]]["child"]))
        for name in chain[:-1]:
            reverse(self.item("joints", name), name)

    def path(self, a: str, b: str) -> list[str]:
        """Joints of the tree between two bodies, those on b's side first."""
        of_a, of_b = self.chain(a), self.chain(b)
        shared = set(of_a) & set(of_b)
        return [n for n in of_b if n not in shared] + [n for n in of_a if n not in shared]

    def join(self, name: str, joint: Item) -> bool:
        """Joins two bodies by a joint with its frames `parent` and `child`; whether it closes a
        loop. A loose tree hangs on the other afterwards."""
        a, b = body_of(joint["parent"]), body_of(joint["child"])
        if a == b:
            raise InputError(f"Joint '{name}': it would join '{a}' to itself; name two bodies.")
        root_a, root_b = self.root(a), self.root(b)
        if root_a == root_b:
            self.close(name, joint)
            return True
        if root_b != GROUND:
            self.reroot(b)
        else:
            self.reroot(a)
            reverse(joint, name)
        self.put("joints", name, joint)
        return False

    # ---- loops ----------------------------------------------------------------------------------

    def close(self, name: str, joint: Item) -> None:
        """A joint that closes a loop: as a closure without redundant rows in a plane; else another
        joint of the loop becomes the closure; else as a closure of its own kind."""
        a, b = body_of(joint["parent"]), body_of(joint["child"])
        self.check_signal_free(name)
        if (pin := self.as_pin(joint)) is not None:
            self.put("closures", name, pin)
            return
        cut = self._cut(a, b) if not self.space or joint["kind"] not in LOOPS else None
        if cut is not None:
            self._open(cut)
            self.join_loose(name, joint)
            return
        if joint["kind"] not in LOOPS:
            raise InputError(
                f"Joint '{name}': '{a}' and '{b}' are connected already, and a "
                f"{joint['kind']} joint can't close a loop; choose one of {', '.join(LOOPS)}, or "
                "remove a joint between them first."
            )
        self.put("closures", name, as_closure(joint))

    def check_signal_free(self, name: str) -> None:
        """Refuses a name of another joint, closure, coupling, constraint or drive."""
        for section in ("joints", "closures", "couplings", "constraints", "drives"):
            if name in self.items(section):
                raise InputError(
                    f"There is a {SINGULAR[section]} '{name}' already; choose another name."
                )

    def as_pin(self, joint: Item) -> Item | None:
        """A joint as the pin of a planar loop, where it is one."""
        if self.space or not pins(joint):
            return None
        found = {"kind": PIN, "plane": "xz", "a": joint["parent"], "b": joint["child"]}
        return {key: deepcopy(each) for key, each in found.items()}

    def join_loose(self, name: str, joint: Item) -> None:
        """Joins two trees of which one has just been cut off (its root has no joint)."""
        a, b = body_of(joint["parent"]), body_of(joint["child"])
        for end, swap in ((b, False), (a, True)):
            chain = self.chain(end)
            top = body_of(self.items("joints")[chain[-1]]["parent"]) if chain else end
            if top != GROUND and top in self.items("bodies"):
                for each in chain:
                    reverse(self.item("joints", each), each)
                if swap:
                    reverse(joint, name)
                self.put("joints", name, joint)
                return
        raise InputError(f"Joint '{name}': '{a}' and '{b}' are connected already.")

    def _cut(self, a: str, b: str) -> str | None:
        """A joint of the loop between two bodies that can be a closure as well: nothing acts in it
        or asks for it."""
        able = [
            name
            for name in self.path(a, b)
            if not set(OPTIONS) & set(joint := self.items("joints")[name])
            and (joint["kind"] in LOOPS if self.space else pins(joint))
        ]
        if not able:
            return None
        asked, read = set[str](), set[str]()
        for _, _, refs in self.references():
            asked.update(refs.joints)
            read.update(each[2:] for text in refs.texts for each in symbols(text))
        used = asked | read
        return next((n for n in able if not any(is_of(each, n) for each in used)), None)

    def _open(self, name: str) -> None:
        """Makes a joint of the tree a closure; what it carried has no joint for the moment."""
        joint = self.drop("joints", name)
        closure = self.as_pin(joint) or as_closure(joint)
        self.section("closures")[name] = closure
        self._items.add(("closures", name))

    def carry(self, name: str) -> bool:
        """Makes a closure a joint of the tree, by cutting its loop elsewhere, so that something can
        act in it; False where that can't be."""
        closure = self.items("closures")[name]
        joint = as_joint(closure)
        if joint is None:
            return False
        a, b = body_of(closure["a"]), body_of(closure["b"])
        cut = self._cut(a, b)
        if cut is None:
            return False
        self.drop("closures", name)
        self._open(cut)
        self.join_loose(name, deepcopy(joint))
        return True

    def uncarry(self, name: str) -> None:
        """Takes a joint of the tree away: a closure of what it carried takes its place, or that
        hangs loose."""
        child = body_of(self.drop("joints", name)["child"])
        if child not in self.items("bodies"):
            return
        self.adopt(child)

    def adopt(self, child: str) -> None:
        """Lets a body that no joint carries any more hang on a closure made a joint, or loose."""
        carried = self.carried(child)
        for name, closure in self.items("closures").items():
            a, b = body_of(closure["a"]), body_of(closure["b"])
            joint = as_joint(closure) if (a in carried) != (b in carried) else None
            if joint is not None:
                self.drop("closures", name)
                joint = deepcopy(joint)
                if a in carried:
                    reverse(joint, name)
                end = body_of(joint["child"])
                for each in self.chain(end):
                    reverse(self.item("joints", each), each)
                self.section("joints")[name] = joint
                self._items.add(("joints", name))
                return
        self.hang(child)

    def carried(self, body: str) -> set[str]:
        """A body and all that joints carry on it."""
        children = dict[str, list[str]]()
        for joint in self.items("joints").values():
            children.setdefault(body_of(joint["parent"]), []).append(body_of(joint["child"]))
        found, waiting = {body}, [body]
        while waiting:
            new = [each for each in children.get(waiting.pop(), ()) if each not in found]
            found.update(new)
            waiting += new
        return found

    # ---- what refers to what --------------------------------------------------------------------

    def references(self) -> Iterator[tuple[str, str, References]]:
        """What each item refers to; for the model's gravity and the like section and name are
        empty."""
        for section in SECTIONS:
            for name, item in self.items(section).items():
                yield section, name, references(section, item)

    def map_all(self, changes: Changes) -> None:
        """Replaces names of bodies and joints and texts of expressions everywhere."""
        for section in SECTIONS:
            for name, item in list(self.items(section).items()):
                changed = mapped(section, item, changes)
                if changed != item:
                    self.section(section)[name] = changed
        if "gravity" in self.data:
            self.data["gravity"] = [
                changes.text(x) if isinstance(x, str) else x for x in self.data["gravity"]
            ]

    def rename(self, section: str, name: str, to: str) -> None:
        """Another name, wherever it stands; items keep their order."""
        items = self.section(section)
        if name not in items:
            raise unknown_name(SINGULAR[section], name, items)
        if to in items or (section == "bodies" and to == GROUND):
            raise InputError(f"There is a {SINGULAR[section]} '{to}' already; choose another.")
        self.data[section] = {to if key == name else key: each for key, each in items.items()}
        self._items -= {(section, name), (section, to)}

        def body(given: str) -> str:
            if section == "parts" and given.startswith(f"{name}/"):
                return to + given[len(name) :]
            return to if section == "bodies" and given == name else given

        def joint(given: str) -> str:
            if section == "parts" and given.startswith(f"{name}/"):
                return to + given[len(name) :]
            if section not in ROWS:
                return given
            return to + given[len(name) :] if given == name or starts(given, name) else given

        signals = {
            "joints": ("q:", "v:"), "parameters": ("",), "inputs": ("",), "states": ("",),
            "sensors": ("",), "parts": ("", "q:", "v:"), "forces": ("",),
        }.get(section, ())  # fmt: skip

        def text(given: str) -> str:
            found = given
            for before in signals:
                found = renamed(found, before + name, before + to, section == "parts")
            return found

        self.map_all(Changes(body, joint, text))
        if section == "bodies":
            if name in self.poses:
                self.poses[to] = self.poses.pop(name)
            if name in self.items("shapes") and to not in self.items("shapes"):
                self.rename("shapes", name, to)
            if name in self.items("joints") and to not in self.items("joints"):
                self.rename("joints", name, to)
        self.rename_in_lists(
            joint, lambda given: to if section == "inputs" and given == name else given
        )
        self.made.append((section, to))

    def rename_in_lists(self, row: Callable[[str], str], signal: Callable[[str], str]) -> None:
        """Replaces names of constraints in modes, and those of signals in controls and reports."""
        for key, mode in list(self.items("modes").items()):
            if [row(each) for each in mode.get("active", ())] != [*mode.get("active", ())]:
                self.item("modes", key)["active"] = [row(each) for each in mode["active"]]
        for key, control in list(self.items("controls").items()):
            drives = {signal(target): each for target, each in control.get("drives", {}).items()}
            if drives != control.get("drives", {}):
                self.item("controls", key)["drives"] = drives
        if "report" in self.data:
            self.data["report"] = [signal(each) for each in self.data["report"]]

    def remove(self, items: Iterable[tuple[str, str]]) -> None:
        """Takes items away, and what can't be without them."""
        bodies, joints = set[str](), set[str]()
        for section, name in items:
            if name not in self.items(section):
                continue  # it went with another
            if section == "bodies":
                bodies.add(name)
            elif section == "joints":
                joints.add(name)
            else:
                self.drop(section, name)
                if section == "parts":
                    bodies |= {each for each in self.poses if each.startswith(f"{name}/")}
                elif section in ROWS:
                    self._remove_rows(name)
        for name in bodies & set(self.items("bodies")):
            self.drop("bodies", name)
            self.poses.pop(name, None)
        if bodies:
            self._remove_joints_of(bodies)
        for name in joints & set(self.items("joints")):
            self.uncarry(name)
        if bodies or joints:
            self.remove_users(bodies, joints - set(self.items("joints")))

    def _remove_joints_of(self, bodies: set[str]) -> None:
        for key, closure in list(self.items("closures").items()):
            if {body_of(closure["a"]), body_of(closure["b"])} & bodies:
                self.drop("closures", key)
                self._remove_rows(key)
        orphans, gone = [], set[str]()
        for key, joint in list(self.items("joints").items()):
            parent, child = body_of(joint["parent"]), body_of(joint["child"])
            if {parent, child} & bodies:
                self.drop("joints", key)
                gone.add(key)
                if child not in bodies:
                    orphans.append(child)
        for orphan in orphans:
            self.adopt(orphan)
        self.remove_users(joints=gone - set(self.items("joints")))

    def remove_users(self, bodies: Iterable[str] = (), joints: Iterable[str] = ()) -> None:
        """Takes away what acts on bodies, in joints, or measures them."""
        bodies, joints = set(bodies), set(joints)
        for section, name, refs in list(self.references()):
            if section in ("bodies", "joints", "closures", "parts", "definitions"):
                continue
            rows = [*refs.joints, *(row for text in refs.texts for row in rows_in(text))]
            hit = not bodies.isdisjoint(refs.bodies) or any(
                head_of(each, joints) is not None for each in rows
            )
            if hit and name in self.items(section):
                self.drop(section, name)
                if section in ("couplings", "constraints", "drives"):
                    self._remove_rows(name)

    def _remove_rows(self, name: str) -> None:
        """Takes away sensors of a constraint's forces, and it in modes."""
        for key, sensor in list(self.items("sensors").items()):
            row = str(sensor.get("row", ""))
            if is_of(row, name) or is_of(str(sensor.get("joint", "")), name):
                self.drop("sensors", key)
        for key, mode in list(self.items("modes").items()):
            if name in mode.get("active", ()):
                own = self.item("modes", key)
                own["active"] = [each for each in own["active"] if each != name]


def is_of(full: str, name: str) -> bool:
    """Whether it is a thing of this name, or one of its coordinates or rows."""
    return full == name or starts(full, name)


def starts(full: str, name: str) -> bool:
    return full.startswith(f"{name}.")


def body_of(frame: str | Mapping[str, Any]) -> str:
    """The body of a frame, which may be given by its name alone."""
    return frame if isinstance(frame, str) else str(frame["body"])


def framed(frame: str | Mapping[str, Any]) -> Item:
    """A frame with its fields."""
    found: Item = {"body": frame} if isinstance(frame, str) else deepcopy(dict(frame))
    found.setdefault("at", [0, 0, 0])
    return found


def pins(joint: Mapping[str, Any]) -> bool:
    """Whether a joint is a pin square to the plane of planar drawings: both of its frames have the
    world's y axis there."""
    if joint["kind"] != "revolute" or joint.get("axis", "z") not in ("y", "-y"):
        axis = joint.get("axis", "z")
        if joint["kind"] != "revolute" or isinstance(axis, str):
            return False
        x, y, z = axis
        return abs(x) + abs(z) < 1e-9 * abs(y)
    return all(
        all(axis == "y" for axis, _ in joint[end].get("turn", ()))
        for end in ("parent", "child")
        if not isinstance(joint[end], str)
    )


def as_closure(joint: Mapping[str, Any]) -> Item:
    """A joint as the closure of the same kind."""
    found = {key: each for key, each in joint.items() if key not in OPTIONS}
    a, b = found.pop("parent"), found.pop("child")
    return deepcopy({**found, "a": a, "b": b})


def as_joint(closure: Mapping[str, Any]) -> Item | None:
    """A closure as the joint of the same kind; None where no joint is."""
    ends = {"parent": closure["a"], "child": closure["b"]}
    if closure["kind"] == PIN:
        return {"kind": "revolute", "axis": _PLANES[closure.get("plane", "xy")], **ends}
    if closure["kind"] not in KINDS["joints"] or not closure.get("active", True):
        return None
    own = {key: each for key, each in closure.items() if key not in ("a", "b", "active")}
    return {**own, **ends}


def opposite(axis: str | Sequence[float]) -> str | list[float]:
    """The other direction along an axis."""
    if isinstance(axis, str):
        return axis[1:] if axis.startswith("-") else f"-{axis}"
    return [-x + 0.0 for x in axis]


def reverse(joint: Item, name: str) -> None:
    """Lets a joint's child carry its parent: axes are turned round, so that coordinates keep their
    values and laws their meaning."""
    joint["parent"], joint["child"] = joint["child"], joint["parent"]
    kind, position = joint["kind"], joint.get("position")
    if "axis" in joint or kind in ("revolute", "prismatic", "screw", "cylindrical"):
        usual = {"prismatic": "x"}.get(kind, "z")
        joint["axis"] = opposite(joint.get("axis", usual))
    elif kind == "universal":
        first, second = joint.get("first", "x"), joint.get("second", "y")
        joint["first"], joint["second"] = opposite(second), opposite(first)
        for word in OPTIONS:
            if isinstance(joint.get(word), list) and len(joint[word]) == 2 and word != "stop":
                joint[word] = joint[word][::-1]
    elif position is not None and any(joint.get(word) for word in ("position", "velocity")):
        raise InputError(
            f"Joint '{name}': it doesn't stand at its zero, and can't be turned round to carry "
            "what it hangs on; remove it, or set its `position` to nothing first."
        )


# ---- references ----------------------------------------------------------------------------------


class References:
    """What an item refers to: bodies, joints, and texts of expressions."""

    def __init__(self) -> None:
        self.bodies: list[str] = []
        self.joints: list[str] = []
        self.texts: list[str] = []


class Changes(NamedTuple):
    """How names of bodies and joints, texts of expressions and frames are replaced, as they are
    unless said otherwise; a frame comes with its body named anew."""

    body: Callable[[str], str] = str
    joint: Callable[[str], str] = str
    text: Callable[[str], str] = str
    frame: Callable[[Any], Any] = lambda frame: frame


def references(section: str, item: Any) -> References:
    """What an item refers to."""
    found = References()

    def note(kept: list[str]) -> Callable[[str], str]:
        def noted(given: str) -> str:
            kept.append(given)
            return given

        return noted

    mapped(section, item, Changes(note(found.bodies), note(found.joints), note(found.texts)))
    return found


def mapped(section: str, item: Any, changes: Changes) -> Any:
    """An item with what stands in it replaced."""
    if section == "definitions":
        return changes.text(item)
    if not isinstance(item, dict):
        return item
    if section == "parts":
        found = dict(item)
        if "at" in found:
            found["at"] = _frame(found["at"], changes)
        if "bind" in found:
            found["bind"] = {key: _value(each, changes) for key, each in found["bind"].items()}
        return found
    kind = kind_of(section, item)
    return item if kind is None else _walk(kind, section, item, changes)


_STRUCTS: dict[str, Any] = {
    "bodies": Body, "shapes": Look, "states": ExtraState, "constraints": Constraint,
    "drives": Drive, "modes": Mode, "transitions": Transition, "controls": Control,
}  # fmt: skip


def kind_of(section: str, item: Mapping[str, Any]) -> Any:
    """The class of the model's data that an item describes; None where it is of none."""
    if section in KINDS:
        return KINDS[section].get(str(item.get("kind")))
    return _STRUCTS.get(section)


@cache
def _fields(kind: Any) -> dict[str, tuple[str, Any]]:
    """What each field of a class holds: "frame", "frames", "kind", "joint", "value" or "text"."""
    names = getattr(kind, "NAMES", ("joint",))
    found: dict[str, tuple[str, Any]] = {}
    for field in fields(kind):
        inner = kinds_in(field.type)
        if field.type is Frame:
            found[field.name] = "frame", None
        elif Frame in get_args(field.type):
            found[field.name] = "frames", None
        elif field.name in names:
            found[field.name] = "joint", None
        elif inner:
            found[field.name] = "kind", inner
        elif _holds_value(field.type):
            found[field.name] = "value", None
        else:
            found[field.name] = "text", None
    return found


def _holds_value(kind: Any) -> bool:
    return kind is Value or kind == Value or any(_holds_value(each) for each in get_args(kind))


def _walk(kind: Any, section: str, item: Mapping[str, Any], changes: Changes) -> Item:
    known, found = _fields(kind), dict(item)
    for key, given in item.items():
        what, inner = known.get(key, ("text", None))
        if (section == "joints" and key in ("parent", "child")) or (
            section == "closures" and key in ("a", "b")
        ):
            what = "frame"
        elif section == "joints" and key in OPTIONS:
            what = "value"
        if what == "frame":
            found[key] = _frame(given, changes)
        elif what == "frames":
            found[key] = [_frame(each, changes) for each in given]
        elif what == "joint":
            found[key] = _names(given, changes.joint)
        elif what == "kind":
            found[key] = _inner(inner, section, given, changes)
        elif what == "value":
            found[key] = _value(given, changes)
    return found


def _inner(kinds: Any, section: str, given: Any, changes: Changes) -> Any:
    if isinstance(given, list):
        return [_inner(kinds, section, each, changes) for each in given]
    own = kinds.get(str(given.get("kind"))) if isinstance(given, dict) else None
    return given if own is None else _walk(own, "", given, changes)


def _frame(given: Any, changes: Changes) -> Any:
    if isinstance(given, str):
        return changes.frame(changes.body(given))
    if not isinstance(given, dict) or "body" not in given:
        return given
    found = {**given, "body": changes.body(given["body"])}
    if "at" in found:
        found["at"] = _value(found["at"], changes)
    if "turn" in found:
        found["turn"] = [[axis, _value(angle, changes)] for axis, angle in found["turn"]]
    return changes.frame(found)


def _value(given: Any, changes: Changes) -> Any:
    if isinstance(given, str):
        return changes.text(given)
    if isinstance(given, list):
        return [_value(each, changes) for each in given]
    if isinstance(given, dict):
        return {key: _value(each, changes) for key, each in given.items()}
    return given


def _names(given: Any, joint: Callable[[str], str]) -> Any:
    if isinstance(given, str):
        return joint(given)
    if isinstance(given, list):
        return [joint(each) if isinstance(each, str) else each for each in given]
    return given


_PLAIN = re.compile(r"[^\W\d]\w*")
_SYMBOL = re.compile(r"'((?:[^'\\]|\\.)*)'|(?<![\w.])([^\W\d]\w*)\b(?!\s*\()")


def quoted(name: str) -> str:
    """A signal's name as it stands in an expression."""
    return name if _PLAIN.fullmatch(name) else f"'{name}'"


def renamed(text: str, name: str, to: str, prefix: bool = False) -> str:
    """The text of an expression with a signal called otherwise, and its components, as "tip.x"; of
    a part all that begins with its name."""

    def change(own: str) -> str:
        follows = own[len(name) :]
        if own.startswith(name) and (follows[:1] == "/" if prefix else follows[:1] in ("", ".")):
            return to + follows
        return own

    return with_symbols(text, change)


def with_symbols(text: str, change: Callable[[str], str]) -> str:
    """The text of an expression with its symbols called otherwise."""

    def replaced(match: re.Match[str]) -> str:
        own = match[1] if match[1] is not None else match[2]
        to = change(own)
        return match[0] if to == own else quoted(to)

    return _SYMBOL.sub(replaced, text)


def replaced_symbol(text: str, name: str, by: str) -> str:
    """The text of an expression with a number, or another text, for a signal; the number alone
    where it was nothing but that."""

    def replaced(match: re.Match[str]) -> str:
        return by if (match[1] if match[1] is not None else match[2]) == name else match[0]

    return _SYMBOL.sub(replaced, text)


def symbols(text: str) -> set[str]:
    """Names in the text of an expression, without those of functions."""
    return {m[1] if m[1] is not None else m[2] for m in _SYMBOL.finditer(text)}


def head_of(name: str, known: Container[str]) -> str | None:
    """Whose coordinate, row or component it is: a known name, or what stands before a dot."""
    name = name[2:] if name[:2] in ("q:", "v:") else name
    while name not in known:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


def rows_in(text: str) -> Iterator[str]:
    """Joints whose coordinates an expression reads."""
    return (each[2:] for each in symbols(text) if each[:2] in ("q:", "v:"))

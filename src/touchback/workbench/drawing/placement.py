"""Where things of a drawing are: points and directions, and what moves, turns, copies and mirrors
them."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, cast

import numpy as np
from msgspec.structs import fields

from touchback import Mesh
from touchback.errors import InputError
from touchback.model import (
    AXES,
    GROUND,
    KINDS,
    JointKind,
    axis_vector,
    rotation_to,
    unpacked,
)
from touchback.names import unknown_name
from touchback.workbench.drawing import drawing_messages as messages
from touchback.workbench.drawing.document import (
    ROWS,
    SECTIONS,
    SINGULAR,
    Changes,
    Draft,
    Item,
    Pose,
    add,
    body_of,
    framed,
    head_of,
    mapped,
    nice,
    nices,
    quoted,
    references,
    replaced_symbol,
    rotation_of,
    rows_in,
    symbols,
    turn_of,
    turned_about,
    with_symbols,
)

_SAME = 1e-12  # of a rotation: less is none
ACTING = ("couplings", "constraints", "drives", "forces", "contacts", "sensors")
SIGNALS = ("inputs", "sensors", "states")
_LONGEST = 20_000  # characters of an expression
DEFINITION = re.compile(r"\$[0-9]+")


def check_section(section: str) -> None:
    if section not in SECTIONS:
        raise unknown_name("section", section, SECTIONS)


def listed(items: Sequence[messages.Named]) -> str:
    return names_of([each.name for each in items])


def names_of(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{each}'" for each in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


# ---- directions ----------------------------------------------------------------------------------


def axis_word(axis: str | Sequence[float], what: str) -> str | list[float | int]:
    """An axis as a file has it: a coordinate axis by its name, another as it was given."""
    if isinstance(axis, str):
        if axis.removeprefix("-") not in AXES:
            raise InputError(f"{what}: an axis is 'x', 'y', 'z' or a direction, got {axis!r}.")
        return axis
    vector = np.array(axis, dtype=float)
    length = float(np.linalg.norm(vector))
    if not (math.isfinite(length) and 1e-9 < length < 1e9):
        raise InputError(f"{what}: an axis is three numbers that aren't all zero, got {axis}.")
    unit = vector / length
    for word, place in AXES.items():
        if abs(abs(unit[place]) - 1.0) < 1e-12:
            return word if unit[place] > 0.0 else f"-{word}"
    return [float(x) for x in axis]


def joint_fields(
    kind: str, axis: str | Sequence[float], pitch: float, what: str
) -> tuple[Item, np.ndarray]:
    """The fields of a kind of joint with an axis along the world's, and the rotation that its
    frames need so that it has that axis."""
    if kind not in KINDS["joints"]:
        raise unknown_name("kind of joint", kind, KINDS["joints"])
    has = {field.name for field in fields(KINDS["joints"][kind])}
    word = axis_word(axis, what)
    found: Item = {"kind": kind}
    R = np.eye(3)
    if "axis" in has:
        found["axis"] = word
    if "pitch" in has:
        found["pitch"] = pitch
    if "first" in has:
        aside = rotation_to(axis_vector(_axis(word)))[:, 0].tolist()
        found["first"], found["second"] = word, axis_word(aside, what)
    if "normal" in has:
        if isinstance(word, str):
            found["normal"] = word.removeprefix("-")
        else:
            R, found["normal"] = rotation_to(axis_vector(_axis(word))), "z"
    return found, R


def _axis(word: str | Sequence[float]) -> Any:
    return word if isinstance(word, str) else tuple(map(float, word))


def point_of(given: Sequence[float], what: str) -> np.ndarray:
    """A point or a displacement [m], neither too far away nor no number."""
    point = np.array(given, dtype=float)
    if not (np.abs(point) <= messages.FARTHEST).all():
        raise InputError(
            f"{what}: three numbers of at most {messages.FARTHEST:g} m are expected, got "
            f"{tuple(given)}."
        )
    return point


def direction_of(axis: messages.Axis, what: str) -> np.ndarray:
    """The unit vector of an axis."""
    word = axis_word(axis, what)
    if isinstance(word, str):
        found = np.zeros(3)
        found["xyz".index(word[-1])] = -1.0 if word.startswith("-") else 1.0
        return found
    vector = np.array(word, dtype=float)
    return np.asarray(vector / np.linalg.norm(vector))


# ---- motions -------------------------------------------------------------------------------------


class Motion(NamedTuple):
    """A displacement of the world, x → M x + d [m]: M is a rotation, or a reflection."""

    M: np.ndarray
    d: np.ndarray

    @property
    def mirrors(self) -> bool:
        return bool(np.linalg.det(self.M) < 0.0)

    def of(self, point: np.ndarray) -> np.ndarray:
        return np.asarray(self.M @ point + self.d)


def _shift(by: Sequence[float], what: str) -> Motion:
    return Motion(np.eye(3), point_of(by, what))


def _rotation(draft: Draft, about: Any, angle: float, axis: messages.Axis, what: str) -> Motion:
    """A turn about a point [rad]."""
    centre, way = point_of(about, f"{what}: about"), direction_of(axis, what)
    if not abs(angle) <= 1e6:
        raise InputError(f"{what}: its angle is {angle:g} rad; give one of at most 1e6.")
    if not draft.space and abs(way[1]) < 1.0 - 1e-9 and draft.items("bodies"):
        raise InputError(
            f"{what}: what is drawn in the x–z plane turns about y, not about {axis!r}; begin a "
            "drawing in space."
        )
    M = turned_about(way, angle)
    return Motion(M, centre - M @ centre)


def _reflection(draft: Draft, asked: messages.Mirror) -> Motion:
    point, n = point_of(asked.point, "mirror: point"), direction_of(asked.normal, "mirror")
    if not draft.space and 1e-9 < abs(n[1]) < 1.0 - 1e-9:
        raise InputError(
            f"mirror: in the x–z plane a mirror stands square to it, and {asked.normal!r} does "
            "not; give a normal whose y is 0."
        )
    return Motion(np.eye(3) - 2.0 * np.outer(n, n), 2.0 * float(n @ point) * n)


def standing(draft: Draft, section: str, name: str) -> tuple[str, str]:
    """What an item stands for: one of a part, "part/item", for the part, others for themselves."""
    data, (*parts, own) = draft.data, name.split("/")
    for each in parts:
        if each not in data.get("parts", {}):
            return section, name
        data = draft.data["library"][data["parts"][each]["model"]]
    return ("parts", parts[0]) if parts and own in data.get(section, {}) else (section, name)


class Chosen:
    """Things of a message: bodies and parts, with what hangs on these, and other items."""

    def __init__(self, draft: Draft, items: Iterable[messages.Named]) -> None:
        self.bodies = dict[str, None]()  # in order
        self.parts = dict[str, None]()
        self.others = set[tuple[str, str]]()
        for section, name in ((each.section, each.name) for each in items):
            check_section(section)
            section, name = standing(draft, section, name)
            if name not in draft.items(section):
                raise unknown_name(SINGULAR[section], name, draft.items(section))
            kept = {"bodies": self.bodies, "parts": self.parts}.get(section)
            if kept is None:
                self.others.add((section, name))
            else:
                kept[name] = None
        self.given = {("parts", name) for name in self.parts} | self.others
        for name, part_item in draft.items("parts").items():
            if body_of(part_item.get("at", GROUND)) in self.bodies:
                self.parts[name] = None

    def has(self, body: str) -> bool:
        return body in self.bodies or ("/" in body and body.partition("/")[0] in self.parts)


def shifted(draft: Draft, frame: Any, motion: Motion, flip: np.ndarray | None = None) -> Item:
    """A frame of a body that stays, moved by a motion of the world. `flip` is the reflection of its
    own axes where the world is mirrored."""
    found, body = framed(frame), body_of(frame)
    R, p = draft.poses[draft.check_body(body)]
    turn, step = R.T @ motion.M @ R, R.T @ (motion.of(p) - p)
    if np.abs(turn - np.eye(3)).max() < _SAME:
        found["at"] = [add(x, float(dx)) for x, dx in zip(found["at"], step, strict=True)]
        return found
    if any(isinstance(x, str) for x in found["at"]):
        raise InputError(
            f"A point of '{body}' is given by expressions ({', '.join(map(str, found['at']))}); it "
            "can't be turned. Give numbers first."
        )
    found["at"] = nices(turn @ np.array(found["at"], dtype=float) + step)
    R_new = turn @ rotation_of(found.pop("turn", [])) @ (np.eye(3) if flip is None else flip)
    if own := turn_of(R_new):
        found["turn"] = own
    return found


# ---- move, turn ----------------------------------------------------------------------------------


def move(draft: Draft, asked: messages.Move) -> str:
    displace(draft, Chosen(draft, asked.items), _shift(asked.by, "move: by"))
    return f"move {listed(asked.items)}"


def turn(draft: Draft, asked: messages.Turn) -> str:
    motion = _rotation(draft, asked.about, asked.angle, asked.axis, "turn")
    displace(draft, Chosen(draft, asked.items), motion)
    return f"turn {listed(asked.items)}"


def displace(draft: Draft, chosen: Chosen, motion: Motion) -> None:
    """Moves what is chosen; all else stays. Joints go with the bodies that move: on a body that
    stays, a joint's point is another one then. Of a rod the length follows."""
    found = False
    for section in SECTIONS:
        for name, item in list(draft.items(section).items()):
            if section == "parts":
                item = {"at": GROUND, **item}
            bodies = references(section, item).bodies
            mine = (section, name) in chosen.given
            moves = any(map(chosen.has, bodies)) and section in ("joints", "closures")
            found |= bool(bodies) and (mine or moves)
            if moves and not mine and item["kind"] == "rod":
                _fit_rod(draft, name, chosen, motion)
            elif mine or moves:

                def place(frame: Any) -> Any:
                    return frame if chosen.has(body_of(frame)) else shifted(draft, frame, motion)

                changed = mapped(section, item, Changes(frame=place))
                if changed != item:
                    draft.section(section)[name] = changed
                    draft.made.append((section, name))
    if not found:
        raise InputError(
            f"Nothing of {names_of([*chosen.bodies, *(name for _, name in chosen.given)])} has a "
            "place that could be moved; choose bodies, joints, forces or sensors at points."
        )
    draft.made += [("bodies", name) for name in chosen.bodies]


def _fit_rod(draft: Draft, name: str, chosen: Chosen, motion: Motion) -> None:
    """Lets a rod be as long as its ends are apart after a motion of one of them."""
    rod = draft.items("closures")[name]
    ends = [_number_frame(rod[end]) for end in ("a", "b")]
    if isinstance(rod["length"], str) or None in ends:
        return
    a, b = (
        draft.world(each, lambda x: float(cast(float, x)))[1] for each in ends if each is not None
    )
    before = float(np.linalg.norm(b - a))
    a, b = (
        motion.of(p) if chosen.has(body_of(rod[end])) else p
        for p, end in ((a, "a"), (b, "b"))
    )  # fmt: skip
    change = float(np.linalg.norm(b - a)) - before
    if abs(change) > _SAME:
        draft.item("closures", name)["length"] = nice(float(rod["length"]) + change)


def _number_frame(frame: Any) -> Any:
    """A frame without expressions; None where it has some."""
    found = framed(frame)
    texts = [*found["at"], *(angle for _, angle in found.get("turn", []))]
    return None if any(isinstance(x, str) for x in texts) else found


# ---- copies --------------------------------------------------------------------------------------


def copy(draft: Draft, asked: messages.Copy) -> str:
    Copies(draft, asked.items).make(_shift(asked.by, "copy: by"))
    return f"copy {listed(asked.items)}"


def mirror(draft: Draft, asked: messages.Mirror) -> str:
    Copies(draft, asked.items).make(_reflection(draft, asked))
    return f"mirror {listed(asked.items)}"


def array(draft: Draft, asked: messages.Array) -> str:
    copies = Copies(draft, asked.items)
    copies.check_room(asked.count)
    by = point_of(asked.by, "array: by")
    for k in range(1, asked.count + 1):
        motion = Motion(np.eye(3), k * by)
        if asked.about is not None:
            turned = _rotation(draft, asked.about, k * asked.angle, asked.axis, "array")
            motion = Motion(turned.M, turned.d + k * by)
        copies.make(motion)
    return f"{asked.count} more of {listed(asked.items)}"


class Copies:
    """Copies of bodies with all that belongs to them alone: joints, closures and forces between
    them and to the ground, motors, drives, sensors. Parameters are shared."""

    def __init__(self, draft: Draft, items: Iterable[messages.Named]) -> None:
        self.draft, self.chosen = draft, Chosen(draft, items)
        self.taken = self._taken()
        if not self.taken:
            raise InputError(
                f"{names_of([name for _, name in self.chosen.given])} can't be copied alone: "
                "choose a body, or a force or sensor."
            )
        self.known = {name for section in SECTIONS for name in draft.items(section)}
        self.counts = dict[str, int]()
        self.affected = self._affected()

    def check_room(self, count: int) -> None:
        things = len(self.known) + count * len(self.taken)
        if things > messages.MOST_THINGS:
            raise InputError(
                f"The drawing would have {things} things; at most {messages.MOST_THINGS} are "
                "drawn. Make fewer copies."
            )

    # ---- what belongs to it ---------------------------------------------------------------------

    def _taken(self) -> list[tuple[str, str]]:
        """Items in the order in which they are made."""
        draft, chosen = self.draft, self.chosen
        found = [("parts", name) for name in chosen.parts]
        found += [("bodies", name) for name in chosen.bodies]
        rows = set[str]()
        for section in ("shapes", "joints", "closures"):
            for name, item in draft.items(section).items():
                bodies = references(section, item).bodies
                inside = [each for each in bodies if chosen.has(each)]
                mine = (section, name) in chosen.others
                if section == "joints" and draft.is_loose(name):
                    continue
                if not inside and (section != "shapes" or not mine):
                    continue
                if mine or all(each == GROUND for each in bodies if each not in inside):
                    found.append((section, name))
                    if section != "shapes":
                        rows.add(name)
        users = self._acting(rows)
        return [*found, *self._inputs({*users, *found}), *users]

    def _acting(self, rows: set[str]) -> list[tuple[str, str]]:
        draft, chosen, found = self.draft, self.chosen, list[tuple[str, str]]()
        for section in ACTING:
            for name, item in draft.items(section).items():
                refs = references(section, item)
                asked = {row for text in refs.texts for row in rows_in(text)} | set(refs.joints)
                bodies = {each for each in refs.bodies if each != GROUND}
                own = {each for each in asked if head_of(each, rows) is not None}
                inside = {each for each in bodies if chosen.has(each)}
                if ((section, name) in chosen.others and (refs.bodies or refs.joints)) or (
                    (own or inside) and own == asked and inside == bodies
                ):
                    found.append((section, name))
                else:
                    continue
                if section in ROWS:
                    rows.add(name)
        return found

    def _inputs(self, taken: set[tuple[str, str]]) -> list[tuple[str, str]]:
        """Inputs that only act in what is copied."""
        inputs = self.draft.items("inputs")
        used, shared = set[str](), set[str]()
        for section, name, refs in self.draft.references():
            if inputs:
                asked = {each for text in refs.texts for each in symbols(text)}
                if section == "controls":
                    asked |= set(self.draft.items("controls")[name].get("drives", ()))
                (used if (section, name) in taken else shared).update(asked)
        return [("inputs", name) for name in inputs if name in used and name not in shared]

    def _affected(self) -> dict[str, str]:
        """Definitions that refer to what is copied: their texts stand in the copies."""
        rows = {name for section, name in self.taken if section in ROWS}
        signals = {name for section, name in self.taken if section in SIGNALS}
        found = dict[str, str]()
        for name, text in self.draft.items("definitions").items():
            whole = self._expanded(text, found)
            if whole != text or any(
                head_of(each, rows if each[:2] in ("q:", "v:") else signals) is not None
                for each in symbols(text)
            ):
                found[name] = f"({whole})"
        return found

    def _expanded(self, text: str, known: Mapping[str, str]) -> str:
        if not known or "$" not in text:
            return text
        found = DEFINITION.sub(lambda match: known.get(match[0], match[0]), text)
        if len(found) > _LONGEST:
            raise InputError(
                f"An expression would have {len(found)} characters once its definitions stand in "
                f"it; at most {_LONGEST} are copied."
            )
        return found

    # ---- making them ----------------------------------------------------------------------------

    def _newnames_of(self) -> dict[str, str]:
        names = dict[str, str]()
        for _, name in self.taken:
            if name in names:
                continue
            stem = re.sub(r" [0-9]+$", "", name)
            count = self.counts.get(stem, 1 if stem != name else 2)
            while f"{stem} {count}" in self.known:
                count += 1
            self.counts[stem] = count + 1
            names[name] = f"{stem} {count}"
            self.known.add(names[name])
        return names

    def make(self, motion: Motion) -> None:
        """One copy, displaced."""
        draft, chosen, names = self.draft, self.chosen, self._newnames_of()
        flips = {body: self._flip(body, motion) for body in chosen.bodies}
        backward = self._backward(flips) if motion.mirrors else frozenset[str]()
        rows = {name: names[name] for section, name in self.taken if section in ROWS}
        signals = {name: names[name] for section, name in self.taken if section in SIGNALS}

        def body(given: str) -> str:
            if given in chosen.bodies:
                return names[given]
            part = given.partition("/")[0]
            return names[part] + given[len(part) :] if chosen.has(given) else given

        def row(given: str) -> str:
            head = head_of(given, rows)
            if head is not None:
                return rows[head] + given[len(head) :]
            return body(given)

        def symbol(given: str) -> str:
            if given[:2] in ("q:", "v:"):
                return given[:2] + row(given[2:])
            head = head_of(given, signals)
            return body(given) if head is None else signals[head] + given[len(head) :]

        def text(given: str) -> str:
            whole = self._expanded(given, self.affected)
            for each in symbols(whole):
                if each[:2] in ("q:", "v:") and each[2:] in backward:
                    whole = replaced_symbol(whole, each, f"(-{quoted(each)})")
            return with_symbols(whole, symbol)

        if motion.mirrors and chosen.parts:
            raise InputError(
                f"Part '{next(iter(chosen.parts))}': a group can't be mirrored; ungroup it first."
            )
        for section, name in self.taken:
            item = deepcopy(draft.items(section)[name])
            kind = str(item.get("kind", "")) if isinstance(item, dict) else ""
            flip = self._item_flip(section, name, item, flips) if motion.mirrors else None

            def place(frame: Any, kind: str = kind, flip: np.ndarray | None = flip) -> Any:
                own = flips.get(body_of(frame)) if motion.mirrors else None
                if own is not None and flip is not None:
                    return _flipped_frame(frame, own, flip)
                return frame if chosen.has(body_of(frame)) else shifted(draft, frame, motion, flip)

            if section == "parts":
                item.setdefault("at", GROUND)
            made = mapped(section, item, Changes(frame=place))
            if flip is not None:
                made = _mirrored(section, name, made, flip, motion)
                self._turn_back(section, name, made, backward)
            made = mapped(section, made, Changes(body, row, text))
            self._put(section, names[name], made)
            if section == "bodies":
                R, p = draft.poses[name]
                R_new = motion.M @ R @ flips[name] if motion.mirrors else motion.M @ R
                draft.poses[names[name]] = R_new, motion.of(p)
                draft.hang(names[name])

    def _put(self, section: str, name: str, item: Any) -> None:
        draft = self.draft
        if section == "joints":
            if draft.join(name, item) and ("closures", name) not in draft.made:
                draft.made.append(("closures", name))
        else:
            draft.put(section, name, item)

    def _flip(self, body: str, motion: Motion) -> np.ndarray:
        """The reflection of a mirrored body's own axes that keeps its numbers: across the axis that
        is most along the mirror's normal."""
        if not motion.mirrors:
            return np.eye(3)
        R = self.draft.poses[body][0]
        normal = np.linalg.eigh(motion.M)[1][:, 0]  # of the eigenvalue −1
        return _across(int(np.argmax(np.abs(R.T @ normal) - 1e-9 * np.arange(3))))

    def _item_flip(
        self, section: str, name: str, item: Any, flips: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """The reflection of the axes of a body, or of an item's frames."""
        if section == "bodies":
            return flips[name]
        if section == "joints" and item["kind"] == "planar":  # so that all coordinates keep values
            return _across(AXES[item.get("normal", "z")])
        bodies = references(section, item).bodies if isinstance(item, dict) else []
        own = next((flips[each] for each in reversed(bodies) if each in flips), _across(0))
        if section in ("joints", "closures", "shapes") or item.get("kind") in _POINTED:
            return own
        return own if own[2, 2] > 0.0 else _across(0)  # z is a direction of its own

    def _backward(self, flips: Mapping[str, np.ndarray]) -> frozenset[str]:
        """Coordinates that have the other sign in a mirror image, as signals call them: along the
        reflected axis, and turns about the other two. The turn of a cylindrical joint keeps its
        sign, so that the slide can't."""
        found = set[str]()
        for section, name in self.taken:
            joint = self.draft.items(section)[name]
            if section != "joints" or joint["kind"] not in _SEVERAL:
                continue
            flip = np.diag(self._item_flip(section, name, joint, flips))
            own = _of_several(joint["kind"])
            for each in {*own.position_names(), *own.velocity_names()}:
                turns, axis = each[0] in "wq", AXES.get(each[-1])  # none of qw, turn, slide
                if each == "slide" or (axis is not None and (flip[axis] > 0.0) == turns):
                    found.add(f"{name}.{each}")
        return frozenset(found)

    def _turn_back(self, section: str, name: str, item: Any, backward: Container[str]) -> None:
        """Changes the signs of what acts along coordinates that have the other one."""

        def sign(joint: str, index: int = 0) -> float:
            kind = self.draft.items("joints").get(joint, {}).get("kind")
            if kind in _SEVERAL:
                joint += "." + _of_several(kind).velocity_names()[index]
            return -1.0 if joint in backward else 1.0

        kind, change = item.get("kind") if isinstance(item, dict) else None, dict[str, float]()
        if section == "drives" or kind in ("joint-effort", "torsion-spring"):
            own = sign(item["joint"], item.get("index", 0))
            change = dict.fromkeys(_ALONG, own)
        elif kind == "gear":
            own = sign(item["second"])
            change = {"ratio": own * sign(item["first"]), "offset": own}
            item.setdefault("ratio", -1.0)
        elif kind == "rack":
            own = sign(item["rack"])
            change = {"radius": own * sign(item["pinion"]), "offset": own}
        elif kind == "screw-coupling":
            change = {"pitch": -1.0, "offset": -1.0}
        elif kind == "differential":
            signs = {sign(item[each]) for each in ("carrier", "left", "right")}
            if len(signs) > 1:
                raise InputError(
                    f"Coupling '{name}': a differential of coordinates of which a mirror turns "
                    "some round can't be mirrored; take it away first, or copy instead."
                )
            change = {"offset": signs.pop()}
        for key, own in change.items():
            if own < 0.0 and key in item:
                item[key] = _negative(item[key])


_POINTED = ("spring-damper", "link-force", "position", "velocity", "acceleration")  # axes don't act
_SEVERAL = ("cylindrical", "spherical", "free")  # joints of which some coordinates turn round
_ALONG = ("position", "velocity", "acceleration", "effort", "rest", "preload")  # a coordinate
_UNMIRRORED = ("wrench", "axis-effort", "hand", "box-drag", "surface-contact")


def _of_several(kind: str) -> JointKind:
    return cast("JointKind", KINDS["joints"][kind]())


def _across(axis: int) -> np.ndarray:
    found = np.eye(3)
    found[axis, axis] = -1.0
    return found


def _negative(given: Any) -> Any:
    if isinstance(given, str):
        return given[3:-1] if re.fullmatch(r"-\([^()]*\)", given) else f"-({given})"
    return -given + 0.0 if isinstance(given, float) else -given


def _flipped_frame(frame: Any, own: np.ndarray, flip: np.ndarray) -> Any:
    """A frame of a body whose axes are reflected by `own`, its own axes reflected by `flip`."""
    found: Item = {"body": frame} if isinstance(frame, str) else dict(frame)
    if "at" in found:
        found["at"] = _signed(found["at"], own)
    turn = [
        [axis, angle if own[AXES[axis], AXES[axis]] < 0.0 else _negative(angle)]
        for axis, angle in found.pop("turn", [])
    ]
    change = np.diag(own @ flip)  # half a turn about the axis that both leave
    if (change < 0.0).any():
        turn.append(["xyz"[int(np.argmax(change))], math.pi])
    if turn:
        found["turn"] = turn
    return frame if len(found) == 1 else found


def _signed(given: Sequence[Any], flip: np.ndarray) -> list[Any]:
    signs = np.diag(flip)
    return [x if s > 0.0 else _negative(x) for x, s in zip(given, signs, strict=True)]


def _mirrored(section: str, name: str, item: Any, flip: np.ndarray, motion: Motion) -> Any:
    """An item between frames that are mirrored already."""
    signs = np.diag(flip)
    if section == "bodies":
        if "com" in item:
            item["com"] = _signed(item["com"], flip)
        if len(item.get("inertia", ())) == 6:
            pairs = (signs[0] * signs[1], signs[0] * signs[2], signs[1] * signs[2])
            item["inertia"] = [
                *item["inertia"][:3],
                *(x if s > 0.0 else _negative(x) for x, s in zip(item["inertia"][3:], pairs)),
            ]
    elif section == "shapes" and item["solid"]["kind"] == "mesh":
        points, triangles = unpacked(item["solid"]["points"], item["solid"]["triangles"])
        mesh = Mesh.of(points * signs, triangles[:, ::-1])
        item["solid"] = {"kind": "mesh", "points": mesh.points, "triangles": mesh.triangles}
    elif section in ("joints", "closures"):
        _mirror_joint(section, name, item, flip)
    elif section == "forces" and item["kind"] in _UNMIRRORED:
        raise InputError(
            f"Force '{name}': a force of kind '{item['kind']}' can't be mirrored; copy it, or take "
            "it away first."
        )
    return item


def _mirror_joint(section: str, name: str, joint: Item, flip: np.ndarray) -> None:
    """A joint whose frames are reflected: coordinates keep their values."""
    kind = joint["kind"]
    usual = {"prismatic": "x", "skate": "y", "rolling": "y"}.get(kind, "z")
    signs = np.diag(flip)

    def along(axis: Any, sign: float) -> Any:
        if isinstance(axis, str):
            own = (-1.0 if axis.startswith("-") else 1.0) * signs[AXES[axis[-1]]] * sign
            return ("-" if own < 0.0 else "") + axis[-1]
        return [float(x * s * sign) + 0.0 for x, s in zip(axis, signs)]

    if kind == "prismatic":
        joint["axis"] = along(joint.get("axis", usual), 1.0)
    elif kind in ("revolute", "screw", "cylindrical"):
        joint["axis"] = along(joint.get("axis", usual), -1.0)
    elif kind == "universal":
        joint["first"] = along(joint.get("first", "x"), -1.0)
        joint["second"] = along(joint.get("second", "y"), -1.0)
    elif kind == "rolling":
        joint["normal"] = along(joint.get("normal", "z"), 1.0)
    if kind == "screw":
        joint["pitch"] = _negative(joint.get("pitch", 0.0))
    if section == "closures":
        return
    signed = [word for word in ("position", "velocity", "rest", "limits") if joint.get(word)]
    if signed and kind in _SEVERAL:
        raise InputError(
            f"Joint '{name}': a {kind} joint with a {signed[0]} can't be mirrored; take that away, "
            "or copy instead."
        )


_MOST_CORNERS = 64  # of a mesh to which others snap


def snapping_points(solid: object, pose: Pose) -> tuple[list[list[float]], list[list[float]]]:
    """Points of a solid in the world to which others snap: centre, ends and middles of sides; then
    corners of its outline, which are meant only where none of the others is near."""
    R, p = pose
    own = corners = np.zeros((0, 3))
    if isinstance(solid, Mesh):
        places = unpacked(solid.points, solid.triangles)[0].astype(float)
        flat = np.unique(np.round(places[:, [0, 2]], 9), axis=0)
        if 2 * len(flat) == len(places):  # a figure with a depth
            corners = np.column_stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]])
        else:
            corners = places
        corners = corners[:_MOST_CORNERS]
    elif (size := getattr(solid, "size", None)) is not None:
        x, y, z = (0.5 * float(each) for each in size)
        own = np.array([(x, 0, 0), (-x, 0, 0), (0, 0, z), (0, 0, -z), (0, y, 0), (0, -y, 0)])
        corners = np.array([(sx * x, 0.0, sz * z) for sx in (1, -1) for sz in (1, -1)])
    elif (length := getattr(solid, "length", None)) is not None:  # about z
        r, half = float(cast(Any, solid).radius), 0.5 * float(length)
        own = np.array([(r, 0, 0), (-r, 0, 0), (0, r, 0), (0, -r, 0), (0, 0, half), (0, 0, -half)])
    return [p.tolist(), *(p + own @ R.T).tolist()], (p + corners @ R.T).tolist()

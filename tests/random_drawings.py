"""Random messages to a drawing: what a person does, what is nearly that, and what nobody means."""

from __future__ import annotations

import json
import math
import random
from typing import Any

from touchback.model import KINDS
from touchback.workbench.drawing import Drawing

Message = dict[str, Any]

ODD_NAMES = (
    "ground", "time", "mode", "", " ", "a/b", "bar 1", "é", "日本", "🦵", "A\u030a", "x" * 300,
    "'", '"',
    "\n", "\\", "$1", "1e3", "sin", "e3", "null", "..", "../x", "__class__", "q:bar 1", "a.b", "½",
    "\u202e", "\x00", "yes", "-", "#", "{x}", "a: b", "- a", "& a", "* a", "! a", "%s",
)  # fmt: skip
ODD_NUMBERS = (
    0.0, -0.0, -1.0, 1e-300, 5e-324, 1e-12, 1e6, -1e6, 1e15, 1e16, 1e300, 1.7e308, 1e-7, 3.0, 2**53,
    10**30, math.pi,
)  # fmt: skip
ODD_TEXTS = (
    "", "x", "1 +", "time", "sin(time)", "1/0", "nan", "inf", "-inf", "0/0", "1e400", "'a'",
    "(" * 300,
    "9" * 400, "exp(1e9)", "sqrt(-1)", "q:bar", "'q:bar 1'", "'q:revolute 1'", "'v:revolute 1' * 2",
    "lookup(a, 1)", "2 * length", "35 mm", "20 deg", "3 apples", "$1", "1 + " * 300 + "1", "f(1)",
)  # fmt: skip
ODD_VALUES = (
    None, True, False, [], {}, "", "x", [1, 2], [[1, 2], [3, 4]], "world", -1, 0, "1/0", {"a": 1},
    "body", [None], [["a"]],
)  # fmt: skip
RAW = (
    b"", b"{", b"null", b"[]", b'{"do": "draw"}', b'{"do": "draw", "change": "no such"}',
    b'{"do": "draw", "change": 7}', b'{"do": "draw", "change": "bar", "from": [NaN, 0, 0]}',
    b'{"do": "draw", "change": "sphere", "at": [0, 0, 0], "radius": NaN}',
    b'{"do": "draw", "change": "sphere", "at": [0, 0, 1e999], "radius": 1}',
    b'{"do": "draw", "change": "\xff"}', b"[" * 5000, b'{"do": "draw", "id": ' + b"[" * 5000,
    b'{"do": "draw", "change": "bar", "from": [0, 0, 0], "to": [0, 0, 1], "and": "more"}',
)  # fmt: skip

GROUND = "ground"


class Person:
    """Draws at random; `hostile` is how often nobody could mean it."""

    def __init__(self, seed: int, drawing: Drawing, hostile: float = 0.25) -> None:
        self.chance, self.drawing, self.hostile = random.Random(seed), drawing, hostile

    # ---- what there is --------------------------------------------------------------------------

    @property
    def odd(self) -> bool:
        return self.chance.random() < self.hostile / 3.0

    def names(self, *sections: str) -> list[str]:
        return [name for each in sections for name in self.drawing.document.get(each, {})]

    def name(self, *sections: str) -> str:
        """One of these sections; sometimes of another, or none at all."""
        known = self.names(*sections)
        if self.odd or not known:
            return self.chance.choice([*ODD_NAMES, *self.names("bodies", "joints", "parts")])
        return self.chance.choice(known)

    def new_name(self) -> str:
        """Mostly none: the drawing gives one."""
        if self.odd:
            return self.chance.choice([*ODD_NAMES, *self.names("bodies", "joints", "parameters")])
        return "" if self.chance.random() < 0.8 else f"my {self.chance.randrange(1000)}"

    def body(self) -> str:
        inside = [name for name in self.drawing.state.poses if "/" in name]
        if inside and self.chance.random() < 0.1:
            return self.chance.choice(inside)
        if self.chance.random() < 0.25:
            return GROUND
        return self.name("bodies")

    def joint(self) -> str:
        return self.name("joints", "closures") if self.names("joints", "closures") else "none"

    # ---- numbers --------------------------------------------------------------------------------

    def number(self) -> Any:
        if self.odd:
            return self.chance.choice([*ODD_NUMBERS, *ODD_TEXTS])
        return round(self.chance.uniform(0.02, 2.0), self.chance.choice((1, 2, 6)))

    def length(self) -> float:
        if self.odd:
            return float(self.chance.choice(ODD_NUMBERS))
        return round(self.chance.uniform(0.02, 0.5), 3)

    def point(self) -> list[Any]:
        """Of a grid, so that points meet; of bodies; seldom anywhere."""
        if self.odd:
            return [self.chance.choice(ODD_NUMBERS) for _ in range(3)]
        poses = [each[1] for name, each in self.drawing.state.poses.items() if name != GROUND]
        if poses and self.chance.random() < 0.3:
            return [float(x) for x in self.chance.choice(poses)]
        x, y, z = (round(0.1 * self.chance.randint(-5, 5), 1) for _ in range(3))
        return [x, y if self.drawing.state.space else 0.0, z]

    def axis(self) -> Any:
        if self.odd:
            return self.chance.choice(["w", "", [0, 0, 0], [1e-300, 0, 0], [1e300, 1, 0], "--x"])
        if self.drawing.state.space:
            return self.chance.choice(["x", "y", "z", "-x", [1, 1, 0], [0.3, -0.2, 0.9]])
        return self.chance.choice(["y", "y", "y", "-y", "x", "z"])

    def end(self) -> Message:
        return {"body": self.body(), "at": self.point()}

    def items(self) -> list[Message]:
        sections = ("bodies", "bodies", "joints", "closures", "forces", "sensors", "drives",
                    "parameters", "parts", "shapes", "inputs")  # fmt: skip
        if self.chance.random() < 0.15:
            chosen = [(s, n) for s in ("bodies", "joints", "closures") for n in self.names(s)]
        else:
            chosen = []
            for _ in range(self.chance.choice((1, 1, 2, 3, 6))):
                section = self.chance.choice(sections)
                chosen.append((section, self.name(section)))
        inside = [name for name in self.drawing.state.poses if "/" in name]
        if inside and self.chance.random() < 0.3:
            chosen.append(("bodies", self.chance.choice(inside)))
        if self.odd:
            chosen.append((self.chance.choice(("", "model", "library", "nothing")), "bodies"))
        if self.chance.random() < 0.002 * self.hostile:
            chosen *= 2500
        return [{"section": section, "name": name} for section, name in chosen or [("bodies", "")]]

    def path(self) -> list[Any]:
        """To a number of the document, or beside it."""
        document = self.drawing.document
        sections = [each for each in document if isinstance(document[each], dict)]
        if not sections or self.odd:
            return self.chance.choice(
                [["model", "gravity", 2], ["model", "name"], ["bodies", "x"], ["library", "a", "b"],
                 ["bodies", 7, "mass"], ["touchback", 1], ["model", "gravity"], ["a"] * 10,
                 ["a"] * 11, [0, 0], ["parameters", "p", "default"], ["definitions", "$1"],
                 ["bodies", "x" * 200, "mass"]]
            )  # fmt: skip
        section = self.chance.choice(sections)
        found: list[Any] = [section, self.chance.choice(list(document[section]) or ["none"])]
        at = document[section].get(found[1])
        while isinstance(at, dict | list) and at and self.chance.random() < 0.95 and len(found) < 9:
            key = self.chance.choice([*(at if isinstance(at, dict) else range(len(at)))])
            found, at = [*found, key], at[key]
        if self.chance.random() < 0.1:
            words = ("density", "colour", "position", "damping", "mass", "length", "limits", "kind")
            found[-1] = self.chance.choice((*words, 0, 99))
        return found

    # ---- messages -------------------------------------------------------------------------------

    def message(self) -> bytes:
        """The next one, as it comes from a page."""
        if self.chance.random() < 0.04 * self.hostile:
            return self.chance.choice(RAW)
        bodies = len(self.names("bodies"))
        more = 12 if bodies < 3 else 4 if bodies < 12 else 1
        weights = {
            "bar": more, "box": more, "disc": 2, "sphere": 2, "outline": 2, "mesh": 1,
            "joint": 3 * more, "rod": 2, "spring": 3, "damper": 2, "motor": 3, "drive": 2,
            "torsion": 3, "sensor": 4, "trace": 2, "contact": 2, "set": 9, "parameter": 4,
            "gravity": 1, "move": 6, "turn": 4, "rename": 4, "remove": 4 + bodies // 6, "copy": 3,
            "mirror": 3, "array": 1, "group": 3, "ungroup": 3, "undo": 6, "redo": 3, "new": 0.1,
            "open": 0.3, "save": 0.5, "files": 0.3, "text": 0.5, "item": 1, "verify": 0.5,
            "play": 0.2, "rest": 0.2,
        }  # fmt: skip
        (change,) = self.chance.choices(list(weights), list(weights.values()))
        fields = {key: each for key, each in getattr(self, f"_{change}")().items() if each != ""}
        if self.odd and fields:
            fields[self.chance.choice(list(fields))] = self.chance.choice(ODD_VALUES)
        if self.odd and fields:
            del fields[self.chance.choice(list(fields))]
        asked = {"do": "draw", "change": change, **fields, "id": self.chance.randrange(1000)}
        return json.dumps(asked).encode("utf-8", "surrogatepass")

    def _bar(self) -> Message:
        return {"from": self.point(), "to": self.point(), "name": self.new_name()}

    def _box(self) -> Message:
        size = [self.length() for _ in range(3)]
        return {"at": self.point(), "size": size, "name": self.new_name()}

    def _disc(self) -> Message:
        found = {"at": self.point(), "radius": self.length(), "thickness": self.length()}
        return {**found, "axis": self.axis(), "name": self.new_name()}

    def _sphere(self) -> Message:
        density = self.chance.choice([1000.0, self.number()])
        return {"at": self.point(), "radius": self.length(), "density": density}

    def _outline(self) -> Message:
        count = self.chance.choice((2, 3, 4, 5, 9, 60))
        angles = sorted(self.chance.uniform(0.0, 6.28) for _ in range(count))
        points = [[0.2 * math.cos(a), 0.0, 0.2 * math.sin(a)] for a in angles]
        if self.odd:
            points = [self.point() for _ in range(count)]
        return {"points": points, "depth": self.length()}

    def _mesh(self) -> Message:
        if self.odd:
            return {"file": self.chance.choice(["no.stl", "../x.stl", "/etc/passwd", "", "a.yaml"])}
        a = self.length()
        points = [[0, 0, 0], [a, 0, 0], [0, a, 0], [0, 0, a]]
        faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        if self.odd:
            faces = [[0, 1, self.chance.choice((-1, 2, 9, 2**40))]]
        return {"at": self.point(), "vertices": points, "triangles": faces}

    def _joint(self) -> Message:
        kinds = [*KINDS["joints"], "revolute", "revolute", "revolute", "prismatic", "no such"]
        kind = self.chance.choice(kinds)
        found = {"kind": kind, "at": self.point(), "a": self.body(), "b": self.body()}
        return {**found, "axis": self.axis(), "pitch": 0.01, "name": self.new_name()}

    def _rod(self) -> Message:
        return {"a": self.end(), "b": self.end(), "name": self.new_name()}

    def _spring(self) -> Message:
        return {"a": self.end(), "b": self.end(), "stiffness": self.number(),
                "damping": self.number()}  # fmt: skip

    def _damper(self) -> Message:
        return {"a": self.end(), "b": self.end(), "damping": self.number()}

    def _motor(self) -> Message:
        return {"joint": self.joint(), "name": self.new_name()}

    def _drive(self) -> Message:
        if self.chance.random() < 0.5:
            return {"joint": self.joint(), "rate": self.length()}
        return {"joint": self.joint(), "law": self.chance.choice(["0.1 * sin(time)", *ODD_TEXTS])}

    def _torsion(self) -> Message:
        return {"joint": self.joint(), "stiffness": self.number(), "rest": self.number()}

    def _sensor(self) -> Message:
        kinds = ["position", "velocity", "acceleration", "angular-velocity", "angle", "speed"]
        kinds += ["force", "effort", "energy", "accelerometer", "total-force", "no such"]
        kind = self.chance.choice(kinds)
        on = self.joint() if kind in ("angle", "speed", "force", "effort") else self.body()
        return {"kind": kind, "on": on, "name": self.new_name()}

    def _trace(self) -> Message:
        return {"body": self.body(), "at": self.point()}

    def _contact(self) -> Message:
        return {"a": self.body(), "b": self.body()}

    def _set(self) -> Message:
        value = self.chance.choice([self.number(), self.number(), *ODD_VALUES, *ODD_TEXTS])
        if self.chance.random() < 0.6:
            value = self.number()
        return {"path": self.path(), "value": value}

    def _parameter(self) -> Message:
        unit = self.chance.choice(["", "", "", "m", "kg", "deg", "mm", "apples"])
        name = self.new_name() or f"p {self.chance.randrange(50)}"
        return {"path": self.path(), "name": name, "unit": unit, "min": self.length()}

    def _gravity(self) -> Message:
        return {
            "value": self.chance.choice([[0, 0, -9.81], [0, 0, 0], [0, 0, -1.62], self.point()])
        }

    def _move(self) -> Message:
        return {"items": self.items(), "by": self.point()}

    def _turn(self) -> Message:
        angle = self.chance.choice([0.5, -1.0, math.pi / 2, math.pi, self.length()])
        return {"items": self.items(), "about": self.point(), "angle": angle, "axis": self.axis()}

    def _rename(self) -> Message:
        sections = [*self.drawing.document, "bodies", "nothing"]
        section = self.chance.choice(sections)
        known = self.drawing.document.get(section, {})
        name = self.chance.choice([*known, "x"]) if isinstance(known, dict) else "x"
        to = self.new_name() or f"new {self.chance.randrange(100)}"
        return {"section": section, "name": name, "to": to}

    def _remove(self) -> Message:
        return {"items": self.items()}

    def _copy(self) -> Message:
        return {"items": self.items(), "by": self.point()}

    def _mirror(self) -> Message:
        return {"items": self.items(), "point": self.point(),
                "normal": self.chance.choice(["x", "z", self.axis()])}  # fmt: skip

    def _array(self) -> Message:
        found = {"items": self.items(), "by": self.point()}
        count = self.chance.choice((1, 2, 3)) if not self.odd else self.chance.choice((0, 200, 201))
        if self.chance.random() < 0.5:
            found |= {"about": self.point(), "angle": 1.0, "axis": self.axis()}
        return {**found, "count": count}

    def _group(self) -> Message:
        name = self.new_name() or f"group {self.chance.randrange(5)}"
        return {"items": self.items(), "name": name}

    def _ungroup(self) -> Message:
        return {"name": self.name("parts")}

    def _undo(self) -> Message:
        return {}

    _redo = _files = _verify = _play = _rest = _undo

    def _new(self) -> Message:
        return {"space": self.chance.random() < 0.5, "name": self.new_name() or "drawing"}

    def _open(self) -> Message:
        texts = [self.drawing.text(), "", "touchback: 1", "a: b", "{", "touchback: 1\nname: x\n"]
        if self.chance.random() < 0.3:
            return {"file": self.chance.choice(["a.yaml", "no.yaml", "..", "a.py", "/a.yaml"])}
        return {"text": self.chance.choice(texts)}

    def _save(self) -> Message:
        return {"file": self.chance.choice(["a.yaml", "a.py", "../a.yaml", "a.json", "a", ".yaml"])}

    def _text(self) -> Message:
        return {"format": self.chance.choice(["yaml", "python", "xml"])}

    def _item(self) -> Message:
        section = self.chance.choice([*self.drawing.document, "model"])
        return {"section": section, "name": self.name("bodies", "joints")}

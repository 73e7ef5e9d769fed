"""A drawing: a mechanism under edit. Its documents are the plain data of a model file; each edit
makes another one, which is read, closed and judged before it counts."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import msgspec
import numpy as np

import touchback as tb
from touchback import Mesh, Model, check, read_mesh
from touchback.errors import NO_JSON, InputError, TouchbackError
from touchback.model import GROUND, Frame, flatten, uses
from touchback.model.io import (
    LARGEST,
    READERS,
    Document as FileDocument,
    model_from_document,
    plain_model,
    to_text,
)
from touchback.names import check_name, unknown_name
from touchback.numbers import is_one_of, shown
from touchback.realtime.control import Answer
from touchback.safe_files import read_regular, write_atomically
from touchback.system import (
    Freedoms,
    Instant,
    check_model,
    configuration_rate,
    float_instant,
    freedoms_of,
    position_rows,
    size_of,
)
from touchback.workbench.drawing import drawing_messages as messages
from touchback.workbench.drawing.document import (
    SINGULAR,
    Document,
    Draft,
    Item,
    Pose,
    as_joint,
    body_of,
    nices,
)
from touchback.workbench.drawing.drawing_edits import Drawn, density_of, edit, solids_of
from touchback.workbench.drawing.grouping import check_size
from touchback.workbench.drawing.placement import snapping_points

MOST_FILES = 500  # of a folder that are listed
_TEXTS = ("yaml", "python")
_ENDINGS = (".yaml", ".yml", ".json")
_FILE = re.compile(r"[^\W_][\w \-.()+]{0,120}")
_NEWTON = 30  # steps at most
_CLOSED = 1e-12  # of the size: closer isn't closed any more
_OPEN = 1e-9  # m, rad: an end that is farther off is told
_NEARBY = 1e-3  # rad, m: a step to a neighbouring position
_EMPTY: Document = {"touchback": 1, "name": "drawing"}
_CHANGES = msgspec.json.Decoder(messages.AnyChange)
_ARITHMETIC = (ArithmeticError, ValueError, np.linalg.LinAlgError, RecursionError)


class Runner(Protocol):
    """What plays a drawing: a page."""

    def play(self, model: Model) -> Mapping[str, object]:
        """Begins a live run."""

    def swap(self, model: Model, sets: Mapping[str, float]) -> None:
        """Lets the run go on as another model, with parameters set; refuses what can't be."""

    def rest(self) -> None:
        """Ends it."""


class DrawnState:
    """A document read: the model where its loops are closed, and what is to be said of it."""

    def __init__(self, document: Document, space: bool) -> None:
        self.document, self.space = document, space
        check_size(document)
        self.rows: tuple[str, ...] = ()  # of constraints, with how far each is from being met
        self._gaps, self._J = np.zeros(0), np.zeros((0, 0))
        try:
            self.model = model_from_document(FileDocument("drawing", dict(document)))
            self.flat = flatten(self.model)
            self.instant = float_instant(self.flat)
            self._check_weights()
            self._assemble()
            self.poses = self._find_poses()
            self._check_shapes()
        except _ARITHMETIC as error:
            raise InputError(f"The drawing has no numbers any more: {error}.") from error

    def _check_weights(self) -> None:
        """Refuses expressions of weights and gravity that are no finite numbers."""
        weights = [
            (f"Body '{name}'", word, getattr(body, word))
            for name, body in self.flat.bodies.items()
            for word in ("mass", "com", "inertia")
        ]
        for what, word, given in (*weights, ("The model", "gravity", self.flat.gravity)):
            for item in given if isinstance(given, tuple) else (given,):
                number = float(self.instant.value(item))
                if not np.isfinite(number):
                    raise InputError(f"{what}: its {word} is {number}; give finite numbers.")

    def _check_shapes(self) -> None:
        """Refuses expressions of frames of shapes that are no finite numbers."""
        for name, shape in self.flat.shapes.items():
            frame = shape.frame
            R, p = self.instant.rotation(frame), self.instant.position(frame)
            if not np.isfinite(np.array([*R, p], dtype=float)).all():
                raise InputError(f"Shape '{name}': its frame has a number that is none.")

    # ---- loops ----------------------------------------------------------------------------------

    def _assemble(self) -> None:
        """Positions near the described ones at which loops are closed, by Newton's method with the
        least displacement."""
        self._rows(self.instant)
        size = max(size_of(self.instant), 1e-3)
        best = self.instant, self._gaps, self._J
        for _ in range(_NEWTON):
            worst = float(np.abs(best[1]).max(initial=0.0))
            if not np.isfinite(worst):
                raise InputError("The drawing has a number that is none where a loop closes.")
            if worst <= _CLOSED * size:
                break
            step = -np.linalg.lstsq(best[2], best[1], rcond=1e-9)[0]
            longest = float(np.abs(step).max(initial=0.0))
            instant = self._moved(best[0], step * min(1.0, 0.5 / max(longest, 1e-300)))
            self._rows(instant)
            if worst < _OPEN * size and float(np.abs(self._gaps).max()) >= worst:
                break
            best = instant, self._gaps, self._J
        self.instant, self._gaps, self._J = best

    def _rows(self, instant: Instant) -> None:
        """The constraints' residuals and Jacobian at an instant."""
        rows = position_rows(instant)
        self.rows = tuple(row.name for row in rows)
        self._J = np.zeros((len(rows), instant.tree.nv))
        self._gaps = np.zeros(len(rows))
        for i, row in enumerate(rows):
            self._gaps[i] = 0.0 if row.h is None else float(row.h)
            for place, entry in row.J.items():
                self._J[i, place] = float(entry)

    def _moved(self, instant: Instant, step: np.ndarray) -> Instant:
        """The instant at positions moved by an increment in velocities."""
        kept, instant.at.v = instant.at.v, step.tolist()
        rates = configuration_rate(instant)
        instant.at.v = kept
        q = [float(x) + float(dx) for x, dx in zip(instant.at.q, rates, strict=True)]
        return float_instant(self.flat, q)

    def _find_poses(self) -> dict[str, Pose]:
        found = {}
        for name in (GROUND, *self.flat.bodies):
            R, p = self.instant.rotation(Frame(name)), self.instant.position(Frame(name))
            pose = np.array(R, dtype=float), np.array(p, dtype=float)
            if not (np.isfinite(pose[0]).all() and np.isfinite(pose[1]).all()):
                raise InputError(f"Body '{name}': where it is is no number; check its joints.")
            found[name] = pose
        return found

    @cached_property
    def freedoms(self) -> Freedoms:
        """What constraints leave, with singular positions told from redundant rows."""
        here, J, gaps = self.instant, self._J, self._gaps

        def nearby(velocity: np.ndarray) -> np.ndarray | None:
            instant = self._moved(here, _NEARBY * velocity)
            for _ in range(8):
                self._rows(instant)
                if float(np.abs(self._gaps).max(initial=0.0)) < 1e-10:
                    return self._J
                step = -np.linalg.lstsq(self._J, self._gaps, rcond=1e-7)[0]
                instant = self._moved(instant, step)
            return None

        names = self.flat.velocity_names()
        try:
            return freedoms_of(J, self.rows, names, nearby if len(J) else None)
        finally:
            self._J, self._gaps = J, gaps

    # ---- what is asked --------------------------------------------------------------------------

    def value(self, given: object) -> float:
        """The number of a number, or of the text of an expression."""
        if isinstance(given, str):
            return float(self.instant.value(self.model.expression(given)))
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise InputError(f"A number or an expression is expected, got {shown(given)}.")
        return float(given)

    def unit(self, path: Sequence[str | int]) -> str:
        """The unit of the number at a place of the document; "" where it has none."""
        place = tuple(path[1:] if path[0] == "model" else path)
        for use in uses(self.model):
            if use.place == place or (len(place) > 1 and use.place == place[:-1]):
                return use.unit
            if use.place == (*place, 0):
                return use.unit
        frames = {"at": "m", "turn": "rad"}  # of sensors, which are no use of a unit
        return next((frames[word] for word in reversed(place) if word in frames), "")

    # ---- what the page is told ------------------------------------------------------------------

    @cached_property
    def verify(self) -> dict[str, object]:
        """Freedoms, loops, redundant constraints, singular position, and what is doubtful."""
        found, problems = self.freedoms, list[dict[str, object]]()

        def problem(section: str, name: str, text: str) -> None:
            problems.append({"what": {"section": section, "name": name} if name else None,
                             "text": text})  # fmt: skip

        worst: dict[str, float] = {}
        for row, gap in zip(self.rows, self._gaps, strict=True):
            name = self._of_row(row)
            worst[name] = max(worst.get(name, 0.0), abs(float(gap)))
        for name, apart in worst.items():
            if apart > _OPEN:
                problem(
                    self._section_of(name), name,
                    f"'{name}' can't close: its ends are {apart:.3g} m (or rad) apart.",
                )  # fmt: skip
        if self.rows and not found.freedoms and not self.flat.drives:
            problem("", "", "No freedom is left: nothing can move.")
        if found.redundant:
            listed = ", ".join(f"'{each}'" for each in found.redundant[:8])
            problem(
                self._section_of(self._of_row(found.redundant[0])),
                self._of_row(found.redundant[0]),
                f"Redundant: {listed} hold what others hold; their forces aren't determined.",
            )
        if found.singular:
            listed = ", ".join(f"'{each}'" for each in found.singular)
            problem("", "", f"A singular position: {listed} add nothing here, but do nearby.")
        try:
            check_model(self.model)
        except (TouchbackError, *_ARITHMETIC) as error:
            problem(*_subject(str(error)), str(error))
        return {
            "freedoms": found.freedoms,
            "bodies": len(self.flat.bodies),
            "loops": len([each for each in self.flat.closures.values() if each.active]),
            "redundant": list(found.redundant),
            "singular": bool(found.singular),
            "problems": problems,
        }

    def _of_row(self, row: str) -> str:
        """The constraint of a row."""
        if self._section_of(row):
            return row
        return row.rpartition(".")[0] or row

    def _section_of(self, name: str) -> str:
        known = ("closures", "couplings", "constraints", "drives")
        return next((each for each in known if name in getattr(self.flat, each)), "")

    @cached_property
    def facts(self) -> dict[str, object]:
        """The drawing as its page is told of it."""
        document, draft = self.document, Draft(self.document, self.poses, self.space)
        parameters = document.get("parameters", {})
        return {
            "space": self.space,
            "gravity": [self.value(x) for x in document.get("gravity", (0.0, 0.0, -9.81))],
            "verify": self.verify,
            "bodies": [self._body(draft, name) for name in self.flat.bodies],
            "joints": [
                *(self._joint(name, item, False) for name, item in self._all("joints")),
                *(self._joint(name, item, True) for name, item in self._all("closures")),
            ],
            "forces": [self._force(name, item) for name, item in self._all("forces")],
            "sensors": [self._sensor(name, item) for name, item in self._all("sensors")],
            "traces": [name for name, item in self._all("sensors") if item["kind"] == "position"],
            "drives": [
                {"name": name, "section": "drives", "joint": item["joint"],
                 "law": item["position"]}
                for name, item in self._all("drives")
            ],
            "inputs": [{"name": name, **item} for name, item in draft.items("inputs").items()],
            "parameters": [
                {"name": name, "default": item.get("default"), "unit": item.get("unit", ""),
                 "min": item.get("min"), "max": item.get("max")}
                for name, item in parameters.items()
            ],
            "parts": [
                {"name": name, "model": item["model"]}
                for name, item in draft.items("parts").items()
            ],
        }  # fmt: skip

    def _all(self, section: str) -> list[tuple[str, Item]]:
        """Items of the drawing and of its parts, by full names, with those of their joints."""
        library, found = self.document.get("library", {}), list[tuple[str, Item]]()

        def gather(data: Document, prefix: str) -> None:
            for name, item in data.get(section, {}).items():
                joint = {"joint": prefix + item["joint"]} if item.get("joint") else {}
                found.append((prefix + name, {**item, **joint}))
            for name, part in data.get("parts", {}).items():
                gather(library[part["model"]], f"{prefix}{name}/")

        gather(self.document, "")
        return found

    def _body(self, draft: Draft, name: str) -> dict[str, object]:
        """A body: where it is, points to snap to (corners of outlines last), its solids, and what
        it weighs."""
        R, p = self.poses[name]
        body = self.flat.bodies[name]
        solids = solids_of(draft, name, self.value)
        points, corners = [p.tolist()], list[list[float]]()
        for solid, pose in solids:
            own, edges = snapping_points(solid, pose)
            points, corners = points + own, corners + edges
        every = _distinct(points + corners)
        com = np.array([float(self.instant.value(x)) for x in body.com])
        looks = [(key, look) for key, look in draft.items("shapes").items()
                 if body_of(look["frame"]) == name]  # fmt: skip
        density = density_of(draft, name, self.value)
        return {
            "name": name,
            "at": nices(p),
            "points": [nices(each) for each in every],
            "corners": len(every) - len(_distinct(points)),  # how many of them, the last ones
            "solids": [
                {"name": key, "colour": look.get("colour", ""), **_short_solid(look["solid"])}
                for key, look in looks
            ],
            "mass": float(self.instant.value(body.mass)),
            "com": nices(p + R @ com),
            "density": None if density is None else float(f"{density:.6g}"),
        }

    def _joint(self, name: str, item: Item, closure: bool) -> dict[str, object]:
        """A joint of the tree or one that closes a loop: its point and axis in the world."""
        if closure:
            frames = (self.flat.closures[name].a, self.flat.closures[name].b)
        else:
            frames = (self.flat.joints[name].parent, self.flat.joints[name].child)
        bodies = [frame.body for frame in frames]
        R, p = self._world(frames[0])
        joint = (as_joint(item) or item) if closure else item
        axis = next((joint[key] for key in ("axis", "first", "normal") if key in joint), None)
        usual = {"prismatic": "x", "universal": "x"}.get(joint["kind"], "z")
        if axis is None and joint["kind"] in _WITH_AXIS:
            axis = usual
        return {
            "name": name,
            "section": "closures" if closure else "joints",
            "kind": joint["kind"],
            "a": bodies[0],
            "b": bodies[1],
            "at": nices(p),
            "axis": None if axis is None else nices(R @ _vector(axis)),
            "closure": closure,
            "loose": not closure and joint["kind"] in ("free", "planar")
            and bodies == [GROUND, name],
            **({"to": nices(self._world(frames[1])[1])} if closure else {}),
        }  # fmt: skip

    def _world(self, frame: Frame) -> Pose:
        R, p = self.instant.rotation(frame), self.instant.position(frame)
        return np.array(R, dtype=float), np.array(p, dtype=float)

    def _force(self, name: str, item: Item) -> dict[str, object]:
        force = self.flat.forces[name]
        found: dict[str, object] = {"name": name, "section": "forces", "kind": item["kind"]}
        for end in ("a", "b", "frame", "plane"):
            if isinstance(frame := getattr(force, end, None), Frame):
                found[end] = nices(self._world(frame)[1])
        if "joint" in item:
            found["joint"] = item["joint"]
        return found | {"numbers": {
            key: given for key, given in item.items()
            if isinstance(given, int | float | str) and key not in ("kind", "joint", "a", "b")
        }}  # fmt: skip

    def _sensor(self, name: str, item: Item) -> dict[str, object]:
        sensor = self.flat.sensors[name]
        frame = getattr(sensor, "frame", None)
        told: dict[str, object] = {"name": name, "section": "sensors", "kind": item["kind"]}
        if not isinstance(frame, Frame):
            return {**told, "on": item.get("joint") or item.get("expression") or "", "at": None}
        local = nices(float(self.instant.value(x)) for x in frame.at)  # along the body's axes
        return {**told, "on": frame.body, "at": nices(self._world(frame)[1]), "local": local}


_WITH_AXIS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar")


def _vector(axis: str | Sequence[float]) -> np.ndarray:
    if isinstance(axis, str):
        unit = np.zeros(3)
        unit["xyz".index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
        return unit
    vector = np.array(axis, dtype=float)
    return np.asarray(vector / np.linalg.norm(vector))


def _subject(text: str) -> tuple[str, str]:
    """Section and name of what a complaint begins with."""
    found = re.match(r"(Body|Joint|Force|Closure|Sensor|Drive|Contact) '([^']+)'", text)
    if found is None:
        return "", ""
    return {"Body": "bodies"}.get(found[1], f"{found[1].lower()}s"), found[2]


def _short_solid(solid: Mapping[str, Any]) -> Item:
    """A solid's kind and numbers; of a mesh how many triangles it has."""
    if solid["kind"] != "mesh":
        return dict(solid)
    return {"kind": "mesh", "triangles": len(solid["triangles"]) // 16}


def _distinct(points: Sequence[Sequence[float]]) -> list[Sequence[float]]:
    found: dict[tuple[float, ...], Sequence[float]] = {}
    for each in points:
        found.setdefault(tuple(round(float(x), 9) + 0.0 for x in each), each)
    return list(found.values())


@dataclass
class Origin:
    """Where a document and those that edits made of it belong: their file, and the content of the
    files that they were read from or written to."""

    file: str
    contents: dict[str, bytes]


@dataclass(frozen=True)
class Version:
    """A document in the history, and in words what made it."""

    document: Document
    space: bool
    words: str
    origin: Origin


class Drawing:
    """A mechanism that is drawn: its documents in order, and which of them is shown. `apply` does
    what a message asks; `document`, `model` and `text()` are what it is then."""

    def __init__(
        self,
        model: Model | None = None,
        folder: str | Path = "drawings",
        space: bool | None = None,
        file: str = "",
        content: bytes | None = None,
    ) -> None:
        """An empty drawing, or one of a model, which was read from a `file` with that `content`;
        files are opened and saved in `folder`. `space`:
        whether it is drawn in space; where nothing is said, a mechanism that stays in the x–z
        plane is drawn in that."""
        self.lock = threading.RLock()
        self.folder, self.runner = Path(folder), cast("Runner | None", None)
        self.revision = 0
        self.playing = False
        self.opened = 0  # how many documents were begun
        self._programs: dict[str, str] = {}  # that were written
        if not isinstance(model, Model | None):
            raise InputError(
                f"A drawing begins empty or with a model, got {shown(model)}; read a file by "
                "`touchback.read`."
            )
        if not isinstance(space, bool | None):
            raise InputError(f"A drawing's `space` is True, False or None, got {shown(space)}.")
        document = _EMPTY if model is None else cast(Document, plain_model(model))
        self._begin(document, space, "", file, content)

    def _begin(
        self, document: Document, space: bool | None, words: str, file: str = "",
        content: bytes | None = None,
    ) -> None:  # fmt: skip
        """A document that another one follows: of a file with what was read of it."""
        origin = Origin(file, {} if content is None else {file: content})
        state = DrawnState(document, bool(space))
        if space is None and not _is_planar(state):
            state = DrawnState(document, True)
        if words:
            self._push(state, words, origin)
        else:
            self._history, self._at = [Version(document, state.space, "", origin)], 0
            self.state = state
        self.opened += 1

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """The plain data of its model file."""
        return self.state.document

    @property
    def file(self) -> str:
        """The file that it was opened from or saved in last; "" where it has none."""
        return self._origin.file

    @property
    def _origin(self) -> Origin:
        return self._history[self._at].origin

    @property
    def model(self) -> Model:
        """The mechanism."""
        return self.state.model

    def text(self, format: Literal["yaml", "python"] = "yaml") -> str:
        """Its model file, or the program that describes the same: as `model.save` writes them."""
        if not is_one_of(format, _TEXTS):
            raise InputError(f"A drawing's text is 'yaml' or 'python', got {shown(format)}.")
        return to_text(self.model, ".yaml" if format == "yaml" else ".py")

    @property
    def undo_words(self) -> str | None:
        """What `undo` would take back."""
        return self._history[self._at].words if self._at else None

    @property
    def redo_words(self) -> str | None:
        """What `redo` would do again."""
        return self._history[self._at + 1].words if self._at + 1 < len(self._history) else None

    def facts(self) -> dict[str, object]:
        """What its page is told."""
        with self.lock:
            return {
                "revision": self.revision,
                "name": self.document["name"],
                "file": self.file,
                "folder": str(self.folder),
                "playing": self.playing,
                "undo": self.undo_words,
                "redo": self.redo_words,
                **self.state.facts,
            }

    # ---- messages -------------------------------------------------------------------------------

    def handle(self, message: bytes) -> Answer:
        """What comes of a message; never raises for what it says."""
        try:
            asked = _CHANGES.decode(message)
        except NO_JSON as error:
            return Answer(_id_of(message), False, error=_unread(message, str(error)))
        try:
            return Answer(asked.id, True, self.apply(asked))
        except TouchbackError as error:
            return Answer(asked.id, False, error=str(error))

    def apply(self, asked: messages.AnyChange | Mapping[str, object]) -> dict[str, object]:
        """Does what a message asks, given as its type or as plain data; what came of it."""
        if isinstance(asked, Mapping):
            try:
                asked = msgspec.convert(
                    msgspec.to_builtins({"do": "draw", **asked}, enc_hook=_plain_number),
                    messages.AnyChange,
                )
            except (*NO_JSON, TypeError) as error:
                raise InputError(f"The message can't be read: {error}.") from None
        elif type(asked) not in _DO and not isinstance(asked, messages.Edit):
            raise InputError(f"A message or its fields are expected, got {shown(asked)}.")
        with self.lock:
            if isinstance(asked, messages.Edit):
                return self._edit(asked)
            return _DO[type(asked)](self, asked)

    def _edit(self, asked: messages.Edit) -> dict[str, object]:
        state = self.state
        draft = Draft(state.document, state.poses, state.space)

        def now(text: str) -> float:
            return DrawnState(draft.finished(), state.space).value(text)

        try:
            words = edit(draft, asked, Drawn(state.value, state.unit, self._mesh, now))
        except _ARITHMETIC as error:
            raise InputError(f"{type(asked).__name__.lower()}: {error}.") from error
        document = draft.finished()
        if document != state.document:
            after = DrawnState(document, state.space)
            if self.playing and self.runner is not None:
                self.runner.swap(after.model, _defaults(state.document, document))
            self._push(after, words, self._origin)
        made = [
            {"section": section, "name": name}
            for section, name in dict.fromkeys(draft.made)
            if section == "model" or name in document.get(section, {})
        ]
        told: dict[str, object] = {"words": words, "revision": self.revision, "made": made}
        if isinstance(asked, messages.Joint):
            told["closure"] = any(each["section"] == "closures" for each in made)
        return told

    def _push(self, state: DrawnState, words: str, origin: Origin) -> None:
        del self._history[self._at + 1 :]
        self._history.append(Version(state.document, state.space, words, origin))
        self._at += 1
        self.state = state
        self.revision += 1

    def undo(self) -> dict[str, object]:
        """Back to the document before."""
        if not self._at:
            raise InputError("There is nothing to undo: this is how the drawing began.")
        return self._go(self._at - 1, self._history[self._at].words)

    def redo(self) -> dict[str, object]:
        """Forward to the document after."""
        if self._at + 1 >= len(self._history):
            raise InputError("There is nothing to do again.")
        return self._go(self._at + 1, self._history[self._at + 1].words)

    def _go(self, place: int, words: str) -> dict[str, object]:
        version = self._history[place]
        state = DrawnState(version.document, version.space)
        if self.playing and self.runner is not None:
            self.runner.swap(state.model, _defaults(self.document, version.document))
        self._at, self.state = place, state
        self.revision += 1
        return {"words": words, "revision": self.revision, "undo": self.undo_words,
                "redo": self.redo_words}  # fmt: skip

    # ---- files ----------------------------------------------------------------------------------

    def new(self, space: bool = False, name: str = "drawing") -> dict[str, object]:
        """An empty drawing; the one before comes back by `undo`."""
        self.rest()
        self._begin({**_EMPTY, "name": check_name("Drawing", name)}, space, "a new drawing")
        return {"words": "a new drawing", "revision": self.revision}

    def open(self, file: str = "", text: str = "", classic: str = "") -> dict[str, object]:
        """The drawing of a file of its folder, of a text (YAML or JSON), or of a classic mechanism
        of the gallery."""
        if [bool(file), bool(text), bool(classic)].count(True) != 1:
            raise InputError("Give a `file` of the drawing's folder, a `text`, or a `classic`.")
        if classic:
            return self._open_classic(classic)
        if file.endswith(".py"):
            raise InputError(
                f"{file} is a program, which a page doesn't run; open the drawing's .yaml, which "
                "`model.save` writes, too."
            )
        source, content = file or "text", None
        suffix = ".json" if text.lstrip()[:1] == "{" else ".yaml"
        if file:
            path = self._path(file, _ENDINGS)
            try:
                content = read_regular(path, LARGEST, InputError)
                text = content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None
            suffix = path.suffix.lower()
        document = READERS[suffix](text, source)
        check_size(document.data)
        model_from_document(document)  # whose complaints name lines
        self.rest()
        self._begin(cast(Document, document.data), None, f"open {source}", file, content)
        return {"words": f"opened {source}", "revision": self.revision}

    def _open_classic(self, name: str) -> dict[str, object]:
        if name not in tb.gallery.CLASSICS:
            raise unknown_name("classic", name, tb.gallery.CLASSICS)
        document = cast(Document, plain_model(tb.gallery.make_started(name)))
        self.rest()
        self._begin(document, None, f"open {name}")
        return {"words": f"opened {name}", "revision": self.revision}

    def save(self, file: str, replace: bool = False) -> dict[str, object]:
        """Writes its file: `.yaml` (without an ending, too), or `.py` for the program. Another
        drawing's file is written over only to `replace` it."""
        file = file if "." in file else f"{file}.yaml"
        path = self._path(file, (".yaml", ".yml", ".py"))
        text = self.text("python" if path.suffix == ".py" else "yaml")
        try:
            if path.exists():
                self._check_replaced(path, replace)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
        except OSError as error:
            raise InputError(f"{file} can't be written: {error.strerror or error}.") from None
        self._origin.contents[file] = text.encode()
        if path.suffix == ".py":
            self._programs[file] = text
        else:
            self._origin.file = file
        return {"words": f"saved {file}", "file": file, "bytes": len(text.encode())}

    def _check_replaced(self, path: Path, replace: bool) -> None:
        """Refuses to write over what is no model file, nor the program that was saved here before:
        what a page writes looks like anybody's program. A model file is written over to `replace`
        it, or where it holds what this drawing's document read from it or wrote to it."""
        content, name = read_regular(path, LARGEST, InputError), path.name
        found, known = content.decode("utf-8", "replace"), self._origin.contents.get(name)
        if path.suffix == ".py":
            own = found == self._programs.get(name)
        else:
            own = re.search(r"^[\"']?touchback[\"']?\s*:\s*[0-9]+\s*$", found, re.M) is not None
        if found.strip() and not own:
            what = "a program of somebody" if path.suffix == ".py" else "no drawing"
            raise InputError(f"{name}: there is such a file, {what}; choose another name.")
        if not replace and content != known:
            what = "there is such a drawing already" if known is None else (
                "somebody changed it since it was opened or saved here"
            )  # fmt: skip
            raise InputError(f"{name}: {what}; `replace` it, or give another name.")

    def files(self) -> list[dict[str, object]]:
        """Drawings in its folder that can be opened."""
        found: list[dict[str, object]] = []
        try:
            for path in sorted(self.folder.iterdir()) if self.folder.is_dir() else ():
                named = path.suffix.lower() in _ENDINGS and _FILE.fullmatch(path.name)
                if named and path.is_file():
                    found.append({"name": path.name, "bytes": path.stat().st_size})
        except OSError as error:
            raise InputError(
                f"The folder {self.folder} can't be read: {error.strerror or error}."
            ) from None
        return found[:MOST_FILES]

    def _path(self, file: str, endings: Sequence[str] = ()) -> Path:
        """A file of the folder; a name that would leave it is refused."""
        if not _FILE.fullmatch(file) or ".." in file:
            raise InputError(
                f"{shown(file)} is no name of a file: use at most 121 letters, digits, spaces, "
                "'.', '-' and '_', without folders and without two dots in a row."
            )
        path = self.folder / file
        if endings and path.suffix.lower() not in endings:
            raise InputError(f"{file}: its ending is none of {', '.join(endings)}.")
        try:
            outside = path.is_symlink() or path.resolve().parent != self.folder.resolve()
        except (OSError, RuntimeError) as error:  # no right to look; links that lead to themselves
            raise InputError(f"{file}: the folder {self.folder} can't be read: {error}.") from None
        if outside:
            raise InputError(f"{file}: it leads out of the drawing's folder.")
        return path

    def _mesh(self, file: str) -> Mesh:
        return read_mesh(self._path(file))

    # ---- running --------------------------------------------------------------------------------

    def play(self) -> dict[str, object]:
        """Lets it run on its page."""
        if self.runner is None:
            raise InputError("A drawing runs on a page; open one by workbench.open_drawing().")
        if self.playing:
            raise InputError("It runs already.")
        if not self.document.get("bodies") and not self.document.get("parts"):
            raise InputError("There is nothing to run yet; draw a body.")
        told = dict(self.runner.play(self.model))
        self.playing = True
        self.revision += 1
        return {**told, "revision": self.revision}

    def rest(self) -> dict[str, object]:
        """Ends its run; what was edited meanwhile stays in the drawing."""
        if self.playing and self.runner is not None:
            self.runner.rest()
            self.playing = False
            self.revision += 1
        return {"revision": self.revision}

    def verified(self) -> dict[str, object]:
        """What the panel shows, with the doubts of `tb.check` about the compiled model."""
        found = dict(self.state.verify)
        problems = list(cast("list[object]", found["problems"]))
        try:
            checked = check(self.model)
        except TouchbackError as error:
            section, name = _subject(str(error))
            what = {"section": section, "name": name} if name else None
            if not any(cast(Item, each)["text"] == str(error) for each in problems):
                problems.append({"what": what, "text": str(error)})
            return {**found, "problems": problems, "rows": {}}
        for each in checked.warnings:
            if each.code not in ("singular-start", "no-freedom"):
                section = self.state._section_of(each.item) or _section(self.model, each.item)
                what = {"section": section, "name": each.item} if section else None
                problems.append({"what": what, "text": each.message})
        return {**found, "problems": problems, "rows": checked.rows}

    def item(self, section: str, name: str) -> object:
        """An item of the document, as the file has it."""
        if section == "model":
            gravity = self.document.get("gravity", [0, 0, -9.81])
            return {"name": self.document["name"], "gravity": gravity}
        items = self.document.get(section, {})
        if not isinstance(items, dict) or name not in items:
            known = items if isinstance(items, dict) else {}
            raise unknown_name(SINGULAR.get(section, section), name, known)
        return items[name]


_DO: dict[type, Any] = {
    messages.Undo: lambda drawing, asked: drawing.undo(),
    messages.Redo: lambda drawing, asked: drawing.redo(),
    messages.New: lambda drawing, asked: drawing.new(asked.space, asked.name),
    messages.Open: lambda drawing, asked: drawing.open(asked.file, asked.text, asked.classic),
    messages.Save: lambda drawing, asked: drawing.save(asked.file, asked.replace),
    messages.Files: lambda drawing, asked: {
        "files": drawing.files(),
        "classics": tb.gallery.CLASSICS,
    },
    messages.Text_: lambda drawing, asked: {"text": drawing.text(asked.format)},
    messages.ItemOf: lambda drawing, asked: {"item": drawing.item(asked.section, asked.name)},
    messages.Verify: lambda drawing, asked: drawing.verified(),
    messages.Play: lambda drawing, asked: drawing.play(),
    messages.Rest: lambda drawing, asked: drawing.rest(),
}


def _section(model: Model, name: str) -> str:
    known = ("bodies", "joints", "forces", "sensors", "parameters", "inputs", "contacts", "shapes")
    return next((each for each in known if name in getattr(model, each)), "")


def _defaults(before: Document, after: Document) -> dict[str, float]:
    """Parameters whose default became another, for a run that keeps their values otherwise."""
    old, new = before.get("parameters", {}), after.get("parameters", {})
    return {
        name: float(item["default"])
        for name, item in new.items()
        if name in old and item.get("default") != old[name].get("default")
    }


def _is_planar(state: DrawnState) -> bool:
    """Whether everything stays in the x–z plane, by the look of a few positions."""
    if not state.flat.bodies:
        return True
    draw, rows = np.random.default_rng(0), list[np.ndarray]()
    q = np.array(state.instant.at.q, dtype=float)
    for _ in range(3):
        instant = float_instant(state.flat, (q + draw.uniform(-1.0, 1.0, len(q))).tolist())
        rows.append(
            np.array(
                [
                    [float(instant.position(Frame(name))[1]),
                     *(float(row[1]) for row in instant.rotation(Frame(name)))]
                    for name in state.flat.bodies
                ]
            )
        )  # fmt: skip
    spread = np.ptp(np.array(rows), axis=0)
    return bool(spread.max(initial=0.0) < 1e-9)


def _plain_number(given: object) -> object:
    """Arrays and numbers of NumPy as JSON has them."""
    if isinstance(given, np.ndarray | np.generic):
        return given.tolist()
    raise TypeError(f"{shown(given)} is no number, text, list or table")


class _Addressed(msgspec.Struct):
    id: messages.Id = None
    change: str = ""


def _id_of(message: bytes) -> messages.Id:
    try:
        return msgspec.json.decode(message, type=_Addressed).id
    except NO_JSON:
        return None


def _unread(message: bytes, said: str) -> str:
    """Why a message can't be read, by the name of what was to be done."""
    try:
        change = msgspec.json.decode(message, type=_Addressed).change[:40]
    except NO_JSON:
        change = ""
    text = said.rstrip(".")
    text = text if len(text) <= 300 else f"{text[:299]}…"
    return f"The message {f'{change!r} ' if change else ''}can't be read: {text}."


__all__ = ["Drawing", "DrawnState", "Runner", "Version"]

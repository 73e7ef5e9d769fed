"""Edits of constraints while a mechanism runs (Wang 2011, §5): kinds and placements of joints,
loops that are closed and opened; it goes on from the same state. Kinds of joints have the words
that a page uses, and its inspector shows a joint or a loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, replace as replace_fields
from typing import cast

import numpy as np
from msgspec.structs import fields, replace

from touchback import Expr, Frame, JointKind, Model, PointInPlane, Rod
from touchback.errors import InputError, TouchbackError
from touchback.model import (
    AXES,
    GROUND,
    KINDS,
    MECHANICS,
    OPTIONS,
    Closure,
    ClosureKind,
    Joint,
    Translator,
    Value,
    axis_vector,
    frame_at,
    is_number,
    limit_names,
    make_joint,
    map_fields,
    rotation_to,
    turns_of,
)
from touchback.names import unknown_name
from touchback.realtime import Structure, follow, joints_of
from touchback.realtime.control import CommandServer
from touchback.realtime.control.control_messages import Facts
from touchback.spatial.euler_denavit_hartenberg import (
    SEQUENCES,
    DenavitHartenberg,
    check_sequence,
    denavit_hartenberg,
    euler_angles,
    turn_matrix,
)
from touchback.system import float_instant
from touchback.workbench.manipulate.joint_hold import add_hold, held_coordinates, remove_hold
from touchback.workbench.manipulate.manipulator_messages import Edit, Joint as JointMessage, Undo
from touchback.workbench.manipulate.state_snapshot import StateSnapshot, refuse_rows, take_snapshot
from touchback.workbench.manipulate.undo_history import EDIT, Change, Reshape

Axis = tuple[float, float, float]


PLANE, ROD = "point-in-plane", "rod"


JOINTS = tuple(KINDS["joints"])


LOOPS = tuple(  # joints that have equations close loops too
    word
    for word, kind in KINDS["joints"].items()
    if issubclass(kind, JointKind) and kind.equations is not JointKind.equations
)


_OTHER_WORDS = {
    "weld": "fixed", "ball": "spherical", "pin": "revolute", "distance": ROD,
    "pointinplane": PLANE, "plane": PLANE,
}  # fmt: skip


_SQUARE = 1e-9  # of a unit vector: what counts as along a coordinate axis


def word_of(kind: JointKind | ClosureKind) -> str:
    """What files and pages call a kind."""
    return str(kind.__struct_config__.tag)


def axis_of(kind: JointKind | ClosureKind) -> Axis | None:
    """The (first) axis of a kind in its own frame; None where it has none."""
    for word in ("axis", "first", "normal"):
        if hasattr(kind, word):
            x, y, z = map(float, axis_vector(getattr(kind, word)))
            return x, y, z
    return None


def tag_of(word: str) -> str:
    """The word of files for what somebody calls a kind: "Revolute", "Weld", "Ball"."""
    plain = word.lower()
    return _OTHER_WORDS.get(plain, plain)


def direction(axis: str | Axis | None) -> Axis | None:
    """A direction by its name, "x" or "-z", or by its components."""
    if axis is None or not isinstance(axis, str):
        return None if axis is None else _checked(axis)
    if axis.removeprefix("-") not in AXES:
        raise InputError(f"An axis is 'x', 'y', 'z' or a direction, got {axis!r}.")
    x, y, z = map(float, axis_vector(axis))
    return x, y, z


def joint_kind(word: str, axis: Axis | None, pitch: float, like: JointKind) -> JointKind:
    """A kind of joint by its word; its axis is that of the kind before, unless another is given
    (one along the same line is the same)."""
    if word not in JOINTS:
        raise unknown_name("kind of joint", word, JOINTS)
    own = axis_of(like)
    same = axis is not None and own is not None and abs(np.dot(axis, own)) > 1.0 - _SQUARE
    given = own if axis is None or same else axis  # its own sense too, so that coordinates go on
    return _make_kind(word, _axis_name(given or (0.0, 0.0, 1.0)), pitch)


def _make_kind(word: str, axis: str | Axis, pitch: float = 0.0) -> JointKind:
    kind = KINDS["joints"][word]
    has = {field.name for field in fields(kind)}
    given: dict[str, object] = {}
    if "axis" in has:
        given["axis"] = axis
    if "pitch" in has:
        given["pitch"] = pitch
    if "first" in has:
        given["first"], given["second"] = axis, _axis_name(_aside(axis))
    if "normal" in has:
        if not isinstance(axis, str):
            raise InputError(
                f"A {word} joint lies square to one of its frame's axes x, y, z; the axis "
                f"{tuple(round(x, 3) for x in axis)} is none of them."
            )
        given["normal"] = axis.removeprefix("-")
    return cast("JointKind", kind(**given))  # the table of joints holds no other kind


def loop_kind(word: str, axis: Axis | None) -> JointKind:
    """A kind of joint that closes a loop, with its axis in the frame of a."""
    if word not in LOOPS:
        raise unknown_name("kind of loop", word, (*LOOPS, PLANE, ROD))
    return _make_kind(word, _axis_name(axis or (0.0, 0.0, 1.0)))


def plane_of(axis: Axis) -> str:
    """The plane square to a coordinate axis."""
    word = _axis_name(axis)
    if not isinstance(word, str):
        raise InputError(
            "A point in a plane needs an axis along x, y or z, to which the plane is square; got "
            f"{tuple(round(x, 3) for x in axis)}."
        )
    return "xyz".replace(word.removeprefix("-"), "")


def _checked(axis: Axis) -> Axis:
    vector = np.array(axis, dtype=float)
    length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and 1e-9 < length < 1e9):
        raise InputError(f"An axis is a direction, three numbers that aren't all zero; got {axis}.")
    x, y, z = map(float, vector / length)
    return x, y, z


def _axis_name(axis: Axis) -> str | Axis:
    """A coordinate axis by its name, another as it is."""
    for word, place in AXES.items():
        if abs(abs(axis[place]) - 1.0) < _SQUARE:
            return word if axis[place] > 0.0 else f"-{word}"
    return axis


def _aside(axis: str | Axis) -> Axis:
    """A direction square to an axis."""
    x, y, z = map(float, rotation_to(axis_vector(axis))[:, 0])
    return x, y, z


def joint_facts(now: StateSnapshot, name: str) -> dict[str, object]:
    """A joint (or the joint that closes a loop) as plain data, where it is now."""
    model = now.system.model
    if name in model.joints:
        return {"joint": name, **_of_joint(now, name, model.joints[name])}
    if name in model.closures:
        return {"joint": name, **_of_loop(now, model.closures[name])}
    raise unknown_name("joint", name, [*model.joints, *model.closures])


def _of_joint(now: StateSnapshot, name: str, joint: Joint) -> dict[str, object]:
    names, places = joint.position_names(name), list(now.system.layout.q)
    rates, of_v = joint.velocity_names(name), list(now.system.layout.v)
    return {
        "loop": False,
        "kind": word_of(joint.kind),
        "kinds": list(JOINTS),
        "markers": [marker(now, joint.parent), marker(now, joint.child)],
        "axis": _axis(now, joint.kind, joint.parent),
        "coordinates": [
            {"name": each, "unit": unit, "value": float(now.q[places.index(each)])}
            for each, unit in zip(names, joint.kind.position_units(), strict=True)
        ],
        "rates": [
            {"name": each, "unit": unit, "value": float(now.v[of_v.index(each)])}
            for each, unit in zip(rates, joint.kind.velocity_units(), strict=True)
        ],
        "limits": [[now.value(end) for end in pair] for pair in joint.limits],
        "friction": [now.value(each) for each in joint.friction],
        "damping": [now.value(each) for each in joint.damping],
    }


def _of_loop(now: StateSnapshot, closure: Closure) -> dict[str, object]:
    here = [marker(now, closure.a), marker(now, closure.b)]
    return {
        "loop": True,
        "active": closure.active,
        "kind": word_of(closure.kind),
        "kinds": [*LOOPS, PLANE, ROD],
        "markers": here,
        "axis": _axis(now, closure.kind, closure.a),
        "coordinates": [],
        "rates": [],
        "limits": [],
        "friction": [],
        "damping": [],
    }


def marker(now: StateSnapshot, frame: Frame) -> dict[str, object]:
    """A frame in the world: its body, where its origin is [m], and its rotation matrix."""
    R, p = pose_of(now, frame)
    return {"body": frame.body, "at": p.tolist(), "rotation": R.tolist()}


def pose_of(now: StateSnapshot, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF_W."""
    R, p = now.system.pose(frame, now.q, t=now.t, z=now.z, parameters=now.varied)
    return R, p


def _axis(now: StateSnapshot, kind: JointKind | ClosureKind, frame: Frame) -> list[float] | None:
    """The axis of a kind in the world."""
    own = axis_of(kind)
    if own is None:
        return None
    found: list[float] = (pose_of(now, frame)[0] @ np.array(own)).tolist()
    return found


Rests = list[str]  # forces and sensors that an edit leaves without something to act on


_FAR = 1e9  # rad or m: a limit that is none


class Edits:
    """Edits of a run's structure."""

    def __init__(self, commands: CommandServer, reshape: Reshape) -> None:
        self._commands, self._reshape = commands, reshape
        self._makers: dict[str, Callable[[Edit, Rests], Change]] = {
            "kind": self._kind, "weld": self._weld, "free": self._free, "limits": self._limits,
            "friction": self._friction, "placement": self._placement,
            "add loop": self._close, "remove loop": self._open,
        }  # fmt: skip

    def edit(self, asked: Edit, client: str) -> Facts:
        """Makes an edit."""
        refuse_rows(self._commands.live.system)
        for name in {asked.joint, asked.loop} - {""} or {""}:  # whichever of them it changes
            self._commands.check("structure", name)
        live = self._commands.live
        ties = asked.change == "add loop" or asked.joint in live.system.model.closures
        rests = ties and live.spec.speed is not None  # one without a clock rests between its runs
        with self._reshape.lock, live.resting() if rests else nullcontext():
            left: Rests = []
            change = self._makers[asked.change](asked, left)
            facts = self._reshape.add(change)
        return {"words": change.words, **facts, "rests": sorted(set(left))}

    def undo(self, asked: Undo, client: str) -> Facts:
        """Takes the last edit or law back; one that can't be is named, and may be let be."""
        with self._reshape.lock:
            last = self._reshape.last(EDIT)
            self._commands.check("structure", last.name)
            if asked.skip:
                return {"words": f"stays: {last.words}", **self._reshape.keep()}
            try:
                facts = self._reshape.take_back(EDIT)[1]
            except TouchbackError as error:
                raise InputError(
                    f'The edit "{last.words}" can\'t be taken back now. {error} Or let it be '
                    "(`undo` with `skip`): it stays, and edits before it can be taken back."
                ) from error
        return {"words": f"without: {last.words}", **facts, "rests": []}

    def joint(self, asked: JointMessage, client: str) -> Facts:
        """What can be seen of a joint."""
        refuse_rows(self._commands.live.system)
        facts = joint_facts(take_snapshot(self._commands.live), asked.joint)
        placed = asked.placement and not facts["loop"]
        return {**facts, **({"placement": self._placing().facts(asked.joint)} if placed else {})}

    # ---- joints ---------------------------------------------------------------------------------

    def _kind(self, asked: Edit, rests: Rests, word: str | None = None) -> Change:
        name, model = asked.joint or asked.loop, self._commands.live.system.model
        tag, axis = word or tag_of(asked.kind), direction(asked.axis)
        if name in model.closures:
            return self._loop_kind(name, tag, axis)
        if name not in model.joints:
            raise unknown_name("joint", name, [*model.joints, *model.closures])

        now = take_snapshot(self._commands.live)
        stood = {**now.parameters, **dict(zip(now.system.layout.q, map(float, now.q)))}

        def alter(model: Model) -> None:
            like = model.joints[name].kind
            rests.extend(rejoin(model, name, joint_kind(tag, axis, asked.pitch, like), stood))

        return Change(EDIT, name, f"joint '{name}' {tag}", alter, key=("kind", name))

    def _weld(self, asked: Edit, rests: Rests) -> Change:
        return self._kind(asked, rests, "fixed")

    def _free(self, asked: Edit, rests: Rests) -> Change:
        if asked.joint in self._commands.live.system.model.closures:
            return self._open(asked, rests)
        return self._kind(asked, rests, "free")

    def _limits(self, asked: Edit, rests: Rests) -> Change:
        """Parameters of the run where it has limits already; else another structure has them."""
        now, name = take_snapshot(self._commands.live), asked.joint
        low = -_FAR if asked.low is None else asked.low
        high = _FAR if asked.high is None else asked.high
        self._check_coordinate(asked)
        joint = now.system.model.joints[name]
        full = joint.position_names(name)[asked.coordinate]
        q = float(now.q[list(now.system.layout.q).index(full)])
        if joint.kind.nq == joint.kind.nv and not low <= q <= high:
            raise InputError(
                f"Joint '{name}': '{full}' is {q:.4g} now, outside of {_span(low, high)}; its "
                "stop would throw it back. Bring it there first, or give wider limits."
            )
        names = limit_names(full)
        if joint.limits and set(names) <= set(now.parameters):
            was = {each: now.parameters[each] for each in names}
            values = dict(zip(names, (low, high), strict=True))
            if low > was[names[1]]:
                values = dict(reversed(values.items()))  # never one beyond the other
            return Change(
                EDIT, name, f"limits of '{full}'", lambda model: None, sets=values,
                was=dict(reversed(was.items())) if was[names[0]] > high else was,
            )  # fmt: skip
        return self._option(asked, "limits", (low, high), (-_FAR, _FAR))

    def _friction(self, asked: Edit, rests: Rests) -> Change:
        return self._option(asked, "friction", asked.value, 0.0)

    def _option(self, asked: Edit, word: str, given: object, nothing: object) -> Change:
        """Another number for one coordinate of a joint."""
        name, index = asked.joint, asked.coordinate
        self._check_coordinate(asked)

        def alter(model: Model) -> None:
            joint = model.joints[name]
            own = list(getattr(joint, word)) or [nothing] * joint.kind.nv
            if index < len(own):  # else one of another kind, which it was for a while
                own[index] = given
                told = () if all(each == nothing for each in own) else tuple(own)
                changed = with_options(name, joint, {word: told})
                model.joints[name] = model.with_live_limits(name, changed)

        return Change(EDIT, name, f"{word} of '{name}'", alter, key=(f"{word} {index}", name))

    def _placement(self, asked: Edit, rests: Rests) -> Change:
        name, frame = asked.joint, self._placing().frame(asked)

        def alter(model: Model) -> None:
            model.joints[name] = replace(model.joints[name], parent=frame)

        return Change(EDIT, name, f"placement of '{name}'", alter, key=("placement", name))

    def _placing(self) -> JointPlacement:
        return JointPlacement(self._reshape.model(), take_snapshot(self._commands.live))

    def _check_coordinate(self, asked: Edit) -> None:
        name, joints = asked.joint, self._commands.live.system.model.joints
        if name not in joints:
            raise unknown_name("joint", name, joints)
        count = joints[name].kind.nv
        if asked.coordinate >= count:
            raise InputError(
                f"Joint '{name}': it has {count} coordinate(s), numbered from 0; there is none "
                f"numbered {asked.coordinate}."
            )

    # ---- loops ----------------------------------------------------------------------------------

    def _loop_kind(self, name: str, tag: str, axis: Axis | None) -> Change:
        now = take_snapshot(self._commands.live)
        old = now.system.model.closures[name]
        own = axis_of(old.kind)
        if axis is None and own is not None:
            x, y, z = map(float, pose_of(now, old.a)[0] @ np.array(own))
            axis = x, y, z
        loop = make_closure(now, tag, old.a, old.b, axis)

        def alter(model: Model) -> None:
            open_loop(model, name)
            model.close(name, loop.kind, loop.a, loop.b)

        return Change(EDIT, name, f"loop '{name}' {tag}", alter, key=("kind", name))

    def _close(self, asked: Edit, rests: Rests) -> Change:
        name, loop = asked.loop, new_loop(take_snapshot(self._commands.live), asked)
        words = f"loop '{name}' between '{loop.a.body}' and '{loop.b.body}'"
        return Change(EDIT, name, words, lambda model: model.close(name, loop.kind, loop.a, loop.b))

    def _open(self, asked: Edit, rests: Rests) -> Change:
        name = asked.loop or asked.joint
        check_tie(self._commands.live.system.model, name)
        return Change(
            EDIT, name, f"no loop '{name}'", lambda model: rests.extend(open_loop(model, name))
        )


def _span(low: float, high: float) -> str:
    """Limits in words; an end that is far off is none."""
    if low <= -_FAR:
        return f"everything up to {high:g}"
    return f"{low:g} and more" if high >= _FAR else f"{low:g} to {high:g}"


SECTIONS = ("closures", "couplings", "constraints", "drives")


def new_loop(now: StateSnapshot, asked: Edit) -> Closure:
    """A loop between a point of body a and body b, which is closed as they are now."""
    if asked.a is None or asked.b is None:
        raise InputError(f"Loop '{asked.loop}': it ties two bodies; give `a` and `b`.")
    for place in (asked.a, asked.b):
        if place.body != GROUND and place.body not in now.system.model.bodies:
            raise unknown_name("body", place.body, [GROUND, *now.system.model.bodies])
    if asked.a.body == asked.b.body:
        raise InputError(
            f"Loop '{asked.loop}': it ties '{asked.a.body}' to itself; name two bodies."
        )
    a, b = (Frame(place.body, place.at) for place in (asked.a, asked.b))
    return make_closure(now, tag_of(asked.kind), a, b, direction(asked.axis))


def make_closure(now: StateSnapshot, word: str, a: Frame, b: Frame, axis: Axis | None) -> Closure:
    """A closure of a kind from frame a to b's body, at a's origin (a rod: to b's origin); its
    axis is given along the world's axes."""
    R_Wa, p_Wa = pose_of(now, a)
    if word == ROD:
        length = float(np.linalg.norm(pose_of(now, b)[1] - p_Wa))
        return Closure(Rod(length), a, b)
    R_Wb, p_Wb = now.pose(b.body)
    x, y, z = map(float, R_Wb.T @ (p_Wa - p_Wb))
    if word == PLANE:  # along the axes of the closest common body, as a rule the ground
        across = _across(now, a.body, b.body) if axis is None else axis
        return Closure(PointInPlane(plane_of(across)), a, Frame(b.body, (x, y, z)))
    own = _turned(R_Wa.T, _usual_axis(now, a.body, b.body) if axis is None else axis)
    turn = tuple((about, now.value(angle)) for about, angle in turns_of((R_Wb.T @ R_Wa).tolist()))
    return Closure(loop_kind(word, own), a, Frame(b.body, (x, y, z), turn))


def _usual_axis(now: StateSnapshot, *bodies: str) -> Axis:
    """The axis that a loop has when nobody says: square to the plane of a planar mechanism."""
    try:
        return _across(now, *bodies)
    except InputError:
        return 0.0, 0.0, 1.0


def _across(now: StateSnapshot, *bodies: str) -> Axis:
    """The world's axis along which bodies can't move: that of a mechanism in a plane."""
    moves = np.zeros(3)
    for body in bodies:
        if body != GROUND:
            J = now.point_jacobian(body, np.zeros(3))
            moves = np.maximum(moves, np.abs(J).max(axis=1, initial=0.0))
    still = np.flatnonzero(moves < 1e-9)
    if not still.size:
        raise InputError(
            f"{' and '.join(repr(body) for body in bodies)} move in all directions; give the axis "
            "to which the plane is square, or another kind."
        )
    x, y, z = np.eye(3)[1 if 1 in still else still[0]].tolist()
    return x, y, z


def _turned(R: np.ndarray, axis: Axis) -> Axis:
    x, y, z = map(float, R @ np.array(axis))
    return x, y, z


def check_tie(model: Model, name: str) -> str:
    """The section of a constraint that may be taken away; refused where there is none."""
    for section in SECTIONS:
        if name in getattr(model, section):
            return section
    raise unknown_name(
        "loop", name, [key for section in SECTIONS for key in getattr(model, section)]
    )


def open_loop(model: Model, name: str) -> list[str]:
    """Takes a constraint away, and sensors of its forces; gives their names."""
    section = check_tie(model, name)
    rows = set(model.constraint_rows()[name])
    del getattr(model, section)[name]
    rests = [
        key
        for key, sensor in model.sensors.items()
        if getattr(sensor, "row", None) in rows or getattr(sensor, "joint", None) == name
    ]
    for key in rests:
        del model.sensors[key]
    if model.reported is not None:
        model.reported = tuple(key for key in model.reported if key not in rests)
    return rests


Pose = tuple[np.ndarray, np.ndarray]  # rotation matrix and position


@dataclass(frozen=True)
class JointPlacement:
    """A model as it is described, without what a run froze into it, and where the run is."""

    model: Model
    now: StateSnapshot

    def facts(self, name: str) -> dict[str, object]:
        """The placement of a joint in every way to write it."""
        self._check(name)
        R, p = self._pose(self.model.joints[name].parent)
        found = self._from_before(name)
        return {
            "at": p.tolist(),
            "angles": {sequence: euler_angles(sequence, R) for sequence in SEQUENCES},
            "parameters": [found.a, found.alpha, found.d, found.theta],
            "before": self._before(name) or GROUND,
        }

    def frame(self, asked: Edit) -> Frame:
        """The frame on the carrying body that an edit asks for."""
        name = asked.joint
        self._check(name)
        joint = self.model.joints[name]
        body = joint.parent.body
        if asked.by == "euler":
            check_sequence(asked.sequence)
            turn = list(zip(asked.sequence, asked.angles, strict=True))
            return frame_at(body, *asked.at, turn)
        a, alpha, d, theta = asked.parameters
        wanted = replace_fields(self._from_before(name), a=a, alpha=alpha, d=d, theta=theta)
        R_before, p_before = self._axis_before(name)
        R, p = wanted.pose()
        R = R_before @ R @ _to_axis(joint.kind).T
        turn = list(zip("xyz", euler_angles("xyz", R), strict=True))
        x, y, z = map(float, p_before + R_before @ p)
        return frame_at(body, x, y, z, turn)

    def _check(self, name: str) -> None:
        if name not in self.model.joints:
            raise unknown_name("joint", name, self.model.joints)

    def _before(self, name: str) -> str | None:
        """The joint that carries the body on which a joint sits; None on the ground."""
        body, joints = self.model.joints[name].parent.body, self.model.joints
        return next((n for n, each in joints.items() if each.child.body == body), None)

    def _from_before(self, name: str) -> DenavitHartenberg:
        joint = self.model.joints[name]
        R, p = self._pose(joint.parent)
        R_before, p_before = self._axis_before(name)
        own = R @ _to_axis(joint.kind)
        return denavit_hartenberg(R_before.T @ own, R_before.T @ (p - p_before))

    def _axis_before(self, name: str) -> Pose:
        """The frame on the carrying body whose z axis is the axis before."""
        before = self._before(name)
        if before is None:
            return np.eye(3), np.zeros(3)
        joint = self.model.joints[before]
        R, p = self._pose(joint.child)
        return R @ _to_axis(joint.kind), p

    def _pose(self, frame: Frame) -> Pose:
        """A frame in its body."""
        R = np.eye(3)
        for axis, angle in frame.turn:
            R = R @ turn_matrix(AXES[axis], self._value(angle))
        return R, np.array([self._value(x) for x in frame.at])

    def _value(self, given: Value) -> float:
        if is_number(given):
            return float(given)
        return float(float_instant(self.model, self.now.q, self.now.parameters).value(given))


def _to_axis(kind: JointKind) -> np.ndarray:
    """A rotation whose third column is the kind's axis; none where it has no axis."""
    axis = axis_of(kind)
    return np.eye(3) if axis is None else rotation_to(np.array(axis))


_PER_COORDINATE = ("spring", "rest", "damping", "friction", "armature", "limits")


def rejoin(model: Model, name: str, kind: JointKind, stood: Mapping[str, float]) -> list[str]:
    """Gives a joint of a (copied) model another kind.

    What its coordinates were told to do goes on with those that stay. Where one vanishes, what acts
    in it rests (an effort in a rigid joint does nothing), and laws that read it see where it
    `stood`, at rest. Gives the names of forces and sensors that rest; couplings and drives are
    refused."""
    held = remove_hold(model)
    before = _before(model)
    old = model.joints[name]
    model.joints[name] = Joint(kind, old.parent, old.child)
    goes_on = follow(joints_of(before), model, lambda source: 0.0)
    kept = _matching_coordinates(name, old, kind, goes_on)
    model.joints[name] = _with_options(name, old, kind, kept)
    _refuse_ties(model, name, old, kept)
    rests = _move_efforts(model, name, kept)
    _rename(model, name, old, goes_on, stood)
    if held is not None and held_coordinates(model):
        add_hold(model, held)
    return rests


def _before(model: Model) -> Model:
    """The model with joints of its own."""
    other = copy(model)
    other.joints = dict(model.joints)
    return other


def with_options(name: str, joint: Joint, changes: Mapping[str, object]) -> Joint:
    """A joint with some options changed, all checked."""
    own = {word: getattr(joint, word) for word in OPTIONS if getattr(joint, word) not in ((), None)}
    given = {word: item for word, item in {**own, **changes}.items() if item not in ((), None)}
    return make_joint(name, joint.kind, joint.parent, joint.child, given)


def _matching_coordinates(
    name: str, old: Joint, kind: JointKind, goes_on: Structure
) -> dict[int, int]:
    """Which velocity coordinate of the new kind goes on with which one of the old, by place."""
    new = Joint(kind, old.parent, old.child)
    places = {full: i for i, full in enumerate(old.velocity_names(name))}
    return {
        i: places[goes_on.velocities[full]]
        for i, full in enumerate(new.velocity_names(name))
        if goes_on.velocities.get(full) in places
    }


def _with_options(name: str, old: Joint, kind: JointKind, kept: dict[int, int]) -> Joint:
    """The new joint with what was said of coordinates that go on."""
    changes: dict[str, object] = {}
    plain = kind.nq == kind.nv
    for word in _PER_COORDINATE:
        own = getattr(old, word)
        if not own or not kept or (word in ("spring", "rest", "limits") and not plain):
            continue
        nothing: object = (-1e9, 1e9) if word == "limits" else 0.0
        changes[word] = [own[kept[i]] if i in kept else nothing for i in range(kind.nv)]
    if "limits" in changes and old.stop is not None:
        changes["stop"] = old.stop
    changes["friction_speed"] = old.friction_speed
    return make_joint(name, kind, old.parent, old.child, changes)


def _refuse_ties(model: Model, name: str, old: Joint, kept: dict[int, int]) -> None:
    """Couplings, drives and servo-constraints name coordinates that must be there."""
    gone = old.kind.nv > 0 and (
        len(kept) < old.kind.nv or any(new != place for new, place in kept.items())
    )
    if not gone:
        return
    tied = [
        *(f"coupling '{key}'" for key, each in model.couplings.items()
          if any(joint.partition(".")[0] == name or joint == name for joint, _, _ in each.terms())),
        *(f"drive '{key}'" for key, each in model.drives.items() if each.joint == name),
        *(f"constraint '{key}'" for key, each in model.constraints.items()
          if each.through and each.through[0] == name),
    ]  # fmt: skip
    if tied:
        raise InputError(
            f"Joint '{name}': {', '.join(tied)} needs its coordinates as they are; take that away "
            "first."
        )


def _move_efforts(model: Model, name: str, kept: dict[int, int]) -> list[str]:
    """Efforts and their sensors at coordinates that go on; those of others rest."""
    places, rests = {old: new for new, old in kept.items()}, []
    for section in ("forces", "sensors"):
        items = getattr(model, section)
        for key, item in list(items.items()):
            if getattr(item, "joint", None) != name or not hasattr(item, "index"):
                continue
            if item.index in places:
                items[key] = replace(item, index=places[item.index])
            else:
                rests.append(key)
                del items[key]
    if model.reported is not None:
        model.reported = tuple(key for key in model.reported if key not in rests)
    return rests


def _rename(
    model: Model, name: str, old: Joint, goes_on: Structure, stood: Mapping[str, float]
) -> None:
    """Expressions read a coordinate under its new name, or where it stood."""
    new_q = {source.name: full for full, source in goes_on.positions.items()}
    new_v = {was: full for full, was in goes_on.velocities.items()}
    tape = model.tape
    found: dict[str, int] = {}
    for full in old.position_names(name):
        number = tape.const(stood.get(full, 0.0))
        found[f"q:{full}"] = tape.symbol(f"q:{new_q[full]}") if full in new_q else number
    for full in old.velocity_names(name):
        found[f"v:{full}"] = tape.symbol(f"v:{new_v[full]}") if full in new_v else 0

    def resolve(symbol: Hashable) -> int:
        known = found.get(str(symbol))
        return tape.symbol(symbol) if known is None else known

    translate = Translator(tape, tape, resolve)

    def expression(given: Expr) -> Expr:
        return Expr(tape, translate(given.id))

    for section in (*MECHANICS, "states", "controls", "modes", "transitions"):
        items = getattr(model, section)
        for key, item in items.items():
            items[key] = map_fields(item, expression, lambda frame: frame, lambda joint: joint)

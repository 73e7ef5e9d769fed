"""Components of a Modelica package: joints (the class of each kind, its frames, axes and start),
closures of loops (a class for each, of elementary rows with a multiplier each), bodies with their
weights, and forces (a class for each, with a port for every body that it measures or pushes)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback import (
    Cylindrical,
    Fixed,
    Free,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from touchback.dynamics.floats import float_instant
from touchback.dynamics.instant import Instant
from touchback.dynamics.loop_closures import common_link
from touchback.errors import InputError
from touchback.interop.modelica.modelica_text import Names, Texts, numbers, texts
from touchback.interop.modelica.package_sheet import Push, Sheet, component, described, vector
from touchback.model.closure_equations import (
    Along,
    Apart,
    DiscOnPlane,
    Equation,
    Grip,
    Meet,
    Square,
    Still,
)
from touchback.model.closures import Closure
from touchback.model.frame import AXES, GROUND
from touchback.model.joints.base import axis_vector

_KINDS = (
    Revolute, Prismatic, Cylindrical, Screw, Universal, Planar, Spherical, Free, Fixed
)  # fmt: skip


def add_joints(sheet: Sheet) -> None:
    """All joints, each between the body that it carries and the one that carries it."""
    q, v = 0, len(sheet.system.layout.q)
    for name, joint in sheet.model.joints.items():
        label, kind = f"joint '{name}'", joint.kind
        given = [
            *sheet.frame(label, joint.parent, "A"), *sheet.frame(label, joint.child, "B"),
            *_axes(sheet, label, kind),
        ]  # fmt: skip
        for word, place, count in (("q", q, kind.nq), ("v", v, kind.nv)):
            if count:
                start = numbers(sheet.start[place : place + count])
                given.append(f"{word}(start = {start}, each fixed = true)")
        q, v = q + kind.nq, v + kind.nv
        _place(sheet, name, component(type(kind).__name__, sheet.joint(name), given))


def _place(sheet: Sheet, name: str, declaration: str) -> None:
    joint, lines, owner = sheet.model.joints[name], sheet.lines, sheet.joint(name)
    parent, child = joint.parent.body, sheet.body(joint.child.body)
    lines.declarations.append(declaration)
    lines.connect(f"{sheet.body(parent)}.K", f"{owner}.A")
    lines.connect(f"{owner}.B", f"{child}.K")
    lines.connect(f"{child}.J", f"{owner}.W_B")
    if parent != GROUND:
        lines.acting[parent].append(f"{owner}.W_A")


def _axes(sheet: Sheet, label: str, kind: JointKind) -> list[str]:
    """The arguments that say how a joint moves."""
    match kind:
        case Revolute() | Prismatic() | Cylindrical():
            return [f"n = {numbers(axis_vector(kind.axis))}"]
        case Screw():
            pitch = sheet.constant(label, [kind.pitch])[0]
            return [f"n = {numbers(axis_vector(kind.axis))}", f"pitch = {pitch}"]
        case Universal():
            first, second = axis_vector(kind.first), axis_vector(kind.second)
            return [f"n = {numbers(first)}", f"n_2 = {numbers(second)}"]
        case Planar():
            i, E = AXES[kind.normal], np.eye(3)
            words = ("n", "n_1", "n_2")
            return [f"{word} = {numbers(E[(i + k) % 3])}" for k, word in enumerate(words)]
        case Spherical() | Free() | Fixed():
            return []
    raise InputError(
        f"modelica: {label} is a {type(kind).__name__}, which has no class there; joints are "
        f"{', '.join(each.__name__ for each in _KINDS)}."
    )


_BETWEEN = "d = d, d_v = d_v, d_a = d_a"


_ALONG_A = f"w = A.w, e = A.e, {_BETWEEN}"


_TURNING = "w_A = A.w, w_B = B.w, e_A = A.e, e_B = B.e"


_SAME = 1e-9  # how far a normal may turn by rounding


@dataclass(frozen=True)
class _Row:
    """A row of a closure: its component, and what its multiplier does to B at P."""

    declaration: str
    force: str = ""
    moment: str = ""


def add_closures(sheet: Sheet) -> None:
    """A class and a component for each active closure, without rows that add nothing."""
    rows = sheet.model.constraint_rows()
    for name, closure in sheet.model.closures.items():
        kept = {row: i + 1 for i, row in enumerate(rows[name]) if row not in sheet.redundant}
        if closure.active and kept:
            _add(sheet, name, closure, list(kept.values()))


def _add(sheet: Sheet, name: str, closure: Closure, kept: Sequence[int]) -> None:
    lines, owner, label = sheet.lines, sheet.names.of("closure", name, True), f"closure '{name}'"
    called = sheet.names.fresh(owner[0].upper() + owner[1:])
    equations = closure.kind.equations()
    axes = _common_axes(sheet, label, closure) if Meet in map(type, equations) else np.eye(3)
    names = sheet.model.constraint_rows()[name]
    acting = {i: sheet.acts(names[i - 1]) for i in kept}
    switched = {i: acts for i, acts in acting.items() if acts != "true"}
    rows = [_switchable(_row(equations[i - 1], i, axes), i, i in switched) for i in kept]
    declared, sizes = _size(sheet, label, equations)
    declared += [f"input Boolean acts_{i};" for i in switched]
    sizes += [f"acts_{i} = {acts}" for i, acts in switched.items()]
    lines.classes.append("\n".join(_class(called, described(closure.kind), declared, rows)))
    given = [*sheet.frame(label, closure.a, "A"), *sheet.frame(label, closure.b, "B")]
    lines.declarations.append(component(called, owner, [*given, *sizes, "alpha = alpha"]))
    for letter, frame in (("A", closure.a), ("B", closure.b)):
        lines.connect(f"{sheet.body(frame.body)}.K", f"{owner}.{letter}")
        if frame.body != GROUND:
            lines.acting[frame.body].append(f"{owner}.W_{letter}")


def _switchable(row: _Row, i: int, switched: bool) -> _Row:
    """A row that acts in some modes only is told so."""
    if not switched:
        return row
    return replace(row, declaration=f"{row.declaration[:-1]}, acts = acts_{i})")


def _row(equation: Equation, i: int, axes: np.ndarray) -> _Row:
    row = f"row_{i}"
    pulls = f"{row}.lambda*{row}.s"
    match equation:
        case Meet(axis):
            s = numbers(axes[:, axis])
            return _Row(f"Along {row}(alpha = alpha, s = S_A*{s}, {_ALONG_A})", pulls)
        case Along(direction):
            s = numbers(direction)
            return _Row(f"Along {row}(alpha = alpha, s = S_A*{s}, {_ALONG_A})", pulls)
        case Square(of_a, of_b):
            given = f"s = S_A*{numbers(of_a)}, t = S_B*{numbers(of_b)}"
            turned = f"{row}.lambda*cross({row}.t, {row}.s)"
            return _Row(f"Square {row}(alpha = alpha, {given}, {_TURNING})", "", turned)
        case Apart():
            given = f"length = length, {_BETWEEN}"
            return _Row(f"Apart {row}(alpha = alpha, {given})", f"{row}.lambda/length*d")
        case Still(direction):
            given = f"s = S_B*{numbers(direction)}, w_A = A.w, w_B = B.w, e_A = A.e"
            return _Row(f"Still {row}(alpha = alpha, {given}, {_BETWEEN})", pulls)
        case DiscOnPlane():
            return _on_rim("Kept", row, "rim.n", "x = rim.height, ")
        case Grip(_, direction):
            return _on_rim("KeptRate", row, f"(S_A*{numbers(direction)})")


def _on_rim(kind: str, row: str, s: str, height: str = "") -> _Row:
    """The lowest point of a disc doesn't move along s."""
    rates = f"x_v = {s}*rim.slip, x_a = {s}*rim.slip_a + cross(A.w, {s})*rim.slip"
    declaration = f"{kind} {row}(alpha = alpha, {height}{rates})"
    return _Row(declaration, f"{row}.lambda*{s}", f"{row}.lambda*cross(rim.c, {s})")


def _size(sheet: Sheet, label: str, equations: Sequence[Equation]) -> tuple[list[str], list[str]]:
    """What a class declares besides its rows, and the arguments that it takes for that."""
    for equation in equations:
        match equation:
            case Apart(length):
                declared = ['parameter Real length(unit = "m");']
                return declared, [f"length = {sheet.constant(label, [length])[0]}"]
            case DiscOnPlane(radius, axis, normal):
                turns = f"n = S_A*{numbers(normal)}, t = S_B*{numbers(axis)}, {_TURNING}"
                declared = [
                    'parameter Real radius(unit = "m");',
                    f"Rim rim(radius = radius, {turns}, {_BETWEEN});",
                ]
                return declared, [f"radius = {sheet.constant(label, [radius])[0]}"]
    return [], []


def _class(called: str, kind: str, declared: Sequence[str], rows: Sequence[_Row]) -> Iterator[str]:
    yield f'  model {called} "{kind}"'
    yield "    extends Closure;"
    yield from (f"    {line}" for line in declared)
    yield from (f"    {row.declaration};" for row in rows)
    yield "  equation"
    for word, parts in (("F_B", [x.force for x in rows]), ("M_B", [x.moment for x in rows])):
        yield f"    {word} = {' + '.join(filter(None, parts)) or 'zeros(3)'};"
    yield f"  end {called};"


def _common_axes(sheet: Sheet, label: str, closure: Closure) -> np.ndarray:
    """The axes of the closest common body, along which points meet, as A's frame sees them at the
    start. Where points meet in all three, any others are as good; else the one that is left out has
    to stay one of A."""
    count = len(sheet.system.layout.q)
    here = _seen(sheet, closure, sheet.start[:count])
    meets = {x.axis for x in closure.kind.equations() if isinstance(x, Meet)}
    stir = np.random.default_rng(0).uniform(-1.0, 1.0, count)
    there = _seen(sheet, closure, sheet.start[:count] + stir)
    for axis in {0, 1, 2} - meets:
        if np.abs(here[:, axis] - there[:, axis]).max() > _SAME:
            raise InputError(
                f"modelica: {label} lets points meet in a plane that turns against body "
                f"'{closure.a.body}'; close it by tb.PointOnPlane, tb.PointOnLine or "
                "tb.Spherical."
            )
    return here


def _seen(sheet: Sheet, closure: Closure, q: np.ndarray) -> np.ndarray:
    """R of the common body's axes in A's frame."""
    instant: Instant = float_instant(sheet.model, q)
    a, b = instant.attachment(closure.a).link, instant.attachment(closure.b).link
    common = common_link(instant.tree, a, b)
    R_A = np.array(instant.rotation(closure.a), dtype=float)
    R_C = np.array(instant.link_pose(common)[0], dtype=float)
    return R_A.T @ R_C


def add_bodies(sheet: Sheet) -> None:
    """Bodies, once everything that acts on them is known, and what pulls them down."""
    lines = sheet.lines
    gravity = ", ".join(sheet.text(node) for node in sheet.instant.gravity())
    for name, body in sheet.model.bodies.items():
        label, owner = f"body '{name}'", sheet.body(name)
        weight = sheet.names.of("weight", name, True)
        m = sheet.constant(label, [body.mass])[0]
        c = vector(sheet.constant(label, body.com))
        rows = vector([vector(sheet.constant(label, row)) for row in body.tensor()])
        ports = [f"{weight}.W", *lines.acting[name]]
        lines.declarations += [
            f"RigidBody {owner}(m = {m}, c = {c}, I = {rows}, n = {len(ports)});",
            f"Weight {weight}(m = {m}, c = {c}, g = {{{gravity}}});",
        ]
        lines.connect(f"{owner}.K", f"{weight}.K")
        for i, port in enumerate(ports):
            lines.connect(port, f"{owner}.W[{i + 1}]")


def add_forces(sheet: Sheet) -> None:
    """A class and a component for each force that pushes bodies; efforts are in the joints."""
    if sheet.instant.fluids:
        names = [x for x, kind in sheet.model.forces.items() if kind.carries(
            sheet.tape, sheet.instant.value)]  # fmt: skip
        raise InputError(
            f"modelica: force '{names[0]}' lets fluid move along with its body, which a rigid body "
            "there has no inertia for; take tb.Drag and tb.Buoyancy."
        )
    for name in sheet.model.forces:
        pushes = sheet.instant.applied_wrenches(name)
        if pushes:
            _Force(sheet, name, pushes).add()


class _Force:
    """A force's class, whose variables are its own: ports by letters, and what else it uses."""

    def __init__(self, sheet: Sheet, name: str, pushes: list[Push]) -> None:
        self.sheet, self.name, self.pushes = sheet, name, pushes
        self.own = Names(["s"])
        self.ports: dict[str, str] = {}  # letters of bodies' components
        self.used: dict[str, str] = {}  # own names of other symbols

    def add(self) -> None:
        sheet, lines = self.sheet, self.sheet.lines
        written = texts(sheet.tape, list(self._nodes()), self._symbol)
        owner = sheet.names.of("force", self.name, True)
        given = [f"{own} = {name}" for name, own in self.used.items()]
        called = sheet.names.fresh(owner[0].upper() + owner[1:])
        lines.classes.append("\n".join(self._class(called, written)))
        lines.declarations.append(component(called, owner, given))
        for body, letter in self.ports.items():
            lines.connect(f"{body}.K", f"{owner}.{letter}")
        for i, push in enumerate(self.pushes):
            if push.body != GROUND:
                lines.acting[push.body].append(f"{owner}.W_{i + 1}")

    def _nodes(self) -> Iterator[int]:
        for push in self.pushes:
            for part in (push.point, push.force, push.torque):
                yield from (int(node) for node in part)

    def _symbol(self, symbol: Hashable) -> str:
        """A variable of the model as the class calls it."""
        name = str(symbol)
        body, port, rest = name.partition(".K.")
        if port:
            if body not in self.ports:
                self.ports[body] = self.own.fresh("ABCDEFGHIJKLMNOPQRSTUVXYZ"[len(self.ports)])
            return f"{self.ports[body]}.{rest}"
        if name == "time":
            return name
        if name not in self.used:
            self.used[name] = self.own.fresh(name)
        return self.used[name]

    def _class(self, called: str, written: Texts) -> Iterator[str]:
        parameters = set(self.sheet.parameters.values())
        yield f'  model {called} "{described(self.sheet.model.forces[self.name])}"'
        for name, own in self.used.items():
            yield f"    {'parameter' if name in parameters else 'input'} Real {own};"
        for letter in self.ports.values():
            yield f"    input KinematicPort {letter};"
        for i, push in enumerate(self.pushes):
            yield f'    output WrenchPort W_{i + 1} "on {self.sheet.body(push.body)}";'
        if written.shared:
            yield f"    Real {', '.join(written.shared)};"
        yield "  equation"
        yield from (f"    {name} = {text};" for name, text in written.shared.items())
        items = iter(written.each)
        for i in range(len(self.pushes)):
            for word in "PFM":
                yield f"    W_{i + 1}.{word} = {vector([next(items) for _ in range(3)])};"
        yield f"  end {called};"

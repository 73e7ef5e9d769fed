"""`touchback generate MODEL FILE.mo --to modelica`: a package of bodies and constraints as objects
with kinematic and wrench ports, as Kosenko 2015, §2, has them.

Components are joints (the class of each kind, its frames, axes and start), closures of loops (a
class for each, of elementary rows with a multiplier each), bodies with their weights, and forces (a
class for each, with a port for every body that it measures or acts on). The model itself holds the
equations of its coordinates (motion of the ground, efforts, relations, states and sensors) and the
transitions between modes: one `when` clause with a branch for each, in which modes and states
change and impulses let velocities jump."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from touchback import (
    Cylindrical,
    Fixed,
    Free,
    JointKind,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from touchback.dynamics import (
    Instant,
    Row,
    common_link,
    configuration_rate,
    constraint_rows,
    coupling_row,
    drive_row,
    float_instant,
    mass_matrix_entries,
)
from touchback.dynamics.constraints import constraint_row
from touchback.errors import InputError, TouchbackError
from touchback.interop.exported_mechanism import ExportNotice
from touchback.interop.languages.model_programs import HEAD, refuse_features
from touchback.interop.modelica.modelica_package import Push, Sheet, component, described, vector
from touchback.interop.modelica.modelica_text import (
    Names,
    Texts,
    number,
    numbers,
    one_line,
    quoted,
    texts,
)
from touchback.model import (
    AXES,
    GROUND,
    BaseMotion,
    Closure,
    CoincidentComponent,
    DiscOnPlane,
    Equation,
    FixedDistance,
    ModeGroup,
    NoSlip,
    NoVelocityAlong,
    Perpendicular,
    Transition,
    ZeroOffsetAlong,
    axis_vector,
    model_in_modes,
    sensor_names,
)
from touchback.numbers import LEAST, number_within
from touchback.safe_files import check_output, write_atomically
from touchback.simulate import COPIES, MEMORIES, RIGID, RUBBING
from touchback.symbolic import jvp

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
    axes = (
        _common_axes(sheet, label, closure)
        if CoincidentComponent in map(type, equations)
        else np.eye(3)
    )
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
        case CoincidentComponent(axis):
            s = numbers(axes[:, axis])
            return _Row(f"Along {row}(alpha = alpha, s = S_A*{s}, {_ALONG_A})", pulls)
        case ZeroOffsetAlong(direction):
            s = numbers(direction)
            return _Row(f"Along {row}(alpha = alpha, s = S_A*{s}, {_ALONG_A})", pulls)
        case Perpendicular(of_a, of_b):
            given = f"s = S_A*{numbers(of_a)}, t = S_B*{numbers(of_b)}"
            turned = f"{row}.lambda*cross({row}.t, {row}.s)"
            return _Row(f"Square {row}(alpha = alpha, {given}, {_TURNING})", "", turned)
        case FixedDistance():
            given = f"length = length, {_BETWEEN}"
            return _Row(f"Apart {row}(alpha = alpha, {given})", f"{row}.lambda/length*d")
        case NoVelocityAlong(direction):
            given = f"s = S_B*{numbers(direction)}, w_A = A.w, w_B = B.w, e_A = A.e"
            return _Row(f"Still {row}(alpha = alpha, {given}, {_BETWEEN})", pulls)
        case DiscOnPlane():
            return _on_rim("Kept", row, "rim.n", "x = rim.height, ")
        case NoSlip(_, direction):
            return _on_rim("KeptRate", row, f"(S_A*{numbers(direction)})")
        case _:
            raise InputError(
                f"modelica: equations {type(equation).__name__} of closures can't be written; add "
                "them to `_row` of touchback.interop.modelica.modelica_writer."
            )


def _on_rim(kind: str, row: str, s: str, height: str = "") -> _Row:
    """The lowest point of a disc doesn't move along s."""
    rates = f"x_v = {s}*rim.slip, x_a = {s}*rim.slip_a + cross(A.w, {s})*rim.slip"
    declaration = f"{kind} {row}(alpha = alpha, {height}{rates})"
    return _Row(declaration, f"{row}.lambda*{s}", f"{row}.lambda*cross(rim.c, {s})")


def _size(sheet: Sheet, label: str, equations: Sequence[Equation]) -> tuple[list[str], list[str]]:
    """What a class declares besides its rows, and the arguments that it takes for that."""
    for equation in equations:
        match equation:
            case FixedDistance(length):
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
    meets = {x.axis for x in closure.kind.equations() if isinstance(x, CoincidentComponent)}
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


Named = list[tuple[str, int]]  # variables, and the nodes that they equal


def add_relations(sheet: Sheet) -> list[str]:
    """Adds all of them; gives the names of what couldn't be written."""
    rows = _kept(sheet)
    named = [*_ground(sheet), *_rows(sheet, rows), *_efforts(sheet, rows), *_states(sheet)]
    sensors, left_out = _sensors(sheet)
    named += sensors
    transitions = Transitions(sheet) if sheet.modes.groups else None
    if transitions is not None:
        named += transitions.indicators()
    written = texts(sheet.tape, [node for _, node in named], shared="shared_")
    lines = sheet.lines
    if written.shared:
        lines.declarations.append(f"Real {', '.join(written.shared)};")
    lines.equations += [f"{name} = {text};" for name, text in written.shared.items()]
    lines.equations += [
        f"{name} = {text};" for (name, _), text in zip(named, written.each, strict=True)
    ]
    if transitions is not None:
        transitions.add()
    return left_out


def _ground(sheet: Sheet) -> Named:
    """A ground that moves has its motion as inputs."""
    if sheet.model.base == BaseMotion():
        sheet.lines.declarations.insert(0, "Ground ground;")
        return []
    sheet.lines.declarations.insert(0, "MovingGround ground;")
    ground, vectors = sheet.instant.ground, sheet.instant.vectors
    parts = {
        "r": ground.p, "v": ground.velocity, "a": ground.acceleration,
        "w": vectors.apply(ground.R, ground.omega), "e": vectors.apply(ground.R, ground.alpha),
    }  # fmt: skip
    named = [
        (f"ground.{word}[{i + 1}]", node)
        for word, part in parts.items()
        for i, node in enumerate(part)
    ]
    return named + [
        (f"ground.T[{i + 1}, {j + 1}]", ground.R[i][j]) for i in range(3) for j in range(3)
    ]


def _kept(sheet: Sheet) -> dict[str, Row]:
    """Rows of couplings, written constraints and drives, by their components."""
    model, instant = sheet.model, sheet.by_coordinates
    found: dict[tuple[str, str], Row] = {}
    for name, coupling in model.couplings.items():
        if coupling.active:
            found["coupling", name] = coupling_row(instant, name, coupling)
    for name, constraint in model.constraints.items():
        if constraint.active:
            found["constraint", name] = constraint_row(instant, name, constraint)
    for name, drive in model.drives.items():
        if drive.active:
            found["drive", name] = drive_row(instant, name, drive)
    return {
        sheet.names.of(kind, name, True): row
        for (kind, name), row in found.items()
        if name not in sheet.redundant
    }


def _rows(sheet: Sheet, rows: dict[str, Row]) -> Named:
    """h, ḣ = J v − b and ḧ = J a + γ of each."""
    tape, at = sheet.tape, sheet.by_coordinates.at
    named: Named = []
    for owner, row in rows.items():
        rate, second = -row.b, row.gamma
        for freedom, entry in row.J.items():
            rate = tape.add(rate, tape.mul(entry, at.v[freedom]))
            second = tape.add(second, tape.mul(entry, sheet.accelerations[freedom]))
        if row.h is not None:
            named.append((f"{owner}.x", row.h))
        named += [(f"{owner}.x_v", rate), (f"{owner}.x_a", second)]
        kind = "KeptRate" if row.h is None else "Kept"
        acts = sheet.acts(row.name)
        given = ["alpha = alpha", *([f"acts = {acts}"] if acts != "true" else [])]
        sheet.lines.declarations.append(component(kind, owner, given))
    return named


def _efforts(sheet: Sheet, rows: dict[str, Row]) -> Named:
    """Springs, motors and friction, rotors, and what keeps relations."""
    tape, instant = sheet.tape, sheet.instant
    efforts, rotors = list(instant.efforts()), instant.armature()
    for freedom, rotor in enumerate(rotors):
        efforts[freedom] = tape.sub(efforts[freedom], tape.mul(rotor, sheet.accelerations[freedom]))
    for owner, row in rows.items():
        force = tape.symbol(f"{owner}.lambda")
        for freedom, entry in (row.through or row.J).items():
            efforts[freedom] = tape.add(efforts[freedom], tape.mul(force, entry))
    return [
        (f"{sheet.joint(name)}.tau[{i + 1}]", efforts[instant.freedom(name, i)])
        for name, joint in sheet.model.joints.items()
        for i in range(joint.kind.nv)
    ]


def _states(sheet: Sheet) -> Named:
    """ż = rate."""
    named: Named = []
    begun = sheet.start[len(sheet.start) - len(sheet.states) :]
    modes = {group.state: group.modes for group in sheet.modes.groups}
    for (name, given), start in zip(sheet.states.items(), begun, strict=True):
        if name in modes:
            numbered = quoted(", ".join(f"{i}: {mode}" for i, mode in enumerate(modes[name])))
            sheet.lines.declarations.append(
                f'Integer {given}(start = {int(start)}, fixed = true) "{numbered}";'
            )
            continue
        state = sheet.model.states[name]
        sheet.lines.declarations.append(
            f"Real {given}(start = {number(start)}, fixed = true)"
            f"{f' {chr(34)}[{state.unit}]{chr(34)}' if state.unit else ''};"
        )
        named.append((f"der({given})", sheet.instant.value(state.rate)))
    return named


def _sensors(sheet: Sheet) -> tuple[Named, list[str]]:
    """Outputs; and the names of sensors that ask for what ports don't tell."""
    named: Named = []
    left_out = []
    sheet.instant.solved = True
    for name, kind in sheet.model.sensors.items():
        try:
            nodes = sheet.instant.measure(name)
        except TouchbackError as error:
            left_out.append(f"sensor '{name}': {error}")
            continue
        for full, node in zip(sensor_names(name, kind), nodes, strict=True):
            given = sheet.names.of("sensor", full)
            sheet.lines.declarations.append(f"output Real {given};")
            named.append((given, node))
    return named, left_out


_ZERO = "1e-12"  # of an indicator: what can't be told from nothing [SI], as in our runs


_FALLS = {-1: f"{{}} < -{_ZERO}", 1: f"{{}} > {_ZERO}"}


@dataclass(frozen=True)
class _Exit:
    """A transition with its group, and what its variables are called."""

    name: str
    given: Transition
    place: int  # of its group
    group: ModeGroup
    when: str
    take: str


class Transitions:
    """Those of a model, as lines of its package."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.exits = [
            _Exit(
                name, each, place, group,
                sheet.names.of("when", name, True), sheet.names.of("take", name, True),
            )
            for place, group in enumerate(sheet.modes.groups)
            for name, each in group.transitions.items()
        ]  # fmt: skip
        self._impacts = _Impacts(sheet)
        self._due = sheet.names.fresh("due")

    def indicators(self) -> list[tuple[str, int]]:
        """What passes zero, and how fast where a blow ends it: variables and their nodes."""
        named = []
        for exit in self.exits:
            self.sheet.lines.declarations.append(f'Real {exit.when} "ends by passing zero";')
            named.append((exit.when, int(self.sheet.instant.value(exit.given.when))))
            if exit.given.impact and exit.given.direction:
                self.sheet.lines.declarations.append(f"Real {exit.when}_rate;")
                named.append((f"{exit.when}_rate", self._rate(exit)))
        return named

    def _rate(self, exit: _Exit) -> int:
        """Of an indicator by velocities. What is held at zero by a blow parts from there: else a
        bounce that doesn't come up again would go unnoticed."""
        instant = self.sheet.by_coordinates
        instant.solved = True
        flow = dict(zip(instant.at.q, configuration_rate(instant), strict=True))
        flow |= {instant.at.time: 1}
        return jvp(self.sheet.tape, [int(instant.value(exit.given.when))], flow)[0]

    def add(self) -> None:
        """Booleans that say which transition is due, and the clause that takes it."""
        if not self.exits:
            return
        lines = self.sheet.lines
        for exit in self.exits:
            lines.declarations.append(f"Boolean {exit.take}(start = false, fixed = true);")
            lines.equations += self._taken(exit)
        lines.declarations.append(
            f'Integer {self._due}(start = 0, fixed = true) "number of the transition to take";'
        )
        chain = [f"if {exit.take} then {i + 1}" for i, exit in enumerate(self.exits)]
        lines.equations.append(f"{self._due} = {' else '.join(chain)} else 0;")
        lines.classes += self._impacts.classes()
        lines.declarations += self._impacts.declarations()
        for i, exit in enumerate(self.exits):
            word = "elsewhen" if i else "when"
            lines.equations.append(f"{word} {self._due} == {i + 1} then // {quoted(exit.name)}")
            lines.equations += (f"  {line}" for line in self._branch(exit))
        lines.equations.append("end when;")

    def _taken(self, exit: _Exit) -> Iterator[str]:
        """In a mode that it leaves, with its indicator beyond zero. One that may pass to either
        side remembers where it was: nowhere, once it was taken."""
        mode, given = f"pre({self.sheet.mode_names[exit.place]})", exit.given
        sources = [f"{mode} == {exit.group.modes.index(name)}" for name in given.source]
        present = f"({' or '.join(sources)})" if sources[1:] else sources[0]
        if given.direction:
            passed = _FALLS[given.direction].format(exit.when)
            rate = f"{exit.when}_rate"
            parts = f" and {rate} {'<' if given.direction < 0 else '>'} 0.0"
            yield f"{exit.take} = {present} and {passed}{parts if given.impact else ''};"
            return
        side = self.sheet.names.fresh(f"side_{exit.when}")
        self.sheet.lines.declarations.append(f"Integer {side}(start = 0, fixed = true);")
        falls, rises = (_FALLS[way].format(exit.when) for way in (-1, 1))
        crossed = f"({falls} and pre({side}) == 1 or {rises} and pre({side}) == -1)"
        yield f"{exit.take} = {present} and {crossed};"
        yield f"when {exit.take} then"
        yield f"  {side} = 0;"
        for passed, value in ((rises, 1), (falls, -1)):
            yield f"elsewhen {{initial(), {passed}}} then"
            yield f"  {side} = {value};"
        yield "end when;"

    def _branch(self, exit: _Exit) -> Iterator[str]:
        """What happens: all from values before it."""
        sheet, given, group = self.sheet, exit.given, exit.group
        reset = self._resets(exit)
        names = [*sheet.mode_names]
        target = None if given.target is None else group.modes.index(given.target)
        rest = None if given.rest is None else group.modes.index(given.rest)
        after: list[str | int] = [f"pre({name})" for name in names]
        after[exit.place] = f"pre({names[exit.place]})" if target is None else target
        at_rest = [*after]
        at_rest[exit.place] = after[exit.place] if rest is None else rest
        impacts = self._impacts
        jumps = bool(impacts.rows) and self._jumps(exit, reset)
        if impacts.rows:
            yield from impacts.results(given, reset, after, at_rest, jumps)
        for name, number_after in zip(names, after, strict=True):
            if name == names[exit.place] and rest is not None:
                rests = impacts.comes_to_rest(given)
                yield f"{name} = if {rests} then {rest} else {number_after};"
            else:
                yield f"{name} = {number_after};"
        jumped = impacts.jumped(given) if jumps else {}
        for word in ("q", "v"):
            yield from self._reinit(word, {**reset, **jumped})
        for state in sheet.states.values():
            if state in reset:
                yield f"reinit({state}, {reset[state]});"

    def _jumps(self, exit: _Exit, reset: dict[str, str]) -> bool:
        """Whether velocities may have to jump: at a blow, where rows begin to act, or where a
        position or velocity is reset."""
        given, modes = exit.given, exit.group.modes
        if given.impact or any(name not in self.sheet.states.values() for name in reset):
            return True
        return given.target is not None and any(
            self.sheet.modes.begun(row, exit.place, modes.index(x), modes.index(given.target))
            for row in self._impacts.rows
            for x in given.source
        )  # fmt: skip

    def _resets(self, exit: _Exit) -> dict[str, str]:
        """Expressions of states that are reset, by the states' names."""
        sheet = self.sheet
        places = next(
            own.data.reset_places
            for mode in sheet.system.dynamics.modes.every
            for own in mode.exits
            if own.name == exit.name
        )
        nodes = [int(sheet.instant.value(x)) for x in exit.given.reset.values()]
        names = [*sheet.coordinate_names("q"), *sheet.coordinate_names("v"), *sheet.states.values()]
        written = texts(sheet.tape, nodes, sheet.before, inline=True).each
        return {names[place]: text for place, text in zip(places, written, strict=True)}

    def _reinit(self, word: str, reset: dict[str, str]) -> Iterator[str]:
        """Joints of which a coordinate is reset."""
        for joint in self.sheet.model.joints:
            owner = self.sheet.joint(joint)
            own = [x for x in self.sheet.coordinate_names(word) if x.startswith(f"{owner}.")]
            if any(name in reset for name in own):
                values = [reset.get(name, f"pre({name})") for name in own]
                yield f"reinit({owner}.{word}, {vector(values)});"


_FOLLOWING = 20  # steps of Newton's method, as in our runs


@dataclass(frozen=True)
class _IdleCoordinate:
    """A coordinate that tracks: its number among velocities, and what its position is called."""

    freedom: int
    position: str


class _Impacts:
    """The function that gives velocities after a transition, from M, J, W and b of all rows that
    modes keep or blows stop, and the positions of what tracks, from h of the rows by which it
    does."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        whole = sheet.system.dynamics.whole
        struck = {name for each in whole.transitions.values() for name in each.impact}
        kept = {name for mode in whole.modes.values() for name in mode.active}
        model = model_in_modes(whole, (), sorted(struck | kept))
        instant = Instant(model, sheet.tape, sheet.by_coordinates.at, merge_fixed=False)
        rows = [row for row in constraint_rows(instant) if row.name not in sheet.redundant]
        self.rows = [row.name for row in rows]
        self.owners = {row: name for name, own in model.constraint_rows().items() for row in own}
        self.freedoms = n = len(sheet.system.layout.v)
        self.idle = _idle_coordinates(sheet, rows)
        self.rests = any(each.rest is not None for each in whole.transitions.values())
        M = mass_matrix_entries(instant)
        through = [row.through or row.J for row in rows]
        self._parts = {
            "M": [[M.get((i, j), 0) for j in range(n)] for i in range(n)],
            "J": [[row.J.get(j, 0) for j in range(n)] for row in rows],
            "W": [[row.get(j, 0) for j in range(n)] for row in through],
            "b": [[row.b for row in rows]],
        }
        self.function = sheet.names.fresh("state_after" if self.idle else "velocities_after")
        self.result, self._result_at_rest = map(sheet.names.fresh, ("jump", "jump_to_rest"))
        self._own = Names(["s", "M", "J", "W", "b", "v", "x", "e"])
        self._used: dict[str, str] = {}
        nodes = [int(x) for part in self._parts.values() for row in part for x in row]
        self._written = texts(sheet.tape, nodes, self._symbol)
        followed = [row for row in rows if row.name in self.idle]
        slopes = [int(row.J[self.idle[row.name].freedom]) for row in followed]
        goals = [0 if row.h is None else int(row.h) for row in followed]
        self._followed = texts(sheet.tape, [*goals, *slopes], self._symbol, shared="goal_")
        # by what the function calls them: arguments of positions that it moves
        self._moved = {
            self._symbol(position): self._own.fresh(f"{position} before")
            for position in dict.fromkeys(each.position for each in self.idle.values())
        }

    def _symbol(self, symbol: Hashable) -> str:
        name = str(symbol)
        if name not in self._used:
            self._used[name] = self._own.fresh(name)
        return self._used[name]

    def classes(self) -> Iterator[str]:
        """The function's text, where rows are there at all."""
        if self.rows:
            yield "\n".join(self._function())

    def declarations(self) -> Iterator[str]:
        """What it gave last."""
        said = "velocities after the last transition, the speed of the fastest rebound"
        said += ", positions of what tracks" if self.idle else ""
        for name in (self.result, *([self._result_at_rest] if self.rests else [])):
            yield (
                f"discrete Real {name}[{self._size}](each start = 0.0, each fixed = true) "
                f'"{said}{"; if it came to rest" if name != self.result else ""}";'
            )

    @property
    def _size(self) -> int:
        return self.freedoms + 1 + len(self._moved)

    def _function(self) -> Iterator[str]:
        n, m = self.freedoms, len(self.rows)
        moved = self._moved
        title = f"and the speed of the fastest rebound; rows: {quoted(', '.join(self.rows))}"
        yield f'  function {self.function} "{title}"'
        for own in self._used.values():
            yield f"    input Real {moved.get(own, own)};"
        yield f"    input Real v[{n}];"
        yield f"    input Boolean kept[{m}], hit[{m}];"
        yield f"    input Real e[{m}];"
        yield "    input Boolean poisson;"
        yield f"    output Real after[{self._size}];"
        yield "  protected"
        yield f"    Real M[{n}, {n}], J[{m}, {n}], W[{m}, {n}], b[{m}], x[{n}];"
        if moved:
            yield f"    Real {', '.join(moved)}, off[{len(self.idle)}];"
        yield from (f"    Real {name};" for name in (*self._written.shared, *self._followed.shared))
        yield "  algorithm"
        if moved:
            yield from self._follow_positions()
        yield from (f"    {name} := {text};" for name, text in self._written.shared.items())
        items = iter(self._written.each)
        for word, part in self._parts.items():
            rows = [vector([next(items) for _ in row]) for row in part]
            yield f"    {word} := {rows[0] if word == 'b' else vector(rows)};"
        yield "    x := v;"
        for row, idle in self.idle.items():  # what tracks, and nothing else, gets its velocity
            i, j = self.rows.index(row) + 1, idle.freedom + 1
            pace = f"(b[{i}] - J[{i}, :]*v)/J[{i}, {j}]"
            yield f"    x[{j}] := x[{j}] + (if kept[{i}] then {pace} else 0.0);"
        yield "    x := struck(M, J, W, b, x, kept, hit, e, poisson);"
        yield f"    for i in 1:{n} loop"
        yield "      after[i] := x[i];"
        yield "    end for;"
        yield f"    after[{n + 1}] := rebound(J, b, x, hit);"
        for k, own in enumerate(moved):
            yield f"    after[{n + 2 + k}] := {own};"
        yield f"  end {self.function};"

    def _follow_positions(self) -> Iterator[str]:
        """Newton's method in the coordinates that track, each by its own row."""
        yield from (f"    {own} := {before};" for own, before in self._moved.items())
        yield f"    for k in 1:{_FOLLOWING} loop"
        yield from (f"      {name} := {text};" for name, text in self._followed.shared.items())
        goals, slopes = np.split(np.array(self._followed.each), 2)
        for i, (row, goal, slope) in enumerate(zip(self.idle, goals, slopes, strict=True)):
            kept = f"kept[{self.rows.index(row) + 1}]"
            yield f"      off[{i + 1}] := if {kept} then ({goal})/({slope}) else 0.0;"
        for i, each in enumerate(self.idle.values()):
            own = self._used[each.position]
            yield f"      {own} := {own} - off[{i + 1}];"
        yield "    end for;"

    def results(
        self,
        given: Transition,
        reset: dict[str, str],
        after: Sequence[str | int],
        at_rest: Sequence[str | int],
        jumps: bool,
    ) -> Iterator[str]:
        """What follows from a transition, and from coming to rest by it, where that may be."""
        called = {self.result: self._call(given, reset, after)}
        if self.rests:
            called[self._result_at_rest] = self._call(given, reset, at_rest, stops=True)
        for name, call in called.items():
            changes = jumps and (name == self.result or given.rest is not None)
            yield f"{name} = {call if changes else f'pre({name})'};"

    def _call(
        self,
        given: Transition,
        reset: dict[str, str],
        after: Sequence[str | int],
        stops: bool = False,
    ) -> str:
        """The function at the state that resets leave, with the constraints of the next mode."""
        sheet = self.sheet
        kept = [sheet.modes.condition(row, after) for row in self.rows]
        hit = [
            _denied(own) if self.owners[row] in given.impact else "false"
            for row, own in zip(self.rows, kept, strict=True)
        ]
        rebounds = [
            int(sheet.instant.value(0.0 if stops else given.restitution.get(self.owners[row], 0.0)))
            for row in self.rows
        ]
        known = {**reset, **dict(zip(sheet.mode_names, map(str, after), strict=True))}
        arguments = [
            *(known.get(name, sheet.before(name)) for name in self._used),
            vector([known.get(x, sheet.before(x)) for x in sheet.coordinate_names("v")]),
            vector(kept), vector(hit), vector(texts(sheet.tape, rebounds, inline=True).each),
            "true" if given.law == "poisson" and not stops else "false",
        ]  # fmt: skip
        return f"{self.function}({', '.join(arguments)})"

    def comes_to_rest(self, given: Transition) -> str:
        """Whether it does, as a condition."""
        return f"{self.result}[{self.freedoms + 1}] < {number(given.rest_speed)}"

    def jumped(self, given: Transition) -> dict[str, str]:
        """All velocities, and positions of what tracks, after it."""
        names = self.sheet.coordinate_names("v")
        places = {name: i + 1 for i, name in enumerate(names)}
        called = {own: name for name, own in self._used.items()}
        for i, own in enumerate(self._moved):
            places[called[own]] = self.freedoms + 2 + i
        if given.rest is None:
            return {name: f"{self.result}[{i}]" for name, i in places.items()}
        choice = f"if {self.comes_to_rest(given)} then {self._result_at_rest}[{{0}}] "
        choice += f"else {self.result}[{{0}}]"
        return {name: choice.format(i) for name, i in places.items()}


def _idle_coordinates(sheet: Sheet, rows: Sequence[Row]) -> dict[str, _IdleCoordinate]:
    """Those that track in some mode, by their rows; none of a joint with a quaternion, which models
    refuse."""
    found: dict[str, _IdleCoordinate] = {}
    positions = {
        sheet.instant.freedom(name, i): f"{sheet.joint(name)}.q[{i + 1}]"
        for name, joint in sheet.model.joints.items()
        for i in range(joint.kind.nv)
    }
    for row in rows:
        if not row.through or not row.J.keys() & row.through.keys():
            continue
        (freedom,) = row.through
        found[row.name] = _IdleCoordinate(freedom, positions[freedom])
    return found


def _denied(condition: str) -> str:
    return {"true": "false", "false": "true"}.get(condition, f"not ({condition})")


_PARTS = ("bodies", "joints", "closures", "tables", "impacts")


_FASTEST = 1e6  # [1/s]


def write(model: Model, where: Path, alpha: float = 20.0) -> list[Path]:
    """Writes a package whose `Mechanism` is the model. Constraints are kept by their second rates;
    what drifts comes back within some 1/`alpha` seconds."""
    check_output(where, (".mo",), "modelica")
    write_atomically(where, package_text(model, alpha))
    return [where]


def package_text(model: Model, alpha: float = 20.0) -> str:
    """Its text; what it can't say of the model is listed on top, and warned of."""
    alpha = number_within("modelica: alpha is in 1/s", alpha, LEAST, _FASTEST)
    system = model.compile()
    refuse_features("text of Modelica", system, (RIGID, MEMORIES, COPIES, RUBBING))
    library = {name: (Path(__file__).parent / f"{name}.mo").read_text() for name in _PARTS}
    known = re.findall(r"^  (?:partial )?(?:model|connector|function) (\w+)",
                       "".join(library.values()), re.MULTILINE)  # fmt: skip
    sheet = Sheet(system, [*known, "Mechanism"])
    add_joints(sheet)
    add_closures(sheet)
    add_forces(sheet)
    add_bodies(sheet)
    left_out = add_relations(sheet)
    left_out += [f"row '{row}', which adds nothing to the others" for row in sheet.redundant]
    if left_out:
        said = "\n  ".join([f"Modelica doesn't say of '{system.name}':", *left_out])
        warnings.warn(said, ExportNotice, stacklevel=3)
    used = "\n".join([*sheet.lines.classes, *sheet.lines.equations])
    for word, part in (("lookup", "tables"), ("struck(", "impacts")):
        if word not in used:
            del library[part]
    head = [f"  // Not here: {one_line(each)}" for each in left_out]
    name = Names(known).fresh(system.name)
    return "\n".join(_package(sheet, name, alpha, [*head, "", *library.values()]))


def _package(sheet: Sheet, name: str, alpha: float, library: list[str]) -> Iterator[str]:
    layout, lines = sheet.system.layout, sheet.lines
    yield f'package {name} "{quoted(sheet.system.name)}"'
    yield f"  // {HEAD}."
    yield from library
    yield from (f"{text}\n" for text in lines.classes)
    yield f'  model Mechanism "{quoted(sheet.system.name)}"'
    yield f'    parameter Real alpha(unit = "1/s") = {number(alpha)} "how fast drift comes back";'
    for given, each in zip(sheet.parameters.values(), layout.ranges, strict=True):
        yield f"    parameter Real {given} = {number(each.default)}{_unit(each.unit)};"
    inputs = dict(zip(layout.inputs, zip(layout.input_defaults, layout.input_units)))
    for full, given in sheet.inputs.items():
        default, unit = inputs[full]
        yield f"    input Real {given}(start = {number(default)}){_unit(unit)};"
    yield from (f"    {line}" for line in lines.declarations)
    yield "  equation"
    yield from (f"    {line}" for line in lines.equations)
    yield "  end Mechanism;"
    yield f"end {name};\n"


def _unit(unit: str) -> str:
    return f' "[{quoted(unit)}]"' if unit else ""

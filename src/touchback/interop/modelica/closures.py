"""Closures of loops: a class for each, made of elementary rows with a multiplier each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.dynamics.instant import Instant
from touchback.dynamics.loops import common_link
from touchback.errors import InputError
from touchback.interop.modelica.expressions import numbers
from touchback.interop.modelica.sheet import Sheet, component, described
from touchback.model.closures import Closure
from touchback.model.equations import (
    Along,
    Apart,
    DiscOnPlane,
    Equation,
    Grip,
    Meet,
    Square,
    Still,
)
from touchback.model.frame import GROUND

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

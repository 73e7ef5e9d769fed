"""What stands in the model itself, as equations of its coordinates: how the ground moves, efforts,
relations that are kept, states and sensors."""

from __future__ import annotations

from touchback.dynamics.row import Row
from touchback.dynamics.written import constraint_row, coupling_row, drive_row
from touchback.errors import TouchbackError
from touchback.interop.modelica.expressions import number, texts
from touchback.interop.modelica.names import quoted
from touchback.interop.modelica.sheet import Sheet, component
from touchback.interop.modelica.transitions import Transitions
from touchback.model.model import sensor_names
from touchback.model.signals import BaseMotion

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

"""Bodies with their weights, and forces: a class for each force, with a port for every body that
it looks at and one for every wrench that it brings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from touchback.errors import InputError
from touchback.interop.modelica.expressions import Texts, texts
from touchback.interop.modelica.names import Names
from touchback.interop.modelica.ported import Push
from touchback.interop.modelica.sheet import Sheet, component, described, vector
from touchback.model.frame import GROUND


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
        pushes = sheet.instant.pushes(name)
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

"""What is written of a model: symbols for its variables, and the lines of a package."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.pose import frame_pose
from touchback.errors import InputError
from touchback.interop.modelica.expressions import texts
from touchback.interop.modelica.mode_rows import ModeRows, model_in_all_modes
from touchback.interop.modelica.names import Names, quoted
from touchback.interop.modelica.ported import Ported
from touchback.model.frame import Frame
from touchback.model.show import kind_text
from touchback.model.value import Data, Value
from touchback.spatial.vectors import IDENTITY
from touchback.symbolic.tape import Tape
from touchback.system import System


@dataclass
class Lines:
    """Lines of the package: classes of its own, and the model's declarations and equations."""

    classes: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    equations: list[str] = field(default_factory=list)
    acting: dict[str, list[str]] = field(default_factory=dict)  # body → wrenches, by their ports

    def connect(self, source: str, target: str) -> None:
        """A connection of two ports."""
        self.equations.append(f"connect({source}, {target});")


class Sheet:
    """A system's variables as symbols of one tape, with the mechanism as its ports tell of it and
    as its coordinates do (`by_coordinates`)."""

    def __init__(self, system: System, classes: Sequence[str]) -> None:
        self.system, self.model = system, model_in_all_modes(system)
        self.modes = ModeRows(system)
        self.tape, self.names = Tape(), Names([*classes, "ground", "alpha"])
        self.lines = Lines(acting={name: [] for name in self.model.bodies})
        layout, symbol = system.layout, self.tape.symbol
        self.parameters = {name: self.names.of("parameter", name) for name in layout.parameters}
        controlled = self.model.input_laws()
        self.inputs = {
            name: self.names.of("input", name) for name in layout.inputs if name not in controlled
        }
        self.states = {name: self.names.of("state", name) for name in layout.z}
        at = Coordinates(
            self._coordinates("q"),
            self._coordinates("v"),
            {name: symbol(given) for name, given in self.states.items()},
            {name: symbol(given) for name, given in self.inputs.items()},
            symbol("time"),
            {name: symbol(given) for name, given in self.parameters.items()},
        )
        self.redundant = self.modes.redundant
        self.mode_names = [self.states[group.state] for group in self.modes.groups]
        self.instant = Ported(self.model, self.tape, at, self.names, self.redundant)
        self.by_coordinates = Instant(self.model, self.tape, at, merge_fixed=False)
        self.accelerations = self._coordinates("a")
        self.start = (system.assemble() if system.constrained else system.initial_state()).x

    def _coordinates(self, word: str) -> list[int]:
        """Symbols of the positions q, velocities v or accelerations a of all joints."""
        return [self.tape.symbol(name) for name in self.coordinate_names(word)]

    def coordinate_names(self, word: str) -> list[str]:
        """The variables that they are."""
        return [
            f"{self.joint(name)}.{word}[{i + 1}]"
            for name, joint in self.model.joints.items()
            for i in range(joint.kind.nq if word == "q" else joint.kind.nv)
        ]

    def joint(self, name: str) -> str:
        """The component that a joint is."""
        return self.names.of("joint", name, True)

    def body(self, name: str) -> str:
        """The component that a body is, or the ground."""
        return self.instant.owner(name)

    def acts(self, row: str) -> str:
        """Whether a row of a constraint acts, as a condition on the modes; "true" where always."""
        return self.modes.condition(row, self.mode_names)

    def before(self, symbol: Hashable) -> str:
        """A variable as it is just before a transition."""
        name = str(symbol)
        held = {*self.coordinate_names("q"), *self.coordinate_names("v"), *self.states.values()}
        return f"pre({name})" if name in held else name

    def text(self, node: int) -> str:
        """One expression, whole."""
        return texts(self.tape, [node], inline=True).each[0]

    def constant(self, label: str, given: Sequence[Value]) -> list[str]:
        """Values that parameters of components take: numbers and expressions of parameters."""
        return self.fixed(label, [self.instant.value(x) for x in given])

    def fixed(self, label: str, nodes: Sequence[int]) -> list[str]:
        """Nodes that use parameters only."""
        written = texts(self.tape, nodes, inline=True)
        for name in sorted(written.symbols - set(self.parameters.values())):
            raise InputError(
                f"modelica: {label} changes with '{name}' while it runs, which a parameter of a "
                "component can't; make it a number or an expression of parameters."
            )
        return written.each

    def frame(self, label: str, frame: Frame, letter: str) -> list[str]:
        """The arguments that put a component's frame onto a body, where it isn't the body's own."""
        pose = frame_pose(self.tape, frame, self.instant.value)
        p, R = pose.scalars(self.tape), pose.rotation(self.tape).times(self.tape, IDENTITY)
        given = []
        if any(p):
            given.append(f"p_{letter} = {vector(self.fixed(label, p))}")
        if [list(row) for row in R] != [list(row) for row in IDENTITY]:
            rows = vector([vector(self.fixed(label, row)) for row in R])
            given.append(f"R_{letter} = {rows}")
        return given


def described(kind: Data) -> str:
    """A kind and its numbers as the text of a comment."""
    return quoted(kind_text(kind))


def component(kind: str, name: str, given: Sequence[str]) -> str:
    """A declaration."""
    return f"{kind} {name}({', '.join(given)});" if given else f"{kind} {name};"


def vector(items: Sequence[str]) -> str:
    """An array of Modelica."""
    return f"{{{', '.join(items)}}}"

"""What is written of a model in Modelica: symbols for its variables, the lines of a package, the
mechanism as its ports know it (motions of bodies are symbols, and not functions of coordinates),
and which rows of constraints act in which modes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from touchback import Frame, Model, Readout, Signal, System, select
from touchback.dynamics import Coordinates, Instant, common_link, frame_pose
from touchback.errors import InputError, ModelError, TouchbackError
from touchback.interop.modelica.modelica_text import Names, quoted, texts
from touchback.model import (
    GROUND,
    IDENTITY,
    ZERO,
    BaseMotion,
    CoincidentComponent,
    Data,
    ModeGroup,
    Value,
    model_in_modes,
)
from touchback.model.model_text import kind_text
from touchback.numbers import Matrix, Scalar, Vector
from touchback.symbolic import Tape


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
        self.instant = ModelicaInstant(self.model, self.tape, at, self.names, self.redundant)
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


@dataclass(frozen=True)
class Push:
    """What a force does to a body: its wrench at a point, along world axes."""

    body: str
    point: Vector
    force: Vector
    torque: Vector


class ModelicaInstant(Instant):
    """A flat model over a tape whose symbols are variables of the Modelica model, such as
    "body_rod.K.r[1]"."""

    def __init__(
        self, model: Model, tape: Tape, at: Coordinates, names: Names, dropped: Collection[str]
    ) -> None:
        """`dropped` are rows of constraints that aren't written."""
        self._tape, self._identifiers, self.dropped = tape, names, dropped
        self._still = model.base == BaseMotion()
        super().__init__(model, tape, at, merge_fixed=False)

    def rotation(self, frame: Frame) -> Matrix:
        pose = frame_pose(self.k, frame, self.value)
        return pose.rotation(self.k).times(self.k, self._turn(frame.body))

    def position(self, frame: Frame) -> Vector:
        return self.vectors.add(self._shown(frame.body, "r"), self.lever(frame))

    def lever(self, frame: Frame) -> Vector:
        """From the body's origin to the frame's, along world axes."""
        pose = frame_pose(self.k, frame, self.value)
        return self.vectors.apply(self._turn(frame.body), pose.scalars(self.k))

    def velocity(self, frame: Frame) -> Vector:
        omega = self.angular_velocity(frame)
        carried = self.vectors.cross(omega, self.lever(frame))
        return self.vectors.add(self._shown(frame.body, "v"), carried)

    def angular_velocity(self, frame: Frame) -> Vector:
        return self._shown(frame.body, "w")

    def acceleration(self, frame: Frame) -> Vector:
        vectors, omega, lever = self.vectors, self.angular_velocity(frame), self.lever(frame)
        turned = vectors.cross(self.angular_acceleration(frame), lever)
        pulled = vectors.cross(omega, vectors.cross(omega, lever))
        return vectors.add(self._shown(frame.body, "a"), vectors.add(turned, pulled))

    def angular_acceleration(self, frame: Frame) -> Vector:
        return self._shown(frame.body, "e")

    def reaction(self, joint: str) -> tuple[Vector, Vector]:
        """At and along the child's frame, or that of a closure's second body."""
        closure = None if joint in self.model.joints else self.model.closures[joint]
        kind = "joint" if closure is None else "closure"
        frame = self.model.joints[joint].child if closure is None else closure.b
        R, owner = self.rotation(frame), self._identifiers.of(kind, joint, True)
        force, moment = (
            self.vectors.apply_transposed(R, self._symbols(f"{owner}.{word}"))
            for word in ("F_B", "M_B")
        )
        return force, moment

    def multiplier(self, row: str) -> Scalar:
        """A row's own, or a component of a closure's force along the common body's axes."""
        for kind in ("coupling", "constraint", "drive"):
            if row in getattr(self.model, f"{kind}s"):
                return self._kept(row, self._identifiers.of(kind, row, True))
        rows = self.model.constraint_rows()
        name = next(name for name, own in rows.items() if row in own)
        closure, place = self.model.closures[name], rows[name].index(row)
        owner = self._identifiers.of("closure", name, True)
        if not closure.active:
            return 0
        equation = closure.kind.equations()[place]
        if not isinstance(equation, CoincidentComponent):
            return self._kept(row, f"{owner}.row_{place + 1}")
        self._refuse_dropped(row)
        common = common_link(
            self.tree, self.attachment(closure.a).link, self.attachment(closure.b).link
        )
        carrier = self.model.joints[self.tree.links[common].joint].child if common >= 0 else None
        R = self.rotation(carrier or Frame(GROUND))
        return self.vectors.apply_transposed(R, self._symbols(f"{owner}.F_B"))[equation.axis]

    def _kept(self, row: str, owner: str) -> Scalar:
        self._refuse_dropped(row)
        return self._tape.symbol(f"{owner}.lambda")

    def _refuse_dropped(self, row: str) -> None:
        if row in self.dropped:
            raise ModelError(f"row '{row}' adds nothing to the others, so its force isn't known")

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Forces are objects of their own: see `pushes`."""

    def applied_wrenches(self, name: str) -> list[Push]:
        """What a force does to bodies."""
        meter = _Meter(self)
        self.model.forces[name].apply(meter)
        return meter.pushed

    def _turn(self, body: str) -> Matrix:
        if self._at_rest(body):
            return IDENTITY
        name = f"{self.owner(body)}.K.T"
        return [[self._tape.symbol(f"{name}[{i}, {j}]") for j in (1, 2, 3)] for i in (1, 2, 3)]

    def _shown(self, body: str, word: str) -> Vector:
        if self._at_rest(body):
            return ZERO
        return self._symbols(f"{self.owner(body)}.K.{word}")

    def _at_rest(self, body: str) -> bool:
        return body == GROUND and self._still

    def owner(self, body: str) -> str:
        """The component that a body is."""
        return GROUND if body == GROUND else self._identifiers.of("body", body, True)

    def _symbols(self, name: str) -> list[Scalar]:
        return [self._tape.symbol(f"{name}[{i}]") for i in (1, 2, 3)]


class _Meter:
    """The mechanism as a force sees it; what it does to bodies is noted."""

    def __init__(self, instant: ModelicaInstant) -> None:
        self._instant = instant
        self.pushed: list[Push] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        point = self._instant.position(frame)
        self.pushed.append(Push(frame.body, point, force, ZERO if torque is None else torque))

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """In the joint's sum already."""


Numbers = tuple[int, ...]  # of modes, one of every group


class ModeRows:
    """Of every row of a constraint the modes in which it acts and adds something to the others.
    Without modes there is one state of affairs, and each active row acts in it."""

    def __init__(self, system: System) -> None:
        self.groups: list[ModeGroup] = list(system.dynamics.modes.groups)
        self._every = list(product(*(range(len(group.modes)) for group in self.groups)))
        self._acting: dict[str, set[Numbers]] = {}
        left: dict[str, set[Numbers]] = {}
        for numbers in self._every:
            own = system
            if self.groups:
                own = system.independent_copy()
                own.enter(*(group.modes[i] for group, i in zip(self.groups, numbers)))
            redundant = _redundant(own)
            for row in own.constraint_names:
                chosen = left if row in redundant else self._acting
                chosen.setdefault(row, set()).add(numbers)
        self.redundant = tuple(row for row in left if row not in self._acting)

    def condition(self, row: str, at: Sequence[str | int]) -> str:
        """Whether a row acts, where the modes are so many numbers or what is called so: "true",
        "false" or an expression."""
        acting = self._acting.get(row, set())
        known = [
            numbers
            for numbers in self._every
            if all(x == given for x, given in zip(numbers, at) if isinstance(given, int))
        ]
        inside = [numbers for numbers in known if numbers in acting]
        if not inside or len(inside) == len(known):
            return "true" if inside else "false"
        for i, name in enumerate(at):  # one group may decide
            own = {numbers[i] for numbers in inside}
            if isinstance(name, str) and all((x[i] in own) == (x in acting) for x in known):
                return " or ".join(f"{name} == {number}" for number in sorted(own))
        return " or ".join(
            " and ".join(f"{name} == {x}" for name, x in zip(at, numbers) if isinstance(name, str))
            for numbers in inside
        )

    def begun(self, row: str, place: int, source: int, target: int) -> bool:
        """Whether a row may begin to act where a group's mode becomes another."""
        acting = self._acting.get(row, set())
        return any(
            (*numbers[:place], target, *numbers[place + 1 :]) in acting and numbers not in acting
            for numbers in self._every
            if numbers[place] == source
        )


def _redundant(system: System) -> tuple[str, ...]:
    if not system.constrained or not system.constraint_names:
        return ()
    try:
        return system.freedoms().redundant
    except TouchbackError:  # this mode isn't met from the start; its rows are looked at there
        return system.freedoms(system.initial_state().q).redundant


def model_in_all_modes(system: System) -> Model:
    """The model with every constraint that acts in some mode, and readouts as expressions of the
    modes' numbers."""
    whole, groups = system.dynamics.whole, system.dynamics.modes.groups
    if not groups:
        return system.model
    acting = sorted({row for mode in whole.modes.values() for row in mode.active})
    model = model_in_modes(whole, (), acting)
    for name, kind in whole.sensors.items():
        if isinstance(kind, Readout):
            model.sensors[name] = Signal(_readout(whole, groups, name), kind.measured_in)
    return model


def _readout(whole: Model, groups: Sequence[ModeGroup], name: str) -> Value:
    shown: Value = 0.0
    for group in groups:
        number = whole.signal(group.state)
        for i, mode in enumerate(group.modes):
            said = whole.modes[mode].readouts.get(name)
            if said is not None:
                shown = select(abs(number - float(i)) < 0.5, said, shown)
    return shown

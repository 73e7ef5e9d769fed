"""What bodies and constraints exchange at their ports, as numbers: wrenches against twists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from touchback.dynamics import constraint_rows
from touchback.dynamics.bond_graph import BondGraph, bond_graph_of
from touchback.dynamics.multibond_graph import (
    MultibondGraph,
    MultibondLayout,
    multibond_layout,
    rows_by_constraint,
)
from touchback.dynamics.port_equations import PortExchange, port_exchange
from touchback.system.active_equations import At
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.signal_layout import Values
from touchback.system.system_state import State, elements_of, finite_elements

if TYPE_CHECKING:
    from touchback.system.system import System

Floats = np.ndarray
_STIR = 0.3  # of positions, lest a flow of the bond graph vanish by chance [m or rad]


@dataclass(frozen=True)
class Port:
    """Where a constraint or force (`owner`, such as "joint crank" or "closure pin") meets a body:
    the point [m], the wrench on the body there (force [N], torque [N m]) and the body's twist there
    (angular velocity [rad/s], velocity [m/s]), along world axes."""

    owner: str
    body: str
    point: Floats
    force: Floats
    torque: Floats
    omega: Floats
    velocity: Floats

    @property
    def power(self) -> float:
        """What flows into the body [W]: the wrench on the twist."""
        return float(self.force @ self.velocity + self.torque @ self.omega)


@dataclass(frozen=True)
class Bond:
    """Where a drive, coupling, motor or spring (`owner`) meets one coordinate of a joint: its
    effort [N or N m] and the coordinate's rate."""

    owner: str
    joint: str
    effort: float
    rate: float

    @property
    def power(self) -> float:
        """What flows into the joint [W]."""
        return self.effort * self.rate


@dataclass(frozen=True)
class BodyMotion:
    """How a body moves: its twist at `point`, its momenta about that point (`linear` [kg m/s],
    `angular` [kg m²/s]), the `force` and `moment` that these ask for, and its weight. One that is
    `immersed` carries fluid along, which asks for more."""

    body: str
    immersed: bool
    point: Floats
    omega: Floats
    velocity: Floats
    linear: Floats
    angular: Floats
    force: Floats
    moment: Floats
    weight: Floats
    weight_moment: Floats

    @property
    def turning(self) -> tuple[float, float]:
        """The force and the moment that turn its momenta as fast as it turns."""
        speed = np.linalg.norm(self.omega)
        return float(speed * np.linalg.norm(self.linear)), float(
            speed * np.linalg.norm(self.angular)
        )

    @property
    def power(self) -> float:
        """What flows at most where its momenta are turned and its weight is moved [W]."""
        force, moment = self.turning
        force += float(np.linalg.norm(self.weight))
        moment += float(np.linalg.norm(self.weight_moment))
        return float(force * np.linalg.norm(self.velocity) + moment * np.linalg.norm(self.omega))


@dataclass(frozen=True)
class Ports:
    """Everything that bodies and constraints exchange at an instant (Kosenko 2015, §2), as
    `tb.ports` finds it.

    `ideal` are the constraints that stand still and rub nowhere: joints, closures, couplings and
    written ones. `demanded` is the power [W] that a constraint which moves by itself is to bring,
    its effort times the speed that it prescribes."""

    bodies: tuple[Port, ...]
    bonds: tuple[Bond, ...]
    motions: tuple[BodyMotion, ...]
    ideal: frozenset[str]
    demanded: dict[str, float]

    def third_law(self) -> dict[str, float]:
        """F_A + F_B = 0 and M_A + M_B = 0 at one point: of everything that acts between bodies what
        is left of these sums, as a part of the largest force or moment in them (moments: at least
        of the force times the size of the mechanism). What pushes one body alone, as a hand does,
        acts from outside and isn't there."""
        found: dict[str, float] = {}
        for owner, own in _grouped(self.bodies):
            if len({port.body for port in own}) > 1:
                wrenches = [_wrench(port, own[-1].point) for port in own]
                found[owner] = _imbalance(wrenches, self._size)
        return found

    def momentum_balance(self) -> dict[str, float]:
        """Of every body how far the wrenches at its ports and its weight are from its rate of
        momentum, as a part of the largest among them, as above."""
        found: dict[str, float] = {}
        for each in self.motions:
            if not each.immersed:
                wrenches = [
                    _wrench(port, each.point) for port in self.bodies if port.body == each.body
                ]
                wrenches += [(-each.force, -each.moment), (each.weight, each.weight_moment)]
                found[each.body] = _imbalance(wrenches, self._size, each.turning)
        return found

    def powers(self) -> dict[str, float]:
        """What each constraint and force brings into the mechanism [W]; a joint without what acts
        in its coordinates, which stands under what does that."""
        found: dict[str, float] = {}
        for port in self.bodies:
            found[port.owner] = found.get(port.owner, 0.0) + port.power
        for bond in self.bonds:
            joint = f"joint {bond.joint}"
            found[joint] -= bond.power
            if bond.owner != joint:
                found[bond.owner] = found.get(bond.owner, 0.0) + bond.power
        return found

    @property
    def _size(self) -> float:
        """How far apart ports are [m]."""
        points = np.array([port.point for port in self.bodies]).reshape(-1, 3)
        return float(np.ptp(points, axis=0).max()) if len(points) else 0.0

    @property
    def flowing(self) -> float:
        """The power that passes all ports, and what flows at most in the bodies' own momenta and
        weights, without regard to signs [W]."""
        powers = [port.power for port in self.bodies] + [bond.power for bond in self.bonds]
        return sum(map(abs, powers)) + sum(body.power for body in self.motions)

    @property
    def ideal_power(self) -> float:
        """The power of all ideal constraints together [W]: none where velocities fit them."""
        return sum(power for owner, power in self.powers().items() if owner in self.ideal)

    @property
    def worst(self) -> dict[str, float]:
        """The largest of each of these errors, as parts: of wrenches between two bodies, of bodies'
        momentum, of the power of ideal constraints and of what driven ones are to bring."""
        powers, flowing = self.powers(), self.flowing or 1.0
        driven = (powers[owner] - power for owner, power in self.demanded.items())
        return {
            "third law": max(self.third_law().values(), default=0.0),
            "momentum": max(self.momentum_balance().values(), default=0.0),
            "ideal power": abs(self.ideal_power) / flowing,
            "driven power": max((abs(error) / flowing for error in driven), default=0.0),
        }


def ports(system: System, x: State | ArrayLike, inputs: Values = None, t: float = 0.0) -> Ports:
    """What bodies and constraints exchange at a state, or x = [q, v, z], of a motion under some
    inputs: with modes, in the mode of the state. Forces of rigid contacts, which a state doesn't
    tell, are not there."""
    own = _in_mode_of(system, x)
    shape = own.dynamics.derive_once(("ports", own.key), lambda: _derive(own))
    return shape(_evaluated(own, shape.function, _numbers(own, x), inputs, t))


@overload
def bond_graph(
    system: System,
    x: State | ArrayLike | None = None,
    inputs: Values = None,
    t: float = 0.0,
    *,
    vectors: Literal[True] = True,
) -> MultibondGraph: ...


@overload
def bond_graph(system: System, *, vectors: Literal[False]) -> BondGraph: ...


def bond_graph(
    system: System,
    x: State | ArrayLike | None = None,
    inputs: Values = None,
    t: float = 0.0,
    *,
    vectors: bool = True,
) -> MultibondGraph | BondGraph:
    """The mechanism of `ports` as a bond graph with its causality, found by the sequential
    procedure.

    Multibonds have the flows and efforts of a port, three velocities or three angular velocities of
    a body or the rates of a joint, and nodes their matrices and numbers at a state (the start, if
    none is given), in its mode. With `vectors=False` every bond is a scalar: inertias and flow
    sources over the rates of the joints' coordinates, in the mode that the system was told to
    `enter`.

    The graph's text (`print`), `as_dict()` and `touchback.draw.bond_graph_svg` show it."""
    own = _in_mode_of(system, x) if vectors and x is not None else system
    start = own.assemble() if own.constrained else own.initial_state()
    q = start.q + _STIR * np.random.default_rng(1).uniform(0.5, 1.0, len(start.q))
    left_out = own.freedoms(start.q).redundant if own.constrained else ()
    if vectors:
        key = ("multibonds", own.key, left_out)
        made = own.dynamics.derive_once(key, lambda: _derive_multibonds(own, left_out))
        here = start.x if x is None else _numbers(own, x)
        stirred = np.concatenate([q, start.x[len(q) :]])
        numbers = (_evaluated(own, made.function, each, inputs, t) for each in (here, stirred))
        return made.layout.graph(*numbers)
    rows: dict[str, list[float]] = {}
    if own.constrained:
        J = own.dynamics.assembler(own.calls, At()).positions(q)[1]
        named = zip(own.constraint_names, J, strict=True)
        rows = {name: row.tolist() for name, row in named if name not in left_out}
    return bond_graph_of(own.model, list(q), rows)


def _numbers(system: System, x: State | ArrayLike | None) -> Floats:
    given = system.initial_state() if x is None else x
    names = system.state_names
    return finite_elements(system.name, names, elements_of(system.name, names, system.sizes, given))


def _in_mode_of(system: System, x: State | ArrayLike | None) -> System:
    """A system of its own, in the mode of a state."""
    own = system.independent_copy()
    values = _numbers(own, x)
    own.mode_of(values)  # refused when its modes have no such number
    for group in own.dynamics.modes.groups:
        number = int(values[own.state_names.index(group.state)])
        own.enter(group.modes[number])
    return own


def _evaluated(
    system: System, function: Function, values: Floats, inputs: Values, t: float
) -> Floats:
    """A function of the state and of what the equations are solved for there."""
    q, v, z = np.split(values, np.cumsum(system.sizes)[:2])
    at = At(q, v, inputs, t, z)
    given = np.concatenate(system.dynamics.solve(system.calls, at))
    return system.call_function(function, at, given)


@dataclass(frozen=True)
class _Multibonds:
    """The compiled function of all entries of a graph, and how its numbers are read."""

    function: Function
    layout: MultibondLayout


def _derive_multibonds(system: System, left_out: Sequence[str]) -> _Multibonds:
    d = _solved_derivation(system)
    rows = constraint_rows(d.instant)
    d.instant.a = d.accelerations
    kept = dict(rows_by_constraint(d.instant.model.constraint_rows(), rows, left_out))
    layout = multibond_layout(d.tape, d.instant, kept)
    return _Multibonds(d.functions({"multibonds": layout.scalars()})["multibonds"], layout)


def _solved_derivation(system: System) -> Derivation:
    """One whose functions know what the equations are solved for, with all rigid joints."""
    motion, key = system.dynamics, system.key
    arguments = solved_arguments(system.layout, motion.rows(key).names)
    motion.refuse("functions")
    return motion.derive(motion.model(key), arguments, merge_fixed=False)


@dataclass(frozen=True)
class _Shape:
    """The compiled function of all ports, and how its numbers are read."""

    function: Function
    made: PortExchange
    ideal: frozenset[str]

    def __call__(self, numbers: Floats) -> Ports:
        take = _reader(numbers)
        made = self.made
        bodies = tuple(Port(p.owner, p.body, *take(5, 3)) for p in made.bodies)
        bonds = tuple(Bond(b.owner, b.joint, *map(float, take(2))) for b in made.coordinates)
        motions = tuple(BodyMotion(m.body, m.immersed, *take(9, 3)) for m in made.motions)
        demanded = {owner: float(take(1)[0]) for owner in made.demanded}
        return Ports(bodies, bonds, motions, self.ideal, demanded)


def _reader(numbers: Floats) -> Callable[..., Floats]:
    """Takes arrays of given shapes from a row of numbers, one after the other."""
    place = 0

    def take(*shape: int) -> Floats:
        nonlocal place
        start, place = place, place + int(np.prod(shape))
        return numbers[start:place].reshape(shape)

    return take


def _derive(system: System) -> _Shape:
    d = _solved_derivation(system)
    rows = constraint_rows(d.instant)
    d.instant.a = d.accelerations
    made = port_exchange(d.tape, d.instant, rows, d.multipliers(rows))
    nodes = [
        *(x for port in made.bodies for x in port.scalars()),
        *(x for port in made.coordinates for x in port.scalars()),
        *(x for body in made.motions for x in body.scalars()),
        *made.demanded.values(),
    ]
    function = d.functions({"ports": nodes})["ports"]
    return _Shape(function, made, made.ideal)


def _grouped(every: Sequence[Port]) -> Iterator[tuple[str, list[Port]]]:
    owners = dict.fromkeys(port.owner for port in every)
    return ((owner, [port for port in every if port.owner == owner]) for owner in owners)


def _wrench(port: Port, point: Floats) -> tuple[Floats, Floats]:
    """A port's wrench as one at another point."""
    return port.force, port.torque + np.cross(port.point - point, port.force)


def _imbalance(
    wrenches: Sequence[tuple[Floats, Floats]], size: float, least: tuple[float, float] = (0.0, 0.0)
) -> float:
    """What is left of the sums of forces and of moments, as a part of the largest of each, which is
    at least this; that of moments at least the largest force times a size."""
    left, reach = 0.0, 0.0
    for parts, known in zip(zip(*wrenches, strict=True), least, strict=True):
        largest = max(known, reach, *(float(np.abs(part).max()) for part in parts))
        if largest > 0.0:
            left = max(left, float(np.abs(np.sum(parts, axis=0)).max()) / largest)
        reach = size * largest
    return left

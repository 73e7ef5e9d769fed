"""A system in natural coordinates: compiled, for the same formulations as relative coordinates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from touchback.codegen import compile_program
from touchback.errors import InputError
from touchback.model.frame import Frame
from touchback.model.model import Model
from touchback.model.signals import BaseMotion
from touchback.native import Constrained, ConstrainedFunctions, Problem, evaluate_rows
from touchback.spatial.vectors import Scalar
from touchback.symbolic import Tape, lower
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.natural.mechanism import NaturalMechanism, Placed
from touchback.system.system import System

Floats = np.ndarray

_ROUNDING = 1e-14  # [m, -]


class NaturalCoordinates:
    """Points and unit vectors of a mechanism under gravity, in place of its joint coordinates.

    M ẍ = f + Jᵀ λ with M and f constant, and constraints that are at most quadratic, so that J is
    linear in x (García de Jalón and Bayo 1994, sections 2 and 4; Gallo 2012, section 2.2.2).
    Anything but gravity is refused by name.
    """

    def __init__(self, system: System, x0: Floats) -> None:
        """`x0` is an assembled state of the system: parameters have their values."""
        self._system = system
        d = system.derive()
        model = d.instant.model
        _refuse_forces(model)
        self.mechanism = NaturalMechanism(
            model.joints, model.closures, _placed(system, d, model, x0)
        )
        self.size = len(self.mechanism.unknowns)

    @property
    def names(self) -> list[str]:
        """Of the positions and, behind "v:", of the velocities."""
        names = [unknown.name for unknown in self.mechanism.unknowns]
        return [*names, *(f"v:{name}" for name in names)]

    @cached_property
    def _coordinates(self) -> Function:
        """[x, v] of a state in relative coordinates."""
        d = self._system.derive()
        found: list[list[Scalar]] = [[], []]
        for unknown in self.mechanism.unknowns:
            here, there = Frame(unknown.body), Frame(unknown.body, unknown.at)
            for nodes, ask in zip(found, (d.instant.position, d.instant.velocity), strict=True):
                node = ask(there)[unknown.axis]
                nodes.append(d.tape.sub(node, ask(here)[unknown.axis]) if unknown.unit else node)
        return d.functions({"natural": [*found[0], *found[1]]})["natural"]

    def states(self, states: Floats) -> Floats:
        """[x, v] of each row of states in relative coordinates."""
        return _evaluated(self._system, self._coordinates, states)

    @cached_property
    def functions(self) -> ConstrainedFunctions:
        """What formulations need."""
        mechanism, n = self.mechanism, self.size
        tape = Tape()
        x = [tape.symbol(f"x{i}") for i in range(n)]
        v = [tape.symbol(f"v{i}") for i in range(n)]
        places = {node: ("x", i) for i, node in enumerate([*x, *v])}
        h, J, gamma = [], [], []
        where: list[tuple[int, int]] = []
        for row, Q in enumerate(mechanism.constraints):
            columns = np.flatnonzero(np.abs(Q[:, 1:]).any(axis=0))
            slopes = [_affine(tape, Q[1 + i, 0], Q[1 + i, 1:], x) for i in columns]
            bends = [_affine(tape, 0.0, Q[1 + i, 1:], v) for i in columns]
            total = tape.const(Q[0, 0])
            bend = 0
            for i, slope, turned in zip(columns, slopes, bends, strict=True):
                both = tape.add(slope, tape.const(Q[0, 1 + i]))
                total = tape.add(total, tape.mul(x[i], both))
                bend = tape.add(bend, tape.mul(v[i], turned))
            h.append(tape.mul(tape.const(0.5), total))
            gamma.append(bend)
            J += slopes
            where += [(row, int(i)) for i in columns]
        masses = [(int(i), int(j)) for i, j in zip(*np.nonzero(np.tril(mechanism.M)), strict=True)]
        terms = [
            *h, *[0] * len(h), *gamma, *J,
            *(tape.const(mechanism.M[place]) for place in masses),
            *(tape.const(force) for force in mechanism.f),
        ]  # fmt: skip
        rows, columns_of_J = np.array(where, dtype=np.int32).reshape(-1, 2).T
        M_rows, M_columns = np.array(masses, dtype=np.int32).reshape(-1, 2).T
        return ConstrainedFunctions(
            sizes=(n, n, 0),
            names=mechanism.rows,
            terms=compile_program(lower(tape, terms, places), "natural_terms"),
            positions=compile_program(lower(tape, [*h, *J], places), "natural_positions"),
            velocity_level=None,
            configuration_rate=None,
            J_rows=rows,
            J_columns=columns_of_J,
            M_rows=M_rows,
            M_columns=M_columns,
            holonomic=np.ones(len(h), dtype=bool),
        )

    def problem(self, formulation: str | None) -> Problem:
        """What a run integrates."""
        return Constrained(self.functions, formulation).problem()

    def energies(self, states: Floats) -> tuple[Floats, Floats]:
        """Kinetic and potential energy at each row of natural states [J]."""
        x, v = states[:, : self.size], states[:, self.size :]
        mechanism = self.mechanism
        return 0.5 * np.sum(v @ mechanism.M * v, axis=1), mechanism.level - x @ mechanism.f

    def violation(self, states: Floats) -> tuple[Floats, Floats]:
        """max |h| and max |J v| at each row of natural states."""
        y = np.hstack([np.ones((len(states), 1)), states[:, : self.size]])
        v, position, velocity = states[:, self.size :], [], []
        for Q in self.mechanism.constraints:
            slopes = y @ Q
            position.append(np.abs(0.5 * np.sum(slopes * y, axis=1)))
            velocity.append(np.abs(np.sum(slopes[:, 1:] * v, axis=1)))
        nothing = [np.zeros(len(states))]
        return np.max(position or nothing, axis=0), np.max(velocity or nothing, axis=0)


def _affine(tape: Tape, start: float, row: Floats, symbols: list[int]) -> int:
    total = tape.const(float(start))
    for i in np.flatnonzero(row):
        total = tape.add(total, tape.mul(tape.const(float(row[i])), symbols[i]))
    return total


def _refuse_forces(model: Model) -> None:
    words = ("spring", "damping", "friction", "armature", "limits")
    found = [
        f"{word} of joint '{name}'"
        for name, joint in model.joints.items()
        for word in words
        if any(given != 0.0 for given in getattr(joint, word) or ())
    ]
    sections = (
        "forces", "controls", "drives", "couplings", "constraints", "states", "contacts", "modes",
    )  # fmt: skip
    found += [
        f"{section.removesuffix('s')} '{name}'"
        for section in sections
        for name in getattr(model, section)
    ]
    found += [] if model.base == BaseMotion() else ["the moving base"]
    if found:
        raise InputError(
            f"{model.name}: natural coordinates are measured under gravity alone, but there is "
            f"{', '.join(found[:4])}; leave it out, or measure relative coordinates only."
        )


def _evaluated(system: System, function: Function, states: Floats) -> Floats:
    block = function.block_for(np.array(list(system.parameters.values())))
    inputs = np.append(0.0, system.input_defaults)
    compiled = function.compiled
    rows = np.ascontiguousarray(states, dtype=float)
    return evaluate_rows(
        compiled.address, rows, np.tile(inputs, (len(rows), 1)), block, function.out_size,
        compiled.work_size, compiled.context_address,
    )  # fmt: skip


def _placed(system: System, d: Derivation, model: Model, x0: Floats) -> Placed:
    """The numbers of a model at a state."""
    ends = [end for each in model.joints.values() for end in (each.parent, each.child)]
    ends += [end for each in model.closures.values() for end in (each.a, each.b)]
    frames = list(dict.fromkeys(ends))
    bodies = list(dict.fromkeys(frame.body for frame in frames))
    nodes: list[Scalar] = []
    for frame in [*(Frame(body) for body in bodies), *frames]:
        nodes += d.instant.position(frame)
        nodes += [entry for row in d.instant.rotation(frame) for entry in row]
    weighed = [body for body in bodies if body in model.bodies]
    for name in weighed:
        body = model.bodies[name]
        nodes += [d.instant.value(given) for given in (body.mass, *body.com, *body.inertia)]
    nodes += list(d.instant.gravity())
    numbers = _evaluated(system, d.functions({"placed": nodes})["placed"], x0[None, :])[0]
    poses, rest = np.split(numbers, [12 * (len(bodies) + len(frames))])
    placed = [(row[:3], row[3:].reshape(3, 3)) for row in poses.reshape(-1, 12)]
    at = dict(zip(bodies, placed, strict=False))
    local = {}
    for frame, (p, R) in zip(frames, placed[len(bodies) :], strict=True):
        p_body, R_body = at[frame.body]
        local[frame] = (_tidy(R_body.T @ (p - p_body)), _tidy(R_body.T @ R))
    masses = {
        name: _moments(*np.split(row, [1, 4]))
        for name, row in zip(weighed, rest[:-3].reshape(-1, 10), strict=True)
    }
    return Placed(local, at, masses, rest[-3:])


def _tidy(numbers: Floats) -> Floats:
    """Without the rounding of zeros, so that what is constant looks so."""
    return np.where(np.abs(numbers) < _ROUNDING, 0.0, numbers)


def _moments(mass: Floats, com: Floats, inertia: Floats) -> Floats:
    """∫ (1, s)(1, s)ᵀ dm about the body's origin."""
    xx, yy, zz, xy, xz, yz = inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    found = np.zeros((4, 4))
    found[0, 0], found[0, 1:], found[1:, 0] = mass[0], mass * com, mass * com
    found[1:, 1:] = 0.5 * np.trace(tensor) * np.eye(3) - tensor + mass * np.outer(com, com)
    return found

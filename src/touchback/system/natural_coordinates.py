"""A system in natural coordinates: compiled, for the same formulations as relative coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from touchback.codegen import compile_program
from touchback.errors import InputError
from touchback.model import (
    COINCIDENT_POINTS,
    GROUND,
    BaseMotion,
    Closure,
    CoincidentComponent,
    Direction,
    Equation,
    Frame,
    Free,
    Joint,
    Model,
    Perpendicular,
)
from touchback.native import Constrained, ConstrainedFunctions, Problem, evaluate_rows
from touchback.numbers import Scalar
from touchback.symbolic import Tape, lower
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation
from touchback.system.system import System

Floats = np.ndarray


_NOTHING = 1e-12  # of a constraint's largest coefficient: counts as zero


def quadratic_form(a: Floats, b: Floats, less: float = 0.0, per: float = 1.0) -> Floats:
    """Q of (a·b − less)/per."""
    Q: Floats = a.T @ b
    Q = Q + Q.T
    Q[0, 0] -= 2.0 * less
    return Q / per


def cross(constant: Floats, vector: Floats) -> Floats:
    """A vector of numbers (3,) times one that is linear in the unknowns."""
    return np.cross(constant, vector, axisa=0, axisb=0, axisc=0)


def determined_unknowns(constraints: Iterable[Floats]) -> dict[int, float]:
    """Unknowns that constraints of one unknown alone determine: their places in y, and values."""
    found = {}
    for Q in constraints:
        if largest_magnitude(Q[1:, 1:]) <= _NOTHING * largest_magnitude(Q):
            places = np.flatnonzero(np.abs(Q[0, 1:]) > _NOTHING * largest_magnitude(Q)) + 1
            if len(places) == 1:
                found[int(places[0])] = float(-0.5 * Q[0, 0] / Q[0, places[0]])
    return found


def substitution_matrix(size: int, values: dict[int, float]) -> Floats:
    """T of y = T y', where y' is without the unknowns whose values are given."""
    T = np.delete(np.eye(size), list(values), axis=1)
    for place, value in values.items():
        T[place, 0] = value
    return T


def depends_on_unknowns(Q: Floats, scale: float) -> bool:
    """Whether a constraint says anything about the unknowns."""
    return max(largest_magnitude(Q[1:, 1:]), largest_magnitude(Q[0, 1:])) > _NOTHING * scale


def is_same_constraint(Q: Floats, other: Floats) -> bool:
    """Whether two constraints are the same but for a factor."""
    place = np.unravel_index(np.argmax(np.abs(Q)), Q.shape)
    if other[place] == 0.0:
        return False
    return largest_magnitude(Q / Q[place] - other / other[place]) < 1e-9


def largest_magnitude(array: Floats) -> float:
    """The largest magnitude, 0 of nothing."""
    return float(np.abs(array).max(initial=0.0))


# A mechanism as points and unit vectors: which there are, who shares them, what ties them.
#
# Bodies are described from the ground outwards. A joint hands on what its two bodies share: the
# point of a ball, the point and the axis of a hinge, all directions of a slide. What a body still
# lacks to have a point and three directions is added: points where other joints and closures
# attach first, then unit vectors along their axes. A direction that never turns makes the third
# one a cross product that is linear in the unknowns, so that a body in a plane needs two points
# and nothing else.

_INDEPENDENT = 1e-3  # least singular value of unit directions that span something


_ROUNDING_OF_ROWS = 1e-13  # of the largest entry of a matrix


_PER_BODY = 12  # unknowns of a point and three unit vectors


_CLOSED = 1e-8  # [m, -]: error of a constraint without unknowns


@dataclass(frozen=True)
class PlacedModel:
    """Numbers of a model at one state. Frames: position and rotation in their body; bodies: in the
    ground's frame; masses: mass [kg], first moments [kg m] and second moments [kg m²] as one
    symmetric 4×4 matrix, about the body's origin."""

    frames: Mapping[Frame, tuple[Floats, Floats]]
    bodies: Mapping[str, tuple[Floats, Floats]]
    masses: Mapping[str, Floats]
    gravity: Floats


@dataclass(frozen=True)
class Unknown:
    """One coordinate: component `axis` of a point `at` of a body, or of a direction (`unit`)."""

    body: str
    at: tuple[float, float, float]
    axis: int
    unit: bool

    @property
    def name(self) -> str:
        """As "rod (0.4, 0, 0).x", a unit vector in brackets."""
        numbers = ", ".join(f"{number:.4g}" for number in self.at)
        return f"{self.body} {f'[{numbers}]' if self.unit else f'({numbers})'}.{'xyz'[self.axis]}"


@dataclass
class _SharedVector:
    """A point or direction of a body that others have described already; `of` is the closure that
    offers it, None the joint that carries the body."""

    local: Floats
    vector: Floats
    unit: bool
    of: str | None


@dataclass
class _Basis:
    """Directions that a body has so far, in its own axes and as vectors of the unknowns; derived
    ones are cross products of others."""

    local: list[Floats] = field(default_factory=list)
    vector: list[Floats] = field(default_factory=list)
    derived: list[bool] = field(default_factory=list)

    def add(self, local: Floats, vector: Floats, derived: bool = False) -> bool:
        """Take a direction unless it lies in the span of those that there are."""
        length = np.linalg.norm(local)
        if len(self.local) == 3 or length == 0.0:
            return False
        some = np.array([*self.local, local])
        units = some / np.linalg.norm(some, axis=1, keepdims=True)
        if np.linalg.svd(units, compute_uv=False)[-1] < _INDEPENDENT:
            return False
        self.local.append(local)
        self.vector.append(vector)
        self.derived.append(derived)
        self._complete()
        return True

    def _complete(self) -> None:
        """The third direction, square to a constant one and another one."""
        if len(self.local) != 2:
            return
        for one, other in ((0, 1), (1, 0)):
            if not largest_magnitude(self.vector[one][:, 1:]):
                local = np.cross(self.local[one], self.local[other])
                self.add(local, cross(self.vector[one][:, 0], self.vector[other]), derived=True)
                return


@dataclass(frozen=True)
class _FrameVectors:
    """Vectors of the two frames of a joint or closure, linear in the unknowns."""

    between: Floats
    common_axes: Floats
    direction_of_a: Callable[[Direction], Floats]
    direction_of_b: Callable[[Direction], Floats]

    def offset(self) -> Floats:
        """p_AB."""
        return self.between

    def common_axis(self, axis: int) -> Floats:
        """An axis of the closest common body."""
        own: Floats = self.common_axes[axis]
        return own


class NaturalMechanism:
    """Unknowns x, constraints h = ½ yᵀ Q y with y = (1, x), mass matrix M and forces f, all of
    numbers: M ẍ = f + Jᵀ λ. The potential energy is `level` − f·x."""

    def __init__(
        self, joints: Mapping[str, Joint], closures: Mapping[str, Closure], placed: PlacedModel
    ) -> None:
        self._joints, self._placed = joints, placed
        self._closures = {name: each for name, each in closures.items() if each.active}
        self._size = 1 + _PER_BODY * len(joints)
        self._frames: dict[str, Floats] = {
            GROUND: self._ground_frame()
        }  # (4, 3, size): origin, axes
        self._parents = {each.child.body: each.parent.body for each in joints.values()}
        self._unknowns: list[Unknown] = []
        self._named: list[tuple[str, Floats]] = []  # constraints
        waiting = dict(joints)
        while waiting:
            name = next(n for n, each in waiting.items() if each.parent.body in self._frames)
            self._describe_body(name, waiting.pop(name))
        for name, closure in self._closures.items():
            self._constrain_frames(name, closure.kind.equations(), closure.a, closure.b)
        self._drop_constant_unknowns()

    # ---- bodies ---------------------------------------------------------------------------------

    def _ground_frame(self) -> Floats:
        frame = np.zeros((4, 3, self._size))
        frame[1:, :, 0] = np.eye(3)
        return frame

    def _point(self, frame: Frame) -> Floats:
        return self._point_at(frame.body, self._placed.frames[frame][0])

    def _point_at(self, body: str, local: Floats) -> Floats:
        origin, axes = self._frames[body][0], self._frames[body][1:]
        point: Floats = origin + np.tensordot(local, axes, 1)
        return point

    def _direction(self, frame: Frame, direction: Sequence[float]) -> Floats:
        local = self._placed.frames[frame][1] @ np.array(direction)
        turned: Floats = np.tensordot(local, self._frames[frame.body][1:], 1)
        return turned

    def _describe_body(self, name: str, joint: Joint) -> None:
        """The frame of a joint's child as vectors of the unknowns, with what keeps it rigid."""
        body = joint.child.body
        free = isinstance(joint.kind, Free)
        equations = () if free else joint.kind.equations()
        shared = joint.kind.shared_axes()
        offers = self._shared_vectors(None, equations, shared, joint.parent, joint.child)
        for closing, closure in self._closures.items():
            a, b = closure.a, closure.b
            if a.body == body:
                a, b = b, a
            if b.body == body and a.body in self._frames:
                kind = closure.kind
                offers += self._shared_vectors(closing, kind.equations(), kind.shared_axes(), a, b)
        self._frames[body], used = self._span_body(body, joint, offers)
        rest: list[Equation] = [
            each
            for each in equations
            if not (
                isinstance(each, CoincidentComponent)
                or (isinstance(each, Perpendicular) and shared)
            )
        ]
        self._constrain_frames(name, rest, joint.parent, joint.child)
        for closing in used:
            kind = self._closures[closing].kind
            meets = any(offer.of == closing and not offer.unit for offer in offers)
            rest = [
                each
                for each in kind.equations()
                if not (isinstance(each, CoincidentComponent) and meets)
            ]
            closure = self._closures.pop(closing)
            self._constrain_frames(closing, rest, closure.a, closure.b)

    def _shared_vectors(
        self,
        of: str | None,
        equations: Sequence[Equation],
        axes: Sequence[Sequence[float]],
        a: Frame,
        b: Frame,
    ) -> list[_SharedVector]:
        """What frame b's body shares with frame a's, which is described."""
        at, R = self._placed.frames[b]
        found = []
        if of is None:
            found = [
                _SharedVector(R @ np.array(axis), self._direction(a, axis), True, of)
                for axis in axes
            ]
        if set(COINCIDENT_POINTS) <= set(equations):
            found.insert(0, _SharedVector(at, self._point(a), False, of))
        elif (
            of is not None and sum(isinstance(each, CoincidentComponent) for each in equations) == 2
        ):
            point = self._point_in_plane(equations, a, b)
            found += [] if point is None else [_SharedVector(at, point, False, of)]
        return found

    def _point_in_plane(self, equations: Sequence[Equation], a: Frame, b: Frame) -> Floats | None:
        """The point of frame b where it meets frame a's in a plane of the ground that the joints
        of both bodies keep to; None where they needn't."""
        (missing,) = {0, 1, 2} - {
            each.axis for each in equations if isinstance(each, CoincidentComponent)
        }
        if self._common_body(a.body, b.body) != GROUND:
            return None
        normal = np.eye(3)[missing]
        carrier = next(each for each in self._joints.values() if each.child.body == b.body)
        R_b = self._placed.bodies[b.body][1]
        axes = [
            R_b @ self._placed.frames[carrier.child][1] @ np.array(axis)
            for axis in carrier.kind.shared_axes()
        ]
        parent = np.tensordot(
            self._placed.bodies[carrier.parent.body][1].T @ normal,
            self._frames[carrier.parent.body][1:],
            1,
        )
        other = np.tensordot(self._placed.bodies[a.body][1].T @ normal, self._frames[a.body][1:], 1)
        flat = not largest_magnitude(parent[:, 1:]) and not largest_magnitude(other[:, 1:])
        if not flat or not any(abs(axis @ normal) > 1.0 - 1e-12 for axis in axes):
            return None
        offset = (self._world_position(b) - self._world_position(a)) @ normal
        point = self._point(a).copy()
        point[missing, 0] += offset
        return point

    def _common_body(self, one: str, other: str) -> str:
        above = [one]
        while above[-1] != GROUND:
            above.append(self._parents[above[-1]])
        while other not in above:
            other = self._parents[other]
        return other

    def _world_position(self, frame: Frame) -> Floats:
        p, R = self._placed.bodies[frame.body]
        place: Floats = p + R @ self._placed.frames[frame][0]
        return place

    def _span_body(
        self, body: str, joint: Joint, offers: Sequence[_SharedVector]
    ) -> tuple[Floats, set[str]]:
        """The frame of a body from what it shares and from new unknowns, and the closures whose
        points are among it."""
        points = [offer for offer in offers if not offer.unit]
        used: set[str] = set()
        if points:
            start, origin = points[0].local, points[0].vector
            used |= {points[0].of} if points[0].of else set()
        else:
            start = self._placed.frames[joint.child][0]
            origin = self._add_unknowns(body, start, False)
        basis = _Basis()
        for offer in offers:
            if offer.unit:
                basis.add(offer.local, offer.vector)
        for offer in points[1:]:
            if basis.add(offer.local - start, offer.vector - origin) and offer.of:
                used.add(offer.of)
        for at in self._attachments(body):
            if len(basis.local) < 3 and _Basis(basis.local[:], basis.vector[:]).add(
                at - start, origin
            ):
                basis.add(at - start, self._add_unknowns(body, at, False) - origin)
        for axis in self._axes(body):
            if len(basis.local) < 3 and _Basis(basis.local[:], basis.vector[:]).add(axis, origin):
                basis.add(axis, self._add_unknowns(body, axis, True))
        self._keep_rigid(body, basis)
        inverse = np.linalg.inv(np.array(basis.local).T)
        axes = np.tensordot(inverse.T, np.array(basis.vector), 1)
        frame = np.array([origin - np.tensordot(start, axes, 1), *axes])
        frame[np.abs(frame) < _ROUNDING_OF_ROWS * largest_magnitude(frame)] = 0.0
        return frame, used

    def _attachments(self, body: str) -> list[Floats]:
        """Points of a body where something attaches; its centre of mass last."""
        frames = [each.parent for each in self._joints.values()]
        frames += [frame for each in self._closures.values() for frame in (each.a, each.b)]
        moments = self._placed.masses[body]
        found = [self._placed.frames[frame][0] for frame in frames if frame.body == body]
        return [*found, moments[0, 1:] / moments[0, 0]] if moments[0, 0] else found

    def _axes(self, body: str) -> list[Floats]:
        """Unit vectors of a body: axes of the joints that it carries, then its own."""
        found = [
            self._placed.frames[each.parent][1] @ np.array(axis)
            for each in self._joints.values()
            if each.parent.body == body
            for axis in each.kind.shared_axes()
        ]
        return [*found, *np.eye(3)]

    def _add_unknowns(self, body: str, at: Floats, unit: bool) -> Floats:
        """Three more unknowns."""
        vector = np.zeros((3, self._size))
        x, y, z = map(float, at)
        for axis in range(3):
            self._unknowns.append(Unknown(body, (x, y, z), axis, unit))
            vector[axis, len(self._unknowns)] = 1.0
        return vector

    # ---- constraints ----------------------------------------------------------------------------

    def _keep_rigid(self, body: str, basis: _Basis) -> None:
        """Lengths and angles of the directions of a body stay what they are."""
        own = [k for k in range(3) if not basis.derived[k]]
        for place, i in enumerate(own):
            for j in own[: place + 1]:
                a, b = basis.local[i], basis.local[j]
                per = max(np.linalg.norm(a), np.linalg.norm(b)) * (2.0 if i == j else 1.0)
                Q = quadratic_form(basis.vector[i], basis.vector[j], float(a @ b), float(per))
                self._named.append((f"{body} rigid", Q))

    def _constrain_frames(
        self, name: str, equations: Sequence[Equation], a: Frame, b: Frame
    ) -> None:
        """What a joint or closure demands of the unknowns."""
        vectors = _FrameVectors(
            self._point(b) - self._point(a),
            self._frames[self._common_body(a.body, b.body)][1:],
            lambda direction: self._direction(a, direction),
            lambda direction: self._direction(b, direction),
        )
        distance = float(np.linalg.norm(self._world_position(b) - self._world_position(a)))
        for equation in equations:
            factors = equation.inner_product(vectors)
            if factors is None:
                raise InputError(
                    f"'{name}': its equation {type(equation).__name__} isn't described in natural "
                    "coordinates (nothing that rolls or skates is); measure relative coordinates "
                    "only."
                )
            value, scale = equation.value_and_scale(distance)
            Q = quadratic_form(*factors, value, scale)
            self._named.append((name, Q))

    def _drop_constant_unknowns(self) -> None:
        """Take away unknowns that are constant and constraints that say nothing new."""
        size = 1 + len(self._unknowns)
        frames = {body: frame[..., :size] for body, frame in self._frames.items()}
        named = [(name, Q[:size, :size]) for name, Q in self._named]
        scales = [largest_magnitude(Q) for _, Q in named]
        while values := determined_unknowns(Q for _, Q in named):
            T = substitution_matrix(len(named[0][1]), values)
            frames = {body: frame @ T for body, frame in frames.items()}
            named = [(name, T.T @ Q @ T) for name, Q in named]
            left = [u for i, u in enumerate(self._unknowns) if i + 1 not in values]
            self._unknowns = left
            named = self._constraints_on_unknowns(named, scales)
            scales = [largest_magnitude(Q) for _, Q in named]
        named = self._constraints_on_unknowns(named, scales)
        kept: list[tuple[str, Floats]] = []
        for name, Q in named:
            if not any(is_same_constraint(Q, other) for _, other in kept):
                kept.append((name, Q))
        self.unknowns = tuple(self._unknowns)
        self.rows = tuple(f"{name} {i + 1}" for i, (name, _) in enumerate(kept))
        self.constraints = [Q for _, Q in kept]
        self._sum_masses(frames)

    @staticmethod
    def _constraints_on_unknowns(
        named: Sequence[tuple[str, Floats]], scales: Sequence[float]
    ) -> list[tuple[str, Floats]]:
        """Constraints on unknowns; those that are left without any must be met."""
        found = []
        for (name, Q), scale in zip(named, scales, strict=True):
            if depends_on_unknowns(Q, scale):
                found.append((name, Q))
            elif abs(Q[0, 0]) > _CLOSED * max(scale, 1.0):
                raise InputError(
                    f"Natural coordinates: '{name}' is off by {0.5 * Q[0, 0]:.3g} at the start; "
                    "start from an assembled state."
                )
        return found

    def _sum_masses(self, frames: Mapping[str, Floats]) -> None:
        n = len(self.unknowns)
        self.M, self.f, self.level = np.zeros((n, n)), np.zeros(n), 0.0
        for body, moments in self._placed.masses.items():
            frame, g = frames[body], self._placed.gravity
            moving = frame[..., 1:]
            self.M += np.einsum("ab,aki,bkj->ij", moments, moving, moving)
            weighted = np.tensordot(moments[0], frame, 1)  # mass times the centre of mass
            self.f += g @ weighted[:, 1:]
            self.level -= float(g @ weighted[:, 0])
        self.M[np.abs(self.M) < _ROUNDING_OF_ROWS * largest_magnitude(self.M)] = 0.0


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


def _placed(system: System, d: Derivation, model: Model, x0: Floats) -> PlacedModel:
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
    return PlacedModel(local, at, masses, rest[-3:])


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

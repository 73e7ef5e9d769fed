"""A mechanism as points and unit vectors: which there are, who shares them, what ties them.

Bodies are described from the ground outwards. A joint hands on what its two bodies share: the point
of a ball, the point and the axis of a hinge, all directions of a slide. What a body still lacks to
have a point and three directions is added: points where other joints and closures attach first,
then unit vectors along their axes. A direction that never turns makes the third one a cross product
that is linear in the unknowns, so that a body in a plane needs two points and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.model.closures import Closure
from touchback.model.equations import TOGETHER, Along, Apart, Equation, Meet, Square
from touchback.model.frame import GROUND, Frame
from touchback.model.joints import Free, Joint
from touchback.system.natural.affine import (
    Floats,
    cross,
    depends,
    dot,
    known,
    largest,
    same,
    substitution,
)

_INDEPENDENT = 1e-3  # least singular value of unit directions that span something
_ROUNDING = 1e-13  # of the largest entry of a matrix
_PER_BODY = 12  # unknowns of a point and three unit vectors
_CLOSED = 1e-8  # [m, -]: error of a constraint without unknowns


@dataclass(frozen=True)
class Placed:
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
class _Offer:
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
            if not largest(self.vector[one][:, 1:]):
                local = np.cross(self.local[one], self.local[other])
                self.add(local, cross(self.vector[one][:, 0], self.vector[other]), derived=True)
                return


class NaturalMechanism:
    """Unknowns x, constraints h = ½ yᵀ Q y with y = (1, x), mass matrix M and forces f, all of
    numbers: M ẍ = f + Jᵀ λ. The potential energy is `level` − f·x."""

    def __init__(
        self, joints: Mapping[str, Joint], closures: Mapping[str, Closure], placed: Placed
    ) -> None:
        self._joints, self._placed = joints, placed
        self._closures = {name: each for name, each in closures.items() if each.active}
        self._size = 1 + _PER_BODY * len(joints)
        self._frames: dict[str, Floats] = {GROUND: self._constant()}  # (4, 3, size): origin, axes
        self._parents = {each.child.body: each.parent.body for each in joints.values()}
        self._unknowns: list[Unknown] = []
        self._named: list[tuple[str, Floats]] = []  # constraints
        waiting = dict(joints)
        while waiting:
            name = next(n for n, each in waiting.items() if each.parent.body in self._frames)
            self._describe(name, waiting.pop(name))
        for name, closure in self._closures.items():
            self._tie(name, closure.kind.equations(), closure.a, closure.b)
        self._finish()

    # ---- bodies ---------------------------------------------------------------------------------

    def _constant(self) -> Floats:
        frame = np.zeros((4, 3, self._size))
        frame[1:, :, 0] = np.eye(3)
        return frame

    def _point(self, frame: Frame) -> Floats:
        return self._at(frame.body, self._placed.frames[frame][0])

    def _at(self, body: str, local: Floats) -> Floats:
        origin, axes = self._frames[body][0], self._frames[body][1:]
        point: Floats = origin + np.tensordot(local, axes, 1)
        return point

    def _direction(self, frame: Frame, direction: Sequence[float]) -> Floats:
        local = self._placed.frames[frame][1] @ np.array(direction)
        turned: Floats = np.tensordot(local, self._frames[frame.body][1:], 1)
        return turned

    def _describe(self, name: str, joint: Joint) -> None:
        """The frame of a joint's child as vectors of the unknowns, with what keeps it rigid."""
        body = joint.child.body
        free = isinstance(joint.kind, Free)
        equations = () if free else joint.kind.equations()
        shared = joint.kind.shared_axes()
        offers = self._shared(None, equations, shared, joint.parent, joint.child)
        for closing, closure in self._closures.items():
            a, b = closure.a, closure.b
            if a.body == body:
                a, b = b, a
            if b.body == body and a.body in self._frames:
                kind = closure.kind
                offers += self._shared(closing, kind.equations(), kind.shared_axes(), a, b)
        self._frames[body], used = self._span(body, joint, offers)
        rest: list[Equation] = [
            each
            for each in equations
            if not (isinstance(each, Meet) or (isinstance(each, Square) and shared))
        ]
        self._tie(name, rest, joint.parent, joint.child)
        for closing in used:
            kind = self._closures[closing].kind
            meets = any(offer.of == closing and not offer.unit for offer in offers)
            rest = [each for each in kind.equations() if not (isinstance(each, Meet) and meets)]
            closure = self._closures.pop(closing)
            self._tie(closing, rest, closure.a, closure.b)

    def _shared(
        self,
        of: str | None,
        equations: Sequence[Equation],
        axes: Sequence[Sequence[float]],
        a: Frame,
        b: Frame,
    ) -> list[_Offer]:
        """What frame b's body shares with frame a's, which is described."""
        at, R = self._placed.frames[b]
        found = []
        if of is None:
            found = [
                _Offer(R @ np.array(axis), self._direction(a, axis), True, of) for axis in axes
            ]
        if set(TOGETHER) <= set(equations):
            found.insert(0, _Offer(at, self._point(a), False, of))
        elif of is not None and sum(isinstance(each, Meet) for each in equations) == 2:
            point = self._in_plane(equations, a, b)
            found += [] if point is None else [_Offer(at, point, False, of)]
        return found

    def _in_plane(self, equations: Sequence[Equation], a: Frame, b: Frame) -> Floats | None:
        """The point of frame b where it meets frame a's in a plane of the ground that the joints
        of both bodies keep to; None where they needn't."""
        (missing,) = {0, 1, 2} - {each.axis for each in equations if isinstance(each, Meet)}
        if self._common(a.body, b.body) != GROUND:
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
        flat = not largest(parent[:, 1:]) and not largest(other[:, 1:])
        if not flat or not any(abs(axis @ normal) > 1.0 - 1e-12 for axis in axes):
            return None
        offset = (self._world(b) - self._world(a)) @ normal
        point = self._point(a).copy()
        point[missing, 0] += offset
        return point

    def _common(self, one: str, other: str) -> str:
        above = [one]
        while above[-1] != GROUND:
            above.append(self._parents[above[-1]])
        while other not in above:
            other = self._parents[other]
        return other

    def _world(self, frame: Frame) -> Floats:
        p, R = self._placed.bodies[frame.body]
        place: Floats = p + R @ self._placed.frames[frame][0]
        return place

    def _span(self, body: str, joint: Joint, offers: Sequence[_Offer]) -> tuple[Floats, set[str]]:
        """The frame of a body from what it shares and from new unknowns, and the closures whose
        points are among it."""
        points = [offer for offer in offers if not offer.unit]
        used: set[str] = set()
        if points:
            start, origin = points[0].local, points[0].vector
            used |= {points[0].of} if points[0].of else set()
        else:
            start = self._placed.frames[joint.child][0]
            origin = self._new(body, start, False)
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
                basis.add(at - start, self._new(body, at, False) - origin)
        for axis in self._axes(body):
            if len(basis.local) < 3 and _Basis(basis.local[:], basis.vector[:]).add(axis, origin):
                basis.add(axis, self._new(body, axis, True))
        self._keep_rigid(body, basis)
        inverse = np.linalg.inv(np.array(basis.local).T)
        axes = np.tensordot(inverse.T, np.array(basis.vector), 1)
        frame = np.array([origin - np.tensordot(start, axes, 1), *axes])
        frame[np.abs(frame) < _ROUNDING * largest(frame)] = 0.0
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

    def _new(self, body: str, at: Floats, unit: bool) -> Floats:
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
                Q = dot(basis.vector[i], basis.vector[j], float(a @ b), float(per))
                self._named.append((f"{body} rigid", Q))

    def _tie(self, name: str, equations: Sequence[Equation], a: Frame, b: Frame) -> None:
        """What a joint or closure demands of the unknowns."""
        for equation in equations:
            apart = self._point(b) - self._point(a)
            if isinstance(equation, Meet):
                common = self._common(a.body, b.body)
                axis = self._frames[common][1 + equation.axis]
                Q = dot(axis, apart)
            elif isinstance(equation, Along):
                Q = dot(self._direction(a, equation.direction), apart)
            elif isinstance(equation, Square):
                Q = dot(self._direction(a, equation.of_a), self._direction(b, equation.of_b))
            elif isinstance(equation, Apart):
                length = float(np.linalg.norm(self._world(b) - self._world(a)))
                Q = dot(apart, apart, length**2, 2.0 * length)
            else:
                raise InputError(
                    f"Closure '{name}': rolling and skating aren't described in natural "
                    "coordinates here; measure relative coordinates only."
                )
            self._named.append((name, Q))

    def _finish(self) -> None:
        """Take away unknowns that are constant and constraints that say nothing new."""
        size = 1 + len(self._unknowns)
        frames = {body: frame[..., :size] for body, frame in self._frames.items()}
        named = [(name, Q[:size, :size]) for name, Q in self._named]
        scales = [largest(Q) for _, Q in named]
        while values := known(Q for _, Q in named):
            T = substitution(len(named[0][1]), values)
            frames = {body: frame @ T for body, frame in frames.items()}
            named = [(name, T.T @ Q @ T) for name, Q in named]
            left = [u for i, u in enumerate(self._unknowns) if i + 1 not in values]
            self._unknowns = left
            named = self._telling(named, scales)
            scales = [largest(Q) for _, Q in named]
        named = self._telling(named, scales)
        kept: list[tuple[str, Floats]] = []
        for name, Q in named:
            if not any(same(Q, other) for _, other in kept):
                kept.append((name, Q))
        self.unknowns = tuple(self._unknowns)
        self.rows = tuple(f"{name} {i + 1}" for i, (name, _) in enumerate(kept))
        self.constraints = [Q for _, Q in kept]
        self._weigh(frames)

    @staticmethod
    def _telling(
        named: Sequence[tuple[str, Floats]], scales: Sequence[float]
    ) -> list[tuple[str, Floats]]:
        """Constraints on unknowns; those that are left without any must be met."""
        found = []
        for (name, Q), scale in zip(named, scales, strict=True):
            if depends(Q, scale):
                found.append((name, Q))
            elif abs(Q[0, 0]) > _CLOSED * max(scale, 1.0):
                raise InputError(
                    f"Natural coordinates: '{name}' is off by {0.5 * Q[0, 0]:.3g} at the start; "
                    "start from an assembled state."
                )
        return found

    def _weigh(self, frames: Mapping[str, Floats]) -> None:
        n = len(self.unknowns)
        self.M, self.f, self.level = np.zeros((n, n)), np.zeros(n), 0.0
        for body, moments in self._placed.masses.items():
            frame, g = frames[body], self._placed.gravity
            moving = frame[..., 1:]
            self.M += np.einsum("ab,aki,bkj->ij", moments, moving, moving)
            weighted = np.tensordot(moments[0], frame, 1)  # mass times the centre of mass
            self.f += g @ weighted[:, 1:]
            self.level -= float(g @ weighted[:, 0])
        self.M[np.abs(self.M) < _ROUNDING * largest(self.M)] = 0.0

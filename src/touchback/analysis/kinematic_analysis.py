"""Kinematic analysis: everything's motion from that of chosen coordinates, without forces.

At each time the dependent coordinates follow from the constraints (Docquier 2021, eq. 5–7):
h(q, t) = 0 by Newton's method from the last instant extrapolated, then J v = b and J a + γ = 0,
which are linear.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.system_at_parameters import Instance, independent_columns, rank_of
from touchback.callback_signature import check_takes
from touchback.errors import InputError, SolveError, TouchbackError
from touchback.model import Effort, Multiplier, Reaction
from touchback.native import Interpreter
from touchback.recording import Run
from touchback.simulate import Followed, Motion, MotionData, refuse
from touchback.system import (
    At,
    Expr,
    Point,
    System,
    Tape,
    Values,
    fill,
    jvp,
    lower,
    with_found_states,
)

_TOLERANCE = 1e-9


# Extra states along a prescribed motion: ż = s(q(t), v(t), z, t) integrated between the instants.
#
# Positions and velocities in between are cubic in time, from values and rates at the instants:
# states are then of fourth order in the time between them.
def with_states(instance: Instance, points: Sequence[Point]) -> list[Point]:
    """The points with the extra states that the motion leads to from those of the first."""
    if not points[0].z.size or len(points) == 1:
        return list(points)
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicHermiteSpline

    times = np.array([at.t for at in points])
    q, v, a = (np.array([getattr(at, part) for at in points]) for part in ("q", "v", "a"))
    q_rates = [instance.increments(at)[0] @ at.v for at in points]
    position, velocity = CubicHermiteSpline(times, q, q_rates), CubicHermiteSpline(times, v, a)

    def rate(t: float, z: np.ndarray) -> np.ndarray:
        at = points[0].moved(q=position(t), v=velocity(t), z=z, t=t)
        return instance.values(at)["state"]

    step = float(np.diff(times).min())  # a contact in between must not be stepped over
    done = solve_ivp(
        rate, (times[0], times[-1]), points[0].z, "LSODA", times, max_step=step,
        rtol=_TOLERANCE, atol=0.01 * _TOLERANCE,
    )  # fmt: skip
    if not done.success or not np.isfinite(done.y).all():
        names = ", ".join(f"'{name}'" for name in instance.layout.z[:5])
        raise SolveError(
            f"{instance.system.name}: the states {names} can't be followed along the motion "
            f"({done.message}); check their rates, or give times that lie closer."
        )
    return [at.moved(z=z) for at, z in zip(points, done.y.T, strict=True)]


PrescribedMotion = Callable[[float], np.ndarray]  # time → (position, velocity, acceleration)


class Motions:
    """The prescribed coordinates at a time, in the order in which they were given."""

    def __init__(self, given: MotionData, times: np.ndarray) -> None:
        self._motions = [_motion(name, motion, times) for name, motion in given.items()]

    def __call__(self, t: float) -> np.ndarray:
        """Rows: positions, velocities, accelerations."""
        return np.array([motion(t) for motion in self._motions]).reshape(-1, 3).T


def _motion(name: str, given: Motion, times: np.ndarray) -> PrescribedMotion:
    for each in given if isinstance(given, tuple) else (given,):
        if callable(each):
            check_takes(f"Motion of '{name}': its function", each, ["time"])
    if callable(given):
        return _traced(name, given)
    if isinstance(given, int | float):
        return lambda t: np.array([float(given), 0.0, 0.0])
    if isinstance(given, tuple) and len(given) == 3 and all(map(callable, given)):
        return lambda t: np.array([float(part(t)) for part in given])
    return _spline(name, given, times)


def _traced(name: str, function: Followed) -> PrescribedMotion:
    """Rates by the tape: the function is followed once, on an expression."""
    tape = Tape()
    time = tape.symbol("time")
    try:
        result = function(Expr(tape, time))
        node = result.id if isinstance(result, Expr) else tape.const(float(result))
    except (TypeError, AttributeError, TouchbackError) as error:
        raise InputError(
            f"Motion of '{name}': its rates can't be derived, because the function can't be "
            f"followed on an expression ({error}). Write it with tb.sin, tb.select, …, or give "
            "three functions (position, velocity, acceleration), or samples."
        ) from error
    rate = jvp(tape, [node], {time: 1})
    outputs = [node, *rate, *jvp(tape, rate, {time: 1})]
    program = Interpreter(lower(tape, outputs, {time: ("x", 0)}))
    nothing = np.zeros(1)
    return lambda t: program.run(np.array([t]), nothing, nothing)


def _spline(name: str, given: object, times: np.ndarray) -> PrescribedMotion:
    """Samples at the times of the analysis, joined by polynomials of degree five (accelerations are
    then of fourth order in the time between samples)."""
    from scipy.interpolate import make_interp_spline

    values = np.asarray(given, dtype=float)
    if values.shape != times.shape:
        raise InputError(
            f"Motion of '{name}': a function of time or {times.size} samples (one a time) are "
            f"expected, got shape {values.shape}."
        )
    if len(times) < 6:
        raise InputError(
            f"Motion of '{name}': {len(times)} samples don't tell accelerations; give at least 6, "
            "or a function of time."
        )
    curve = make_interp_spline(times, values, k=5)
    rates = curve, curve.derivative(1), curve.derivative(2)
    return lambda t: np.array([float(part(t)) for part in rates])


# Smallest singular value of columns of length 1 at which dependent coordinates are lost: positions
# are met to some 1e-13 m there, and in a dead point angles to its root.
_DEAD = 1e-5
_SURPRISE = 0.25  # correction of an extrapolation [rad, m] that calls for shorter steps
_HALVINGS = 12


@dataclass(frozen=True)
class Path:
    """The prescribed places in v, and the points reached at each time."""

    prescribed: list[int]
    points: list[Point]


def kinematics(
    system: System,
    motion: MotionData,
    times: ArrayLike,
    guess: Mapping[str, float] | None = None,
    *,
    u: Values = None,
    parameters: Mapping[str, float] | None = None,
) -> Run:
    """Positions, velocities and accelerations of all coordinates, and the sensors of motion.

    `motion` maps coordinates to functions of time (tb.Sine(…), or your own, written so that they
    can be differentiated on an expression), to numbers, to samples at `times`, or to three
    functions (position, velocity, acceleration). They must be as many as the freedoms that
    constraints and drives leave. `guess` chooses the branch at the first time. Extra states follow
    the motion from their initial values, to fourth order in the time between `times`. Raises
    `SolveError` at dead points, where the motion of the chosen coordinates doesn't tell that of the
    others."""
    refuse("tb.kinematics", system)
    instance = Instance(system, u, parameters)
    path = follow(instance, motion, np.asarray(times, dtype=float), guess)
    forced = (Effort, Reaction, Multiplier)
    columns = motion_columns(instance, path)
    kinds = [
        kind for kind in system.model.outputs().values() for _ in kind.components()
    ]  # one an output
    shown = np.array([instance.values(at)["output"] for at in path.points])
    for i, (name, unit, kind) in enumerate(zip(system.output_names, system.output_units, kinds)):
        if not isinstance(kind, forced):
            columns[name] = unit, shown[:, i]
    return as_run(system, path, columns, "kinematics")


def follow(
    instance: Instance,
    motion: MotionData,
    times: np.ndarray,
    guess: Mapping[str, float] | None,
) -> Path:
    """The points along a motion."""
    system = instance.system
    if times.ndim != 1 or not times.size or not (np.diff(times) > 0.0).all():
        raise InputError("times: at least one time is expected, each later than the one before.")
    for name in motion:
        if name not in system.coordinates or name not in system.velocities:
            plain = [own for own in system.coordinates if own in system.velocities]
            raise InputError(
                f"Motion of '{name}': there is no plain coordinate of that name; "
                f"there are {', '.join(plain[:12]) or 'none'}."
            )
    tracker = _Tracker(instance, Motions(motion, times), list(motion))
    q = fill("guess", dict(guess or {}), system.coordinates, system.initial_state().q).copy()
    points = [tracker.start(q, times[0])]
    for t in times[1:]:
        points.append(tracker.advance(points[-1], t))
    return Path(tracker.prescribed, with_states(instance, points))


class _Tracker:
    """Follows a branch from instant to instant."""

    def __init__(self, instance: Instance, motions: Motions, names: list[str]) -> None:
        self.instance, self._motions = instance, motions
        system = instance.system
        self.prescribed = [system.velocities.index(name) for name in names]
        self._places = [system.coordinates.index(name) for name in names]
        self._others = [i for i in range(instance.n) if i not in self.prescribed]
        self._z = np.array([state.initial for state in system.model.states.values()])

    def start(self, q: np.ndarray, t: float) -> Point:
        first = self._complete(self._closed(q, t), t)
        instance = self.instance
        z = with_found_states(instance.system.model, first.q, self._z, instance.parameters)
        return first.moved(z=z)

    def advance(self, before: Point, t: float, halvings: int = _HALVINGS) -> Point:
        """The point at t, by shorter steps where the extrapolation is poor."""
        dt = t - before.t
        ahead = self.instance.moved(before, dt * before.v + 0.5 * dt * dt * before.a)
        try:
            q = self._closed(ahead, t)
            surprise = np.abs(q - self._given(ahead, t)).max(initial=0.0)
            if surprise <= _SURPRISE or not halvings:
                return self._complete(q, t)
        except SolveError:
            if not halvings:
                raise
        middle = self.advance(before, before.t + 0.5 * dt, halvings - 1)
        return self.advance(middle, t, halvings - 1)

    def _given(self, q: np.ndarray, t: float) -> np.ndarray:
        q = q.copy()
        q[self._places] = self._motions(t)[0]
        return q

    def _closed(self, q: np.ndarray, t: float) -> np.ndarray:
        q = self._given(q, t)
        instance, system = self.instance, self.instance.system
        if not instance.m:
            return q
        at = At(u=instance.u, t=t, z=self._z, parameters=instance.parameters)
        try:
            closed = system.dynamics.assembler(system.calls, at).newton(q, self.prescribed)
            return instance.with_lengths(closed, q)
        except SolveError as error:
            raise SolveError(
                f"{instance.system.name} at t = {t:.6g} s: {error} The motion may ask for a "
                "position that the mechanism can't reach, beyond a dead point."
            ) from error

    def _complete(self, q: np.ndarray, t: float) -> Point:
        """Velocities and accelerations at closed positions."""
        instance, n = self.instance, self.instance.n
        _, given_v, given_a = self._motions(t)
        v, a = np.zeros(n), np.zeros(n)
        v[self.prescribed] = given_v
        a[self.prescribed] = given_a
        at = Point(q, v, self._z, instance.u, t, np.zeros(n), np.zeros(instance.m))
        J = instance.derivatives(at)["rate", "velocity"]
        self._refuse_loss(J, t)
        own, others = J[:, self._others], self._others
        v[others] = self._linear(own, -instance.values(at)["rate"], "velocities", t)
        at = at.moved(v=v, a=a)
        rest = instance.values(at)["acceleration"]
        a[others] = self._linear(own, -rest, "accelerations", t)
        return at.moved(a=a)

    def _linear(self, J: np.ndarray, rest: np.ndarray, what: str, t: float) -> np.ndarray:
        if not rest.size:
            return np.zeros(J.shape[1])
        solved = np.linalg.lstsq(J, rest, rcond=1e-12)[0]
        left = np.abs(J @ solved - rest)
        if left.max() > 1e-7 * max(1.0, np.abs(rest).max()):
            system, worst = self.instance.system, int(np.argmax(left))
            raise SolveError(
                f"{system.name} at t = {t:.6g} s: the prescribed {what} contradict constraint "
                f"'{system.constraint_names[worst]}' by {left[worst]:.3g}; prescribe fewer "
                "coordinates, or consistent ones."
            )
        return solved

    def _refuse_loss(self, J: np.ndarray, t: float) -> None:
        """Refuse a motion that doesn't tell all others: too few coordinates, or a dead point."""
        own, count = J[:, self._others], len(self._others)
        if not count:
            return
        lengths = np.linalg.norm(own, axis=0)
        alike = own / np.where(lengths > 0.0, lengths, 1.0)
        singular = np.linalg.svd(alike, compute_uv=False) if own.size else np.zeros(0)
        lowest = singular[count - 1] if count <= singular.size else 0.0
        if lowest > _DEAD:
            return
        system = self.instance.system
        freedoms = self.instance.n - rank_of(J)
        names = ", ".join(f"'{system.velocities[i]}'" for i in self.prescribed) or "nothing"
        if len(self.prescribed) < freedoms:
            free = independent_columns(np.vstack([J, np.eye(self.instance.n)[self.prescribed]]))
            more = ", ".join(f"'{system.velocities[i]}'" for i in free)
            raise InputError(
                f"{system.name}: {freedoms} {'freedom' if freedoms == 1 else 'freedoms'}, but the "
                f"motion prescribes {names}; prescribe also {more}."
            )
        raise SolveError(
            f"{system.name} at t = {t:.6g} s: a dead point: the motion of {names} doesn't tell "
            f"that of the others there (their columns of the Jacobian, of length 1, have the "
            f"smallest singular value {lowest:.2g}); prescribe another coordinate, or stay clear "
            "of the dead point."
        )


def motion_columns(instance: Instance, path: Path) -> dict[str, tuple[str, np.ndarray]]:
    """Units and values of positions, velocities, extra states and accelerations by name."""
    layout = instance.layout
    q, v, z, a = (
        np.array([getattr(at, part) for at in path.points]).T for part in ("q", "v", "z", "a")
    )
    columns: dict[str, tuple[str, np.ndarray]] = {}
    for name, unit, values in zip(layout.state_names, layout.state_units, [*q, *v, *z]):
        columns[name] = unit, values
    for name, unit, values in zip(layout.v, layout.v_units, a):
        columns[f"{name} acceleration"] = f"{unit}²" if unit.endswith("/s") else "", values
    return columns


def as_run(
    system: System, path: Path, columns: Mapping[str, tuple[str, np.ndarray]], method: str
) -> Run:
    """A run of what an analysis found along a path."""
    return Run(
        [at.t for at in path.points],
        {name: values for name, (_, values) in columns.items()},
        {name: unit for name, (unit, _) in columns.items()},
        {"model": system.name, "method": method},
    )

"""Poses: a mechanism that rests is dragged without forces, as far as it follows, and goes on from
there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback import State, System
from touchback.errors import InputError, SolveError
from touchback.realtime.control import CommandServer
from touchback.realtime.control.control_messages import Facts
from touchback.system import (
    At,
    Function,
    Recipe,
    StateAssembler,
    configuration_rate,
    with_found_states,
)
from touchback.workbench.manipulate.manipulator_messages import Pose
from touchback.workbench.manipulate.state_snapshot import (
    StateSnapshot,
    check_body,
    refuse_rows,
    take_snapshot,
)

_STEPS = 100
_LONGEST = 0.25  # rad: the most that a coordinate turns in a step, so that branches are kept
_SHARE = 0.05  # of the way to the target: the most that a step slides, where that is more than
_SLIDE = 0.5  # of the mechanism's size
_LIGHT = 1e-8  # of the point's own slopes: the weight of displacements
_THERE = 1e-12  # of the mechanism's size
_GAIN = 1e-8  # of that: a step that gains less leads nowhere, as at the edge of what can be reached
_SLOW = 0.5  # of what is left: a step that gains less asks how the point's way bends
_SHORTEST = 1e-4  # of the longest step
_BENT = 1e-6  # of a coordinate's longest step: what tells how slopes change
_FLAT = 1e-6  # of the largest curvature: less is none
_ROUNDED = 1e-15  # of how far from the origin everything is
_RANK = 1e-9  # singular values this much below the largest count as zero
_SLACK = 1e-9  # rad, or of the mechanism's size: over a limit


@dataclass(frozen=True)
class ReachedPose:
    """Positions, where the point is [m], and how far from the target [m]."""

    q: np.ndarray
    point: np.ndarray
    distance: float


@dataclass(frozen=True)
class _Drag:
    """What stays the same while a point is brought to its target."""

    body: str
    at: np.ndarray
    target: np.ndarray
    low: np.ndarray
    high: np.ndarray
    closing: StateAssembler | None  # of loops, if there are any
    rate: Function  # of positions, by velocities
    size: float  # of the mechanism [m]
    longest: np.ndarray  # the most that each coordinate moves in a step
    slack: np.ndarray  # that each may be over its limit

    def reached_at(self, now: StateSnapshot) -> ReachedPose:
        point = now.point(self.body, self.at)
        return ReachedPose(now.q, point, float(np.linalg.norm(self.target - point)))


def reach(now: StateSnapshot, body: str, at: np.ndarray, target: np.ndarray) -> ReachedPose:
    """The configuration nearest to the present one in which a point of a body is at a place, or as
    near as constraints and joint limits let it."""
    system = now.system
    closed = system.constrained and system.constraint_names
    closing = system.dynamics.assembler(system.calls, _at(now)._replace(q=None)) if closed else None
    recipe = Recipe(lambda d: list(configuration_rate(d.instant)), (len(system.layout.q),))
    rate = system.derived("configuration rate of poses", lambda: recipe)
    way = float(np.linalg.norm(target - now.point(body, at)))
    size = now.size or way
    slides = _slides(system)
    longest = np.where(slides, max(_SLIDE * size, _SHARE * way), _LONGEST)
    slack = _SLACK * np.where(slides, size, 1.0)
    drag = _Drag(body, at, target, *bounds(now), closing, rate, size, longest, slack)
    there = _THERE * size + _ROUNDED * float(np.abs(target).max())
    best, share, bends = drag.reached_at(now), 1.0, False
    for _ in range(_STEPS):
        if best.distance < there or share < _SHORTEST:
            break
        here = replace(now, q=best.q)
        step, part, downhill = _step(here, drag, share, bends)
        found = _nearest_of([_tried(here, drag, step)])
        gain = 0.0 if found is None else best.distance - found.distance
        if bends and gain < _GAIN * size and downhill.any():  # no minimum: a saddle
            aside = [_tried(here, drag, sign * share * downhill) for sign in (1.0, -1.0)]
            found = _nearest_of([found, *aside])
            gain = 0.0 if found is None else best.distance - found.distance
        if found is None or gain <= 0.0:
            share, bends = (0.25 * share if bends else share), True
            continue
        slow = gain < _SLOW * part * best.distance
        best, share = found, min(1.0, 2.0 * share)
        if bends and gain < _GAIN * size < best.distance:
            break
        bends = slow
    return best


def _tried(now: StateSnapshot, drag: _Drag, step: np.ndarray) -> ReachedPose | None:
    """Where a step leads with loops closed."""
    q = _close_loops(now, drag, step) if step.any() else None
    return None if q is None else drag.reached_at(replace(now, q=q))


def _nearest_of(poses: Sequence[ReachedPose | None]) -> ReachedPose | None:
    return min((each for each in poses if each), key=lambda each: each.distance, default=None)


def bounds(now: StateSnapshot) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest value of each velocity coordinate's position; infinite without limits.
    What stands beyond its limit already may stay there."""
    n = len(now.system.layout.v)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for name, joint in now.system.model.joints.items():
        for index, (least, most) in enumerate(joint.limits):
            place = list(now.system.layout.v).index(joint.velocity_names(name)[index])
            q = float(now.q[list(now.system.layout.q).index(joint.position_names(name)[index])])
            low[place] = min(now.value(least), q)
            high[place] = max(now.value(most), q)
    return low, high


def _slides(system: System) -> np.ndarray:
    """Of each velocity coordinate, whether it is a length."""
    units = {
        each: unit
        for name, joint in system.model.joints.items()
        for each, unit in zip(joint.velocity_names(name), joint.kind.velocity_units(), strict=True)
    }
    return np.array([units[name] == "m/s" for name in system.layout.v], dtype=bool)


def _at(now: StateSnapshot) -> At:
    return At(q=now.q, u=now.inputs, t=now.t, z=now.z, parameters=now.varied)


def _step(
    now: StateSnapshot, drag: _Drag, share: float, bends: bool
) -> tuple[np.ndarray, float, np.ndarray]:
    """The increment in velocity coordinates that brings the point nearest within limits, and moves
    least mass; which part of it a share of the longest step leaves; and a longest step along which
    the distance curves downwards, if there is one.

    Gauss–Newton, shortened as a whole so that least mass moves; or with second derivatives where
    the way `bends`, and each coordinate within its own longest step: where little is gained, as at
    the edge of what can be reached, coordinates that hardly count would shorten all others."""
    system = now.system
    J_p = now.point_jacobian(drag.body, drag.at)
    way = drag.target - now.point(drag.body, drag.at)
    h, J = system.dynamics.positions(system.calls, _at(now))
    met = system.dynamics.rows(system.key).holonomic
    h, J = h[met], J[met]
    q = _plain_positions(now)
    low, high, longest = drag.low - q, drag.high - q, share * drag.longest
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > _RANK * s.max(initial=1e-300)).sum())
    start, Z = -Vt[:rank].T @ ((U.T @ h)[:rank] / s[:rank]), Vt[rank:].T
    A, none = J_p @ Z, np.zeros(len(q))
    H, metric = A.T @ A, Z.T @ system.mass_matrix(now.q, parameters=now.varied) @ Z
    scale = np.trace(H) / max(float(np.trace(metric)), 1e-300)
    if not scale > 0.0:
        return start, 1.0, none
    light = _LIGHT * scale * metric
    slope = -A.T @ (way - J_p @ start)
    if not bends:
        step = start + _within_box(H + light, slope, start, Z, low, high, drag.longest)[0]
        part = 1.0 / max(1.0, float((np.abs(step) / longest).max(initial=0.0)))
        return part * step, part, none
    low, high = np.maximum(low, -longest), np.minimum(high, longest)
    H = H + Z.T @ _bending(now, drag, way, J, (low < 0.0) & (high > 0.0)) @ Z
    values, axes = np.linalg.eigh(H)
    convex = (axes * np.abs(values)) @ axes.T + light
    moved, fixed = _within_box(convex, slope, start, Z, low, high, drag.longest)
    free = _null_space(Z[fixed])
    values, axes = np.linalg.eigh(free.T @ H @ free)
    if not len(values) or values[0] > -_FLAT * np.abs(values).max():
        return start + moved, 1.0, none
    downhill = Z @ free @ axes[:, 0]
    return (
        start + moved,
        1.0,
        downhill / max(float((np.abs(downhill) / drag.longest).max()), 1e-300),
    )


def _bending(
    now: StateSnapshot, drag: _Drag, way: np.ndarray, J: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """How slopes of half the squared distance change because those of the point and of the loops
    do, the loops' forces against it included."""
    system, n = now.system, len(drag.longest)
    slope = -now.point_jacobian(drag.body, drag.at).T @ way
    forces = np.linalg.lstsq(J[:, free].T, -slope[free], rcond=None)[0]
    met = system.dynamics.rows(system.key).holonomic
    steps = _BENT * np.diag(drag.longest)
    either = np.vstack([steps, -steps])
    at = _at(now)._replace(q=np.tile(now.q, (2 * n, 1)))
    q = now.q + system.call_function(drag.rate, at._replace(v=either))
    rows = system.dynamics.positions(system.calls, at._replace(q=q))[1][:, met]
    slopes = np.swapaxes(rows, 1, 2) @ forces
    slopes = slopes - way @ replace(now, q=q).point_jacobian(drag.body, drag.at)
    found = (slopes[:n] - slopes[n:]) / (2.0 * _BENT * drag.longest[:, None])
    return 0.5 * (found + found.T)


def _within_box(
    H: np.ndarray, slope: np.ndarray, start: np.ndarray, Z: np.ndarray,
    low: np.ndarray, high: np.ndarray, unit: np.ndarray,
) -> tuple[np.ndarray, list[int]]:  # fmt: skip
    """The Z y that is lowest on ½ yᵀ H y + slopeᵀ y, H positive definite, with start + Z y between
    bounds; and which coordinates stand at theirs. The one that passes its bound the farthest, in
    its unit, is held there, and let go where the slope leads it back (active set)."""
    n = len(start)
    at = dict[int, float]()
    for tries in range(6 * n + 6):
        rows, N = Z[list(at)], _null_space(Z[list(at)])
        y = np.zeros(Z.shape[1])
        if at:
            y = np.linalg.lstsq(rows, np.array([at[i] - start[i] for i in at]), rcond=None)[0]
        if N.shape[1]:
            y = y - N @ np.linalg.lstsq(N.T @ H @ N, N.T @ (slope + H @ y), rcond=None)[0]
        there = start + Z @ y
        over = np.maximum(low - there, there - high) / unit
        over[list(at)] = 0.0
        worst = int(over.argmax())
        if over[worst] > _SLACK:
            at[worst] = float(np.clip(there[worst], low[worst], high[worst]))
            continue
        if not at or tries > 4 * n:
            break
        pull = np.linalg.lstsq(rows.T, slope + H @ y, rcond=None)[0]
        inward = [x if at[i] == high[i] else -x for i, x in zip(at, pull, strict=True)]
        most = int(np.argmax(inward))
        if inward[most] <= _SLACK * float(np.abs(slope).max(initial=0.0)):
            break
        del at[list(at)[most]]
    bounded = start + Z @ y
    excess = np.max(np.abs(bounded - np.clip(bounded, low, high)) / unit, initial=0.0)
    return (Z @ y if excess < _RANK else np.zeros(n)), list(at)


def _null_space(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis, in columns, of what is square to rows."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, s, Vt = np.linalg.svd(rows)
    basis: np.ndarray = Vt[int((s > _RANK * s.max(initial=1e-300)).sum()) :].T
    return basis


def _close_loops(now: StateSnapshot, drag: _Drag, step: np.ndarray) -> np.ndarray | None:
    """The positions after a step with loops closed; None where they don't, or leave the limits."""
    q = now.q + now.system.call_function(drag.rate, _at(now)._replace(v=step))
    if drag.closing is not None:
        try:
            q = drag.closing.solve_positions_from(q, [])
        except SolveError:
            return None
    place = _plain_positions(replace(now, q=q))
    beyond = (place < drag.low - drag.slack) | (place > drag.high + drag.slack)
    return None if beyond.any() or not np.isfinite(q).all() else q


def _plain_positions(now: StateSnapshot) -> np.ndarray:
    """The position of each velocity coordinate, where it has one of its name; else 0."""
    places = {name: i for i, name in enumerate(now.system.layout.q)}
    return np.array(
        [now.q[places[name]] if name in places else 0.0 for name in now.system.layout.v]
    )


class Poses:
    """Poses of a run."""

    def __init__(
        self, commands: CommandServer, posed: Callable[[dict[str, float]], None] = lambda _: None
    ) -> None:
        """`posed` is called with each one's positions by name."""
        self._commands, self._lock, self._posed = commands, threading.Lock(), posed

    def pose(self, asked: Pose, client: str) -> Facts:
        """Puts the run into the nearest pose with a point at a place, at rest: it counts as
        assembled, and the run goes on from it."""
        live, began = self._commands.live, time.perf_counter()
        refuse_rows(live.system)
        check_body(live.system, asked.body)
        self._commands.check("hands", asked.body)
        if live.spec.speed is not None and live.state != "paused":
            raise InputError(
                "A mechanism is posed while it rests: `pause` the run first. While it runs, a hand "
                "pulls it (`grab`)."
            )
        with self._lock:
            now = take_snapshot(live)
            system, at = now.system, np.array(asked.point)
            reached = reach(now, asked.body, at, np.array(asked.to))
            z = with_found_states(system.model, reached.q, now.z, now.parameters)
            there = At(reached.q, None, now.inputs, now.t, z, now.varied)
            v = system.dynamics.solve_velocities(system.calls, np.zeros(len(now.v)), [], there)
            live.set_state(State(reached.q, v, z))
            self._posed(dict(zip(system.layout.q, reached.q.tolist(), strict=True)))
        off = system.constraint_error(reached.q, now.t, now.inputs, z, parameters=now.varied)
        return {
            "body": asked.body, "at": reached.point.tolist(), "distance": reached.distance,
            "gap": float(np.abs(off).max(initial=0.0)), "tick": live.ticks,
            "milliseconds": 1e3 * (time.perf_counter() - began),
        }  # fmt: skip

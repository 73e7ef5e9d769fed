"""Poses: a mechanism that rests is dragged without forces, as far as it follows, and goes on from
there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
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

_STEPS = 60


_LONGEST = 0.25  # rad: the most that a coordinate turns in a step, so that branches are kept


_SHARE = 0.05  # of the way to the target: the most that a step slides, where that is more than


_SLIDE = 0.5  # of the mechanism's size


_LIGHT, _HEAVY = 1e-8, 1e2  # of the point's own slopes: the weight of displacements


_THERE = 1e-12  # of the mechanism's size


_GAIN = 1e-7  # of that: a step that gains less leads nowhere, as at the edge of what can be reached


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
    best, weight = drag.reached_at(now), _LIGHT
    for _ in range(_STEPS):
        if best.distance < there or weight > _HEAVY:
            break
        here = replace(now, q=best.q)
        step = _step(here, drag, weight)
        if not step.any():
            break
        tried = _close_loops(here, drag, step)
        found = None if tried is None else drag.reached_at(replace(now, q=tried))
        if found is None or found.distance >= best.distance:
            weight *= 100.0
            continue
        gain, best, weight = best.distance - found.distance, found, max(_LIGHT, 0.01 * weight)
        if gain < _GAIN * size < best.distance:
            break
    return best


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


def _step(now: StateSnapshot, drag: _Drag, weight: float) -> np.ndarray:
    """The increment in velocity coordinates."""
    system, low, high = now.system, drag.low, drag.high
    J_p = now.point_jacobian(drag.body, drag.at)
    way = drag.target - now.point(drag.body, drag.at)
    h, J = system.dynamics.positions(system.calls, _at(now))
    met = system.dynamics.rows(system.key).holonomic
    h, J = h[met], J[met]
    M = system.mass_matrix(now.q, parameters=now.varied)
    q = _plain_positions(now)
    fixed: dict[int, float] = {}
    for _ in range(len(q) + 1):
        rows = np.eye(len(q))[list(fixed)]
        needed = np.array([fixed[i] - q[i] for i in fixed])
        step = _constrained(J_p, way, M, np.vstack([J, rows]), np.append(-h, needed), weight)
        step /= max(1.0, float((np.abs(step) / drag.longest).max(initial=0.0)))
        there = q + step
        over = [i for i in range(len(q)) if i not in fixed
                and not low[i] - drag.slack[i] <= there[i] <= high[i] + drag.slack[i]]  # fmt: skip
        if not over:
            return step
        fixed |= {i: float(np.clip(there[i], low[i], high[i])) for i in over}
    return np.zeros(len(q))


def _constrained(
    J_p: np.ndarray, way: np.ndarray, M: np.ndarray, C: np.ndarray, d: np.ndarray, weight: float
) -> np.ndarray:
    """The δ with C δ = d that brings the point nearest, and moves least mass."""
    n = J_p.shape[1]
    particular, Z = np.zeros(n), np.eye(n)
    if len(C):
        U, s, Vt = np.linalg.svd(C)
        rank = int((s > _RANK * max(s[0], 1e-300)).sum())
        particular = Vt[:rank].T @ ((U.T @ d)[:rank] / s[:rank])
        Z = Vt[rank:].T
    if not Z.shape[1]:
        return particular
    A = J_p @ Z
    H, metric = A.T @ A, Z.T @ M @ Z
    scale = np.trace(H) / max(float(np.trace(metric)), 1e-300)
    if not scale > 0.0:
        return particular
    y = np.linalg.lstsq(H + weight * scale * metric, A.T @ (way - J_p @ particular), rcond=None)[0]
    found: np.ndarray = particular + Z @ y
    return found


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

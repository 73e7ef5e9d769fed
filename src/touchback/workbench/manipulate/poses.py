"""Poses: a mechanism that rests is dragged without forces, and goes on from there."""

from __future__ import annotations

import threading
import time

import numpy as np

from touchback.errors import InputError
from touchback.realtime.control import Desk
from touchback.realtime.control.messages import Facts
from touchback.system import State
from touchback.system.dynamics_kinds import At
from touchback.system.state_assembly import with_found_states
from touchback.workbench.manipulate.here import check_body, here, refuse_rows
from touchback.workbench.manipulate.messages import Pose
from touchback.workbench.manipulate.posing import reach


class Poses:
    """Poses of a run."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, threading.Lock()

    def pose(self, asked: Pose, client: str) -> Facts:
        """Puts the run into the nearest pose with a point at a place, at rest: it counts as
        assembled, and the run goes on from it."""
        live, began = self._desk.live, time.perf_counter()
        refuse_rows(live.system)
        check_body(live.system, asked.body)
        self._desk.check("hands", asked.body)
        if live.plan.speed is not None and live.state != "paused":
            raise InputError(
                "A mechanism is posed while it rests: `pause` the run first. While it runs, a hand "
                "pulls it (`grab`)."
            )
        with self._lock:
            now = here(live)
            system, at = now.system, np.array(asked.point)
            reached = reach(now, asked.body, at, np.array(asked.to))
            z = with_found_states(system.model, reached.q, now.z, now.parameters)
            there = At(reached.q, None, now.inputs, now.t, z, now.varied)
            v = system.dynamics.solve_velocities(system.calls, np.zeros(len(now.v)), [], there)
            live.place(State(reached.q, v, z))
        off = system.constraint_error(reached.q, now.t, now.inputs, z, parameters=now.varied)
        return {
            "body": asked.body, "at": reached.point.tolist(), "distance": reached.distance,
            "gap": float(np.abs(off).max(initial=0.0)), "tick": live.ticks,
            "milliseconds": 1e3 * (time.perf_counter() - began),
        }  # fmt: skip

"""Changes of structure while a live run goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.model import Model
from touchback.model.mode_groups import active_constraints, switch_constraints
from touchback.native import Formulation
from touchback.realtime.apart import refuse_apart
from touchback.realtime.ending import to_its_end
from touchback.realtime.life import Life
from touchback.realtime.structure import joints_of
from touchback.realtime.swap import Now, Pending, Swapped, prepare
from touchback.recording import unknown_name
from touchback.simulate.solvers import Solver
from touchback.system import System
from touchback.system.compile import compile_model

_MODES = 16  # sets of active constraints that stay compiled


class Restructured(Life):
    """A run whose mechanism may become another one."""

    def swap(
        self,
        structure: Model | System | None = None,
        *,
        at: float | None = None,
        rate: float | None = None,
        method: str | Solver | None = None,
        constraints: str | Formulation | None = None,
        begin: Mapping[str, str] | None = None,
    ) -> Swapped:
        """Goes on with another structure of the mechanism, or at another rate or by another method.

        It is derived, compiled and tried beside the run, in the calling thread, and taken over at
        the next tick (or the first from the time `at` of the model on). Positions, states, modes,
        inputs, outputs and parameters are carried over by name; a freedom that vanishes freezes
        where it is, as a live parameter of its name; velocities are projected M-orthogonally. What
        can't be is refused, and the run goes on as it was. `begin` names new extra states that
        begin with what a state of the run is at that tick, as {"motor angle": "crank"}.

        A clocked run without `at` returns when the change has happened; otherwise look at the
        result's `state`. Changes wait for each other.
        """
        self._check_here()
        with self._swap_lock:
            self._check_running()
            pending = self._prepare(structure or self.system, at, rate, method, constraints, begin)
            pending.loop.struct.version = self._parameters.reserve()
            self._pending = pending
            pending.swap.offer()
            if at is None and self.plan.speed is not None:
                while pending.report.state == "waiting" and self._first.struct.thread:
                    to_its_end(self._drain)
                    time.sleep(min(1e-3, 0.5 / self.plan.rate))
                if pending.report.state != "taken":
                    raise SolveError(f"{pending.report.model}: {pending.report.state}.")
            return pending.report

    def _prepare(
        self,
        structure: Model | System,
        at: float | None,
        rate: float | None,
        method: str | Solver | None,
        constraints: str | Formulation | None,
        begin: Mapping[str, str] | None,
    ) -> Pending:
        to_its_end(self._drain)
        if self._pending is not None:
            raise InputError("Another structure is waiting for its tick; one follows the other.")
        values = self._region.published()[0]
        now = Now(values["time"], values, self._parameters.values)
        changes = rate, method, constraints
        run = (self.system, self.plan, self._pace, self._loop)
        joints = joints_of(self.system.model) if self._joints is None else self._joints
        return prepare(run, joints, structure, now, changes, self._region, at, begin or {})

    def switch(
        self, activate: Sequence[str] = (), deactivate: Sequence[str] = (), at: float | None = None
    ) -> Swapped:
        """Lets constraints act or rest from a tick on, with the impulse that it takes; the last
        sets of active constraints stay compiled. A loop whose ends are apart now is refused: it
        would close by a jump (with `at` they have until then to meet)."""
        self.system.motion.refuse("switch")
        known = self.system.model.constraint_rows()
        for name in (*activate, *deactivate):
            if name not in known:
                raise unknown_name("constraint", name, known)
        model = switch_constraints(
            switch_constraints(self.system.model, activate, True), deactivate, False
        )
        if at is None:
            self._refuse_apart(model)
        key = (id(self.system.model.tape), active_constraints(model))
        mode = self._modes.pop(key, None) or compile_model(model)
        self._modes[key] = mode  # last: the latest
        if len(self._modes) > _MODES:
            del self._modes[next(iter(self._modes))]
        return self.swap(mode, at=at)

    def _refuse_apart(self, model: Model) -> None:
        system, values = self.system, self._region.published()[0]
        x = np.array([values[name] for name in system.state_names], dtype=float)
        nq, nv = len(system.layout.q), len(system.layout.v)
        parameters = {name: self._parameters.values[name] for name in system.parameters}
        refuse_apart(system, model, x[:nq], values["time"], x[nq + nv :], parameters)

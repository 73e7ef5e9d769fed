"""The state of a live run or a recording at an instant, with what its functions need besides."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback import Frame, Live, System
from touchback.errors import InputError
from touchback.model import GROUND, Value, is_number
from touchback.names import unknown_name
from touchback.system import Instant, float_instant, size_of

_TRIES, _MOMENT = 50, 2e-3  # s


@dataclass(frozen=True)
class StateSnapshot:
    """A state of a run at a tick, and the system (with settings of its own) that it is one of."""

    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    inputs: np.ndarray
    parameters: dict[str, float]

    @property
    def varied(self) -> dict[str, float] | None:
        """The parameters where they aren't those that the system has anyway."""
        return None if self.parameters == self.system.parameters else self.parameters

    def pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """R_WB and p_WB_W of a body, or of the ground."""
        found = self.system.pose(Frame(body), self.q, t=self.t, parameters=self.varied)
        return found[0], found[1]

    def value(self, given: Value) -> float:
        """A described number with the present parameters."""
        if is_number(given):
            return float(given)
        return float(self._instant.value(given))

    @cached_property
    def size(self) -> float:
        """How large the mechanism is [m]; 0 where it has no lengths."""
        return size_of(self._instant)

    @cached_property
    def _instant(self) -> Instant:
        return float_instant(self.system.model, self.q, self.parameters)

    def point(self, body: str, at: np.ndarray) -> np.ndarray:
        """Where a point of a body is in the world [m]."""
        R, p = self.pose(body)
        return p + R @ at

    def point_jacobian(self, body: str, at: np.ndarray) -> np.ndarray:
        """The velocity of a point of a body by the velocities v, 3 × nv; or those of an array of
        positions."""
        J = self.system.jacobian(Frame(body), self.q, parameters=self.varied)
        r = self.pose(body)[0] @ at
        return J[..., 3:, :] + np.cross(J[..., :3, :], r[..., None], axis=-2)

    def mobility(self, body: str, at: np.ndarray) -> np.ndarray:
        """How a point of a body gives way: its acceleration by a force on it, 3 × 3 [1/kg], with
        all constraints kept."""
        J = self.point_jacobian(body, at)
        efforts = np.vstack([np.zeros(J.shape[1]), J])
        q, v, z, u = (
            np.tile(given, (len(efforts), 1)) for given in (self.q, self.v, self.z, self.inputs)
        )
        a = self.system.forward_dynamics(
            q, v, tau=efforts, u=u, t=self.t, z=z, parameters=self.varied
        )
        found: np.ndarray = J @ (a[1:] - a[0]).T  # M⁻¹ Jᵀ as constraints leave it
        return found


def take_snapshot(live: Live) -> StateSnapshot:
    """Where a run is now; between two structures that is a moment later."""
    for _ in range(_TRIES):
        system = live.system
        try:
            return _here(live, system)
        except (KeyError, InputError):  # a name of the one that the other doesn't have
            if live.system is system:
                time.sleep(_MOMENT)
    return _here(live, live.system)


def _here(live: Live, system: System) -> StateSnapshot:
    values = live.snapshot()
    x = np.array([values[name] for name in system.state_names], dtype=float)
    inputs = np.array([live[name] for name in system.input_names], dtype=float)
    parameters = {name: live[name] for name in system.parameters}
    return snapshot_of(system, values["time"], x, inputs, parameters)


def snapshot_of(
    system: System, t: float, x: np.ndarray, inputs: np.ndarray, parameters: dict[str, float]
) -> StateSnapshot:
    """A state x = [q, v, z] at a time [s], in the modes that it says."""
    nq, nv = len(system.layout.q), len(system.layout.v)
    q, v, z = np.split(x, [nq, nq + nv])
    if system.modes:
        system = system.independent_copy()
        system.enter(*_modes(system, x))
    return StateSnapshot(system, t, q, v, z, inputs, parameters)


def _modes(system: System, x: np.ndarray) -> list[str]:
    """The mode of each group that a state is in."""
    names = list(system.state_names)
    return [modes[round(float(x[names.index(state)]))] for state, modes in system.modes.items()]


def check_body(system: System, body: str) -> None:
    """Refuses what is no body that moves."""
    bodies = system.model.bodies
    if body == GROUND or body not in bodies:
        raise unknown_name("body", body, bodies)


def refuse_rows(system: System) -> None:
    """A row of copies has no model of its own that could be changed."""
    if system.names:
        raise InputError(
            f"{system.name}: it is a row of {len(system.names)} copies, which can't be taken in "
            "hand or changed one by one; open one of them alone."
        )

"""Inverse dynamics of a motion: the efforts of chosen actuators that produce it, loops included.

With M a + c − τ known along the motion, the multipliers λ and the actuators' efforts e solve

    M a + c − τ = Wᵀ λ + E e

(Docquier 2021, eq. 4, with eq. 8 where E holds the independent coordinates). The multipliers drop
out of Bᵀ(…), where W B = 0, and e is the solution of least norm of what is left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.kinematic_analysis import as_run, follow, motion_columns
from touchback.analysis.system_at_parameters import Instance
from touchback.names import unknown_name
from touchback.recording import Run
from touchback.simulate import MotionData, add_rating_diagnostics, refuse
from touchback.system import Point, System, Values

_CORRECTIONS = 20  # of inputs that act nonlinearly, and of forces that rub


def inverse_dynamics(
    system: System,
    motion: MotionData,
    times: ArrayLike,
    actuators: Sequence[str] | None = None,
    guess: Mapping[str, float] | None = None,
    *,
    u: Values = None,
    parameters: Mapping[str, float] | None = None,
) -> Run:
    """The motion (as `tb.kinematics` gives it) with the efforts of the actuators that produce it.

    `actuators` names coordinates (signals "NAME effort") and inputs (by their own names); default:
    the prescribed coordinates. As many as the freedoms: their efforts are unique. More: the least
    in norm. Fewer: the motion isn't theirs alone, and what they leave unbalanced, in the least
    squares, is in the signals "NAME residual". Multipliers are in "ROW multiplier". Springs,
    damping and inputs of the model that are no actuators act as described; extra states follow the
    motion. `run.metadata["diagnostics"]` tells of joints with more effort or velocity than an
    imported file rates them for."""
    refuse("tb.inverse_dynamics", system)
    instance = Instance(system, u, parameters)
    path = follow(instance, motion, np.asarray(times, dtype=float), guess)
    chosen = _Actuators(instance, list(motion) if actuators is None else list(actuators))
    balances = [chosen.balance(at) for at in path.points]
    columns = motion_columns(instance, path)
    efforts = np.array([balance.efforts for balance in balances]).T
    for (name, unit), values in zip(chosen.signals, efforts):
        columns[name] = unit, values
    multipliers = np.array([balance.at.multipliers for balance in balances]).T
    for row, values in zip(system.constraint_names, multipliers):
        columns[f"{row} multiplier"] = "", values
    residuals = np.array([balance.residual for balance in balances]).T
    if chosen.too_few:
        for name, values in zip(system.velocities, residuals):
            columns[f"{name} residual"] = "", values
    shown = np.array([instance.values(balance.at)["output"] for balance in balances]).T
    for name, unit, values in zip(system.output_names, system.output_units, shown):
        columns[name] = unit, values
    run = as_run(system, path, columns, "inverse dynamics")
    run.metadata["largest residual"] = float(np.abs(residuals).max(initial=0.0))
    add_rating_diagnostics(system, run, chosen.at_joints(efforts))
    return run


@dataclass(frozen=True)
class _Solved:
    at: Point
    efforts: np.ndarray
    residual: np.ndarray


class _Actuators:
    """Where the chosen actuators act."""

    def __init__(self, instance: Instance, names: list[str]) -> None:
        self.instance, self.too_few = instance, False
        layout, inputs = instance.layout, list(instance.system.input_names)
        self._freedoms: list[int] = []
        self._inputs: list[int] = []
        for name in names:
            if name in layout.v:
                self._freedoms.append(layout.v.index(name))
            elif name in inputs:
                self._inputs.append(inputs.index(name))
            else:
                raise unknown_name("actuator", name, [*layout.v, *inputs])
        model = instance.system.model
        self.signals = [(f"{layout.v[i]} effort", "") for i in self._freedoms]
        self.signals += [(inputs[i], model.inputs[inputs[i]].unit) for i in self._inputs]

    def at_joints(self, efforts: np.ndarray) -> dict[str, np.ndarray]:
        """Those of coordinates, by name."""
        names = [self.instance.layout.v[i] for i in self._freedoms]
        return dict(zip(names, efforts))

    def balance(self, at: Point) -> _Solved:
        """Efforts and multipliers at one point of the motion; inputs act from zero."""
        instance, k = self.instance, len(self._freedoms)
        u = at.u.copy()
        u[self._inputs] = 0.0
        at = at.moved(u=u, multipliers=np.zeros(instance.m))
        efforts = np.zeros(k + len(self._inputs))
        for _ in range(_CORRECTIONS):
            derivatives = instance.derivatives(at)
            W = -derivatives["effort", "multiplier"].T
            E = np.hstack(
                [
                    np.eye(instance.n)[:, self._freedoms],
                    -derivatives["effort", "input"][:, self._inputs],
                ]
            )
            own = np.zeros(instance.n)
            own[self._freedoms] = efforts[:k]
            rest = instance.values(at)["effort"] - own
            change, pushed, enough = _least(W, E, rest)
            self.too_few |= not enough
            efforts = efforts + change
            u = at.u.copy()
            u[self._inputs] += change[k:]
            at = at.moved(u=u, multipliers=at.multipliers + pushed)
            linear = not self._inputs and not instance.has_friction.any()
            sizes = [np.abs(x).max(initial=0.0) for x in (change, pushed, efforts, at.multipliers)]
            if linear or max(sizes[:2]) <= 1e-12 * (1.0 + max(sizes[2:])):
                break
        own[self._freedoms] = efforts[:k]
        return _Solved(at, efforts, instance.values(at)["effort"] - own)


def _least(W: np.ndarray, E: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Efforts and multipliers with Wᵀλ + E e = rest, as well as can be; and whether any `rest`
    could be met."""
    _, singular, right = np.linalg.svd(W) if W.size else (None, np.zeros(0), np.eye(rest.size))
    rank = int(np.sum(singular > 1e-9 * singular.max(initial=0.0)))
    B = right[rank:].T  # orthonormal, W B = 0
    efforts, _, reached, _ = np.linalg.lstsq(B.T @ E, B.T @ rest, rcond=1e-9)
    multipliers = np.linalg.lstsq(W.T, rest - E @ efforts, rcond=1e-9)[0] if W.size else np.zeros(0)
    return efforts, multipliers, bool(reached == B.shape[1])

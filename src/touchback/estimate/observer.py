"""What observers of a compiled model share: the model run beside the measurements, in which every
step is a step of the simulator, and how far its state is in doubt."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback import State, System
from touchback.analysis import Chart, Instance, full_flow, state_of
from touchback.errors import InputError, SolveError
from touchback.names import unknown_name
from touchback.numbers import as_float, by_name, check_period, read_number, shown, whole_within
from touchback.simulate import Where, read_state, refuse
from touchback.system import Point, Values, fill


@dataclass(frozen=True, eq=False)
class Innovation:
    """What a measurement brought: readings less what was expected of them, their covariance, and
    `nis`, the normalised square νᵀS⁻¹ν, which is χ² with as many degrees as readings if the model
    and its noise are right."""

    names: tuple[str, ...]
    residual: np.ndarray
    covariance: np.ndarray

    @property
    def nis(self) -> float:
        """νᵀS⁻¹ν."""
        return float(self.residual @ np.linalg.solve(self.covariance, self.residual))


@dataclass(frozen=True)
class LocalLinearModel:
    """The linear model about a state: A of the independent variations, C of the measured sensors,
    all variations by the independent ones, and the places of these among all."""

    A: np.ndarray
    C: np.ndarray
    variations: np.ndarray
    rows: list[int]


class Observer(ABC):
    """A simulator that measurements correct.

    `measured` has the standard deviation of each sensor's noise; `process_noise` how fast what is
    named there wanders: a velocity coordinate [m/s or rad/s per √s] driven by forces that the model
    doesn't know, or an extra state [its unit per √s], such as one with rate 0 for an unknown load.
    `initial_deviation` has standard deviations at the start, of positions, velocities and extra
    states by the names of the system's state ("ball.wx increment" where a joint has a quaternion).
    Loops are closed: deviations are of independent coordinates, `keep` says which are preferred,
    and a correction moves all of them.

    `step` takes readings every `period` seconds, in which the model makes `substeps` of RK4."""

    def __init__(
        self,
        system: System,
        period: float,
        measured: Mapping[str, float],
        process_noise: Mapping[str, float],
        initial_deviation: Mapping[str, float],
        start: Where = None,
        *,
        keep: tuple[str, ...] = (),
        parameters: dict[str, float] | None = None,
        substeps: int = 1,
    ) -> None:
        refuse("tb.linearise", system)
        check_period(type(self).__name__, period)
        whole_within(f"{type(self).__name__}: its substeps must be 1 to 1000", substeps, 1, 1000)
        self.system, self.period, self.substeps = system, period, substeps
        self._at = Instance(system, None, parameters)
        self._parameters = parameters
        self.state, self.time = state_of(system, start), 0.0
        self.innovation: Innovation | None = None
        self._keep = self._at.freedoms(keep, "coordinate to keep")
        self._measured = _check_deviations("sensor", measured, system.output_names, least=0.0)
        names = self._names()
        self._process_noise = np.zeros(len(names))
        for name, density in _check_deviations(
            "velocity or extra state", process_noise, names[self._at.n :]
        ).items():
            self._process_noise[names.index(name)] = density**2
        spread = np.zeros(len(names))
        for name, deviation in _check_deviations(
            "position, velocity or extra state", initial_deviation, names
        ).items():
            spread[names.index(name)] = deviation**2
        self._rows = self.local().rows
        self.covariance = np.diag(spread[self._rows])

    # ---- what it knows --------------------------------------------------------------------------

    def _names(self) -> list[str]:
        layout = self._at.layout
        rates = layout.state_names[len(layout.q) : len(layout.q) + self._at.n]
        plain = set(layout.q)  # where a joint has a quaternion, increments stand for positions
        positions = [name if name in plain else f"{name} increment" for name in layout.v]
        return [*positions, *rates, *layout.z]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the independent positions, velocities and extra states, as in the covariance."""
        names = self._names()
        return tuple(names[i] for i in self._rows)

    def deviation(self, name: str) -> float:
        """The standard deviation of one of them."""
        if name not in self.names:
            raise unknown_name("estimated state", name, self.names)
        place = self.names.index(name)
        return math.sqrt(max(0.0, self.covariance[place, place]))

    def sensors(self, inputs: Values = None) -> dict[str, float]:
        """What every sensor of the model would show now, measured or not."""
        x = self.state
        u = self._inputs(inputs)
        shown = self.system.sensors(x.q, x.v, u, self.time, x.z, parameters=self._parameters)
        return {name: float(value) for name, value in shown.items()}

    def error(self, truth: State) -> np.ndarray:
        """A true state less the estimate, in the independent variations."""
        true = read_state(self.system, truth)
        return self.difference(true, self.state.x)[self._rows]

    def nees(self, truth: State) -> float:
        """The normalised square eᵀP⁻¹e of the error: χ² with as many degrees as `names`, if the
        covariance tells the truth."""
        e = self.error(truth)
        return float(e @ np.linalg.solve(self.covariance, e))

    # ---- a step ---------------------------------------------------------------------------------

    def step(self, readings: Mapping[str, float], inputs: Values = None) -> State:
        """Runs the model over a period with these inputs, then corrects it by readings of sensors
        at its end; those that are missing or NaN weren't measured this time."""
        given = by_name("readings", readings)
        for name, reading in given.items():
            if name not in self._measured:
                raise unknown_name("measured sensor", name, self._measured)
            if math.isinf(read_number(f"'{name}'", reading)):
                raise InputError(f"'{name}': no sensor reads {reading}; leave it out, or give NaN.")
        taken = {n: float(r) for n, r in given.items() if not math.isnan(r)}
        self._at.u = self._inputs(inputs)
        self.predict()
        self.time += self.period
        self.innovation = None
        if taken:
            self.correct(taken)
        return self.state

    @abstractmethod
    def predict(self) -> None:
        """State and covariance a period later."""

    @abstractmethod
    def correct(self, readings: Mapping[str, float]) -> None:
        """Takes readings of the present into account."""

    # ---- for both -------------------------------------------------------------------------------

    def _inputs(self, inputs: Values) -> np.ndarray:
        return fill("u", inputs, self._at.layout.inputs, self.system.input_defaults)

    def local(self) -> LocalLinearModel:
        """The linear model about the present state."""
        x = self.state
        at = self._at.with_accelerations(self._at.point(x, self.time))
        derivatives = self._at.derivatives(at)
        chart = Chart(derivatives, self._keep)
        flow = full_flow(self._at, at, derivatives)
        seen = [self.system.output_names.index(name) for name in self._measured]
        V = chart.variations
        return LocalLinearModel(
            (flow.by_state @ V)[chart.rows], (flow.outputs.by_state @ V)[seen], V, chart.rows
        )

    def chart(self) -> LocalLinearModel:
        """The same, with the covariance carried over where other coordinates are independent."""
        here = self.local()
        if here.rows != self._rows:
            # Of the old independent variations, the new ones: the old chart spans the same tangent.
            change = np.linalg.inv(here.variations[self._rows])
            self.covariance = change @ self.covariance @ change.T
            self._rows = here.rows
        return here

    def noise(self, here: LocalLinearModel) -> tuple[np.ndarray, np.ndarray]:
        """Φ = exp(A T) and the covariance ∫ Φ W Φᵀ of what wanders in a period."""
        return van_loan_discretisation(here.A, np.diag(self._process_noise[here.rows]), self.period)

    def run(self, x: np.ndarray) -> np.ndarray:
        """States (a row each) a period later, with the inputs of this step."""
        h, t = self.period / self.substeps, self.time
        for _ in range(self.substeps):
            k1 = self._rate(x, t)
            k2 = self._rate(x + 0.5 * h * k1, t + 0.5 * h)
            k3 = self._rate(x + 0.5 * h * k2, t + 0.5 * h)
            k4 = self._rate(x + h * k3, t + h)
            x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            t += h
        if not np.all(np.isfinite(x)):
            raise SolveError(
                f"{self.system.name}: the observer's state isn't finite {self.time:g} s after its "
                "start; give more substeps, or less doubt."
            )
        return np.array([self._close_loops(row, t) for row in x]) if self.system.constrained else x

    def _rate(self, x: np.ndarray, t: float) -> np.ndarray:
        q, v, z = self._split(x)
        return self.system.state_rate(q, v, self._at.u, t, z, parameters=self._parameters)

    def _split(self, x: np.ndarray) -> list[np.ndarray]:
        nq, nv, _ = self.system.sizes
        return np.split(x, [nq, nq + nv], axis=-1)

    def _close_loops(self, x: np.ndarray, t: float) -> np.ndarray:
        return self.system.consistent(x, t, self._at.u)[0] if self.system.constrained else x

    def predict_readings(self, x: np.ndarray) -> np.ndarray:
        """What the measured sensors show at states (a row each)."""
        q, v, z = self._split(x)
        shown = self.system.sensors(q, v, self._at.u, self.time, z, parameters=self._parameters)
        return np.stack([np.broadcast_to(shown[n], len(x)) for n in self._measured], axis=1)

    def apply_variation(self, x: np.ndarray, variation: np.ndarray) -> np.ndarray:
        """A state moved by variations of all positions, velocities and extra states."""
        q, v, z = self._split(x)
        n, at = self._at.n, Point(q, v, z, self._at.u, self.time)
        turned = self._at.moved(at, variation[:n])
        found = np.concatenate([turned, v + variation[n : 2 * n], z + variation[2 * n :]])
        return self._close_loops(found, self.time)

    def difference(self, x: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Variations of everything from a state to another one, of attitudes the rotation between
        them."""
        (q, v, z), (q0, v0, z0) = self._split(x), self._split(base)
        step = self._at.step_to(q, Point(q0, v0, z0, self._at.u, self.time))
        return np.concatenate([step, v - v0, z - z0])

    def keep_state(self, x: np.ndarray) -> None:
        """Makes x = [q, v, z] the estimate."""
        q, v, z = self._split(x)
        self.state = State(q, v, z, tuple(self.system.state_names))

    def deviations(self, names: Mapping[str, float]) -> tuple[list[int], np.ndarray]:
        """Places of readings among the measured sensors, and the covariance of their noise."""
        order = list(self._measured)
        return [order.index(n) for n in names], np.diag([self._measured[n] ** 2 for n in names])


def _check_deviations(
    word: str, given: Mapping[str, float], names: list[str] | tuple[str, ...], least: float = -1.0
) -> dict[str, float]:
    found = by_name(f"{word}s", given, "standard deviations")
    for name, value in found.items():
        if name not in names:
            raise unknown_name(word, name, names)
        number = as_float(value)
        if not (math.isfinite(number) and number >= 0.0 and number > least):
            raise InputError(
                f"'{name}': {shown(value)} is no standard deviation; give a positive number."
            )
    return found


def van_loan_discretisation(
    A: np.ndarray, W: np.ndarray, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """Φ = exp(A T) and ∫ Φ W Φᵀ over a period: Van Loan's (1978) over a part of it so short that
    exp(−A h) is no large number, doubled until it is whole."""
    n, doublings = len(A), _halvings(A * period)
    h = period / 2.0**doublings
    most = max(float(W.max(initial=0.0)), 1e-300)
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n], block[:n, n:], block[n:, n:] = -A * h, W / most, A.T * h
    exponential = _exponential(block)
    flow = exponential[n:, n:].T
    spread = (most * h) * (flow @ exponential[:n, n:])
    for _ in range(doublings):
        spread = spread + flow @ spread @ flow.T
        flow = flow @ flow
    return flow, 0.5 * (spread + spread.T)


def _exponential(M: np.ndarray) -> np.ndarray:
    """exp M of a small matrix, by squaring a Taylor series."""
    halvings = _halvings(M)
    M = M / 2.0**halvings
    term = total = np.eye(len(M))
    for k in range(1, 15):  # 0.5¹⁵/15! is below rounding
        term = term @ M / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return np.asarray(total)


def _halvings(M: np.ndarray) -> int:
    """How often to halve a matrix until its norm is below 1/2."""
    return max(0, math.ceil(math.log2(max(float(np.linalg.norm(M)), 1e-300))) + 1)

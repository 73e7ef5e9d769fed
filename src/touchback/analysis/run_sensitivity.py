"""Sensitivities of a run to parameters: dy/dp over time, integrated along with the motion.

The variations S = d[δ, v, z]/dp (positions by increments) follow from the equations of motion
differentiated by the tape:

    Ṡ = (∂f/∂x) S + ∂f/∂p,   f = [v, a, ż],   dy/dp = (∂y/∂x) S + ∂y/∂p.

For mechanisms with constraints a and λ come from M a = f + Wᵀλ and
J a + γ + 2 α (J v − b) + α² h = 0, differentiated as they stand. The terms with α are zero on the
constraints and hold both the motion and its variations there (Baumgarte 1972), so that the result
is that of the exact equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from touchback.analysis.linearise import Chart
from touchback.analysis.system_at_parameters import Instance, state_of
from touchback.analysis.variation_integration import (
    Variation,
    cross_switch,
    instant_derivatives,
    variation_rate,
)
from touchback.errors import InputError, SolveError
from touchback.names import unknown_name
from touchback.numbers import InputData, by_name, positive_number, shown
from touchback.recording import Run
from touchback.simulate import (
    METHODS,
    RunSpec,
    Where,
    find_rate_jumps,
    output_times,
    refuse,
    step_limits,
)
from touchback.system import Point, System, found_states

_ALPHA = 10.0  # 1/s: how fast errors of the constraints fade
_MOST_BROKEN = 1000  # rates in a row that aren't numbers: those of some eighty steps
_UNTRACKED = 1e12  # a worse condition: states don't return to where they are found


class Sensitivity:
    """dy/dp over time: `found["output", "parameter"]` is an array as long as `found.time`.

    `run` holds the outputs themselves and the derivatives, as signals "d(output)/d(parameter)"."""

    def __init__(
        self, run: Run, outputs: Sequence[str], parameters: Sequence[str], derivatives: np.ndarray
    ) -> None:
        self.run, self.time = run, run.time
        self.outputs, self.parameters = tuple(outputs), tuple(parameters)
        self.derivatives = derivatives  # times × outputs × parameters

    def __getitem__(self, pair: tuple[str, str]) -> np.ndarray:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(
                "A derivative is that of an output by a parameter, such as "
                f"[{self.outputs[0]!r}, {self.parameters[0]!r}]; got {shown(pair)}."
            )
        output, parameter = pair
        if output not in self.outputs:
            raise unknown_name("output", output, self.outputs)
        if parameter not in self.parameters:
            raise unknown_name("parameter", parameter, self.parameters)
        return self.derivatives[:, self.outputs.index(output), self.parameters.index(parameter)]

    def __str__(self) -> str:
        width = max(map(len, self.outputs), default=0)
        lines = [f"largest derivatives over {self.run.duration:g} s"]
        for i, output in enumerate(self.outputs):
            largest = np.abs(self.derivatives[:, i]).max(axis=0)
            parts = [f"{name}: {x:.4g}" for name, x in zip(self.parameters, largest)]
            lines.append(f"  {output:<{width}}  {', '.join(parts)}")
        return "\n".join(lines)


def sensitivity(
    system: System,
    x0: Where = None,
    duration: float = 1.0,
    *,
    parameters: Sequence[str],
    outputs: Sequence[str] | None = None,
    inputs: InputData | None = None,
    at: Mapping[str, float] | None = None,
    keep: Sequence[str] = (),
    rtol: float = 1e-9,
    atol: float = 1e-11,
    output_step: float | None = None,
    step: float | None = None,
) -> Sensitivity:
    """Derivatives of outputs (states and sensors; default: all) by parameters along a run from x0.

    `at` gives values to parameters for this run, `inputs` are as in `tb.simulate`. The initial
    state doesn't vary with the parameters, but for what the constraints demand: independent
    coordinates and rates stay (those in `keep` first: the ones that `assemble` was given), the
    others follow. Integrated by SciPy's DOP853, at `rtol` and `atol` for the motion and its
    variations alike, by steps that end at knots as those of a run do, and are no longer: at most
    `step`, or a thousandth of the run, where laws curve in time; that takes seconds, and more with
    many bodies. At a switch of a continuous law (a stop) the variations are continuous, so
    nothing is lost. Where a law of time or the rate of a drive jumps they jump too, also with the
    instant where that depends on a parameter; how they do where a law of the state jumps is left
    out."""
    refuse("tb.sensitivity", system)
    for name in parameters:
        if name not in system.layout.parameters:
            raise unknown_name("parameter", name, system.layout.parameters)
    duration = positive_number("duration", duration)
    rtol, atol = positive_number("rtol", rtol), positive_number("atol", atol)
    if output_step is not None:
        output_step = positive_number("output_step", output_step)
    if step is not None:
        step = positive_number("step", step)
    state = state_of(system, x0)
    spec = RunSpec.read(
        system, duration, inputs=inputs, parameters=by_name("at", at), outputs=outputs
    )
    varied = _Varied(replace(spec, x0=state.x), parameters, step)
    start = varied.point(0.0, state.x)
    first = varied.initial(start, varied.instance.freedoms(keep, "coordinate to keep"))
    times = np.append(0.0, output_times(duration, output_step or duration / 200))
    rows = _integrate(varied, np.append(state.x, first), duration, times, rtol, atol)
    known = [*system.state_names, *system.output_names]
    names = known if outputs is None else list(outputs)
    for name in names:
        if name not in known:
            raise unknown_name("output", name, known)
    chosen = [known.index(name) for name in names]
    shown = [varied.shown(t, row) for t, row in zip(times, rows)]
    values = np.array([value[chosen] for value, _ in shown])
    derivatives = np.array([slope[chosen] for _, slope in shown])
    units = dict(zip(known, [*system.state_units, *system.output_units]))
    signals = {name: values[:, i] for i, name in enumerate(names)}
    for i, name in enumerate(names):
        for j, parameter in enumerate(parameters):
            signals[f"d({name})/d({parameter})"] = derivatives[:, i, j]
    run = Run(times, signals, units, {"model": system.name, "method": "sensitivity by DOP853"})
    return Sensitivity(run, names, parameters, derivatives)


def _integrate(
    varied: _Varied, start: np.ndarray, duration: float, times: np.ndarray, rtol: float, atol: float
) -> np.ndarray:
    from scipy.integrate import solve_ivp

    rows, t, y = [np.empty((0, len(start)))], 0.0, start
    broken, began = 0, 0.0

    def rate(t: float, y: np.ndarray, last: float) -> np.ndarray:
        """SciPy shortens steps for ever where a rate isn't a number."""
        nonlocal broken, began
        found = varied.rate(min(t, last), y)
        broken = 0 if np.isfinite(found).all() else broken + 1
        began = t if broken <= 1 else began  # later ones may not be numbers either
        if broken > _MOST_BROKEN:
            raise SolveError(
                f"{varied.instance.system.name}: the derivatives of its equations of motion aren't "
                f"finite numbers at t = {began:.6g} s; look for a law with a root, a power below 1 "
                "or a quotient at 0 there."
            )
        return found

    for end, before in varied.parts(duration):
        wanted = times[(times >= t) & ((times < end) | (end == duration))]
        asked = wanted if len(wanted) and wanted[-1] == end else np.append(wanted, end)
        done = solve_ivp(
            rate, (t, end), y, "DOP853", asked, rtol=rtol, atol=atol, max_step=varied.longest,
            args=(before,),
        )  # fmt: skip
        if not done.success or not np.isfinite(done.y).all():
            reached = f"{done.t[-1]:.6g}" if done.t.size else f"{t:.6g}"
            raise SolveError(
                f"{varied.instance.system.name}: the variations couldn't be integrated beyond "
                f"t = {reached} s of {duration:g} s ({done.message}); loosen rtol and atol, or "
                "look for a jump or a singular position there."
            )
        rows.append(done.y.T[: len(wanted)])
        t, y = end, varied.cross_knot(end, before, done.y[:, -1])
    return np.vstack(rows)


class _Varied:
    """The motion [q, v, z] together with its variations S, (2n + nz) × parameters."""

    def __init__(self, spec: RunSpec, parameters: Sequence[str], step: float | None) -> None:
        system, given = spec.system, spec.inputs
        self.instance = Instance(system, None, spec.parameters)
        self._sizes = system.sizes
        self._along = np.eye(len(self.instance.p))[
            :, [system.layout.parameters.index(name) for name in parameters]
        ]
        self._u, self._inputs = given.u.copy(), given
        evaluated = system.on_blocks(spec.parameters)
        self._knots, self.longest, jumps = step_limits(spec.span, given, evaluated, step)
        jumps = jumps[jumps < spec.span.end]
        moved = instant_derivatives(spec.span, given, system, spec.parameters, parameters, jumps)
        self._shifts = dict(zip(jumps.tolist(), moved, strict=True))
        kicks = np.array([each.time for each in find_rate_jumps(spec, METHODS["dopri5"])])
        self._kicks = {t for t in self._shifts if np.isclose(t, kicks, rtol=1e-12, atol=0.0).any()}

    def parts(self, duration: float) -> list[tuple[float, float]]:
        """From knot to knot: where each ends, and the last time that is read in it."""
        return self._knots.segments(0.0, duration) if self._knots else [(duration, np.inf)]

    def cross_knot(self, t: float, before: float, y: np.ndarray) -> np.ndarray:
        """The motion and its variations after a knot, up to which the time `before` was read."""
        shift, impulse = self._shifts.get(t, np.zeros(0)), t in self._kicks
        if not shift.any() and not impulse:
            return y
        size, (nq, n, nz) = sum(self._sizes), self._sizes
        S = y[size:].reshape(2 * n + nz, -1)
        sides = self.point(before, y), self.point(t, y)
        v, S = cross_switch(self.instance, *sides, S, self._along, shift, impulse)
        return np.concatenate([y[:nq], v, y[nq + n : size], S.ravel()])

    def point(self, t: float, x: np.ndarray) -> Point:
        """The state x at time t, with the inputs of that time."""
        nq, n, nz = self._sizes
        self._inputs.refresh(t, x, self._u)
        q, v, z = np.split(x[: nq + n + nz], [nq, nq + n])
        return Point(q, v, z, self._u[1:].copy(), t, np.zeros(n), np.zeros(self.instance.m))

    def initial(self, at: Point, keep: list[int]) -> np.ndarray:
        """The variations that the constraints demand of the initial state."""
        derivatives, by_p = self.instance.derivatives(at), self.instance.parameter_derivatives(at)
        demanded = by_p["position", "parameter"], by_p["rate", "parameter"]
        moved = Chart(derivatives, keep).demanded(derivatives, *demanded)
        states = self._tracked(at, moved[: self.instance.n])
        return (np.vstack([moved, states]) @ self._along).ravel()

    def _tracked(self, at: Point, position: np.ndarray) -> np.ndarray:
        """How the initial extra states vary: those that forces find at the positions (nearest
        points) with them, so that they still don't change at rest; the others not at all."""
        instance, order = self.instance, self.instance.layout.z
        found = found_states(instance.system.model, at.q, instance.parameters)
        own = [order.index(name) for name in found]
        still = at.moved(v=np.zeros(instance.n))
        derivatives, by_p = instance.derivatives(still), instance.parameter_derivatives(still)
        moved = derivatives["state", "position"] @ position + by_p["state", "parameter"]
        own_derivatives = derivatives["state", "state"][np.ix_(own, own)]
        if own and np.linalg.cond(own_derivatives) > _UNTRACKED:
            raise SolveError(
                f"{instance.system.name}: how '{next(iter(found))}' begins can't be varied with "
                "the parameters; give the surface contact a `correction`."
            )
        states = np.zeros((len(at.z), position.shape[1]))
        states[own] = -np.linalg.solve(own_derivatives, moved[own])
        return states

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """d/dt of motion and variations."""
        n, now = self.instance.n, self._now(t, y)
        N, D = self.instance.increments(now.at)
        positions = now.S[n : 2 * n] + D @ now.S[:n]
        variations = np.vstack([positions, now.answers[:n], now.of("state")])
        motion = [N @ now.at.v, now.at.a, self.instance.values(now.at)["state"]]
        return np.concatenate([*motion, variations.ravel()])

    def shown(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States and sensors, and their derivatives by the parameters."""
        n, now = self.instance.n, self._now(t, y)
        N = self.instance.increments(now.at)[0]
        values = np.concatenate([y[: sum(self._sizes)], self.instance.values(now.at)["output"]])
        return values, np.vstack([N @ now.S[:n], now.S[n:], now.outputs()])

    def _now(self, t: float, y: np.ndarray) -> Variation:
        at = self.point(t, y)
        S = y[sum(self._sizes) :].reshape(2 * self.instance.n + len(at.z), -1)
        return variation_rate(self.instance, at, S, self._along, _ALPHA)

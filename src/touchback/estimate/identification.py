"""Parameters from recorded runs: least squares on the sensitivities of the model's own steps.

The model runs from the same start with the same inputs as what was recorded, and the unknowns are
those at which measured signals differ least from its own, by Gauss and Newton in a trust region
with bounds (`scipy.optimize.least_squares`). Residuals are in standard deviations of each signal's
noise, which is estimated along where it isn't given.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback import Run, System
from touchback.analysis import ClosedVariations, SignalDerivatives, Variations, plan_steps
from touchback.errors import InputError, SolveError
from touchback.estimate.identification_inputs import (
    Bounds,
    Recorded,
    Unknowns,
    read_runs,
    read_unknowns,
    signal_units,
    unfed_inputs,
)
from touchback.estimate.identification_result import Identification, Misfit
from touchback.estimate.robust_losses import Loss, loss_of, spread
from touchback.names import names_once, unknown_name
from touchback.numbers import InputData, by_name, positive_number
from touchback.simulate import Where, refuse

_PASSES = 6  # fits, each with the noise that the one before left
_SAME = 0.01  # a smaller change of the noise ends them
_TOLERANCE = 1e-10
_STEPS = 10_000_000  # of a run, as tb.simulate has it
_ROUNDING = 1e-13  # of the largest number of a run: changes no larger aren't influence
_LONG = 1e6  # steps: seconds for each look at them
_BEYOND = 3  # samples of a signal beyond unknowns, from which on its noise is estimated


def identify(
    system: System,
    runs: Run | Sequence[Run],
    *,
    parameters: Sequence[str] | Mapping[str, float],
    signals: Sequence[str],
    x0: Where | Sequence[Where] = None,
    initial: Sequence[str] = (),
    bounds: Bounds | None = None,
    noise: Mapping[str, float] | None = None,
    loss: str = "linear",
    inputs: InputData | None = None,
    at: Mapping[str, float] | None = None,
    keep: Sequence[str] = (),
    step: float = 1e-3,
) -> Identification:
    """The `parameters` of a system at which it does what was recorded: its `signals` (states and
    sensors) differ least from those of the runs.

    Each run begins at `x0` (one state for all, or a list of them; default: the model's own), of
    which the states named by `initial` are looked for too, of each run its own. Inputs are those
    that were recorded under their names, linear between samples, or given by `inputs`. Known
    parameters are those that a run was made with, or given by `at`. The search begins at the
    model's values, or at those given with the names, and stays within `bounds` and the model's
    ranges. `noise` has standard deviations of signals (else estimated, of each); `loss` "huber",
    "soft_l1" or "cauchy" lets outliers count less. The model makes equal RK4 steps of at most
    `step` seconds between samples and knots, no longer than `tb.simulate` would where laws curve in
    time. A sample that is NaN wasn't measured.

    With constraints a run begins where its parameters let them be met: independent coordinates stay
    as x0 has them, those of `initial` and `keep` first, the others follow."""
    refuse("tb.identify", system)
    names = _signals(system, signals)
    recorded = read_runs(system, runs, names, x0, inputs, at)
    unknowns = read_unknowns(system, parameters, initial, bounds, recorded)
    variations = _variations(system, unknowns, names, keep)
    longest = max(float(run.time[-1] - run.time[0]) for run in recorded)
    if longest / positive_number("step", step) > _STEPS:
        raise InputError(
            f"step: {step:g} s makes more than {_STEPS} steps of a run; give a longer."
        )
    fit = _Fit(variations, recorded, unknowns, names, float(step))
    _warn_of_long(recorded, fit.step)
    known = _noise(names, noise)
    return _converged(fit, known, loss_of(loss))


def _variations(
    system: System, unknowns: Unknowns, signals: Sequence[str], keep: Sequence[str]
) -> Variations | ClosedVariations:
    looked_for = unknowns.parameters, unknowns.initial
    if system.constrained:
        sensors = any(name in system.output_names for name in signals)
        return ClosedVariations(system, *looked_for, keep, sensors)
    if keep:
        raise InputError(
            f"keep: {system.name} has no constraints, so that all of x0 stays; leave it away."
        )
    return Variations(system, *looked_for)


def _signals(system: System, given: Sequence[str]) -> list[str]:
    names = names_once("signals", given)
    if not names:
        raise InputError(f"signals: names are expected, as ['swing'], got {given!r}.")
    known = [*system.state_names, *system.output_names]
    for name in names:
        if name not in known:
            raise unknown_name("signal of the model", name, known)
    return names


def _warn_of_long(runs: Sequence[Recorded], step: float) -> None:
    """Milliseconds that are taken for seconds would be computed for hours."""
    steps = sum(run.time[-1] - run.time[0] for run in runs) / step
    if steps > _LONG:
        warnings.warn(
            f"tb.identify: the runs take {steps:.2g} steps of {step:g} s, again and again; if "
            "their time isn't in seconds, convert it, else give a longer step.",
            RuntimeWarning, stacklevel=3,
        )  # fmt: skip


def _noise(names: Sequence[str], given: Mapping[str, float] | None) -> dict[str, float]:
    found = by_name("noise", given, "standard deviations")
    for name in found:
        if name not in names:
            raise unknown_name("signal that is fitted", name, names)
    return {n: positive_number(f"noise of '{n}'", value) for n, value in found.items()}


@dataclass
class _Fit:
    """Runs of the model beside the recorded ones; the last is kept, for its derivatives."""

    variations: Variations | ClosedVariations
    runs: Sequence[Recorded]
    unknowns: Unknowns
    signals: Sequence[str]
    step: float
    _last: tuple[bytes, list[SignalDerivatives]] | None = field(default=None, repr=False)

    def simulate_runs(self, theta: np.ndarray) -> list[SignalDerivatives]:
        """The fitted signals of each run, and their derivatives."""
        key = theta.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, [self._simulate_run(theta, i) for i in range(len(self.runs))]
        return self._last[1]

    def _simulate_run(self, theta: np.ndarray, i: int) -> SignalDerivatives:
        run, system = self.runs[i], self.variations.system
        parameters, initial = self.unknowns.of_run(theta, i, run)
        x0 = run.x0.copy()
        for name, value in initial.items():
            x0[system.state_names.index(name)] = value
        plan = plan_steps(run.time, run.given, system, parameters, self.step)
        found = self.variations.follow(x0, plan, run.given, parameters)
        known = [*system.state_names, *system.output_names]
        places = [known.index(name) for name in self.signals]
        return SignalDerivatives(
            found.values[plan.asked][:, places], found.derivatives[plan.asked][:, places]
        )

    def misfit(self, theta: np.ndarray) -> Misfit:
        """Measured less modelled, of all samples that were measured, and its derivatives."""
        left, derivatives, signal, places = [], [], [], []
        for i, (run, along) in enumerate(zip(self.runs, self.simulate_runs(theta), strict=True)):
            seen = np.isfinite(run.measured)
            left.append((run.measured - along.values)[seen])
            whole = np.zeros((*run.measured.shape, len(theta)))
            whole[:, :, self.unknowns.columns(i)] = -along.derivatives
            derivatives.append(whole[seen])
            where = np.argwhere(seen)
            signal.append(where[:, 1])
            places.append(np.column_stack([np.full(len(where), i), where[:, 0]]))
        return Misfit(
            np.concatenate(left), np.vstack(derivatives), np.concatenate(signal), np.vstack(places)
        )


def _converged(fit: _Fit, known: Mapping[str, float], loss: Loss) -> Identification:
    """Fits in turn with the noise that is left, until that stays."""
    theta = fit.unknowns.first.copy()
    begin = fit.misfit(theta)
    _check_start(fit, begin)
    _check_noise(fit, begin, known)
    sigma = _noise_left(fit, begin, known, np.ones(len(fit.signals)), loss)
    for _ in range(_PASSES):
        theta = _solve_theta(fit, theta, sigma, loss)
        after = fit.misfit(theta)
        before, sigma = sigma, _noise_left(fit, after, known, sigma, loss)
        if np.abs(sigma / before - 1.0).max() < _SAME:
            break
    modelled = tuple(along.values for along in fit.simulate_runs(theta))
    system, known_units = fit.variations.system, signal_units(fit.variations.system)
    return Identification(
        system.name, fit.unknowns, tuple(fit.signals), tuple(known_units[n] for n in fit.signals),
        theta, sigma, loss, after, tuple(fit.runs), modelled,
    )  # fmt: skip


def _noise_left(
    fit: _Fit, misfit: Misfit, known: Mapping[str, float], otherwise: np.ndarray, loss: Loss
) -> np.ndarray:
    """The standard deviation of each signal's noise: known, or that of what a fit left."""
    own = misfit.effective_parameters(otherwise)
    return np.array([
        known.get(name, spread(misfit.left[misfit.signal == k], own[k], loss) or otherwise[k])
        for k, name in enumerate(fit.signals)
    ])  # fmt: skip


def _check_start(fit: _Fit, begin: Misfit) -> None:
    unknowns = fit.unknowns
    if not np.isfinite(begin.left).all():
        run, row = begin.places[np.argmin(np.isfinite(begin.left))]
        raise SolveError(
            f"{fit.variations.system.name}: with the first guesses run {run + 1} isn't finite from "
            f"{fit.runs[run].time[row]:g} s on{_open_loop_hint(fit)}; give a shorter step than "
            f"{fit.step:g} s, or begin nearer to what was recorded."
        )
    if len(begin.left) <= len(unknowns.names):
        raise InputError(
            f"{len(begin.left)} samples can't tell {len(unknowns.names)} unknowns and their "
            "noise; give more, or look for fewer."
        )
    size = _ROUNDING * max(
        np.abs(along.values).max() for along in fit.simulate_runs(unknowns.first)
    )
    changes = np.abs(begin.derivatives * unknowns.scale).max(axis=0)
    silent = [name for name, change in zip(unknowns.names, changes, strict=True) if change <= size]
    if silent:
        raise InputError(
            f"'{silent[0]}' has no influence on {', '.join(fit.signals)} in these runs; leave it "
            "out, measure what depends on it, or let it move: begin where it did (x0=…, initial=…) "
            f"and give its inputs{_in_brackets(unfed_inputs(fit.runs))}."
        )


def _in_brackets(cautions: Sequence[str]) -> str:
    return f" ({'; '.join(cautions)})" if cautions else ""


def _open_loop_hint(fit: _Fit) -> str:
    return ", or its constraints can't be met" if fit.variations.system.constrained else ""


def _check_noise(fit: _Fit, begin: Misfit, known: Mapping[str, float]) -> None:
    """A signal that the unknowns can follow exactly would be told to have no noise, and then be
    all that counts; alone there is nothing that it could count more than."""
    for k, name in enumerate(fit.signals if len(fit.signals) > 1 else ()):
        of_it = begin.derivatives[begin.signal == k]
        unknowns = int(of_it.any(axis=0).sum())
        if name not in known and len(of_it) - unknowns < _BEYOND:
            raise InputError(
                f"{len(of_it)} samples of '{name}' can't tell its noise beside {unknowns} unknowns "
                f'that it depends on; give it: noise={{"{name}": …}}.'
            )


def _solve_theta(fit: _Fit, theta: np.ndarray, sigma: np.ndarray, loss: Loss) -> np.ndarray:
    from scipy.optimize import least_squares

    unknowns, scale = fit.unknowns, fit.unknowns.scale
    begin = fit.misfit(theta)
    reach = np.linalg.norm(begin.derivatives * theta / sigma[begin.signal][:, None])
    # SciPy's first steps are as long as the first guess, and if that lies next to 0 there are none
    origin = theta if reach < 1.0 else np.zeros_like(theta)

    def residuals(y: np.ndarray) -> np.ndarray:
        now = fit.misfit(origin + y * scale)
        return now.left / sigma[now.signal]

    def jacobian(y: np.ndarray) -> np.ndarray:
        now = fit.misfit(origin + y * scale)
        return now.derivatives * scale / sigma[now.signal][:, None]

    found = least_squares(
        residuals, (theta - origin) / scale, jacobian,
        ((unknowns.low - origin) / scale, (unknowns.high - origin) / scale), "trf",
        _TOLERANCE, _TOLERANCE, _TOLERANCE, "jac", loss.word, loss.scale, max_nfev=200,
    )  # fmt: skip
    if found.status == 0:
        raise SolveError(
            f"{fit.variations.system.name}: no best {', '.join(unknowns.names)} within "
            f"{found.nfev} runs; "
            + "; ".join([
                "begin nearer to them, give bounds, or look for fewer unknowns",
                *unfed_inputs(fit.runs),
            ]) + "."
        )  # fmt: skip
    return np.asarray(origin + found.x * scale)

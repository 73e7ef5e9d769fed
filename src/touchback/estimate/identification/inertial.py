"""Masses, centres of mass and inertias from motions and efforts: least squares on the regressor,
whose columns are those of the base parameters that the motion tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from touchback.dynamics.floats import float_instant
from touchback.dynamics.regressor import INERTIAL
from touchback.errors import InputError, SolveError
from touchback.estimate.identification.base import (
    BaseParameters,
    decomposed,
    inertial_parameters,
    pseudo_inertias,
    told_sum,
)
from touchback.estimate.identification.intervals import half_width
from touchback.simulate.features import refuse
from touchback.system import System
from touchback.system.reading import read_array

_THIN = 1e-6  # of its largest moment: what a body has at least, so that it has a size
_PASSES = 3  # fits, each with the noise of the one before
_TERMS = ("viscous", "coulomb", "armature")


@dataclass(frozen=True, eq=False)
class InertialFit:
    """Base parameters with `values`, `errors` (standard errors) and `interval(confidence)`, by the
    name of each one's own parameter; `base` has the combinations. `parameters` are all of them,
    those nearest to the model's that have these base parameters, and `impossible` the bodies whose
    are then none that mass can have. `noise` has the standard deviation of each effort."""

    model: str
    base: BaseParameters
    beta: np.ndarray = field(repr=False)
    covariance: np.ndarray = field(repr=False)
    freedoms: int
    parameters: dict[str, float] = field(repr=False)
    impossible: tuple[str, ...]
    noise: dict[str, float]
    condition: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of the base parameters."""
        return tuple(self.base.combinations)

    @property
    def values(self) -> dict[str, float]:
        """What was found."""
        return dict(zip(self.names, map(float, self.beta), strict=True))

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    def interval(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Of each base parameter, where it lies with this confidence."""
        width, errors = half_width(self.freedoms, confidence), self.errors
        return {n: (x - width * errors[n], x + width * errors[n]) for n, x in self.values.items()}

    def __str__(self) -> str:
        lines = [f"{self.model}: {len(self.base)} base parameters, condition {self.condition:.3g}"]
        errors, told = self.errors, self.base.combinations
        for name, value in self.values.items():
            lines.append(f"  {value:>11.5g} ± {errors[name]:<8.2g} {told_sum(told[name])}")
        lines.append("  noise: " + ", ".join(f"{n} {s:.3g}" for n, s in self.noise.items()))
        if self.impossible:
            lines.append(
                f"  no mass has the inertia of {', '.join(self.impossible)}: the motion tells too "
                "little of it, or the model lacks something"
            )
        return "\n".join(lines)


def identify_inertia(
    system: System, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike,
    joint_terms: Sequence[str] = (),
) -> InertialFit:  # fmt: skip
    """Inertial parameters of a tree from positions, velocities, accelerations and joint efforts,
    each (samples, coordinates).

    `joint_terms` may name "viscous" (∝ v), "coulomb" (∝ sign v) and "armature" (∝ a): then of each
    joint these are found too, and `tau` is what its motor does; else it is the total effort, as in
    `system.inverse_dynamics`. Forces on bodies and armatures that the model knows are taken off.
    Efforts count by their noise, which is estimated."""
    refuse("tb.estimate.identify_inertia", system)
    given = _read(system, q=q, v=v, a=a, tau=tau)
    names, W = _columns(system, given, joint_terms)
    own = np.array([inertial_parameters(system).get(name, 0.0) for name in names])
    base = decomposed(names, W.reshape(-1, len(names)))
    rest = given["tau"] - _known(system, given, joint_terms)
    count, n = rest.shape
    freedoms = rest.size - len(base)
    if freedoms <= 0:
        raise InputError(
            f"{count} samples of {n} efforts can't tell {len(base)} base parameters and their "
            "noise; give more."
        )
    sigma, independent = np.ones(n), list(base.independent)
    for _ in range(_PASSES):
        A = (W[:, :, independent] / sigma[:, None]).reshape(-1, len(base))
        beta, _, rank, size = np.linalg.lstsq(A, (rest / sigma).ravel(), rcond=None)
        left = rest - W[:, :, independent] @ beta
        followed = (np.linalg.qr(A)[0] ** 2).sum(axis=1).reshape(rest.shape).sum(axis=0)
        beyond = np.maximum(count - followed, 1.0)
        sigma = np.maximum(np.sqrt(np.sum(left**2, axis=0) / beyond), 1e-300)
    if rank < len(base):
        raise SolveError(
            f"{system.name}: the motion tells too little; move all joints, and faster."
        )
    variance = float(np.sum((left / sigma) ** 2)) / freedoms
    model = inertial_parameters(system)
    everything = _nearest(base, beta, own, model)
    bodies = dict(zip(model, everything.tolist(), strict=False))  # those of joints come after
    return InertialFit(
        system.name, base, beta, variance * np.linalg.inv(A.T @ A), freedoms,
        dict(zip(names, everything.tolist(), strict=True)), _impossible(bodies),
        dict(zip(system.velocities, sigma.tolist(), strict=True)), float(size[0] / size[-1]),
    )  # fmt: skip


def _read(system: System, **given: ArrayLike) -> dict[str, np.ndarray]:
    nq, n, _ = system.sizes
    found = {name: np.atleast_2d(read_array(name, array)) for name, array in given.items()}
    count = len(found["q"])
    for name, array in found.items():
        width = nq if name == "q" else n
        if array.shape != (count, width):
            raise InputError(
                f"{name}: {count} samples of {width} coordinates are expected, got shape "
                f"{array.shape}."
            )
        if not np.isfinite(array).all():
            bad = int(np.argmin(np.isfinite(array).all(axis=1)))
            raise InputError(f"{name}: sample {bad} has what is no number; leave it out.")
    return found


def _columns(
    system: System, at: dict[str, np.ndarray], terms: Sequence[str]
) -> tuple[list[str], np.ndarray]:
    """Names, and W (samples, efforts, names)."""
    if isinstance(terms, str) or any(term not in _TERMS for term in terms):
        raise InputError(f"joint_terms: some of {', '.join(map(repr, _TERMS))}, got {terms!r}.")
    names = list(inertial_parameters(system))
    blocks = [system.regressor(at["q"], at["v"], at["a"])]
    by = {"viscous": at["v"], "coulomb": np.sign(at["v"]), "armature": at["a"]}
    for term in terms:
        names += [f"{joint} {term}" for joint in system.velocities]
        blocks.append(by[term][:, :, None] * np.eye(len(system.velocities)))
    return names, np.concatenate(blocks, axis=2)


def _known(system: System, at: dict[str, np.ndarray], terms: Sequence[str]) -> np.ndarray:
    """Efforts by what isn't looked for: forces on bodies, and armatures."""
    q, v, a = at["q"], at["v"], at["a"]
    bodies = system.regressor(q, v, a) @ np.array(list(inertial_parameters(system).values()))
    found = system.inverse_dynamics(q, v, a) - bodies
    if "armature" in terms:
        instant = float_instant(system.model, parameters=system.parameters)
        found = found - a * np.array([float(x) for x in instant.armature()])
    return np.asarray(found)


def _nearest(
    base: BaseParameters, beta: np.ndarray, own: np.ndarray, bodies: dict[str, float]
) -> np.ndarray:
    """All parameters with these base parameters that differ least from the model's, as bodies do:
    by tr(P⁻¹ δP P⁻¹ δP) of each pseudo-inertia P (Lee, Wensing and Park 2018)."""
    B, free = base.matrix(), np.eye(len(own))  # of joint terms a unit is a unit
    units = [
        next(iter(pseudo_inertias(dict(zip(INERTIAL, row))).values()))
        for row in np.eye(len(INERTIAL))
    ]
    for k, P in enumerate(pseudo_inertias(bodies).values()):
        size, axes = np.linalg.eigh(P)
        size = np.maximum(size, _THIN * max(float(size[-1]), 1e-300))  # rods and points too
        half = axes / np.sqrt(size)
        turned = np.array([(half.T @ unit @ half).ravel() for unit in units])
        where = slice(k * len(INERTIAL), (k + 1) * len(INERTIAL))
        free[where, where] = np.linalg.inv(turned @ turned.T)
    step = free @ B.T @ np.linalg.solve(B @ free @ B.T, beta - B @ own)
    return np.asarray(own + step)


def _impossible(parameters: dict[str, float]) -> tuple[str, ...]:
    """Bodies whose pseudo-inertia isn't positive semidefinite."""
    return tuple(
        name
        for name, P in pseudo_inertias(parameters).items()
        if np.linalg.eigvalsh(P)[0] < -1e-9 * max(float(np.abs(P).max()), 1e-300)
    )

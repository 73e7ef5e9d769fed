"""Masses, centres of mass and inertias from motions and efforts: base parameters, which are the
combinations of inertial parameters that joints can tell (Gautier and Khalil 1990), by a QR
decomposition with pivoting of the regressor (Gautier 1991); and least squares on the columns that
the motion tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from touchback import System
from touchback.errors import InputError, SolveError
from touchback.estimate.identification_result import half_width
from touchback.names import with_unit
from touchback.numbers import read_array
from touchback.simulate import refuse
from touchback.system import INERTIAL, float_instant

_UNITS = ("kg", *("kg m",) * 3, *("kg m²",) * 6)  # of INERTIAL
_RANK = 1e-9  # of the largest column left: those below are combinations of others
_BLURRED = 1e-7  # the same without pivots, whose rounding grows
_SHARE = 1e-6  # smaller shares of a combination are rounding
_MOTIONS = 4  # random motions for each parameter
_THIN = 1e-6  # of its largest moment: what a body has at least, so that it has a size
_PASSES = 20  # fits at most, each with the noise of the one before,
_SAME = 0.01  # until that changes by less
_FINEST = 1e-9  # of the largest effort: nothing measures finer, and rounding is no noise
_TERMS = {  # with their units, where a joint slides and where it turns
    "viscous": {"N": "N s/m", "N m": "N m s/rad"},
    "coulomb": {"N": "N", "N m": "N m"},
    "armature": {"N": "kg", "N m": "kg m²"},
}


def inertial_parameters(system: System) -> dict[str, float]:
    """π of τ = Y π as the model has it now, in the order of `system.regressor`: of each body mass
    [kg], first moments [kg m] and the tensor about the origin of its frame [kg m²]."""
    instant = float_instant(system.model, parameters=system.parameters)
    found: dict[str, float] = {}
    for name, body in instant.model.bodies.items():
        mass, com = float(instant.value(body.mass)), [float(instant.value(x)) for x in body.com]
        J = np.array([[float(instant.value(x)) for x in row] for row in body.tensor()])
        J += mass * (np.dot(com, com) * np.eye(3) - np.outer(com, com))
        h = [mass * x for x in com]
        ten = [mass, *h, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        found |= dict(zip((f"{name} {word}" for word in INERTIAL), map(float, ten), strict=True))
    return found


def inertial_units(system: System) -> dict[str, str]:
    """Of the same."""
    return dict(zip(inertial_parameters(system), _UNITS * len(system.model.bodies), strict=True))


def pseudo_inertias(parameters: dict[str, float]) -> dict[str, np.ndarray]:
    """[[E, h], [hᵀ, m]] of each body; positive definite where it is one that mass can have
    (Wensing, Kim and Slotine 2018)."""
    values, found = list(parameters.values()), {}
    for k, name in enumerate(list(parameters)[:: len(INERTIAL)]):
        m, hx, hy, hz, xx, yy, zz, xy, xz, yz = values[k * len(INERTIAL) : (k + 1) * len(INERTIAL)]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P = np.zeros((4, 4))
        P[:3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
        P[:3, 3] = P[3, :3] = hx, hy, hz
        P[3, 3] = m
        found[name.removesuffix(f" {INERTIAL[0]}")] = P
    return found


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Combinations of parameters that efforts tell: each is one parameter and shares of others,
    which stand nowhere else; `unidentifiable` have no influence at all."""

    names: tuple[str, ...]  # of all parameters
    units: tuple[str, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    shares: np.ndarray = field(repr=False)  # (independent, dependent)

    def __len__(self) -> int:
        return len(self.independent)

    def matrix(self) -> np.ndarray:
        """B of β = B π."""
        found = np.zeros((len(self), len(self.names)))
        found[range(len(self)), self.independent] = 1.0
        found[:, self.dependent] = self.shares
        return found

    @property
    def combinations(self) -> dict[str, dict[str, float]]:
        """Of each base parameter, by the name of its own, the shares of all."""
        return {
            self.names[own]: {self.names[own]: 1.0}
            | {
                self.names[j]: float(x)
                for j, x in zip(self.dependent, row, strict=True)
                if abs(x) > _SHARE
            }
            for own, row in zip(self.independent, self.shares, strict=True)
        }

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """Parameters that no effort depends on."""
        silent = np.abs(self.shares).max(axis=0, initial=0.0) <= _SHARE
        return tuple(self.names[j] for j, said in zip(self.dependent, silent) if said)

    @property
    def sums(self) -> tuple[str, ...]:
        """Each base parameter as "link Jzz + 0.25 tip m [kg m²]"."""
        units = (self.units[own] for own in self.independent)
        return tuple(map(with_unit, map(_sum, self.combinations.values()), units))

    def __str__(self) -> str:
        head = (
            f"{len(self)} base parameters of {len(self.names)}, {len(self.unidentifiable)} untold"
        )
        return "\n".join([head, *(f"  {each}" for each in self.sums)])


def _sum(shares: dict[str, float]) -> str:
    """As "link Jzz + 0.25 tip m"."""
    parts = []
    for name, x in shares.items():
        size = "" if abs(abs(x) - 1.0) < _SHARE else f"{abs(x):.4g} "
        parts.append(f"{'−' if x < 0 else '+'} {size}{name}")
    return " ".join(parts).removeprefix("+ ")


def base_parameters(system: System, seed: int = 0) -> BaseParameters:
    """Those that any motion could tell, found from random positions, velocities and accelerations
    of all coordinates."""
    refuse("tb.estimate.base_parameters", system)
    units = inertial_units(system)
    rows, chance = _MOTIONS * len(units), np.random.default_rng(seed)
    q = system.initial_state().q + chance.normal(size=(rows, system.sizes[0]))
    v, a = chance.normal(size=(2, rows, system.sizes[1]))
    Y = system.regressor(q, v, a).reshape(-1, len(units))
    return decomposed(units, Y)


def decomposed(units: Mapping[str, str], W: np.ndarray) -> BaseParameters:
    """Independent columns of W, each named with its unit, and of the others their combinations. How
    many there are is told by a QR decomposition with pivoting, columns of one length, so that units
    don't decide. Which: each that those before it don't make up, so that bodies give to what
    carries them (Gautier 1991); where rounding blurs that, the pivots."""
    from scipy.linalg import qr

    size = np.linalg.norm(W, axis=0)
    # a column of rounding has no direction: it stays as short as it is
    kept = np.where(size > _RANK * size.max(initial=1e-300), size, size.max(initial=1e-300))
    scaled = W / kept
    R, order = qr(scaled, mode="r", pivoting=True)[-2:]
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > _RANK * diagonal.max(initial=1e-300)))
    beyond = np.abs(np.diag(qr(scaled, mode="r")[0]))
    own = np.flatnonzero(beyond > _BLURRED * beyond.max(initial=1e-300))
    if len(own) != rank:
        own = np.sort(order[:rank])
    others = np.setdiff1d(np.arange(len(size)), own)
    shares = np.linalg.lstsq(scaled[:, own], scaled[:, others], rcond=None)[0]
    shares = shares * kept[others] / kept[own][:, None]
    names = tuple(units)
    return BaseParameters(
        names, tuple(units.values()), tuple(own.tolist()), tuple(others.tolist()), shares
    )


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
    effort_units: dict[str, str] = field(repr=False)
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
        for (name, value), told in zip(self.values.items(), self.base.sums, strict=True):
            lines.append(f"  {value:>11.5g} ± {self.errors[name]:<8.2g} {told}")
        noise = (f"{with_unit(n, self.effort_units[n])} {s:.3g}" for n, s in self.noise.items())
        lines.append("  noise: " + ", ".join(noise))
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
    units, W = _columns(system, given, joint_terms)
    own = np.array([inertial_parameters(system).get(name, 0.0) for name in units])
    base = decomposed(units, W.reshape(-1, len(units)))
    rest = given["tau"] - _known(system, given, joint_terms)
    count, n = rest.shape
    freedoms = rest.size - len(base)
    if freedoms <= 0:
        raise InputError(
            f"{count} samples of {n} efforts can't tell {len(base)} base parameters and their "
            "noise; give more."
        )
    if not len(base):
        raise SolveError(f"{system.name}: the motion tells nothing; move its joints.")
    beta, half, sigma, condition = _converged(W[:, :, list(base.independent)], rest)
    model = inertial_parameters(system)
    everything = _nearest(base, beta, own, model)
    bodies = dict(zip(model, everything.tolist(), strict=False))  # those of joints come after
    return InertialFit(
        system.name, base, beta, half @ half.T, freedoms,
        dict(zip(units, everything.tolist(), strict=True)), _impossible(bodies),
        dict(zip(system.velocities, sigma.tolist(), strict=True)), _effort_units(system),
        condition,
    )  # fmt: skip


def _converged(W: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Parameters, half of their covariance (H of H Hᵀ), the noise of each effort, and the condition
    of the columns, each of one length: fits in turn with the noise that is left, until it stays."""
    count, n = rest.shape
    least, sigma = max(_FINEST * float(np.abs(rest).max()), 1e-150), np.ones(n)
    for _ in range(_PASSES):
        unit = float(sigma.max())
        weight = unit / sigma
        A = (W * weight[:, None]).reshape(-1, W.shape[2])
        length = np.linalg.norm(A, axis=0)
        along, size, across = np.linalg.svd(A / length, full_matrices=False)
        half = across.T / size / length[:, None]
        beta = half @ (along.T @ (rest * weight).ravel())
        followed = (along**2).sum(axis=1).reshape(rest.shape).sum(axis=0)
        left, beyond = rest - W @ beta, np.maximum(count - followed, 1.0)
        before, sigma = sigma, np.maximum(np.sqrt(np.sum(left**2, axis=0) / beyond), least)
        if np.abs(sigma / before - 1.0).max() < _SAME:
            break
    spread = unit * np.sqrt(np.average((sigma / before) ** 2, weights=beyond))
    return beta, spread * half, sigma, float(size[0] / size[-1])


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
) -> tuple[dict[str, str], np.ndarray]:
    """Units by name, and W (samples, efforts, names)."""
    if isinstance(terms, str) or any(term not in _TERMS for term in terms):
        raise InputError(f"joint_terms: some of {', '.join(map(repr, _TERMS))}, got {terms!r}.")
    units = inertial_units(system)
    blocks = [system.regressor(at["q"], at["v"], at["a"])]
    by = {"viscous": at["v"], "coulomb": np.sign(at["v"]), "armature": at["a"]}
    for term in terms:
        efforts = _effort_units(system).items()
        units |= {f"{joint} {term}": _TERMS[term][effort] for joint, effort in efforts}
        blocks.append(by[term][:, :, None] * np.eye(len(system.velocities)))
    return units, np.concatenate(blocks, axis=2)


def _effort_units(system: System) -> dict[str, str]:
    """Of each velocity's effort."""
    words = ("N" if unit == "m/s" else "N m" for unit in system.layout.v_units)
    return dict(zip(system.velocities, words, strict=True))


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

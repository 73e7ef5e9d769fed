"""Base parameters: which combinations of inertial parameters joints can tell (Gautier and Khalil
1990), by a QR decomposition with pivoting of the regressor (Gautier 1991)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.dynamics.regressor import INERTIAL
from touchback.recording.names import with_unit
from touchback.simulate.features import refuse
from touchback.system import System

_UNITS = ("kg", *("kg m",) * 3, *("kg m²",) * 6)  # of INERTIAL
_RANK = 1e-9  # of the largest column left: those below are combinations of others
_BLURRED = 1e-7  # the same without pivots, whose rounding grows
_SHARE = 1e-6  # smaller shares of a combination are rounding
_MOTIONS = 4  # random motions for each parameter


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
    which stand nowhere else; `untold` have no influence at all."""

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
    def untold(self) -> tuple[str, ...]:
        """Parameters that no effort depends on."""
        silent = np.abs(self.shares).max(axis=0, initial=0.0) <= _SHARE
        return tuple(self.names[j] for j, said in zip(self.dependent, silent) if said)

    @property
    def sums(self) -> tuple[str, ...]:
        """Each base parameter as "link Jzz + 0.25 tip m [kg m²]"."""
        units = (self.units[own] for own in self.independent)
        return tuple(map(with_unit, map(_sum, self.combinations.values()), units))

    def __str__(self) -> str:
        head = f"{len(self)} base parameters of {len(self.names)}, {len(self.untold)} untold"
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

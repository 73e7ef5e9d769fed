"""Random roads of ISO 8608's classes, two tracks that belong to one isotropic surface."""

from math import pi

import numpy as np
from numpy.typing import NDArray

from touchback.errors import ModelError
from touchback.model.value import check_positive
from touchback.vehicle.roads.base import Patch
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.grid import GridRoad

REFERENCE = 0.1  # n₀, cycles per metre
CLASSES = dict(zip("ABCDEFGH", (16e-6 * 4.0**i for i in range(8)), strict=True))
"""G_d(n₀) [m³] at the middle of each class (ISO 8608:2016, table C.1)."""
_LONGEST_WAVE, _SHORTEST_WAVE = 0.01, 10.0  # n of them, cycles per metre

Floats = NDArray[np.float64]


def roughness(road_class: str, n: Floats | float) -> Floats | float:
    """G_d(n) = G_d(n₀) (n/n₀)⁻² [m³], the power spectral density of heights."""
    if road_class not in CLASSES:
        raise ModelError(
            f"ISO 8608 has no class {road_class!r}; its classes are A (very good) to H (very poor)."
        )
    return CLASSES[road_class] * (n / REFERENCE) ** -2.0


def coherence(n: Floats, apart: float) -> Floats:
    """γ(n) = ω K₁(ω), ω = 2π n b: how much two tracks b [m] apart have in common, if the surface is
    the same in all directions (Dodds and Robson 1973, for a slope of −2)."""
    from scipy.special import k1

    omega = 2.0 * pi * n * apart
    return np.where(omega > 0.0, omega * k1(np.maximum(omega, 1e-12)), 1.0)


def iso8608_road(
    road_class: str,
    length: float,
    track: float = 1.4,
    step: float = 0.05,
    seed: int = 0,
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """A road from x = 0 to `length` [m] with tracks at y = ±`track`/2 [m], every `step` [m]: a sum
    of waves of 0.01 to 10 cycles per metre with random phases. One seed gives one road."""
    check_positive("iso8608_road", length=length, track=track, step=step)
    count = round(length / step)
    spacing = 1.0 / (count * step) if count else 0.0
    bins = np.arange(count // 2 + 1, dtype=np.float64)
    n: Floats = bins * spacing
    used = (n >= _LONGEST_WAVE) & (n <= _SHORTEST_WAVE) & (2 * bins < count) & (bins > 0)
    if not used.any():
        raise ModelError(
            f"iso8608_road: no wave fits in {length} m with a point every {step} m; give a longer "
            "road, or a shorter step."
        )
    n[~used] = spacing  # any: their waves get no size
    size = np.where(used, np.sqrt(2.0 * roughness(road_class, n) * spacing), 0.0)
    random = np.random.default_rng(seed)
    own, other = (np.exp(2j * pi * random.random(len(n))) for _ in range(2))
    shared = coherence(n, track)
    mixed = shared * own + np.sqrt(1.0 - np.minimum(shared, 1.0) ** 2) * other
    tracks = [np.fft.irfft(size * each, count) * count / 2.0 for each in (mixed, own)]
    heights = np.stack([np.append(z, z[0]) for z in tracks], axis=1)  # right, left; periodic
    x = np.arange(count + 1) * step
    return GridRoad(
        x=tuple(map(float, x)), y=(-track / 2.0, track / 2.0),
        heights=tuple(map(float, heights.ravel())), bumps=bumps, patches=patches, grip=grip,
    )  # fmt: skip

"""Sweeps: a function at every point of a design, computed by many workers and kept as it ends."""

from touchback.fleet.sweeps.designs import (
    Design,
    Grid,
    LatinHypercube,
    MonteCarlo,
    Saltelli,
    Sampled,
    Sobol,
)
from touchback.fleet.sweeps.distributions import Distribution, LogUniform, Normal, Uniform
from touchback.fleet.sweeps.sensitivity import Sensitivity
from touchback.fleet.sweeps.sweep import sweep
from touchback.fleet.sweeps.table import Sweep

__all__ = [
    "Design",
    "Distribution",
    "Grid",
    "LatinHypercube",
    "LogUniform",
    "MonteCarlo",
    "Normal",
    "Saltelli",
    "Sampled",
    "Sensitivity",
    "Sobol",
    "Sweep",
    "Uniform",
    "sweep",
]

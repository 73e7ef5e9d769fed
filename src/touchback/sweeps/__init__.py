"""`tb.sweeps`: designs of sweeps. `tb.sweep` computes a function at every point of a design, on
many workers, and keeps each result as it ends."""

from touchback.sweeps.sobol_indices import Sensitivity
from touchback.sweeps.sweep import sweep
from touchback.sweeps.sweep_designs import (
    Design,
    Distribution,
    Grid,
    LatinHypercube,
    LogUniform,
    MonteCarlo,
    Normal,
    Saltelli,
    Sampled,
    Sobol,
    Uniform,
)
from touchback.sweeps.sweep_table import Sweep

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

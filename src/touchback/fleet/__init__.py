"""`tb.fleet`: many at once, batches of instances in vector registers and on threads, and designs of
sweeps, which `tb.sweep` computes on all cores or on a cluster."""

from touchback.fleet.batch import Batch
from touchback.fleet.batch_run import BatchInterrupted, BatchRun
from touchback.fleet.planning import MPPI, Driving, Plan, Rollouts, collocate, shoot
from touchback.fleet.sweeps import (
    Design,
    Distribution,
    Grid,
    LatinHypercube,
    LogUniform,
    MonteCarlo,
    Normal,
    Saltelli,
    Sampled,
    Sensitivity,
    Sobol,
    Sweep,
    Uniform,
)

__all__ = [
    "MPPI",
    "Batch",
    "BatchInterrupted",
    "BatchRun",
    "Design",
    "Distribution",
    "Driving",
    "Grid",
    "LatinHypercube",
    "LogUniform",
    "MonteCarlo",
    "Normal",
    "Plan",
    "Rollouts",
    "Saltelli",
    "Sampled",
    "Sensitivity",
    "Sobol",
    "Sweep",
    "Uniform",
    "collocate",
    "shoot",
]

"""What sensors don't show, as `tb.estimate`: velocities from positions, states from outputs,
constants from motion.

A filter is written once, one sample at a time over any scalar: `run` takes it over recorded samples
and `add_filter` puts it into a model, where it runs at each tick."""

from touchback.estimate.identification_result import Identification
from touchback.estimate.inertial_identification import (
    BaseParameters,
    InertialFit,
    base_parameters,
    identify_inertia,
    inertial_parameters,
)
from touchback.estimate.kalman_filters import (
    ExtendedKalman,
    Kalman,
    UnscentedKalman,
    gyro_fusion,
    kalman_differentiator,
)
from touchback.estimate.least_squares import Impedance, RecursiveLeastSquares, fit_impedance
from touchback.estimate.model_validation import (
    Bands,
    Latency,
    Validity,
    aligned,
    confidence_bands,
    judge_model,
    measure_latency,
)
from touchback.estimate.observer import Innovation, LocalLinearModel, Observer
from touchback.estimate.velocity_filters import (
    AdaptiveWindow,
    BackwardDifference,
    Filter,
    SmoothDifferentiator,
    add_filter,
    filter_block,
    filter_this_tick,
    run,
)

__all__ = [
    "AdaptiveWindow",
    "BackwardDifference",
    "Bands",
    "BaseParameters",
    "ExtendedKalman",
    "Filter",
    "Identification",
    "Impedance",
    "InertialFit",
    "Innovation",
    "Kalman",
    "Latency",
    "LocalLinearModel",
    "Observer",
    "RecursiveLeastSquares",
    "SmoothDifferentiator",
    "UnscentedKalman",
    "Validity",
    "add_filter",
    "aligned",
    "base_parameters",
    "confidence_bands",
    "filter_block",
    "filter_this_tick",
    "fit_impedance",
    "gyro_fusion",
    "identify_inertia",
    "inertial_parameters",
    "judge_model",
    "kalman_differentiator",
    "measure_latency",
    "run",
]

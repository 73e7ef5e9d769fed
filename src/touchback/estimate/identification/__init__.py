"""Parameters from what was recorded, with how sure they are."""

from touchback.estimate.identification.base import (
    BaseParameters,
    base_parameters,
    inertial_parameters,
)
from touchback.estimate.identification.identify import identify
from touchback.estimate.identification.inertial import InertialFit, identify_inertia
from touchback.estimate.identification.result import Identification

__all__ = [
    "BaseParameters",
    "Identification",
    "InertialFit",
    "base_parameters",
    "identify",
    "identify_inertia",
    "inertial_parameters",
]

"""Functional mock-up units (FMI 2.0 and 3.0): a model written as one, and those of others run."""

from touchback.interop.fmi.fmu_coupling import couple
from touchback.interop.fmi.fmu_instance import Fmu, FmuVariable

__all__ = ["Fmu", "FmuVariable", "couple"]

"""Functional mock-up units (FMI 2.0 and 3.0): a model written as one, and those of others run."""

from touchback.interop.fmi.coupling import couple
from touchback.interop.fmi.imported import Fmu, FmuVariable

__all__ = ["Fmu", "FmuVariable", "couple"]

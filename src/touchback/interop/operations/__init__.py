"""Dynamics and rollouts as operations of jax, torch and casadi."""

from touchback.interop.operations.casadi_function import to_casadi
from touchback.interop.operations.jax_function import to_jax
from touchback.interop.operations.torch_function import to_torch

__all__ = ["to_casadi", "to_jax", "to_torch"]

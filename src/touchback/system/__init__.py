"""Compiled models: names, sizes, parameters and functions on arrays."""

from touchback.system.compilation import compile_model
from touchback.system.state import State
from touchback.system.system import System

__all__ = ["State", "System", "compile_model"]

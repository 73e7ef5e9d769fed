"""What jax and torch are to differentiate: a function of arrays with its derivatives in reverse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from touchback import Rollout, System
from touchback.errors import InputError
from touchback.numbers import shown

Floats = np.ndarray


class Operation(ABC):
    """A function of some arrays, `words`; `batches` says whether these may have leading
    dimensions."""

    batches: bool
    words: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]

    def check(self, call: str, given: Sequence[Any]) -> None:
        """All must be there, since derivatives are by each, and have their shapes: words of ours
        don't come through a callback of jax's."""
        if len(given) != len(self.words):
            raise InputError(
                f"{call}: the function takes {', '.join(self.words)}, got {len(given)} arguments."
            )
        for word, size, each in zip(self.words, self.sizes, given, strict=True):
            shape = _shape(each)
            fits = shape is not None and (shape[-1:] if self.batches else shape) == size
            if not fits or "complex" in str(getattr(each, "dtype", "")):
                wanted = f"(…, {size[0]})" if self.batches else str(size)
                found = shown(each) if shape is None else f"shape {shape}"
                raise InputError(
                    f"{call}: {word}: real numbers of shape {wanted} are expected, got {found}."
                )
        try:
            self.shape(*(np.shape(each) for each in given))
        except ValueError:
            raise InputError(
                f"{call}: leading dimensions of {', '.join(self.words)} don't go together: "
                f"{', '.join(str(np.shape(each)) for each in given)}."
            ) from None

    @abstractmethod
    def value(self, *given: Floats) -> Floats:
        """Its result."""

    @abstractmethod
    def back(self, weight: Floats, *given: Floats) -> Sequence[Floats]:
        """Derivatives of Σ weight · result by each of the arrays."""

    @abstractmethod
    def shape(self, *given: tuple[int, ...]) -> tuple[int, ...]:
        """The result's shape from theirs."""


class RolledOut(Operation):
    """States from x0, inputs (steps, inputs) and parameters."""

    batches = False
    words = ("x0", "inputs", "parameters")

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        system = rollout.system
        states, inputs = len(system.state_names), len(system.layout.inputs)
        self.sizes = (states,), (rollout.steps, inputs), (len(rollout.parameters),)

    def value(self, *given: Floats) -> Floats:
        """The start and the state after each step."""
        return self._rollout.states(*given)

    def back(self, weight: Floats, *given: Floats) -> Sequence[Floats]:
        """In one pass."""
        return self._rollout.adjoint(weight, *given)

    def shape(self, *given: tuple[int, ...]) -> tuple[int, ...]:
        """(steps + 1, states)."""
        return (self._rollout.steps + 1, len(self._rollout.system.state_names))


class Accelerations(Operation):
    """a from q, v and τ."""

    batches = True
    words = ("q", "v", "tau")

    def __init__(self, system: System) -> None:
        system.dynamics.refuse("forward dynamics derivatives")
        if not system.plan.plain_coordinates:
            raise InputError(
                f"{system.name}: it has quaternions, by whose four numbers its accelerations have "
                "no derivatives of their own; give a rollout of one step, tb.rollout(system, 1)."
            )
        self._system = system
        self.sizes = (len(system.layout.q),), (len(system.layout.v),), (len(system.layout.v),)

    def value(self, *given: Floats) -> Floats:
        """Forward dynamics."""
        q, v, tau = given
        return self._system.forward_dynamics(q, v, tau)

    def back(self, weight: Floats, *given: Floats) -> Sequence[Floats]:
        """By the generated derivatives."""
        q, v, tau = given
        slopes = self._system.forward_dynamics_derivatives(q, v, tau)
        by_each = np.einsum("...i,...kij->k...j", weight, slopes)
        return [_summed(found, array.shape) for found, array in zip(by_each, given, strict=True)]

    def shape(self, *given: tuple[int, ...]) -> tuple[int, ...]:
        """As many as leading dimensions want."""
        return np.broadcast_shapes(*given)


def _shape(given: Any) -> tuple[int, ...] | None:
    """Of an array, of whoever it is; None of what is none."""
    if given is None or isinstance(given, str | bytes):
        return None
    try:
        return tuple(np.shape(given))
    except ValueError:  # rows of unlike lengths
        return None


def _summed(found: Floats, shape: tuple[int, ...]) -> Floats:
    """Over leading dimensions along which an array was the same."""
    found = found.sum(axis=tuple(range(found.ndim - len(shape))))
    same = tuple(i for i, size in enumerate(shape) if size == 1 and found.shape[i] > 1)
    return found.sum(axis=same, keepdims=True) if same else found


def operation_of(call: str, what: object) -> Operation:
    """That of a rollout or of a system."""
    if isinstance(what, Rollout):
        return RolledOut(what)
    if isinstance(what, System):
        return Accelerations(what)
    raise InputError(
        f"{call}: a rollout (tb.rollout) or a compiled system is expected, got {shown(what)}."
    )


def needed(call: str, library: str) -> ModuleType:
    """An optional library."""
    try:
        return import_module(library)
    except ImportError:
        raise InputError(
            f"{call} needs {library}; install it with `pip install touchback[{library}]`."
        ) from None

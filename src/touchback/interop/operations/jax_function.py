"""A rollout, or forward dynamics, as a function that jax differentiates, maps and compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from touchback import Rollout, System
from touchback.interop.operations.differentiable_operation import needed, operation_of

if TYPE_CHECKING:
    import jax


def to_jax(what: Rollout | System) -> Callable[..., jax.Array]:
    """Of a rollout f(x0, inputs, parameters), the states; of a system f(q, v, tau), its
    accelerations. `jax.grad`, `jax.vjp`, `jax.vmap` and `jax.jit` take it: a callback with
    derivatives in reverse. Computed in double precision; jax itself has that only with
    `jax.config.update("jax_enable_x64", True)`."""
    library = needed("tb.to_jax", "jax")
    operation = operation_of("tb.to_jax", what)
    mapped = "broadcast_all" if operation.batches else "sequential"

    def called(function: Callable[..., Any], shapes: Any, *given: Any) -> Any:
        return library.pure_callback(function, shapes, *given, vmap_method=mapped)

    def kind() -> Any:
        return library.numpy.result_type(float)  # single or double, as jax is set

    def of(shape: tuple[int, ...]) -> Any:
        return library.ShapeDtypeStruct(shape, kind())

    def value(*given: Any) -> Any:
        return operation.value(*map(_numbers, given)).astype(kind())

    def back(weight: Any, *given: Any) -> Any:
        found = operation.back(_numbers(weight), *map(_numbers, given))
        return tuple(each.astype(kind()) for each in found)

    @library.custom_vjp
    def function(*given: Any) -> Any:
        shape = operation.shape(*(np.shape(each) for each in given))
        return called(value, of(shape), *given)

    def forward(*given: Any) -> Any:
        return function(*given), given

    def reverse(given: Any, weight: Any) -> Any:
        found = called(back, tuple(of(np.shape(each)) for each in given), weight, *given)
        return tuple(x.astype(each.dtype) for x, each in zip(found, given, strict=True))

    function.defvjp(forward, reverse)

    def apply(*given: Any) -> Any:
        operation.check("tb.to_jax", given)
        return function(*(library.numpy.asarray(each, dtype=float) for each in given))

    return apply


def _numbers(given: Any) -> np.ndarray:
    return np.asarray(given, dtype=np.float64)

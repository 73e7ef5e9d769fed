"""A rollout, or forward dynamics, as a function that torch differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from touchback import Rollout, System
from touchback.interop.operations.differentiable_operation import needed, operation_of

if TYPE_CHECKING:
    import torch


def to_torch(what: Rollout | System) -> Callable[..., torch.Tensor]:
    """Of a rollout f(x0, inputs, parameters), the states; of a system f(q, v, tau), its
    accelerations: an `autograd.Function` on the CPU, in double precision whatever it is given."""
    library = needed("tb.to_torch", "torch")
    operation = operation_of("tb.to_torch", what)

    def tensor(found: np.ndarray, like: Any) -> Any:
        return library.as_tensor(found, dtype=like.dtype, device=like.device)

    def forward(context: Any, *given: Any) -> Any:
        context.save_for_backward(*given)
        return tensor(operation.value(*map(_numbers, given)), given[0])

    def backward(context: Any, weight: Any) -> Any:
        given = context.saved_tensors
        found = operation.back(_numbers(weight), *map(_numbers, given))
        return tuple(tensor(x, each) for x, each in zip(found, given, strict=True))

    once = library.autograd.function.once_differentiable(backward)
    kind: Any = type(
        "Touchback", (library.autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(once)},
    )  # fmt: skip

    def real(given: Any) -> Any:
        found = library.as_tensor(given)
        return found if found.is_floating_point() else found.double()  # whole numbers would cut

    def apply(*given: Any) -> Any:
        operation.check("tb.to_torch", given)
        return kind.apply(*map(real, given))

    return apply


def _numbers(given: Any) -> np.ndarray:
    return np.ascontiguousarray(given.detach().cpu().double().numpy(), dtype=np.float64)

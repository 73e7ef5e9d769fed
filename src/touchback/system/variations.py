"""The motion of a tree together with its variations, as functions of one longer state.

The state is [x, s₁, s₂, …], x = [q, v, z], and the variation s of x with a parameter p or with
where it began follows from the rate differentiated by the tape:

    ṡ = (∂f/∂x) s + ∂f/∂p,   dy/dp = (∂y/∂x) s + ∂y/∂p,   y: what the sensors show.

Any Runge–Kutta step of the longer state gives the derivative of that step of x itself, exactly:
differentiating a step and taking a step of what was differentiated are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from touchback.symbolic.differentiate import jvp
from touchback.system.function_set import FunctionSet
from touchback.system.functions import rate_equations

if TYPE_CHECKING:
    from touchback.system.motions.motion import Motion


def variation_functions(motion: Motion, parameters: Sequence[str], starts: int) -> FunctionSet:
    """`rate` of the longer state and `outputs`: what the sensors show, then their derivatives, one
    direction after the other. Directions are the parameters, then so many that differ only in
    where they start."""
    what = ("variations", tuple(parameters), starts)
    return motion.once(what, lambda: _derived(motion, parameters, starts))


def _derived(motion: Motion, parameters: Sequence[str], starts: int) -> FunctionSet:
    d = motion.derive(motion.whole)
    rate, _, outputs = rate_equations(d, motion.plan.algorithm)
    x, values = [*d.q, *d.v, *d.z], dict(zip(d.layout.parameters, d.parameters, strict=True))
    directions: list[dict[int, int]] = [{values[name]: 1} for name in parameters]
    directions += [{} for _ in range(starts)]
    beyond: list[int] = []
    rates, shown = list(rate), list(outputs)
    for j, seeds in enumerate(directions):
        own = [d.tape.symbol(f"variation {j}:{i}") for i in range(len(x))]
        beyond += own
        along = jvp(d.tape, [*rate, *outputs], {**seeds, **dict(zip(x, own, strict=True))})
        rates += along[: len(rate)]
        shown += along[len(rate) :]
    return d.functions({"rate": rates, "outputs": shown}, beyond=beyond)

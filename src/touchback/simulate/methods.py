"""The registry of integrators: a new method is one file and one line here."""

from collections.abc import Callable, Sequence

from touchback.native import Problem
from touchback.simulate import dopri5, fixed_step, scipy_solvers
from touchback.simulate.plan import Plan, Trajectory
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats

Integrate = Callable[[Problem, Sequence[str], Floats, Plan, Progress], Trajectory]

METHODS: dict[str, Integrate] = {
    "dopri5": dopri5.integrate,
    "rk4": fixed_step.integrate,
    "euler": fixed_step.integrate,
    "linear-implicit": fixed_step.integrate,
    "augmented-lagrangian": fixed_step.integrate,
    **dict.fromkeys(scipy_solvers.NAMES, scipy_solvers.integrate),
}

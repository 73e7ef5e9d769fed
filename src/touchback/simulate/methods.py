"""The registry of integrators: a new method is one file and one line here."""

from collections.abc import Callable, Sequence

from touchback.native import Problem
from touchback.simulate import dopri5, fixed_step, scipy_solvers
from touchback.simulate.plan import Plan, Trajectory
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats

Integrate = Callable[[Problem, Sequence[str], Floats, Plan, Progress], Trajectory]

FIXED_STEP = ("rk4", "euler", "linear-implicit", "augmented-lagrangian")

METHODS: dict[str, Integrate] = {
    "dopri5": dopri5.integrate,
    **dict.fromkeys(FIXED_STEP, fixed_step.integrate),
    **dict.fromkeys(scipy_solvers.NAMES, scipy_solvers.integrate),
}

"""The registry of integrators: a new method is one file and one line here."""

from collections.abc import Callable, Sequence

from touchback.native import Problem
from touchback.simulate import adaptive, fixed_step, scipy_solvers
from touchback.simulate.plan import Plan, Trajectory
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.watch import Watch

Integrate = Callable[[Problem, Sequence[str], Floats, Plan, Progress, Watch | None], Trajectory]

FIXED_STEP = (
    "rk4", "euler", "implicit-euler", "trapezoidal", "linear-implicit", "augmented-lagrangian"
)  # fmt: skip
# Those that need the rate's Jacobian.
IMPLICIT = ("radau5", "implicit-euler", "trapezoidal", *scipy_solvers.IMPLICIT)

#: Ways to integrate, by name.
METHODS: dict[str, Integrate] = {
    **dict.fromkeys(adaptive.METHODS, adaptive.integrate),
    **dict.fromkeys(FIXED_STEP, fixed_step.integrate),
    **dict.fromkeys(scipy_solvers.NAMES, scipy_solvers.integrate),
}

"""What implicit methods need of a system: the Jacobian of its rate, where it can be derived."""

from touchback.native import Newton, Problem
from touchback.simulate.span import Failure, Trajectory
from touchback.system import System


def newton_for(
    system: System,
    problem: Problem,
    rtol: float,
    atol: float,
    parameters: dict[str, float] | None = None,
    momenta: bool = False,
) -> Newton:
    """Newton's method for a problem of a system, with differences where there is no Jacobian, and
    with its `momenta` where the method works on them."""
    jacobian, p = system.rate_jacobian(parameters)
    momentum = system.momentum_rate(parameters) if momenta else None
    return Newton(problem, jacobian, p, rtol, atol, momentum)


def add_counts(trajectory: Trajectory, newton: Newton) -> None:
    """What Newton's method did becomes part of a trajectory, also where that is why it ended."""
    counts = newton.statistics
    evaluations = trajectory.statistics.get("evaluations", 0) + counts["evaluations"]
    trajectory.statistics.update(counts)
    trajectory.statistics["evaluations"] = evaluations
    if counts["not_converged"] and trajectory.failure:
        trajectory.failure = Failure(
            trajectory.failure.time,
            "Newton's method found no solution of the step",
            "take a shorter step, or method='radau5', which chooses its own",
        )

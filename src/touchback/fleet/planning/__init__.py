"""Plans of inputs, found on batches of rollouts."""

from touchback.fleet.planning.collocation import collocate
from touchback.fleet.planning.driving import Driving
from touchback.fleet.planning.mppi import MPPI
from touchback.fleet.planning.plan import Plan, Rollouts

__all__ = ["MPPI", "Driving", "Plan", "Rollouts", "collocate"]

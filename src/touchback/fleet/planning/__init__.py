"""Plans of inputs, sampled on batches of rollouts or optimised on the tape's equations."""

from touchback.fleet.planning.collocation import collocate
from touchback.fleet.planning.driving import Driving
from touchback.fleet.planning.mppi import MPPI
from touchback.fleet.planning.plan import Plan, Rollouts
from touchback.fleet.planning.shooting import shoot

__all__ = ["MPPI", "Driving", "Plan", "Rollouts", "collocate", "shoot"]

"""`tb.planning`: plans of inputs, sampled on batches of rollouts, or optimised on the
tape's equations."""

from touchback.planning.collocation import collocate
from touchback.planning.driving import Driving
from touchback.planning.mppi import MPPI
from touchback.planning.plan import Plan, Rollouts
from touchback.planning.shooting import shoot

__all__ = ["MPPI", "Driving", "Plan", "Rollouts", "collocate", "shoot"]

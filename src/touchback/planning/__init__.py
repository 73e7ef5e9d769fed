"""`tb.planning`: plans of inputs, sampled on batches of rollouts, or optimised on the
tape's equations."""

from touchback.planning.input_plan import Plan, Rollouts
from touchback.planning.mppi import MPPI, Driving
from touchback.planning.trajectory_optimisation import collocate, shoot

__all__ = ["MPPI", "Driving", "Plan", "Rollouts", "collocate", "shoot"]

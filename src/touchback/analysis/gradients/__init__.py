"""Derivatives of whole rollouts by fixed steps, forward and in reverse."""

from touchback.analysis.gradients.fixed_step_rollout import Gradient, Rollout, rollout

__all__ = ["Gradient", "Rollout", "rollout"]

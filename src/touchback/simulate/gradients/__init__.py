"""Derivatives of whole rollouts by fixed steps, forward and in reverse."""

from touchback.simulate.gradients.rollout import Gradient, Rollout, rollout

__all__ = ["Gradient", "Rollout", "rollout"]

"""Derivatives of rates, steps and rollouts, forward and in reverse."""

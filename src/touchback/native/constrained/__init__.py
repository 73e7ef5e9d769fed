"""Mechanisms with constraints, and the ways in which these are enforced."""

"""Runs of mechanisms with modes."""

"""Mechanisms whose equations change at events: one phase after the other."""

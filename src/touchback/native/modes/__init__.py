"""Mechanisms whose equations change at events: one mode after the other."""

"""Blocks of measurements from a data acquisition board, taken beside the ticks."""

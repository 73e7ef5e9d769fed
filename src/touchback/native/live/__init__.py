"""Runs against the clock, on a thread that never waits for Python."""

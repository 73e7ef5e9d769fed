"""Functional mock-up units (FMI 2.0 and 3.0): a model written as one, and those of others run."""

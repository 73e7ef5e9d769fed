"""Sensors and actuators, real and simulated behind one interface."""

"""The Mini Baja of Wang 2011, section 5.2: a torque added at the 10th second, in two engines."""

"""The engines: each gives routines "inverse", "forward" and "mass", or says why it can't."""

"""The engines: each gives routines "inverse", "forward" and "mass" of a mechanism, or says why not."""

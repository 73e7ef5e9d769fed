"""Studies: what reproduces published figures with the package, and isn't needed to use it."""

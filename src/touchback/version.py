"""The version of the package, for recordings and the command line (pyproject.toml has it too)."""

VERSION = "0.1.0"

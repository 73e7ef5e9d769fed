"""The version of the package, for recordings and the command line (pyproject.toml has it too)."""

VERSION = "0.2.0"

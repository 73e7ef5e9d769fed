"""MJCF, the models of MuJoCo: reader and writer."""

from touchback.interop.mjcf.mjcf_reader import read_mjcf

__all__ = ["read_mjcf"]

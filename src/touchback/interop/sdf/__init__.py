"""SDF, the models of Gazebo: reader."""

from touchback.interop.sdf.sdf_reader import read_sdf

__all__ = ["read_sdf"]

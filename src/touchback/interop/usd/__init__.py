"""USD, scenes with UsdPhysics: reader."""

from touchback.interop.usd.usd_reader import read_usd

__all__ = ["read_usd"]

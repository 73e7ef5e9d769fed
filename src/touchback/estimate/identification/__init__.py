"""Parameters from what was recorded, with how sure they are."""

from touchback.estimate.identification.identify import identify
from touchback.estimate.identification.result import Identification

__all__ = ["Identification", "identify"]

"""The page where people play with a mechanism: `workbench.open(system)` serves it, `.url` is its
address. It needs the extra `view` (`pip install touchback[view]`)."""

from touchback.workbench.source import Posed, Source
from touchback.workbench.workbench import Workbench, open

__all__ = ["Posed", "Source", "Workbench", "open"]

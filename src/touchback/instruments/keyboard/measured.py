"""The grand action as a table of measured forces (`python -m studies measured --keep` made it)."""

import json
from functools import lru_cache
from importlib.resources import files

from touchback.haptics.displays import MeasuredImpedance

FILE = "measured_action.json"


@lru_cache(maxsize=1)
def measured_action() -> MeasuredImpedance:
    """Force over depth [m] and speed [m/s] of the key front, and a mass over depth, that fit a
    record of the moved action best; what the action remembers is lost."""
    kept = json.loads(files(__package__).joinpath(FILE).read_text())
    tables = {name: tuple(kept[name]) for name in ("positions", "velocities", "forces", "masses")}
    return MeasuredImpedance(**tables, residual=kept["residual"], filled=kept["filled"])

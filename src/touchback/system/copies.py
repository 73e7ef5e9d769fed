"""A row of copies of one system, as a system."""

from collections.abc import Sequence

from touchback.errors import InputError
from touchback.model.names import check_name
from touchback.system.motions import Copies
from touchback.system.system import System


def copies(system: System, names: Sequence[str]) -> System:
    """A row of copies of a compiled system, with a name each, to simulate or to run live. Names of
    signals are "copy/name"; `one` is the system of each, `states_of(x)` has a row for each."""
    if not isinstance(system, System) or system.names:
        raise InputError(f"copies: a compiled system of one mechanism is expected, got {system!r}.")
    if not names or isinstance(names, str) or len(set(names)) != len(names):
        raise InputError(f"{system.name}: copies need names, each once; got {names!r}.")
    for name in names:
        check_name("Copy", name)
    if system.motion.constrained:
        raise InputError(
            f"{system.name}: it has constraints or modes, which are solved for each mechanism "
            "alone; put copies of it into one model by `m.add`."
        )
    return System(Copies(system, names))

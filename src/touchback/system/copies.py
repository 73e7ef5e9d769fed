"""A row of copies of one system, as a system."""

from collections.abc import Iterable, Sequence

from touchback.errors import InputError
from touchback.model.names import check_name, first_repeated
from touchback.numbers import shown
from touchback.system.motions import Copies
from touchback.system.system import System


def copies(system: System, names: Sequence[str], shared: Sequence[str] = ()) -> System:
    """A row of copies of a compiled system, with a name each, to simulate or to run live. Names of
    signals are "copy/name"; `one` is the system of each, `states_of(x)` has a row for each.

    Inputs named in `shared`, the first that the model has, are one input of all copies, with its
    own name."""
    if not isinstance(system, System) or system.names:
        raise InputError(
            f"copies: a compiled system of one mechanism is expected, got {shown(system)}."
        )
    each = list(names) if isinstance(names, Iterable) and not isinstance(names, str | bytes) else []
    if not each or first_repeated(name for name in each if isinstance(name, str)) is not None:
        raise InputError(
            f"{system.name}: copies need names, each once, as ['left', 'right']; got "
            f"{shown(names)}."
        )
    for name in each:
        check_name("Copy", name)
    if system.motion.constrained:
        raise InputError(
            f"{system.name}: it has constraints or modes, which are solved for each mechanism "
            "alone; put copies of it into one model by `m.add`."
        )
    common = tuple(shared)
    if common != system.layout.inputs[: len(common)]:
        raise InputError(
            f"{system.name}: its copies can share its first inputs only, in their order: "
            f"{', '.join(system.layout.inputs) or 'it has none'}; got {', '.join(common)}."
        )
    return System(Copies(system, each, common))

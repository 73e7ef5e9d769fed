"""Functions that users give: asked whether they take what they will get, before they are called."""

import inspect
from collections.abc import Callable, Sequence

from touchback.errors import InputError, TouchbackError

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_takes(
    label: str,
    function: Callable[..., object],
    given: Sequence[str],
    error: type[TouchbackError] = InputError,
) -> None:
    """Refuses a function that can't be called with so many arguments by place; `given` says what
    each of them is. Functions of C that don't tell what they take are left alone."""
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        takes.bind(*given)
    except TypeError:
        raise error(
            f"{label} takes {_taken(takes)}, and is given {_counted(len(given))}: "
            f"{', '.join(given)}; write it as a function of just these."
        ) from None


def _taken(signature: inspect.Signature) -> str:
    """As "1 to 2 arguments (x, y)"."""
    every = signature.parameters.values()
    names = [each.name for each in every if each.kind in _BY_PLACE]
    needed = [each for each in every if each.default is each.empty]
    least = sum(each.kind in _BY_PLACE for each in needed)
    found = _counted(len(names)) if least == len(names) else f"{least} to {_counted(len(names))}"
    if any(each.kind is each.VAR_POSITIONAL for each in every):
        found = f"at least {_counted(least)}"
    by_name = [f"'{each.name}' by name" for each in needed if each.kind is each.KEYWORD_ONLY]
    return ", and ".join([found + (f" ({', '.join(names)})" if names else ""), *by_name])


def _counted(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"

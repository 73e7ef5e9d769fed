"""Functions of scripts and notebooks on their way to workers, which can't import them."""

from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from touchback.errors import InputError

Function = Callable[..., Mapping[str, float]]


@dataclass(frozen=True)
class Carried:
    """A function by value: what workers can import is named in it, the rest is in it."""

    content: bytes

    def unpacked(self) -> Function:
        """The function, the same one whenever a process asks: what it caches stays."""
        return _unpacked(self.content)


@functools.lru_cache(maxsize=8)
def _unpacked(content: bytes) -> Function:
    found: Function = pickle.loads(content)
    return found


def carried(function: Function | Carried) -> Carried:
    """A function by value, by cloudpickle, which dask brings along."""
    if isinstance(function, Carried):
        return function
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        """Cached functions (`functools.cache`) too: cloudpickle has them by name alone."""

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, functools._lru_cache_wrapper) and _unnamed(obj):
                return _cached, (obj.__wrapped__, obj.cache_parameters())
            return super().reducer_override(obj)

    buffer = io.BytesIO()
    try:
        Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(function)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(
            f"The function of a sweep can't be sent to a cluster ({error}). What it uses must be "
            "plain data: build models and compile systems in a function that workers call, under "
            "`@functools.cache`."
        ) from None
    return Carried(buffer.getvalue())


def _unnamed(function: Any) -> bool:
    """Whether workers wouldn't find it by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__


def _cached(function: Callable[..., object], settings: Mapping[str, Any]) -> Callable[..., object]:
    return functools.lru_cache(**settings)(function)

"""Properties that are derived once, whichever thread asks first."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class derived_once(Generic[T]):
    """A cached property: while one thread derives it, others that ask wait at the lock `deriving`
    of the instance, which all of its properties share since they may grow one tape."""

    def __init__(self, derive: Callable[[Any], T]) -> None:
        self._derive, self._name, self.__doc__ = derive, derive.__name__, derive.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        with instance.deriving:
            known = instance.__dict__
            if self._name not in known:
                known[self._name] = self._derive(instance)
            return known[self._name]

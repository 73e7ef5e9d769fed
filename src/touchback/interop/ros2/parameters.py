"""Live parameters of a run as parameters of a node: the services that `ros2 param` asks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from touchback.realtime.control import Desk
from touchback.realtime.control.messages import Set
from touchback.recording.ros2.types import DESCRIBE, GET, LIST, SET, TYPES, decode, encode, make

_NOT_SET, _BOOL, _INTEGER, _DOUBLE = 0, 1, 2, 3  # kinds of values
_NUMBERS = {_INTEGER: "integer_value", _DOUBLE: "double_value"}
_VALUE, _RANGE = "rcl_interfaces/msg/ParameterValue", "rcl_interfaces/msg/FloatingPointRange"
_DESCRIPTOR, _RESULT = (
    f"rcl_interfaces/msg/{word}" for word in ("ParameterDescriptor", "SetParametersResult")
)


class Parameters:
    """Answers of a node about its parameters, all of them doubles of the run."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def services(self) -> dict[str, tuple[str, Callable[[bytes], bytes]]]:
        """By name within the node: their type, and who answers."""
        return {
            "get_parameters": (GET, self._get),
            "set_parameters": (SET, self._set),
            "list_parameters": (LIST, self._list),
            "describe_parameters": (DESCRIBE, self._describe),
            "get_parameter_types": (TYPES, self._types),
        }

    @property
    def _names(self) -> list[str]:
        known = self._desk.live.system.layout.parameters
        return [name for name in known if self._desk.settable("parameters", name)]

    def _get(self, data: bytes) -> bytes:
        asked, known = decode(f"{GET}_Request", data), self._names
        told = [_value(self._desk.live[name] if name in known else None) for name in asked.names]
        return encode(f"{GET}_Response", make(f"{GET}_Response", told))

    def _set(self, data: bytes) -> bytes:
        asked = decode(f"{SET}_Request", data)
        told = [self._put(each.name, each.value) for each in asked.parameters]
        return encode(f"{SET}_Response", make(f"{SET}_Response", told))

    def _put(self, name: str, value: Any) -> Any:
        """Sets one at the next tick; the result tells why not."""
        if value.type not in _NUMBERS:
            return make(_RESULT, False, f"'{name}' must be a number (a double).")
        number = float(getattr(value, _NUMBERS[value.type]))
        if not math.isfinite(number):
            return make(_RESULT, False, f"'{name}' must be a finite number, got {number}.")
        if name not in self._desk.live.system.layout.parameters:
            return make(_RESULT, False, f"There is no parameter '{name}'.")
        answer = self._desk.handle(Set(name, number), "ros2 parameters")
        return make(_RESULT, answer.ok, answer.error)

    def _list(self, data: bytes) -> bytes:
        asked = decode(f"{LIST}_Request", data)
        prefixes = tuple(f"{prefix}." for prefix in asked.prefixes)
        names = [
            name for name in self._names
            if not prefixes or name.startswith(prefixes) or name in asked.prefixes
        ]  # fmt: skip
        found = make("rcl_interfaces/msg/ListParametersResult", names, [])
        return encode(f"{LIST}_Response", make(f"{LIST}_Response", found))

    def _describe(self, data: bytes) -> bytes:
        asked = decode(f"{DESCRIBE}_Request", data)
        told = [self._descriptor(name) for name in asked.names]
        return encode(f"{DESCRIBE}_Response", make(f"{DESCRIBE}_Response", told))

    def _descriptor(self, name: str) -> Any:
        layout = self._desk.live.system.layout
        if name not in self._names:
            return make(_DESCRIPTOR, name, _NOT_SET, "", "", False, False, [], [])
        known = layout.ranges[list(layout.parameters).index(name)]
        ranged = known.min is not None or known.max is not None
        low = -math.inf if known.min is None else known.min
        high = math.inf if known.max is None else known.max
        ranges = [make(_RANGE, low, high, 0.0)] if ranged else []
        unit = f"[{known.unit}]" if known.unit else ""
        return make(_DESCRIPTOR, name, _DOUBLE, unit, "", False, False, ranges, [])

    def _types(self, data: bytes) -> bytes:
        asked, known = decode(f"{TYPES}_Request", data), self._names
        kinds = [_DOUBLE if name in known else _NOT_SET for name in asked.names]
        told = make(f"{TYPES}_Response", np.array(kinds, dtype=np.uint8))
        return encode(f"{TYPES}_Response", told)


def _value(number: float | None) -> Any:
    """A double, or nothing."""
    kind, empty = (_NOT_SET, 0.0) if number is None else (_DOUBLE, number)
    none = [np.empty(0, dtype=kind) for kind in (np.uint8, np.bool_, np.int64, np.float64)]
    return make(_VALUE, kind, False, 0, empty, "", *none, [])

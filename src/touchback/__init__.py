"""Touchback: mechanisms that people can touch.

Describe a mechanism, derive its equations symbolically, run them as machine code, against a clock
or offline. What every user needs is here; contacts, devices, displays, instruments, estimators,
ready mechanisms, vehicles, batches, designs of sweeps and planners are in `tb.contact`,
`tb.devices`, `tb.haptics`, `tb.instruments`, `tb.estimate`, `tb.gallery`, `tb.vehicle`, `tb.batch`,
`tb.sweeps` and `tb.planning`.
"""

import builtins
import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from touchback.version import VERSION

__version__ = VERSION


# A statement of the stub, which is read without a parser: that would take longer than all else.
_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def _public() -> dict[str, tuple[str, str]]:
    """Where each public name comes from (module, name there), as `__init__.pyi` says."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    found: dict[str, tuple[str, str]] = {}
    for module, several, one in _IMPORT.findall(stub):
        for name in filter(None, map(str.strip, (several or one).split(","))):
            inner, _, own = name.partition(" as ")
            if module != "touchback":  # a room
                found[own or inner] = module, inner
    return found


_PUBLIC = _public()

# `tb.open` is there, but `from touchback import *` leaves Python's own `open` as it is.
__all__ = sorted(name for name in _PUBLIC if not hasattr(builtins, name))
ROOMS = (
    "batch", "contact", "devices", "estimate", "gallery", "haptics", "instruments", "planning",
    "sweeps", "vehicle", "workbench",
)  # fmt: skip
"""What not every user needs."""


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        module, inner = _PUBLIC[name]
        found: object = getattr(import_module(module), inner)
        globals()[name] = found
        return found
    if not name.startswith("_") and find_spec(f"touchback.{name}") is not None:
        return import_module(f"touchback.{name}")  # a room
    raise AttributeError(f"module 'touchback' has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """The nearest public names; nothing for those by which Python and tools probe a module."""
    if name.startswith("_"):
        return ""
    from touchback.names import near_names

    near = near_names(name, (*_PUBLIC, *ROOMS), 0.6)
    return f"; did you mean {' or '.join(f'tb.{each}' for each in near)}?" if near else ""


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *_PUBLIC, *ROOMS})


def _beside_room(name: str) -> property:
    """A public name that a room has too: it stays what it is when the room gets imported."""
    held = f"_public_{name}"

    def get(module: ModuleType) -> object:
        if held not in module.__dict__:
            module.__dict__[held] = getattr(import_module(_PUBLIC[name][0]), _PUBLIC[name][1])
        return module.__dict__[held]

    def put(module: ModuleType, given: object) -> None:
        if not isinstance(given, ModuleType):
            module.__dict__[held] = given

    return property(get, put)


class _Face(ModuleType):
    """`tb.simulate` is a function, and `touchback.simulate` the room that it lives in.

    Importing the room sets the attribute, which a module's `__getattr__` can't keep from being
    the room; a property can. What pickles modules by name (pickle doesn't, cloudpickle only those
    of the plain class) is told the name: functions of scripts and notebooks refer to `tb`."""

    simulate = _beside_room("simulate")

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Face

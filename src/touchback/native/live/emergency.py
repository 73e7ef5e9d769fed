"""The Python face of live/emergency.h: a number by which C stops a run."""

import ctypes

from touchback.native.library import LIB


def add_emergency(commands: ctypes.Structure) -> int:
    """The number of a run with these commands, until `remove_emergency`; 0: there are too many
    runs, and only Python stops this one."""
    return int(LIB.tb_emergency_add(ctypes.addressof(commands)))


def remove_emergency(number: int) -> None:
    """Before its commands are gone."""
    LIB.tb_emergency_remove(number)

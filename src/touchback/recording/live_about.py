"""What the description of a live run must hold: types only, for the model decides on values.

Whoever wrote a file may have written anything into it; what is checked here, `replay` can rely on.
"""

from typing import Any

import msgspec

from touchback.errors import InputError
from touchback.recording.plain_data import checked

HEAD_UNITS = {
    "tick": "", "time": "s", "flags": "", "version": "", "offered": "", "substeps": "",
    "lateness": "ns", "step time": "ns", "input age": "ns",
}  # fmt: skip
HEAD = tuple(HEAD_UNITS)


class _Carried(msgspec.Struct):
    """What a structure took over from the one before (swap.py)."""

    to_state: list[tuple[int, int, int]]
    to_parameters: list[tuple[int, int, int]]
    inputs: list[int]
    outputs: list[int]
    guards: list[int]
    energies: list[int]
    bodies: list[str]


class _About(msgspec.Struct):
    """What `describe` of record.py writes; what the first files lacked has a default."""

    model: str
    description: str | None
    initial_state: list[float]
    parameters: dict[str, float]
    rate: float
    substeps: int
    method: str
    constraints: str | None
    input_names: list[str]
    state_names: list[str]
    output_names: list[str]
    energy_names: list[str]
    copies: list[str] = []
    units: dict[str, str] = {}
    max_speed: float | None = None
    settings: dict[str, float] = {}  # of the formulation
    rtol: float = 1e-8  # of Newton's method
    atol: float = 1e-10
    carried: _Carried | None = None


class Change(msgspec.Struct):
    """Parameters that ticks name by their version."""

    version: int
    values: dict[str, float]


class _Fault(msgspec.Struct):
    """What went wrong, in words."""

    tick: int
    time: float
    text: str


def columns_of(about: dict[str, Any]) -> list[str]:
    """The columns of a structure's ticks."""
    kinds = ("input_names", "state_names", "output_names", "energy_names")
    return [*HEAD, *(name for kind in kinds for name in about[kind])]


def check_about(about: Any, columns: list[str], place: str, first: bool) -> dict[str, Any]:
    """The description of a structure, refused when something is missing, or of another kind, or
    when the table has other columns than it says."""
    typed = checked(about, _About, place)
    if first != (typed.carried is None):
        raise InputError(f"{place} must {'not ' if first else ''}tell what was carried over.")
    expected = columns_of(about)
    if columns != expected:
        missing = [name for name in expected if name not in columns]
        raise InputError(
            f"{place} is damaged: it has {len(expected)} columns, its table {len(columns)}"
            + (f", without {missing[0]!r}." if missing else " or in another order.")
        )
    # as typed: a number that JSON wrote as an integer of any length is a float
    return {**about, **msgspec.to_builtins(typed)}


def check_fault(fault: Any, place: str) -> dict[str, Any]:
    """A fault of the run: {tick, time, text}."""
    return msgspec.structs.asdict(checked(fault, _Fault, place))


def change_of(text: bytes, place: str) -> Change:
    """A change of parameters; decoded by its type, for there may be many of them."""
    try:
        return msgspec.json.decode(text, type=Change)
    except (msgspec.MsgspecError, RecursionError, OverflowError, UnicodeDecodeError) as error:
        raise InputError(f"{place} is damaged: {error}.") from None

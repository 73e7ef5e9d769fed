"""What the description of a live run must hold: types only, for the model decides on values.

Whoever wrote a file may have written anything into it; what is checked here, `replay` can rely on.
"""

import base64
from typing import Annotated, NotRequired, TypedDict

import msgspec
import numpy as np

from touchback.errors import NO_JSON, InputError
from touchback.json_validation import checked

HEAD_UNITS = {
    "tick": "", "time": "s", "flags": "", "version": "", "offered": "", "substeps": "",
    "lateness": "ns", "step time": "ns", "input age": "ns",
}  # fmt: skip
HEAD = tuple(HEAD_UNITS)
_EXACT = 1 << 53  # what a double counts


class CarriedData(TypedDict):
    """What a structure took over from the one before (structure_swap.py)."""

    to_state: list[tuple[int, int, int]]
    to_parameters: list[tuple[int, int, int]]
    inputs: list[int]
    outputs: list[int]
    guards: list[int]
    energies: list[int]
    bodies: list[str]


class StartData(TypedDict):
    """Where a run began that goes on from another's instant, or a recording that began while its
    run went on: the tick before its first, and the model's time then, t0 + steps · h [s]. Of a
    tick whose faults were latched also its flags; of a mechanism that remembers more than its
    state, that."""

    tick: Annotated[int, msgspec.Meta(ge=0, le=_EXACT)]
    t0: float
    steps: Annotated[int, msgspec.Meta(ge=0, le=_EXACT)]
    flags: NotRequired[Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]]
    memory: NotRequired[str]  # little-endian doubles in base 64: they may be no numbers


class LiveAbout(TypedDict):
    """What a replay needs besides the ticks; what the first files lacked is in `_LATER`."""

    model: str
    description: str | None  # of one, when it is a row of copies
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
    copies: list[str]
    shared: list[str]  # inputs that all copies have in common
    units: dict[str, str]
    max_speed: float | None
    settings: dict[str, float]  # of the formulation
    rtol: float  # of Newton's method
    atol: float
    speed: float | None
    versions: dict[str, str]
    carried: CarriedData | None
    start: StartData | None  # where not at the first tick and at time 0


_LATER: dict[str, object] = {
    "copies": [], "shared": [], "units": {}, "max_speed": None, "settings": {}, "rtol": 1e-8,
    "atol": 1e-10, "speed": None, "versions": {}, "carried": None,
    "start": None,
}  # fmt: skip


class FaultData(TypedDict):
    """What went wrong, in words."""

    tick: int
    time: float
    text: str


class PlaceData(TypedDict):
    """A state that a tick was offered, which it took or refused before its step."""

    tick: int
    state: list[float]


class SpeedData(TypedDict):
    """How fast the model's time went, of real time, after a tick."""

    tick: int
    speed: float


class Change(msgspec.Struct):
    """Parameters that ticks name by their version."""

    version: int
    values: dict[str, float]


def columns_of(about: LiveAbout) -> list[str]:
    """The columns of a structure's ticks."""
    signals = about["input_names"] + about["state_names"] + about["output_names"]
    return [*HEAD, *signals, *about["energy_names"]]


def check_about(about: object, columns: list[str], place: str, first: bool) -> LiveAbout:
    """The description of a structure, refused when something is missing, or of another kind, or
    when the table has other columns than it says."""
    whole = {**_LATER, **about} if isinstance(about, dict) else about
    typed = checked(whole, LiveAbout, place)  # numbers that JSON wrote as integers are floats now
    if first != (typed["carried"] is None):
        raise InputError(f"{place} must {'not ' if first else ''}tell what was carried over.")
    expected = columns_of(typed)
    if columns != expected:
        there = set(columns)
        missing = [name for name in expected if name not in there]
        raise InputError(
            f"{place} is damaged: it has {len(expected)} columns, its table {len(columns)}"
            + (f", without {missing[0]!r}." if missing else " or in another order.")
        )
    return typed


def check_fault(fault: object, place: str) -> FaultData:
    """A fault of the run: {tick, time, text}."""
    return checked(fault, FaultData, place)


def check_place(place: object, where: str) -> PlaceData:
    """A state that was offered: {tick, state}."""
    return checked(place, PlaceData, where)


def check_speed(speed: object, where: str) -> SpeedData:
    """A change of speed: {tick, speed}."""
    return checked(speed, SpeedData, where)


def check_memory(memory: object, where: str) -> StartData:
    """From where a run could go on: {tick, t0, steps, flags, memory}."""
    return checked(memory, StartData, where)


def text_of(memory: np.ndarray) -> str:
    """Numbers as `StartData` has them."""
    return base64.b64encode(memory.astype("<f8").tobytes()).decode()


def memory_of(start: StartData) -> np.ndarray | None:
    """And back; None where there are none."""
    if "memory" not in start:
        return None
    try:
        return np.frombuffer(base64.b64decode(start["memory"], validate=True), "<f8").copy()
    except ValueError as error:
        raise InputError(
            f"The recording is damaged: what was remembered after tick {start['tick']} is no row "
            f"of numbers ({error})."
        ) from None


def change_of(text: bytes, place: str) -> Change:
    """A change of parameters; decoded by its type, for there may be many of them."""
    try:
        return msgspec.json.decode(text, type=Change)
    except NO_JSON as error:
        raise InputError(f"{place} is damaged: {error}.") from None

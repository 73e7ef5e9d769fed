"""Modes, their ways out and their sets of constraints, as tables of CUDA C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from touchback.batch.gpu import modes_texts as texts
from touchback.batch.gpu.tied import Rows, table


@dataclass(frozen=True)
class Struck:
    """tb_impact: a set of constraints, and of each row the number of its contact."""

    set: int
    contacts: tuple[int, ...]


@dataclass(frozen=True)
class Exit:
    """tb_exit, in its order."""

    target: int
    rest: int
    mode_place: int
    target_number: int
    rest_number: int
    direction: int
    when: int
    reset_places: tuple[int, ...]
    reset_start: int
    restitution_start: int
    struck: int
    poisson: int
    rest_speed: float
    impact: Struck
    rest_impact: Struck


@dataclass(frozen=True)
class Mode:
    """tb_mode: the number of its set of constraints, the places of its rows among all, which of
    them track, how many values its transitions read, and its ways out."""

    set: int
    rows: tuple[int, ...]
    tracks: tuple[int, ...]
    value_count: int
    uses_forces: int
    exits: tuple[Exit, ...]


def _lists(rows: Rows) -> dict[str, tuple[int, ...]]:
    lists = {"holonomic": rows.holonomic, "W_twins": rows.twins}
    for name, pattern in (("J", rows.J), ("W", rows.W), ("M", rows.M)):
        lists |= {f"{name}_rows": pattern[0], f"{name}_columns": pattern[1]}
    return lists


def set_tables(rows: Rows, k: int) -> str:
    """Patterns of a set of constraints."""
    return "".join(listed(f"{name}_{k}", numbers) for name, numbers in _lists(rows).items())


def set_text(rows: Rows, k: int) -> str:
    """What lets a thread's memory of the set point to them."""
    lines = [f"c->{name} = {place(f'{name}_{k}', each)};" for name, each in _lists(rows).items()]
    lines += [f"c->{name}_count = {len(each[0])};" for name, each in
              (("J", rows.J), ("W", rows.W), ("M", rows.M))]  # fmt: skip
    written = "".join(f"        {line}\n" for line in lines)
    return texts.SET.format(number=k, m=rows.count, lines=written)


def exit_tables(exits: Sequence[Exit], k: int) -> Iterator[str]:
    """The ways out of mode k, after what they point to."""
    written = []
    for i, each in enumerate(exits):
        own = f"{k}_{i}"
        yield listed(f"resets_{own}", each.reset_places)
        yield listed(f"struck_{own}", each.impact.contacts)
        yield listed(f"resting_{own}", each.rest_impact.contacts)
        written.append(_exit(each, own))
    if exits:
        lines = ",\n".join(f"    {{{each}}}" for each in written)
        yield f"static __device__ const tb_exit exits_{k}[] = {{\n{lines}}};\n"


def _exit(each: Exit, own: str) -> str:
    numbers = [
        each.target, each.rest, each.mode_place, each.target_number, each.rest_number,
        each.direction, each.when, len(each.reset_places),
        place(f"resets_{own}", each.reset_places), each.reset_start, each.restitution_start,
        each.struck, each.poisson, repr(each.rest_speed),
        _impact(each.impact, f"struck_{own}"), _impact(each.rest_impact, f"resting_{own}"),
    ]  # fmt: skip
    return ", ".join(map(str, numbers))


def _impact(each: Struck, name: str) -> str:
    return f"{{{each.set}, {place(name, each.contacts)}}}"


def listed(name: str, numbers: Sequence[int]) -> str:
    """A table, if it has anything."""
    return table(name, numbers) if numbers else ""


def place(name: str, numbers: Sequence[int]) -> str:
    """Where it is."""
    return f"table_{name}" if numbers else "0"

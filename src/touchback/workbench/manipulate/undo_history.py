"""Changes of a run's structure, one after the other, each of which can be undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from touchback import Live, Model, System
from touchback.errors import InputError, TouchbackError
from touchback.model import MECHANICS, OWN, flatten
from touchback.realtime import SwapReport, refuse_open_loops
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.manipulate.state_snapshot import StateSnapshot, refuse_rows, take_snapshot

EDIT, ICON = "edit", "icon"  # what a change is of: what `undo` takes back, and what it leaves


_KEPT = "kept"  # an edit that can't be taken back and was let be


Alter = Callable[[Model], None]


@dataclass(frozen=True)
class Change:
    """A change of a model: what it is of ("edit" or "icon"; "kept": an edit that stays for good),
    whose, in words, and how. New states in `begin` start where states of the run are. Of changes
    with the same `key`, which put the same thing into another's place, only the last acts. One that
    only `sets` parameters needs no other structure."""

    of: str
    name: str
    words: str
    alter: Alter
    begin: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, str] | None = None
    sets: Mapping[str, float] = field(default_factory=dict)
    was: Mapping[str, float] = field(default_factory=dict)


class Reshape:
    """The structure of a live run, and what changed it."""

    def __init__(self, live: Live) -> None:
        self.live, self.lock = live, threading.RLock()
        self._base, self.changes = live.system.model, list[Change]()
        self._system: System = live.system
        self._waiting: tuple[SwapReport, list[Change]] | None = None

    def begin_from(self, base: Model, changes: list[Change]) -> None:
        """Another account of the present structure: a model, and what changed it."""
        with self.lock:
            self._base, self.changes = base, changes

    def add(self, change: Change) -> Facts:
        """One more change."""
        with self.lock:
            self._follow()
            if change.sets:
                facts = self._set(change.sets)
                self.changes.append(change)
                return {**facts, "undo": self.next_undo()}
            return self._become([*self.changes, change], change.begin)

    def replace(self, change: Change) -> Facts:
        """A change in the place of the last of its kind and name, if there is one: at one tick, so
        that there is none without either, and all or nothing where it is refused."""
        with self.lock:
            self._follow()
            others = [e for e in self.changes if (e.of, e.name) != (change.of, change.name)]
            return self._become([*others, change], change.begin)

    def rebase(self, model: Model) -> Facts:
        """Another model under the same changes, which go on acting; edits that it can't have are
        refused, and nothing changes."""
        with self.lock:
            self._follow()
            base, self._base = self._base, model
            try:
                return self._become(self.changes, {})
            except BaseException:
                self._base = base
                raise

    def take_back(self, of: str, name: str | None = None) -> tuple[Change, Facts]:
        """Goes on without the last change of a kind, or of that kind and name."""
        with self.lock:
            last = self.last(of, name)
            others = [each for each in self.changes if each is not last]
            if not last.sets:
                return last, self._become(others, {})
            self.changes = others
            return last, {**self._set(last.was), "undo": self.next_undo()}

    def keep(self) -> Facts:
        """Lets the last edit be for good, so that those before it can be taken back."""
        with self.lock:
            last = self.last(EDIT)
            self.changes = [
                replace(each, of=_KEPT) if each is last else each for each in self.changes
            ]
            return {"tick": self.live.ticks, "undo": self.next_undo()}

    def next_undo(self) -> str | None:
        """The edit that would be taken back next, in words; None: there is none."""
        return next((each.words for each in reversed(self.changes) if each.of == EDIT), None)

    def last(self, of: str, name: str | None = None) -> Change:
        """The last change of a kind, or of that kind and name; refused where there is none."""
        self._follow()
        known = [each for each in self.changes if each.of == of and name in (None, each.name)]
        if not known:
            which = "" if name is None else f" '{name}'"
            done = ", ".join(each.words for each in self.changes) or "nothing"
            raise InputError(f"There is no {of}{which} to take back; changed was {done}.")
        return known[-1]

    def model(self) -> Model:
        """A copy of the present model as it is described, to try something on."""
        with self.lock:
            self._follow()
            return self._altered(self.changes)

    def _follow(self) -> None:
        """Begins anew where the structure is another's; what waited for a tick is there by now, or
        was refused."""
        if self._waiting is not None:
            report, before = self._waiting
            if report.state == "waiting":
                raise InputError(
                    "Another structure is waiting for its tick; let the run go on first."
                )
            self._waiting = None
            if report.state == "taken":
                self._system = self.live.system
            else:
                self.changes = before
        if self.live.system is not self._system:
            self._base, self.changes, self._system = self.live.system.model, [], self.live.system

    def _set(self, values: Mapping[str, float]) -> Facts:
        """Other values for parameters, in the order given."""
        began, before = time.perf_counter(), take_snapshot(self.live)
        for name, value in values.items():
            self.live[name] = value
        return {
            **swap_report(
                before, self.live, SwapReport(self.live.system.name, 0.0, "taken", self.live.ticks)
            ),
            "milliseconds": _since(began),
        }

    def _altered(self, changes: Sequence[Change]) -> Model:
        model = copied(self._base)
        last = {change.key: change for change in changes if change.key}
        for change in changes:
            if not change.sets and (change.key is None or last[change.key] is change):
                change.alter(model)
        return model

    def _become(self, changes: list[Change], begin: Mapping[str, str]) -> Facts:
        began = time.perf_counter()
        refuse_rows(self.live.system)
        before, model = take_snapshot(self.live), self._altered(changes)
        refuse_open_loops(before.system, model, before.q, before.t, before.z, before.parameters)
        report = self.live.swap(model, begin=begin)
        old, self.changes = self.changes, changes
        if report.state == "waiting":
            self._waiting = report, old
        else:
            self._system = self.live.system
        facts = swap_report(before, self.live, report)
        return {**facts, "undo": self.next_undo(), "milliseconds": _since(began)}


def swap_report(before: StateSnapshot, live: Live, report: SwapReport) -> dict[str, object]:
    """What a change did: freedoms, how far positions moved [m or rad], energies [J], its tick."""
    taken = report.state == "taken"
    return {
        "state": report.state,
        "tick": report.tick,
        "gap": report.moved,
        "energy_before": report.energy_before,
        "energy_after": report.energy_after,
        "energy_lost": report.energy_lost,
        "freedoms_before": freedoms_of(before),
        "freedoms_after": freedoms_of(take_snapshot(live)) if taken else None,
        "frozen": report.frozen,
    }


def freedoms_of(now: StateSnapshot) -> int | None:
    """How many freedoms a mechanism has where it is; None where that can't be told."""
    try:
        return now.system.freedoms(now.q, now.t, now.inputs, now.z).freedoms
    except TouchbackError:
        return None


def _since(began: float) -> float:
    return 1e3 * (time.perf_counter() - began)


def copied(model: Model) -> Model:
    """The same mechanism without parts, whose items may be added to, replaced and taken away; its
    expressions stay on the same tape."""
    flat = flatten(model.described or model)  # all modes, not the present one
    other = copy(flat)
    for section in (*OWN, *MECHANICS):
        setattr(other, section, copy(getattr(flat, section)))
    other.imported = dict(flat.imported)
    return other

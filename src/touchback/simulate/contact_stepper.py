"""What runs with rigid contacts have in common: their numbers, sensors and recorded signals."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.model import Frame, Model, frames_of
from touchback.names import check_name
from touchback.native import evaluate_rows
from touchback.numbers import Floats, shown
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Label, Stepper
from touchback.system import (
    ContactEquations,
    Derivation,
    System,
    constraint_rows,
    float_instant,
    solved_arguments,
    undetermined_forces_text,
)


class ContactStepper(Stepper):
    """States, what the mechanism's own constraints do, and of each contact its gap and what acts
    there: forces, or impulses of steps; then inputs and sensors."""

    IMPULSES: ClassVar[bool] = False  # and no accelerations at an instant

    def __init__(
        self, spec: RunSpec, given: Mapping[str, ContactKind] | None, *functions: str
    ) -> None:
        self._spec = spec
        self._system, contacts = contacts_of(spec.system, given)
        wanted = {"names": functions} if functions else {}
        self._equations = ContactEquations(self._system, contacts, spec.parameters, **wanted)
        self._refuse_taken(set(given or ()) - set(self._system.model.contacts))
        self._sensors = Sensors(self._equations, not self.IMPULSES)
        self._forces: Floats = np.zeros((1, self._equations.layout.rows))  # at recorded instants
        self._accelerations: Floats = np.full((1, self._system.sizes[1]), np.nan)

    @abstractmethod
    def gaps(self, part: slice, times: Floats, states: Floats) -> Floats:
        """At some of the instants, a row for each contact [m]."""

    def labels(self) -> list[Label]:
        """In the order of the rows."""
        system = self._system
        return [
            *self._own_labels(),
            *(("input", *each) for each in zip(system.input_names, system.input_units)),
            *(("output", *each) for each in self._sensors.labels),
        ]

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """In the order of the labels."""
        inputs = self.problem.input_rows(times, states)
        given = inputs
        if not self.IMPULSES:
            own = self._forces[part, : self._equations.layout.bilateral]
            given = np.hstack([inputs, self._accelerations[part], own])
        shown = self._sensors.rows(states, given)
        return np.hstack([self._own_rows(part, times, states), inputs[:, 1:], shown])

    def _unmeasured_diagnostics(self) -> list[str]:
        """What is to be said of sensors that aren't recorded, and of forces that mechanics leaves
        open."""
        found = unmeasured(self._sensors.missing, self.IMPULSES)
        if self._system.constrained and (rows := self._system.freedoms().undetermined):
            found.append(undetermined_forces_text(rows))
        return found

    def _own_labels(self) -> list[Label]:
        """What the method gives."""
        system = self._system
        word = "impulse" if self.IMPULSES else "force"
        own = f" {word}" if self.IMPULSES else ""
        found: list[Label] = [
            *(("state", *each) for each in zip(system.state_names, system.state_units)),
            *(
                ("multiplier", f"{name}{own}", f"{unit} s" if own and unit else unit)
                for name, unit in system.multiplier_units.items()
            ),
        ]
        for i, name in enumerate(self._equations.contacts):
            found += self._contact_labels(i, name)
        return found

    def _contact_labels(self, i: int, name: str) -> list[Label]:
        word, moment, over = (
            ("impulse",) * 2 + ("",) if self.IMPULSES else ("force", "moment", " s")
        )
        found: list[Label] = [
            ("contact", f"{name} gap", "m"),
            ("contact", f"{name} {word}", "N s".removesuffix(over)),
        ]
        for _, label, unit in self._equations.layout.friction_labels(i):
            what = word if unit == "N s" else moment
            found.append(("contact", f"{name} {label} {what}", unit.removesuffix(over)))
        return found

    def _refuse_taken(self, given: Collection[str]) -> None:
        """Refuse contacts that were given a name with which a signal is called like another."""
        system = self._system
        every = Counter(label for _, label, _ in self._own_labels())
        every.update([*system.input_names, *system.output_names])
        for i, name in enumerate(self._equations.contacts):
            for _, label, _ in self._contact_labels(i, name) if name in given else ():
                if every[label] > 1:
                    raise InputError(
                        f"{system.name}: contact '{name}' has a signal '{label}', and another "
                        "signal of the run is called so; give the contact another name."
                    )

    def _own_rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        layout, forces = self._equations.layout, self._forces[part].T
        columns = [*states.T, *forces[: layout.bilateral]]
        gaps = self.gaps(part, times, states)
        for i, normal in enumerate(layout.normals):
            columns += [gaps[i], forces[normal]]
            columns += [forces[row] for row, _, _ in layout.friction_labels(i)]
        return np.column_stack(columns)


class Sensors:
    """Sensors as functions of x and u = [t, inputs…, accelerations…, multipliers…] of the
    mechanism's own constraints; where a run doesn't know these (`solved`), sensors of states and
    inputs only. Forces of contacts act on bodies unseen: what depends on them, as the reaction of
    a joint beneath does, can't be measured. `labels` are the signals that can, which the `function`
    gives, `missing` the sensors that can't."""

    def __init__(self, equations: ContactEquations, solved: bool) -> None:
        system = equations.system
        d = system.derive(solved_arguments(system.layout, system.constraint_names))
        rows = constraint_rows(d.instant)
        d.instant.efforts()  # applied forces first, then those of closures
        known = d.extra if solved else []
        d.solved(rows)
        _push_unseen(d, system, equations.contacts.values())
        hidden = [node for node in d.extra if node not in known]
        units = iter(zip(system.output_names, system.output_units, strict=True))
        self.labels: list[tuple[str, str]] = []  # name and unit of each component
        self.missing: list[str] = []
        wanted: list[int] = []
        for sensor in d.instant.model.outputs():
            nodes = d.instant.measure(sensor)
            own = [next(units) for _ in nodes]
            if _reads(d, nodes, hidden):
                self.missing.append(sensor)
            else:
                self.labels += own
                wanted += nodes
        self.function = d.functions({"sensors": wanted})["sensors"] if wanted else None
        values = system.parameter_values(equations.parameters)
        self.block: Floats = self.function.block_for(values) if self.function else np.zeros(0)

    def rows(self, states: Floats, given: Floats) -> Floats:
        """What they show at states with u, a row each."""
        if self.function is None:
            return np.empty((len(states), 0))
        compiled = self.function.compiled
        return evaluate_rows(
            compiled.address, states, given, self.block, len(self.labels), compiled.work_size,
            compiled.context_address,
        )  # fmt: skip


def _push_unseen(d: Derivation, system: System, contacts: Iterable[ContactKind]) -> None:
    """Lets unknown forces act on every body that a contact may touch: on all where it names
    none."""
    bodies = dict.fromkeys(
        body
        for kind in contacts
        for body in [each.body for each in frames_of(kind)] or system.model.bodies
    )
    for body in bodies:
        force, moment = (
            [d.argument(f"unseen:{body}.{what}{i}") for i in range(3)] for what in "fm"
        )
        d.instant.push(Frame(body), force, moment)


def _reads(d: Derivation, nodes: Sequence[int], symbols: Sequence[int]) -> bool:
    live = d.tape.live([abs(node) for node in nodes])
    return any(live[symbol] for symbol in symbols)


CONTACT_TOLERANCE = 1e-9  # m: deeper is an overlap


def length_scale(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> float:
    """How far apart the frames of contacts are at positions q [m]; 1 where all are at one place."""
    points = _places(model, contacts, q)
    return float(np.ptp(points, axis=0).max()) or 1.0 if len(points) else 1.0


def reach(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> float:
    """How far from the origin the frames of contacts are at positions q [m]: what rounds."""
    return float(np.abs(_places(model, contacts, q)).max(initial=0.0))


def _places(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> Floats:
    """Where the frames of contacts are, a row each [m]."""
    instant = float_instant(model, q)
    frames = [frame for kind in contacts.values() for frame in frames_of(kind)]
    points = [instant.position(frame) for frame in frames]
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def contacts_of(
    system: System, given: Mapping[str, ContactKind] | None
) -> tuple[System, dict[str, ContactKind]]:
    """The system, and the contacts that its model describes, with those given beside; a given one
    stands in for the model's of its name."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{system.name}: contacts are given by name, as {{'floor': "
            f"tb.contact.SpherePlaneContact(…)}}, got {shown(given)}."
        )
    for name in given or {}:
        check_name("contact", name)
    found = {**system.model.contacts, **(given or {})}
    if given is None and not found:
        raise InputError(
            f"Model '{system.name}' describes no rigid contacts; add some by "
            "`m.contact(name, tb.contact.SpherePlaneContact(…))`, or give them by name."
        )
    return system, found


def overlaps(names: Iterable[str], gaps: Iterable[float], outcome: str) -> list[str]:
    """A remark for each contact that overlaps at the start: which, how deep, what becomes of it."""
    return [
        f"At the start contact '{name}' overlaps by {-gap:.3g} m; {outcome}"
        for name, gap in zip(names, gaps, strict=True)
        if gap < -CONTACT_TOLERANCE
    ]


def unmeasured(sensors: Iterable[str], stepped: bool) -> list[str]:
    """A remark for each sensor that a run doesn't record, and why."""
    why = (
        "accelerations or forces, of which time stepping knows only what they did within a step; "
        "use method='event-driven', or"
        if stepped
        else "forces that contacts exert on single bodies, of which only their effect on the "
        "coordinates is known;"
    )
    return [
        f"Sensor '{name}' is not recorded: it depends on {why} read the contact's own signals."
        for name in sensors
    ]

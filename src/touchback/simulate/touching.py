"""What every run with rigid contacts records."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping
from typing import ClassVar

import numpy as np

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.simulate.course import Asked, Course, Label
from touchback.simulate.protocol import Floats
from touchback.simulate.rigid import contacts_of, unmeasured
from touchback.simulate.sensing import Sensors
from touchback.system.contact_equations import ContactEquations
from touchback.system.undetermined import open_text


class TouchingRun(Course):
    """States, what the mechanism's own constraints do, and of each contact its gap and what acts
    there: forces, or impulses of steps; then inputs and sensors."""

    IMPULSES: ClassVar[bool] = False  # and no accelerations at an instant

    def __init__(
        self, asked: Asked, given: Mapping[str, ContactKind] | None, *functions: str
    ) -> None:
        self._asked = asked
        self._system, contacts = contacts_of(asked.system, given)
        wanted = {"names": functions} if functions else {}
        self._equations = ContactEquations(self._system, contacts, asked.parameters, **wanted)
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

    def _unmeasured(self) -> list[str]:
        """What is to be said of sensors that aren't recorded, and of forces that mechanics leaves
        open."""
        found = unmeasured(self._sensors.missing, self.IMPULSES)
        if self._system.constrained and (rows := self._system.freedoms().undetermined):
            found.append(f"The force of {open_text(rows, rows)}")
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

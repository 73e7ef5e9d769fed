"""Settings of a system: which constraints act, and the mode it is in."""

import copy
from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from touchback.system.derivatives import Derivatives
from touchback.system.state import State, elements_of


class Settings(Derivatives):
    """What all who hold a system share, and may change; `apart` gives one with its own."""

    def apart(self, parameters: Mapping[str, float] | None = None) -> Self:
        """The same system with settings of its own (parameters, active constraints, mode), as they
        are now, but for some `parameters`, which change at once; what is derived of both is derived
        once."""
        with self.deriving:
            other = copy.copy(self)
        for name in self.calls.methods:
            other.__dict__.pop(name, None)
        other.present = [self.calls.apart()]
        if parameters:
            other.present = [other.calls.changed(parameters=other.parameter_values(parameters))]
        return other

    @property
    def active(self) -> tuple[str, ...]:
        """Names of the constraints that act."""
        return self.motion.active(self.key)

    def activate(self, *names: str) -> None:
        """Let constraints act; positions and velocities that break them are then mended by
        `assemble`."""
        self._set(self.motion.switched(self.key, names, True))

    def deactivate(self, *names: str) -> None:
        """Let constraints rest: their rows vanish, their multipliers are zero."""
        self._set(self.motion.switched(self.key, names, False))

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """The modes by the state that holds their number: "mode", or "part/mode"."""
        return {each.state: each.modes for each in self.motion.modes.groups}

    @property
    def mode(self) -> str:
        """The mode that functions on arrays belong to."""
        return self.motion.modes.reigning[self.key].name if self.modes else ""

    @property
    def initial_modes(self) -> tuple[str, ...]:
        """The mode that each group begins in."""
        return tuple(group.initial for group in self.motion.modes.groups)

    def enter(self, *modes: str) -> None:
        """Let functions on arrays be those of a mode; with several groups, one of each or some
        of them."""
        self._set(self.motion.entered(self.key, modes))

    def _set(self, key: tuple[str, ...]) -> None:
        if key != self.key:
            with self.deriving:
                self.present[0] = self.calls.changed(key=key)

    def mode_of(self, x: State | ArrayLike) -> int:
        """The number of the mode that a state is in."""
        return self.motion.modes.number_in(self._elements(x), self.state_names, self.name)

    def _elements(self, given: State | ArrayLike) -> np.ndarray:
        return elements_of(self.name, self.state_names, given)

"""Names, sizes and parameters of a system."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from touchback.model.model import Model
from touchback.system.calls import Calls, Made
from touchback.system.motions.acting import Acting, Key
from touchback.system.motions.motion import Motion


class Named:
    """A motion with its settings: what acts, and the values of the parameters."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.plan, self.layout = motion, motion.plan, motion.layout
        self.name, self.deriving = motion.name, motion.deriving
        defaults = np.array([given.default for given in self.layout.ranges], dtype=float)
        self.present = [Calls(motion, motion.first, defaults, Made())]  # C looks here what is set

    @property
    def calls(self) -> Calls:
        """The functions with the settings as they are now."""
        return self.present[0]

    @property
    def key(self) -> Key:
        """What acts."""
        return self.calls.key

    @property
    def acting(self) -> Acting:
        """The model, constraint rows and functions that hold as things are set now."""
        return self.motion.acting(self.key)

    @property
    def model(self) -> Model:
        """The model with the constraints that are active, in the mode entered."""
        return self.motion.model(self.key)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q."""
        return self.layout.q

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of v."""
        return self.layout.v

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(nq, nv, nz)."""
        return self.layout.sizes

    @property
    def state_names(self) -> list[str]:
        """Signal names of x = [q, v, z]."""
        return self.layout.state_names

    @property
    def state_units(self) -> list[str]:
        """Units of x."""
        return self.layout.state_units

    @property
    def input_names(self) -> list[str]:
        """Inputs that no controller drives."""
        return list(self.layout.inputs)

    @property
    def input_units(self) -> list[str]:
        """Units of the inputs."""
        return list(self.layout.input_units)

    @cached_property
    def input_defaults(self) -> np.ndarray:
        """Values of the inputs when nothing is connected."""
        return np.array(self.layout.input_defaults, dtype=float)

    @property
    def output_names(self) -> list[str]:
        """Sensor components."""
        return list(self.layout.outputs)

    @property
    def output_units(self) -> list[str]:
        """Units of the sensor components; that of a multiplier is its row's."""
        return self.motion.output_units(self.key)

    @property
    def memory_places(self) -> tuple[int, ...]:
        """Where in x = [q, v, z] the states are that change only at ticks."""
        return self.layout.memory_places

    # ---- parameters -----------------------------------------------------------------------------

    @property
    def parameter_names(self) -> list[str]:
        """Live parameters, in the order of their arrays."""
        return list(self.layout.parameters)

    @property
    def parameter_units(self) -> list[str]:
        """Units of the live parameters."""
        return [known.unit for known in self.layout.ranges]

    @property
    def parameters(self) -> dict[str, float]:
        """Current values of the live parameters."""
        return dict(zip(self.layout.parameters, map(float, self.calls.parameters), strict=True))

    def changed_parameters(self, overrides: Mapping[str, float] | None = None) -> dict[str, float]:
        """Those whose values, with some replaced, aren't the model's own, and all that replace."""
        given, own = overrides or {}, [each.default for each in self.layout.ranges]
        now = zip(self.layout.parameters, self.parameter_values(given), own, strict=True)
        return {name: float(x) for name, x, usual in now if x != usual or name in given}

    def __getitem__(self, name: str) -> float:
        return float(self.calls.parameters[self.layout.index(name)])

    def __setitem__(self, name: str, number: float) -> None:
        with self.deriving:
            self.present[0] = self.calls.changed(parameters=self.parameter_values({name: number}))

    def parameter_values(self, overrides: Mapping[str, float] | None = None) -> np.ndarray:
        """All parameters in order, with some replaced."""
        return self.layout.changed(self.calls.parameters, overrides or {})

    def parameter_block(
        self, overrides: Mapping[str, float] | None = None, stiffness: bool = False
    ) -> np.ndarray:
        """The derived block that the functions of a run share, with some parameters replaced;
        `stiffness`: those of the implicit formulations of constraints."""
        return self.motion.block(self.key, self.parameter_values(overrides), stiffness)

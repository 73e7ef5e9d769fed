"""Where everything sits: names, units and indices of coordinates, states, inputs and parameters."""

from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.model.model import Model, sensor_names
from touchback.model.names import unknown


@dataclass(frozen=True)
class Layout:
    """x = [q, v, z]; u = [time, inputs…, further arguments of a function]; parameters in order of
    description."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    z: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    q_units: tuple[str, ...]
    v_units: tuple[str, ...]
    z_units: tuple[str, ...]
    output_units: tuple[str, ...]

    @property
    def state_names(self) -> list[str]:
        """Signal names of x: a velocity that is named like a position gets " rate"."""
        positions = set(self.q)
        rates = [f"{name} rate" if name in positions else name for name in self.v]
        return [*self.q, *rates, *self.z]

    @property
    def state_units(self) -> list[str]:
        """Units of x."""
        return [*self.q_units, *self.v_units, *self.z_units]


def layout_of(model: Model) -> Layout:
    """The layout of a flat model."""
    q: list[str] = []
    v: list[str] = []
    q_units: list[str] = []
    v_units: list[str] = []
    for name, joint in model.joints.items():
        q += joint.position_names(name)
        v += joint.velocity_names(name)
        q_units += joint.kind.position_units()
        v_units += joint.kind.velocity_units()
    driven = {target for control in model.controls.values() for target in control.drives}
    outputs: list[str] = []
    output_units: list[str] = []
    taken = {*q, *v, *model.states}
    for name, kind in model.outputs().items():
        for full, unit in zip(sensor_names(name, kind), kind.units(), strict=True):
            outputs.append(f"{full} sensor" if full in taken else full)
            output_units.append(unit)
    return Layout(
        tuple(q), tuple(v), tuple(model.states),
        tuple(name for name in model.inputs if name not in driven),
        tuple(model.parameters), tuple(outputs), tuple(q_units), tuple(v_units),
        tuple(state.unit for state in model.states.values()), tuple(output_units),
    )  # fmt: skip


def fill(label: str, given: object, names: tuple[str, ...], default: np.ndarray) -> np.ndarray:
    """An array of one number a name: from nothing (the defaults), a dict by name, or any
    sequence."""
    if given is None:
        return default
    if isinstance(given, dict):
        filled = default.copy()
        index = {name: i for i, name in enumerate(names)}
        for name, number in given.items():
            if name not in index:
                raise InputError(str(unknown(label, name, names)))
            filled[index[name]] = float(number)
        return filled
    array = np.asarray(given, dtype=float)
    if array.shape != (len(names),):
        raise InputError(
            f"{label}: {len(names)} numbers are expected ({', '.join(names[:6])}"
            f"{'…' if len(names) > 6 else ''}), got an array of shape {array.shape}."
        )
    return array

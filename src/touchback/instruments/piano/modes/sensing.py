"""What the model with modes reports, by the names of the full-contact model."""

from collections.abc import Mapping

from touchback import (
    ContactForce,
    Energy,
    Expr,
    Frame,
    Gap,
    Model,
    Multiplier,
    Position,
    Readout,
    Signal,
    Velocity,
    sin,
)
from touchback.instruments.piano.modes.plane import Meeting
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.sensing import CONTACTS

READOUT = "action force"


def add_sensors_with_modes(
    m: Model, spec: Specification, crown: Frame, found: Mapping[str, Meeting]
) -> None:
    """As `add_sensors`, with multipliers for the forces of rigid contacts; besides, "energy" [J]
    and the readout "action force" [N]: what the action behind the capstan puts on the key front, in
    modes in which the capstan carries it."""
    for name in CONTACTS:
        if name in found:
            m.sensor(f"{name} gap", Signal(found[name].gap, "m"))
            m.sensor(f"{name} force", Multiplier(name))
        else:
            m.sensor(f"{name} gap", Gap(name))
            m.sensor(f"{name} force", ContactForce(name))
    front = spec.dimensions.key_front
    m.sensor("key depth", Signal(front * sin(m.coordinate("key")), "m"))
    m.sensor("key speed", Signal(front * m.rate("key"), "m/s"))
    m.sensor("hammer velocity", Velocity(crown))
    m.sensor("crown", Position(crown))
    m.sensor("jack overlap", Signal(-found["jack"].past, "m"))
    m.sensor(READOUT, Readout("N"))
    m.sensor("energy", Energy())


def action_load(m: Model, spec: Specification, capstan: Meeting) -> Expr:
    """What the whippen on the capstan puts on the key front [N]: its force, and its lever about the
    balance point."""
    (x, z), (n_x, n_z) = capstan.touch, capstan.normal
    lever = z * n_x - x * n_z
    return m.signal("capstan force") * lever / spec.dimensions.key_front

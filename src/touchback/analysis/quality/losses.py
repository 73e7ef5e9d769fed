"""Why the energy of a mechanism isn't conserved: everything that can give or take some, by name."""

from touchback.model import Model
from touchback.model.forces import Buoyancy, Drag, JointEffort, LinkForce, Wrench
from touchback.model.signals import BaseMotion

_OUTSIDE = (Buoyancy, Drag, JointEffort, LinkForce, Wrench)  # forces that store nothing
_TAKING = (
    *("damping", "torsion_damping", "friction", "rolling_friction"),
    *("hysteresis", "memory"),  # of felt
    *("drag", "angular_drag", "drag_area"),  # in a fluid
)  # fields that take energy unless they are zero


def losses(model: Model) -> list[str]:
    """The suspects; whether energy is conserved is measured, since a damping may be zero."""
    found = []
    for name, joint in model.all_joints().items():
        damped = any(given != 0.0 for given in joint.damping or ())
        rubbing = any(given != 0.0 for given in joint.friction or ())
        stop = joint.stop
        stopped = stop[1] != 0.0 if isinstance(stop, tuple) else joint.limits and stop is None
        found += [f"damping in joint '{name}'"] if damped else []
        found += [f"friction in joint '{name}'"] if rubbing else []
        found += [f"the stop of joint '{name}'"] if stopped else []
    for name, force in model.forces.items():
        law = getattr(force, "law", None)  # of a contact
        given = [getattr(item, word, 0.0) for item in (force, law) for word in _TAKING]
        damped = any(
            number != 0.0
            for item in given
            for number in (item if isinstance(item, tuple) else (item,))
        )
        if isinstance(force, _OUTSIDE) or damped:
            found.append(f"force '{name}'")
    found += [f"control '{name}'" for name in model.controls]
    found += ["the moving base"] if model.base != BaseMotion() else []
    found += [f"drive '{name}'" for name, drive in model.drives.items() if drive.active]
    found += [f"constraint '{name}'" for name, given in model.constraints.items() if given.active]
    return found

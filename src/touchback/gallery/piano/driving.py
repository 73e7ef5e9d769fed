"""How a key is moved: by a force, by a prescribed motion, or through a finger."""

from collections.abc import Callable

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.sensors import Multiplier
from touchback.model.value import Value
from touchback.symbolic.functions import asin, maximum, select

Touch = Callable[[Model], Value]  # gives the depth of the key front [m]

FINGER_STIFFNESS = 1500.0  # of fingertip and joints [N/m], and damping [N s/m] (ref: a fingertip
FINGER_DAMPING = 5.0  # alone has 200 to 800 N/m, more at high forces, and a few N s/m)


def add_drive(m: Model, front: float, driven: str, touch: Touch | None) -> None:
    """Drive the key, whose front is `front` [m] from the balance point (see
    `grand_piano_action`)."""
    if (driven == "motion") != (touch is not None):
        raise InputError(
            f"grand_piano_action: driven={driven!r} with touch={touch!r}; a touch such as "
            "Pressed() goes with driven='motion', and with nothing else."
        )
    if driven == "motion" and touch is not None:
        m.drive("key", asin(touch(m) / front), name="touch")
        m.sensor("touch effort", Multiplier("touch"))
    elif driven == "finger":
        m.force("finger", JointEffort("key", _finger(m) * front))
    elif driven == "force":
        m.force("key force", JointEffort("key", m.input("key force", unit="N") * front))
    else:
        raise InputError(
            f"grand_piano_action: driven={driven!r}; give 'force', 'motion' or 'finger'."
        )


def _finger(m: Model) -> Value:
    """The push of a finger [N] that may leave the key but not pull it."""
    depth = m.input("finger depth", unit="m", default=-5e-3)
    speed = m.input("finger speed", unit="m/s")
    stiffness = m.parameter("finger stiffness", FINGER_STIFFNESS, unit="N/m", min=0.0)
    damping = m.parameter("finger damping", FINGER_DAMPING, unit="N s/m", min=0.0)
    inside = depth - m.signal("key depth")
    push = stiffness * inside + damping * (speed - m.signal("key speed"))
    return select(inside > 0.0, maximum(push, 0.0), 0.0)

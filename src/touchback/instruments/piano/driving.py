"""How a key is moved: by a force, by a prescribed motion, through a finger, or by a press."""

from collections.abc import Callable

from touchback import JointEffort, Model, Multiplier, Signal, asin, maximum, select
from touchback.errors import InputError
from touchback.model.value import Value

Touch = Callable[[Model], Value]  # gives the depth of the key front [m]

FINGER_STIFFNESS = 1500.0  # of fingertip and joints [N/m], and damping [N s/m] (ref: a fingertip
FINGER_DAMPING = 5.0  # alone has 200 to 800 N/m, more at high forces, and a few N s/m)
PRESS_STIFFNESS = 2e4  # of a press's load cell and the pad under it [N/m] (chosen)


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
    elif driven == "press":
        m.force("press", JointEffort("key", _press(m) * front))
    elif driven == "force":
        m.force("key force", JointEffort("key", m.input("key force", unit="N") * front))
    else:
        raise InputError(
            f"grand_piano_action: driven={driven!r}; give 'force', 'motion', 'finger' or 'press'."
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


def _press(m: Model) -> Value:
    """The push [N] of a load cell that a press moves onto the key, which it can't pull."""
    travel = m.input("key travel", unit="m", default=-5e-3, min=-5e-3, max=0.015)
    stiffness = m.parameter("press stiffness", PRESS_STIFFNESS, unit="N/m", min=1e3, max=1e6)
    push = maximum(stiffness * (travel - m.signal("key depth")), 0.0)
    return m.sensor("key force", Signal(push, "N"))

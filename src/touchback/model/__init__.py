"""What a mechanism is: bodies, frames, joints, forces, signals, sensors, parts. Plain, checked
data."""

from touchback.model.body import Body
from touchback.model.frame import Frame
from touchback.model.model import Model

__all__ = ["Body", "Frame", "Model"]

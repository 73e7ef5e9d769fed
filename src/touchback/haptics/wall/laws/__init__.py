"""The walls of the laboratory as they run: written once over any scalar, a sample at a time.

With floats they are the laboratory's controllers, with arrays a battery of presses at once, with
expressions machine code inside the tick (`touchback.haptics.displays.WallDisplay`)."""

from touchback.haptics.wall.laws.adaptive import Adaptive
from touchback.haptics.wall.laws.affine import HalfSample, Placed, Standard
from touchback.haptics.wall.laws.balanced import Balanced
from touchback.haptics.wall.laws.counting import Counting
from touchback.haptics.wall.laws.deadbeat import Deadbeat
from touchback.haptics.wall.laws.further import Dithered, PassivityControlled, Rubbing, Waves
from touchback.haptics.wall.laws.motion import Motion
from touchback.haptics.wall.laws.observer import Observing
from touchback.haptics.wall.laws.sensors import Differences, Given, Sense, Window
from touchback.haptics.wall.laws.told import Law, Stamp, Told

__all__ = [
    "Adaptive", "Balanced", "Counting", "Deadbeat", "Differences", "Dithered", "Given",
    "HalfSample", "Law", "Motion", "Observing", "PassivityControlled", "Placed", "Rubbing", "Sense",
    "Stamp", "Standard", "Told", "Waves", "Window",
]  # fmt: skip

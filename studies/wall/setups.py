"""The parameters of the laboratory's runs: the text's where it gives them, ours where it doesn't.

Chapter 5 gives unit mass and unit stiffness; period, gravity and height of drop are lost with the
figures. Chapter 6 gives table 6.3.2 (mass 0.30 kg, wall 5000 N/m, the finger); of its return maps
only the 40 strikes and the range of periods.
"""

from dataclasses import dataclass

from studies.wall.worst_case import WorstCase
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.laws import Law
from touchback.haptics.wall.wall_controllers import WallController
from touchback.haptics.wall.wall_plant import Finger, Plant, Target, ball


@dataclass(frozen=True)
class Drop:
    """A ball let fall on a floor that is sampled."""

    plant: Plant
    wall: Target
    start: State
    period: float

    def controller(self, law: Law) -> WallController:
        """Of the floor, by a law."""
        return WallController(law, self.plant, self.wall, self.period)

    def samples(self, duration: float) -> int:
        """How many make a duration [s]."""
        return round(duration / self.period)


UNIT_BALL = Drop(ball(1.0, 1.0), Target(1.0), State(1.0, 0.0), 0.2)
"""Section 5.3: unit mass and stiffness (his); gravity 1 m/s², 1 m, 0.2 s (ours)."""
DAMPED_BALL = Drop(ball(1.0, 1.0), Target(1.0, 1e-4), State(1.0, 0.0), 0.2)
"""The same on a floor that takes a little at each bounce, so that a thousand remain to be seen."""
STIFF_BALL = Drop(ball(1.0, 1.0), Target(40.0), State(1.0, 0.0), 0.31)
"""A contact of half a second sampled at 0.31 s: one or two samples inside."""

WALL_STIFFNESS, DEVICE_MASS = 5000.0, 0.30  # table 6.3.2 [N/m], [kg]
WORST = WorstCase(1.0, 1.0, 100.0, 0.1)
"""Section 6.4.4: unit mass, K₁ much lower than K₂; the numbers are ours."""

GRIPS = (Finger(),) * 4 + (Finger(0.06, 9.0, 900.0),) * 5 + (Finger(0.01, 2.0, 120.0),) * 4
"""Taps with his finger, then gripping firmly, then loosely (ours)."""
GRIP_CHANGES = (4, 9)
"""The first taps of the new grips."""

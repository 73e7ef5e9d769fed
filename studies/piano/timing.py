"""Travel time, key-bottom time and free flight against three real grands.

Source of the spans: W. Goebl, R. Bresin and A. Galembo, Touch and temporal behavior of grand piano
actions, J. Acoust. Soc. Am. 118 (2005) 1154: power fits to more than 2300 tones on a Steinway C, a
Yamaha Disklavier and a Bösendorfer SE290, as times in ms of the hammer speed in m/s.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import PressedTouch, StruckTouch
from touchback.instruments.piano.piano_action import Touch, grand_piano_action
from touchback.instruments.piano.stroke_analysis import MeasuredStroke, stroke_at

SPEEDS = (0.5, 1.0, 2.0, 4.0)
TOUCHES: dict[str, Touch] = {"pressed": PressedTouch(), "struck": StruckTouch()}
QUANTITIES = ("travel", "key bottom", "free flight")
# For each piano (factor, exponent, shift): factor · speed^exponent + shift [ms].
FITS = {
    ("pressed", "travel"): ((98.57, -0.7147, 0), (89.41, -0.5959, 0), (89.96, -0.5595, 0)),
    ("struck", "travel"): ((65.19, -0.7268, 0), (57.43, -0.7748, 0), (58.39, -0.7377, 0)),
    ("pressed", "key bottom"): (
        (19.09, -0.3936, -12.30), (14.63, -0.4158, -11.05), (11.59, -0.4497, -9.98),
    ),
    ("struck", "key bottom"): (
        (59.57, -0.1131, -51.19), (10.15, -0.6825, -3.74), (13.96, -0.3559, -10.15),
    ),
    ("pressed", "free flight"): ((1.63, -1.403, 0), (2.78, -1.266, 0), (3.21, -1.353, 0)),
    ("struck", "free flight"): ((3.04, -1.581, 0), (5.27, -1.384, 0), (4.32, -1.404, 0)),
}  # fmt: skip
PIANOS = ("Steinway C", "Yamaha Disklavier", "Bösendorfer SE290")


@dataclass(frozen=True)
class Row:
    """One figure [ms] beside the span of the three pianos."""

    touch: str
    quantity: str
    speed: float
    ours: float
    lowest: float
    highest: float

    @property
    def inside(self) -> bool:
        """Whether it lies within the span, to the tenth of a millisecond that spans have."""
        return self.lowest - 0.05 <= self.ours <= self.highest + 0.05


def fitted(touch: str, quantity: str, speed: float | np.ndarray) -> np.ndarray:
    """The fits of the three pianos at hammer speeds [ms], a row each."""
    fits = FITS[touch, quantity]
    return np.array([factor * speed**power + shift for factor, power, shift in fits])


def measured(stroke: MeasuredStroke) -> dict[str, float]:
    """The three quantities of a stroke [ms]."""
    times = (stroke.strike, stroke.bottom, stroke.free)
    return {name: 1e3 * value for name, value in zip(QUANTITIES, times, strict=True)}


def timing(
    speeds: tuple[float, ...] = SPEEDS,
    specification: Specification | None = None,
    touches: Mapping[str, Touch] = TOUCHES,
) -> list[Row]:
    """Every figure at some hammer speeds, for both touches."""
    rows = []
    for name, touch in touches.items():
        system = grand_piano_action("motion", touch, specification).compile()
        for speed in speeds:
            ours = measured(stroke_at(system, speed))
            for quantity in QUANTITIES:
                span = fitted(name, quantity, speed)
                rows.append(
                    Row(name, quantity, speed, ours[quantity], float(span.min()), float(span.max()))
                )
    return rows

"""Instants at which steps with error control end (knots.h)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import Record
from touchback.native.shared_library import Floats, as_floats

_ENDS_AT_A_TIME = 65_536  # of steps, between two looks of Python


class Knots:
    """Rising times, and of each the last time that a step which ends there may read: the rate
    jumps, or has a kink, in between. Nothing before `earliest` is read. Problems of one run may
    share them."""

    def __init__(self, at: ArrayLike, before: ArrayLike, earliest: float = -math.inf) -> None:
        self._record = record = Record(
            "tb_knots", latest=math.inf, earliest=earliest, room=_ENDS_AT_A_TIME
        )
        self.at = record.point("at", as_floats(at))
        self.before = record.point("before", as_floats(before))
        record.struct.count = len(self.at)
        self._ends = record.floats("ends", _ENDS_AT_A_TIME)
        self.address, self.earliest = record.address, earliest

    def take_ends(self) -> Floats:
        """Where steps ended that were accepted since the last call."""
        ends = self._ends[: self._record.struct.ended].copy()
        self._record.struct.ended = 0
        return ends

    def before_ends(self, ends: Floats) -> Floats:
        """Of ends of steps, the last times that were read: before knots, else the ends."""
        place = np.searchsorted(self.at, ends).clip(max=max(len(self.at) - 1, 0))
        if not len(self.at):
            return ends
        return np.where(self.at[place] == ends, self.before[place], ends)

    def read_up_to(self, t: float) -> None:
        """Lets problems read no later time than this, whatever they are asked."""
        self._record.struct.latest = t

    def segments(self, start: float, end: float) -> list[tuple[float, float]]:
        """From `start` to `end` by way of the knots: to where, and up to which time is read."""
        inside = (self.at > start) & (self.at <= end)
        found = list(zip(self.at[inside].tolist(), self.before[inside].tolist(), strict=True))
        return found if found and found[-1][0] == end else [*found, (end, math.inf)]

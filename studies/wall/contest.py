"""The stiffest passive wall with a real encoder: what was published against ours, at one rate.

Both sides choose their best on presses that they may know, and are judged on presses that neither
has seen. A wall must lead the handle within half a penetration of where a continuous wall has it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from studies.wall.real import COUNTED, RESOLUTION, WINDOWED
from touchback.haptics.wall.battery import Setting, stiffest
from touchback.haptics.wall.laws import (
    Deadbeat,
    Dithered,
    HalfSample,
    Law,
    Observing,
    PassivityControlled,
    Placed,
    Rubbing,
    Standard,
    Waves,
)
from touchback.haptics.wall.passivity import Press, drawn_presses, presses
from touchback.haptics.wall.sensing import Encoder

ASTRAY = 0.5  # penetrations
KNOWN = (*presses(), *drawn_presses(seed=1))
FRESH = tuple(drawn_presses(seed=2))
_HANDS = (100.0, 400.0)  # N/√s


@dataclass(frozen=True)
class Entry:
    """A wall that takes part."""

    name: str
    law: Law
    setting: Setting
    damping: float = 0.0

    def judged(self, rate: float, by: tuple[Press, ...]) -> float:
        """The stiffness [N/m] up to which it passes."""
        setting = replace(self.setting, presses=by)
        return stiffest(self.law, rate, setting, damping=self.damping, astray=ASTRAY)[0]


@dataclass(frozen=True)
class Result:
    """The best of one side at a rate [Hz], on presses it was chosen by and on fresh ones [N/m]."""

    rate: float
    entry: Entry
    known: float
    fresh: float


def published() -> Iterator[Entry]:
    """Walls of others, with velocities from counts as others make them."""
    for told, setting in (("differences", COUNTED), ("window", WINDOWED)):
        yield Entry(f"standard, {told}", Standard(), setting)
        yield Entry(f"damped by 0.5 N s/m, {told}", Standard(), setting, 0.5)
        yield Entry(f"passivity controller, {told}", PassivityControlled(), setting)
        yield Entry(f"half-sample, {told}", HalfSample(), setting)
        yield Entry(f"half-sample damped by 0.5 N s/m, {told}", HalfSample(), setting, 0.5)
        yield Entry(f"z-plane, {told}", Placed(), setting)
        yield Entry(f"deadbeat, {told}", Deadbeat(), setting)
        yield Entry(f"half-sample dithered, {told}", Dithered(HalfSample(), 0.01), setting)
    for impedance in (1.0, 5.0, 25.0):
        yield Entry(f"waves, {impedance:g} N s/m", Waves(impedance), COUNTED)


def ours() -> Iterator[Entry]:
    """Observers of plant and hand, with and without time stamps and the friction of a count."""
    laws: dict[str, Law] = {"half-sample": HalfSample(), "z-plane": Placed()}
    for hand in _HANDS:
        plain = Observing(RESOLUTION, hand_rate=hand)
        observed = Setting(encoder=Encoder(RESOLUTION), sense=plain)
        stamped = replace(observed, sense=replace(plain, slack=0.25), stamps=True)
        for told, setting in (("observer", observed), ("stamps", stamped)):
            for name, law in laws.items():
                for share in (0.0, 0.1):
                    used = Rubbing(law, RESOLUTION, share) if share else law
                    rubs = f", friction of {share:g} counts" if share else ""
                    yield Entry(f"{name}, {told}, hand of {hand:g} N/√s{rubs}", used, setting)


def best(rate: float, entries: Iterator[Entry]) -> Result:
    """The one of the entries that goes farthest on the presses that are known, judged."""
    judged = [(each.judged(rate, KNOWN), each) for each in entries]
    known, entry = max(judged, key=lambda pair: pair[0])
    return Result(rate, entry, known, entry.judged(rate, FRESH))

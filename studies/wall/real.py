"""Walls on a real device: tables over rates, controllers, sensors and faults of motor and hand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from touchback.haptics.wall.battery import Setting, stiffest
from touchback.haptics.wall.laws import (
    Deadbeat,
    Differences,
    Dithered,
    HalfSample,
    Law,
    Observing,
    PassivityControlled,
    Placed,
    Standard,
    Waves,
    Window,
)
from touchback.haptics.wall.motor import Motor
from touchback.haptics.wall.plant import Finger
from touchback.haptics.wall.published import abbott_okamura, colgate, diolaiti
from touchback.haptics.wall.sensing import Encoder

RESOLUTION = 4.15e-6  # [m], of the Touchback keyboard's encoder at the key's end
FRICTION = 4.6e-3  # [N], of its rotor there
LATE = 0.5  # samples, where forces come late

#: The controllers of the tables.
LAWS: dict[str, Law] = {
    "standard": Standard(),
    "half-sample": HalfSample(),
    "z-plane": Placed(),
    "deadbeat": Deadbeat(),
    "deadbeat throughout": Deadbeat(throughout=True),
}
COUNTED = Setting(encoder=Encoder(RESOLUTION), sense=Differences())
OBSERVED = Setting(encoder=Encoder(RESOLUTION), sense=Observing(RESOLUTION))
#: What they are told.
SENSORS: dict[str, Setting] = {
    "exact": Setting(),
    "differences": COUNTED,
    "window": Setting(encoder=Encoder(RESOLUTION), sense=Window(RESOLUTION)),
    "observer": OBSERVED,
}
#: What else goes wrong on a device, each beside an encoder with the observer.
FAULTS: dict[str, Setting] = {
    "none": OBSERVED,
    "half a sample late": replace(OBSERVED, delay=LATE),
    "motor of 3 N": replace(OBSERVED, motor=Motor(limit=3.0)),
    "motor 10 % strong": replace(OBSERVED, motor=Motor(gain=1.1)),
    "finger misjudged": replace(OBSERVED, believed=Finger(0.01, 2.0, 120.0)),
    "noise of a count": replace(
        OBSERVED,
        encoder=Encoder(RESOLUTION, noise=RESOLUTION),
        sense=Observing(RESOLUTION, noise=RESOLUTION),
    ),
}
#: Further designs, by others and together with ours.
DESIGNS: dict[str, Law] = {
    "standard": Standard(),
    "passivity controller": PassivityControlled(),
    "energy bounded": PassivityControlled(bounded=True),
    "waves, 5 N s/m": Waves(5.0),
    "half-sample": HalfSample(),
    "half-sample, dithered by 10 mN": Dithered(HalfSample(), 0.01),
    "half-sample, passivity controller": PassivityControlled(HalfSample()),
    "half-sample, energy bounded": PassivityControlled(HalfSample(), bounded=True),
}


@dataclass(frozen=True)
class Cell:
    """One wall: how stiff it may be [N/m] and where it then leads the handle."""

    rate: float
    row: str
    column: str
    stiffness: float
    deviation: float

    def __str__(self) -> str:
        shown = "all" if self.stiffness == float("inf") else f"{self.stiffness:.0f}"
        return f"{shown} ({self.deviation:.2f})"


def measured(
    laws: dict[str, Law], settings: dict[str, Setting], rates: Iterable[float]
) -> Iterator[Cell]:
    """Every law with every setting at every rate."""
    for rate in rates:
        for row, law in laws.items():
            for column, setting in settings.items():
                yield Cell(rate, row, column, *stiffest(law, rate, setting))


def opinions(rate: float) -> dict[str, float]:
    """Published bounds for the bench's device at a rate [N/m], with the friction of the key."""
    b, T = Setting().device.damping, 1.0 / rate
    return {
        "Colgate & Schenkel 1994, 2b/T": colgate(b, T),
        "Abbott & Okamura 2005, no dry friction": abbott_okamura(b, T, 0.0, RESOLUTION),
        "Abbott & Okamura 2005, 4.6 mN": abbott_okamura(b, T, FRICTION, RESOLUTION),
        "Diolaiti et al. 2006, 4.6 mN, half a sample late": diolaiti(
            b, T, FRICTION, RESOLUTION, LATE * T
        ),
    }

"""Walls on a real device: tables over rates, controllers, sensors and faults of motor and hand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from touchback.haptics.wall.encoder_sensing import Encoder
from touchback.haptics.wall.laws import (
    Adaptive,
    CountIntervalEstimator,
    Deadbeat,
    Differences,
    Dithered,
    DryFrictionLaw,
    EnergyBalanced,
    HalfSample,
    KalmanEstimator,
    Law,
    PassivityControlled,
    PolePlacement,
    Standard,
    WaveVariables,
    Window,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE
from touchback.haptics.wall.stability_limits import abbott_okamura, colgate, diolaiti
from touchback.haptics.wall.wall_plant import Finger, Motor
from touchback.haptics.wall.wall_sweep import PressSetup, find_stiffest_wall

RESOLUTION = 4.15e-6  # [m], of the Touchback keyboard's encoder at the key's end
FRICTION = 4.6e-3  # [N], of its rotor there
LATE = 0.5  # samples, where forces come late

#: The controllers of the tables.
LAWS: dict[str, Law] = {
    "standard": Standard(),
    "half-sample": HalfSample(),
    "z-plane": PolePlacement(),
    "deadbeat": Deadbeat(),
    "deadbeat throughout": Deadbeat(throughout=True),
    "adaptive": Adaptive(Deadbeat(), BENCH_DEVICE),
    "balanced": EnergyBalanced(HalfSample(), RESOLUTION),
}
COUNTED = PressSetup(encoder=Encoder(RESOLUTION), sense=Differences())
OBSERVED = PressSetup(encoder=Encoder(RESOLUTION), sense=KalmanEstimator(RESOLUTION))
STAMPED = PressSetup(
    encoder=Encoder(RESOLUTION), sense=KalmanEstimator(RESOLUTION, hand_rate=100.0, slack=0.25),
    stamps=True,
)  # fmt: skip
WINDOWED = PressSetup(encoder=Encoder(RESOLUTION), sense=Window(RESOLUTION))
BALANCED = LAWS["balanced"]
UNSTAMPED = PressSetup(encoder=Encoder(RESOLUTION), sense=CountIntervalEstimator(RESOLUTION))
CELLS = replace(UNSTAMPED, stamps=True)
#: What they are told.
SENSORS: dict[str, PressSetup] = {
    "exact": PressSetup(),
    "differences": COUNTED,
    "window": WINDOWED,
    "observer": OBSERVED,
    "observer, stamps": STAMPED,
    "counting": UNSTAMPED,
    "counting, stamps": CELLS,
}
#: What else goes wrong on a device, each beside an encoder with the observer.
FAULTS: dict[str, PressSetup] = {
    "none": OBSERVED,
    "counts of 16.6 µm": replace(
        OBSERVED, encoder=Encoder(4.0 * RESOLUTION), sense=KalmanEstimator(4.0 * RESOLUTION)
    ),
    "half a sample late": replace(OBSERVED, delay=LATE),
    "motor of 3 N": replace(OBSERVED, motor=Motor(limit=3.0)),
    "motor 10 % strong": replace(OBSERVED, motor=Motor(gain=1.1)),
    "motor 10 % weak": replace(OBSERVED, motor=Motor(gain=0.9)),
    "finger misjudged": replace(OBSERVED, assumed_finger=Finger(0.01, 2.0, 120.0)),
    "noise of a count": replace(
        OBSERVED,
        encoder=Encoder(RESOLUTION, noise=RESOLUTION),
        sense=KalmanEstimator(RESOLUTION, noise=RESOLUTION),
    ),
}
#: Cures for counts, beside half-sample prediction unless they have a law of their own.
CURES: dict[str, tuple[Law, PressSetup]] = {
    "none: differences": (HalfSample(), COUNTED),
    "adaptive window (Janabi-Sharifi et al. 2000)": (HalfSample(), WINDOWED),
    "dither of 10 mN": (Dithered(HalfSample(), 0.01), COUNTED),
    "passivity controller (Hannaford & Ryu 2002)": (PassivityControlled(HalfSample()), COUNTED),
    "the same on the standard wall": (PassivityControlled(), COUNTED),
    "waves of 5 N s/m (Niemeyer & Slotine 1991)": (WaveVariables(5.0), COUNTED),
    "observer of plant and hand": (HalfSample(), OBSERVED),
    "observer, time stamps": (HalfSample(), STAMPED),
    "observer, energy bounded": (PassivityControlled(HalfSample(), bounded=True), OBSERVED),
    "observer, stamps, friction": (DryFrictionLaw(HalfSample(), RESOLUTION), STAMPED),
    "counting, books balanced": (BALANCED, CELLS),
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


def counting(fault: PressSetup) -> PressSetup:
    """The same fault, with counts taken for intervals, and stamped where that can be."""
    size, noise = fault.encoder.resolution, fault.encoder.noise
    return replace(
        fault, sense=CountIntervalEstimator(size, noise), stamps=not (noise or fault.delay)
    )


def measured(laws: dict[str, Law], settings: dict[str, PressSetup], rate: float) -> Iterator[Cell]:
    """Every law with every setting at a rate [Hz]."""
    for row, law in laws.items():
        for column, setting in settings.items():
            yield Cell(rate, row, column, *find_stiffest_wall(law, rate, setting))


def cured(rates: Iterable[float]) -> Iterator[Cell]:
    """Every cure at every rate [Hz]."""
    for rate in rates:
        for row, (law, setting) in CURES.items():
            yield Cell(rate, row, f"{rate:g} Hz", *find_stiffest_wall(law, rate, setting))


def opinions(rate: float) -> dict[str, float]:
    """Published bounds for the bench's device at a rate [N/m], with the friction of the key."""
    b, T = PressSetup().device.damping, 1.0 / rate
    return {
        "Colgate & Schenkel 1994, 2b/T": colgate(b, T),
        "Abbott & Okamura 2005, no dry friction": abbott_okamura(b, T, 0.0, RESOLUTION),
        "Abbott & Okamura 2005, 4.6 mN": abbott_okamura(b, T, FRICTION, RESOLUTION),
        "Diolaiti et al. 2006, 4.6 mN, half a sample late": diolaiti(
            b, T, FRICTION, RESOLUTION, LATE * T
        ),
    }

"""What the wall pushes: a device with or without a finger on it, or the bouncing ball."""

from dataclasses import dataclass

from touchback.haptics.wall.oscillator import Oscillator
from touchback.numbers import number_within

# What hands, devices and walls can be: beyond, squares and quotients of them overflow.
LIGHTEST, HEAVIEST = 1e-12, 1e12  # kg
MOST_DAMPING, STIFFEST = 1e12, 1e12  # N s/m, N/m
# Where a wall this soft would let a hand rest is told to rounding; of a softer one it isn't.
SOFTEST = 1e-3  # N/m: 10 µN at 10 mm


def check_numbers(owner: str, **given: tuple[object, float]) -> None:
    """Refuse numbers that aren't from 0 to the most of each, by name."""
    for name, (number, most) in given.items():
        number_within(f"{owner}: its {name} is 0 to {most:g}", number, 0.0, most)


@dataclass(frozen=True)
class Finger:
    """A finger or arm that keeps its grip: m* s² + b* s + k* (Gillespie 1996, eq. 6.8).

    The defaults are his table for Fig. 6.7 (after Hajian & Howe): kg, N s/m, N/m.
    """

    mass: float = 0.02
    damping: float = 3.75
    stiffness: float = 257.0

    def __post_init__(self) -> None:
        check_numbers(
            "Finger", mass=(self.mass, HEAVIEST), damping=(self.damping, MOST_DAMPING),
            stiffness=(self.stiffness, STIFFEST),
        )  # fmt: skip


@dataclass(frozen=True)
class Device:
    """The moving part of the display: mass [kg] and inherent damping [N s/m] (eq. 6.1).

    Eq. 6.1 is printed as 1/(s²(ms+b)); the plant from force to position is 1/(s(ms+b)). The mass is
    Gillespie's (table for Fig. 6.7); the damping is the quantity that he sizes.
    """

    mass: float = 0.30
    damping: float = 0.0

    def __post_init__(self) -> None:
        sentence = f"Device: its mass is {LIGHTEST:g} to {HEAVIEST:g} kg"
        number_within(sentence, self.mass, LIGHTEST, HEAVIEST)
        least, most = -MOST_DAMPING, MOST_DAMPING  # what a finger damps may be fed back
        number_within(f"Device: its damping is {least:g} to {most:g}", self.damping, least, most)


@dataclass(frozen=True)
class Plant:
    """A device and a finger rigidly coupled (eq. 6.9), under a constant bias force [N].

    The finger's spring rests at `anchor` [m]; the wall fills y < 0.
    """

    device: Device
    finger: Finger | None = None
    bias: float = 0.0
    anchor: float = 0.0

    @property
    def motion(self) -> Oscillator:
        """The plant without the wall."""
        if self.finger is None:
            return Oscillator(self.device.mass, self.device.damping)
        return Oscillator(
            self.device.mass + self.finger.mass,
            self.device.damping + self.finger.damping,
            self.finger.stiffness,
        )

    @property
    def force(self) -> float:
        """The constant force on the plant: the bias, and the finger's spring at y = 0 [N]."""
        pull = self.finger.stiffness * self.anchor if self.finger else 0.0
        return self.bias + pull


@dataclass(frozen=True)
class Target:
    """The wall that a controller is to render: stiffness [N/m] and damping [N s/m]."""

    stiffness: float
    damping: float = 0.0

    def touching(self, motion: Oscillator) -> Oscillator:
        """The plant in contact with the continuous wall (eq. 5.8)."""
        return Oscillator(
            motion.mass, motion.damping + self.damping, motion.stiffness + self.stiffness
        )


def ball(mass: float = 1.0, gravity: float = 1.0) -> Plant:
    """The bouncing ball of Gillespie's section 5.3: gravity stands for the hand's bias force."""
    return Plant(Device(mass), bias=-mass * gravity)

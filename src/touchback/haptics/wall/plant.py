"""What the wall pushes: a device with or without a finger on it, or the bouncing ball."""

from dataclasses import dataclass

from touchback.haptics.wall.oscillator import Oscillator


@dataclass(frozen=True)
class Finger:
    """A finger or arm that keeps its grip: m* s² + b* s + k* (Gillespie 1996, eq. 6.8).

    The defaults are his table for Fig. 6.7 (after Hajian & Howe): kg, N s/m, N/m.
    """

    mass: float = 0.02
    damping: float = 3.75
    stiffness: float = 257.0


@dataclass(frozen=True)
class Device:
    """The moving part of the display: mass [kg] and inherent damping [N s/m] (eq. 6.1).

    Eq. 6.1 is printed as 1/(s²(ms+b)); the plant from force to position is 1/(s(ms+b)). The mass is
    Gillespie's (table for Fig. 6.7); the damping is the quantity that he sizes.
    """

    mass: float = 0.30
    damping: float = 0.0


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

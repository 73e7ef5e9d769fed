"""A string that vibrates freely, as amplitudes of its modes."""

from dataclasses import dataclass

import numpy as np

from touchback.devices.sound.strings import String

DAMPER = 25.0  # [1/s] added to every mode's decay when a damper lies on the string with all
# its weight; with a share of it, that share (chosen)


@dataclass(frozen=True)
class StringMotion:
    """Displacements q_k [m] and velocities [m/s] of a string's modes at one instant."""

    string: String
    position: np.ndarray
    velocity: np.ndarray

    @property
    def energy(self) -> float:
        """Kinetic and elastic energy [J] of all modes; each has half the string's mass."""
        mass = self.string.density * self.string.length / 2.0
        squares = self.velocity**2 + (self.string.pulsation * self.position) ** 2
        return float(mass / 2.0 * np.sum(squares))

    def scaled(self, share: float) -> "StringMotion":
        """A share of this motion."""
        return StringMotion(self.string, share * self.position, share * self.velocity)

    def after(self, time: float, extra_decay: float = 0.0) -> "StringMotion":
        """The same string `time` seconds later, by the closed form of a damped mode."""
        sigma = self.string.decay + extra_decay
        omega = np.sqrt(self.string.pulsation**2 - sigma**2)
        c, s = np.cos(omega * time), np.sin(omega * time)
        fade = np.exp(-sigma * time)
        drift = (self.velocity + sigma * self.position) / omega
        position = fade * (self.position * c + drift * s)
        velocity = fade * (omega * (drift * c - self.position * s)) - sigma * position
        return StringMotion(self.string, position, velocity)

    def bridge_amplitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """What the modes bring to the bridge [N] from now on: w (q cos ωt + (q̇ + σ q)/ω sin ωt),
        fading with σ; cosine and sine amplitudes."""
        string = self.string
        omega = np.sqrt(string.pulsation**2 - string.decay**2)
        weight = string.bridge_weight
        drift = (self.velocity + string.decay * self.position) / omega
        return weight * self.position, weight * drift

    def bridge_force(self, rate: int, samples: int, extra_decay: float = 0.0) -> np.ndarray:
        """Force on the bridge [N] at `rate` per second."""
        from scipy.signal import lfilter  # only where sound is made: SciPy takes long to import

        string = self.string
        weight = string.bridge_weight
        sigma = string.decay + extra_decay
        omega = np.sqrt(string.pulsation**2 - sigma**2)
        next_sample = self.after(1.0 / rate, extra_decay).position
        radius, turn = np.exp(-sigma / rate), np.cos(omega / rate)
        total, impulse = np.zeros(samples), np.zeros(samples)
        impulse[:1] = 1.0
        for k in range(len(string.modes)):  # two samples start each mode's recursion exactly
            poles = [1.0, -2.0 * radius[k] * turn[k], radius[k] ** 2]
            start = [self.position[k], next_sample[k] + poles[1] * self.position[k]]
            total += weight[k] * lfilter(start, poles, impulse)
        return total

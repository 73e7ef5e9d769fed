"""The worst crossing every time: the wall comes on a full period late and goes off at once.

Gillespie 1996, section 6.4.4. Without bias the map is linear in the speed and has a closed form;
with bias (Fig. 6.15) it is evaluated with the exact motion.
"""

import math
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State, root

_PRECISE = {"xtol": 1e-14, "rtol": 1e-12}  # N s/m and its share


@dataclass(frozen=True)
class WorstCase:
    """A mass [kg] on a soft spring outside and a stiff one inside [N/m], switched a period late."""

    mass: float
    soft: float
    stiff: float
    period: float

    def __post_init__(self) -> None:
        if not 0.0 < self.soft < self.stiff:
            raise InputError(
                f"The wall ({self.stiff} N/m) must be stiffer than what returns the ball "
                f"({self.soft} N/m), and that more than zero."
            )
        if not 0.0 < self.period < math.pi * math.sqrt(self.mass / self.soft):
            raise InputError(
                f"A period of {self.period} s is longer than the free swing; shorten it."
            )

    def durations(self, damping: float) -> tuple[float, float]:
        """(t₁, t₂): time in model I and in model II [s], damping in N s/m.

        t₁ = π/ω₁ + T (6.54). t₂ = (π − atan((ω₂/ω₁) tan ω₁T))/ω₂: eq. 6.46 has ω₂/ω₁ where 6.54
        has ω₁/ω₂, both lose a sign, and the branch of the arc tangent must be the later one.
        """
        first, second = self._frequencies(damping)
        lead = first * self.period
        inside = math.atan2(-second / first * math.sin(lead), math.cos(lead)) + math.pi
        return math.pi / first + self.period, inside / second

    def ratio(self, damping: float) -> float:
        """v(j+1)/v(j), the last entry of the Jacobian (6.53, 6.56, with ω₂/ω₁)."""
        first, second = self._frequencies(damping)
        t1, t2 = self.durations(damping)
        swing = math.cos(first * t1) * math.cos(second * t2)
        swing -= second / first * math.sin(first * t1) * math.sin(second * t2)
        return math.exp(-0.5 * damping / self.mass * (t1 + t2)) * swing

    def balancing_damping(self) -> float:
        """The damping at which the gain of each strike is dissipated (6.57, Fig. 6.14) [N s/m]."""
        return root(
            lambda damping: self.ratio(damping) - 1.0, 0.0, self._largest_damping(), **_PRECISE
        )

    def strike(self, speed: float, damping: float, force: float) -> float:
        """The exit speed after one strike under a bias force [N], by the exact motion [m/s]."""
        free = Oscillator(self.mass, damping, self.soft)
        touching = Oscillator(self.mass, damping, self.stiff)
        out = free.time_to_cross(State(0.0, speed), force) + self.period
        if math.isinf(out):
            return 0.0
        state = free.after(State(0.0, speed), out, force)
        inside = touching.time_to_cross(state, force)
        if math.isinf(inside):
            return 0.0
        return touching.after(state, inside, force).v

    def biased_damping(self, speed: float, force: float) -> float:
        """The damping that returns this exit speed under a bias force (Fig. 6.15) [N s/m]."""

        def excess(damping: float) -> float:
            return self.strike(speed, damping, force) / speed - 1.0

        if force > 0.0:
            raise InputError(f"The bias is {force} N: it must press towards the wall, so be ≤ 0.")
        upper = self._largest_damping()
        while excess(upper) > 0.0:  # a bias brings even a slow ball back
            upper *= 2.0
        return root(excess, 0.0, upper, **_PRECISE)

    def _frequencies(self, damping: float) -> tuple[float, float]:
        decay = 0.5 * damping / self.mass
        return (
            math.sqrt(self.soft / self.mass - decay**2),
            math.sqrt(self.stiff / self.mass - decay**2),
        )

    def _largest_damping(self) -> float:
        """Just below critical damping outside: beyond it the ball wouldn't return."""
        return 2.0 * math.sqrt(self.soft * self.mass) * (1.0 - 1e-9)


def worst_history(
    case: WorstCase, speed: float, damping: float, strikes: int, points: int
) -> dict[str, np.ndarray]:
    """Motion and energies through so many strikes without bias (Fig. 6.12, 6.13)."""
    models = (
        Oscillator(case.mass, damping, case.soft),
        Oscillator(case.mass, damping, case.stiff),
    )
    lasts = case.durations(damping)
    rows: list[tuple[float, ...]] = []
    time, state, dissipated = 0.0, State(0.0, speed), 0.0
    for number in range(2 * strikes):
        model, duration = models[number % 2], lasts[number % 2]
        began = model.energy(state, 0.0)
        for passed in np.linspace(0.0, duration, points):
            now = model.after(state, float(passed), 0.0)
            held, kinetic = model.energy(now, 0.0), 0.5 * case.mass * now.v**2
            row = (now.y, now.v, kinetic, held - kinetic, dissipated + began - held)
            rows.append((time + float(passed), *row))
        state, dissipated, time = now, dissipated + began - held, time + duration
    names = ("time", "y", "v", "kinetic", "potential", "dissipated")
    return dict(zip(names, np.array(rows).T))

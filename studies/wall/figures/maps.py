"""The figures of section 6.4: crossings between samples alone, by return maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.wall.figures.sheet import Sheet, panel
from studies.wall.full_map import LateWall, largest_exit_speed, late_history
from studies.wall.setups import WORST
from studies.wall.worst_case import WorstCase, worst_history
from touchback.figure_style import ACCENT, GREEN, INK, PALE
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DAMPED = LateWall(Oscillator(1.0, 0.05), Oscillator(1.0, 0.05, 30.0), -1.0, 0.15)
_PERIODS = np.linspace(0.005, 0.15, 30)


def draw_largest_speed(figure: Figure) -> None:
    """Fig. 6.9: the largest of 40 exit speeds for periods 0.01 to 0.3 s by 0.0001 s."""
    axis = panel(figure, "sampling period T [s]", "largest of 40 exit speeds [m/s]")
    periods = np.arange(100, 3001) * 1e-4
    free, touching = Oscillator(1.0), Oscillator(1.0, 0.0, 1.0)
    speeds = [
        largest_exit_speed(LateWall(free, touching, -1.0, float(period)), 1.0) for period in periods
    ]
    axis.plot(periods, speeds, ".", color=INK, ms=1.5)
    axis.axhline(1.0, color=ACCENT, lw=1.0, label="first exit")
    axis.legend(fontsize=8)


def _draw_history(figure: Figure, history: dict[str, np.ndarray]) -> None:
    top = panel(figure, "", "energy [J]", (2, 1, 1))
    for name, colour in (("kinetic", INK), ("potential", ACCENT), ("dissipated", GREEN)):
        top.plot(history["time"], history[name], color=colour, lw=1.0, label=name)
    total = history["kinetic"] + history["potential"] + history["dissipated"]
    top.plot(history["time"], total, color=PALE, lw=1.4, label="sum")
    top.legend(fontsize=7, loc="upper right")
    bottom = panel(figure, "time [s]", "y [m], v [m/s]", (2, 1, 2))
    bottom.plot(history["time"], history["y"], color=INK, lw=1.2, label="y")
    bottom.plot(history["time"], history["v"], color=PALE, lw=1.0, label="v")
    bottom.legend(fontsize=7, loc="upper right")


def draw_late(figure: Figure) -> None:
    """Fig. 6.10: the potential energy jumps at each late switch."""
    _draw_history(figure, late_history(_DAMPED, State(1.0, 0.0), 14.0, 1500))


def draw_physical(figure: Figure) -> None:
    """Fig. 6.11: switched on the threshold, the sum is constant."""
    _draw_history(figure, late_history(_DAMPED, State(1.0, 0.0), 14.0, 1500, late=False))


def draw_worst(figure: Figure) -> None:
    """Fig. 6.12: every strike gains what the balancing damping takes until the next."""
    _draw_history(figure, worst_history(WORST, 1.0, WORST.balancing_damping(), 4, 400))


def draw_phase(figure: Figure) -> None:
    """Fig. 6.13: without damping the late switch throws the state ever further out."""
    axis = panel(figure, "y [m]", "v [m/s]")
    for damping, colour, name in (
        (0.0, ACCENT, "no damping"),
        (WORST.balancing_damping(), INK, "balancing damping"),
    ):
        history = worst_history(WORST, 1.0, damping, 3, 600)
        axis.plot(history["y"], history["v"], color=colour, lw=1.0, label=name)
    axis.axvline(0.0, color=PALE, lw=0.8)
    axis.legend(fontsize=8)


def _at(period: float) -> WorstCase:
    return WorstCase(WORST.mass, WORST.soft, WORST.stiff, period)


def draw_balancing(figure: Figure) -> None:
    """Fig. 6.14: balancing damping over the period, no bias."""
    axis = panel(figure, "sampling period T [s]", "balancing damping [N s/m]")
    damping = [_at(float(period)).balancing_damping() for period in _PERIODS]
    axis.plot(_PERIODS, damping, color=INK)


def draw_biased(figure: Figure) -> None:
    """Fig. 6.15: balancing damping over period and bias, the curve of Fig. 6.14 in front."""
    axis = figure.add_subplot(projection="3d")
    periods = _PERIODS[::2]
    for bias in np.linspace(0.0, 1.0, 9):
        damping = [_at(float(T)).biased_damping(1.0, -float(bias)) for T in periods]
        colour, width = (PALE, 1.0) if bias else (ACCENT, 2.0)
        axis.plot(periods, np.full_like(periods, bias), damping, color=colour, lw=width,
                  label=f"bias {bias:g}")  # fmt: skip
    axis.set_xlabel("T [s]", fontsize=8)
    axis.set_ylabel("bias g [N/kg]", fontsize=8)
    axis.set_zlabel("b [N s/m]", fontsize=8)
    axis.tick_params(labelsize=7)


_UNIT = "m = 1 kg, K = 1 N/m, g = 1 m/s², first exit at 1 m/s"
_LATE = "m = 1 kg, K = 30 N/m, b = 0.05 N s/m, g = 1 m/s², T = 0.15 s, drop 1 m"
_SWITCHED = "m = 1 kg, K₁ = 1, K₂ = 100 N/m"
SHEETS = (
    Sheet("6.9", "largest exit speed of 40 strikes over the period", _UNIT, draw_largest_speed),
    Sheet("6.10", "energies with late switching", _LATE, draw_late),
    Sheet("6.11", "energies with switching on the threshold", _LATE, draw_physical),
    Sheet("6.12", "energies in the worst case, balanced", _SWITCHED + ", T = 0.1 s", draw_worst),
    Sheet("6.13", "the worst case in the phase plane", _SWITCHED + ", T = 0.1 s", draw_phase),
    Sheet("6.14", "damping that balances the worst case", _SWITCHED, draw_balancing),
    Sheet("6.15", "the same with a bias force", _SWITCHED + ", exit at 1 m/s", draw_biased),
)

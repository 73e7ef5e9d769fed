"""The figures of section 6.3: stabilising damping, and the chart of α over τ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.wall.figures.sheet import Sheet, panel
from studies.wall.setups import DEVICE_MASS, WALL_STIFFNESS
from touchback.figure_style import ACCENT, GREEN, INK, PALE
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.sampled_simulation import simulate
from touchback.haptics.wall.stability_limits import (
    PASSIVE_ALPHA,
    SampledSpring,
    alpha_edges,
    colgate_damping,
    printed_damping,
    stabilising_damping,
)
from touchback.haptics.wall.wall_plant import Device, Finger, Plant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKED_PERIOD = 0.02  # the circled point of Fig. 6.2 and 6.3, lost with them [s]
_PERIODS = np.concatenate([[2e-4], np.linspace(1e-3, 0.05, 50)])


def _damping(finger: Finger | None) -> np.ndarray:
    return np.array(
        [stabilising_damping(WALL_STIFFNESS, DEVICE_MASS, float(T), finger) for T in _PERIODS]
    )


def draw_uncoupled(figure: Figure) -> None:
    """Fig. 6.2, with the curve of eq. 6.5 alone and Colgate's bound beside it."""
    axis = panel(figure, "sampling period T [ms]", "stabilising damping b [N s/m]")
    axis.plot(1e3 * _PERIODS, _damping(None), color=INK, label="all Jury conditions")
    alone = [printed_damping(WALL_STIFFNESS, DEVICE_MASS, float(T)) for T in _PERIODS]
    axis.plot(1e3 * _PERIODS, alone, "--", color=PALE, label="eq. 6.5 alone")
    passive = [colgate_damping(WALL_STIFFNESS, 0.0, float(T)) for T in _PERIODS]
    axis.plot(1e3 * _PERIODS, passive, ":", color=GREEN, label="passive: KT/2 (Colgate)")
    marked = stabilising_damping(WALL_STIFFNESS, DEVICE_MASS, MARKED_PERIOD)
    axis.plot(1e3 * MARKED_PERIOD, marked, "o", mfc="none", color=ACCENT, ms=9)
    axis.legend(fontsize=8)


def draw_alpha(figure: Figure) -> None:
    """Fig. 6.3: below the lines the loop is stable; below α = 2 it is passive."""
    axis = panel(figure, "τ = bT/m", "α = KT/b")
    taus = np.linspace(0.02, 12.0, 400)
    edges = np.array([alpha_edges(float(tau)) for tau in taus])
    axis.plot(taus, edges[:, 0], color=PALE, lw=1.0, label="|last coefficient| = 1 (eq. 6.5)")
    axis.plot(taus, edges[:, 1], "--", color=PALE, lw=1.0, label="root at z = −1")
    axis.plot(taus, edges.min(axis=1), color=INK, lw=1.8, label="edge of stability")
    axis.axhline(PASSIVE_ALPHA, color=GREEN, ls=":", label="passive below (Colgate)")
    b = stabilising_damping(WALL_STIFFNESS, DEVICE_MASS, MARKED_PERIOD)
    place = b * MARKED_PERIOD / DEVICE_MASS, WALL_STIFFNESS * MARKED_PERIOD / b
    axis.plot(*place, "o", mfc="none", color=ACCENT, ms=9)
    axis.set_ylim(0.0, 6.0)
    axis.legend(fontsize=8)


def draw_marginal(figure: Figure) -> None:
    """Fig. 6.4: at the edge the loop rings on; one per cent beside it, it grows or fades."""
    axis = panel(figure, "time [s]", "position [mm]")
    edge = stabilising_damping(WALL_STIFFNESS, DEVICE_MASS, MARKED_PERIOD)
    for share, colour in ((0.99, ACCENT), (1.01, GREEN), (1.0, INK)):
        plant = Plant(Device(DEVICE_MASS, share * edge))
        spring = SampledSpring(WALL_STIFFNESS)
        trace = simulate(plant, spring, State(1e-3, 0.0), MARKED_PERIOD, 120)
        times, y, _ = trace.between()
        axis.plot(times, 1e3 * y, color=colour, lw=1.0, label=f"{share:g} b")
    axis.legend(fontsize=8, loc="upper left")


def draw_coupled(figure: Figure) -> None:
    """Fig. 6.7: the finger's damping helps; at short periods the device may even push."""
    axis = panel(figure, "sampling period T [ms]", "stabilising damping b [N s/m]")
    axis.plot(1e3 * _PERIODS, _damping(None), color=INK, label="no finger (Fig. 6.2)")
    axis.plot(1e3 * _PERIODS, _damping(Finger()), color=ACCENT, label="with the finger")
    axis.axhline(0.0, color=PALE, lw=0.8)
    axis.legend(fontsize=8)


_MARKED = "the circled point: T = 20 ms"
SHEETS = (
    Sheet("6.2", "stabilising damping over the sampling period", "table 6.3.1 is lost: the values "
          "of table 6.3.2; " + _MARKED, draw_uncoupled),
    Sheet("6.3", "α over τ: stability and passivity", _MARKED, draw_alpha),
    Sheet("6.4", "marginal stability in the running loop", _MARKED, draw_marginal),
    Sheet("6.7", "stabilising damping with and without the finger", "none but the range of T",
          draw_coupled),
)  # fmt: skip

"""Vibrations of a mechanism, eigenvalues and shapes, about an equilibrium or a steady motion."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.analysis.equilibrium import equilibrium
from touchback.analysis.linearise import Linear, linearise
from touchback.errors import InputError
from touchback.simulate import Where, refuse
from touchback.system import System, Values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STILL = 1e-6  # accelerations below this [rad/s², m/s²] count as none
_ZERO = 1e-7  # of the largest eigenvalue: a root of a double zero is known to no more


@dataclass(frozen=True)
class Vibration:
    """An eigenvalue (of a pair, the one with positive imaginary part) and its shape."""

    eigenvalue: complex
    shape: dict[str, complex]  # by coordinate; the largest entry is 1

    @property
    def frequency(self) -> float:
        """Of the oscillation [Hz]; 0 when it doesn't oscillate."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def natural_frequency(self) -> float:
        """|s| / 2π [Hz]: the frequency without damping."""
        return abs(self.eigenvalue) / (2.0 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio ζ = −Re s / |s|: 1 decays without oscillation, below 0 grows."""
        size = abs(self.eigenvalue)
        return 0.0 - self.eigenvalue.real / size if size else 0.0


class Vibrations(tuple[Vibration, ...]):
    """By rising natural frequency. `print(vibrations)` shows a table."""

    linear: Linear

    @property
    def eigenvalues(self) -> np.ndarray:
        """All eigenvalues, pairs in full."""
        return np.array([
            s for each in self for s in
            ([each.eigenvalue, each.eigenvalue.conjugate()] if each.eigenvalue.imag
             else [each.eigenvalue])
        ])  # fmt: skip

    @property
    def frequencies(self) -> np.ndarray:
        """Of each [Hz]."""
        return np.array([each.frequency for each in self])

    @property
    def stable(self) -> bool:
        """Whether none grows."""
        limit = _ZERO * max((abs(each.eigenvalue) for each in self), default=0.0)
        return all(each.eigenvalue.real <= limit for each in self)

    def __str__(self) -> str:
        lines = [f"{'no.':>4}  {'frequency':>12}  {'damping':>9}  {'eigenvalue':>25}  shape"]
        for i, each in enumerate(self, 1):
            s = each.eigenvalue
            value = f"{s.real:.5g} ± {s.imag:.5g}i" if s.imag else f"{s.real:.5g}"
            lines.append(
                f"{i:>4}  {each.frequency:>9.5g} Hz  {each.damping:>9.4f}  {value:>25}  "
                f"{_shape_text(each.shape)}"
            )
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A bar a coordinate (real part of the shape), one panel a vibration."""
        from touchback.figure_style import finish_figure, pyplot

        figure, axes = pyplot().subplots(
            len(self), 1, sharex=True, squeeze=False, layout="constrained",
            figsize=(8.0, 1.0 + 1.4 * len(self)),
        )  # fmt: skip
        for i, (axis, each) in enumerate(zip(axes[:, 0], self), 1):
            axis.bar(list(each.shape), [entry.real for entry in each.shape.values()])
            axis.axhline(0.0, color="black", linewidth=0.6)
            axis.set_ylim(-1.1, 1.1)
            axis.set_ylabel(f"{i}\n{each.frequency:.4g} Hz", rotation=0, labelpad=32)
        axes[-1, 0].tick_params(axis="x", rotation=30)
        return finish_figure(figure, path)


def vibrations(
    system: System,
    x: Where = None,
    u: Values = None,
    *,
    t: float = 0.0,
    parameters: dict[str, float] | None = None,
) -> Vibrations:
    """Eigenvalues s and shapes of ẏ = A y about the state `x` (default: the equilibrium nearest
    to the initial state); shapes hold every coordinate, dependent ones too.

    The state must be an equilibrium or a steady motion: elsewhere the linear model changes with
    time and its eigenvalues say nothing."""
    refuse("tb.vibrations", system)
    if x is None:
        x = equilibrium(system, u=u, parameters=parameters)
    linear = linearise(system, x, u, t=t, parameters=parameters)
    _refuse_acceleration(system, linear)
    values, vectors = np.linalg.eig(linear.A)
    largest = np.abs(values).max(initial=0.0)
    found = []
    for s, vector in zip(values, vectors.T):
        real, imaginary = (x if abs(x) > _ZERO * largest else 0.0 for x in (s.real, s.imag))
        if imaginary >= 0.0:
            found.append(Vibration(complex(real, imaginary), _shape(linear, vector)))
    made = Vibrations(sorted(found, key=lambda each: (abs(each.eigenvalue), each.eigenvalue.real)))
    made.linear = linear
    return made


def _refuse_acceleration(system: System, linear: Linear) -> None:
    start = linear.shapes.shape[1]
    names = linear.states
    positions = sum(1 for name in names if name in system.coordinates or name.endswith("increment"))
    rates = linear.rates[positions:start]
    if rates.size and np.abs(rates).max() > _STILL:
        worst = positions + int(np.argmax(np.abs(rates)))
        raise InputError(
            f"{system.name}: the state is no equilibrium, the rate of '{names[worst]}' is "
            f"{linear.rates[worst]:.3g}; vibrations need one: pass `tb.equilibrium(system)`."
        )


def _shape(linear: Linear, vector: np.ndarray) -> dict[str, complex]:
    entries = linear.shapes @ vector
    largest = entries[np.argmax(np.abs(entries))] if entries.size else 0.0
    if largest:
        entries = entries / largest
        entries[np.abs(entries) < 1e-12] = 0.0
    return {name: complex(x) for name, x in zip(linear.coordinates, entries)}


def _shape_text(shape: dict[str, complex], most: int = 6) -> str:
    parts = []
    for name, x in list(shape.items())[:most]:
        phase = f"∠{np.degrees(np.angle(x)):.0f}°" if abs(x.imag) > 1e-6 else ""
        parts.append(f"{name} {abs(x) if phase else x.real:.3g}{phase}")
    return ", ".join(parts) + (", …" if len(shape) > most else "")

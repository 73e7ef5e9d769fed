"""Piles of balls in a box by time stepping, beside MuJoCo with the same balls, box and step.

The two solve different problems: ours keeps Signorini's and Coulomb's laws to 1e-13 of the largest
speed in each step, MuJoCo's contacts are soft and its solver stops at 1e-8. The table says how deep
balls end up in each other, which is what that difference means. Both are timed by the processor's
clock, turn by turn, steps alone: no compiling and no recording."""

import time
from typing import Any

import numpy as np

from benchmarks.report import Section, microseconds
from tests.piles import MASS, RADIUS, WALLS, pile, places
from touchback.native.contact.moreau_jean import MoreauJean, Steps
from touchback.native.integrate.problem_struct import Problem
from touchback.system.contact_equations import STEPPED, ContactEquations

PILES = ((3, 3), (5, 4))  # balls along a side of the box, layers
STEP, DURATION, TURNS = 1e-3, 0.3, 5
COUNT = round(DURATION / STEP)


def run() -> Section:
    """27 and 100 balls that fall into a box and settle."""
    section = Section(
        f"Balls fall into a box and settle, {DURATION:g} s in steps of 1 ms: µs a step",
        ["balls", "engine", "step", "×", "deepest [mm]", "borne / weight"],
    )
    for side, layers in PILES:
        engines: dict[str, _Touchback | _MuJoCo] = {
            "Touchback": _Touchback(side, layers), "MuJoCo": _MuJoCo(side, layers),
        }  # fmt: skip
        least = dict.fromkeys(engines, np.inf)
        for _ in range(TURNS):
            for name, engine in engines.items():
                least[name] = min(least[name], engine.turn() / COUNT)
        for name, engine in engines.items():
            found, balls = engine.found(), side * side * layers
            ratio = least[name] / least["MuJoCo"]
            borne = f"{found['borne']:.3f}" if "borne" in found else ""
            section.rows.append(
                [f"{balls}", name, microseconds(least[name]), f"{ratio:.2f}",
                 f"{1e3 * found['deepest']:.2f}", borne]
            )  # fmt: skip
            section.records.append(
                {"engine": name, "balls": balls, "step": least[name], "ratio": ratio, **found}
            )
    section.remark("×: of MuJoCo's time (Newton's method, elliptic cones, its default softness).")
    section.remark("deepest: into each other, at the end; borne: by floor and walls' friction.")
    return section


class _Touchback:
    """Steps from the start, as often as asked."""

    def __init__(self, side: int, layers: int) -> None:
        system, contacts = pile(side, layers, wall_friction=0.0)
        self._balls, self._start = side * side * layers, system.initial_state().x
        self._equations = ContactEquations(system, contacts, None, STEPPED)
        self._functions = self._equations.stepped()
        self._names, self._steps = system.state_names, Steps(*[np.zeros((0, 0))] * 5)

    def turn(self) -> float:
        """Seconds of the processor."""
        equations, functions = self._equations, self._functions
        problem = Problem(
            functions.smooth, functions.sizes, np.zeros(1), equations.block,
            equations.configuration_rate,
        )  # fmt: skip
        self._stepper = MoreauJean(functions, problem, self._start, 0.0, STEP, 0.5)
        began = time.thread_time()
        _, self._steps = self._stepper.advance(COUNT)
        return time.thread_time() - began

    def found(self) -> dict[str, float]:
        """Of the last turn."""
        at = {name: place for place, name in enumerate(self._names)}
        end = self._steps.states[-1]
        centres = [[end[at[f"ball {i}.{x}"]] for x in "xyz"] for i in range(self._balls)]
        normals = dict(zip(self._equations.contacts, self._equations.layout.normals, strict=True))
        rows = [normals[f"floor {i}"] for i in range(self._balls)]
        floor = self._steps.impulses[-20:, rows].sum(axis=1).mean() / STEP
        return {
            "deepest": _deepest(np.array(centres)),
            "borne": float(floor / (self._balls * MASS * 9.81)),
            "sweeps": self._stepper.statistics["sweeps"] / COUNT,
        }


def _deepest(centres: np.ndarray) -> float:
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(len(centres), 1)]
    return float(max(0.0, 2 * RADIUS - apart.min()))


class _MuJoCo:
    """The same."""

    def __init__(self, side: int, layers: int) -> None:
        import mujoco  # a peer: only where benchmarks run

        self._mujoco: Any = mujoco
        self._model: Any = mujoco.MjModel.from_xml_string(_world(side, layers))
        self._data: Any = mujoco.MjData(self._model)

    def turn(self) -> float:
        """Seconds of the processor."""
        self._mujoco.mj_resetData(self._model, self._data)
        began = time.thread_time()
        self._mujoco.mj_step(self._model, self._data, COUNT)
        return time.thread_time() - began

    def found(self) -> dict[str, float]:
        """Of the last turn."""
        return {"deepest": _deepest(self._data.geom_xpos[5:])}


def _world(side: int, layers: int) -> str:
    centres, half = places(side, layers)
    walls = ['<geom type="plane" size="2 2 1"/>']
    for k, (axis, angle) in enumerate(WALLS):
        out = half * np.round([np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)])
        turn = f"{float(axis == 'x')} {float(axis == 'y')} 0 {np.degrees(angle)}"
        walls.append(f'<geom type="plane" size="2 2 1" pos="{out[0]} {out[1]} 0" '
                     f'axisangle="{turn}" friction="0 0 0"/>')  # fmt: skip
    balls = [
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}"/>'
        "</body>"
        for x, y, z in centres
    ]
    return (
        f'<mujoco><option timestep="{STEP}" cone="elliptic"/>'
        '<default><geom friction="0.5 0 0" condim="3"/></default>'
        f"<worldbody>{''.join([*walls, *balls])}</worldbody></mujoco>"
    )

"""A pile of balls in a box by time stepping, beside MuJoCo with the same balls, box and step.

The two solve different problems: ours keeps Signorini's and Coulomb's laws to 1e-13 of the largest
speed in each step, MuJoCo's contacts are soft and its solver stops at 1e-8. The table says how deep
balls end up in each other, which is what that difference means."""

import time
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.report import Section, microseconds
from tests.piles import MASS, RADIUS, WALLS, pile, places

SIDE, LAYERS, STEP, DURATION = 5, 4, 1e-3, 0.3


def run() -> Section:
    """100 balls that fall into a box and settle."""
    balls = SIDE * SIDE * LAYERS
    section = Section(
        f"{balls} balls fall into a box and settle, {DURATION:g} s in steps of 1 ms: µs a step",
        ["engine", "step", "×", "deepest [mm]", "borne / weight"],
    )
    peer, ours = _mujoco(), _touchback()
    for name, found in (("Touchback", ours), ("MuJoCo", peer)):
        ratio = found["step"] / peer["step"]
        section.rows.append(
            [name, microseconds(found["step"]), f"{ratio:.1f}", f"{1e3 * found['deepest']:.2f}",
             f"{found['borne']:.3f}" if "borne" in found else ""]
        )  # fmt: skip
        section.records.append({"engine": name, "balls": balls, "ratio": ratio, **found})
    section.remark("×: of MuJoCo's time (Newton's method, elliptic cones, its default softness).")
    section.remark("deepest: into each other, at the end; borne: by floor and walls' friction.")
    return section


def _touchback() -> dict[str, float]:
    system, contacts = pile(SIDE, LAYERS, wall_friction=0.0)
    run = tb.simulate(
        system,
        duration=DURATION,
        method="moreau-jean",
        step=STEP,
        contacts=contacts,
        progress=False,
    )
    count = SIDE * SIDE * LAYERS
    centres = np.array([[run[f"ball {i}.{x}"][-1] for x in "xyz"] for i in range(count)])
    statistics = run.metadata["statistics"]
    floor = sum(run[f"floor {i} impulse"][-20:].mean() for i in range(count)) / STEP
    return {
        "step": statistics["seconds"] / statistics["steps"],
        "deepest": _deepest(centres),
        "borne": float(floor / (count * MASS * 9.81)),
        "sweeps": statistics["sweeps"] / statistics["steps"],
    }


def _deepest(centres: np.ndarray) -> float:
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(len(centres), 1)]
    return float(max(0.0, 2 * RADIUS - apart.min()))


def _mujoco() -> dict[str, float]:
    import mujoco  # a peer: only where benchmarks run

    model: Any = mujoco.MjModel.from_xml_string(_world())
    data: Any = mujoco.MjData(model)
    began = time.perf_counter()
    for _ in range(round(DURATION / STEP)):
        mujoco.mj_step(model, data)
    seconds = time.perf_counter() - began
    return {"step": seconds / round(DURATION / STEP), "deepest": _deepest(data.geom_xpos[5:])}


def _world() -> str:
    centres, half = places(SIDE, LAYERS)
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

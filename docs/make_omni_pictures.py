"""Makes the pictures and films of the page on omni wheels: `PYTHONPATH=. python
docs/make_omni_pictures.py`, with the names of some to make only those."""

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from make_pictures import PICTURES, shrink
from omni_films import platform_film, tour, wheel_film

import touchback as tb
from touchback.figure_style import ACCENT, INK
from touchback.gallery import omni_platforms, omni_wheel
from touchback.gallery.omni_platforms import Mount, mecanum_mounts, odometry
from touchback.gallery.omni_wheel import WheelShape
from validation.reference import columns

three_wheels, mecanum = ModuleType("three_wheels"), ModuleType("mecanum")
vars(three_wheels).update(
    PLAN=omni_platforms.THREE_WHEELS_PLAN, make=omni_platforms.make_three_wheels
)
vars(mecanum).update(PLAN=omni_platforms.MECANUM_PLAN, make=omni_platforms.make_mecanum)


SECOND, THIRD, PALE = "#81b29a", "#f2cc8f", "#d8d8de"
R = 0.05
INCLINED = WheelShape(R, 6, 0.04, 0.3)


def turn_about_y(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def roller_mesh(shape: WheelShape, number: int, angle: float) -> np.ndarray:
    """Points of a roller's surface from the wheel's centre [m], (n, m, 3)."""
    q = np.linspace(-1, 1, 25) * shape.half_sector
    round_ = np.linspace(0, 2 * np.pi, 25)
    along, rho = (np.pad(x, 1, mode="edge") for x in shape.profile(q))
    rho[[0, -1]] = 0.0  # closed ends
    points = np.stack(
        [
            np.broadcast_to(along[:, None], (27, 25)),
            rho[:, None] * np.cos(round_),
            rho[:, None] * np.sin(round_),
        ],
        axis=-1,
    )
    c, s = math.cos(shape.inclination), math.sin(shape.inclination)
    points = points @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T - [0, 0, shape.off]
    return points @ turn_about_y(angle + 2 * number * shape.half_sector).T


def wheels() -> plt.Figure:
    """Three wheels on the floor, the roller in contact in colour, with the track of the contact."""
    figure = plt.figure(figsize=(10, 3.7), layout="constrained")
    shapes = {
        "ψ = 0, pointed": WheelShape.pointed(R, 6),
        "ψ = 0.3, truncated": INCLINED,
        "ψ = 45°, Mecanum": WheelShape(R, 9, 0.037, math.pi / 4),
    }
    for i, (title, shape) in enumerate(shapes.items()):
        axis = figure.add_subplot(1, 3, i + 1, projection="3d")
        angle = 0.6 * shape.half_sector
        for number in range(shape.rollers):
            mesh = roller_mesh(shape, number, angle) + [0, 0, R]
            colour = ACCENT if number == 0 else INK
            axis.plot_surface(*mesh.transpose(2, 0, 1), color=colour, alpha=0.9, lw=0)
        hub = np.linspace(0, 2 * np.pi, 60)
        ring = 0.72 * shape.off * np.stack([np.cos(hub), 0 * hub, np.sin(hub)])
        axis.plot(ring[0], ring[1], ring[2] + R, color=INK, lw=1)
        for spoke in np.pi / shape.rollers * np.arange(2 * shape.rollers):
            end = 0.72 * shape.off * np.array([math.cos(spoke), math.sin(spoke)])
            axis.plot([0, end[0]], [0, 0], [R, R + end[1]], color=PALE, lw=0.8)
        for side in range(-1, 2):  # the floor rolls by: three sectors of it
            q = np.linspace(-1, 1, 40) * shape.half_sector
            way = R * (q + 2 * side * shape.half_sector - angle)
            axis.plot(way, shape.track(q), 0 * q, color=ACCENT, lw=2, zorder=9)
        axis.set(xlim=(-R, R), ylim=(-R, R), zlim=(0, 2 * R))
        axis.set_box_aspect((1, 1, 1), zoom=1.45)
        axis.view_init(12, -62)
        axis.set_axis_off()
        axis.set_title(title, fontsize=10)
    return figure


def lowest_point(shape: WheelShape, theta: np.ndarray) -> np.ndarray:
    """Height over the floor of a truncated roller's lowest point, at each angle of its centre."""
    q = np.linspace(-1, 1, 2001) * shape.half_sector
    along, rho = shape.profile(q)
    lean = np.sin(theta)[:, None] * math.cos(shape.inclination)
    height = along * lean - rho * np.sqrt(1 - lean**2)
    return shape.radius - shape.off * np.cos(theta) + height.min(axis=1)


def hand_over() -> plt.Figure:
    """Heights of the rollers, where the contact is, and the torque that keeps the wheel upright."""
    system = omni_wheel.make(INCLINED, friction=0.0).compile()
    start = system.assemble(rates={"wheel.wy": 3.0})
    run = tb.simulate(system, start, 1.4, output_step=2e-3, rtol=1e-10, progress=False)
    degrees = np.degrees(3.0 * run.time)
    figure, axes = plt.subplots(3, 1, figsize=(9, 6), sharex=True, layout="constrained")
    for i in range(4):
        theta = np.radians(degrees) - 2 * i * INCLINED.half_sector
        height = lowest_point(INCLINED, theta)
        axes[0].plot(degrees, 1e3 * height, color=(INK, ACCENT, SECOND, THIRD)[i], lw=1.5,
                     label=f"roller {1 if i == 0 else 7 - i}")  # fmt: skip
    axes[0].set(ylabel="lowest point [mm]", ylim=(-0.2, 4))
    axes[0].legend(fontsize=8, ncols=4)
    jumps = np.flatnonzero(np.diff(run["roller"])) + 1
    for axis, signal, label in (
        (axes[1], 1e3 * run["contact.y"], "contact, along the axle [mm]"),
        (axes[2], 1e3 * run["servo torque"], "servo torque [mN m]"),
    ):
        broken = signal.copy()
        broken[jumps] = np.nan
        axis.plot(degrees, broken, color=ACCENT, lw=1.5)
        axis.set_ylabel(label)
    for axis in axes:
        for jump in jumps:
            axis.axvline(degrees[jump], color=PALE, lw=1, zorder=0)
        axis.spines[["top", "right"]].set_visible(False)
    axes[2].set_xlabel("angle of the wheel [°]")
    return figure


def agreement() -> plt.Figure:
    """How far the trackers' runs are apart, over ten units of time with friction."""
    figure, axis = plt.subplots(figsize=(9, 3.2), layout="constrained")
    rates = {"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0, "wheel.wz": 1.5}
    ways = {}
    for tracker in ("explicit", "section", "implicit"):
        system = omni_wheel.make(INCLINED, tracker, slip_speed=0.2).compile()
        run = tb.simulate(
            system, system.assemble(rates=rates), 10.0, method="rk4", step=5e-4,
            output_step=0.02, progress=False,
        )  # fmt: skip
        ways[tracker] = np.stack([run["centre.x"], run["centre.y"]])
    for tracker, colour in (("section", SECOND), ("implicit", ACCENT)):
        off = np.abs(ways[tracker] - ways["explicit"]).max(axis=0)
        axis.semilogy(run.time, np.maximum(off, 1e-17), color=colour, lw=1.2, label=tracker)
    axis.axhline(1e-6, color=INK, lw=1, ls="--")
    axis.text(10, 2e-6, "Kosenko 2015: 1e-6 in position", ha="right", fontsize=8, color=INK)
    axis.axhline(1e-9, color=PALE, lw=1)
    axis.set(xlabel="time [s]", ylabel="off the explicit tracker [m]", ylim=(1e-17, 1e-5))
    axis.legend(fontsize=8, loc="lower right")
    axis.spines[["top", "right"]].set_visible(False)
    return figure


def roller_one() -> plt.Figure:
    """Kosenko's figures 8 to 10: the centre of roller 1 up and down in free motion, by both
    trackers, and how far they are apart."""
    figure, axes = plt.subplots(3, 2, figsize=(10, 6), layout="constrained", sharex=True)
    rates = {"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0, "wheel.wz": 1.5}
    kinds = (("height", "m", tb.Position, 1e-6), ("velocity", "m/s", tb.Velocity, 1e-7),
             ("acceleration", "m/s²", tb.Acceleration, 1e-8))  # fmt: skip
    runs = {}
    for tracker in ("explicit", "implicit"):
        model = omni_wheel.make(INCLINED, tracker, friction=0.0)
        for word, _, kind, _ in kinds:
            model.sensor(word, kind(model.bodies["disc roller 1"].at(0, 0, 0)))
        system = model.compile()
        runs[tracker] = tb.simulate(
            system, system.assemble(rates=rates), 10.0, rtol=1e-11, atol=1e-13, output_step=0.01,
            progress=False,
        )  # fmt: skip
    for (left, right), (word, unit, _, kosenko) in zip(axes, kinds, strict=True):
        time, first = runs["explicit"].time, runs["explicit"][f"{word}.z"]
        second = runs["implicit"][f"{word}.z"]
        left.plot(time, first, color=SECOND, lw=2.4, label="explicit")
        left.plot(time, second, color=ACCENT, lw=0.9, ls="--", label="implicit")
        left.set(ylabel=f"{word} [{unit}]", xlim=(0, 10))
        right.semilogy(time, np.maximum(np.abs(second - first), 1e-18), color=ACCENT, lw=0.8)
        right.axhline(kosenko, color=INK, lw=1, ls="--")
        right.text(10, 1.6 * kosenko, "Kosenko 2015", ha="right", fontsize=8, color=INK)
        right.set(ylabel=f"apart [{unit}]", ylim=(1e-18, 1e-4))
    axes[0, 0].legend(fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[-1]:
        axis.set(xlabel="time [s]")
    return figure


WAYS = {  # of commanding wheels: the plan's options, and the words for them
    "textbook wheel speeds": {"correction": 0.0, "textbook": True},
    "speeds for the roller where it is": {"correction": 0.0},
    "and the pose made good": {},
}


def platforms() -> plt.Figure:
    """Both platforms on the tour of their films, and how far they are off it, by each way of
    commanding their wheels."""
    figure, axes = plt.subplots(
        1, 3, figsize=(10, 3.6), layout="constrained", width_ratios=(3, 4, 4)
    )
    given, poses = tour(4.0)
    axes[0].plot(poses[:, 0], poses[:, 1], color=PALE, lw=5, label="told")
    for axis, title, module in (
        (axes[1], "three omni wheels", three_wheels),
        (axes[2], "four Mecanum wheels", mecanum),
    ):
        for (words, options), colour in zip(WAYS.items(), (THIRD, SECOND, ACCENT), strict=True):
            system = module.make(replace(module.PLAN, **options)).compile()
            run = tb.simulate(
                system, system.assemble(), 4.0, inputs=given, output_step=0.02, progress=False
            )
            told = np.stack([np.interp(run.time, given["command vx"][0], p) for p in poses.T])
            off = np.hypot(run["position.x"] - told[0], run["position.y"] - told[1])
            axis.plot(run.time, 1e3 * off, color=colour, lw=1.4, label=words)
            if module is mecanum:
                axes[0].plot(run["position.x"], run["position.y"], color=colour, lw=1.4)
        axis.set(title=f"{title}, off it [mm]", xlabel="time [s]", ylim=(0, 40))
    axes[0].set(title="Mecanum wheels' way [m]", aspect="equal")
    axes[0].legend(fontsize=8, loc="center")
    axes[2].legend(fontsize=8, loc="upper left")
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def measured() -> plt.Figure:
    """Odometry of two real robots beside motion capture (OptiOdom, MIT licence)."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    data = np.column_stack(list(columns("optiodom_three").values()))
    angles = np.cumsum(data[:, 4:] * 2 * np.pi / (12 * 1024), axis=0)

    def three(distance: float) -> list[Mount]:
        places = np.radians([-60.0, 60.0, 180.0])
        return [Mount(distance * np.cos(a), distance * np.sin(a), a - np.pi / 2) for a in places]

    odometries = [odometry(three(d), r, angles) for r, d in ((0.051, 0.195), (0.0471, 0.187))]
    paths(axes[0], "three omni wheels", data[:, 1:3], odometries)
    data = np.column_stack(list(columns("optiodom_four").values()))
    turns = np.cumsum(data[:-1, 4:] * [1.0, -1.0, 1.0, -1.0], axis=0)
    angles = np.concatenate([np.zeros((1, 4)), turns]) * 2 * np.pi
    sizes = ((0.03, 0.2), (0.0326, 0.2121))
    odometries = [odometry(mecanum_mounts(d, d), r, angles) for r, d in sizes]
    paths(axes[1], "four Mecanum wheels", data[:, 1:3], odometries)
    return figure


def paths(axis: plt.Axes, title: str, truth: np.ndarray, odometries: list[np.ndarray]) -> None:
    axis.plot(*truth.T, color=PALE, lw=4, label="motion capture")
    for found, colour, label in zip(
        odometries, (SECOND, ACCENT), ("nominal", "fitted"), strict=True
    ):
        axis.plot(found[:, 0], found[:, 1], color=colour, lw=1.2, label=f"odometry, {label} sizes")
    axis.set(title=title, aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axis.legend(fontsize=8, loc="center")
    axis.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    (PICTURES / "omni").mkdir(parents=True, exist_ok=True)
    made = {
        "wheels": wheels,
        "hand_over": hand_over,
        "agreement": agreement,
        "roller_one": roller_one,
        "platforms": platforms,
        "measured": measured,
    }
    films = {
        "wheel": wheel_film,
        "platform": lambda: platform_film(three_wheels),
        "mecanum": lambda: platform_film(mecanum),
    }
    chosen = sys.argv[1:] or [*made, *films]
    for name in chosen:
        if name in films:
            (PICTURES / "omni" / f"{name}.svg").write_text(films[name](), encoding="utf-8")
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.png"
            made[name]().savefig(file, dpi=150)
            shrink(file, PICTURES / "omni" / file.name)

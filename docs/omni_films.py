"""Moving pictures of omni wheels and of platforms that drive on them, as SVG."""

import math
from types import ModuleType
from typing import Any

import numpy as np
from films import INK, STRING, WOOD, label, moving, shown, svg
from scipy.spatial import ConvexHull

import touchback as tb
from touchback.gallery import omni_wheel
from touchback.gallery.omni_platforms import Mount
from touchback.gallery.omni_wheel import WheelShape

ACCENT, PALE = "#e07a5f", "#d8d8de"
FRAMES = 160


def line(points: np.ndarray, colour: str, width: float) -> str:
    """Points (n, 2) joined."""
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def area(points: np.ndarray, colour: str, opacity: float = 1.0) -> str:
    """What points (n, 2) enclose."""
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{text}" fill="{colour}" stroke="#ffffff" fill-opacity="{opacity}"/>'


def places(x: np.ndarray, y: np.ndarray) -> list[str]:
    return [f"{a:.2f} {b:.2f}" for a, b in zip(x, y, strict=True)]


# ---- one wheel -----------------------------------------------------------------------------------


def silhouette(shape: WheelShape, number: int) -> np.ndarray:
    """A roller as seen along the axle, from the wheel's centre: ahead, up [m]."""
    along, rho = shape.profile(np.linspace(-1, 1, 15) * shape.half_sector)
    round_ = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    c, s = math.cos(shape.inclination), math.sin(shape.inclination)
    x = c * along[:, None] - s * rho[:, None] * np.cos(round_)
    z = rho[:, None] * np.sin(round_) - shape.off
    angle = 2 * number * shape.half_sector
    turned = np.stack(
        [math.cos(angle) * x + math.sin(angle) * z, math.cos(angle) * z - math.sin(angle) * x],
        axis=-1,
    ).reshape(-1, 2)
    return turned[ConvexHull(turned).vertices]


def wheel_film() -> str:
    """The gallery's experiment, eight times slower: the wheel from the side, from above with the
    track of its contact, and the torque that keeps it upright."""
    entry, shape = omni_wheel.ENTRY, omni_wheel.SHAPE
    run = entry.experiment.run(entry.make().compile())
    at = np.searchsorted(run.time, np.linspace(0, run.duration, FRAMES)).clip(max=len(run) - 1)
    seconds, scale, ground, above = 8.0, 1150.0, 170.0, 420.0
    R = scale * shape.radius
    x = 80 + scale * run["centre.x"][at]
    turn = np.degrees(np.unwrap(2 * np.arctan2(run["wheel.qy"], run["wheel.qw"])))[at]
    rollers = []
    for i in range(shape.rollers):
        outline = scale * silhouette(shape, i) * [1, -1]
        touching = shown(area(outline, ACCENT), run["roller"][at] == i, seconds)
        rollers.append(area(outline, INK) + touching)
    hub = f'<circle r="{0.5 * scale * shape.off:.1f}" fill="{WOOD}" stroke="{INK}"/>'
    wheel = moving("".join(rollers) + hub, [f"{a:.2f}" for a in turn], seconds, kind="rotate")
    side = moving(wheel, places(x, np.full(FRAMES, ground - R)), seconds)

    def seen(name: str) -> np.ndarray:
        return np.stack([80 + scale * run[f"{name}.x"], above - scale * run[f"{name}.y"]], axis=1)

    track, centre, contact = seen("contact"), seen("centre")[at], seen("contact")[at]
    jumps = np.flatnonzero(np.diff(run["roller"])) + 1
    pieces = [line(piece[::8], PALE, 3) for piece in np.split(track, jumps) if len(piece) > 8]
    yaw = np.degrees(np.arctan2(-run["axle.x"], run["axle.y"]))[at]
    body = f'<rect x="{-R:.1f}" y="-7" width="{2 * R:.1f}" height="14" rx="5" fill="{INK}"/>'
    body = moving(body, [f"{-angle:.2f}" for angle in yaw], seconds, kind="rotate")
    dot = f'<circle r="4" fill="{ACCENT}" stroke="#ffffff"/>'
    lever = 500 * run["servo torque"][at]
    bar = f'<rect x="0" y="0" width="16" height="1" fill="{ACCENT}"/>'
    bar = moving(bar, [f"1 {-height:.2f}" for height in lever], seconds, kind="scale")
    return svg(
        [
            f'<rect x="20" y="{ground}" width="560" height="5" fill="{STRING}"/>',
            label(70, 25, "from the side"), side,
            label(70, 215, "from above"), *pieces,
            f'<g opacity="0.75">{moving(body, places(*centre.T), seconds)}</g>',
            moving(dot, places(*contact.T), seconds, jumps=True),
            label(610, 215, "servo torque"), f'<g transform="translate(602 300)">{bar}</g>',
            line(np.array([[596.0, 300.0], [624.0, 300.0]]), INK, 1),
        ],
        660, 450,
    )  # fmt: skip


# ---- platforms -----------------------------------------------------------------------------------


def tour(duration: float) -> tuple[dict[str, Any], np.ndarray]:
    """Once round a circle of 0.2 m while the nose turns by 180° and back: commands along the
    platform's axes, and the poses (T, 3) that they mean."""
    t = np.linspace(0.0, duration, 801)
    share = t / duration
    share = share**3 * (10 - 15 * share + 6 * share**2)  # from rest to rest
    angle = 2 * np.pi * share
    poses = np.stack(
        [0.2 * np.sin(angle), 0.2 * (1 - np.cos(angle)), np.pi / 2 * (1 - np.cos(angle))], axis=1
    )
    vx, vy, turn = np.gradient(poses, t, axis=0, edge_order=2).T
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    names = ("command vx", "command vy", "command turn")
    rates = ((t, c * vx + s * vy), (t, c * vy - s * vx), (t, turn))
    return dict(zip(names, rates, strict=True)), poses


def wheel_from_above(
    mount: Mount, shape: WheelShape, rolled: np.ndarray, scale: float, seconds: float, name: str
) -> str:
    """A wheel whose upper rollers pass by: their axes lean the other way than those below."""
    R, half = scale * shape.radius, 0.35 * scale * shape.radius
    pitch = 2 * shape.half_sector * R
    slant = half * math.tan(mount.inclination)
    rows = np.arange(-math.ceil(R / pitch) - 2, math.ceil(R / pitch) + 3) * pitch
    if slant:  # axes at ±45° to the wheel
        ends = [np.array([[x + slant, half], [x - slant, -half]]) for x in rows]
    else:  # axes along the rim: the gaps between rollers
        ends = [np.array([[x, half], [x, -half]]) for x in rows]
    stripes = "".join(line(end, PALE, 3) for end in ends)
    passing = moving(
        stripes, [f"{way:.2f} 0" for way in np.mod(scale * rolled, pitch)], seconds, jumps=True
    )
    tyre = f'<rect x="{-R:.1f}" y="{-half:.1f}" width="{2 * R:.1f}" height="{2 * half:.1f}" rx="3"'
    place = f"translate({scale * mount.x:.1f} {-scale * mount.y:.1f})"
    return (
        f'<clipPath id="{name}">{tyre}/></clipPath>'
        f'<g transform="{place} rotate({-math.degrees(mount.heading):.1f})">{tyre} fill="{INK}"/>'
        f'<g clip-path="url(#{name})">{passing}</g></g>'
    )


def platform_film(module: ModuleType) -> str:
    """A platform on its tour, half as fast as it was, over the pose that it is told (in outline);
    with the largest distance from it."""
    plan, duration, seconds, scale = module.PLAN, 4.0, 8.0, 480.0
    commands, poses = tour(duration)
    made = module.make().compile()
    run = tb.simulate(
        made, made.assemble(), duration, inputs=commands, output_step=duration / (FRAMES - 1),
        progress=False,
    )  # fmt: skip
    told = np.stack([np.interp(run.time, commands["command vx"][0], p) for p in poses.T])
    off = np.hypot(run["position.x"] - told[0], run["position.y"] - told[1])
    turned = np.abs(np.unwrap(run["heading"]) - told[2])
    middle = np.array([250.0, 320.0])

    def posed(shape: str, x: np.ndarray, y: np.ndarray, heading: np.ndarray) -> str:
        turning = moving(shape, [f"{-a:.2f}" for a in np.degrees(heading)], seconds, kind="rotate")
        return moving(turning, places(middle[0] + scale * x, middle[1] - scale * y), seconds)

    a, b = scale * plan.half[0], scale * plan.half[1]
    box = f'<rect x="{-a:.1f}" y="{-b:.1f}" width="{2 * a:.1f}" height="{2 * b:.1f}" rx="8"'
    nose = f'<path d="M {a - 22:.1f} -9 L {a - 6:.1f} 0 L {a - 22:.1f} 9 Z" fill="{ACCENT}"/>'
    wheels = "".join(
        wheel_from_above(
            mount, plan.shape, plan.shape.radius * run[f"wheel {i + 1}"], scale, seconds,
            f"wheel{i + 1}",
        )
        for i, mount in enumerate(plan.mounts)
    )  # fmt: skip
    body = f'{box} fill="{WOOD}" fill-opacity="0.8" stroke="{INK}"/>{wheels}{nose}'
    outline = f'{box} fill="none" stroke="{ACCENT}" stroke-width="2" stroke-dasharray="5 4"/>'
    way = np.stack([middle[0] + scale * poses[::8, 0], middle[1] - scale * poses[::8, 1]], axis=1)
    words = f"off the pose told: {1e3 * off.max():.1f} mm, {1e3 * turned.max():.1f} mrad at most"
    return svg(
        [
            line(way, PALE, 5),
            posed(body, run["position.x"], run["position.y"], np.unwrap(run["heading"])),
            posed(outline, *told),
            label(250, 492, words),
        ],
        500, 500,
    )  # fmt: skip

"""The picture of the page on fluids: solids that come to rest in water, in three instants."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import touchback as tb
from touchback.figure_style import ACCENT, BODIES, INK

SOLIDS = {
    "box": (tb.Box((1.2, 1.2, 0.5)), 0.5),
    "cylinder": (tb.Cylinder(0.35, 1.5), 0.5),
    "ellipsoid": (tb.Ellipsoid((0.7, 0.5, 0.3)), 0.5),
}


def outline(solid: object) -> np.ndarray:
    """Points of a solid's surface, whose hull in a side view is its outline."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 73), np.linspace(0, np.pi, 37))
    if isinstance(solid, tb.Box):
        halves = np.array(solid.size, dtype=float) / 2
        return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * halves
    if isinstance(solid, tb.Cylinder):
        ring = np.stack([np.cos(u[0]), np.sin(u[0])], axis=1) * float(solid.radius)
        ends = [np.column_stack([ring, np.full(len(ring), s * float(solid.length) / 2)])
                for s in (-1, 1)]  # fmt: skip
        return np.concatenate(ends)
    unit = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    return unit.reshape(-1, 3) * np.array(solid.halves)  # type: ignore[attr-defined]


def settled(solid: object, share: float) -> tb.Run:
    """A solid of a share of the water's density, thrown in askew."""
    m = tb.Model("float")
    volume = float({tb.Box: 1.2 * 1.2 * 0.5, tb.Cylinder: np.pi * 0.35**2 * 1.5,
                    tb.Ellipsoid: 4 / 3 * np.pi * 0.7 * 0.5 * 0.3}[type(solid)])  # fmt: skip
    mass = share * 1000.0 * volume
    body = m.body("hull", mass, inertia=(0.2 * mass, 0.2 * mass, 0.2 * mass))
    m.joint("sea", tb.Free(), m.ground, body, position=(0, 0, 0.9, np.cos(0.5), 0, np.sin(0.5), 0))
    water = m.fluid("water", 1000.0, surface=0.0)
    turn = (0.15 * mass,) * 3
    m.force("water", tb.Immersed(body, solid, water, drag=(mass,) * 3, angular_drag=turn))  # type: ignore[arg-type]
    return tb.simulate(m.compile(), duration=25.0, output_step=0.05)


def draw(axis: Axes, name: str, colour: str) -> None:
    """Side views at three instants, the later the darker, and the surface."""
    from scipy.spatial import ConvexHull

    solid, share = SOLIDS[name]
    run = settled(solid, share)
    axis.axhspan(-1.5, 0.0, color="#dcebf5", zorder=0)
    axis.axhline(0.0, color=ACCENT, lw=1.2, zorder=1)
    for shade, place in ((0.18, 0), (0.4, 14), (1.0, -1)):
        w, x, y, z = (run[f"sea.q{each}"][place] for each in "wxyz")
        q = np.array([x, y, z])
        R = (w * w - q @ q) * np.eye(3) + 2 * np.outer(q, q) + 2 * w * np.cross(np.eye(3), q)
        points = outline(solid) @ (R / (w * w + q @ q)).T + [run[f"sea.{a}"][place] for a in "xyz"]
        flat = points[:, [0, 2]]
        hull = flat[ConvexHull(flat).vertices]
        axis.fill(*hull.T, color=colour, alpha=0.55 * shade, lw=0, zorder=2)
        axis.plot(*np.vstack([hull, hull[:1]]).T, color=INK, alpha=shade, lw=1.2, zorder=3)
    axis.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.7), aspect="equal", title=name)
    axis.axis("off")


def fluid_picture(path: str) -> None:
    """All of them side by side."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.6), layout="constrained")
    for axis, name, colour in zip(axes, SOLIDS, BODIES, strict=False):
        draw(axis, name, colour)
    figure.savefig(path, dpi=80)
    plt.close(figure)

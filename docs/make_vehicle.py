"""Makes the pictures of the page on vehicles: `python docs/make_vehicle.py`. They are committed."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot as plt

import touchback as tb
from touchback.figure_style import BODIES, light_grid
from touchback.gallery import tilting_vehicle as tilting
from touchback.vehicle import (
    BUGGY_TYRE,
    SMALL_TRACK,
    BrushTyre,
    Bump,
    Contact,
    DoubleWishbone,
    Engine,
    Gearbox,
    LinearTyre,
    MagicFormula,
    Mounts,
    PlaneRoad,
    TyreForces,
    TyreOnRoad,
    add_driveline,
    iso8608_road,
    measure_axle,
    read_height_map,
)
from touchback.vehicle.driveline import RPM
from touchback.vehicle.roads import roughness

PICTURES = Path(__file__).parent / "pictures"
BELOW = (0.5, -0.2)  # of an axis, under its label: where a legend hides nothing


def tyres() -> None:
    """Side force, aligning moment and combined slip of the shipped tyre, and others beside it."""
    tyre = MagicFormula.read(BUGGY_TYRE)
    alpha = np.linspace(-0.25, 0.25, 301)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
    for load, colour in zip((1250.0, 2500.0, 4000.0), BODIES, strict=False):
        grip = tyre.grip(Contact(load, slip_angle=alpha))
        axes[0].plot(np.degrees(alpha), grip.fy / 1e3, color=colour, label=f"{load:.0f} N")
        axes[1].plot(np.degrees(alpha), grip.mz, color=colour)
    along, across = tyre.stiffness(Contact(2500.0))
    others = (
        ("brush", BrushTyre(slip_stiffness=along, cornering_stiffness=across, nominal_load=2500.0,
                            friction=0.95, patch=0.055), "--"),
        ("linear", LinearTyre(cornering_coefficient=across / 2500.0, trail=0.018), ":"),
    )  # fmt: skip
    for name, other, line in others:
        grip = other.grip(Contact(2500.0, slip_angle=alpha))
        shown = np.abs(grip.fy) < 2900.0
        axes[0].plot(np.degrees(alpha)[shown], grip.fy[shown] / 1e3, line, color=BODIES[1],
                     label=f"2500 N, {name}")  # fmt: skip
        axes[1].plot(np.degrees(alpha)[shown], grip.mz[shown], line, color=BODIES[1])
    slip = np.linspace(-1.0, 1.0, 801)
    for angle, colour in zip((0.0, 0.02, 0.05, 0.1, 0.2), BODIES, strict=False):
        grip = tyre.grip(Contact(2500.0, slip, -angle * np.ones_like(slip)))
        axes[2].plot(grip.fx / 1e3, grip.fy / 1e3, color=colour, label=f"{np.degrees(angle):.0f}°")
    axes[0].set(xlabel="slip angle [°]", ylabel="side force [kN]")
    axes[1].set(xlabel="slip angle [°]", ylabel="aligning moment [N m]")
    axes[2].set(xlabel="force along [kN]", ylabel="side force [kN]", title="2500 N, slip −1 to 1")
    for axis in axes:
        light_grid(axis)
    # below the axes: each corner of them has a curve
    axes[0].legend(fontsize=7, loc="upper center", bbox_to_anchor=BELOW, ncols=3)
    axes[2].legend(fontsize=7, title="slip angle", title_fontsize=7, loc="upper center",
                   bbox_to_anchor=BELOW, ncols=5)  # fmt: skip
    figure.savefig(PICTURES / "tyres.png", dpi=80)
    plt.close(figure)


def over_a_bump(speed: float) -> tb.Run:
    """A mass of 265 kg on one wheel, over a bump of 5 cm."""
    m = tb.Model("quarter car")
    sledge, mass = m.body("sledge"), m.body("mass", 250.0)
    wheel = m.body("wheel", 15.0, inertia=(0.4, 0.8, 0.4))
    m.joint("x", tb.Prismatic("x"), m.ground, sledge, velocity=[speed])
    m.joint("z", tb.Prismatic("z"), sledge, mass, position=[0.2727])
    m.joint("spin", tb.Revolute("y"), mass, wheel, velocity=[speed / 0.2824])
    road = PlaneRoad(bumps=(Bump(1.0, 1.0, 0.05),))
    tyre = MagicFormula.read(BUGGY_TYRE)
    m.force("tyre", TyreOnRoad(wheel=wheel, tyre=tyre, road=road))
    m.sensor("t", TyreForces("tyre"))
    return tb.simulate(m.compile(), duration=4.0 / speed, output_step=0.01 / speed, progress=False)


def roads() -> None:
    """The shipped track, spectra of random roads, and the load of a wheel over a bump."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    track = read_height_map(SMALL_TRACK)
    heights = np.array(track.heights).reshape(len(track.x), len(track.y)).T
    drawn = axes[0].contourf(track.x, track.y, heights, 12, cmap="YlGnBu_r")
    figure.colorbar(drawn, ax=axes[0], label="height [m]")
    axes[0].set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="small_track.asc")
    for road_class, colour in zip("ACE", BODIES, strict=False):
        road = iso8608_road(road_class, 400.0, step=0.1, seed=2)
        z = np.array(road.heights).reshape(-1, 2)[:-1]
        n = np.fft.rfftfreq(len(z), 0.1)
        density = 0.2 * np.abs(np.fft.rfft(z, axis=0)) ** 2 / len(z)
        shown = (n > 0.011) & (n < 4.9)
        axes[1].loglog(n[shown], density[shown, 0], ".", ms=1, color=colour, alpha=0.5)
        axes[1].loglog(n[shown], roughness(road_class, n[shown]), color=colour, label=road_class)
    axes[1].set(xlabel="waves per metre", ylabel="density [m³]", title="ISO 8608, right track")
    axes[1].legend(fontsize=7, loc="upper center", bbox_to_anchor=BELOW, ncols=3)
    for speed, colour in zip((3.0, 8.0, 15.0), BODIES, strict=False):
        run = over_a_bump(speed)
        axes[2].plot(run["x"], run["t.load"] / 1e3, color=colour, label=f"{speed:.0f} m/s")
    axes[2].set(xlabel="x [m]", ylabel="load [kN]", title="over a bump, 1 to 2 m")
    axes[2].legend(fontsize=7, loc="upper center", bbox_to_anchor=BELOW, ncols=3)
    for axis in axes[1:]:
        light_grid(axis)
    figure.savefig(PICTURES / "roads.png", dpi=80)
    plt.close(figure)


def driveline() -> None:
    """Torque on the wheels in each gear, and a run through the gears."""
    engine, box = Engine(), Gearbox()
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    n = np.linspace(0.0, 6000.0, 301)
    axes[0].plot(n, engine.at_full_throttle(n), color=BODIES[0], label="full throttle")
    axes[0].plot(n, engine.torque(n, 0.5), color=BODIES[2], label="half")
    axes[0].plot(n, engine.released(n), color=BODIES[1], label="released")
    axes[0].plot([1000, 3000, 6000], [96, 137, 0], "o", color=BODIES[0], ms=4)
    axes[0].set(xlabel="engine [rpm]", ylabel="torque [N m]", title="Gallo's map")
    for i, ratio in enumerate(box.ratios):
        v = n / RPM / (ratio * box.differential) * 0.286 * 3.6
        T = engine.at_full_throttle(n) * float(box.ratio(i + 1))
        axes[1].plot(v, T, color=BODIES[i], label=f"gear {i + 1}")
    axes[1].set(xlabel="speed [km/h]", ylabel="torque on the wheels [N m]", title="full throttle")
    run = through_the_gears()
    axes[2].plot(run.time, run["x rate"] * 3.6, color=BODIES[0], label="speed [km/h]")
    axes[2].plot(run.time, run["n"] / 100.0, color=BODIES[1], label="engine [100 rpm]")
    axes[2].step(run.time, run["driveline gear"] * 10.0, color=BODIES[2], label="10 × gear")
    axes[2].set(xlabel="time [s]", title="half throttle for 5 s, then none")
    for axis in axes:
        light_grid(axis)
        axis.legend(fontsize=7)
    figure.savefig(PICTURES / "driveline.png", dpi=80)
    plt.close(figure)


def through_the_gears() -> tb.Run:
    """A quarter of a light car on its driven wheel."""
    m = tb.Model("quarter car")
    sledge, mass = m.body("sledge"), m.body("mass", 250.0)
    wheel = m.body("wheel", 15.0, inertia=(0.4, 0.8, 0.4))
    m.joint("x", tb.Prismatic("x"), m.ground, sledge, velocity=[3.0])
    m.joint("z", tb.Prismatic("z"), sledge, mass, position=[0.2727])
    m.joint("spin", tb.Revolute("y"), mass, wheel, velocity=[10.6])
    m.force("tyre", TyreOnRoad(wheel=wheel, tyre=MagicFormula.read(BUGGY_TYRE)))
    line = add_driveline(m, ("spin",), m.input("throttle"))
    m.sensor("n", tb.Signal(line.speed, "rpm"))
    return tb.simulate(
        m.compile(), duration=18.0, inputs={"throttle": lambda t: 0.5 * (t < 5.0)},
        method="rk4", step=1e-3, rate=1000, output_step=0.02, progress=False,
    )  # fmt: skip


def suspension() -> None:
    """Kinematics and compliance of the double wishbones on rubber."""
    axle = DoubleWishbone(upper_ball=(-0.020, 0.615, 0.440), bar=12e3, mounts=Mounts())
    figure = measure_axle(axle, rack_stiffness=2e6).plot()
    figure.savefig(PICTURES / "suspension.png", dpi=70)
    plt.close(figure)


def tilting_vehicle() -> None:
    """Angles, and what the sensors of the tilting vehicle are off by."""
    sensors = tilting.TiltSensors()
    run = tb.simulate(
        tilting.make().compile(), duration=8.0, inputs={"steering": tilting.STEERING},
        rate=1000, output_step=1e-3, progress=False,
    )  # fmt: skip
    t, truth = run.time[:-1], run["tilt"][:-1]  # a memory shows the tick at the start of its step
    shown = {name: run[name][1:] for name in ("potentiometer", "estimated tilt", "estimated bias")}
    summed = np.cumsum(run["gyroscope"][1:]) * 1e-3
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    colours = dict(zip(("potentiometer", "gyroscope", "filter"), BODIES, strict=False))
    axes[0].plot(t, np.degrees(shown["potentiometer"]), color=colours["potentiometer"], lw=0.4)
    axes[0].plot(t, np.degrees(summed), color=colours["gyroscope"])
    axes[0].plot(t, np.degrees(shown["estimated tilt"]), color=colours["filter"])
    axes[0].set_ylabel("tilt [°]")
    off = {"potentiometer": shown["potentiometer"], "gyroscope": summed}
    for name, seen in {**off, "filter": shown["estimated tilt"]}.items():
        axes[1].semilogy(
            t,
            np.degrees(np.abs(seen - truth)) + 1e-4,
            color=colours[name],
            lw=0.4 if name == "potentiometer" else 1.2,
            label=name,
        )
    deviation = np.sqrt(np.diag(sensors.fusion().filtered))
    axes[1].axhline(np.degrees(deviation[0]), color="black", ls=":", lw=1, label="σ of the filter")
    axes[1].set(ylabel="error [°]", ylim=(1e-3, 40))
    legend = axes[1].legend(fontsize=8, loc="upper center", bbox_to_anchor=BELOW, ncols=2)
    for line in legend.get_lines():
        line.set_linewidth(1.2)  # that of the potentiometer, too
    bias = np.degrees(shown["estimated bias"])
    band = np.degrees(2 * deviation[1])
    axes[2].plot(t, np.degrees(run["bias"][:-1]), color="black", lw=1, label="bias")
    axes[2].plot(t, bias, color=colours["filter"], label="estimated, ± 2σ")
    axes[2].fill_between(t, bias - band, bias + band, color=colours["filter"], alpha=0.2, lw=0)
    axes[2].set_ylabel("bias of the gyroscope [°/s]")
    axes[2].legend(fontsize=8, loc="upper center", bbox_to_anchor=BELOW, ncols=2)
    for axis in axes:
        axis.set_xlabel("time [s]")
        light_grid(axis)
    figure.savefig(PICTURES / "tilting.png", dpi=70)
    plt.close(figure)


if __name__ == "__main__":
    tilting_vehicle()
    suspension()
    tyres()
    roads()
    driveline()

"""Robots on omni and Mecanum wheels, measured.

Source: R. Sousa, M. Petry, A. Moreira, P. Costa, OptiOdom (github.com/sousarbarb/optiodom, MIT
licence): encoder increments of three omni wheels and of four Mecanum wheels, and motion capture, on
circular runs of one and two minutes. Nominal sizes are those of the files; fitted are the radius
and the distance of the wheels, the two numbers that fit a run best. Ours is the odometry of the
closed form, or the platform of the gallery with its wheels driven at the measured speeds.
"""

from dataclasses import replace as changed

import numpy as np
from scipy.optimize import least_squares

import touchback as tb
from touchback.gallery import omni_platforms
from touchback.gallery.omni_platforms import Mount, mecanum_mounts, odometry
from touchback.gallery.omni_wheel import WheelShape
from validation.reference import columns

COUNTS = 12 * 1024  # gear and encoder of the three-wheeled robot, a turn


def three(distance: float) -> list[Mount]:
    """Wheels at −60°, 60° and 180°, rolling clockwise."""
    angles = np.radians([-60.0, 60.0, 180.0])
    return [Mount(distance * np.cos(a), distance * np.sin(a), float(a) - np.pi / 2) for a in angles]


def four(distance: float) -> list[Mount]:
    """Four Mecanum wheels; `distance` is the sum of half the wheelbase and half the track."""
    return mecanum_mounts(distance, distance)


def measured_three() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, wheel angles [rad] and poses of motion capture."""
    data = np.column_stack(list(columns("optiodom_three").values()))
    return data[:, 0], np.cumsum(data[:, 4:] * 2 * np.pi / COUNTS, axis=0), data[:, 1:4]


def measured_four() -> tuple[np.ndarray, np.ndarray]:
    """Wheel angles [rad] and poses; right wheels count backwards; increments are turns of the
    interval that follows."""
    data = np.column_stack(list(columns("optiodom_four").values()))
    turns = data[:-1, 4:] * np.array([1.0, -1.0, 1.0, -1.0])
    angles = np.concatenate([np.zeros((1, 4)), np.cumsum(turns, axis=0)]) * 2 * np.pi
    return angles, data[:, 1:4]


def compare(agreement, mounts, sizes, angles, truth, allowed) -> None:  # type: ignore[no-untyped-def]
    """Odometry with nominal and with fitted sizes against motion capture."""
    heading = np.unwrap(truth[:, 2])

    def off(given: np.ndarray) -> np.ndarray:
        found = odometry(mounts(given[1]), given[0], angles)
        return np.column_stack([found[:, :2] - truth[:, :2], 0.2 * (found[:, 2] - heading)])

    fitted = least_squares(lambda given: off(given).ravel(), sizes).x
    shown = ", ".join(f"{1e3 * size:.1f}" for size in fitted)
    for word, given, (place, angle) in (
        ("nominal", np.array(sizes), allowed[:2]),
        (f"fitted to {shown} mm", fitted, allowed[2:]),
    ):
        found = odometry(mounts(given[1]), given[0], angles)
        agreement.compare(f"x and y, {word} [m]", found[:, :2], truth[:, :2], within=place)
        agreement.compare(f"heading, {word} [rad]", found[:, 2], heading, within=angle)


def test_three_omni_wheels_odometry(agreement) -> None:  # type: ignore[no-untyped-def]
    _, angles, truth = measured_three()
    compare(agreement, three, (0.051, 0.195), angles, truth, (0.3, 0.45, 0.07, 0.1))


def test_four_mecanum_wheels_odometry(agreement) -> None:  # type: ignore[no-untyped-def]
    angles, truth = measured_four()
    compare(agreement, four, (0.03, 0.2), angles, truth, (0.16, 0.35, 0.015, 0.05))


def test_three_omni_wheels_driven_at_measured_speeds(agreement) -> None:  # type: ignore[no-untyped-def]
    """The dynamic platform, three seconds of the run, wheels commanded at the measured speeds."""
    t, angles, truth = measured_three()
    count = 76
    t, angles = t[:count], angles[:count]
    mounts = three(0.195)
    shape = WheelShape(radius=0.051, rollers=6, off=0.04)
    plan = changed(omni_platforms.THREE_WHEELS_PLAN, mounts=mounts, shape=shape)
    system = omni_platforms.make_three_wheels(plan, commanded_wheels=True).compile()
    rates = np.gradient(angles, t, axis=0)
    inputs = {f"command {i + 1}": (t, rates[:, i]) for i in range(3)}
    run = tb.simulate(
        system, system.assemble(), t[-1], inputs=inputs, output_step=t[1] - t[0], progress=False
    )
    turned = np.stack([run[f"wheel {i + 1}"] for i in range(3)], axis=1)
    expected = odometry(mounts, 0.051, turned)
    found = np.column_stack([run["position.x"], run["position.y"], np.unwrap(run["heading"])])
    n = min(len(found), len(truth))
    agreement.compare("wheel angles [rad]", turned[-1], angles[len(turned) - 1], within=0.1)
    agreement.compare("way, by own odometry [m]", found[:, :2], expected[:, :2], within=5e-3)
    agreement.compare("heading, by own odometry [rad]", found[:, 2], expected[:, 2], within=5e-3)
    agreement.compare("way, measured [m]", found[:n, :2], truth[:n, :2], within=0.1)
    agreement.compare("heading, measured [rad]", found[:n, 2], truth[:n, 2], within=0.1)

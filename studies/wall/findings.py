"""What the laboratory must show, measured: each finding says what was due and whether it holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from studies.wall.setups import (
    DAMPED_BALL,
    DEVICE_MASS,
    GRIP_CHANGES,
    GRIPS,
    STIFF_BALL,
    UNIT_BALL,
    WALL_STIFFNESS,
    Drop,
)
from touchback.haptics.wall.laws import Deadbeat, HalfSample, PolePlacement, Standard
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE
from touchback.haptics.wall.sampled_simulation import (
    Bounces,
    Trace,
    bounces,
    distance_outside,
    simulate,
    tap_errors,
)
from touchback.haptics.wall.stability_limits import (
    printed_damping,
    simulated_damping,
    stabilising_damping,
)
from touchback.haptics.wall.wall_controllers import Controller, DelayPrediction
from touchback.haptics.wall.wall_plant import Contact, ContinuousBall, Finger, Target

ENERGY_BOUND, DISTANCE_BOUND, EDGE_BOUND = 1e-10, 1e-7, 1e-6


@dataclass(frozen=True)
class Finding:
    """A measured statement."""

    what: str
    measured: str
    due: str
    holds: bool


def standard_climbs() -> Finding:
    """Fig. 5.8: every bounce on the standard floor is higher than the last."""
    found = _drop(UNIT_BALL, UNIT_BALL.controller(Standard()), 60.0)[1]
    energies = np.concatenate([[1.0], found.energy])
    return Finding(
        "standard floor, height after each bounce [m]",
        " ".join(f"{each:.3g}" for each in found.energy[:6]),
        "climbs (Fig. 5.8)",
        bool((np.diff(energies) > 0.0).all() and found.count >= 5),
    )


def held_floors_are_irregular() -> Iterator[Finding]:
    """Fig. 5.12 and 5.14: without compensation of crossings the height wanders."""
    for name, law, figure in (
        ("half-sample prediction", HalfSample(), "5.12"),
        ("z-plane design", PolePlacement(), "5.14"),
    ):
        energy = _drop(UNIT_BALL, UNIT_BALL.controller(law), 700.0)[1].energy
        steps = np.sign(np.diff(energy))
        yield Finding(
            f"{name}, heights of {len(energy)} bounces [m]",
            f"{energy.min():.3f} … {energy.max():.3f}",
            f"irregular (Fig. {figure})",
            bool(np.ptp(energy) > 0.01 and (steps > 0).any() and (steps < 0).any()),
        )


def deadbeat_is_exact(count: int = 1000) -> Iterator[Finding]:
    """The energy after each bounce, and the ball outside the floor, against the continuous ball."""
    for name, drop, delay in (
        ("deadbeat", UNIT_BALL, 0.0),
        ("deadbeat, damped floor", DAMPED_BALL, 0.0),
        ("deadbeat, stiff floor", STIFF_BALL, 0.0),
        ("deadbeat, 0.6 samples late", UNIT_BALL, 0.6),
    ):
        controller: Controller = drop.controller(Deadbeat(inner=HalfSample()))
        late = delay * drop.period
        if delay:
            controller = DelayPrediction(controller, drop.plant.motion, drop.plant.force, late)
        trace, found = _drop(drop, controller, 8.5 * count, late, count)
        contacts = _continuous_contacts(drop, found.count)
        energies = [0.5 * drop.plant.motion.mass * each.exit_speed**2 for each in contacts]
        error = np.abs(found.energy[: len(contacts)] / energies - 1.0).max()
        far = distance_outside(trace, drop.wall).max()
        short = sum(each.samples_inside(drop.period, late) < 2 for each in contacts)
        yield Finding(
            f"{name}: energy after {found.count} bounces, {short} of fewer than two samples",
            f"{error:.1e}",
            f"≤ {ENERGY_BOUND:.0e}",
            bool(error <= ENERGY_BOUND and found.count == len(contacts) == count),
        )
        yield Finding(
            f"{name}: samples outside against the continuous ball [m]",
            f"{far:.1e}",
            f"≤ {DISTANCE_BOUND:.0e}",
            bool(far <= DISTANCE_BOUND),
        )


def edges_agree() -> Iterator[Finding]:
    """The edge of stability from all Jury conditions against the edge of the running loop."""
    for period in (1e-3, 5e-3, 50e-3):
        for finger in (None, Finger()):
            arguments = (WALL_STIFFNESS, DEVICE_MASS, period, finger)
            due = stabilising_damping(*arguments)
            found = simulated_damping(*arguments, near=due)
            yield Finding(
                f"stabilising damping, {1e3 * period:g} ms, "
                f"{'with' if finger else 'no'} finger [N s/m]",
                f"{found:.8g}",
                f"{due:.8g} ± {EDGE_BOUND:.0e}",
                abs(found / due - 1.0) <= EDGE_BOUND,
            )
    printed = printed_damping(WALL_STIFFNESS, DEVICE_MASS, 50e-3)
    true = stabilising_damping(WALL_STIFFNESS, DEVICE_MASS, 50e-3)
    yield Finding(
        "the same by eq. 6.5 alone, 50 ms [N s/m]",
        f"{printed:.4g}",
        f"too little: the edge is {true:.4g}",
        printed < true,
    )


def ball_findings() -> Iterator[Finding]:
    """Everything about the bouncing ball of chapter 5."""
    yield standard_climbs()
    yield from held_floors_are_irregular()
    yield from deadbeat_is_exact()


def grip_errors(adaptive: bool) -> list[float]:
    """The error of the energy after each tap with a changing grip, deadbeat at 1 kHz."""
    return tap_errors(
        Deadbeat(), Target(WALL_STIFFNESS), 1e-3, BENCH_DEVICE, GRIPS, adaptive=adaptive
    )


def grips_are_followed() -> Iterator[Finding]:
    """Two taps after a change of grip the identified design is far better than the first one."""
    fixed, adaptive = grip_errors(False), grip_errors(True)
    for change in GRIP_CHANGES:
        before, after = fixed[change + 2], adaptive[change + 2]
        yield Finding(
            f"grip changed at tap {change + 1}: error of the energy at tap {change + 3}",
            f"{after:.1e}",
            f"≤ a hundredth of {before:.1e}, not followed",
            after <= 0.01 * before,
        )


PARTS: dict[str, Callable[[], Iterator[Finding]]] = {
    "ball": ball_findings,
    "edges": edges_agree,
    "grip": grips_are_followed,
}


def _drop(
    drop: Drop,
    controller: Controller,
    duration: float,
    delay: float = 0.0,
    count: int | None = None,
) -> tuple[Trace, Bounces]:
    trace = simulate(
        drop.plant, controller, drop.start, drop.period, drop.samples(duration), delay=delay
    )
    found = bounces(trace)
    if count is not None:
        found = Bounces(*(each[:count] for each in (
            found.first_outside, found.energy, found.samples_inside)))  # fmt: skip
    return trace, found


def _continuous_contacts(drop: Drop, count: int) -> list[Contact]:
    """The first contacts of the continuous ball, as many as there are."""
    continuous = ContinuousBall.of(drop.plant, drop.wall, drop.start)
    return [each for each in map(continuous.contact, range(count)) if each is not None]

"""The human operator: a finger or an arm with its impedance, its wishes and its grip."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from touchback import (
    Expr,
    JointEffort,
    Model,
    Prismatic,
    Revolute,
    Signal,
    Wrench,
    maximum,
    minimum,
    select,
)
from touchback.errors import InputError
from touchback.haptics.axis_port import AxisPort
from touchback.haptics.wall.wall_plant import Finger
from touchback.model import Place
from touchback.numbers import check_finite

_SOFT_LANDING = 1e-4  # [m, rad]


@dataclass(frozen=True)
class Operator:
    """A finger that follows its intention through muscle stiffness and damping and touches with a
    soft pad. The pad's constants are ours, of the order of a fingertip's 2–5 N/mm; it only pushes,
    unless the finger grips."""

    finger: Finger = field(default_factory=Finger)
    pad_stiffness: float = 4000.0
    pad_damping: float = 4.0

    def __post_init__(self) -> None:
        check_finite("Operator", pad_stiffness=self.pad_stiffness, pad_damping=self.pad_damping)
        if not (self.pad_stiffness > 0.0 and self.pad_damping >= 0.0):
            raise InputError(
                f"Operator: its pad has {self.pad_stiffness} N/m and {self.pad_damping} N s/m; a "
                "pad pushes back and takes energy."
            )

    def add(
        self,
        model: Model,
        name: str,
        frame: Place,
        height: float,
        along: Sequence[float] = (0.0, 0.0, -1.0),
        *,
        reference: Place | None = None,
        turning: bool = False,
    ) -> Expr:
        """Put the finger over a frame of the device; it moves `along` a direction of `reference`,
        from the `height` [m] before its origin, and pushes. The reference is the world, or a frame
        that may move, which carries the hand. Returns the force between finger and device [N]. A
        device with several axes has an operator for each.

        `turning` it turns about that direction instead: then all of its constants are a rotation's
        (kg m², N m s/rad, N m/rad), and so is what it returns [N m].

        Inputs: "name intention" and "name intention rate" (where the muscles want the
        finger, from its start, downwards positive), "name bias" [N]. Live parameters: "name mass",
        "name damping", "name stiffness", and "name grip" (1: it holds on and can pull)."""
        own, units = self.finger, _TURNING if turning else _SLIDING
        base = model.ground if reference is None else reference
        way = _unit(name, along)
        mass = model.parameter(f"{name} mass", own.mass, unit=units.mass, min=1e-9)
        damping = model.parameter(f"{name} damping", own.damping, unit=units.damping, min=0.0)
        stiffness = model.parameter(f"{name} stiffness", own.stiffness, unit=units.spring, min=0.0)
        grip = model.parameter(f"{name} grip", 0.0, min=0.0, max=1.0)
        wish = model.input(f"{name} intention", unit=units.way)
        speed = model.input(f"{name} intention rate", unit=f"{units.way}/s")
        bias = model.input(f"{name} bias", unit=units.force)
        if turning:
            body = model.body(name, inertia=(mass, mass, mass))
            model.joint(name, Revolute(way), base, body)
        else:
            body = model.body(name, mass=mass)
            model.joint(name, Prismatic(way), base, body)
            # Muscles carry the finger's weight: gravity is taken away again.
            x, y, z = (-mass * g for g in model.gravity)
            model.force(f"{name} carried", Wrench(body.at(0.0, 0.0, 0.0), force=(x, y, z)))
        depth, rate = model.coordinate(name), model.rate(name)
        muscle = (wish - depth) * stiffness + (speed - rate) * damping + bias
        model.force(f"{name} muscle", JointEffort(name, muscle))
        port = AxisPort.add(model, f"{name} surface", frame, way, reference=base, turning=turning)
        force = self._pad(depth - port.position - height, rate - port.velocity, grip)
        model.force(f"{name} pad", JointEffort(name, -force))
        port.push(f"{name} touch", force)
        return model.sensor(f"{name} force", Signal(force, units.force))

    def _pad(self, pressed: Expr, closing: Expr, grip: Expr) -> Expr:
        """What the pad gives when it is pressed so deep, and closes so fast."""
        held = pressed * self.pad_stiffness + closing * self.pad_damping
        # Damping sets in over the first tenth of a millimetre: no jump when the pad lands.
        touching = minimum(maximum(pressed, 0.0) * (1.0 / _SOFT_LANDING), 1.0)
        pushed = pressed * self.pad_stiffness + closing * self.pad_damping * touching
        push = select(pressed > 0.0, maximum(pushed, 0.0), 0.0)
        return grip * held + (1.0 - grip) * push


class _Units(NamedTuple):
    way: str
    force: str
    mass: str
    damping: str
    spring: str


_SLIDING = _Units("m", "N", "kg", "N s/m", "N/m")
_TURNING = _Units("rad", "N m", "kg m^2", "N m s/rad", "N m/rad")


def _unit(name: str, along: Sequence[float]) -> tuple[float, float, float]:
    """A direction as a unit vector."""
    length = float(np.linalg.norm(along)) if len(along) == 3 else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise InputError(f"Operator '{name}': it moves along {along!r}; give three numbers, no 0.")
    x, y, z = (float(share) / length for share in along)
    return x, y, z


@dataclass(frozen=True)
class Gesture:
    """An intention over time: the finger goes to `depth` [m] in `press` seconds from `time` on,
    stays for `stay`, and leaves in `leave`; each move with the least jerk (Flash & Hogan 1985)."""

    time: float
    depth: float
    press: float = 0.05
    stay: float = 0.2
    leave: float = 0.08

    def __post_init__(self) -> None:
        check_finite("Gesture", **vars(self))
        if not (self.press > 0.0 and self.leave > 0.0 and self.stay >= 0.0):
            raise InputError(
                f"Gesture at {self.time} s: press {self.press}, stay {self.stay} and leave "
                f"{self.leave} s; moves take time."
            )


def intention(gestures: Sequence[Gesture], times: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and speed [m/s] of the intention at each of the times; gestures add up."""
    t = np.asarray(times, dtype=float)
    position, speed = np.zeros_like(t), np.zeros_like(t)
    for gesture in gestures:
        down = gesture.time, gesture.press, gesture.depth
        up = gesture.time + gesture.press + gesture.stay, gesture.leave, -gesture.depth
        for start, duration, distance in (down, up):
            s = np.clip((t - start) / duration, 0.0, 1.0)
            position += distance * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
            speed += distance / duration * 30.0 * s**2 * (1.0 - s) ** 2
    return position, speed

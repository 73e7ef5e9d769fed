"""The Touchback key: a lever with a motor behind a capstan and an encoder (Gillespie 1996, section
4.2), simulated, with a finger over it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp

from touchback import Frame, JointEffort, Model, Revolute, maximum, minimum
from touchback.devices.motors import Motor
from touchback.devices.sensors import Encoder
from touchback.estimate import SmoothDifferentiator, fresh
from touchback.haptics.displays import hold, timed_counts
from touchback.haptics.operator import Operator
from touchback.haptics.wall.laws import Stamp
from touchback.haptics.wall.plant import Device
from touchback.instruments.keyboard.pedals import Pedals
from touchback.model.value import Value

TRAVEL = 0.0873  # rad: five degrees
FRONT = 0.2595  # m from the pivot to the key front, as that of a grand
HOVER = 1e-3  # m over the key, where an idle finger waits
FOLLOWING = 0.012  # s that a finger lags behind a wish: pointers come in steps of a screen's frame


@dataclass(frozen=True)
class KeyDevice:
    """The bare key has the inertia of a piano's key; the motor's, behind 24 : 1, is small beside
    it. The encoder turns eight times as fast as the motor: 5461 counts over five degrees. Gears and
    counts are Gillespie's; constants of motor, lever and bearings are ours."""

    inertia: float = 1.4e-3  # kg m² of the lever, the rotor left out
    damping: float = 4e-3  # N m s/rad of the bearings
    motor: Motor = field(
        default_factory=lambda: Motor(
            torque_constant=0.0234, current_limit=8.0, gearing=24.0, friction=5e-5, inertia=1.5e-7
        )
    )
    encoder: Encoder = field(default_factory=lambda: Encoder(512, gearing=24 * 8))
    smoothing: int = 3  # length of the differentiator

    @property
    def at_front(self) -> Device:
        """The key as it is felt at its front: mass [kg] and damping [N s/m]."""
        inertia = self.inertia + self.motor.reflected_inertia
        return Device(inertia / FRONT**2, self.damping / FRONT**2)

    @property
    def limit(self) -> float:
        """The most that the motor pushes at the front [N]."""
        return self.motor.largest_torque / FRONT


@dataclass(frozen=True)
class Sensed:
    """What a computer knows of the key: depth [m] and speed [m/s] of its front, downwards, as
    sensed at the tick at hand; as they were held since, for what moves between ticks; how many
    ticks there are a second; which device it is; where the pedals are, if there are any; and, where
    the encoder has a timer, what makes it tell the last change of the depth's count."""

    depth: Value
    speed: Value
    held_depth: Value
    held_speed: Value
    rate: float
    device: KeyDevice
    pedals: Pedals | None = None
    timer: Callable[[], Stamp] | None = None


def add_device(m: Model, device: KeyDevice, rate: float, pedals: Pedals | None = None) -> Sensed:
    """Put the key into a model: joint "key", whose angle is positive when its front is down."""
    lever = m.body("key", mass=0.08, inertia=(1e-6, device.inertia, device.inertia))
    m.joint(
        "key", Revolute("-y"), m.ground, lever, armature=device.motor.reflected_inertia,
        damping=device.damping, limits=(0.0, TRAVEL), stop=(2000.0, 3.0),
    )  # fmt: skip
    angle = device.encoder.quantity(device.encoder.reading(m.coordinate("key")))
    speed = fresh(m, "speed", SmoothDifferentiator(1.0 / rate, device.smoothing), angle)
    depth, speed = angle * FRONT, speed * FRONT
    held_depth, held_speed = hold(m, "depth held", depth), hold(m, "speed held", speed)
    size, at, going = device.encoder.resolution, m.coordinate("key"), m.rate("key")

    def timer() -> Stamp:
        return timed_counts(m, "timer", at * FRONT, going * FRONT, size * FRONT, rate)

    return Sensed(depth, speed, held_depth, held_speed, rate, device, pedals, timer)


def push_key(m: Model, device: KeyDevice, force: Value) -> None:
    """Let the motor push the key front up with a force [N], held from tick to tick."""
    command = hold(m, "command", device.motor.current(-force * FRONT))
    m.force("motor", JointEffort("key", device.motor.torque(command, m.rate("key"))))


def add_finger(m: Model, operator: Operator, followed_at: float | None = None) -> None:
    """Put a finger over the key front. Its wish is one gesture, given by five inputs: "finger
    start" [s], "finger depth" [m], "finger press", "finger stay" and "finger leave" [s]; a new
    gesture replaces the old one. The force between finger and key is the sensor "finger force".

    With `followed_at` so many ticks a second there is the input "finger wish" [m] besides: where a
    pointer wants the finger, followed with a lag and added to the gesture."""
    start = m.input("finger start", unit="s", default=-1e6)
    depth = m.input("finger depth", unit="m")
    press = m.input("finger press", unit="s", default=0.05)
    stay = m.input("finger stay", unit="s", default=0.2)
    leave = m.input("finger leave", unit="s", default=0.08)
    operator.add(m, "finger", Frame("key", (-FRONT, 0.0, 0.0)), height=HOVER)
    down, down_speed = _least_jerk((m.time - start) / press)
    up, up_speed = _least_jerk((m.time - start - press - stay) / leave)
    wish = depth * (down - up), depth * (down_speed / press - up_speed / leave)
    if followed_at is not None:
        pointed = m.input("finger wish", unit="m")
        followed = m.memory("wish followed")
        m.set_update(
            "wish followed",
            followed + (1.0 - exp(-1.0 / (followed_at * FOLLOWING))) * (pointed - followed),
        )
        wish = wish[0] + followed, wish[1] + (pointed - followed) / FOLLOWING
    m.control("gesture", lambda: wish, of=[], to=["finger intention", "finger intention rate"])


def _least_jerk(share: Value) -> tuple[Value, Value]:
    """How far a move of the least jerk is at a share of its time, and its speed."""
    s = minimum(maximum(share, 0.0), 1.0)
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * s * s * (1.0 - s) * (1.0 - s)

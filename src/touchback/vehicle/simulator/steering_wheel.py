"""The steering wheel of a simulator: a device on a wire with a person at it, or a simulated one,
held by arms with inertia, muscles, and a late reflex."""

from dataclasses import dataclass, field, replace
from typing import Protocol

import touchback as tb
from touchback import Model, Signal
from touchback.errors import InputError
from touchback.model import Value
from touchback.numbers import MOST, check_finite, number_within
from touchback.vehicle.driven_cars import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers import keep_speed

DEVICE, FELT = "device wheel", "felt torque"


@dataclass(frozen=True)
class Person:
    """His hands are at the device. His feet are inputs "throttle" and "brake" (0 to 1), or a
    `speed` [m/s] is kept for him, as in Docquier's prototype, which has no pedals."""

    speed: float | None = None

    def __post_init__(self) -> None:
        if self.speed is not None:
            said = "Person: a speed that is kept for him must be a number from 0 [m/s]"
            number_within(said, self.speed, 0.0, MOST)

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """What comes in."""
        if self.speed is not None:
            return Commands(0.0, *keep_speed(model, seen, self.speed))
        feet = [model.input(pedal, min=0.0, max=1.0) for pedal in ("throttle", "brake")]
        return Commands(0.0, *feet)


@dataclass(frozen=True)
class Arms:
    """Both arms of a driver, as they act on the rim that they grip:

        T = k (θ_w − θ) − b θ̇ + e θ_w + [k_r (θ_w − θ) + y (T_m + e θ_w)](t − τ)

    with the angle θ_w that he wants, `stiffness` k and `damping` b of tensed muscles [N m/rad,
    N m s/rad], and reflexes after `delay` τ [s]: to stretch, of the gain `reflex` k_r [N m/rad],
    and to the torque T_m of the wheel's motor as far as he doesn't expect it, by the share
    `yielding` y: above zero he gives way to it, below zero he resists. What he expects are
    −`expected` e θ_w [N m/rad], which his muscles give at once: he has learnt it in other cars.
    Their `inertia` [kg m²] turns with the rim. Their passive part is the impedance
    J s² + b s + k. A heavier wheel than he expects is turned less.

    As Pick and Cole (2008): co-contraction, reflexes and a learnt torque. The numbers are ours, of
    no measured driver."""

    inertia: float = 0.09
    stiffness: float = 40.0
    damping: float = 1.5
    reflex: float = 20.0
    delay: float = 0.045
    yielding: float = 0.0
    expected: float = 0.0

    def __post_init__(self) -> None:
        check_finite("Arms", **vars(self))
        positive = {name: x for name, x in vars(self).items() if name != "yielding"}
        if min(positive.values()) < 0.0 or not self.stiffness > 0.0:
            raise InputError(
                f"Arms: {vars(self)}; none but yielding can be below zero, and the stiffness not "
                "zero."
            )
        if not abs(self.yielding) < 1.0:
            raise InputError(
                f"Arms: a yielding of {self.yielding}; give a share of the torque between -1 and 1."
            )

    def torque(
        self, model: Model, wanted: Value, angle: Value, rate: Value, felt: Value, tick: float
    ) -> Value:
        """On the rim [N m], whose motor gives `felt` [N m], in a model that ticks every `tick`
        seconds."""
        off, learnt = wanted - angle, wanted * self.expected
        late = max(round(self.delay / tick) - 1, 0)  # a hold is a tick late already
        answer = off * self.reflex + (felt + learnt) * self.yielding
        reflex = tb.haptics.hold(model, "arms reflex", answer, late)
        return off * self.stiffness - rate * self.damping + learnt + reflex


#: Arms at ease, in a car without power assist, used to the middle one of `CASTERS`: what the wheel
#: asks of them shows in the path.
FEELING_ARMS = Arms(stiffness=12.0, damping=1.0, reflex=6.0, yielding=0.5, expected=9.0)


class SteeringDevice(Protocol):
    """A wheel with a sensor for its angle and a motor, as a model of a car sees it."""

    def add(self, model: Model, wanted: Value, torque: Value, tick: float) -> Value:
        """Gives the angle that its sensor shows [rad]. Its motor turns it back by `torque` [N m],
        what the car's steering wheel takes to be where it is; a driver who is simulated as well
        wants it at `wanted` [rad]."""
        ...


@dataclass(frozen=True)
class WiredWheel:
    """A device outside of the model: input "device wheel" [rad], output "felt torque" [N m] for its
    motor, both to the left: a tick later against the "steering torque" that hands must give.
    `live.connect` takes a device for both. With a `smoothing` [rad/s] the wheel follows the input
    by a critically damped filter: keys and pages give an angle in steps, hands turn it smoothly."""

    smoothing: float = 0.0

    def __post_init__(self) -> None:
        said = "WiredWheel: its smoothing is a number from 0 [rad/s]"
        number_within(said, self.smoothing, 0.0, MOST)

    def add(self, model: Model, wanted: Value, torque: Value, tick: float) -> Value:
        """The input; nobody else wants anything."""
        model.sensor(FELT, Signal(tb.haptics.hold(model, "motor torque", -torque), "N m"))
        asked, w = model.input(DEVICE, unit="rad"), self.smoothing
        if not w:
            return asked
        angle, rate = (
            model.state("hands angle", unit="rad"),
            model.state("hands rate", unit="rad/s"),
        )
        model.set_rate("hands angle", rate)
        model.set_rate("hands rate", w * w * (asked - angle) - 2.0 * w * rate)
        return angle


@dataclass(frozen=True)
class SimulatedWheel:
    """A wheel with a direct drive of 12 N m at most and an encoder of 65536 counts a turn, held by
    `arms`. Numbers are ours. Sensors: "device wheel" [rad], "felt torque" [N m] of its motor."""

    wheel: tb.devices.by_wire.SteeringWheelMotor = field(
        default_factory=lambda: tb.devices.by_wire.SteeringWheelMotor(
            tb.devices.Motor(torque_constant=1.2, current_limit=10.0), inertia=0.04, share=1.0,
            centring=0.0, damping=0.05, encoder=tb.devices.Encoder(16384),
        )
    )  # fmt: skip
    arms: Arms = field(default_factory=Arms)

    def add(self, model: Model, wanted: Value, torque: Value, tick: float) -> Value:
        """The encoder's angle."""
        hand = model.input("arms torque", unit="N m")
        gripped = replace(self.wheel, inertia=self.wheel.inertia + self.arms.inertia)
        turned = gripped.add(model, DEVICE, hand, -torque, tick)
        model.control(
            "arms",
            lambda: self.arms.torque(
                model, wanted, turned.angle, turned.rate, turned.felt, tick
            ),
            of=[], to="arms torque",
        )  # fmt: skip
        model.sensor(DEVICE, Signal(turned.angle, "rad"))
        model.sensor(FELT, Signal(turned.felt, "N m"))
        return self.wheel.encoder.quantity(turned.counts)

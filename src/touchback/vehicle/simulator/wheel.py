"""The steering wheel of a simulator: a device on a wire, or one that is simulated, with arms."""

from dataclasses import dataclass, field, replace
from typing import Protocol

from touchback.devices.by_wire import SteeringWheelMotor
from touchback.devices.motors import Motor
from touchback.devices.sensors import Encoder
from touchback.haptics.displays.sampling import hold
from touchback.model import Model
from touchback.model.sensors import Signal
from touchback.model.value import Value
from touchback.vehicle.simulator.arms import Arms

DEVICE, FELT = "device wheel", "felt torque"


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
    `live.connect` takes a device for both."""

    def add(self, model: Model, wanted: Value, torque: Value, tick: float) -> Value:
        """The input; nobody else wants anything."""
        model.sensor(FELT, Signal(hold(model, "motor torque", -torque), "N m"))
        return model.input(DEVICE, unit="rad")


@dataclass(frozen=True)
class SimulatedWheel:
    """A wheel with a direct drive of 12 N m at most and an encoder of 65536 counts a turn, held by
    `arms`. Numbers are ours. Sensors: "device wheel" [rad], "felt torque" [N m] of its motor."""

    wheel: SteeringWheelMotor = field(
        default_factory=lambda: SteeringWheelMotor(
            Motor(torque_constant=1.2, current_limit=10.0), inertia=0.04, share=1.0, centring=0.0,
            damping=0.05, encoder=Encoder(16384),
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
            lambda: self.arms.torque(model, wanted, turned.angle, turned.rate, tick),
            of=[], to="arms torque",
        )  # fmt: skip
        model.sensor(DEVICE, Signal(turned.angle, "rad"))
        model.sensor(FELT, Signal(turned.felt, "N m"))
        return self.wheel.encoder.quantity(turned.counts)

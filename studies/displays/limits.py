"""The limits of each display at 1 kHz, on a light device that is moved freely and on a heavy one
behind gears, under the simulated finger: relaxed, and gripping firmly."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from studies.displays import models
from studies.displays.loops import Held, Servo, edge
from touchback.haptics.human_operator import Operator
from touchback.haptics.wall.stability_limits import colgate
from touchback.haptics.wall.wall_plant import Device, Finger
from touchback.instruments.keyboard.key_device import KeyDevice
from touchback.system import System

RATE = 1000.0
DEVICES = {
    "motorised key": KeyDevice().at_front,
    "geared slide": Device(mass=2.0, damping=30.0),
}
"""The second is ours: 2 kg of rotor and gears at the handle, that nobody pushes back gladly."""
HANDS = {
    "relaxed": Operator(),
    "firm": Operator(Finger(mass=0.06, damping=9.0, stiffness=900.0)),
}
VIRTUAL = (0.003, 0.03, 0.3, 3.0)  # kg
BANDWIDTHS = (5.0, 10.0, 20.0, 40.0, 80.0)  # Hz
COUPLING = 1.0  # damping of couplings [N s/m]


@dataclass(frozen=True)
class Limit:
    """What was measured on a device [SI]."""

    display: str
    what: str
    device: str
    value: float


def stable_springs(name: str, device: Device) -> Iterator[Limit]:
    """The stiffest springs and couplings that don't swing up."""
    yield Limit(
        "impedance control", "2b/T, any hand [N/m]", name, colgate(device.damping, 1 / RATE)
    )
    for hand, operator in HANDS.items():
        held = Held(device, operator, 1.0 / RATE)
        what = f"stable up to, {hand} [N/m]"
        yield Limit("impedance control", what, name, edge(held.spring, 1.0, 1e7))
    for virtual in VIRTUAL:
        what = f"coupling to {virtual:g} kg stable up to [N/m]"

        def radius(stiffness: float, own: float = virtual) -> float:
            held = Held(device, HANDS["relaxed"], 1.0 / RATE)
            return held.impedance(stiffness, COUPLING, own)

        yield Limit("impedance display", what, name, edge(radius, 10.0, 1e7))


def passive_springs(name: str, device: Device) -> Iterator[Limit]:
    """The stiffest spring and the steepest table that gave a pressing finger nothing."""
    makers: dict[str, Callable[[Device, float], System]] = {
        "impedance control": models.spring, "measured impedance": models.table,
    }  # fmt: skip
    for display, make in makers.items():
        first = 0.5 * colgate(device.damping, 1.0 / RATE)
        found = models.stiffest_passive(partial(make, device), RATE, first)
        yield Limit(display, "gives the finger nothing up to [N/m]", name, found)


def light_masses(name: str, device: Device) -> Iterator[Limit]:
    """The least virtual mass of an admittance display, for each bandwidth of its servo, and the
    fastest servo with a kilogram."""
    for hand, operator in HANDS.items():
        held = Held(device, operator, 1.0 / RATE)
        for bandwidth in BANDWIDTHS:
            servo = Servo.of(device, bandwidth)

            def radius(virtual: float, servo: Servo = servo, held: Held = held) -> float:
                return held.admittance(servo, virtual)

            what = f"least mass, servo of {bandwidth:g} Hz, {hand} [kg]"
            yield Limit("admittance display", what, name, edge(radius, 1e-4, 100.0, upwards=False))

        def faster(bandwidth: float, held: Held = held) -> float:
            return held.admittance(Servo.of(device, bandwidth), 1.0)

        what = f"fastest servo with 1 kg, {hand} [Hz]"
        yield Limit("admittance display", what, name, edge(faster, 20.0, 1e3))


def all_limits() -> Iterator[Limit]:
    """Everything, on both devices."""
    for name, device in DEVICES.items():
        yield from stable_springs(name, device)
        yield from passive_springs(name, device)
        yield from light_masses(name, device)

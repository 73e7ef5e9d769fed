"""A simulated key at the far end of a line: a lever with a motor and an encoder, integrated finely
between its ticks."""

import math
import time

import touchback.realtime as realtime
from touchback.devices.motor import Motor
from touchback.devices.sensors import Encoder
from touchback.devices.serial_line.line import Line
from touchback.devices.serial_line.messages import Ask, Command, Hello, Sample
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.joints import Revolute

PATIENCE = 0.02  # [s] without a command, after which the motor lets go
TICK = 1e-3  # [s] of the microcontroller
TORQUE_PER_UNIT = 1e-4  # [N m]
TRAVEL = math.radians(5.0)
ENCODER = Encoder(512, gearing=24 * 8)
MOTOR = Motor(torque_constant=0.02, current_limit=3.0, gearing=24.0, friction=2e-4, inertia=2e-7)


def lever() -> Model:
    """The bare key: a lever that falls back to rest on a soft stop, with inputs for the torques of
    the motor and of the finger [N m], downwards positive."""
    m = Model("simulated key", gravity=(0.0, 0.0, 0.0))
    key = m.body("key", mass=0.12, inertia=(1e-6, 2e-3, 2e-3))
    m.joint(
        "key", Revolute("y"), m.ground, key, damping=0.01, armature=MOTOR.reflected_inertia,
        limits=(0.0, TRAVEL), stop=(2000.0, 2.0),
    )  # fmt: skip
    motor, finger = m.input("motor torque", unit="N m"), m.input("finger torque", unit="N m")
    current = MOTOR.current(motor)
    m.force("motor", JointEffort("key", MOTOR.torque(current, m.rate("key"))))
    m.force("finger", JointEffort("key", finger))
    return m


class SimulatedKey:
    """What the microcontroller does at each tick, with the lever instead of hardware."""

    def __init__(self, path: str) -> None:
        self._line = Line(path)
        self._run = realtime.live(lever().compile(), rate=1.0 / TICK, speed=None, substeps=20)
        self._run.start()
        self._number, self._units, self._commanded = 0, 0, -math.inf

    def tick(self, now: float, finger_torque: float = 0.0) -> None:
        """Take commands, let the motor go when they stay away, move, send a sample."""
        for message in self._line.received():
            if isinstance(message, Ask):
                counts = 1.0 / ENCODER.resolution
                self._line.send(Hello(True, counts, TORQUE_PER_UNIT, "simulated key"))
            elif isinstance(message, Command):
                self._units, self._commanded = message.torque, now
        if now - self._commanded > PATIENCE:
            self._units = 0
        self._run["motor torque"] = self._units * TORQUE_PER_UNIT
        self._run["finger torque"] = finger_torque
        self._run.run(TICK)
        counts = int(ENCODER.reading(self._run.read("key")))
        self._number += 1
        self._line.send(Sample(self._number, int(now * 1e6), counts, self._units))


def serve(path: str, seconds: float, finger_torque: float) -> None:
    """Be the key on a line, in real time."""
    key = SimulatedKey(path)
    start = due = time.monotonic()
    while due - start < seconds:
        key.tick(time.monotonic() - start, finger_torque)
        due += TICK
        time.sleep(max(0.0, due - time.monotonic()))

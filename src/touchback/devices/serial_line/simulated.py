"""A simulated key at the far end of a line: a lever with a motor and an encoder, integrated finely
between its ticks. Its protocol is that of the firmware (native/wire/far_end.c)."""

import contextlib
import math
import os
import time

import touchback.realtime as realtime
from touchback.devices.motor import Motor
from touchback.devices.sensors import Encoder
from touchback.errors import DeviceError
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.joints import Revolute
from touchback.native.library import LIB
from touchback.native.wire.far_end import AxisData, FarEnd

TICK = 1e-3  # [s] of the microcontroller
TRAVEL = math.radians(5.0)
ENCODER = Encoder(512, gearing=24 * 8)
MOTOR = Motor(torque_constant=0.02, current_limit=3.0, gearing=24.0, friction=2e-4, inertia=2e-7)
AXIS = AxisData(
    "key", position_unit=ENCODER.resolution, velocity_unit=ENCODER.resolution, force_unit=1e-4,
    force=MOTOR.largest_torque, velocity=100.0, low=-TRAVEL, high=2 * TRAVEL,
)  # fmt: skip


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

    def __init__(self, path: str, baud: int = 921600) -> None:
        self._file = LIB.tb_port_open(os.fsencode(path), baud)
        if self._file < 0:
            raise DeviceError(f"Serial line {path!r}: {os.strerror(-self._file)}.")
        self._run = realtime.live(lever().compile(), rate=1.0 / TICK, speed=None, substeps=20)
        self._run.start()
        session = time.monotonic_ns() // 1_000_000 % 255 + 1  # another one after each start
        self._far = FarEnd("simulated key", [AXIS], tick=round(1e6 * TICK), session=session)
        self.torque = 0.0

    def tick(self, now: float, finger_torque: float = 0.0) -> None:
        """Takes what the line brought, moves for a tick, sends a sample."""
        micros = round(1e6 * now)
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._file, 4096):
                self._far.take(part, micros)
        self._run["motor torque"] = self.torque
        self._run["finger torque"] = finger_torque
        self._run.run(TICK)
        state = self._run.snapshot()
        current = self.torque / (MOTOR.torque_constant * MOTOR.gearing)
        (self.torque,) = self._far.tick(micros, [(state["key"], state["key rate"], current)])
        with contextlib.suppress(BlockingIOError):
            os.write(self._file, self._far.waiting())

    def close(self) -> None:
        """Leaves the line."""
        os.close(self._file)


def serve(path: str, seconds: float, finger_torque: float) -> None:
    """Be the key on a line, in real time."""
    key = SimulatedKey(path)
    start = due = time.monotonic()
    while due - start < seconds:
        key.tick(time.monotonic() - start, finger_torque)
        due = max(due + TICK, time.monotonic() - 0.01)
        time.sleep(max(0.0, due - time.monotonic()))

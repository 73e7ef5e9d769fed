"""Simulated devices at the far end of a line: a key (a lever with a motor and an encoder), and
stages of two to six axes, integrated finely between ticks. They speak as firmware does."""

import contextlib
import math
import os
import time
import tty
from collections.abc import Sequence
from dataclasses import replace

import touchback.realtime as realtime
from touchback import JointEffort, Model, Prismatic, Revolute
from touchback.devices.motors import Motor
from touchback.devices.sensors import Encoder
from touchback.devices.threaded_driver import explain_open_failure, path_of
from touchback.errors import DeviceError, InputError
from touchback.model import Place
from touchback.native import LIB
from touchback.native.wire.serial_device_end import AxisData, FarEnd

PTY = "pty"
TICK = 1e-3  # [s] of the microcontroller
TRAVEL = math.radians(5.0)
RESISTANCE = 2.0  # [ohm] of each motor's windings
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


STAGE = AxisData(
    "x", position_unit=1e-5, velocity_unit=1e-5, force_unit=1e-3, force=12.0, velocity=5.0,
    low=-0.12, high=0.12, linear=True,
)  # fmt: skip
WRIST = AxisData(
    "turn z", position_unit=1e-5, velocity_unit=1e-5, force_unit=1e-5, force=0.3, velocity=100.0,
    low=-1.2, high=1.2,
)  # fmt: skip
STAGE_AXES = ("x", "y", "z", "turn z", "turn y", "turn x")


def stage(axes: int) -> Model:
    """A handle of 0.2 kg that two or three motors move along x, y (and z), 0.1 m to each side; with
    more axes it hangs in as many rings of a wrist, 1 rad to each side, about z, then y, then x. It
    has inputs for the forces [N, N m] of motors and of a hand: "x motor", "x hand", …"""
    if not 2 <= axes <= len(STAGE_AXES):
        raise InputError(f"A stage has 2 to {len(STAGE_AXES)} axes, got {axes}.")
    m = Model(f"simulated stage of {axes} axes", gravity=(0.0, 0.0, 0.0))
    parent: Place = m.ground
    for name in STAGE_AXES[:axes]:
        turns, last = name.startswith("turn"), name == STAGE_AXES[min(axes, 3) - 1]
        body = m.body(name, mass=0.0 if turns else 0.2 if last else 0.05, inertia=(2e-4,) * 3)
        if turns:
            m.joint(
                name, Revolute(name[-1]), parent, body, damping=0.01, limits=(-1.0, 1.0),
                stop=(20.0, 0.05),
            )  # fmt: skip
        else:
            m.joint(
                name, Prismatic(name), parent, body, damping=1.0, limits=(-0.1, 0.1),
                stop=(2e4, 50.0),
            )  # fmt: skip
        unit = "N m" if turns else "N"
        pushed = m.input(f"{name} motor", unit=unit) + m.input(f"{name} hand", unit=unit)
        m.force(f"{name} push", JointEffort(name, pushed))
        parent = body
    return m


class SimulatedDevice:
    """What a microcontroller does at each tick, with a model instead of hardware: each axis is a
    joint of it, whose motor and hand are inputs."""

    def __init__(
        self, path: str, name: str, model: Model, axes: Sequence[tuple[str, str, str, AxisData]],
        baud: int = 921600,
    ) -> None:  # fmt: skip
        self._other: int | None = None  # the end that drivers open, of a line of our own
        if path == PTY:
            try:
                self._file, self._other = os.openpty()
            except OSError as error:
                why = explain_open_failure(
                    error.errno or 0, "Give the path of a line that is there."
                )
                raise DeviceError(f"A pseudo-terminal can't be opened: {why}") from None
            for end in (self._file, self._other):
                tty.setraw(end)
            os.set_blocking(self._file, False)
            path = os.ttyname(self._other)
        else:
            path = path_of("SimulatedDevice", path)
            self._file = LIB.tb_port_open(os.fsencode(path), baud)
        if self._file < 0:
            mend = f"It is the far end of a line whose near end is a driver's; {PTY!r} makes one."
            raise DeviceError(f"Serial line {path!r}: {explain_open_failure(-self._file, mend)}")
        self.path = path
        self._run = realtime.live(model.compile(), rate=1.0 / TICK, speed=None, substeps=20)
        self._run.start()
        self._axes = axes
        session = time.monotonic_ns() // 1_000_000 % 255 + 1  # another one after each start
        told = [axis for *_, axis in axes]
        self._far = FarEnd(name, told, tick=round(1e6 * TICK), session=session)
        self.forces, self._began = [0.0] * len(axes), time.monotonic()
        self._tick, self._moved = round(1e6 * TICK), 0  # [µs], and until when it has moved

    @property
    def due(self) -> float:
        """When its next tick is, by `time.monotonic` [s]."""
        return self._began + 1e-6 * (self._moved + self._tick)

    def tick(self, *hands: float) -> None:
        """Takes what the line brought, and moves under the hand's forces until now, by as many
        ticks as have passed: one that came late and moved it no further would be dated later than
        it was, and a driver would find other speeds from positions than it moves with."""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._file, 4096):
                # dated after it was read: a command would come before it was sent otherwise
                now = self._now()
                self._move(now, hands)
                self._far.take(part, now)
        self._move(self._now(), hands)

    def _move(self, until: int, hands: Sequence[float]) -> None:
        passed = (until - self._moved) // self._tick
        if passed < 1:
            return
        self._moved += passed * self._tick
        for (_, motor, hand, _), force, pushed in zip(self._axes, self.forces, hands):
            self._run[motor], self._run[hand] = force, pushed
        self._run.run(passed * TICK)
        state = self._run.snapshot()
        measured, constant = [], MOTOR.torque_constant * MOTOR.gearing
        for (joint, *_), force in zip(self._axes, self.forces):
            speed, current = state[f"{joint} rate"], force / constant
            voltage = RESISTANCE * current + constant * speed
            measured.append((state[joint], speed, current, voltage))
        self.forces = self._far.tick(self._moved, measured)
        with contextlib.suppress(BlockingIOError):
            os.write(self._file, self._far.waiting())

    def _now(self) -> int:
        """The device's time [µs], since it was made."""
        return round(1e6 * (time.monotonic() - self._began))

    def close(self) -> None:
        """Leaves the line."""
        self._run.stop()
        for end in (self._file, self._other):
            if end is not None:
                os.close(end)


def simulated_key(path: str) -> SimulatedDevice:
    """The bare key on a line."""
    axes = [("key", "motor torque", "finger torque", AXIS)]
    return SimulatedDevice(path, "simulated key", lever(), axes)


def simulated_stage(path: str, axes: int) -> SimulatedDevice:
    """A stage of two to six axes on a line."""
    told = [
        (n, f"{n} motor", f"{n} hand", replace(WRIST if n.startswith("turn") else STAGE, name=n))
        for n in STAGE_AXES[:axes]
    ]
    return SimulatedDevice(path, f"simulated stage of {axes} axes", stage(axes), told)


def serve(path: str, seconds: float, *hands: float) -> None:
    """Be the key on a line, in real time; with two to six forces of a hand, a stage. The path "pty"
    is a line of its own, whose driver's end it prints."""
    device = simulated_key(path) if len(hands) == 1 else simulated_stage(path, len(hands))
    if path == PTY:
        print(device.path, flush=True)
    end = time.monotonic() + seconds
    try:
        while (now := time.monotonic()) < end:
            time.sleep(max(0.0, device.due - now))
            device.tick(*hands)
    finally:
        device.close()

"""A simulated wheel with two pedals, at a socket instead of a file of the kernel: a rim with a
motor in arms that hold it somewhere, with effects that end, restart and are erased as those of
Linux are."""

import contextlib
import os
import socket
import struct
import time
from pathlib import Path

import touchback.realtime as realtime
from touchback import JointEffort, Model, Revolute
from touchback.devices.evdev.evdev_description import CODES
from touchback.native import LIB

TICK = 1e-3  # [s]
NAME = "simulated wheel (there is no such device)"
RANGE, PEAK = 15.708, 2.5  # rad from stop to stop (900°), N m
COUNTS = 65535  # of the wheel's axis
RIM, ARMS = 0.04, 0.09  # kg m²
STIFFNESS, DAMPING = 40.0, 1.5  # N m/rad, N m s/rad of arms
CENTRING = 0.2  # of the peak at each end, which it has until somebody switches it off
_UPLOAD, _ERASE, _PLAY, _SET, _TELL = (
    LIB.constant(f"TB_EVDEV_{name}") for name in ("UPLOAD", "ERASE", "PLAY", "SET", "TELL")
)
_SYN, _ABS = 0, 3  # types of events
_GAIN, _AUTOCENTRE = 0x60, 0x61
_RECORD = struct.Struct("<4I48s")
_EFFECT = struct.Struct("<HhHHHHHxxh")  # of a constant force
_EVENT = struct.Struct("<qqHHi")
_STEER, _THROTTLE, _BRAKE = "ABS_X", "ABS_Z", "ABS_RZ"


def rim() -> Model:
    """What turns: inputs for the torques of the motor and of arms [N m], to the left."""
    m = Model("simulated wheel", gravity=(0.0, 0.0, 0.0))
    turned = m.body("wheel", mass=1.0, inertia=(RIM + ARMS,) * 3)
    m.joint("wheel", Revolute("z"), m.ground, turned, damping=0.02)
    motor, hands = m.input("motor", unit="N m"), m.input("hands", unit="N m")
    m.force("torques", JointEffort("wheel", motor + hands))
    return m


class Effects:
    """Constant forces as Linux plays them: for so long, from when they are played or uploaded anew
    while they play."""

    def __init__(self) -> None:
        self.held: dict[int, tuple[float, float]] = {}  # level from −1 to 1, and length [s]
        self.ends: dict[int, float] = {}  # of those that play [s]
        self.gain, self.centring = 1.0, CENTRING

    def take(self, record: bytes, now: float) -> bool:
        """What a driver asks for; whether it wants to be told all axes."""
        kind, first, second, _, effect = _RECORD.unpack(record)
        if kind == _UPLOAD:
            _, number, direction, _, _, length, _, level = _EFFECT.unpack_from(effect)
            side = {0x4000: 1.0, 0xC000: -1.0}.get(direction, 0.0)
            self.held[number] = side * level / 32767.0, 1e-3 * length
            if number in self.ends:
                self.ends[number] = now + self.held[number][1]
        elif kind == _PLAY and first in self.held:
            self.ends[first] = now + self.held[first][1] if second else now
        elif kind == _ERASE:
            self.held.pop(first, None)
            self.ends.pop(first, None)
        elif kind == _SET and first == _GAIN:
            self.gain = second / 0xFFFF
        elif kind == _SET and first == _AUTOCENTRE:
            self.centring = second / 0xFFFF
        return bool(kind == _TELL)

    def torque(self, angle: float, now: float) -> float:
        """Of the motor [N m]."""
        self.ends = {each: end for each, end in self.ends.items() if end > now}
        level = sum(self.held[each][0] for each in self.ends)
        level -= self.centring * angle / (RANGE / 2.0)
        return PEAK * self.gain * max(-1.0, min(1.0, level))


class SimulatedWheel:
    """The wheel at a socket, for a driver at a time; arms take it to `wanted` [rad, to the left]
    within some tenths of a second and hold it there, feet press the pedals (0 to 1)."""

    def __init__(self, path: str, wanted: float, throttle: float = 0.0, brake: float = 0.0) -> None:
        self.path, self.wanted, self.feet = path, wanted, {_THROTTLE: throttle, _BRAKE: brake}
        Path(path).unlink(missing_ok=True)
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(path)
        self._door.listen(1)
        self._door.setblocking(False)
        self._near: socket.socket | None = None
        self._bytes, self._told = b"", dict[str, int]()
        self.effects, self.torque = Effects(), 0.0
        self._run = realtime.live(rim().compile(), rate=1.0 / TICK, speed=None)
        self._run.start()

    def values(self) -> dict[str, int]:
        """What the axes report: the wheel from the left to the right, pedals from full to rest."""
        angle = max(-0.5, min(0.5, self._run["wheel"] / RANGE))
        pedals = {name: round(255 * (1.0 - pressed)) for name, pressed in self.feet.items()}
        return {_STEER: round(COUNTS * (0.5 - angle)), **pedals}

    def _about(self) -> bytes:
        about = LIB.struct("tb_evdev_about")()
        for place, letter in enumerate(NAME.encode()):
            about.name[place] = letter
        about.features = (
            LIB.constant("TB_EVDEV_CONSTANT") | LIB.constant("TB_EVDEV_GAIN")
            | LIB.constant("TB_EVDEV_AUTOCENTRE") | LIB.constant("TB_EVDEV_SIMULATED")
        )  # fmt: skip
        about.effects = 16
        for name, value in self.values().items():
            axis = about.axes[CODES[name]]
            axis.value, axis.most = value, COUNTS if name == _STEER else 255
            about.present |= 1 << CODES[name]
        return bytes(about)

    def _admit(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._near, _ = self._door.accept()
            self._near.sendall(self._about())
            self._near.setblocking(False)
            self._bytes, self._told = b"", self.values()

    def _leave(self) -> None:
        """The driver has gone: its effects are erased."""
        if self._near is not None:
            self._near.close()
        self._near = None
        self.effects.held, self.effects.ends = {}, {}

    def _listen(self, now: float) -> None:
        near = self._near
        while near is not None and self._near is near:
            try:
                part = near.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                part = b""
            if not part:
                self._leave()
            self._bytes += part
            while len(self._bytes) >= _RECORD.size:
                record, self._bytes = (
                    self._bytes[: _RECORD.size],
                    self._bytes[_RECORD.size :],
                )
                if self.effects.take(record, now):
                    self._told = {}

    def _report(self) -> None:
        values = self.values()
        news = [(name, value) for name, value in values.items() if self._told.get(name) != value]
        if self._near is None or not news:
            return
        seconds, rest = divmod(time.monotonic_ns(), 1_000_000_000)
        events = [(_ABS, CODES[name], value) for name, value in news]
        parts = [_EVENT.pack(seconds, rest // 1000, *each) for each in [*events, (_SYN, 0, 0)]]
        try:
            self._near.send(b"".join(parts))
        except BlockingIOError:
            return
        except OSError:
            self._leave()
        self._told = values

    def tick(self, now: float) -> None:
        """Takes what the driver sent, moves for a tick, reports what changed."""
        if self._near is None:
            self._admit()
        self._listen(now)
        angle, rate = self._run["wheel"], self._run["wheel rate"]
        self.torque = self.effects.torque(angle, now)
        self._run["motor"] = self.torque
        self._run["hands"] = STIFFNESS * (self.wanted - angle) - DAMPING * rate
        self._run.run(TICK)
        self._report()

    def close(self) -> None:
        """Unplugs it."""
        self._leave()
        self._door.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        self._run.stop()


def serve(path: str, seconds: float, wanted: float, throttle: float, brake: float) -> None:
    """Be the wheel at a socket, in real time."""
    device = SimulatedWheel(path, wanted, throttle, brake)
    print(f"evdev:{path}", flush=True)
    start = due = time.monotonic()
    try:
        while due - start < seconds:
            device.tick(time.monotonic())
            due = max(due + TICK, time.monotonic() - 0.01)
            time.sleep(max(0.0, due - time.monotonic()))
    finally:
        device.close()

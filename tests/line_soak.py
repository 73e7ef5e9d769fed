"""What a run makes of a line that is pulled, flooded with garbage and damaged, and of resets: the
firmware's positions are 7 counts for each millisecond of its own clock, so that a value that was
never sent, or is old, shows."""

import contextlib
import random
import time
from dataclasses import dataclass, field

import numpy as np

import touchback as tb
from emulated_key import EmulatedKey
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from touchback.realtime import open_recording

MAX_AGE, OLDEST = 0.02, 0.02  # [s] without a message; of a sample that is still used
LATE = 0.1  # [s]: ticks count silence, and a machine with other work makes them late
STALE = 1  # flag of a tick
TORQUE = 0.3


def pressing() -> tb.System:
    """A torque that is always on; only the watchdogs take it away."""
    m = tb.Model("pressing")
    angle = m.input("angle", unit="rad")
    m.sensor("torque", tb.Signal(TORQUE + 0.0 * angle, "N m"))
    return m.compile()


@dataclass
class Found:
    """What was seen in a soak."""

    disturbances: dict[str, int] = field(default_factory=dict)
    ticks: int = 0
    torn: int = 0
    stale: int = 0
    forced: int = 0  # ticks with a force though the input was stale
    longest: float = 0.0  # [s] that the device's force outlived a command
    sessions: int = 0
    recoveries: list[float] = field(default_factory=list)  # [s]
    safe_ticks: int = 0
    looks: int = 0  # at how samples are dated
    misdated: float = -np.inf  # [s] beyond what their doubts allow, at most
    doubt: float = 0.0  # [s] of a date, at most
    damaged: int = 0

    def told(self) -> str:
        """In a line."""
        return (
            f"{self.ticks} ticks, {self.disturbances}, {self.sessions} sessions, {self.damaged} "
            f"damaged frames: {self.torn} torn, {self.stale} stale, {self.forced} forced; longest "
            f"{1e3 * self.longest:.3f} ms; recovery {np.median(self.recoveries):.2f} s, at most "
            f"{max(self.recoveries):.2f} s; {self.safe_ticks} ticks safe; {self.looks} looks at "
            f"dates, {1e3 * self.misdated:.3f} ms beyond their doubt of {1e3 * self.doubt:.3f} ms"
        )


def soak(key: EmulatedKey, seconds: float, seed: int, every: float = 1.0) -> Found:
    """Disturbs a key in emulation for so long and looks at every tick."""
    found, draw = Found(), random.Random(seed)
    with SerialDevice(key.path, patience=20.0, oldest=OLDEST) as device:
        end = time.monotonic() + seconds
        while time.monotonic() < end:  # a recording for each minute
            _spell(key, device, found, draw, min(60.0, end - time.monotonic()), every)
        found.sessions = device.sessions
        found.damaged = device.counts["damaged"]
    return found


def _spell(key, device, found, draw, seconds, every) -> None:
    path = key.folder / "spell.mcap"
    live = tb.live(
        pressing(), rate=1000, record=path, inputs={"angle": WatchedInput(max_age=MAX_AGE)},
        outputs={"torque": GuardedOutput(safe=0.0, low=-1.0, high=1.0)},
    )  # fmt: skip
    with live:
        live.connect("angle", device)
        live.connect("torque", device)
        end = time.monotonic() + seconds
        _recovered(live, device)
        while time.monotonic() < end:
            _look(device, found)
            _disturb(key, found, draw)
            began = time.monotonic()
            time.sleep(0.3)  # an unplugged line takes 0.1 to 0.5 s to come back
            _recovered(live, device)
            found.recoveries.append(time.monotonic() - began)
            time.sleep(max(0.0, draw.random() * every))
        _look(device, found)
    _judge(path, device, found)
    path.unlink()


def _disturb(key, found, draw) -> None:
    what = draw.choice(["unplug", "garbage", "damage", "reset", "flood"])
    found.disturbances[what] = found.disturbances.get(what, 0) + 1
    if what == "reset":
        key.reset()
    elif what == "unplug":
        key.disturb(f"unplug {draw.uniform(0.05, 0.5):.3f}")
    elif what == "damage":
        key.disturb(f"damage {draw.randrange(500, 5000)}")
    else:
        for _ in range(20 if what == "flood" else 1):
            key.disturb(f"garbage {draw.randrange(1, 200)}")


def _recovered(live, device) -> None:
    """By itself: nobody asks for it."""
    end = time.monotonic() + 60.0
    while not (device.connected and live.faults == () and live.read("torque") == TORQUE):
        assert time.monotonic() < end, (live.faults, device.events[-5:], device.counts)
        time.sleep(5e-3)


def _look(device, found) -> None:
    """What the device counts in this session, and whether samples are dated rightly."""
    with contextlib.suppress(tb.DeviceError):  # disturbed: it is asked again
        found.longest = max(found.longest, 1e-6 * device.device_counts()["longest"])
    within: dict[int, list[tuple[float, float]]] = {}  # by session: a reset sets the clock to zero
    for _ in range(20):
        reading = device.latest()
        if reading.time > 0.0:
            offset = reading.time - reading.device_time
            bounds = offset - reading.doubt, offset + reading.doubt
            within.setdefault(reading.session, []).append(bounds)
        time.sleep(1e-3)
    for bounds in within.values():  # where the device's clock is in truth, they have in common
        found.looks += 1
        lowest, highest = (pick(bound) for pick, bound in zip((max, min), zip(*bounds)))
        found.misdated = max(found.misdated, lowest - highest)
        found.doubt = max(found.doubt, *((high - low) / 2 for low, high in bounds))


def _judge(path, device, found) -> None:
    recording = open_recording(path)
    flags = recording.column("flags").astype(int)
    angle, torque = recording.column("angle"), recording.column("torque")
    age, stale = 1e-9 * recording.column("input age"), flags & STALE != 0
    counts = angle / device.axes[0].position_unit
    whole = np.abs(counts - np.round(counts)) < 1e-3
    found.ticks += len(counts)
    found.torn += int(np.count_nonzero((angle != 0.0) & ~(whole & (np.round(counts) % 7 == 0))))
    old = ~stale & (torque != 0.0) & (age > OLDEST + MAX_AGE + LATE)
    found.stale += int(np.count_nonzero(old))
    found.forced += int(np.count_nonzero(stale & (torque != 0.0)))
    found.safe_ticks += int(np.count_nonzero(stale))

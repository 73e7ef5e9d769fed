"""The Touchback key: a lever with a motor behind a capstan and an encoder (Gillespie 1996, section
4.2), simulated, with a finger over it; what a voice answers, the notes that are counted, and the
string that is felt.

The string: after a strike its lowest modes shake the key, until it is damped. Of real pianos: peaks
of 13 to 35 µm on a grand and up to 80 µm, most of it below 500 Hz (Flückiger, Grosshauser &
Tröster 2018), felt from the bass to about D5 (Fontana et al. 2017).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, pi

import numpy as np

import touchback as tb
from touchback import (
    Frame,
    JointEffort,
    Model,
    Revolute,
    Signal,
    cos,
    maximum,
    minimum,
    select,
    sin,
)
from touchback.haptics import Device, Operator, Stamp, hold, timed_counts
from touchback.instruments.keyboard.keyboard_pedals import Pedals
from touchback.instruments.sound import Note, piano_string
from touchback.instruments.sound.vibrating_strings import DAMPER_DECAY
from touchback.model import Value

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
    motor: tb.devices.Motor = field(
        default_factory=lambda: tb.devices.Motor(
            torque_constant=0.0234, current_limit=8.0, gearing=24.0, friction=5e-5, inertia=1.5e-7
        )
    )
    encoder: tb.devices.Encoder = field(
        default_factory=lambda: tb.devices.Encoder(512, gearing=24 * 8)
    )
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
    return sense_key(m, device, rate, m.coordinate("key"), m.rate("key"), pedals)


def sense_key(
    m: Model, device: KeyDevice, rate: float, angle: Value, going: Value,
    pedals: Pedals | None = None,
) -> Sensed:  # fmt: skip
    """What the encoder, its timer and the differentiator make of a key's angle [rad] and the rate
    at which it changes."""
    counted = device.encoder.quantity(device.encoder.reading(angle))
    speed = tb.estimate.filter_this_tick(
        m, "speed", tb.estimate.SmoothDifferentiator(1.0 / rate, device.smoothing), counted
    )
    depth, speed = counted * FRONT, speed * FRONT
    held_depth, held_speed = hold(m, "depth held", depth), hold(m, "speed held", speed)
    size = device.encoder.resolution

    def timer() -> Stamp:
        return timed_counts(m, "timer", angle * FRONT, going * FRONT, size * FRONT, rate)

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


# ---- voices and their answers --------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a voice says at a tick: the force at the key front [N], upwards; whether the string (or
    pipe) is being sounded, how loudly (a hammer's speed [m/s], a plectrum's force [N]), and whether
    it may ring: 1, or less as far as a damper lies on it. `held`, where that isn't the same, says
    whether the key itself lets it ring."""

    force: Value
    sounding: Value
    loudness: Value
    ringing: Value
    held: Value | None = None

    @property
    def down(self) -> Value:
        """Whether the key is held."""
        return self.ringing if self.held is None else self.held


Voice = Callable[[Model, Sensed], Answer]
LEVERAGE = 5.0  # how much faster than a key front the hammer of a grand action is
# ---- notes that a key plays, caught at ticks -----------------------------------------------------

REPORTED = ("notes", "loudness", "note time", "ringing", "held", "una corda")
SOFTEST = 0.18  # of loudness that is heard: the softest of 2300 tones, m/s (Goebl et al. 2005)


def add_strikes(
    m: Model, heard: Answer, una_corda: Value = 0.0, stays: Value | None = None
) -> None:
    """Count a note at each tick where an answer's `sounding` begins to hold, and keep how loud it
    is (`loudness` one tick earlier, before what sounds it takes it away), when, and where the pedal
    for `una_corda` was. Sensors "notes", "loudness", "note time" [s], "ringing" (1: the damper is
    off, 0: it is on), "held" (the key is) and "una corda". Where `stays` is 0, at a tick at which
    another voice is chosen, none is counted: a ball that lies there is no note."""
    now = select(heard.sounding, 1.0, 0.0)
    before = m.memory("sounded", update=now)
    last = m.memory("loudness before", update=heard.loudness)
    began = now * (1.0 - before) * select(last > SOFTEST, 1.0, 0.0)
    if stays is not None:
        began = began * stays
    count = m.memory("note count")
    m.set_update("note count", count + began)
    kept = m.memory("note loudness")
    m.set_update("note loudness", select(began, last, kept))
    when = m.memory("note began")
    m.set_update("note began", select(began, m.time, when))
    free = m.memory("damper off", update=heard.ringing)
    down = m.memory("key held", update=heard.down)
    shifted = m.memory("note una corda")
    m.set_update("note una corda", select(began, una_corda, shifted))
    for name, value in zip(REPORTED, (count, kept, when, free, down, shifted), strict=True):
        m.sensor(name, Signal(value, "s" if name == "note time" else ""))


# ---- the string felt in the key ------------------------------------------------------------------

LEVEL = "vibration"  # live: the share of the bridge's force that reaches the key front
MODES = 3
HIGHEST_FREQUENCY = 500.0  # Hz: faster ones are hardly felt
FASTEST_SHARE = 1.0 / 3.0  # of the ticks a second: what held forces can show
STRONGEST = 3.0  # N at the key front, whatever was played
_SPEED = 1.5  # m/s, for which a string's amplitudes are taken
_FREQUENCY = "string frequency"
_PUSHES = tuple(f"string push {k + 1}" for k in range(MODES))


def strings_felt(note: int) -> dict[str, float]:
    """The parameters of a key for the string of its note: the frequency [Hz], and what its lowest
    modes bring to the bridge for each m/s of the hammer [N s/m]."""
    cosine, sine = Note(0.0, note, speed=_SPEED).vibration().bridge_amplitudes()
    pushes = np.zeros(MODES)
    found = np.hypot(cosine, sine)[:MODES] / _SPEED
    pushes[: len(found)] = found
    values = {_FREQUENCY: piano_string(note).frequency}
    return values | dict(zip(_PUSHES, pushes.tolist(), strict=True))


def add_vibration(m: Model, rate: float, note: int = 60) -> Value:
    """The force at the key front [N] of a string that the strikes of the key have sounded: sensors
    "notes", "loudness" and "ringing" tell of them, a tick later. Nothing unless the live parameter
    "vibration" is turned up. The force follows no motion, and is bounded: it can feed a finger
    only what a string would."""
    usual = strings_felt(note)
    level = m.parameter(LEVEL, 0.0, min=0.0, max=1.0)
    frequency = m.parameter(_FREQUENCY, usual[_FREQUENCY], unit="Hz", min=20.0, max=5000.0)
    count = m.signal("notes")
    struck = count > m.memory("notes felt", update=count) + 0.5
    blow = select(struck, m.signal("loudness"), 0.0)
    free = minimum(maximum(m.signal("ringing"), 0.0), 1.0)  # less as far as a damper lies on it
    fade = 1.0 - (1.0 - exp(-DAMPER_DECAY / rate)) * (1.0 - free)
    sigma = piano_string(note).decay[0]
    total: Value = 0.0
    for k, name in enumerate(_PUSHES):
        push = m.parameter(name, usual[name], unit="N s/m", min=0.0, max=100.0)
        pitch = (k + 1) * frequency
        shown = select(pitch < min(HIGHEST_FREQUENCY, FASTEST_SHARE * rate), push, 0.0)
        turn, wind = cos(pitch * (2.0 * pi / rate)), sin(pitch * (2.0 * pi / rate))
        even, odd = m.memory(f"felt even {k + 1}"), m.memory(f"felt odd {k + 1}")
        kept = exp(-float(sigma) / rate) * fade
        m.set_update(f"felt even {k + 1}", kept * (turn * even - wind * odd))
        m.set_update(f"felt odd {k + 1}", kept * (wind * even + turn * odd) + blow * shown)
        total = total + even
    return minimum(maximum(level * total, -STRONGEST), STRONGEST)

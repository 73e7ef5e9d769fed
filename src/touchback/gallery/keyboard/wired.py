"""Keys on a wire: a voice felt on real motorised keys, each an axis of a device."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.devices.serial_line import SerialDevice
from touchback.errors import DeviceError, InputError
from touchback.estimate import SmoothDifferentiator, fresh
from touchback.gallery.keyboard.device import FRONT, KeyDevice, Sensed
from touchback.gallery.keyboard.keys import note_name, notes_of, tune
from touchback.gallery.keyboard.listener import Ear, Hearing
from touchback.gallery.keyboard.player import METHOD, steps_at
from touchback.gallery.keyboard.strikes import REPORTED, add_strikes
from touchback.gallery.keyboard.vibration import add_vibration
from touchback.gallery.keyboard.voices import Voice, voice_called
from touchback.haptics.displays import hold
from touchback.model import Model
from touchback.model.sensors import Signal
from touchback.realtime import GuardedOutput, WatchedInput, live
from touchback.realtime.report import Report
from touchback.system.copies import copies

ANGLE, TORQUE = "angle", "torque"
MAX_AGE = 0.02  # s without a position, after which the motors let go
SOFT_START = 0.3  # s


def wired_key(voice: str | Voice = "piano", rate: float = 1000.0) -> Model:
    """A voice without a key: input "angle" [rad, front down positive, 0 at rest], output "torque"
    [N m] for the motor, which pushes the front up as the voice does."""
    m = Model(f"key on a wire ({voice if isinstance(voice, str) else 'a law'})")
    own = KeyDevice()
    angle = m.input(ANGLE, unit="rad")
    speed = fresh(m, "speed", SmoothDifferentiator(1.0 / rate, own.smoothing), angle) * FRONT
    depth = angle * FRONT
    held = hold(m, "depth held", depth), hold(m, "speed held", speed)
    felt = (voice_called(voice) if isinstance(voice, str) else voice)(
        m, Sensed(depth, speed, *held, rate, own)
    )
    add_strikes(m, felt)
    m.sensor(TORQUE, Signal((felt.force + add_vibration(m, rate)) * -FRONT, "N m"))
    m.report(TORQUE, *REPORTED)
    return m


def guarded(limit: float) -> GuardedOutput:
    """A motor that starts softly and gives no more than its device says [N m]."""
    return GuardedOutput(low=-limit, high=limit, at_limit="clip", soft_start=SOFT_START)


@dataclass(frozen=True)
class WiredKey:
    """An axis of a device that is a key: `gain` corrects its force, 1.0 as it says."""

    device: SerialDevice
    axis: int = 0
    gain: float = 1.0


def play_wired(
    keys: Sequence[WiredKey],
    voice: str | Voice = "piano",
    *,
    seconds: float,
    ear: Ear,
    rate: float = 1000.0,
    record: bool | str = False,
) -> Report:
    """Lets fingers play keys on wires, named by white notes from middle C, for so long. The motors
    start softly and let go where positions stay away. A fault that lasts ends it."""
    if not keys:
        raise InputError("There is no key to play: give a device.")
    notes = notes_of(len(keys))
    names = [note_name(note) for note in notes]
    system = copies(wired_key(voice, rate).compile(), names)
    tune(system, notes)
    guards = {
        f"{name}/{TORQUE}": guarded(key.device.axes[key.axis].force)
        for name, key in zip(names, keys)
    }
    inputs = {f"{name}/{ANGLE}": WatchedInput(max_age=MAX_AGE) for name in names}
    run = live(
        system, rate=rate, substeps=steps_at(rate), method=METHOD, inputs=inputs, outputs=guards,
        record=record,
    )  # fmt: skip
    with run:
        for name, key in zip(names, keys):
            run.connect(f"{name}/{ANGLE}", key.device.channel("position", key.axis))
            force = key.device.channel("force", key.axis, gain=key.gain)
            run.connect(f"{name}/{TORQUE}", force)
        hearing = Hearing(run, notes, [f"{name}/" for name in names], ear)
        while run.read("time") < seconds:
            run.run(0.005)
            hearing.look()
            if lasting := [fault for fault in run.faults if fault != "stale input"]:
                raise DeviceError(
                    f"The keys let go after {run.read('time'):.3g} s: {', '.join(lasting)}. See "
                    "what the voice's law gives there, and start anew."
                )
    return run.report()

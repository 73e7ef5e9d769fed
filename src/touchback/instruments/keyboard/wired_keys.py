"""Keys on a wire: a voice felt on real motorised keys, each an axis of a device."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import touchback as tb
from touchback import Live, Model, Report, Signal, copies, live, minimum
from touchback.errors import DeviceError, InputError
from touchback.haptics import hold
from touchback.instruments.keyboard.key_device import (
    FRONT,
    REPORTED,
    KeyDevice,
    Sensed,
    add_strikes,
    add_vibration,
)
from touchback.instruments.keyboard.key_mechanisms import Voice, voice_called
from touchback.instruments.keyboard.keyboard_model import note_name, notes_of, tune
from touchback.instruments.keyboard.keyboard_pedals import PEDALS, Foot, add_pedals
from touchback.instruments.keyboard.keyboard_player import (
    KEYBOARD_METHOD,
    SETTLING_TIME,
    NoteCallbacks,
    NoteDetector,
    steps_at,
)
from touchback.instruments.keyboard.keyboard_regulation import (
    DEFAULT_REGULATION,
    Regulation,
    regulate,
    screws_of,
)
from touchback.model import flatten

ANGLE, TORQUE = "angle", "torque"
FOLLOW, FOLLOWED = "follow", "followed"
MAX_AGE = 0.02  # s without a position, after which the motors let go
SOFT_START = 0.3  # s
_LOOK = 0.005  # s between looks at what the keys do


def wired_key(voice: str | Voice = "piano", rate: float = 1000.0) -> Model:
    """A voice without a key: input "angle" [rad, front down positive, 0 at rest], output "torque"
    [N m] for the motor, which pushes the front up as the voice does; and the pedals' inputs.

    A key is anywhere when its first position comes, or the first after a loss: taken at once it
    were the hardest blow. So the voice's key rests until the input "follow" is 1, and then comes to
    the real one within 0.6 s: "followed" is how far it has, 1 when it is where that is."""
    m = Model(f"key on a wire ({voice if isinstance(voice, str) else 'a law'})")
    own, pedals = KeyDevice(), add_pedals(m)
    follow = m.input(FOLLOW, min=0.0, max=1.0)
    before = m.memory("followed before")
    followed = minimum(before + 1.0 / (rate * SETTLING_TIME), 1.0) * follow
    m.set_update("followed before", followed)
    angle = m.input(ANGLE, unit="rad") * followed
    speed = (
        tb.estimate.filter_this_tick(
            m, "speed", tb.estimate.SmoothDifferentiator(1.0 / rate, own.smoothing), angle
        )
        * FRONT
    )
    depth = angle * FRONT
    held = hold(m, "depth held", depth), hold(m, "speed held", speed)
    felt = (voice_called(voice) if isinstance(voice, str) else voice)(
        m, Sensed(depth, speed, *held, rate, own, pedals)
    )
    add_strikes(m, felt, pedals.una_corda)
    m.sensor(TORQUE, Signal((felt.force + add_vibration(m, rate)) * -FRONT, "N m"))
    m.sensor(FOLLOWED, Signal(before))
    m.report(TORQUE, *REPORTED, FOLLOWED)
    return m


def make_playable_key(
    voice: str | Voice, rate: float = 1000.0, regulation: Regulation = DEFAULT_REGULATION
) -> Model:
    """A voice for keys on wires, refused where they can't play it or its screws can't be turned so:
    to be asked before a motor moves."""
    key = wired_key(voice, rate)
    if flatten(key).modes:
        raise InputError(
            f"The voice '{voice}' has modes, each key of which runs by itself; keys on wires share "
            "one run. Take 'piano'."
        )
    regulation.check(screws_of(key.all_parameters()), "Regulation")
    return key


class KeyFollower:
    """Lets the voices of a live run follow their keys, of which prefixes are given, while positions
    come."""

    def __init__(self, run: Live, keys: Sequence[str]) -> None:
        self._run, self._keys = run, list(keys)
        self._stale, self._follows, self._there = 0, False, False

    def look(self) -> bool:
        """Whether every voice is where its key is, and was at the look before; called often."""
        report = self._run.report()
        stale, self._stale = report.counts["stale"] - self._stale, report.counts["stale"]
        come = all(report.ports[f"{key}{ANGLE}"]["messages"] for key in self._keys)
        if self._follows != (come and not stale):
            self._follows = not self._follows
            self._run[FOLLOW] = float(self._follows)
        there = self._follows and self._run.read(f"{self._keys[0]}{FOLLOWED}") >= 1.0
        was, self._there = self._there, there
        return was and there


def guard_motor(limit: float) -> tb.devices.GuardedOutput:
    """A motor that starts softly and gives no more than its device says [N m]."""
    return tb.devices.GuardedOutput(low=-limit, high=limit, at_limit="clip", soft_start=SOFT_START)


@dataclass(frozen=True)
class WiredKey:
    """An axis of a device that is a key, so a lever: `gain` corrects its force, 1.0 as it says."""

    device: tb.devices.SerialDevice
    axis: int = 0
    gain: float = 1.0

    def __post_init__(self) -> None:
        found = self.device.axis(self.axis)
        if found.linear:
            raise InputError(
                f"{self.device.name!r}, axis {found.name!r}: it is linear (m, N), and a key is a "
                "lever (rad, N m); let its firmware tell the key's angle and torque."
            )

    @property
    def limit(self) -> float:
        """The most that its motor gives [N m]."""
        return self.device.axis(self.axis).force


def play_wired(
    keys: Sequence[WiredKey],
    voice: str | Voice = "piano",
    *,
    seconds: float,
    ear: NoteCallbacks,
    rate: float = 1000.0,
    record: bool | str = False,
    feet: Callable[[float], Sequence[Foot]] = lambda now: (),
    regulation: Regulation = DEFAULT_REGULATION,
) -> Report:
    """Lets fingers play keys on wires, named by white notes from middle C, for so long after the
    voices have come to where the keys are. The motors start softly and let go where positions stay
    away; what sounds before voices and keys are together (again) is not heard. `feet` is asked
    every few milliseconds what pedals do. A fault that lasts ends it."""
    if not keys:
        raise InputError("There is no key to play: give a device.")
    key = make_playable_key(voice, rate, regulation)
    notes = notes_of(len(keys))
    names = [note_name(note) for note in notes]
    system = copies(key.compile(), names, shared=(*PEDALS, FOLLOW))
    tune(system, notes)
    regulate(system, notes, regulation)
    guards = {f"{name}/{TORQUE}": guard_motor(key.limit) for name, key in zip(names, keys)}
    inputs = {f"{name}/{ANGLE}": tb.devices.WatchedInput(max_age=MAX_AGE) for name in names}
    run = live(
        system, rate=rate, substeps=steps_at(rate), method=KEYBOARD_METHOD, inputs=inputs,
        outputs=guards,
        record=record,
    )  # fmt: skip
    with run:
        for name, each in zip(names, keys):
            run.connect(f"{name}/{ANGLE}", each.device.channel("position", each.axis))
            force = each.device.channel("force", each.axis, gain=each.gain)
            run.connect(f"{name}/{TORQUE}", force)
        prefixes = [f"{name}/" for name in names]
        hearing, following = NoteDetector(run, notes, prefixes, ear), KeyFollower(run, prefixes)
        while (now := run.read("time")) < SETTLING_TIME + seconds:
            for foot in feet(now):
                for pedal, place in foot.inputs.items():
                    run[pedal] = place
            run.run(_LOOK)
            hearing.look(following.look)
            if lasting := [fault for fault in run.faults if fault != "stale input"]:
                raise DeviceError(
                    f"The keys let go after {run.read('time'):.3g} s: {', '.join(lasting)}. See "
                    "what the voice's law gives there, and start anew."
                )
    return run.report()

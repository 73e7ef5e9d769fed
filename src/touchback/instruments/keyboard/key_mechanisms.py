"""What a motorised key can be: a voice puts a virtual mechanism into the model and says what is
felt and heard.

Walls are those of the haptics room, in the middle of the travel, from counts.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from touchback import JointEffort, Model, Prismatic, maximum, minimum, select
from touchback.callback_signature import check_takes
from touchback.errors import InputError
from touchback.haptics import (
    LIVE_FASTEST,
    LIVE_HEAVIEST,
    LIVE_SLOWEST,
    LIVE_STIFFEST,
    WALLS,
    ChosenWall,
    CountIntervalEstimator,
    EnergyBalanced,
    HalfSample,
    KalmanEstimator,
    MeasuredImpedance,
    WallDisplay,
)
from touchback.instruments.keyboard.key_device import (
    FRONT,
    LEVERAGE,
    SOFTEST,
    TRAVEL,
    Answer,
    Sensed,
    Voice,
)
from touchback.instruments.keyboard.keyboard_pedals import DamperLift
from touchback.instruments.piano.action_specification import Specification, damper_depth
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import piano_action_with_modes
from touchback.model import Value, value
from touchback.names import suggestion

# ---- the grand action as a table of measured forces ----------------------------------------------

FILE = "measured_action.json"  # `python -m studies measured --keep` made it


@lru_cache(maxsize=1)
def measured_action() -> MeasuredImpedance:
    """Force over depth [m] and speed [m/s] of the key front, and a mass over depth, that fit a
    record of the moved action best; what the action remembers is lost."""
    kept = json.loads(files(__package__).joinpath(FILE).read_text())
    tables = {name: tuple(kept[name]) for name in ("positions", "velocities", "forces", "masses")}
    return MeasuredImpedance(**tables, residual=kept["residual"], filled=kept["filled"])


# ---- walls ---------------------------------------------------------------------------------------

MIDDLE = 4.75e-3  # m, half of a grand's dip
STIFFNESS = 2500.0  # N/m, until a player turns it


def walls(m: Model, key: Sensed) -> Answer:
    """Every wall in one key: `live.choose("wall", …)` takes another, live parameters tune it."""
    display = ChosenWall(
        STIFFNESS, device=key.device.at_front, resolution=_count(key), limit=key.device.limit
    )
    return _felt(m, key, display)


def wall_voice(law: str) -> Voice:
    """A key that is one wall of the laboratory, with an observer of its counts; "balanced" with
    counts as intervals, stamped. Live parameters: "wall stiffness" [N/m], "wall damping" [N s/m],
    "wall rate" [Hz]."""

    def voice(m: Model, key: Sensed) -> Answer:
        usual, count = min(max(key.rate, LIVE_SLOWEST), LIVE_FASTEST), _count(key)
        balanced = law == "balanced"
        display = WallDisplay(
            m.parameter("wall stiffness", STIFFNESS, unit="N/m", min=0.0, max=LIVE_STIFFEST),
            m.parameter("wall damping", 0.0, unit="N s/m", min=0.0, max=LIVE_HEAVIEST),
            EnergyBalanced(HalfSample(), count) if balanced else law,
            key.device.at_front,
            rate=m.parameter("wall rate", usual, unit="Hz", min=LIVE_SLOWEST, max=LIVE_FASTEST),
            sense=CountIntervalEstimator(count) if balanced else KalmanEstimator(count),
            limit=key.device.limit,
        )
        return _felt(m, key, display)

    return voice


def _count(key: Sensed) -> float:
    """Of the encoder, at the key's front [m]."""
    return key.device.encoder.resolution * FRONT


def _felt(m: Model, key: Sensed, display: ChosenWall | WallDisplay) -> Answer:
    """A wall in the middle, told when its counts change where the key has a timer. It sounds when
    it is met, as loudly as a hammer five times as fast as the key."""
    stamp = key.timer() if key.timer else None
    if stamp is not None:
        stamp = stamp._replace(edge=MIDDLE - stamp.edge)
    force = display.fresh(m, "wall", MIDDLE - key.depth, -key.speed, key.rate, stamp=stamp)
    met = key.depth > MIDDLE
    return Answer(force, met, LEVERAGE * key.speed, met)


#: Keys that are walls, by name: all of them in one, or one of them alone.
WALL_VOICES: dict[str, Voice] = {
    "walls": walls,
    **{f"wall-{law}": wall_voice(law) for law in (*WALLS, "balanced")},
}
# ---- voices --------------------------------------------------------------------------------------

Law = Callable[[Value, Value], Value]
SPECIFICATION = Specification()  # of the action behind the middle key
TAKEN_UP = 7e-4  # m of depth over which a spring that lies on its stop takes up its preload
VIRTUAL_KEY = 0.05  # of a piano key's mass that stays virtual: the rest is the device's own
COUPLING = 4.0, 8.0  # N/m for each tick a second, N s/m: between key and virtual action
NEAR = 8e-3  # m: as far from the string as the fastest hammer comes in a tick of 1 ms
DIP = 9.5e-3  # m, of all but the harpsichord
BED = "key bed stiffness", "key bed damping"


class VoiceNumber(NamedTuple):
    """A live number of a voice: its default, unit and span, and a sentence about it."""

    default: float
    unit: str
    min: float
    max: float
    about: str


# A sampled spring bears 2500 N/m and 3 N s/m at 1 kHz; more is there to be tried.
_BED = {
    BED[0]: VoiceNumber(2500.0, "N/m", 0.0, 1e4, "Springiness of the felt that ends the stroke."),
    BED[1]: VoiceNumber(3.0, "N s/m", 0.0, 10.0, "How much the felt of the key bed damps."),
}


def _dip(voice: str, dip: float = DIP) -> dict[str, VoiceNumber]:
    about = "Depth at which the key meets its bed."
    return {f"{voice} key dip": VoiceNumber(dip, "m", 3e-3, 15e-3, about)}


#: The live numbers of voices that are no parts of their own and no walls of the laboratory.
VOICE_NUMBERS: dict[str, dict[str, VoiceNumber]] = {
    "harpsichord": {
        "string above plectrum": VoiceNumber(
            3.2e-3, "m", 0.0, 6e-3, "Depth at which the plectrum meets the string."),
        "plectrum stiffness": VoiceNumber(
            700.0, "N/m", 10.0, 5000.0, "How hard the plectrum is to bend."),
        "plectrum strength": VoiceNumber(
            1.0, "N", 0.05, 5.0, "Force at which the plectrum slips off: a stronger one plucks "
            "later and louder."),
        "jack weight": VoiceNumber(
            0.09, "N", 0.0, 1.0, "What the jack weighs at the key front; it brings the key back."),
        **_dip("harpsichord", 6.5e-3), **_BED,
    },
    "organ": {
        "wind force": VoiceNumber(
            1.2, "N", 0.0, 5.0, "How hard the wind holds the closed pallet; gone once it is open."),
        "pallet crack": VoiceNumber(
            1.5e-3, "m", 3e-4, 6e-3, "Depth at which the wind no longer holds the pallet."),
        "pallet spring": VoiceNumber(
            60.0, "N/m", 0.0, 500.0, "How much the spring gains as the pallet opens."),
        "pallet spring preload": VoiceNumber(
            0.5, "N", 0.0, 3.0, "Force of the spring on the closed pallet."),
        "pipe speaks at": VoiceNumber(
            2e-3, "m", 5e-4, 9e-3, "Depth from which enough wind reaches the pipe."),
        **_dip("organ"), **_BED,
    },
    "ball": {
        "ball mass": VoiceNumber(
            0.08, "kg", 0.01, 0.5, "A heavier ball resists longer and flies less high."),
        "ball stiffness": VoiceNumber(
            2500.0, "N/m", 100.0, 1e4, "How little the ball's skin gives way."),
        "ball damping": VoiceNumber(
            4.0, "N s/m", 0.0, 10.0, "How much the skin damps: without it the ball bounces on."),
        **_dip("ball"), **_BED,
    },
    "wall": {
        "plain wall depth": VoiceNumber(0.5 * DIP, "m", 1e-3, 15e-3, "Depth of the wall's face."),
        "plain wall stiffness": VoiceNumber(
            2500.0, "N/m", 0.0, 2e4, "Springiness of the wall: the sampled spring chatters where "
            "it is too stiff."),
        "plain wall damping": VoiceNumber(
            3.0, "N s/m", 0.0, 10.0, "How much the wall damps: held too long, damping chatters."),
    },
    "synthesizer": {
        "synthesizer spring": VoiceNumber(
            25.0, "N/m", 0.0, 500.0, "How much the spring gains with depth."),
        "synthesizer spring preload": VoiceNumber(
            0.45, "N", 0.0, 3.0, "Force of the spring on the key at rest."),
        "upper switch": VoiceNumber(
            4.5e-3, "m", 5e-4, 9e-3, "Depth at which the clock of the key starts."),
        "lower switch": VoiceNumber(
            7.5e-3, "m", 5e-4, 14e-3, "Depth at which it stops and the note sounds: the time "
            "between is all that is known of the touch."),
        **_dip("synthesizer"), **_BED,
    },
    "measured": {
        "table gain": VoiceNumber(1.0, "", 0.0, 3.0, "Multiplies the forces of the table."),
        **_BED,
    },
}  # fmt: skip


# What begins at which depth [m] on the way down, of a voice's numbers.
_Stage = tuple[Callable[[Mapping[str, float]], float], str]
_STAGES: dict[str, tuple[_Stage, ...]] = {
    "harpsichord": (
        (lambda n: 0.0, "the key lifts the jack"),
        (lambda n: n["string above plectrum"], "the plectrum meets the string and bends"),
        (lambda n: n["string above plectrum"] + n["plectrum strength"] / n["plectrum stiffness"],
         "plucked: nothing but the jack again"),
    ),
    "organ": (
        (lambda n: 0.0, "the wind holds the pallet shut"),
        (lambda n: n["pallet crack"], "the pallet is open: only its spring is felt"),
        (lambda n: n["pipe speaks at"], "the pipe speaks"),
    ),
    "ball": ((lambda n: 0.0, "the weight of the ball"),),
    "wall": (
        (lambda n: 0.0, "nothing but the key"),
        (lambda n: n["plain wall depth"], "the wall"),
    ),
    "synthesizer": (
        (lambda n: 0.0, "a spring"),
        (lambda n: n["upper switch"], "the upper switch starts the clock"),
        (lambda n: n["lower switch"], "the lower switch: the note sounds"),
    ),
    "measured": ((lambda n: 0.0, "forces of the table"),),
}  # fmt: skip


def voice_stages(voice: str, settings: Mapping[str, float]) -> list[tuple[float, str]]:
    """Where something begins on the way down [m], and what, in the order of depth, of a voice
    with some of its numbers set otherwise; the key bed is the last, where there is one."""
    if voice in WALL_VOICES:
        return [(0.0, "nothing but the key"), (MIDDLE, "the wall")]
    numbers = {name: each.default for name, each in VOICE_NUMBERS[voice].items()}
    numbers.update(settings)
    found = [(depth(numbers), text) for depth, text in _STAGES[voice]]
    if BED[0] not in numbers:
        return found
    bed = numbers.get(f"{voice} key dip", DIP)
    return [*sorted(each for each in found if each[0] < bed), (bed, "the key bed")]


def _number(m: Model, voice: str, name: str) -> Value:
    """A live number of a voice; voices have their key bed in common."""
    if name not in m.parameters:
        default, unit, low, high, _ = VOICE_NUMBERS[voice][name]
        m.parameter(name, default, unit=unit, min=low, max=high)
    return m.signal(name)


def piano(m: Model, key: Sensed) -> Answer:
    """The full-contact grand action behind a coupling spring: the part "action"."""
    return _grand(m, key, grand_piano_action("finger", specification=light_action()))


def piano_modes(m: Model, key: Sensed) -> Answer:
    """The grand action with Gillespie's modes, behind the same spring."""
    action = piano_action_with_modes("finger", specification=light_action(), felt_string=True)
    return _grand(m, key, action)


def light_action() -> Specification:
    """An action almost without the key's own mass, which the device brings."""
    own = SPECIFICATION.masses
    light = replace(own, key=own.key * VIRTUAL_KEY, key_moment=own.key_moment * VIRTUAL_KEY)
    return replace(SPECIFICATION, masses=light)


def _grand(m: Model, key: Sensed, action: Model) -> Answer:
    coupling = COUPLING[0] * key.rate, COUPLING[1]
    bind = {"finger stiffness": coupling[0], "finger damping": coupling[1]}
    lifting = None if key.pedals is None else DamperLift(m, key.pedals)
    inside = m.add(action, name="action", bind=bind | (lifting.bound if lifting else {}))
    ends = [inside("finger depth"), inside("finger speed")]
    m.control("coupling", lambda: (key.held_depth, key.held_speed), of=[], to=ends)
    ahead = key.depth - m.signal(inside("key depth"))
    slip = key.speed - m.signal(inside("key speed"))
    speed = m.signal(inside("hammer velocity.z"))
    # A hard blow leaves the string within a tick: the hammer has turned round near it.
    before = m.memory("hammer speed", update=speed)
    near = m.signal(inside("string gap")) < NEAR
    turned = select(before > SOFTEST, select(speed < 0.0, select(near, 1.0, 0.0), 0.0), 0.0)
    struck = maximum(select(m.signal(inside("string force")) > 0.0, 1.0, 0.0), turned)
    ringing: Value = m.signal(inside("damper seat gap")) > 0.0
    if lifting is not None:
        lifting.catch(m.coordinate(inside("damper")), SPECIFICATION)
        weight = 9.81 * m.signal(inside("damper mass"))
        ringing = lifting.ringing(ringing, m.signal(inside("damper seat force")) / weight)
    held = key.depth > damper_depth(SPECIFICATION.regulation)
    return Answer(_pushed(ahead, slip, coupling), struck, speed, ringing, held)


def harpsichord(m: Model, key: Sensed) -> Answer:
    """A jack and a plectrum: the pluck is a state machine that runs at ticks (Gillespie 1996,
    Fig. 3.4), 0 below the string, 1 plucking, 2 above. However it is struck, it plucks alike."""
    names = ("string above plectrum", "plectrum stiffness", "plectrum strength", "jack weight")
    string, stiffness, strength, weight = (_number(m, "harpsichord", name) for name in names)
    state = m.memory("plectrum")
    bend = key.depth - string
    tension = stiffness * maximum(bend, 0.0)
    met = bend > 0.0
    from_below = select(met, 1.0, 0.0)
    from_plucking = select(tension > strength, 2.0, from_below)
    from_above = select(met, 2.0, 0.0)
    new = select(state < 0.5, from_below, select(state < 1.5, from_plucking, from_above))
    m.set_update("plectrum", new)
    pull = select(new * (2.0 - new) > 0.5, tension, 0.0)
    bed = _bed(m, key, _number(m, "harpsichord", "harpsichord key dip"))
    # Loudness has no unit: here it is a force, of hammers a speed.
    loudness = m.memory("plectrum loudness", update=strength)
    return Answer(weight + pull + bed, new > 1.5, loudness, key.depth > 0.5 * string)


def organ(m: Model, key: Sensed) -> Answer:
    """A pallet on its spring: wind holds it shut until it opens a crack, then only the spring is
    felt. How fast the key goes is not heard."""
    names = ("wind force", "pallet crack", "pallet spring", "pallet spring preload")
    wind, crack, stiffness, preload = (_number(m, "organ", name) for name in names)
    shut = wind * maximum(1.0 - key.depth / crack, 0.0)
    resting = minimum(key.depth * (1.0 / TAKEN_UP), 1.0)
    spring = resting * (preload + stiffness * key.depth + shut)
    speaking = key.depth > _number(m, "organ", "pipe speaks at")
    bed = _bed(m, key, _number(m, "organ", "organ key dip"))
    return Answer(spring + bed, speaking, 1.0, speaking)


def ball(m: Model, key: Sensed) -> Answer:
    """A ball that lies on the key and may be thrown: Gillespie's two-mass piano."""
    mass, stiffness, damping = (
        _number(m, "ball", f"ball {name}") for name in ("mass", "stiffness", "damping")
    )
    m.joint("ball", Prismatic("z"), m.ground, m.body("ball", mass=mass))
    up, speed = m.coordinate("ball"), m.rate("ball")
    skin = stiffness, damping
    carried = _pushed(key.held_depth - up, key.held_speed - speed, skin)
    m.force("carried", JointEffort("ball", carried))
    felt = _pushed(key.depth - up, key.speed - speed, skin)
    touching = key.depth > up
    bed = _bed(m, key, _number(m, "ball", "ball key dip"))
    return Answer(felt + bed, touching, -speed, touching)


def wall(m: Model, key: Sensed) -> Answer:
    """A wall in the middle of the travel, as stiff as the sampled spring bears."""
    face, stiffness, damping = (
        _number(m, "wall", f"plain wall {name}") for name in ("depth", "stiffness", "damping")
    )
    force = _pushed(key.depth - face, key.speed, (stiffness, damping))
    return Answer(force, key.depth > face, LEVERAGE * key.speed, key.depth > face)


def synthesizer(m: Model, key: Sensed) -> Answer:
    """A light spring and two switches, as in "velocity sensitive" keyboards: what is heard is the
    mean speed between them, whatever came before and comes after."""
    upper, lower = (_number(m, "synthesizer", f"{name} switch") for name in ("upper", "lower"))
    spring = _number(m, "synthesizer", "synthesizer spring")
    preload = _number(m, "synthesizer", "synthesizer spring preload")
    since = m.memory("since upper switch")  # s
    passed = key.depth > upper
    m.set_update("since upper switch", select(passed, since + 1.0 / key.rate, 0.0))
    loudness = LEVERAGE * (lower - upper) / (since + 1.0 / key.rate)
    resting = minimum(key.depth * (1.0 / TAKEN_UP), 1.0)
    bed = _bed(m, key, _number(m, "synthesizer", "synthesizer key dip"))
    force = resting * (preload + spring * key.depth) + bed
    return Answer(force, key.depth > lower, loudness, key.depth > upper)


def by_law(
    law: Law, bed: float = DIP, sounds_at: float | None = None, leverage: float = LEVERAGE
) -> Voice:
    """A voice of one's own: `law(depth, speed)` gives the force [N] that the finger feels, over
    expressions. Below `bed` [m] a key bed pushes too: live numbers "key bed
    stiffness" and "key bed damping".

    The note sounds at the tick where the key has passed `sounds_at` [m] on its way down, three
    quarters of the way to the bed unless given, as loudly as a hammer `leverage` times as fast as
    the key was at the tick before; slower than 0.18 m/s it isn't heard. It is damped when the key
    has come up to half of that depth; to sound again it need only come above the point."""
    check_takes("by_law: its law", law, ["the depth", "the speed"])
    point = 0.75 * bed if sounds_at is None else sounds_at
    if not 0.0 < point < bed < TRAVEL * FRONT or not leverage > 0.0:
        raise InputError(
            f"by_law: the note sounds at {1e3 * point:g} mm, the bed is at {1e3 * bed:g} mm, the "
            f"leverage {leverage:g}; give 0 < sounds_at < bed < {1e3 * TRAVEL * FRONT:.1f} mm, and "
            "a leverage above 0."
        )

    def voice(m: Model, key: Sensed) -> Answer:
        name = getattr(law, "__name__", type(law).__name__)
        given = value(f"by_law: the force [N] of the law '{name}'", law(key.depth, key.speed))
        force = given + _bed(m, key, bed)
        return Answer(force, key.depth > point, leverage * key.speed, key.depth > 0.5 * point)

    return voice


def measured(m: Model, key: Sensed) -> Answer:
    """The grand action as a table of its measured forces: depth and speed are felt, but neither the
    hammer's mass, which a light key can't show from its counts, nor what was before."""
    table, gain = measured_action(), _number(m, "measured", "table gain")
    return by_law(lambda depth, speed: gain * maximum(table.force(depth, speed), 0.0))(m, key)


#: What a key can be, by name.
VOICES: dict[str, Voice] = {
    "piano": piano,
    "piano-modes": piano_modes,
    "harpsichord": harpsichord,
    "organ": organ,
    "ball": ball,
    "wall": wall,
    "synthesizer": synthesizer,
    "measured": measured,
}


def voice_called(name: str) -> Voice:
    """A voice by name."""
    known = VOICES | WALL_VOICES
    if name not in known:
        raise InputError(f"There is no voice '{name}'; {suggestion(name, known)}")
    return known[name]


def _bed(m: Model, key: Sensed, dip: Value) -> Value:
    """The force of a key bed at a depth [N]."""
    stiffness, damping = (_number(m, "measured", name) for name in BED)
    return _pushed(key.depth - dip, key.speed, (stiffness, damping))


def _pushed(inside: Value, closing: Value, law: tuple[Value, Value]) -> Value:
    """A spring and damper that never pull."""
    stiffness, damping = law
    return select(inside > 0.0, maximum(stiffness * inside + damping * closing, 0.0), 0.0)

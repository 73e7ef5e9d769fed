"""What a motorised key can be: a voice puts a virtual mechanism into the model and says what is
felt and heard.

Walls are those of the haptics room, in the middle of the travel, from counts.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

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
VIRTUAL_KEY = 0.05  # of a piano key's mass that stays virtual: the rest is the device's own
COUPLING = 4.0, 8.0  # N/m for each tick a second, N s/m: between key and virtual action
BALL = 0.08  # kg
NEAR = 8e-3  # m: as far from the string as the fastest hammer comes in a tick of 1 ms
PLECTRUM = 1.0  # N, at which it gives way
SWITCHES = 4.5e-3, 7.5e-3  # m, of a synthesizer's key
DIP = 9.5e-3  # m, of all but the harpsichord
BED = 2500.0, 3.0  # N/m, N s/m of key beds and walls: what a sampled wall bears at 1 kHz


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
    string, stiffness, dip = 3.2e-3, 700.0, 6.5e-3
    state = m.memory("plectrum")
    bend = key.depth - string
    tension = stiffness * maximum(bend, 0.0)
    met = bend > 0.0
    from_below = select(met, 1.0, 0.0)
    from_plucking = select(tension > PLECTRUM, 2.0, from_below)
    from_above = select(met, 2.0, 0.0)
    new = select(state < 0.5, from_below, select(state < 1.5, from_plucking, from_above))
    m.set_update("plectrum", new)
    pull = select(new * (2.0 - new) > 0.5, tension, 0.0)
    weight = 0.09  # N of the jack, through the lever
    return Answer(weight + pull + _bed(key, dip), new > 1.5, PLECTRUM, key.depth > 0.5 * string)


def organ(m: Model, key: Sensed) -> Answer:
    """A pallet on its spring: wind holds it shut until it opens a crack, then only the spring is
    felt. How fast the key goes is not heard."""
    shut = 1.2 * maximum(1.0 - key.depth * (1.0 / 1.5e-3), 0.0)
    resting = minimum(key.depth * (1.0 / 0.7e-3), 1.0)
    spring = resting * (0.5 + 60.0 * key.depth + shut)
    speaking = key.depth > 2e-3
    return Answer(spring + _bed(key, DIP), speaking, 1.0, speaking)


def ball(m: Model, key: Sensed) -> Answer:
    """A ball that lies on the key and may be thrown: Gillespie's two-mass piano."""
    m.joint("ball", Prismatic("z"), m.ground, m.body("ball", mass=BALL))
    up, speed = m.coordinate("ball"), m.rate("ball")
    skin = 2500.0, 4.0  # N/m, N s/m
    carried = _pushed(key.held_depth - up, key.held_speed - speed, skin)
    m.force("carried", JointEffort("ball", carried))
    felt = _pushed(key.depth - up, key.speed - speed, skin)
    touching = key.depth > up
    return Answer(felt + _bed(key, DIP), touching, -speed, touching)


def wall(m: Model, key: Sensed) -> Answer:
    """A wall in the middle of the travel, as stiff as the sampled spring bears."""
    middle = 0.5 * DIP
    return Answer(_bed(key, middle), key.depth > middle, LEVERAGE * key.speed, key.depth > middle)


def synthesizer(m: Model, key: Sensed) -> Answer:
    """A light spring and two switches, as in "velocity sensitive" keyboards: what is heard is the
    mean speed between them, whatever came before and comes after."""
    upper, lower = SWITCHES
    since = m.memory("since upper switch")  # s
    passed = key.depth > upper
    m.set_update("since upper switch", select(passed, since + 1.0 / key.rate, 0.0))
    loudness = LEVERAGE * (lower - upper) / (since + 1.0 / key.rate)
    resting = minimum(key.depth * (1.0 / 0.7e-3), 1.0)
    force = resting * (0.45 + 25.0 * key.depth) + _bed(key, DIP)
    return Answer(force, key.depth > lower, loudness, key.depth > upper)


def by_law(
    law: Law, bed: float = DIP, sounds_at: float | None = None, leverage: float = LEVERAGE
) -> Voice:
    """A voice of one's own: `law(depth, speed)` gives the force [N] that the finger feels, over
    expressions. Below `bed` [m] a key bed pushes too, 2500 N/m and 3 N s/m.

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
        force = given + _bed(key, bed)
        return Answer(force, key.depth > point, leverage * key.speed, key.depth > 0.5 * point)

    return voice


def measured(m: Model, key: Sensed) -> Answer:
    """The grand action as a table of its measured forces: depth and speed are felt, but neither the
    hammer's mass, which a light key can't show from its counts, nor what was before."""
    table = measured_action()
    return by_law(lambda depth, speed: maximum(table.force(depth, speed), 0.0))(m, key)


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


def _bed(key: Sensed, dip: float) -> Value:
    """The force of a key bed at a depth [N]."""
    return _pushed(key.depth - dip, key.speed, BED)


def _pushed(inside: Value, closing: Value, law: tuple[float, float]) -> Value:
    """A spring and damper that never pull."""
    stiffness, damping = law
    return select(inside > 0.0, maximum(stiffness * inside + damping * closing, 0.0), 0.0)

"""Keys in a row: seven as Gillespie built them, or the eighty-eight of a piano."""

from collections.abc import Sequence

from touchback import Model, System, copies, select
from touchback.errors import InputError
from touchback.haptics import Operator
from touchback.instruments.keyboard.key_device import (
    REPORTED,
    KeyDevice,
    add_device,
    add_finger,
    add_strikes,
    add_vibration,
    push_key,
    strings_felt,
)
from touchback.instruments.keyboard.key_mechanisms import Answer, Voice, voice_called
from touchback.instruments.keyboard.keyboard_pedals import PEDALS, add_pedals
from touchback.instruments.piano.action_specification import graded_parameters, has_damper
from touchback.model import Value

NOTE_NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
LOWEST, HIGHEST = 21, 108  # MIDI notes of a piano
MIDDLE_C = 60


def touchback_key(
    *voices: str | Voice,
    rate: float = 1000.0,
    device: KeyDevice | None = None,
    operator: Operator | None = None,
    by_hand: bool = False,
) -> Model:
    """One motorised key under a finger, rendering a voice ("piano" unless named) at so many ticks a
    second. With several voices the live parameter "voice" says which is felt, 0 for the first;
    all of them go on in the background, so that it can change at any tick. `by_hand` adds the
    input "finger wish" [m], which a pointer can move."""
    chosen = voices or ("piano",)
    m = Model(f"touchback key ({', '.join(_name(voice) for voice in chosen)})")
    own, pedals = device or KeyDevice(), add_pedals(m)
    sensed = add_device(m, own, rate, pedals)
    felt = [(voice_called(v) if isinstance(v, str) else v)(m, sensed) for v in chosen]
    heard, stays = felt[0], None
    if len(felt) > 1:
        choice = m.parameter("voice", 0.0, min=0.0, max=float(len(felt) - 1))
        words = ("force", "sounding", "loudness", "ringing", "down")
        heard = Answer(*(_chosen(choice, [getattr(one, word) for one in felt]) for word in words))
        before = m.memory("voice before", update=choice)
        stays = select(before < choice, 0.0, select(choice < before, 0.0, 1.0))
    add_strikes(m, heard, pedals.una_corda, stays)
    push_key(m, own, heard.force + add_vibration(m, rate))
    add_finger(m, operator or Operator(), rate if by_hand else None)
    m.report("finger force", *REPORTED)
    return m


def _name(voice: str | Voice) -> str:
    return voice if isinstance(voice, str) else "a law"


def _chosen(choice: Value, values: Sequence[Value]) -> Value:
    """The value that a number from 0 chooses; nearest whole numbers count."""
    result = values[-1]
    for i in range(len(values) - 2, -1, -1):
        result = select(choice < i + 0.5, values[i], result)
    return result


def note_name(note: int) -> str:
    """ "C4" for 60, middle C."""
    return f"{NOTE_NAMES[note % 12]}{note // 12 - 1}"


def keyboard(
    notes: int | Sequence[int] = 7,
    *voices: str | Voice,
    rate: float = 1000.0,
    by_hand: bool = False,
) -> System:
    """A row of keys named by their notes: seven from middle C, the 88 of a piano, or those of the
    given MIDI notes; graded from bass to treble, and with three pedals, which all have in common.
    """
    names = [note_name(note) for note in notes_of(notes)]
    key = touchback_key(*voices, rate=rate, by_hand=by_hand).compile()
    system = copies(key, names, shared=PEDALS)
    tune(system, notes_of(notes))
    return system


def tune(system: System, notes: Sequence[int]) -> None:
    """Let each key of a row be that of its own note."""
    for note in notes:
        for parameter, value in graded_key(note, system.replica).items():
            system[f"{note_name(note)}/{parameter}"] = value


def graded_key(note: int, key: System) -> dict[str, float]:
    """The parameters of the key of a MIDI note that aren't those of the middle one, of those that a
    key has: of the action behind it, and of the string that is felt."""
    own = {
        f"action/{name}": value for name, value in graded_parameters(note).items()
    } | strings_felt(note)
    own |= {} if has_damper(note) else {"undamped": 1.0}
    return {name: value for name, value in own.items() if name in key.parameters}


def notes_of(notes: int | Sequence[int]) -> list[int]:
    """The MIDI notes of a keyboard."""
    if not isinstance(notes, int):
        chosen = list(notes)
    elif notes == HIGHEST - LOWEST + 1:
        chosen = list(range(LOWEST, HIGHEST + 1))
    else:
        white = [n for n in range(MIDDLE_C, HIGHEST + 1) if "#" not in NOTE_NAMES[n % 12]]
        chosen = white[:notes] if 0 < notes <= len(white) else []
    if not chosen or not all(LOWEST <= note <= HIGHEST for note in chosen):
        raise InputError(
            f"Keyboard: notes {notes!r}; give 1 to 29 white keys from middle C, 88, or MIDI notes "
            f"from {LOWEST} to {HIGHEST}."
        )
    return chosen

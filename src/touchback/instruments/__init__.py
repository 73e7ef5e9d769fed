"""Keyboard instruments, as `tb.instruments`: piano actions, a harpsichord's key, motorised keys
with voices, strings that sound, and MIDI files. Actions, keyboards and sound have packages of their
own: `tb.instruments.piano`, `tb.instruments.keyboard`, `tb.instruments.sound`."""

from touchback.instruments import keyboard as keyboard, piano as piano, sound as sound
from touchback.instruments.harpsichord import harpsichord_key, stroke_forces
from touchback.instruments.key_feel import (
    INSTRUMENTS as INSTRUMENTS,
    PIANO_LEGEND as PIANO_LEGEND,
    KeyCurve as KeyCurve,
    feel_voice as feel_voice,
)
from touchback.instruments.keyboard.key_mechanisms import (
    VOICES as VOICES,
    WALL_VOICES as WALL_VOICES,
    measured_action as measured_action,
    voice_called as voice_called,
)
from touchback.instruments.keyboard.key_strokes import (
    LONGEST_STAY as LONGEST_STAY,
    SHORTEST_STAY as SHORTEST_STAY,
    Gesture as Gesture,
    HeardNote as HeardNote,
    Stroke as Stroke,
    as_midi as as_midi,
    as_sound as as_sound,
    passage as passage,
)
from touchback.instruments.keyboard.keyboard_model import (
    MIDDLE_C as MIDDLE_C,
    NOTE_NAMES as NOTE_NAMES,
    note_name as note_name,
    notes_of as notes_of,
    touchback_key as touchback_key,
)
from touchback.instruments.keyboard.keyboard_pedals import (
    PEDALS as PEDALS,
    UNA_CORDA_THRESHOLD as UNA_CORDA_THRESHOLD,
    Foot as Foot,
    control_of as control_of,
    feet_of as feet_of,
)
from touchback.instruments.keyboard.keyboard_player import (
    FASTEST_TICK_RATE as FASTEST_TICK_RATE,
    KEYBOARD_METHOD as KEYBOARD_METHOD,
    SETTLING_TIME as SETTLING_TIME,
    SLOWEST_TICK_RATE as SLOWEST_TICK_RATE,
    Fingers as Fingers,
    Keyboard as Keyboard,
    Listener as Listener,
    NoteCallbacks as NoteCallbacks,
    NoteLog as NoteLog,
    SeparateKeys as SeparateKeys,
    make_keyboard as make_keyboard,
    make_separate_keys as make_separate_keys,
    script_fingers as script_fingers,
    steps_at as steps_at,
)
from touchback.instruments.keyboard.keyboard_regulation import (
    DEFAULT_REGULATION as DEFAULT_REGULATION,
    REGULATION_SUFFIXES as REGULATION_SUFFIXES,
    SCREW_SENTENCES as SCREW_SENTENCES,
    Regulation as Regulation,
    regulation_of as regulation_of,
    screw_parameter as screw_parameter,
    screws_of as screws_of,
    voices_with as voices_with,
)
from touchback.instruments.keyboard.midi_fingers import (
    KeyTouches as KeyTouches,
    MidiFingers as MidiFingers,
    gestures_of as gestures_of,
    graded_touches as graded_touches,
    score_notes as score_notes,
)
from touchback.instruments.keyboard.perception_trial_key import (
    FeltInterval as FeltInterval,
    TrialKey as TrialKey,
    varied_key as varied_key,
)
from touchback.instruments.keyboard.wired_keys import (
    WiredKey as WiredKey,
    make_playable_key as make_playable_key,
    play_wired as play_wired,
    wired_key as wired_key,
)
from touchback.instruments.midi_file import Timed, read_midi, write_midi
from touchback.instruments.piano.action_drawing import (
    PartOutline as PartOutline,
    action_outlines as action_outlines,
)
from touchback.instruments.piano.action_specification import (
    Specification as Specification,
    find_placements as find_placements,
)
from touchback.instruments.piano.finger_motions import PressedTouch as PressedTouch
from touchback.instruments.piano.piano_action import grand_piano_action as grand_piano_action
from touchback.instruments.piano.piano_action_modes import (
    piano_action_with_modes as piano_action_with_modes,
)
from touchback.instruments.piano.stroke_analysis import (
    ForceCurve as ForceCurve,
    force_curve as force_curve,
    slow_press as slow_press,
)
from touchback.instruments.sound.note_rendering import (
    render as render,
    struck_strings as struck_strings,
    write_wav as write_wav,
)
from touchback.instruments.sound.sound_stream import (
    SoundStream as SoundStream,
    output_called as output_called,
    outputs as outputs,
)
from touchback.instruments.sound.vibrating_strings import (
    DAMPER_DECAY as DAMPER_DECAY,
    String as String,
    StringMotion as StringMotion,
    piano_string as piano_string,
    pluck as pluck,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "keyboard.key_device",
    "piano.action_drawing",
)

__all__ = ["Timed", "harpsichord_key", "read_midi", "stroke_forces", "write_midi"]

"""MIDI: messages as bytes, strike speeds as velocities, Standard MIDI Files, ports."""

from touchback.devices.midi.midi_file import Timed, read_midi, write_midi
from touchback.devices.midi.midi_messages import (
    Control,
    Message,
    NoteOff,
    NoteOn,
    Parser,
    encode,
    speed_of,
    velocity_of,
)
from touchback.devices.midi.midi_port import MidiPort

__all__ = [
    "Control",
    "Message",
    "MidiPort",
    "NoteOff",
    "NoteOn",
    "Parser",
    "Timed",
    "encode",
    "read_midi",
    "speed_of",
    "velocity_of",
    "write_midi",
]

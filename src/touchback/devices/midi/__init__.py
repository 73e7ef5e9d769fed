"""MIDI: messages as bytes, strike speeds as velocities, ports."""

from touchback.devices.midi.midi_messages import (
    Control,
    Message,
    NoteOff,
    NoteOn,
    Parser,
    data_length,
    decode,
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
    "data_length",
    "decode",
    "encode",
    "speed_of",
    "velocity_of",
]

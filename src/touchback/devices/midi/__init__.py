"""MIDI: messages as bytes, strike speeds as velocities, Standard MIDI Files, ports."""

from touchback.devices.midi.file import Timed, read_midi, write_midi
from touchback.devices.midi.messages import Control, Message, NoteOff, NoteOn, Parser, encode
from touchback.devices.midi.port import MidiPort
from touchback.devices.midi.velocity import speed_of, velocity_of

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

"""Keyboard instruments, as `tb.instruments`: piano actions, a harpsichord's key, motorised keys
with voices, strings that sound, and MIDI files. Actions, keyboards and sound have packages of their
own: `tb.instruments.piano`, `tb.instruments.keyboard`, `tb.instruments.sound`."""

from touchback.instruments import keyboard as keyboard
from touchback.instruments import piano as piano
from touchback.instruments import sound as sound
from touchback.instruments.harpsichord import harpsichord_key
from touchback.instruments.midi_file import Timed, read_midi, write_midi

__all__ = ["Timed", "harpsichord_key", "read_midi", "write_midi"]

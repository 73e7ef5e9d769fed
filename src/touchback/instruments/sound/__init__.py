"""Strings that sound: struck by a felt hammer or plucked, rendered to WAV files or streamed while
they are played."""

from touchback.instruments.sound.note_rendering import Note, render, struck_strings, write_wav
from touchback.instruments.sound.sound_stream import SoundReport, SoundStream, outputs
from touchback.instruments.sound.vibrating_strings import (
    Hammer,
    Strike,
    String,
    StringMotion,
    piano_hammer,
    piano_string,
    pluck,
    strike,
)

__all__ = [
    "Hammer",
    "Note",
    "SoundReport",
    "SoundStream",
    "Strike",
    "String",
    "StringMotion",
    "outputs",
    "piano_hammer",
    "piano_string",
    "pluck",
    "render",
    "strike",
    "struck_strings",
    "write_wav",
]

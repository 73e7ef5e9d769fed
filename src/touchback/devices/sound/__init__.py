"""Strings that sound: struck by a felt hammer or plucked, rendered to WAV files or streamed while
they are played."""

from touchback.devices.sound.plucked import pluck
from touchback.devices.sound.score import Note, render, struck_strings
from touchback.devices.sound.stream import SoundReport, SoundStream, outputs
from touchback.devices.sound.string_motion import StringMotion
from touchback.devices.sound.strings import Hammer, String, piano_hammer, piano_string
from touchback.devices.sound.struck import Strike, strike
from touchback.devices.sound.wav import write_wav

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
